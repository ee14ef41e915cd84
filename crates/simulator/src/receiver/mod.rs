//! A webhook receiver that trusts nobody.
//!
//! It keeps its own log, verifies both signatures with code that shares nothing with the sender, compares
//! every repeat with the first byte for byte, and can be told to misbehave as real receivers do.

mod log;
mod manners;
mod signature;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use axum::routing::post;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::net::{TcpListener, ToSocketAddrs};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::Clock;
use log::Log;
pub use manners::Manners;
pub use signature::Fault;

/// How far the time of a delivery may be from ours, unless told otherwise.
const TOLERANCE_MINUTES_USUAL: i64 = 5;

/// One arrival.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// Id of the notification: `data.id`.
    pub notification_id: String,
    /// Its event.
    pub event: String,
    /// The whole document; null when it is no JSON.
    pub body: Value,
    /// Whether both signatures are right and nothing else is wrong.
    pub verified: bool,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// When it came.
    pub received_at: Timestamp,
    /// Whether this notification was here before.
    pub repeat: bool,
    /// What it was answered; 0 when it got no answer.
    pub answered: u16,
}

/// A running receiver.
#[derive(Debug)]
pub struct Receiver {
    address: SocketAddr,
    desk: Arc<Desk>,
    arrivals: watch::Receiver<usize>,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

struct Desk {
    clock: Clock,
    arrivals: watch::Sender<usize>,
    state: Mutex<Kept>,
}

struct Kept {
    secrets: Vec<String>,
    tolerance: SignedDuration,
    manners: Manners,
    deliveries: Vec<Delivery>,
    /// The first bytes of each notification.
    first: HashMap<String, Bytes>,
    log: Option<Log>,
}

impl Receiver {
    /// Listens at `address`, by `clock`.
    pub async fn bind(address: impl ToSocketAddrs, clock: Clock) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let (arrivals, watched) = watch::channel(0);
        let desk = Arc::new(Desk {
            clock,
            arrivals,
            state: Mutex::new(Kept::new()),
        });
        let router = Router::new()
            .route("/", post(arrival))
            .with_state(Arc::clone(&desk));
        let stop = CancellationToken::new();
        let stopped = stop.clone().cancelled_owned();
        let task = tokio::spawn(async move {
            let served = axum::serve(listener, router)
                .with_graceful_shutdown(stopped)
                .await;
            if let Err(error) = served {
                tracing::error!(%error, "the receiver could not go on");
            }
        });
        Ok(Self {
            address,
            desk,
            arrivals: watched,
            stop,
            task,
        })
    }

    /// The address to subscribe.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The secret of the webhook, as the creation showed it. Without one nothing verifies.
    pub fn set_secret(&self, secret: &str) {
        self.desk.kept().secrets = vec![secret.to_owned()];
    }

    /// One more secret that is right as well: rotation, or a second webhook.
    pub fn add_secret(&self, secret: &str) {
        self.desk.kept().secrets.push(secret.to_owned());
    }

    /// How far the time of a delivery may be from the clock; a clock that runs fast needs more.
    pub fn tolerate(&self, tolerance: SignedDuration) {
        self.desk.kept().tolerance = tolerance;
    }

    /// How it answers from now on.
    pub fn behave(&self, manners: Manners) {
        self.desk.kept().manners = manners;
    }

    /// Appends every arrival to a file, synced before the answer, one JSON object a line.
    pub fn log_to(&self, path: &Path) -> std::io::Result<()> {
        self.desk.kept().log = Some(Log::open(path)?);
        Ok(())
    }

    /// Everything that arrived, in the order of arrival.
    pub fn deliveries(&self) -> Vec<Delivery> {
        self.desk.kept().deliveries.clone()
    }

    /// What arrived after the first `seen`.
    pub fn deliveries_after(&self, seen: usize) -> Vec<Delivery> {
        self.desk
            .kept()
            .deliveries
            .iter()
            .skip(seen)
            .cloned()
            .collect()
    }

    /// The number of arrivals, to wait for more.
    pub fn arrivals(&self) -> watch::Receiver<usize> {
        self.arrivals.clone()
    }

    /// Ends it after the answers under way.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the receiver ended badly");
        }
    }
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Desk {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn new() -> Self {
        Self {
            secrets: Vec::new(),
            tolerance: SignedDuration::from_mins(TOLERANCE_MINUTES_USUAL),
            manners: Manners::Polite,
            deliveries: Vec::new(),
            first: HashMap::new(),
            log: None,
        }
    }

    /// Judges and keeps an arrival; gives the answer it gets.
    fn take(&mut self, headers: &HeaderMap, body: &Bytes, now: Timestamp) -> manners::Answer {
        let answer = self.manners.answer();
        let document: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |pointer: &str| {
            document
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let notification_id = text("/data/id");
        let mut faults = signature::faults(&self.secrets, self.tolerance, headers, body, now);
        faults.extend(signature::id_fault(headers, &notification_id));
        let before = self.first.get(&notification_id);
        let repeat = before.is_some();
        if before.is_some_and(|before| before != body) {
            faults.push(Fault::NotIdentical);
        }
        self.first
            .entry(notification_id.clone())
            .or_insert_with(|| body.clone());
        let event = text("/data/attributes/event");
        self.deliveries.push(Delivery {
            notification_id,
            event,
            body: document,
            verified: faults.is_empty(),
            faults,
            received_at: now,
            repeat,
            answered: answer.status(),
        });
        answer
    }

    fn write_down(&mut self) -> std::io::Result<()> {
        match (&mut self.log, self.deliveries.last()) {
            (Some(log), Some(delivery)) => log.append(delivery),
            _ => Ok(()),
        }
    }
}

async fn arrival(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Response {
    let now = (desk.clock)();
    let taken = tokio::task::spawn_blocking(move || {
        let mut kept = desk.kept();
        let answer = kept.take(&headers, &body, now);
        let written = kept.write_down();
        let count = kept.deliveries.len();
        drop(kept);
        desk.arrivals.send_replace(count);
        written.map(|()| answer)
    });
    match taken.await {
        Ok(Ok(answer)) => answer.give().await,
        // What could not be logged must come again.
        _ => manners::status_only(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
