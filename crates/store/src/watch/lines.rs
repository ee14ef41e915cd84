//! Numbers that were never answered, in lines.
//!
//! An import brings thousands of numbers at once, and a carrier may be asked about some of them in a minute. In the order of
//! their times whoever registers one number afterwards, for another account, would wait until all of these were asked about: hours. So
//! each stands in the line of the account that asked for it last, and the lines have turns in a ring, one number each. Inside a
//! line the one that is due for longest comes first.
//!
//! The ring is found by steps from line to line, never by a walk along what waits.

use std::collections::VecDeque;

use domain::ids::AccountId;
use uuid::Uuid;

use super::{Leasing, Watch, claim_that};

use crate::{Error, Tx};

/// Steps from line to line in one look at most.
const STEPS_MAX: u32 = 1_024;

/// Leases up to `limit` numbers of a source that are due and were never answered, of each line in turn, from the one after
/// `passed`. Which line was the last, in `passed`.
pub(super) fn claim(
    tx: &mut Tx,
    leasing: &Leasing<'_>,
    limit: u32,
    passed: &mut Option<AccountId>,
) -> Result<Vec<Watch>, Error> {
    let mut ring = VecDeque::new();
    if let Some(passed) = passed {
        ring = lines(tx, leasing, After::This(passed.0))?;
    }
    // Behind the last one stands the first.
    if ring.len() < limit as usize {
        let all = lines(tx, leasing, After::Nobody)?;
        let others: Vec<Uuid> = all
            .into_iter()
            .filter(|line| !ring.contains(line))
            .collect();
        ring.extend(others);
    }
    let (mut claimed, mut room) = (Vec::new(), limit);
    while room > 0
        && let Some(line) = ring.pop_front()
    {
        let sharers = u32::try_from(ring.len())
            .unwrap_or(u32::MAX)
            .saturating_add(1);
        let wanted = (room / sharers).max(1);
        let given = leasing.given(wanted, &[line.into()]);
        let new_of_line = "and last_succeeded_at is null and asked_by = $7";
        let of_line = claim_that(tx, new_of_line, &given)?;
        let got = u32::try_from(of_line.len()).unwrap_or(wanted).min(wanted);
        room -= got;
        if got > 0 {
            *passed = Some(AccountId(line));
        }
        // There may be more of it, behind those of the others.
        if got == wanted {
            ring.push_back(line);
        }
        claimed.extend(of_line);
    }
    Ok(claimed)
}

/// Where a look at the lines begins.
#[derive(Clone, Copy)]
enum After {
    /// With the first.
    Nobody,
    /// Behind this one.
    This(Uuid),
}

/// Lines of the source in which a number is due that nobody holds, in the order of the ring.
fn lines(tx: &mut Tx, leasing: &Leasing<'_>, after: After) -> Result<VecDeque<Uuid>, Error> {
    let (begins, from) = match after {
        After::Nobody => (">=", Uuid::nil()),
        After::This(line) => (">", line),
    };
    let values = [leasing.source.into(), leasing.now.into(), from.into()];
    let found = tx.query(&lines_after(begins), &values, |row| row.get("line_of"))?;
    Ok(found.into())
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
         select line_of from line where line_of is not null and exists (
             select 1 from watches
             where source = $1 and asked_by = line_of and next_poll_at <= $2
                 and last_succeeded_at is null and (lease_until is null or lease_until <= $2)
         )"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::Value;
    use crate::{Database, Settings, Store};

    #[tokio::test(flavor = "multi_thread")]
    async fn lines_are_found_by_steps_and_nothing_is_sorted() {
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
            assert!(
                !steps.iter().any(|step| step.contains("TEMP B-TREE")),
                "{steps:?}"
            );
        }
    }
}
