//! Metrics, on a listener of their own so that they need no key and can be kept from the outside.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use metrics::gauge;
use metrics_exporter_prometheus::PrometheusBuilder;
use tokio_util::sync::CancellationToken;
use tracking::Tracking;

use crate::config::Settings;

/// Gauges that ask the store are renewed this often.
const RENEW_EVERY: Duration = Duration::from_secs(15);

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
        match tracking.store().read(store::delivery::open_count).await {
            Ok(open) => gauge!("quayside_deliveries_open").set(as_number(open)),
            Err(error) => tracing::warn!(%error, "open deliveries cannot be counted"),
        }
        tokio::select! {
            () = tokio::time::sleep(RENEW_EVERY) => {}
            () = stop.cancelled() => {}
        }
    }
}

fn as_number(count: u64) -> f64 {
    u32::try_from(count).map_or(f64::from(u32::MAX), f64::from)
}
