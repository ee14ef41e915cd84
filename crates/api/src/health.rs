//! Live: the loop turns. Ready: a write commits, the store is one of our main key and of a schema that we know, its disk has
//! room, and this machine's clock shows the time by which the service goes.
//!
//! It is a real write, of one row: one that changes nothing would commit on a full disk as well. Whoever asks needs no key, so
//! an answer counts for all who ask within a moment.
//!
//! One row is not all: PostgreSQL writes it into the room of the row before on a disk that has no other left, and has a
//! connection for it when there is none for readers. So a request that the store was away for counts too, for some seconds.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::Response;
use domain::ids::AccountId;
use http::StatusCode;
use jiff::SignedDuration;
use std::sync::atomic::Ordering;
use tokio::time::timeout;
use tracking::clock::OFF_MAX;
use uuid::Uuid;

use crate::answer::{Answer, Media};
use crate::app::App;
use crate::failure::Failure;

/// A commit that takes longer than this counts as none.
const COMMIT_TIMEOUT: Duration = Duration::from_secs(1);
/// How long an answer counts for others who ask.
const COUNTS_FOR: Duration = Duration::from_millis(250);
/// How long a request that was refused for the store's sake counts.
const REFUSED_COUNTS_FOR: Duration = Duration::from_secs(5);

pub(crate) async fn live(State(app): State<App>) -> Response {
    ok(r#"{"status":"live"}"#).respond(&app.request_id(), None)
}

pub(crate) async fn ready(State(app): State<App>) -> Response {
    let request_id = app.request_id();
    let is_away = app.stopping.load(Ordering::Relaxed) || app.has_refused(REFUSED_COUNTS_FOR);
    let answer = if is_away || !stands(&app).await {
        Failure::NotReady.answer(&request_id)
    } else {
        ok(r#"{"status":"ready"}"#)
    };
    answer.respond(&request_id, None)
}

/// What a node lacks that cannot work; told to the operator only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Lack {
    #[error("no write commits within a second")]
    Commit,
    #[error("the main key is not the store's")]
    MainKey,
    #[error("the disk of the store has no more than {free} % free")]
    Room { free: u64 },
    #[error("this machine's clock is more than five seconds off the database's")]
    Clock,
}

async fn stands(app: &App) -> bool {
    let mut last = app.readiness.lock().await;
    if let Some((at, stood)) = *last
        && at.elapsed() < COUNTS_FOR
    {
        return stood.is_ok();
    }
    let stands = looked(app).await;
    let before = last.replace((Instant::now(), stands));
    match (stands, before.and_then(|(_, stood)| stood.err())) {
        (Err(lack), before) if before != Some(lack) => tracing::warn!("not ready: {lack}"),
        (Ok(()), Some(_)) => tracing::info!("ready again"),
        _ => {}
    }
    stands.is_ok()
}

/// What costs nothing is looked at first.
async fn looked(app: &App) -> Result<(), Lack> {
    if let Some(free) = app.tracking.store().free_percent()
        && free < app.settings.free_percent_min
    {
        return Err(Lack::Room { free });
    }
    judge_clock(app.tracking.clock_ahead())?;
    let nobody = AccountId(Uuid::nil());
    let tracking = app.tracking.clone();
    let looking = app
        .tracking
        .store()
        .write(store::Key::account(nobody), move |tx| {
            store::readiness::touch(tx, tracking.now())?;
            let opens = tracking.main_key_opens(tx)?;
            Ok::<_, store::Error>(if opens { Ok(()) } else { Err(Lack::MainKey) })
        });
    match timeout(COMMIT_TIMEOUT, looking).await {
        Ok(Ok(stands)) => stands,
        Ok(Err(_)) | Err(_) => Err(Lack::Commit),
    }
}

/// Nobody else's clock counts where the database is nobody else's.
fn judge_clock(ahead: Option<SignedDuration>) -> Result<(), Lack> {
    match ahead {
        Some(ahead) if ahead.abs() > OFF_MAX => Err(Lack::Clock),
        Some(_) | None => Ok(()),
    }
}

fn ok(text: &'static str) -> Answer {
    Answer::new(StatusCode::OK, Media::Json, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_five_seconds_off_to_either_side() {
        let judged = |seconds| judge_clock(Some(SignedDuration::from_secs(seconds)));
        assert_eq!([0, 5, -5].map(judged), [Ok(()), Ok(()), Ok(())]);
        assert_eq!([6, -6].map(judged), [Err(Lack::Clock), Err(Lack::Clock)]);
        assert_eq!(judge_clock(None), Ok(()));
    }
}
