//! A new request: judged, given its watch, and pending.

use domain::account::Plan;
use domain::codes::{ContainerNumber, Scac};
use domain::ids::{AccountId, IdSource, PartyId, TrackingRequestId, WatchId};
use domain::tracking_request::number::{self, InvalidPaperNumber};
use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use jiff::Timestamp;
use store::tracking_request::TrackingRequest;
use store::watch::Watch;
use store::{AccountTx, Key, Tx};
use tracing::info;

use super::render;
use crate::custom_fields::{StagedRefused, Staging, staging};
use crate::projection::{self, Left};
use crate::{Tracking, id_source, intake, parties};

/// What the caller asks for.
#[derive(Clone, Debug)]
pub struct NewRequest {
    /// The number as given.
    pub number: String,
    /// What kind of number it is.
    pub kind: NumberKind,
    /// The line; may be missing only with `auto_detect`.
    pub scac: Option<Scac>,
    /// Whether the line is to be found from the number.
    pub auto_detect: bool,
    /// The caller's own references; copied to the shipment.
    pub ref_numbers: Vec<String>,
    /// Tags; copied to the shipment.
    pub tags: Vec<String>,
    /// The customer; copied to the shipment.
    pub customer: Option<PartyId>,
    /// Custom fields, set when there is a shipment, and containers.
    pub staged: Vec<Staging>,
}

/// Why a request is refused.
#[derive(Debug, thiserror::Error)]
pub enum RequestRefused {
    /// The same number and line are already followed.
    #[error("number {number} of {} is already tracked by a request that is {}", scac.map(|s| s.to_string()).unwrap_or_default(), status.as_str())]
    Duplicate {
        /// The open request.
        existing: TrackingRequestId,
        /// Where it stands.
        status: RequestStatus,
        /// The number as it was given now.
        number: String,
        /// The line.
        scac: Option<Scac>,
    },
    /// No line has this code.
    #[error("{0} is no shipping line we know")]
    LineUnknown(Scac),
    /// The line does not answer to numbers of this kind.
    #[error("{scac} does not answer to {}", kind.as_str())]
    KindUnsupported {
        /// The line.
        scac: Scac,
        /// The kind of number.
        kind: NumberKind,
    },
    /// Neither a line nor leave to find it.
    #[error("no shipping line is given")]
    ScacMissing,
    /// The container number is none.
    #[error(transparent)]
    NumberInvalid(#[from] domain::codes::InvalidContainerNumber),
    /// The number of a bill or a booking is none.
    #[error(transparent)]
    PaperNumberInvalid(#[from] InvalidPaperNumber),
    /// The account has no such party.
    #[error("the account has no party {0}")]
    CustomerUnknown(PartyId),
    /// Every place that the plan has is taken.
    #[error("all {places} containers of the account's plan are active")]
    PlanFull {
        /// How many it has.
        places: u32,
    },
    /// Custom fields that cannot be set.
    #[error("{} custom fields are refused", .0.len())]
    Staged(Vec<StagedRefused>),
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// Accepts a request. The row that comes back is `pending`, always.
pub async fn create(
    tracking: &Tracking,
    account: AccountId,
    wanted: NewRequest,
) -> Result<TrackingRequest, RequestRefused> {
    let order = Order::judge(tracking, wanted)?;
    let placed = place(tracking, account, order.clone()).await;
    let created = match placed {
        // Another request for the same number came in between the look and the insert: look again.
        Err(RequestRefused::Store(store::Error::Conflict { .. })) => {
            place(tracking, account, order).await?
        }
        placed => placed?,
    };
    match created.scac {
        None => tracking.nudges().detect(),
        Some(scac) if created.watch.is_none() => {
            let number = created.number.as_str();
            info!(
                number,
                %scac,
                "no source is configured that can be asked about this line: the request waits for what comes by itself"
            );
        }
        Some(_) => {}
    }
    tracking.nudges().poll();
    Ok(created)
}

async fn place(
    tracking: &Tracking,
    account: AccountId,
    order: Order,
) -> Result<TrackingRequest, RequestRefused> {
    let now = tracking.now();
    let ids = id_source(now);
    let shared = tracking.clone();
    let left = Left::default();
    let leaves = left.clone();
    let row = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut ids = ids.clone();
            let row = order.place(tx, &shared, account, &mut ids, now)?;
            // What was said about the number before counts at once; the answer is still "pending".
            leaves.put(projection::advance(
                tx, &shared, account, row.id, &mut ids, now,
            )?);
            Ok::<_, RequestRefused>(row)
        })
        .await?;
    intake::finish(tracking, left.take()).await;
    Ok(row)
}

/// A request that passed every check that needs no store.
#[derive(Clone)]
struct Order {
    wanted: NewRequest,
    /// The number as it is shown.
    number: String,
    source: Option<String>,
}

impl Order {
    fn judge(tracking: &Tracking, mut wanted: NewRequest) -> Result<Self, RequestRefused> {
        let number = match wanted.kind {
            NumberKind::Container => ContainerNumber::parse(&wanted.number)?.to_string(),
            NumberKind::BillOfLading | NumberKind::Booking => {
                number::asked(&wanted.number)?;
                wanted.number.trim().to_owned()
            }
        };
        let Some(given) = wanted.scac else {
            let judged = Self {
                wanted,
                number,
                source: None,
            };
            return if judged.wanted.auto_detect {
                Ok(judged)
            } else {
                Err(RequestRefused::ScacMissing)
            };
        };
        let line = tracking
            .registry()
            .shipping_line(given)
            .ok_or(RequestRefused::LineUnknown(given))?;
        if !line.supports(wanted.kind) {
            return Err(RequestRefused::KindUnsupported {
                scac: given,
                kind: wanted.kind,
            });
        }
        wanted.scac = Some(line.scac);
        let source = tracking.source_for(line.scac, wanted.kind);
        let source = source.map(|source| source.id().to_owned());
        Ok(Self {
            wanted,
            number,
            source,
        })
    }

    fn place(
        &self,
        tx: &mut Tx,
        tracking: &Tracking,
        account: AccountId,
        ids: &mut IdSource,
        now: Timestamp,
    ) -> Result<TrackingRequest, RequestRefused> {
        self.hold_watch(tx)?;
        let kind = self.wanted.kind;
        let label = intake::number(tracking.registry(), kind, &self.number);
        let dockets = store::docket::hold(tx, None, &[label], ids, now)?;
        let docket = dockets.first().copied();
        let open = {
            let (mut a, scac) = (tx.account(account), self.wanted.scac);
            store::tracking_request::find_open(&mut a, &self.number, docket, scac)?
        };
        if let Some(open) = open {
            return Err(RequestRefused::Duplicate {
                existing: open.id,
                status: open.progress.status,
                number: self.number.clone(),
                scac: open.scac,
            });
        }
        refuse_beyond_plan(tx, account)?;
        let staged = staging::judge(&mut tx.account(account), &self.wanted.staged)?;
        let staged = staged.map_err(RequestRefused::Staged)?;
        let source = self.source.as_deref();
        let watch = source.map(|source| watched(tx, account, source, kind, &self.number, ids, now));
        let watch = watch.transpose()?;
        self.refuse_unknown_customer(&mut tx.account(account))?;
        let mut row = self.row(ids, watch.map(|watch| watch.id), now);
        row.docket = docket;
        row.document = render(account, &row);
        let a = &mut tx.account(account);
        store::tracking_request::insert(a, &row)?;
        store::custom_field::staged::insert(a, row.id, &staged)?;
        Ok(row)
    }

    /// The watch of the number, where there is one, held before its docket, as whoever settles an answer holds them: the other way
    /// round they would wait for each other. Nothing is written, so that a request that is refused has nothing to be taken back.
    fn hold_watch(&self, tx: &mut Tx) -> Result<(), store::Error> {
        let Some(source) = self.source.as_deref() else {
            return Ok(());
        };
        let kind = self.wanted.kind;
        let number = number::asked_of(kind, &self.number);
        if let Some(known) = store::watch::of_number(tx, source, kind, &number)? {
            store::watch::lock(tx, known.id)?;
        }
        Ok(())
    }

    fn refuse_unknown_customer(&self, a: &mut AccountTx<'_>) -> Result<(), RequestRefused> {
        match self.wanted.customer {
            Some(customer) if !parties::hold(a, customer)? => {
                Err(RequestRefused::CustomerUnknown(customer))
            }
            _ => Ok(()),
        }
    }

    fn row(&self, ids: &mut IdSource, watch: Option<WatchId>, now: Timestamp) -> TrackingRequest {
        TrackingRequest {
            id: ids.draw(),
            number: self.number.clone(),
            scac: self.wanted.scac,
            auto_detect: self.wanted.auto_detect,
            progress: Progress {
                kind: self.wanted.kind,
                status: RequestStatus::Pending,
                failed_reason: None,
                is_retrying: false,
                retry_count: 0,
                created_at: now,
            },
            watch,
            docket: None,
            shipment: None,
            ref_numbers: self.wanted.ref_numbers.clone(),
            tags: self.wanted.tags.clone(),
            updated_at: now,
            version: 1,
            customer: self.wanted.customer,
            custom_fields: Vec::new(),
            document: String::new(),
        }
    }
}

/// The shared watch of the number, however it is written, due now: a second account's request makes it be asked again at once.
/// It is held: a poll of it that ends at this moment comes before, and it is due again, or after, and finds who has joined.
pub(crate) fn watched(
    tx: &mut Tx,
    account: AccountId,
    source: &str,
    kind: NumberKind,
    number: &str,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Watch, store::Error> {
    let fresh = Watch {
        id: ids.draw(),
        source: source.to_owned(),
        kind,
        number: number::asked_of(kind, number),
        created_at: now,
        next_poll_at: Some(now),
        failures: 0,
        last_attempted_at: None,
        last_succeeded_at: None,
        last_changed_at: None,
        claim_token: 0,
        asked_by: Some(account),
    };
    let watch = store::watch::find_or_insert(tx, &fresh)?;
    if watch.id != fresh.id {
        // Before it is judged whether it is due: a poll that lets it rest and has not committed is not seen.
        store::watch::lock(tx, watch.id)?;
        store::watch::pull_forward(tx, watch.id, account, now)?;
    }
    Ok(watch)
}

/// The account is held from here on, so that requests that come together cannot pass the cap together. What
/// an accepted bill brings is kept, however many boxes it has.
fn refuse_beyond_plan(tx: &mut Tx, account: AccountId) -> Result<(), RequestRefused> {
    let plan = store::plan::held(tx, account)?;
    let Some(places) = plan.and_then(Plan::active_containers_max) else {
        return Ok(());
    };
    if store::plan::places_taken(&mut tx.account(account))? < places {
        return Ok(());
    }
    Err(RequestRefused::PlanFull { places })
}
