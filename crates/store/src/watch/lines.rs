//! Numbers that were never answered, in lines.
//!
//! An import brings thousands of numbers at once, and a carrier may be asked about some of them in a minute. In the order of
//! their times whoever registers one number afterwards, for another account, would wait until all of these were asked about: hours. So
//! each stands in the line of the account that asked for it, and the lines have turns in a ring, one number each. Inside a
//! line the one that is due for longest comes first. A number for which several asked stands where fewer are before it.
//!
//! The ring is found by steps from line to line, never by a walk along what waits.

use std::collections::VecDeque;

use domain::ids::{AccountId, WatchId};
use jiff::Timestamp;
use uuid::Uuid;

use super::{Leasing, Watch, claim_that, line_of};
use crate::{Error, Tx};

/// Steps from line to line in one look at most.
const STEPS_MAX: u32 = 64;
/// So many numbers before another one are counted at most: behind them it does not matter any more.
const COUNTED_MAX: u32 = 1_024;

/// Leases up to `limit` numbers of a source that are due and were never answered, of each line in turn, from the one after
/// `passed`; in the order of the turns.
pub(super) fn claim(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    limit: u32,
    passed: Option<AccountId>,
) -> Result<Vec<Watch>, Error> {
    let mut ring = ring(tx, leasing, limit, passed)?;
    let (mut claimed, mut room) = (Vec::new(), limit);
    while room > 0
        && let Some(line) = ring.pop_front()
    {
        let sharers = u32::try_from(ring.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let wanted = (room / sharers).max(1);
        let given = leasing.given(leasing.now, wanted, Some(line.into()));
        let new_of_line = "and last_succeeded_at is null and asked_by = $7";
        let of_line = claim_that(tx, new_of_line, &given)?;
        let got = u32::try_from(of_line.len()).unwrap_or(wanted).min(wanted);
        room -= got;
        // There may be more of it, behind those of the others.
        if got == wanted {
            ring.push_back(line);
        }
        claimed.extend(of_line);
    }
    Ok(claimed)
}

/// As many lines as are wanted in which a number is due that nobody holds: those behind `passed`, then from the first.
fn ring(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    wanted: u32,
    passed: Option<AccountId>,
) -> Result<VecDeque<Uuid>, Error> {
    let mut ring = VecDeque::new();
    let mut from = passed.map_or(After::Nobody, |passed| After::This(passed.0));
    let mut is_round = passed.is_none();
    while ring.len() < wanted as usize {
        let steps = steps(tx, leasing, from)?;
        let due = steps.iter().filter(|(_, is_due)| *is_due);
        let new: Vec<Uuid> = due
            .map(|(line, _)| *line)
            .filter(|line| !ring.contains(line))
            .collect();
        ring.extend(new);
        let is_behind = |(last, _): &(Uuid, bool)| passed.is_some_and(|passed| *last > passed.0);
        from = match steps.last() {
            Some(last) if is_round && is_behind(last) => break,
            Some((last, _)) if steps.len() >= STEPS_MAX as usize => After::This(*last),
            _ if is_round => break,
            // Behind the last one stands the first.
            _ => {
                is_round = true;
                After::Nobody
            }
        };
    }
    Ok(ring)
}

/// Where steps from line to line begin.
#[derive(Clone, Copy)]
enum After {
    /// With the first.
    Nobody,
    /// Behind this one.
    This(Uuid),
}

/// The next lines of the source in the order of the ring, and whether a number of each is due that nobody holds.
fn steps(tx: &mut Tx, leasing: &Leasing<'_>, after: After) -> Result<Vec<(Uuid, bool)>, Error> {
    let (begins, from) = match after {
        After::Nobody => (">=", Uuid::nil()),
        After::This(line) => (">", line),
    };
    let values = [leasing.source.into(), leasing.now.into(), from.into()];
    tx.query(&lines_after(begins), &values, |row| {
        Ok((row.get("line_of")?, row.get("is_due")?))
    })
}

/// The line in which a number stands that waits for its first answer and for which this account asks, too, from then at the
/// latest; of any other the account's.
pub(super) fn shorter(
    tx: &mut Tx,
    id: WatchId,
    account: AccountId,
    at: Timestamp,
) -> Result<Uuid, Error> {
    let found = super::find(tx, id)?.filter(|watch| watch.last_succeeded_at.is_none());
    let waiting = found.and_then(|watch| Some((watch.next_poll_at?, watch)));
    let Some((due_at, watch)) = waiting else {
        return Ok(account.0);
    };
    let now = line_of(watch.asked_by);
    if now == account.0 {
        return Ok(now);
    }
    let mut before = |line: Uuid| {
        let counted = tx.query_one(
            "select count(*) as before from (
                 select 1 from watches
                 where source = $1 and asked_by = $2 and next_poll_at <= $3 and last_succeeded_at is null
                     and (next_poll_at < $3 or number < $4)
                 limit $5
             ) as those",
            &[
                (&watch.source).into(),
                line.into(),
                due_at.min(at).into(),
                (&watch.number).into(),
                COUNTED_MAX.into(),
            ],
            |row| row.count("before"),
        );
        Ok::<_, Error>(counted?.unwrap_or_default())
    };
    let line = if before(account.0)? <= before(now)? {
        account.0
    } else {
        now
    };
    Ok(line)
}

fn lines_after(begins: &str) -> String {
    format!(
        "with recursive line (line_of, steps) as (
             select (select asked_by from watches
                     where source = $1 and asked_by {begins} $3/*pg ::uuid*/
                         and next_poll_at is not null and last_succeeded_at is null
                     order by source, asked_by, next_poll_at limit 1), 1
             union all
             select (select asked_by from watches
                     where source = $1 and asked_by > line_of
                         and next_poll_at is not null and last_succeeded_at is null
                     order by source, asked_by, next_poll_at limit 1), steps + 1
             from line where line_of is not null and steps < {STEPS_MAX}
         )
         select line_of, exists (
             select 1 from watches
             where source = $1 and asked_by = line_of and next_poll_at <= $2
                 and last_succeeded_at is null and (lease_until is null or lease_until <= $2)
         ) as is_due
         from line where line_of is not null order by steps"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Value;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn lines_are_found_by_steps_and_by_no_walk() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = Store::open(&Settings::new(Database::Sqlite { path })).unwrap();
        for begins in [">", ">="] {
            let plan = store.read(move |tx| {
                let sql = format!("explain query plan {}", lines_after(begins));
                let values = [Value::Null; 3];
                tx.query(&sql, &values, |row| row.get::<String>("detail"))
            });
            let steps: Vec<String> = plan.await.unwrap();
            let of_watches = steps.iter().filter(|step| step.contains("watches"));
            let found: Vec<&String> = of_watches.collect();
            assert_eq!(found.len(), 3, "{steps:?}");
            for step in found {
                assert!(
                    step.contains("watches_due_new (source=? AND asked_by"),
                    "{steps:?}"
                );
            }
        }
    }
}
