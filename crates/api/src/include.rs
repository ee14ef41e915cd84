//! `include`: follows the relationships of stored texts, step by step, one look-up for each type and step.
//!
//! The texts themselves say to whom they link, so any declared path works for any resource without code of
//! its own. Only where a target is not stored as a text (claims, webhooks) is it rendered here.

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::ids::{
    ContainerId, EventId, PartyId, ReferenceId, ReportId, ShipmentId, TrackingRequestId,
};
use jsonapi::error::ErrorItem;
use jsonapi::linkage::{self, Identity};
use jsonapi::query::Include;
use jsonapi::resource::{self, raw_event};
use uuid::Uuid;

use crate::call::Reading;
use crate::containers::raw_events;
use crate::failure::Failure;
use crate::webhook_notifications::logs;
use crate::{custom_field_definitions, custom_field_options, custom_fields};
use crate::{plan, vessels, webhooks};

/// Included resources of one answer at most, in bytes. While it is made an answer takes less than three times as much
/// memory, so that the service stays below 150 MB. Their number is not bounded: a page that may be asked for is to be
/// answered however long the histories of its boxes become; those of a hundred boxes may have four hundred each.
const INCLUDED_BYTES_MAX: usize = 40 * 1024 * 1024;
/// None is shorter, so that what does not fit is not read; a claim is longer still.
const RESOURCE_BYTES_MIN: usize = 256;
/// Resources read at once: what stands in memory beyond the bound.
const READ_MAX: usize = 1_000;

/// The resources to include with these, each once, none of the primary ones.
pub(crate) fn resolve(
    reading: &mut Reading<'_>,
    primary: &[String],
    wanted: &[Include],
) -> Result<Vec<String>, Failure> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let mut gathering = Gathering {
        reading,
        kept: Kept::default(),
    };
    gathering.follow(primary, wanted)?;
    let own: HashSet<Identity> = primary
        .iter()
        .filter_map(|p| linkage::identity(p))
        .collect();
    let Kept {
        mut texts, order, ..
    } = gathering.kept;
    Ok(order
        .iter()
        .filter(|identity| !own.contains(identity))
        .filter_map(|identity| texts.remove(identity))
        .collect())
}

struct Gathering<'a, 'b> {
    reading: &'a mut Reading<'b>,
    kept: Kept,
}

impl Gathering<'_, '_> {
    fn follow(&mut self, parents: &[String], wanted: &[Include]) -> Result<(), Failure> {
        for step in wanted {
            let targets = targets_of(parents, step.relationship);
            self.load(&targets, parents)?;
            if !step.then.is_empty() {
                let texts = &self.kept.texts;
                let next: Vec<String> = targets
                    .iter()
                    .filter_map(|target| texts.get(target).cloned())
                    .collect();
                self.follow(&next, &step.then)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, targets: &[Identity], parents: &[String]) -> Result<(), Failure> {
        let mut missing: BTreeMap<&str, Vec<Uuid>> = BTreeMap::new();
        for target in targets.iter().filter(|t| !self.kept.texts.contains_key(t)) {
            missing.entry(&target.kind).or_default().push(target.id);
        }
        let now = self.reading.app.tracking.now();
        for (kind, ids) in missing {
            let Reading { caller, query, .. } = self.reading;
            if !plan::may_include(caller, kind, query, now)? {
                continue;
            }
            let claims = kind == raw_event::TYPE.name;
            let least = if claims {
                raw_event::TEXT_BYTES_MIN
            } else {
                RESOURCE_BYTES_MIN
            };
            self.kept.fits(ids.len() * least)?;
            if claims {
                self.load_claims(&of(&ids), parents)?;
                continue;
            }
            for some in ids.chunks(READ_MAX) {
                for text in documents(self.reading, kind, some, parents)? {
                    self.kept.keep(text)?;
                }
            }
        }
        Ok(())
    }

    /// Claims belong to watches, not to accounts; they are reached through the shipment of whoever links to them. All claims of
    /// a bill are read for any of them; each is counted as it is rendered.
    fn load_claims(&mut self, ids: &[ReportId], parents: &[String]) -> Result<(), Failure> {
        let wanted: HashSet<ReportId> = ids.iter().copied().collect();
        let kept = &mut self.kept;
        for shipment in targets_of(parents, "shipment") {
            let shipment = ShipmentId(shipment.id);
            raw_events::of_shipment(self.reading, shipment, &wanted, |_, text| kept.keep(text))?;
        }
        Ok(())
    }
}

/// What is there already.
#[derive(Default)]
struct Kept {
    texts: HashMap<Identity, String>,
    order: Vec<Identity>,
    /// Length of the texts.
    bytes: usize,
}

impl Kept {
    /// Refuses what would take so many bytes more than there may be.
    fn fits(&self, more: usize) -> Result<(), Failure> {
        if self.bytes + more <= INCLUDED_BYTES_MAX {
            return Ok(());
        }
        let detail = "include asks for too much for one answer; a smaller page[size] or fewer names at once will do";
        Err(ErrorItem::parameter("include", detail).into())
    }

    fn keep(&mut self, text: String) -> Result<(), Failure> {
        self.fits(text.len())?;
        if let Some(identity) = linkage::identity(&text) {
            self.bytes += text.len();
            self.order.push(identity.clone());
            self.texts.insert(identity, text);
        }
        Ok(())
    }
}

fn targets_of(parents: &[String], relationship: &str) -> Vec<Identity> {
    let mut seen = HashSet::new();
    parents
        .iter()
        .flat_map(|parent| linkage::targets(parent, relationship))
        .filter(|target| seen.insert(target.clone()))
        .collect()
}

/// Whether the caller can see a resource of this type and id.
pub(crate) fn exists(reading: &mut Reading<'_>, kind: &str, id: Uuid) -> Result<bool, Failure> {
    Ok(!documents(reading, kind, &[id], &[])?.is_empty())
}

/// The texts of these resources, which are no claims. `parents` are the resources that link to them.
fn documents(
    reading: &mut Reading<'_>,
    kind: &str,
    ids: &[Uuid],
    parents: &[String],
) -> Result<Vec<String>, Failure> {
    let listed = match kind {
        "shipment" => store::shipment::documents(&mut reading.account(), &of::<ShipmentId>(ids))?,
        "container" => {
            store::container::documents(&mut reading.account(), &of::<ContainerId>(ids))?
        }
        "tracking_request" => store::tracking_request::documents(
            &mut reading.account(),
            &of::<TrackingRequestId>(ids),
        )?,
        "transport_event"
        | "estimated_event"
        | "container_updated_event"
        | "container_created_event"
        | "container_pod_terminal_changed_event" => {
            store::event::documents(&mut reading.account(), &of::<EventId>(ids))?
        }
        "party" => store::party::documents(&mut reading.account(), &of::<PartyId>(ids))?,
        "account" => return own_account(reading, ids),
        "vessel" => return vessels::texts(reading, &of::<ReferenceId>(ids)),
        "webhook" => return webhooks::texts(reading, &of(ids)),
        "custom_field" => return custom_fields::texts(reading, &of(ids)),
        "custom_field_definition" => return custom_field_definitions::texts(reading, &of(ids)),
        "custom_field_option" => return custom_field_options::texts(reading, &of(ids)),
        "webhook_notification_log" => {
            let told = identities_of(parents, "webhook_notification");
            return logs::of_notifications(reading, &of(&told), ids);
        }
        _ => {
            let app = reading.app;
            let found = ids
                .iter()
                .filter_map(|id| app.references.document(&app.tracking, kind, *id));
            return Ok(found.collect());
        }
    };
    Ok(crate::call::documents(listed))
}

fn identities_of(parents: &[String], kind: &str) -> Vec<Uuid> {
    let identities = parents.iter().filter_map(|text| linkage::identity(text));
    identities
        .filter(|identity| identity.kind == kind)
        .map(|identity| identity.id)
        .collect()
}

/// The caller's own account; there is no other to be seen.
fn own_account(reading: &mut Reading<'_>, ids: &[Uuid]) -> Result<Vec<String>, Failure> {
    let own = reading.caller.account;
    if !ids.contains(&own.0) {
        return Ok(Vec::new());
    }
    let account = store::account::find(reading.tx, own)?;
    let text = account.map(|account| resource::account::render(own, &account.name));
    Ok(text.into_iter().collect())
}

fn of<I: From<Uuid>>(ids: &[Uuid]) -> Vec<I> {
    ids.iter().copied().map(I::from).collect()
}
