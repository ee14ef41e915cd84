//! Rows that were stored while only a part of their references and tags counted are found by the whole of them.
//!
//! A migration has listed those that may be concerned. They are looked at in steps and leave the list as they are done, so a stop
//! in between loses nothing, and once the list is empty there is nothing to look at any more. Few of them are to be mended, each
//! in a transaction of its own: by what it is found is many short rows.

use store::Key;
use store::cut_terms::{self, Listed, Step};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use crate::Tracking;

/// Rows looked at in one step.
const STEP_MAX: u32 = 100;

/// Works the list off. An error where the store is away: what was done is done.
pub(super) async fn work_off(
    tracking: &Tracking,
    stop: &CancellationToken,
) -> Result<(), store::Error> {
    let (mut after, mut count) = (None, 0u64);
    while !stop.is_cancelled() {
        let looking = tracking
            .store()
            .read(move |tx| cut_terms::step(tx, after, STEP_MAX));
        let Step { cut, sound, last } = looking.await?;
        let Some(last) = last else { break };
        after = Some(last);
        if !sound.is_empty() {
            let forgetting = tracking
                .store()
                .write(Key::account(last.account), move |tx| {
                    cut_terms::forget(tx, &sound)
                });
            forgetting.await?;
        }
        for listed in cut {
            if stop.is_cancelled() {
                break;
            }
            count += u64::from(is_mended(tracking, listed).await?);
        }
    }
    if count > 0 {
        info!(
            count,
            "rows are found by all of their references and tags from now on"
        );
    }
    Ok(())
}

/// One that cannot be mended keeps no other from it.
async fn is_mended(tracking: &Tracking, listed: Listed) -> Result<bool, store::Error> {
    let Listed { account, kind, row } = listed;
    let mending = tracking.store().write(Key::account(account), move |tx| {
        cut_terms::mend(&mut tx.account(account), kind, row)
    });
    match mending.await {
        Err(error) if !error.is_away() => {
            warn!(?kind, id = %row, %error, "it is found by a part of its references and tags only; the next start tries again");
            Ok(false)
        }
        mended => mended,
    }
}
