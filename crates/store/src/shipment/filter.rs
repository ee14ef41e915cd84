//! What shipments are listed by.

use domain::codes::{Scac, UnLocode};
use domain::ids::{CustomFieldDefinitionId, PartyId};

use crate::page::{By, Clauses, Order, Range, Spans};
use crate::terms::Stretch;

/// Which shipments to list; nothing set lists all, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipmentFilter {
    /// Part of the number, a reference, or the number of one of its containers.
    pub q: Option<String>,
    /// This number as it was submitted, or as its line is asked for it.
    pub number: Option<(String, String)>,
    /// Only those whose tracking stopped, or only the others.
    pub tracking_stopped: Option<bool>,
    /// Of any of these lines; empty: any.
    pub scacs: Vec<Scac>,
    /// From any of these ports of lading; empty: any.
    pub ports_of_lading: Vec<UnLocode>,
    /// To any of these ports of discharge; empty: any.
    pub ports_of_discharge: Vec<UnLocode>,
    /// Expected at the port of discharge at or after, and at or before.
    pub pod_eta: Range,
    /// Arrived there then.
    pub pod_ata: Spans,
    /// Arrived there, or not yet.
    pub has_pod_ata: Option<bool>,
    /// Arrived there, or else expected, at or after, and at or before.
    pub arrival: Range,
    /// Created then.
    pub created: Spans,
    /// Changed then.
    pub updated: Spans,
    /// Of any of these customers; `Some` of none: no shipment at all.
    pub customers: Option<Vec<PartyId>>,
    /// With any of these tags, whatever the letter case; empty: any.
    pub tags: Vec<String>,
    /// With this reference, whatever the letter case.
    pub reference: Option<String>,
    /// With all of these custom fields, each with this value as plain text.
    pub custom_fields: Vec<(CustomFieldDefinitionId, String)>,
    /// In which order.
    pub order: Order,
}

/// The words of a filter, which its clauses borrow.
pub(super) struct Words<'f> {
    scacs: Vec<&'f str>,
    ports_of_lading: Vec<&'f str>,
    ports_of_discharge: Vec<&'f str>,
    /// None of it counts: nothing is found.
    q: Option<Vec<Stretch>>,
    tags: Vec<Stretch>,
    reference: Option<Stretch>,
}

impl ShipmentFilter {
    pub(super) fn words(&self) -> Words<'_> {
        Words {
            scacs: self.scacs.iter().map(Scac::as_str).collect(),
            ports_of_lading: self.ports_of_lading.iter().map(UnLocode::as_str).collect(),
            ports_of_discharge: self
                .ports_of_discharge
                .iter()
                .map(UnLocode::as_str)
                .collect(),
            q: self
                .q
                .as_deref()
                .map(|q| Stretch::containing(q).into_iter().collect()),
            tags: self.tags.iter().map(|tag| Stretch::tag(tag)).collect(),
            reference: self.reference.as_deref().map(Stretch::reference),
        }
    }

    pub(super) fn clauses<'f>(&'f self, words: &'f Words<'f>) -> Clauses<'f> {
        let mut clauses = Clauses::new();
        let numbers = self.number.as_ref();
        clauses.either(
            "shipments",
            ["number", "normalized_number"],
            numbers.map(|(submitted, asked)| [submitted.as_str(), asked.as_str()]),
        );
        if let Some(customers) = &self.customers {
            let ids: Vec<_> = customers.iter().map(|party| party.0).collect();
            clauses.any_id("customer_id in ($)", &ids);
        }
        clauses.custom_fields(&self.custom_fields);
        clauses.absent("stopped_at", self.tracking_stopped.map(|stopped| !stopped));
        clauses.any_of("(scac || '')", &words.scacs);
        clauses.any_of("(pol || '')", &words.ports_of_lading);
        clauses.any_of("(pod || '')", &words.ports_of_discharge);
        self.ranges(&mut clauses);
        if !words.tags.is_empty() {
            clauses.found_by(OWN_TERMS, &words.tags);
        }
        if let Some(reference) = &words.reference {
            clauses.found_by(OWN_TERMS, std::slice::from_ref(reference));
        }
        if let Some(q) = &words.q {
            clauses.found_by(TERMS_OF_IT_OR_ITS_BOXES, q);
        }
        clauses
    }

    fn ranges(&self, clauses: &mut Clauses<'_>) {
        let updated = if self.asks_only_its_order() {
            "updated_at"
        } else {
            "coalesce(updated_at, updated_at)"
        };
        clauses.within_any("created_at", &self.created);
        clauses.within_any(updated, &self.updated);
        clauses.between("pod_eta", self.pod_eta);
        clauses.within_any("pod_ata", &self.pod_ata);
        clauses.absent("pod_ata", self.has_pod_ata.map(|has| !has));
        clauses.between("coalesce(pod_ata, pod_eta)", self.arrival);
    }

    /// Whether nothing is asked beyond a range of what the list is ordered by.
    pub(super) fn asks_only_its_order(&self) -> bool {
        let mut only = Self {
            order: self.order,
            ..Self::default()
        };
        match self.order.by {
            By::CreatedAt => only.created.clone_from(&self.created),
            By::UpdatedAt => only.updated.clone_from(&self.updated),
            By::PickupLfd | By::Number => {}
        }
        *self == only
    }
}

const OWN_TERMS: &str = "id in (select t.row_id from terms t where t.account_id = {account}
    and t.term >= {from} and t.term < {before} and t.kind = 0)";
const TERMS_OF_IT_OR_ITS_BOXES: &str = "id in (
    select t.row_id from terms t where t.account_id = {account}
        and t.term >= {from} and t.term < {before} and t.kind = 0
    union all select c.shipment_id from terms t
        join containers c on c.account_id = t.account_id and c.id = t.row_id
        where t.account_id = {account}
            and t.term >= {from} and t.term < {before} and t.kind = 1)";
