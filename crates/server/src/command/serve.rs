//! `quayside serve`: the service.
//!
//! On SIGTERM or SIGINT it stops accepting, finishes what has begun, and ends within 30 seconds; a second
//! signal ends it at once. kill -9 is as safe: what was answered is committed.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};
use tracking::Tracking;

use crate::config::{self, Role, Settings, Webhooks};
use crate::{metrics, wire};

/// After a signal, begun requests and attempts have this long to finish.
const FINISH_MAX: Duration = Duration::from_secs(25);

/// Between two words about a store that is not open yet.
const WAITS: Duration = Duration::from_secs(10);

/// Runs it until a signal.
pub async fn run(settings: Settings) -> Result<()> {
    let began = Instant::now();
    // From here on a signal is an orderly stop, also one that comes before anything stands.
    let mut signals = Signals::heard()?;
    let listener = TcpListener::bind(settings.listen)
        .await
        .with_context(|| format!("listen {} cannot be used", settings.listen))?;
    if settings.links_lead_nowhere() {
        let links = settings.public_base_url();
        warn!(
            "base_url is not set: links in answers and deliveries begin with {links}, which no client can call; set it to \
             the address that clients see, such as https://track.example.com/v2"
        );
    }
    let measured = metrics::listen(&settings).await?;
    let Some(tracking) = opened(&settings, &mut signals).await? else {
        return Ok(());
    };
    let stop = CancellationToken::new();
    crate::log::say(format_args!(
        "listening on http://{} ({} ms after the start)",
        listener.local_addr()?,
        began.elapsed().as_millis()
    ));
    let serving = tokio::spawn(api::serve(
        listener,
        tracking.clone(),
        api_settings(&settings),
        stop.clone(),
    ));
    if let Some(measured) = measured {
        tokio::spawn(measured.serve(tracking.clone(), stop.clone()));
    }
    tokio::spawn(wire::later::watch(
        settings.clone(),
        tracking.clone(),
        stop.clone(),
    ));
    let mut working = tokio::spawn(work(tracking, settings.role, stop.clone()));
    let broken = tokio::select! {
        () = signals.stop() => None,
        ended = &mut working => Some(broken(ended)),
    };
    match &broken {
        None => info!("stopping: finishing what has begun"),
        Some(fault) => error!("stopping, to be started again: {fault}"),
    }
    stop.cancel();
    let finished = tokio::time::timeout(FINISH_MAX, async {
        let _ = serving.await;
        if broken.is_none() {
            let _ = working.await;
        }
    });
    tokio::select! {
        finished = finished => if finished.is_err() {
            warn!("not everything finished in time; leases will bring the rest back");
        },
        () = signals.stop() => warn!("stopped at once by a second signal"),
    }
    broken.map_or(Ok(()), Err)
}

/// Background work ends when it is told to. When it ends by itself nothing would be asked, read or delivered any more, and the
/// service would look as if all were well: whoever keeps it running starts it again.
fn broken(ended: Result<(), JoinError>) -> anyhow::Error {
    match ended {
        Ok(()) => anyhow!("the background work has ended by itself"),
        Err(panicked) => anyhow!("the background work broke off: {panicked}"),
    }
}

/// The service on its store; `None` when a signal came first. To open a store can take long: another node migrates it, or the
/// server takes the connection and says nothing.
async fn opened(settings: &Settings, signals: &mut Signals) -> Result<Option<Tracking>> {
    let settings = settings.clone();
    let opening = Handle::current();
    let mut opening =
        tokio::task::spawn_blocking(move || opening.block_on(wire::service(&settings)));
    let mut waits = tokio::time::interval_at((Instant::now() + WAITS).into(), WAITS);
    loop {
        tokio::select! {
            opened = &mut opening => return Ok(Some(opened.context("the start broke off")??)),
            _ = waits.tick() => warn!(
                "the store is not open yet: another start may be bringing it up to date, or its server does not answer"
            ),
            () = signals.stop() => {
                info!("stopped before the store was open");
                return Ok(None);
            }
        }
    }
}

/// The API's settings out of ours.
pub fn api_settings(settings: &Settings) -> api::Settings {
    let mut limits = api::Settings::default();
    limits.rate_limits.default_per_minute = settings.rate_limits.default;
    limits.rate_limits.create_per_minute = settings.rate_limits.create_tracking_request;
    limits.rate_limits.infer_per_minute = settings.rate_limits.infer_number;
    limits.rate_limits.trigger_per_minute = settings.rate_limits.trigger;
    limits.rate_limits.listen_per_minute = settings.rate_limits.listen;
    limits.webhook_sources = webhook_sources(&settings.webhooks);
    let of = |number| usize::try_from(number).unwrap_or(usize::MAX);
    limits.free_percent_min = settings.health.disk_free_percent.into();
    limits.connections_max = of(settings.http.connections_max);
    limits.connections_per_address_max = of(settings.http.connections_per_address_max);
    limits.upload_timeout = Duration::from_secs(settings.http.upload_seconds.into());
    // Judged when the settings were read, as what is above.
    limits.trusted_proxies = config::networks(&settings.http.trusted_proxies).unwrap_or_default();
    limits
}

/// Judged when the settings were read; what does not parse here is nothing.
fn webhook_sources(set: &Webhooks) -> api::WebhookSources {
    api::WebhookSources {
        addresses: config::addresses(&set.source_ips).unwrap_or_default(),
        since: config::moment(&set.source_ips_since).unwrap_or_default(),
    }
}

async fn work(tracking: Tracking, role: Role, stop: CancellationToken) {
    match role {
        Role::All | Role::Worker => tracking::work::run(tracking, stop).await,
        Role::Api => tracking::work::attend(tracking, stop).await,
    }
}

/// SIGTERM and SIGINT, kept from ending the process at once.
pub struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    /// They are heard from now on.
    pub fn heard() -> Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next of them.
    pub async fn stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}

/// Waits for SIGTERM or SIGINT.
pub async fn stopped_by_signal() -> Result<()> {
    Signals::heard()?.stop().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A service that only answers, and does nothing any more, would not be missed by who keeps it running.
    #[tokio::test]
    async fn background_work_that_breaks_off_says_why() {
        let panicked = tokio::spawn(async { panic!("a loop that cannot go on") }).await;
        let fault = broken(panicked).to_string();
        assert!(fault.contains("a loop that cannot go on"), "{fault}");
    }

    #[test]
    fn the_bounds_on_connections_are_those_of_the_settings() {
        let given = [
            ("HTTP__CONNECTIONS_MAX", "9"),
            ("HTTP__CONNECTIONS_PER_ADDRESS_MAX", "3"),
            ("HTTP__TRUSTED_PROXIES", "10.0.0.1, fd00::/8"),
            ("HTTP__UPLOAD_SECONDS", "600"),
        ];
        let given = given.map(|(name, value)| (format!("QUAYSIDE_{name}"), value.to_owned()));
        let settings = Settings::load(None, given.into_iter(), vec![]).unwrap();
        let set = api_settings(&settings);
        assert_eq!(
            (set.connections_max, set.connections_per_address_max),
            (9, 3)
        );
        assert_eq!(set.upload_timeout, Duration::from_mins(10));
        let trusted = ["10.0.0.1/32", "fd00::/8"].map(|network| network.parse().unwrap());
        assert_eq!(set.trusted_proxies, trusted);
        let usual = api_settings(&Settings::default());
        let default = api::Settings::default();
        assert_eq!(usual.connections_max, default.connections_max);
        assert_eq!(usual.upload_timeout, default.upload_timeout);
        assert_eq!(
            usual.connections_per_address_max,
            default.connections_per_address_max
        );
    }
}
