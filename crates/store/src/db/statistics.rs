//! What PostgreSQL knows of tables that grow fast.
//!
//! Its plans go by the statistics of a table, which autovacuum renews once a minute at best. Until then a table that was
//! empty a moment ago is taken for one of a few rows, whichever index is used costs the same, and statements walk through all
//! rows of an account for one: whoever registers ten thousand numbers on a new database waits for that. So a thread of its
//! own, with a connection of its own, looks every few seconds which tables have doubled since their statistics were made,
//! and has these made anew. A table does that some twenty times on its way to a million rows, so that it costs next to
//! nothing; what shrinks, or stays as long as it is, is left to autovacuum.
//!
//! Nothing depends on it: where it fails only a plan is worse. It waits for nobody who has locked a table, and whoever wants
//! to lock one waits for it no longer than its limit.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::{Duration, Instant};

use postgres::Client;

use super::postgres::Connector;
use crate::Error;

/// Between two looks.
const EVERY: Duration = Duration::from_secs(5);
/// Tables that have doubled, of those that we may analyze. Of a few rows all plans are good.
const DOUBLED: &str = "select format('%I.%I', t.schemaname, t.relname) as name
    from pg_stat_user_tables t join pg_class c on c.oid = t.relid
    where t.schemaname = current_schema() and pg_has_role(c.relowner, 'usage')
        and t.n_live_tup > 300 and t.n_live_tup > 2 * c.reltuples
    order by t.n_live_tup";
/// A table that takes longer, on a slow disk, is left to autovacuum.
const LIMITS: &str = "set statement_timeout = '1s'";
/// For so long, since autovacuum leaves alone what is analyzed just then.
const LEFT_FOR: Duration = Duration::from_mins(10);

/// Until the other end of `closed` is dropped.
pub(super) fn serve(connector: &Connector, closed: &Receiver<()>) {
    let mut client = None;
    let mut left: HashMap<String, Instant> = HashMap::new();
    while closed.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
        left.retain(|_, since| since.elapsed() < LEFT_FOR);
        if let Err(error) = renew(connector, &mut client, &mut left, closed) {
            tracing::debug!(%error, "statistics of tables were not renewed");
            client = None;
        }
    }
}

fn renew(
    connector: &Connector,
    client: &mut Option<Client>,
    left: &mut HashMap<String, Instant>,
    closed: &Receiver<()>,
) -> Result<(), Error> {
    let client = if let Some(client) = client {
        client
    } else {
        let mut fresh = connector.bare()?;
        fresh.batch_execute(LIMITS)?;
        client.insert(fresh)
    };
    for table in client.query(DOUBLED, &[])? {
        if closed.try_recv() != Err(TryRecvError::Empty) {
            break;
        }
        let table: String = table.try_get("name")?;
        if left.contains_key(&table) {
            continue;
        }
        // What keeps one from it keeps it from no other.
        if let Err(error) = client.batch_execute(&format!("analyze (skip_locked) {table}")) {
            tracing::debug!(%table, %error, "the statistics of a table were not renewed");
            if client.is_closed() {
                return Err(error.into());
            }
            left.insert(table, Instant::now());
        }
    }
    Ok(())
}
