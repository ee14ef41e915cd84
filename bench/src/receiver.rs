//! The far end of the webhooks: takes deliveries, counts them, and can be told to keep everyone waiting.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::{Result, ensure};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::carrier::bill_in;

/// Bodies kept to be looked at, the first ones.
const SAMPLES_MAX: usize = 64;
/// What one of the hostile receivers answers.
const FLOOD_BYTES: usize = 10 << 20;

/// A running receiver.
pub struct Receiver {
    /// Where it takes deliveries.
    pub address: SocketAddr,
    seen: Arc<Seen>,
    gate: watch::Sender<bool>,
}

/// What a receiver notes of each delivery besides counting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Log {
    /// Nothing.
    Nothing,
    /// Its bill, and when it arrived.
    Bills,
    /// Its container and its id, in the order of arrival.
    Order,
}

/// What has arrived.
#[derive(Default)]
struct Seen {
    arrivals: AtomicU64,
    bytes: AtomicU64,
    samples: Mutex<Vec<Bytes>>,
    bills: Option<Mutex<Vec<(u32, Instant)>>>,
    order: Option<Mutex<Vec<(String, String)>>>,
}

impl Receiver {
    /// Takes deliveries until the process ends.
    pub fn open(log: Log) -> Result<Self> {
        let seen = Arc::new(Seen {
            bills: (log == Log::Bills).then(Mutex::default),
            order: (log == Log::Order).then(Mutex::default),
            ..Seen::default()
        });
        let (gate, open) = watch::channel(true);
        let shared = Arc::clone(&seen);
        let address = serve(move |request| take(request, Arc::clone(&shared), open.clone()))?;
        Ok(Self {
            address,
            seen,
            gate,
        })
    }

    /// Where a webhook is to send.
    pub fn url(&self) -> String {
        format!("http://{}/deliveries", self.address)
    }

    /// Answers from now on; what waits is answered at once.
    pub fn answer(&self) {
        self.gate.send_replace(true);
    }

    /// Takes connections and answers nothing: the sender's hands are full, and it stands still.
    pub fn keep_waiting(&self) {
        self.gate.send_replace(false);
    }

    /// How many deliveries were answered.
    pub fn arrivals(&self) -> u64 {
        self.seen.arrivals.load(Ordering::Relaxed)
    }

    /// Bytes of all bodies.
    pub fn bytes(&self) -> u64 {
        self.seen.bytes.load(Ordering::Relaxed)
    }

    /// The first bodies that arrived.
    pub fn samples(&self) -> Vec<Bytes> {
        let samples = self.seen.samples.lock();
        samples.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Bills and when a delivery about them arrived.
    pub fn bills(&self) -> Vec<(u32, Instant)> {
        let log = self.seen.bills.as_ref();
        log.map(|log| log.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default()
    }

    /// Containers whose deliveries did not arrive in the order in which they were made. Ids are made in order; a
    /// repetition is no disorder.
    pub fn out_of_order(&self) -> Result<usize> {
        let order = self.seen.order.as_ref();
        let arrived = order
            .map(|order| order.lock().unwrap_or_else(PoisonError::into_inner).clone())
            .unwrap_or_default();
        ensure!(!arrived.is_empty(), "no delivery told of a container");
        let mut last: HashMap<String, String> = HashMap::new();
        let mut disordered = HashSet::new();
        for (container, id) in arrived {
            match last.entry(container) {
                Entry::Occupied(before) if *before.get() > id => {
                    disordered.insert(before.key().clone());
                }
                Entry::Occupied(mut before) => drop(before.insert(id)),
                Entry::Vacant(first) => drop(first.insert(id)),
            }
        }
        Ok(disordered.len())
    }
}

/// The container that news of one brings along; shipments and requests have lines of their own. Its resource begins
/// with its id and type, where a mere mention has them the other way round or no attributes behind them.
fn container_in(body: &str) -> Option<String> {
    body.split_once("\"event\":\"container.")?;
    let (before, _) = body.split_once("\",\"type\":\"container\",\"attributes\"")?;
    let from = before.len().checked_sub(36)?;
    before.get(from..).map(ToOwned::to_owned)
}

async fn take(
    request: Request<Incoming>,
    seen: Arc<Seen>,
    mut open: watch::Receiver<bool>,
) -> Response<Full<Bytes>> {
    let id = request.headers().get("webhook-id").cloned();
    let body = request
        .into_body()
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let arrived = Instant::now();
    // The gate lives as long as its receiver does; when it is gone there is nobody to keep waiting.
    let _ = open.wait_for(|open| *open).await;
    if let Some(log) = &seen.bills {
        let bill = std::str::from_utf8(&body).ok().and_then(bill_in);
        let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend(bill.map(|bill| (bill, arrived)));
    }
    if let Some(order) = &seen.order {
        let id = id.as_ref().and_then(|id| id.to_str().ok());
        let container = std::str::from_utf8(&body).ok().and_then(container_in);
        let mut order = order.lock().unwrap_or_else(PoisonError::into_inner);
        order.extend(container.zip(id.map(ToOwned::to_owned)));
    }
    if seen.arrivals.load(Ordering::Relaxed) < SAMPLES_MAX as u64 {
        let mut samples = seen.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.push(body.clone());
    }
    seen.bytes
        .fetch_add(u64::try_from(body.len()).unwrap_or(0), Ordering::Relaxed);
    seen.arrivals.fetch_add(1, Ordering::Relaxed);
    Response::new(Full::new(Bytes::new()))
}

/// A place nobody should send to: by the number at the end of the path it never answers, redirects, sends ten
/// megabytes, takes eight seconds or fails.
pub fn hostile() -> Result<SocketAddr> {
    let flood = Bytes::from(vec![b'x'; FLOOD_BYTES]);
    serve(move |request| {
        let flood = flood.clone();
        async move {
            let path = request.uri().path().trim_start_matches('/');
            let number: u32 = path.parse().unwrap_or_default();
            let answer = |status: u16, body: Bytes| {
                let mut response = Response::new(Full::new(body));
                *response.status_mut() = http::StatusCode::from_u16(status).unwrap_or_default();
                response
            };
            match number % 5 {
                0 => std::future::pending().await,
                1 => {
                    let mut response = answer(302, Bytes::new());
                    let target = http::HeaderValue::from_static("http://127.0.0.1:9/");
                    response
                        .headers_mut()
                        .insert(http::header::LOCATION, target);
                    response
                }
                2 => answer(200, flood),
                3 => {
                    tokio::time::sleep(std::time::Duration::from_secs(8)).await;
                    answer(200, Bytes::new())
                }
                _ => answer(500, Bytes::new()),
            }
        }
    })
}

/// Serves HTTP/1.1 on a port and a thread of its own until the process ends.
pub fn serve<S, F>(answer: S) -> Result<SocketAddr>
where
    S: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Response<Full<Bytes>>> + Send + 'static,
{
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener)?;
            loop {
                let (stream, _) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let answer = answer.clone();
                let service = service_fn(move |request| {
                    let answered = answer(request);
                    async move { Ok::<_, Infallible>(answered.await) }
                });
                let connection = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service);
                // A sender that hangs up ends its connection, nothing else.
                tokio::spawn(async move { drop(connection.await) });
            }
            #[expect(unreachable_code, reason = "gives the block its error type")]
            Ok::<(), std::io::Error>(())
        })
    });
    Ok(address)
}
