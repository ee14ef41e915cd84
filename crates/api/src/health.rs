//! Live: the loop turns. Ready: a write commits, and the store is one of our main key.

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
    let answer = if app.stopping.load(Ordering::Relaxed) || !stands(&app).await {
        Failure::NotReady.answer(&request_id)
    } else {
        ok(r#"{"status":"ready"}"#)
    };
    answer.respond(&request_id, None)
}

/// Runs a use case that writes nothing through the writer: it answers only after a commit.
async fn stands(app: &App) -> bool {
    let nobody = AccountId(Uuid::nil());
    let tracking = app.tracking.clone();
    let looked = app
        .tracking
        .store()
        .write(store::Key::account(nobody), move |tx| {
            tracking.main_key_opens(tx)
        });
    matches!(timeout(COMMIT_TIMEOUT, looked).await, Ok(Ok(true)))
}

fn ok(text: &'static str) -> Answer {
    Answer::new(StatusCode::OK, Media::Json, text)
}
