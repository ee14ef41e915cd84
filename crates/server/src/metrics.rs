//! Metrics, on a listener of their own so that they need no key and can be kept from the outside. It is bounded as the API's is:
//! what is open there are files of the same process.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use api::PANICS;
use domain::source::{Condition, Trouble};
use jiff::Timestamp;
use metrics::{counter, describe_counter, describe_gauge, gauge};
use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use store::Tx;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracking::Tracking;
use tracking::intake::FILES_REFUSED;
use tracking::source_state::{self, SourceState};
use tracking::webhooks::{PUT_OFF, RESULTS_DROPPED};

use crate::config::Settings;

/// Gauges that ask the store are renewed this often.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// Open connections of those who read them at most.
const CONNECTIONS_MAX: usize = 32;
const PATH: &str = "/metrics";

/// How many rows of a kind there are.
type Count = fn(&mut Tx) -> Result<u64, store::Error>;

const BUILD_INFO: &str = "quayside_build_info";
const OPEN: &str = "quayside_deliveries_open";
const UNREAD: &str = "quayside_messages_unread";
const DISABLED: &str = "quayside_webhooks_disabled";
const CLOCK_AHEAD: &str = "quayside_clock_ahead_seconds";
const UNMAPPED: &str = "quayside_unmapped_reports";
const CLOSED: &str = "quayside_source_closed";
const LAG: &str = "quayside_source_lag_seconds";
const QUARANTINED: &str = "quayside_source_messages_quarantined";
const ERRORS: &str = "quayside_source_errors";
const DEFECTS: &str = "quayside_source_defects";

/// What each gauge tells, in the words of `docs/operating.md`.
const GAUGES: [(&str, &str); 11] = [
    (BUILD_INFO, "1, with the version as a label"),
    (OPEN, "Deliveries that have not ended, of all accounts"),
    (UNREAD, "Messages that are kept and wait to be read"),
    (
        DISABLED,
        "Webhooks that the service has switched off and nobody has switched on again",
    ),
    (
        CLOCK_AHEAD,
        "By how much this machine's clock is ahead of the database's",
    ),
    (
        UNMAPPED,
        "Reports of a source with a code that is in no table",
    ),
    (
        CLOSED,
        "1 while a source is broken, on trial or paused, else 0",
    ),
    (
        LAG,
        "For how long the first of what waits for a source has waited",
    ),
    (QUARANTINED, "Messages of a source that could not be read"),
    (
        ERRORS,
        "Failures of a source since it was first asked, by class",
    ),
    (
        DEFECTS,
        "How often something of a source's messages could not be used",
    ),
];
/// What each counter counts.
const COUNTERS: [(&str, &str); 4] = [
    (
        RESULTS_DROPPED,
        "Attempts to deliver whose result came too late to count",
    ),
    (
        PUT_OFF,
        "Deliveries put off because what is stored of them cannot be read",
    ),
    (
        FILES_REFUSED,
        "Files of watched folders that were empty or too long",
    ),
    (PANICS, "Handlers that ended in a panic"),
];

/// A listener, and what is told there.
pub struct Metrics {
    listener: TcpListener,
    told: PrometheusHandle,
}

/// Opens the listener; `None` when none is set. What is measured counts from here on.
pub async fn listen(settings: &Settings) -> Result<Option<Metrics>> {
    if settings.metrics.listen.is_empty() {
        return Ok(None);
    }
    let address: SocketAddr = settings.metrics.listen.parse()?;
    let listener = TcpListener::bind(address)
        .await
        .with_context(|| format!("metrics.listen {address} cannot be used"))?;
    let told = PrometheusBuilder::new().install_recorder()?;
    describe();
    gauge!(BUILD_INFO, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(Some(Metrics { listener, told }))
}

impl Metrics {
    /// Tells them, and keeps the gauges new, until told to stop.
    pub async fn serve(self, tracking: Tracking, stop: CancellationToken) {
        let bounds = api::Settings {
            connections_max: CONNECTIONS_MAX,
            connections_per_address_max: CONNECTIONS_MAX,
            ..api::Settings::default()
        };
        let told = self.told;
        let page: (_, Arc<dyn Fn() -> String + Send + Sync>) =
            (PATH, Arc::new(move || told.render()));
        let serving = api::serve_page(self.listener, tracking.clone(), bounds, page, stop.clone());
        tokio::join!(serving, keep(tracking, stop));
    }
}

/// Says what each is for. A counter stands at 0 from the start: the first that is counted would else be no rise.
fn describe() {
    for (name, told) in GAUGES {
        describe_gauge!(name, told);
    }
    for (name, told) in COUNTERS {
        describe_counter!(name, told);
        counter!(name).absolute(0);
    }
}

/// Keeps the gauges new until told to stop.
async fn keep(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let counts: [(_, _, Count); 3] = [
            (OPEN, "open deliveries", store::delivery::open_count),
            (
                UNREAD,
                "messages that wait",
                store::raw_message::unread_count,
            ),
            (
                DISABLED,
                "webhooks that are off",
                store::webhook::disabled_count,
            ),
        ];
        for (name, what, count) in counts {
            match tracking.store().read(count).await {
                Ok(count) => gauge!(name).set(as_number(count)),
                Err(error) => tracing::warn!(%error, "{what} cannot be counted"),
            }
        }
        tell_clock(&tracking);
        tell_sources(&tracking).await;
        tokio::select! {
            () = tokio::time::sleep(RENEW_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// How this machine's clock stands to that of a shared database, by which the service goes.
fn tell_clock(tracking: &Tracking) {
    if let Some(ahead) = tracking.clock_ahead() {
        gauge!(CLOCK_AHEAD).set(ahead.as_secs_f64());
    }
}

/// How each source is doing.
async fn tell_sources(tracking: &Tracking) {
    let (shared, now) = (tracking.clone(), tracking.now());
    let reading = tracking.store().read(move |tx| {
        let states = source_state::all(tx, &shared, now)?;
        for state in &states {
            tell_source(state, now);
        }
        Ok::<_, store::Error>(())
    });
    if let Err(error) = reading.await {
        tracing::warn!(%error, "how the sources are doing cannot be told");
    }
}

fn tell_source(state: &SourceState<'_>, now: Timestamp) {
    let source = state.source.id().to_owned();
    let closed = matches!(
        state.condition(now),
        Condition::Broken | Condition::Trying | Condition::Paused
    );
    gauge!(CLOSED, "source" => source.clone()).set(f64::from(u8::from(closed)));
    let lag = u64::try_from(state.lag_seconds(now)).unwrap_or(0);
    gauge!(LAG, "source" => source.clone()).set(as_number(lag));
    let aside = as_number(state.backlog.quarantined);
    gauge!(QUARANTINED, "source" => source.clone()).set(aside);
    // Codes are texts of a sender: each would be a series that stays.
    let unmapped = as_number(state.backlog.unmapped);
    gauge!(UNMAPPED, "source" => source.clone()).set(unmapped);
    let defects = as_number(state.backlog.defects);
    gauge!(DEFECTS, "source" => source.clone()).set(defects);
    for class in Trouble::ALL {
        let tally = state.standing.troubles.get(&class);
        let labels = [
            ("source", source.clone()),
            ("class", class.as_str().to_owned()),
        ];
        gauge!(ERRORS, &labels).set(as_number(tally.map_or(0, |tally| tally.count)));
    }
}

fn as_number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
