//! Metrics, on a listener of their own so that they need no key and can be kept from the outside.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use domain::source::Condition;
use jiff::Timestamp;
use metrics::gauge;
use metrics_exporter_prometheus::PrometheusBuilder;
use store::Tx;
use tokio_util::sync::CancellationToken;
use tracking::Tracking;
use tracking::source_state::{self, SourceState};

use crate::config::Settings;

/// Gauges that ask the store are renewed this often.
const RENEW_EVERY: Duration = Duration::from_secs(15);

/// How many rows of a kind there are.
type Count = fn(&mut Tx) -> Result<u64, store::Error>;

/// Codes of sources that are told.
const CODES_MAX: u32 = 200;

/// Opens the listener; false when none is set. Must be called where async code runs.
pub fn listen(settings: &Settings) -> Result<bool> {
    if settings.metrics.listen.is_empty() {
        return Ok(false);
    }
    let address: SocketAddr = settings.metrics.listen.parse()?;
    let builder = PrometheusBuilder::new().with_http_listener(address);
    builder
        .install()
        .with_context(|| format!("metrics.listen {address} cannot be used"))?;
    gauge!("quayside_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    Ok(true)
}

/// Keeps the gauges new until told to stop.
pub async fn keep(tracking: Tracking, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let counts: [(_, _, Count); 3] = [
            (
                "quayside_deliveries_open",
                "open deliveries",
                store::delivery::open_count,
            ),
            (
                "quayside_messages_unread",
                "messages that wait",
                store::raw_message::unread_count,
            ),
            (
                "quayside_webhooks_disabled",
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
        tell_unmapped(&tracking).await;
        tell_sources(&tracking).await;
        tokio::select! {
            () = tokio::time::sleep(RENEW_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

/// How this machine's clock stands to that of a shared database, by which the service goes.
fn tell_clock(tracking: &Tracking) {
    if tracking.store().is_shared() {
        let ahead = Timestamp::now().duration_since(tracking.now());
        gauge!("quayside_clock_ahead_seconds").set(ahead.as_secs_f64());
    }
}

/// Codes that are in no table, the most frequent ones.
async fn tell_unmapped(tracking: &Tracking) {
    let store = tracking.store();
    let codes = store
        .read(|tx| store::unmapped_code::list(tx, CODES_MAX))
        .await;
    for code in codes.unwrap_or_default() {
        let (source, reports) = (code.source, f64::from(code.reports));
        gauge!("quayside_unmapped_reports", "source" => source, "code" => code.code).set(reports);
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
    gauge!("quayside_source_closed", "source" => source.clone()).set(f64::from(u8::from(closed)));
    let lag = u64::try_from(state.lag_seconds(now)).unwrap_or(0);
    gauge!("quayside_source_lag_seconds", "source" => source.clone()).set(as_number(lag));
    let aside = as_number(state.backlog.quarantined);
    gauge!("quayside_source_messages_quarantined", "source" => source.clone()).set(aside);
    for (class, tally) in &state.standing.troubles {
        let labels = [
            ("source", source.clone()),
            ("class", class.as_str().to_owned()),
        ];
        gauge!("quayside_source_errors", &labels).set(as_number(tally.count));
    }
}

fn as_number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
