//! The carrier's DCSA Track & Trace 2.2 interface.
//!
//! What it answers depends on the seed, the clock, the question and how often that question was asked
//! before, and on nothing else: the same run against another database sees the same answers, the same
//! `429`s included. Tokens are not stored either: a token is its own expiry, sealed.

mod error;
mod event;
mod list;
mod token;
mod trouble;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::Clock;
use crate::world::World;
use error::Refusal;
use trouble::Trouble;

/// Version that the answers carry.
const API_VERSION: &str = "2.2.0";

/// A running interface.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    /// Where it listens.
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// Base address for a source profile.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Ends it after the answers under way.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the carrier's interface ended badly");
        }
    }
}

struct Desk {
    world: Arc<World>,
    clock: Clock,
    base: String,
    trouble: Trouble,
}

/// Answers on `listener` for the carrier of `world`, by `clock`.
pub fn serve(listener: TcpListener, world: Arc<World>, clock: Clock) -> std::io::Result<Server> {
    let address = listener.local_addr()?;
    let stop = CancellationToken::new();
    let desk = Arc::new(Desk {
        trouble: Trouble::new(world.seed(), *world.mischief()),
        world,
        clock,
        base: format!("http://{address}"),
    });
    let router = Router::new()
        .route("/v2/events", get(events))
        .route("/oauth2/token", post(grant))
        .with_state(desk);
    let stopped = stop.clone().cancelled_owned();
    let task = tokio::spawn(async move {
        let served = axum::serve(listener, router)
            .with_graceful_shutdown(stopped)
            .await;
        if let Err(error) = served {
            tracing::error!(%error, "the carrier's interface could not go on");
        }
    });
    Ok(Server {
        address,
        stop,
        task,
    })
}

async fn grant(State(desk): State<Arc<Desk>>, headers: HeaderMap, form: Bytes) -> Response {
    let asked = token::Asked::read(&form);
    token::grant(&desk.world, (desk.clock)(), &headers, &asked)
}

async fn events(
    State(desk): State<Arc<Desk>>,
    uri: Uri,
    headers: HeaderMap,
    RawQuery(query): RawQuery,
) -> Response {
    let now = (desk.clock)();
    let asked = format!("{}{uri}", desk.base);
    let answer = answer(&desk, now, &headers, query.as_deref().unwrap_or_default());
    answer.unwrap_or_else(|refusal| refusal.into_response(&asked, now))
}

fn answer(
    desk: &Desk,
    now: jiff::Timestamp,
    headers: &HeaderMap,
    query: &str,
) -> Result<Response, Refusal> {
    token::check(&desk.world, now, headers)?;
    desk.trouble.befalls(query)?;
    let question = list::Question::read(query)?;
    let page = question.answer(&desk.world, now)?;
    let mut response = (StatusCode::OK, axum::Json(page.events)).into_response();
    let fields = response.headers_mut();
    fields.insert(
        "API-Version",
        axum::http::HeaderValue::from_static(API_VERSION),
    );
    for (name, target) in page.links {
        let link = format!("{}/v2/events?{target}", desk.base);
        if let Ok(value) = link.parse() {
            fields.insert(name, value);
        }
    }
    Ok(response)
}
