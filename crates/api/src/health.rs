//! Live: the loop turns. Ready: a write commits, and the store is one of our main key.
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
use std::sync::atomic::Ordering;
use tokio::time::timeout;
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

async fn stands(app: &App) -> bool {
    let mut last = app.readiness.lock().await;
    if let Some((at, stood)) = *last
        && at.elapsed() < COUNTS_FOR
    {
        return stood;
    }
    let stood = writes(app).await;
    *last = Some((Instant::now(), stood));
    stood
}

async fn writes(app: &App) -> bool {
    let nobody = AccountId(Uuid::nil());
    let tracking = app.tracking.clone();
    let looked = app
        .tracking
        .store()
        .write(store::Key::account(nobody), move |tx| {
            store::readiness::touch(tx, tracking.now())?;
            tracking.main_key_opens(tx)
        });
    matches!(timeout(COMMIT_TIMEOUT, looked).await, Ok(Ok(true)))
}

fn ok(text: &'static str) -> Answer {
    Answer::new(StatusCode::OK, Media::Json, text)
}
