//! Which way a target is reached: straight, or by the operator's proxy; and the verdict on it, which is made here in any
//! case.
//!
//! Without a proxy every address of the target is judged, and those that passed are dialled. With one
//! (decision 0020):
//!
//! - What lies in an allowed network is dialled straight: it is inside, and the proxy is the way out.
//! - Everything else is judged the same, and the proxy is asked for the *addresses* that passed. It then has nothing to
//!   look up, and a name cannot mean something else to it than it meant here.
//! - Where the operator says that the proxy resolves names, it is asked for the name. What the name leads to can then be
//!   judged here only as far as it can be looked up here, and is for the proxy to refuse. Names that are nobody's on the
//!   internet (`localhost`, `printer`, `db.internal`) are never given to it: inside the operator's network they mean
//!   something.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http::uri::Authority;
use tokio::time::timeout;
use url::Host;

use super::error::OutboundError;
use super::proxy::Proxy;
use super::resolver::Resolve;
use super::settings::EgressSettings;

/// How many addresses of one name are tried.
const ADDRESSES_MAX: usize = 6;
/// How long a name is looked up that the proxy resolves: where outside names lead nowhere, a look-up may hang until the
/// time to connect is over.
const LOOK_UP_FOR_PROXY: Duration = Duration::from_secs(1);

/// Last parts of names that are given to nobody on the internet: set apart for use inside (RFC 6761, 6762, 8375 and what
/// ICANN keeps free), or used so by custom.
const INSIDE: [&str; 12] = [
    "localhost",
    "localdomain",
    "local",
    "internal",
    "intranet",
    "private",
    "home.arpa",
    "home",
    "corp",
    "lan",
    "mail",
    "test",
];

/// How a target is reached. Where there is more than one address, they are tried in turn.
pub(super) enum Way<'s> {
    /// By ourselves.
    Straight(Vec<SocketAddr>),
    /// By the proxy, which is asked for these.
    Proxied(&'s Proxy, Vec<Authority>),
}

/// Resolves a target, judges all that it leads to, and finds the way to what passed.
pub(super) async fn way<'s>(
    settings: &'s EgressSettings,
    resolver: &dyn Resolve,
    host: &str,
    port: u16,
) -> Result<Way<'s>, OutboundError> {
    match &settings.proxy {
        Some(proxy) if proxy.resolves && host.parse::<IpAddr>().is_err() => {
            by_name(settings, proxy, resolver, host, port).await
        }
        _ => {
            let found = addresses(resolver, host).await?;
            by_address(settings, &passed(settings, &found, port)?)
        }
    }
}

/// The addresses of a host, at least one. None of them is judged yet.
pub(super) async fn addresses(
    resolver: &dyn Resolve,
    host: &str,
) -> Result<Vec<IpAddr>, OutboundError> {
    if let Ok(literal) = host.parse() {
        return Ok(vec![literal]);
    }
    let found = resolver.resolve(host).await;
    let found = found.map_err(OutboundError::Resolve)?;
    if found.is_empty() {
        return Err(OutboundError::Resolve("it has no address".into()));
    }
    Ok(found)
}

/// Those of the addresses that may be reached, at least one.
fn passed(
    settings: &EgressSettings,
    found: &[IpAddr],
    port: u16,
) -> Result<Vec<SocketAddr>, OutboundError> {
    let judged = found
        .iter()
        .map(|ip| settings.judge(SocketAddr::new(*ip, port)));
    let passed: Vec<SocketAddr> = judged.filter_map(Result::ok).collect();
    if passed.is_empty() {
        return Err(OutboundError::BlockedAddress);
    }
    Ok(in_turn(passed))
}

/// The families in turn, the first one's first, each in its own order: a name may have more addresses of one family than
/// are tried, and this machine no way by it.
pub(super) fn in_turn(addresses: Vec<SocketAddr>) -> Vec<SocketAddr> {
    let all = addresses.len();
    let six_first = addresses.first().is_some_and(SocketAddr::is_ipv6);
    let (first, second): (Vec<_>, Vec<_>) = addresses
        .into_iter()
        .partition(|address| address.is_ipv6() == six_first);
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut ordered = Vec::with_capacity(all);
    while ordered.len() < all {
        ordered.extend(first.next());
        ordered.extend(second.next());
    }
    ordered
}

fn by_address<'s>(
    settings: &'s EgressSettings,
    passed: &[SocketAddr],
) -> Result<Way<'s>, OutboundError> {
    let tried = passed.iter().take(ADDRESSES_MAX);
    let Some(proxy) = &settings.proxy else {
        return Ok(Way::Straight(tried.copied().collect()));
    };
    if let Some(straight) = inside(settings, passed) {
        return Ok(straight);
    }
    let asked: Result<_, _> = tried.map(|to| authority(&to.to_string())).collect();
    Ok(Way::Proxied(proxy, asked?))
}

/// Straight to what lies in allowed networks; `None` where nothing does.
fn inside<'s>(settings: &EgressSettings, passed: &[SocketAddr]) -> Option<Way<'s>> {
    let inside = passed
        .iter()
        .filter(|address| settings.opens(address.ip()))
        .take(ADDRESSES_MAX);
    let inside: Vec<SocketAddr> = inside.copied().collect();
    (!inside.is_empty()).then_some(Way::Straight(inside))
}

async fn by_name<'s>(
    settings: &'s EgressSettings,
    proxy: &'s Proxy,
    resolver: &dyn Resolve,
    host: &str,
    port: u16,
) -> Result<Way<'s>, OutboundError> {
    settings.judge_port(port)?;
    if let Ok(Ok(found)) = timeout(LOOK_UP_FOR_PROXY, addresses(resolver, host)).await {
        let passed = passed(settings, &found, port)?;
        if let Some(straight) = inside(settings, &passed) {
            return Ok(straight);
        }
        // Which of them the proxy would call is not ours to say.
        if passed.len() < found.len() {
            return Err(OutboundError::BlockedAddress);
        }
    }
    match Host::parse(host) {
        Ok(Host::Domain(name)) if is_inside(&name) => Err(OutboundError::BlockedAddress),
        Ok(Host::Domain(name)) => Ok(Way::Proxied(
            proxy,
            vec![authority(&format!("{name}:{port}"))?],
        )),
        // A number in one of its odd spellings: the proxy would read it as an address, so it is judged as one.
        Ok(Host::Ipv4(ip)) => by_address(settings, &passed(settings, &[ip.into()], port)?),
        Ok(Host::Ipv6(ip)) => by_address(settings, &passed(settings, &[ip.into()], port)?),
        Err(_) => Err(OutboundError::Resolve("it is no name".into())),
    }
}

fn authority(text: &str) -> Result<Authority, OutboundError> {
    let read = text.parse();
    read.map_err(|_| OutboundError::Resolve("it is no name".into()))
}

/// Whether a name can only mean something inside a network: it has one part, or ends as such names do.
fn is_inside(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    let ends_with = |last: &str| {
        let rest = name.strip_suffix(last);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    };
    !name.contains('.') || INSIDE.iter().any(|last| ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_families_take_turns() {
        for (given, ordered) in [
            (
                vec!["::1", "::2", "::3", "::4", "10.0.0.1", "10.0.0.2"],
                vec!["::1", "10.0.0.1", "::2", "10.0.0.2", "::3", "::4"],
            ),
            (
                vec!["10.0.0.1", "10.0.0.2", "::1"],
                vec!["10.0.0.1", "::1", "10.0.0.2"],
            ),
            (vec!["10.0.0.2", "10.0.0.1"], vec!["10.0.0.2", "10.0.0.1"]),
            (vec!["::2", "::1"], vec!["::2", "::1"]),
            (vec![], vec![]),
        ] {
            let addresses = |texts: &[&str]| -> Vec<SocketAddr> {
                let each = texts.iter();
                each.map(|ip| SocketAddr::new(ip.parse().unwrap(), 443))
                    .collect()
            };
            assert_eq!(in_turn(addresses(&given)), addresses(&ordered));
        }
    }

    #[test]
    fn names_that_are_nobodys_on_the_internet() {
        for name in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "a.localhost.",
            "printer",
            "db.internal",
            "metadata.google.internal",
            "nas.local",
            "router.home.arpa",
            "",
            ".",
        ] {
            assert!(is_inside(&name.to_ascii_lowercase()), "{name}");
        }
        for name in [
            "example.com",
            "example.com.",
            "internal.example",
            "xlocal.de",
            "home.arpa.example",
        ] {
            assert!(!is_inside(name), "{name}");
        }
    }
}
