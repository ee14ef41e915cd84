//! Live: the loop turns. Ready: a write commits.

use std::time::Duration;

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

pub(crate) async fn live(State(app): State<App>) -> Response {
    ok(r#"{"status":"live"}"#).respond(&app.request_id(), None)
}

pub(crate) async fn ready(State(app): State<App>) -> Response {
    let request_id = app.request_id();
    let answer = if app.stopping.load(Ordering::Relaxed) || !commits(&app).await {
        Failure::NotReady.answer(&request_id)
    } else {
        ok(r#"{"status":"ready"}"#)
    };
    answer.respond(&request_id, None)
}

/// Runs an empty use case through the writer: it answers only after a commit.
async fn commits(app: &App) -> bool {
    let nobody = AccountId(Uuid::nil());
    let looked = app
        .tracking
        .store()
        .write(store::Key::account(nobody), move |tx| {
            store::account::find(tx, nobody)
        });
    matches!(timeout(COMMIT_TIMEOUT, looked).await, Ok(Ok(_)))
}

fn ok(text: &'static str) -> Answer {
    Answer::new(StatusCode::OK, Media::Json, text)
}
