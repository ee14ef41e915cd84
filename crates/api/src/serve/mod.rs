//! The accept loop.
//!
//! A ready-made loop sets no timers, so a client that never finishes its head would hold a connection for
//! ever. Ours keeps the protocol in hyper and adds what surrounds it:
//!
//! - [`crowd`] counts connections, in all and by address. When there is no room the newest idle one goes.
//! - [`forwarded`] tells whom a request comes from when a trusted proxy stands in front.
//! - [`wire`] sits between hyper and the socket and knows in which phase of an exchange the connection is:
//!   idle, head, at work, answered. Each phase has its timer there.
//! - [`framing`] follows the lines that pass there, for what hyper does not show.
//! - [`connection`] drives one connection. When hyper refuses a head it writes a bare status; that is held
//!   back and an answer with an `errors` body goes out in its place.
//!
//! At shutdown the service first says that it is not ready, keeps accepting for a moment so that a balancer
//! can turn away, then stops accepting and lets begun requests end.

mod connection;
mod crowd;
mod forwarded;
mod framing;
mod wire;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracking::Tracking;

use crate::app::App;
use crate::router::{page, routes};
use crate::settings::Settings;
use crowd::{Crowd, Full};

/// Pause after an accept that failed for want of something (files, memory).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Connections without room that are told so at once; more of them are closed without a word.
const TURNED_AWAY_MAX: usize = 64;

/// A bound service that does not run yet.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    settings: Settings,
}

impl Server {
    /// Binds the address.
    pub async fn bind(address: SocketAddr, settings: Settings) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        Ok(Self { listener, settings })
    }

    /// Where it listens; tells the port when 0 was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until told to stop, then until begun requests have ended.
    pub async fn run(self, tracking: Tracking, stop: CancellationToken) {
        serve(self.listener, tracking, self.settings, stop).await;
    }
}

/// Serves on a listener until told to stop, then until begun requests have ended.
pub async fn serve(
    listener: TcpListener,
    tracking: Tracking,
    settings: Settings,
    stop: CancellationToken,
) {
    let app = App::new(tracking, settings);
    let router = routes(app.clone());
    keep_house(listener, app, router, stop).await;
}

/// Serves one page on a listener of its own, under the same bounds: text that is made anew for each who asks.
pub async fn serve_page(
    listener: TcpListener,
    tracking: Tracking,
    settings: Settings,
    (path, text): (&'static str, Arc<dyn Fn() -> String + Send + Sync>),
    stop: CancellationToken,
) {
    let app = App::new(tracking, settings);
    let router = page(app.clone(), path, text);
    keep_house(listener, app, router, stop).await;
}

async fn keep_house(listener: TcpListener, app: App, router: Router, stop: CancellationToken) {
    let house = Arc::new(House {
        router,
        crowd: Crowd::new(&app.settings),
        turned_away: Arc::new(Semaphore::new(TURNED_AWAY_MAX)),
        closing: CancellationToken::new(),
        aborting: CancellationToken::new(),
        app,
    });
    let guests = TaskTracker::new();
    let stopped = async {
        stop.cancelled().await;
        house.app.stopping.store(true, Ordering::Relaxed);
        sleep(house.app.settings.drain_notice).await;
    };
    tokio::select! {
        () = stopped => {}
        () = accept(&listener, &house, &guests) => {}
    }
    drop(listener);
    house.closing.cancel();
    guests.close();
    if timeout(house.app.settings.drain_timeout, guests.wait())
        .await
        .is_err()
    {
        house.aborting.cancel();
        guests.wait().await;
    }
}

/// What every connection shares.
struct House {
    app: App,
    router: Router,
    crowd: Crowd,
    /// Places for those who are told that there is no room: they are open files too.
    turned_away: Arc<Semaphore>,
    /// Idle connections end, busy ones end after their answer.
    closing: CancellationToken,
    /// All connections end now.
    aborting: CancellationToken,
}

async fn accept(listener: &TcpListener, house: &Arc<House>, guests: &TaskTracker) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => admit(stream, peer, house, guests),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn admit(stream: TcpStream, peer: SocketAddr, house: &Arc<House>, guests: &TaskTracker) {
    // Small answers should not wait for more; a socket that refuses this still works.
    let _ = stream.set_nodelay(true);
    let house = Arc::clone(house);
    match house.crowd.admit(peer.ip()) {
        Ok(guest) => {
            guests.spawn(async move {
                connection::drive(stream, peer.ip(), &house, &guest).await;
            });
        }
        Err(Full { setting, most }) => {
            let address = peer.ip();
            tracing::warn!(
                %address,
                setting,
                most,
                "a connection is refused: so many are open already, and none of them is idle"
            );
            let place = Arc::clone(&house.turned_away).try_acquire_owned();
            if let Ok(place) = place {
                guests.spawn(async move {
                    connection::turn_away(stream, &house).await;
                    drop(place);
                });
            }
        }
    }
}
