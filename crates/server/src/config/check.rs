//! What a type cannot say about a setting, judged before anything starts.

use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU16;
use std::ops::RangeInclusive;

use jiff::Timestamp;
use sources::outbound::{Network, Proxy, ProxyInvalid};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracking::MainKey;

use super::trust::ranks;
use super::{
    ATTEMPT_SECONDS_MAX, CONNECTIONS_MAX, Egress, KEEP_DAYS_MAX, LEASE_SECONDS_MAX, Settings,
    SettingsInvalid, UPLOAD_SECONDS,
};

/// The first setting that cannot be used, named.
pub fn check(settings: &Settings) -> Result<(), SettingsInvalid> {
    let judged = [
        ("database", database(&settings.database)),
        ("base_url", base_url(&settings.base_url)),
        ("main_key", main_key(&settings.main_key)),
        ("main_key_also", main_key(&settings.main_key_also)),
        ("log", log(&settings.log)),
        (
            "egress.allow_networks",
            each_network(&settings.egress.allow_networks),
        ),
        (
            "egress.deny_networks",
            each_network(&settings.egress.deny_networks),
        ),
        (
            "egress.blocked_ports",
            ports(&settings.egress.blocked_ports).map(|_| ()),
        ),
        (
            "egress.proxy",
            proxy(&settings.egress).map(|_| ()).map_err(said),
        ),
        ("egress.proxy_resolves", proxy_resolves(&settings.egress)),
        (
            "http.connections_max",
            within(settings.http.connections_max, CONNECTIONS_MAX),
        ),
        (
            "health.disk_free_percent",
            percent(settings.health.disk_free_percent),
        ),
        (
            "http.connections_per_address_max",
            within(settings.http.connections_per_address_max, CONNECTIONS_MAX),
        ),
        (
            "http.upload_seconds",
            among(settings.http.upload_seconds, &UPLOAD_SECONDS),
        ),
        (
            "http.trusted_proxies",
            each_network(&settings.http.trusted_proxies),
        ),
        (
            "webhooks.source_ips",
            addresses(&settings.webhooks.source_ips).map(|_| ()),
        ),
        (
            "webhooks.source_ips_since",
            moment(&settings.webhooks.source_ips_since).map(|_| ()),
        ),
        (
            "webhooks.attempt_seconds",
            within(settings.webhooks.attempt_seconds, ATTEMPT_SECONDS_MAX),
        ),
        (
            "webhooks.keep_days",
            within(settings.webhooks.keep_days, KEEP_DAYS_MAX),
        ),
        ("metrics.listen", address(&settings.metrics.listen)),
        (
            "work.lease_seconds",
            within(settings.work.lease_seconds, LEASE_SECONDS_MAX),
        ),
    ];
    for (key, verdict) in judged {
        verdict.map_err(|reason| SettingsInvalid::Value { key, reason })?;
    }
    ranks(&settings.sources).map(|_| ())
}

/// Networks as the guarded client takes them.
pub fn networks(texts: &[String]) -> Result<Vec<Network>, String> {
    let parsed = texts.iter().map(|text| text.trim().parse::<Network>());
    parsed.map(|network| network.map_err(said)).collect()
}

/// Ports, by their numbers.
pub fn ports(texts: &[String]) -> Result<Vec<u16>, String> {
    let parsed = texts.iter().map(|text| text.trim().parse::<NonZeroU16>());
    let read = parsed.zip(texts);
    read.map(|(port, text)| {
        let port = port.map_err(|_| format!("{text:?} is no port such as 8443"))?;
        Ok(port.get())
    })
    .collect()
}

/// The proxy, where there is one.
pub fn proxy(set: &Egress) -> Result<Option<Proxy>, ProxyInvalid> {
    if set.proxy.is_empty() {
        return Ok(None);
    }
    let mut proxy: Proxy = set.proxy.parse()?;
    proxy.resolves = set.proxy_resolves;
    Ok(Some(proxy))
}

fn proxy_resolves(set: &Egress) -> Result<(), String> {
    if set.proxy_resolves && set.proxy.is_empty() {
        return Err("is on, and there is no egress.proxy".into());
    }
    Ok(())
}

/// Addresses, without ports.
pub fn addresses(texts: &[String]) -> Result<Vec<IpAddr>, String> {
    let parsed = texts.iter().map(|text| text.trim().parse());
    let read = parsed.zip(texts);
    read.map(|(address, text)| {
        address.map_err(|_| format!("{text:?} is no address such as 203.0.113.7"))
    })
    .collect()
}

/// An instant; an empty text is none.
pub fn moment(text: &str) -> Result<Option<Timestamp>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let read = text.parse().map(Some);
    read.map_err(|_| format!("{text:?} is no time such as 2026-01-05T00:00:00Z"))
}

fn within(number: u32, most: u32) -> Result<(), String> {
    among(number, &(1..=most))
}

fn percent(number: u32) -> Result<(), String> {
    among(number, &(0..=99))
}

fn among(number: u32, allowed: &RangeInclusive<u32>) -> Result<(), String> {
    if allowed.contains(&number) {
        return Ok(());
    }
    let (least, most) = (allowed.start(), allowed.end());
    Err(format!("is {number}; it must be {least} to {most}"))
}

fn each_network(texts: &[String]) -> Result<(), String> {
    networks(texts).map(|_| ())
}

fn database(url: &str) -> Result<(), String> {
    let known = ["postgres://", "postgresql://"];
    if url.is_empty() || known.iter().any(|scheme| url.starts_with(scheme)) {
        return Ok(());
    }
    // The text may hold a password, so it is not repeated.
    Err("is neither empty nor postgres://user:password@host/name".into())
}

fn base_url(url: &str) -> Result<(), String> {
    if url.is_empty() {
        return Ok(());
    }
    let known = ["http://", "https://"];
    let below = known.iter().find_map(|scheme| url.strip_prefix(scheme));
    let host = below.and_then(|below| below.trim_end_matches('/').strip_suffix("/v2"));
    match host {
        // Links of records are paths from the root of the host, as are the pages beside the API.
        Some(host) if host.contains('/') => Err(format!(
            "{url:?} has a path before /v2, and links of records begin at the root of the host: give the service a \
             host or a port of its own, such as https://track.example.com/v2"
        )),
        // The text may hold a password, so it is not repeated.
        Some(host) if host.contains('@') => Err(
            "has a name or password before its host: give the host alone, such as https://track.example.com/v2".into(),
        ),
        Some(host) if !host.is_empty() && !host.contains(['?', '#', ' ']) && has_possible_port(host) => Ok(()),
        _ => Err(format!(
            "{url:?} is no address such as https://track.example.com/v2"
        )),
    }
}

fn has_possible_port(host: &str) -> bool {
    let behind = host.rsplit_once(']').map_or(host, |(_, behind)| behind);
    let port = behind.rsplit_once(':').map(|(_, port)| port);
    port.is_none_or(|port| port.parse::<NonZeroU16>().is_ok())
}

fn main_key(text: &str) -> Result<(), String> {
    if text.is_empty() || MainKey::from_text(text).is_ok() {
        return Ok(());
    }
    Err("is not 32 bytes in base64".into())
}

/// A filter takes any word for the name of a part of the program: with `warning` nothing would be logged at all.
fn log(filter: &str) -> Result<(), String> {
    let mut words = filter.split(',').map(str::trim);
    let unknown = words.find(|word| {
        let is_level = word.parse::<LevelFilter>().is_ok();
        !word.is_empty() && !word.contains(['=', '[']) && !is_level
    });
    if let Some(word) = unknown {
        return Err(format!(
            "{word:?} is no level: error, warn, info, debug, trace or off, or a part and its level, as in tracking=debug"
        ));
    }
    EnvFilter::try_new(filter).map(|_| ()).map_err(said)
}

fn address(text: &str) -> Result<(), String> {
    if text.is_empty() || text.parse::<SocketAddr>().is_ok() {
        return Ok(());
    }
    Err(format!("{text:?} is no address such as 127.0.0.1:9090"))
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
