//! Messages handed in over HTTP: the caller is answered when its message is committed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::post;
use bytes::Bytes;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::lane::Lane;
use super::{CALLERS, Desks, Messages, Note, WAITING_MAX};
use crate::dice::Dice;
use crate::driver::Pushes;
use crate::receiver::Receiver;

/// Where a message goes after it was committed.
struct Hall {
    desks: Desks,
    messages: Messages,
    lanes: Vec<Sender<(Uuid, Bytes)>>,
    next: AtomicUsize,
}

/// Takes all of these in and sends a message for each.
pub(super) async fn take_in(
    desks: &Desks,
    receiver: &Receiver,
    messages: Messages,
    bodies: Vec<Bytes>,
) -> Result<()> {
    let mut sending = JoinSet::new();
    let mut lanes = Vec::new();
    for _ in 0..CALLERS {
        let (hand_over, waiting) = channel(WAITING_MAX);
        let lane = Lane::open(receiver.address, desks.clone()).await?;
        sending.spawn(lane.send(waiting));
        lanes.push(hand_over);
    }
    let hall = Arc::new(Hall {
        desks: desks.clone(),
        messages,
        lanes,
        next: AtomicUsize::new(0),
    });
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let router = Router::new().route("/push", post(take)).with_state(hall);
    let closing = CancellationToken::new();
    let closed = closing.clone().cancelled_owned();
    let serving = tokio::spawn(async move {
        axum::serve(listener, router)
            .with_graceful_shutdown(closed)
            .await
    });
    let pushes = Pushes {
        address,
        path: "/push".into(),
        headers: Vec::new(),
        bodies,
    };
    pushes.send().await?;
    closing.cancel();
    serving.await??;
    while let Some(ended) = sending.join_next().await {
        ended??;
    }
    Ok(())
}

/// What is stored is what is sent, whatever came.
async fn take(State(hall): State<Arc<Hall>>, _body: Bytes) -> StatusCode {
    match keep(&hall).await {
        Ok(()) => StatusCode::ACCEPTED,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn keep(hall: &Hall) -> Result<()> {
    let place = hall.next.fetch_add(1, Ordering::Relaxed);
    let id = Uuid::from_bytes(Dice(u64::try_from(place)?).key());
    let (kept, committed) = oneshot::channel();
    let body = hall.messages.get(place);
    let note = Note::Message {
        id,
        body: body.clone(),
        kept,
    };
    hall.desks.tell(id, note)?;
    committed.await?;
    let lane = hall.lanes.get(place % hall.lanes.len().max(1));
    lane.context("no lane")?.send((id, body)).await?;
    Ok(())
}
