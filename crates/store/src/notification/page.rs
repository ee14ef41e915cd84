//! Which notifications a list shows, and the way to them.
//!
//! Of a month there may be millions, and somebody asks for the thirty of one box, or what is open. A list is walked along its
//! index, newest first, and each row on the way is looked at whether it is one of those: quick where most are, and a walk
//! through everything where hardly any is. So where few are to be found another way leads to them:
//!
//! - **Those about a container** by its events. Each notification of it tells of one of these, and by webhook and reference each is
//!   found at once ([`insert`](super::insert) keeps them apart by the same index).
//! - **Those of a webhook** by that index, too, if they are few among all.
//! - **Those that are open** by their deliveries, likewise.
//!
//! Few is what is sooner sorted than met on the walk. To fill a page from `n` among `all` some `all / n` rows are looked at for
//! each that is shown, and the other way all `n`.
//!
//! Nor is what is known counted: each webhook's are [tallied](crate::tally), what is open has a delivery, what has failed stands in
//! an index of its own, and what is neither has succeeded.

use domain::event::EventName;
use domain::ids::{ContainerId, WebhookId};
use domain::webhook::DeliveryStatus;
use uuid::Uuid;

use super::{FAILED, HAS_ENDED, IS_OPEN, NOT_OF_DELETED, NOT_OPEN, Notification, columns, read};
use crate::db::{chunks, placeholders};
use crate::page::{Clauses, Listing, Order, Range};
use crate::tally::{self, List};
use crate::{AccountTx, Error, Page, Slice, webhook};

/// Rows of a page, as its way is chosen.
const SHOWN: i64 = 32;

/// Which notifications to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotificationFilter {
    /// With this status.
    pub status: Option<DeliveryStatus>,
    /// Of this event.
    pub event: Option<EventName>,
    /// For this webhook.
    pub webhook: Option<WebhookId>,
    /// About this container.
    pub container: Option<ContainerId>,
    /// Created at or after, and at or before.
    pub created: Range,
    /// In which order, by time of creation.
    pub order: Order,
}

/// Notifications by time of creation, newest first unless the filter says otherwise.
pub fn page(
    a: &mut AccountTx,
    filter: &NotificationFilter,
    slice: Slice,
) -> Result<Page<Notification>, Error> {
    let all = webhook::ids(a)?;
    let is_asked_for = |id: &&WebhookId| filter.webhook.is_none_or(|one| one == **id);
    let of: Vec<WebhookId> = all.iter().filter(is_asked_for).copied().collect();
    let lengths = Lengths::of(a, filter, &all, &of)?;
    let clauses = lengths.way(filter).clauses(a, filter, &of)?;
    let length = lengths.of_the_list(a, filter, &of)?;
    Listing::of("notifications", &clauses)
        .ordered(filter.order, true)
        .of_length(length)
        .page(a, &columns(), slice, read)
}

/// Whose delivery is open.
const OPEN: &str = "exists (select 1 from deliveries d where d.notification_id = notifications.id)";
/// The same of these webhooks, found by their deliveries.
const BY_DELIVERIES: &str =
    "id in (select notification_id from deliveries where webhook_id in ($))";
/// Those that tell of an event of a container. All that are about it do.
const OF_ITS_EVENTS: &str =
    "reference_id in (select id from events where account_id = {account} and container_id in ($))";

/// The way to what is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// All of the account, from one end.
    Along,
    /// Of these webhooks, by what else is said of them.
    OfFew,
    /// What is open of these webhooks.
    ByDeliveries,
}

impl Way {
    fn clauses<'v>(
        self,
        a: &mut AccountTx,
        filter: &NotificationFilter,
        of: &[WebhookId],
    ) -> Result<Clauses<'v>, Error> {
        let mut clauses = match self {
            Self::Along => {
                let mut clauses = Clauses::new();
                if webhook::has_deleted(a)? {
                    clauses.also(NOT_OF_DELETED);
                }
                clauses.equal("webhook_id", filter.webhook);
                clauses
            }
            Self::OfFew => of_few("webhook_id in ($)", of),
            Self::ByDeliveries => of_few(BY_DELIVERIES, of),
        };
        self.status(&mut clauses, filter.status);
        clauses.equal("event", filter.event.map(EventName::as_str));
        if let Some(container) = filter.container {
            clauses.any_id(OF_ITS_EVENTS, &[container.0]);
        }
        clauses.equal("container_id", filter.container);
        clauses.between("created_at", filter.created);
        Ok(clauses)
    }

    /// Of few the delivery is looked up for each: for `exists` PostgreSQL may read all that are open, for each.
    fn status(self, clauses: &mut Clauses<'_>, status: Option<DeliveryStatus>) {
        let (is_open, has_ended) = match self {
            Self::Along => (Some(OPEN), NOT_OPEN),
            Self::OfFew => (Some(IS_OPEN), HAS_ENDED),
            Self::ByDeliveries => (None, HAS_ENDED),
        };
        let is = match status {
            None => return,
            Some(DeliveryStatus::Pending) => is_open,
            Some(DeliveryStatus::Failed) => Some(FAILED),
            Some(DeliveryStatus::Succeeded) => Some("status = 'succeeded'"),
        };
        if let Some(is) = is {
            clauses.also(is);
        }
        if status != Some(DeliveryStatus::Pending) {
            clauses.also(has_ended);
        }
    }
}

fn of_few<'v>(condition: &'static str, of: &[WebhookId]) -> Clauses<'v> {
    let of: Vec<Uuid> = of.iter().map(|webhook| webhook.0).collect();
    let mut clauses = Clauses::of_few();
    clauses.any_id(condition, &of);
    clauses
}

/// How many there are.
struct Lengths {
    /// Of the account.
    all: i64,
    /// Of the webhooks that are asked for.
    of: i64,
    /// Open ones of these, where they are.
    open: Option<i64>,
}

impl Lengths {
    fn of(
        a: &mut AccountTx,
        filter: &NotificationFilter,
        all: &[WebhookId],
        of: &[WebhookId],
    ) -> Result<Self, Error> {
        let whole = tally::lengths(a, &lists(all))?;
        let part = match filter.webhook {
            Some(_) => tally::lengths(a, &lists(of))?,
            None => whole,
        };
        let are_asked_for = filter.status == Some(DeliveryStatus::Pending);
        Ok(Self {
            all: whole,
            of: part,
            open: are_asked_for.then(|| open(a, of)).transpose()?,
        })
    }

    fn way(&self, filter: &NotificationFilter) -> Way {
        if filter.container.is_some() {
            Way::OfFew
        } else if self.open.is_some_and(|open| self.are_few(open)) {
            Way::ByDeliveries
        } else if filter.webhook.is_some() && self.are_few(self.of) {
            Way::OfFew
        } else {
            Way::Along
        }
    }

    fn are_few(&self, found: i64) -> bool {
        found.saturating_mul(found) <= self.all.saturating_mul(SHOWN)
    }

    /// The length of the list, where that is known without counting it.
    fn of_the_list(
        &self,
        a: &mut AccountTx,
        filter: &NotificationFilter,
        of: &[WebhookId],
    ) -> Result<Option<i64>, Error> {
        let is_whole = filter.event.is_none()
            && filter.container.is_none()
            && filter.created == Range::default();
        if !is_whole {
            return Ok(None);
        }
        Ok(match filter.status {
            None => Some(self.of),
            Some(DeliveryStatus::Pending) => self.open,
            Some(DeliveryStatus::Succeeded) => Some(self.of - open(a, of)? - failed(a, of)?),
            // It is counted in the index of just those.
            Some(DeliveryStatus::Failed) => None,
        })
    }
}

fn lists(webhooks: &[WebhookId]) -> Vec<List> {
    webhooks.iter().copied().map(List::Notifications).collect()
}

/// How many deliveries of these webhooks, which are the account's, are open.
fn open(a: &mut AccountTx, webhooks: &[WebhookId]) -> Result<i64, Error> {
    let mut open = 0;
    for ids in chunks(webhooks) {
        let places = placeholders(1, ids.len());
        let counted = a.tx().query_one(
            &format!("select count(*) as open from deliveries where webhook_id in ({places})"),
            &ids,
            |row| row.get::<i64>("open"),
        )?;
        open += counted.unwrap_or(0);
    }
    Ok(open)
}

/// How many of these webhooks have failed.
fn failed(a: &mut AccountTx, webhooks: &[WebhookId]) -> Result<i64, Error> {
    let mut failed = 0;
    for ids in chunks(webhooks) {
        let places = placeholders(2, ids.len());
        let counted = a.query_one(
            &format!(
                "select count(*) as failed from notifications
                 where account_id = $1 and {FAILED} and {NOT_OPEN} and webhook_id in ({places})"
            ),
            &ids,
            |row| row.get::<i64>("failed"),
        )?;
        failed += counted.unwrap_or(0);
    }
    Ok(failed)
}

#[cfg(test)]
mod tests {
    use domain::ids::AccountId;

    use super::*;
    use crate::db::Value;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn few_are_found_without_a_look_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        let id = Uuid::from_u128(1);
        let open = Some(DeliveryStatus::Pending);
        for (way, container, status, by) in [
            (
                Way::OfFew,
                Some(id),
                None,
                "notifications_once (webhook_id=? AND reference_id=?)",
            ),
            (
                Way::OfFew,
                Some(id),
                open,
                "notifications_once (webhook_id=? AND reference_id=?)",
            ),
            (Way::OfFew, None, None, "notifications_once (webhook_id=?)"),
            (
                Way::ByDeliveries,
                None,
                open,
                "deliveries_in_order (webhook_id=?)",
            ),
        ] {
            let filter = NotificationFilter {
                container: container.map(ContainerId),
                status,
                ..NotificationFilter::default()
            };
            let plan = store.read(move |tx| {
                let mut a = tx.account(AccountId(id));
                let clauses = way.clauses(&mut a, &filter, &[WebhookId(id), WebhookId(id)])?;
                let (text, count) = clauses.text();
                let sql = format!(
                    "explain query plan select id from notifications where {text}
                     order by created_at desc, id desc limit 31"
                );
                let values = vec![Value::Null; count];
                tx.query(&sql, &values, |row| row.get::<String>("detail"))
            });
            let steps = plan.await.unwrap();
            assert!(steps.iter().any(|step| step.contains(by)), "{steps:?}");
            let is_walk = |step: &String| step.contains("notifications_listed");
            assert!(!steps.iter().any(is_walk), "{steps:?}");
        }
    }
}
