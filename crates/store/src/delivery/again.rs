//! Delivering again what was delivered, or given up, before.
//!
//! The notification stays what it is: its id, its body, its attempts. It gets a row in `deliveries` once more,
//! with a schedule that begins anew; attempts go on being counted from where they stood. Two things need care:
//!
//! - A result counts only under the token of its claim. A fresh row would begin with a token that an attempt of
//!   the earlier row may still hold, so the first token of a row that is made again is the time, which no number
//!   of claims comes near.
//! - A line has one head. A row that came before the head of its line would be a second one while that is being
//!   attempted. So what is made again goes behind all that is open in its line ([`tails`]).

use std::collections::{HashMap, HashSet};

use domain::ids::{NotificationId, WebhookId};
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use uuid::Uuid;

use super::restart::pull_forward;
use crate::db::{Value, pieces, placeholders, rows_of_values};
use crate::notification::OrderKey;
use crate::{AccountTx, Error};

/// What is to be delivered again, and where in its line.
pub type Again = (NotificationId, WebhookId, OrderKey);

/// The last sequence of each of these lines of a webhook that has open deliveries.
pub fn tails(
    a: &mut AccountTx,
    webhook: WebhookId,
    keys: &[Uuid],
) -> Result<HashMap<Uuid, i64>, Error> {
    let mut tails = HashMap::new();
    for piece in pieces(keys) {
        let mut values = vec![webhook.into()];
        values.extend(piece.iter().map(|key| Value::Id(*key)));
        let places = placeholders(3, piece.len());
        tails.extend(a.query(
            &format!(
                "select order_key, max(sequence) as tail from deliveries
                 where account_id = $1 and webhook_id = $2 and order_key in ({places})
                 group by order_key"
            ),
            &values,
            |row| Ok((row.get::<Uuid>("order_key")?, row.get::<i64>("tail")?)),
        )?);
    }
    Ok(tails)
}

/// How many deliveries to a webhook of the account are open; no more than `most` are counted. Whose the webhook is knows who
/// asks: the account stands in no index, and to read it in each row costs sixteen times as much as to count them.
pub fn open_of(a: &mut AccountTx, webhook: WebhookId, most: u32) -> Result<u32, Error> {
    let count = a.tx().query_one(
        "select count(*) as open from (
             select 1 from deliveries where webhook_id = $1 limit $2
         ) as first",
        &[webhook.into(), most.into()],
        |row| row.count("open"),
    )?;
    Ok(count.unwrap_or_default())
}

/// Makes deliveries of these notifications due. One that is open already begins its schedule anew and is due at
/// once, unless it is being attempted or waits in line; the others go where their order key says.
pub fn again(a: &mut AccountTx, all: &[Again], now: Timestamp) -> Result<(), Error> {
    // All lock in one order.
    let mut all = all.to_vec();
    all.sort_unstable_by_key(|(id, ..)| *id);
    for piece in pieces(&all) {
        let ids: Vec<NotificationId> = piece.iter().map(|(id, ..)| *id).collect();
        let open: HashSet<NotificationId> = pull_forward(a, &ids, now)?.into_iter().collect();
        let closed: Vec<&Again> = piece.iter().filter(|(id, ..)| !open.contains(id)).collect();
        if !closed.is_empty() {
            reopen(a, &closed, now)?;
        }
    }
    Ok(())
}

/// Makes a delivery of this notification due, and what waits for another try before it in its line: that may be hours, and who asks
/// for this one says that the receiver is there. Both begin their schedules anew: no try of theirs is spent by asking. What is being
/// attempted, and goes wrong, is tried again at once.
pub fn again_now(a: &mut AccountTx, one: &Again, now: Timestamp) -> Result<(), Error> {
    let (id, webhook, order) = one;
    let mut line: Vec<NotificationId> = a.query(
        "select notification_id from deliveries
         where account_id = $1 and webhook_id = $2 and order_key = $3 and due_at is not null
             and (due_at > $4 or attempts > 0 or lease_owner is not null)",
        &[(*webhook).into(), Value::Id(order.key), now.into()],
        |row| row.id("notification_id"),
    )?;
    // With this one, so that all are locked in the order in which everybody does.
    if !line.contains(id) {
        line.push(*id);
    }
    if !pull_forward(a, &line, now)?.contains(id) {
        reopen(a, &[one], now)?;
    }
    Ok(())
}

fn reopen(a: &mut AccountTx, closed: &[&Again], now: Timestamp) -> Result<(), Error> {
    let ids: Vec<Value<'_>> = closed.iter().map(|(id, ..)| Value::from(*id)).collect();
    let mut values = vec![DeliveryStatus::Pending.as_str().into()];
    values.extend(&ids);
    let places = placeholders(3, ids.len());
    a.execute(
        &format!("update notifications set status = $2 where account_id = $1 and id in ({places})"),
        &values,
    )?;
    let mut values = vec![now.into(), Value::Int(now.as_microsecond())];
    values.extend(closed.iter().flat_map(|(id, webhook, order)| {
        [
            Value::from(*id),
            Value::from(*webhook),
            Value::Id(order.key),
            order.sequence.into(),
        ]
    }));
    let rows = rows_of_values(4, closed.len(), &["uuid", "uuid", "uuid", "bigint"]);
    a.execute(
        &format!(
            "with one (one_id, one_webhook, one_key, one_sequence) as (values {rows})
             insert into deliveries (account_id, notification_id, webhook_id, order_key, sequence,
                 due_at, attempts, refusals, claim_token, attempts_before)
             select $1/*pg ::uuid*/, one_id, one_webhook, one_key, one_sequence,
                 $2/*pg ::timestamptz*/, 0, 0, $3/*pg ::bigint*/,
                 coalesce((select max(number) from attempts where notification_id = one_id), 0)
             from one join notifications n on n.id = one_id and n.account_id = $1
             where true
             on conflict (notification_id) do nothing"
        ),
        &values,
    )?;
    Ok(())
}
