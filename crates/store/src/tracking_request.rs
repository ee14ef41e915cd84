//! Requests to track a number.

use domain::codes::Scac;
use domain::ids::{AccountId, CustomFieldId, PartyId, ShipmentId, TrackingRequestId, WatchId};
use domain::infer::Tracked;
use domain::tracking_request::{FailedReason, NumberKind, Progress, RequestStatus};
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value};
use crate::page::{By, Clauses, Listing, Order, Range};
use crate::tally::List;
use crate::terms::{self, Kind, Stretch};
use crate::{AccountTx, Error, Listed, Page, Slice, Tx, mirror};

/// A request with its rendered document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrackingRequest {
    /// Its id.
    pub id: TrackingRequestId,
    /// The number as asked for.
    pub number: String,
    /// The line; `None` until inferred.
    pub scac: Option<Scac>,
    /// Whether the line is to be inferred.
    pub auto_detect: bool,
    /// Where it stands.
    pub progress: Progress,
    /// The watch that answers it.
    pub watch: Option<WatchId>,
    /// The docket of its number: what is said about it unasked.
    pub docket: Option<WatchId>,
    /// The shipment that came of it.
    pub shipment: Option<ShipmentId>,
    /// The client's references.
    pub ref_numbers: Vec<String>,
    /// The client's tags.
    pub tags: Vec<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Rises by one with each change.
    pub version: i64,
    /// The customer among the account's parties.
    pub customer: Option<PartyId>,
    /// The custom fields that are set, in the order in which they were first set.
    pub custom_fields: Vec<CustomFieldId>,
    /// The resource object as JSON text.
    pub document: String,
}

/// Which requests to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RequestFilter {
    /// Any of these; empty: any.
    pub statuses: Vec<RequestStatus>,
    /// Any of these numbers.
    pub numbers: Vec<String>,
    /// This line.
    pub scac: Option<Scac>,
    /// This kind of number.
    pub kind: Option<NumberKind>,
    /// Created at or after, and at or before.
    pub created: Range,
    /// Changed at or after, and at or before.
    pub updated: Range,
    /// Part of the number or of a reference.
    pub q: Option<String>,
    /// Of any of these customers; `Some` of none: no request at all.
    pub customers: Option<Vec<PartyId>>,
    /// In which order.
    pub order: Order,
}

/// Adds a request. Conflict when an open one for the same number and line exists.
pub fn insert(a: &mut AccountTx, request: &TrackingRequest) -> Result<(), Error> {
    let texts = Texts::of(request)?;
    a.execute(
        "insert into tracking_requests (account_id, id, number, scac, auto_detect, kind, status,
             failed_reason, is_retrying, retry_count, watch_id, shipment_id, ref_numbers, tags,
             updated_at, version, customer_id, custom_field_ids, document, sought,
             docket_id, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
             $19, $20, $21, $22)",
        &texts.values(request, Some(request.progress.created_at)),
    )?;
    a.count(List::TrackingRequests, 1);
    a.found_by(Kind::TrackingRequest, request.id.0, &texts.sought);
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such request.
pub fn update(a: &mut AccountTx, request: &TrackingRequest) -> Result<bool, Error> {
    let texts = Texts::of(request)?;
    let before = a.returning(
        "update tracking_requests set number = $3, scac = $4, auto_detect = $5, kind = $6,
             status = $7, failed_reason = $8, is_retrying = $9, retry_count = $10, watch_id = $11,
             shipment_id = $12, ref_numbers = $13, tags = $14, updated_at = $15, version = $16,
             customer_id = $17, custom_field_ids = $18, document = $19,
             sought_before = sought, sought = $20, docket_id = $21
         where account_id = $1 and id = $2
         returning sought_before",
        &texts.values(request, None),
        |row| row.get::<String>("sought_before"),
    )?;
    for before in &before {
        a.found_anew(Kind::TrackingRequest, request.id.0, before, &texts.sought);
    }
    Ok(!before.is_empty())
}

/// The request with this id.
pub fn find(a: &mut AccountTx, id: TrackingRequestId) -> Result<Option<TrackingRequest>, Error> {
    a.query_one(
        &format!("select {COLUMNS} from tracking_requests where account_id = $1 and id = $2"),
        &[id.into()],
        read,
    )
}

/// The open request for this number and line, however the number is written: whatever is filed under the same docket is the
/// same number.
pub fn find_open(
    a: &mut AccountTx,
    number: &str,
    docket: Option<WatchId>,
    scac: Option<Scac>,
) -> Result<Option<TrackingRequest>, Error> {
    let scac = scac.as_ref().map_or("", Scac::as_str);
    let open = "account_id = $1 and coalesce(scac, '') = $3
                 and status in ('pending', 'awaiting_manifest', 'succeeded')";
    // Two looks, each along its index: for both at once PostgreSQL went through all open requests of the account.
    let found = a.query(
        &format!(
            "with filed as materialized (select {COLUMNS} from tracking_requests where docket_id = $4)
             select {COLUMNS} from tracking_requests where number = $2 and {open}
             union all
             select {COLUMNS} from filed where {open}"
        ),
        &[number.into(), scac.into(), docket.into()],
        read,
    )?;
    Ok(found.into_iter().min_by_key(|request| request.id.0))
}

/// As what the account's requests that are filed under these dockets were submitted, each writing once; `most` at most.
pub fn writings(a: &mut AccountTx, dockets: &[WatchId], most: u32) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for docket in dockets {
        // The account's own are sought among those of the docket: for both at once a planner may go through all of the account.
        found.extend(a.query(
            "with filed as materialized (
                 select account_id as of, number from tracking_requests where docket_id = $2
             )
             select distinct number from filed where of = $1 order by number limit $3",
            &[(*docket).into(), most.into()],
            |row| row.get::<String>("number"),
        )?);
    }
    Ok(found)
}

/// All requests that a watch answers, of all accounts, locked, in id order.
pub fn of_watch(tx: &mut Tx, watch: WatchId) -> Result<Vec<(AccountId, TrackingRequest)>, Error> {
    tx.locking(
        &format!(
            "select {COLUMNS} from tracking_requests where watch_id = $1 order by id
             /*pg for update*/"
        ),
        &[watch.into()],
        read_with_account,
    )
}

/// The request with this id, locked until the end of the transaction.
pub fn lock(a: &mut AccountTx, id: TrackingRequestId) -> Result<Option<TrackingRequest>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from tracking_requests where account_id = $1 and id = $2
             /*pg for update*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// The requests that led to a shipment, locked, oldest first. By no column that has an index: SQLite would go through all requests of
/// the account in that order, to save itself sorting one or two.
pub fn of_shipment(a: &mut AccountTx, shipment: ShipmentId) -> Result<Vec<TrackingRequest>, Error> {
    a.locking(&led_to(), &[shipment.into()], read)
}

fn led_to() -> String {
    format!(
        "select {COLUMNS} from tracking_requests where account_id = $1 and shipment_id = $2
         order by coalesce(created_at, created_at), id /*pg for update*/"
    )
}

/// Requests still pending or awaiting a manifest that were created before `created_before`, oldest first.
pub fn overdue(
    tx: &mut Tx,
    created_before: Timestamp,
    limit: u32,
) -> Result<Vec<(AccountId, TrackingRequest)>, Error> {
    tx.query(
        &format!(
            "select {COLUMNS} from tracking_requests
             where status in ('pending', 'awaiting_manifest') and created_at < $1
             order by created_at, id limit $2"
        ),
        &[created_before.into(), limit.into()],
        read_with_account,
    )
}

/// Numbers that begin like this, with the line that knew them, newest of each number first.
pub fn history(a: &mut AccountTx, prefix: &str, limit: u32) -> Result<Vec<Tracked>, Error> {
    // Behind everything that begins like this: a database may order letters by a language.
    let end = format!("{prefix}\u{10fffd}");
    a.query(
        "select number, scac from tracking_requests
         where account_id = $1 and number >= $2 and number < $3 and scac is not null
             and status in ('succeeded', 'tracking_stopped')
         order by number, created_at desc, id desc limit $4",
        &[prefix.into(), end.as_str().into(), limit.into()],
        |row| {
            Ok(Tracked {
                number: row.get("number")?,
                scac: row.parsed("scac", |text| Scac::parse(text).ok())?,
            })
        },
    )
}

/// Requests of the account whose line is still to be found, longest untouched first, behind the one that changed last then
/// and has this id. One that met trouble waits: the first [`SOON_TRIES_MAX`] times until it was last tried before `soon`, then
/// before `later`. One that was tried behind `now`, by a clock that was ahead, does not wait for that.
pub fn undetected(
    a: &mut AccountTx,
    now: Timestamp,
    soon: Timestamp,
    later: Timestamp,
    after: Option<(Timestamp, TrackingRequestId)>,
    limit: u32,
) -> Result<Vec<TrackingRequest>, Error> {
    let (touched, id) = after.unwrap_or((Timestamp::UNIX_EPOCH, Uuid::nil().into()));
    a.query(
        &format!(
            "select {COLUMNS} from tracking_requests
             where account_id = $1 and status = 'pending' and scac is null and auto_detect
                 and (updated_at, id) > ($6, $7)
                 and (retry_count = 0 or updated_at <= $3 or updated_at > $8
                     or (retry_count <= $4 and updated_at <= $2))
             order by updated_at, id limit $5"
        ),
        &[
            soon.into(),
            later.into(),
            SOON_TRIES_MAX.into(),
            limit.into(),
            touched.into(),
            id.into(),
            now.into(),
        ],
        read,
    )
}

/// The next accounts behind this one, by id, with a request whose line is to be found, be it that it waits. Found by steps
/// from account to account, never by a walk along what waits.
pub fn seekers(tx: &mut Tx, after: Option<AccountId>, limit: u32) -> Result<Vec<AccountId>, Error> {
    let after = after.map_or_else(Uuid::nil, |after| after.0);
    let found = tx.query(SEEKERS, &[after.into(), limit.into()], |row| {
        row.get::<Option<Uuid>>("seeker")
    });
    // The last step finds nobody.
    Ok(found?.into_iter().flatten().map(AccountId).collect())
}

const SEEKERS: &str = "with recursive line (seeker, steps) as (
        select (select account_id from tracking_requests
                where status = 'pending' and scac is null and auto_detect and account_id > $1/*pg ::uuid*/
                order by account_id, updated_at, id limit 1), 1
        union all
        select (select account_id from tracking_requests
                where status = 'pending' and scac is null and auto_detect and account_id > seeker
                order by account_id, updated_at, id limit 1), steps + 1
        from line where seeker is not null and steps < $2/*pg ::bigint*/
    )
    select seeker from line order by steps";

/// Tries to find a line that follow each other soon.
pub const SOON_TRIES_MAX: u32 = 3;

/// Requests, newest first unless the filter says otherwise.
pub fn page(
    a: &mut AccountTx,
    filter: &RequestFilter,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    let statuses: Vec<&str> = filter
        .statuses
        .iter()
        .map(|status| status.as_str())
        .collect();
    let sought = filter.q.as_deref().map(Stretch::containing);
    let walked = filter.asks_only_its_order();
    let mut clauses = Clauses::new();
    clauses.any_of("(status || '')", &statuses);
    let numbers: Vec<&str> = filter.numbers.iter().map(String::as_str).collect();
    clauses.any_of("number", &numbers);
    clauses.equal("scac", filter.scac.as_ref().map(Scac::as_str));
    clauses.equal("kind", filter.kind.map(NumberKind::as_str));
    clauses.between("created_at", filter.created);
    let updated = if walked {
        "updated_at"
    } else {
        "coalesce(updated_at, updated_at)"
    };
    clauses.between(updated, filter.updated);
    if let Some(customers) = &filter.customers {
        let ids: Vec<_> = customers.iter().map(|party| party.0).collect();
        clauses.any_id("customer_id in ($)", &ids);
    }
    if let Some(sought) = &sought {
        clauses.found_by(TERMS_OF_REQUESTS, sought.as_slice());
    }
    Listing::of("tracking_requests", &clauses)
        .ordered(filter.order, walked)
        .kept(List::TrackingRequests)
        .documents(a, slice)
}

const TERMS_OF_REQUESTS: &str = "id in (select t.row_id from terms t where t.account_id = {account}
    and t.term >= {from} and t.term < {before} and t.kind = 2)";

impl RequestFilter {
    /// Whether nothing is asked beyond a range of what the list is ordered by.
    fn asks_only_its_order(&self) -> bool {
        let mut only = Self {
            order: self.order,
            ..Self::default()
        };
        match self.order.by {
            By::CreatedAt => only.created = self.created,
            By::UpdatedAt => only.updated = self.updated,
            By::PickupLfd | By::Number => {}
        }
        *self == only
    }
}

/// The documents of these requests, in the order of the ids; unknown ids are left out.
pub fn documents(a: &mut AccountTx, ids: &[TrackingRequestId]) -> Result<Vec<Listed>, Error> {
    crate::page::documents(a, "tracking_requests", ids.iter().map(|id| id.0))
}

const COLUMNS: &str = "account_id, id, number, scac, auto_detect, kind, status, failed_reason, \
    is_retrying, retry_count, watch_id, shipment_id, ref_numbers, tags, created_at, updated_at, \
    version, customer_id, custom_field_ids, document, docket_id";

/// What is written as JSON text.
struct Texts {
    sought: terms::Texts,
    ref_numbers: String,
    tags: String,
    custom_fields: String,
}

impl Texts {
    fn of(request: &TrackingRequest) -> Result<Self, Error> {
        Ok(Self {
            sought: terms::Texts::of(&request.number, &request.ref_numbers, &[]),
            ref_numbers: mirror::text(&request.ref_numbers)?,
            tags: mirror::text(&request.tags)?,
            custom_fields: mirror::text(&request.custom_fields)?,
        })
    }

    /// From `$2`; the time of creation, when it is written, is the last.
    fn values<'v>(
        &'v self,
        request: &'v TrackingRequest,
        created_at: Option<Timestamp>,
    ) -> Vec<Value<'v>> {
        let progress = &request.progress;
        let mut values = vec![
            request.id.into(),
            (&request.number).into(),
            request.scac.as_ref().map(Scac::as_str).into(),
            request.auto_detect.into(),
            progress.kind.as_str().into(),
            progress.status.as_str().into(),
            progress.failed_reason.map(FailedReason::as_str).into(),
            progress.is_retrying.into(),
            progress.retry_count.into(),
            request.watch.into(),
            request.shipment.into(),
            (&self.ref_numbers).into(),
            (&self.tags).into(),
            request.updated_at.into(),
            request.version.into(),
            request.customer.into(),
            (&self.custom_fields).into(),
            (&request.document).into(),
            self.sought.as_str().into(),
            request.docket.into(),
        ];
        values.extend(created_at.map(Value::from));
        values
    }
}

fn read_with_account(row: &Row<'_>) -> Result<(AccountId, TrackingRequest), Error> {
    Ok((row.id("account_id")?, read(row)?))
}

fn read(row: &Row<'_>) -> Result<TrackingRequest, Error> {
    Ok(TrackingRequest {
        id: row.id("id")?,
        number: row.get("number")?,
        scac: row.optional_parsed("scac", |text| Scac::parse(text).ok())?,
        auto_detect: row.get("auto_detect")?,
        progress: Progress {
            kind: row.parsed("kind", NumberKind::parse)?,
            status: row.parsed("status", RequestStatus::parse)?,
            failed_reason: row.optional_parsed("failed_reason", FailedReason::parse)?,
            is_retrying: row.get("is_retrying")?,
            retry_count: row.count("retry_count")?,
            created_at: row.get("created_at")?,
        },
        watch: row.optional_id("watch_id")?,
        docket: row.optional_id("docket_id")?,
        shipment: row.optional_id("shipment_id")?,
        ref_numbers: row.mirrored("ref_numbers")?,
        tags: row.mirrored("tags")?,
        updated_at: row.get("updated_at")?,
        version: row.get("version")?,
        customer: row.optional_id("customer_id")?,
        custom_fields: row.mirrored("custom_field_ids")?,
        document: row.get("document")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn the_requests_of_a_shipment_are_looked_up_by_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let plan = store.read(|tx| {
            let sql = format!("explain query plan {}", led_to());
            let nobody = [Value::Null, Value::Null];
            tx.query(&sql, &nobody, |row| row.get::<String>("detail"))
        });
        let steps: Vec<String> = plan.await.unwrap();
        let by_shipment = |step: &String| step.contains("tracking_requests_by_shipment");
        assert!(steps.iter().any(by_shipment), "{steps:?}");
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_seeks_a_line_is_found_by_steps_and_by_no_walk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let plan = store.read(|tx| {
            let sql = format!("explain query plan {SEEKERS}");
            tx.query(&sql, &[Value::Null, Value::Null], |row| {
                row.get::<String>("detail")
            })
        });
        let steps: Vec<String> = plan.await.unwrap();
        let found: Vec<&String> = steps
            .iter()
            .filter(|step| step.contains("tracking_requests"))
            .collect();
        assert_eq!(found.len(), 2, "{steps:?}");
        for step in found {
            let by_step = step.contains("tracking_requests_undetected (account_id>?");
            assert!(by_step, "{steps:?}");
        }
    }
}
