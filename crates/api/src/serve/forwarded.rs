//! Whom a request comes from, where a proxy stands in front.
//!
//! Behind a proxy all clients have one address, and who guesses keys would use up everybody's refusals. Proxies write into
//! `X-Forwarded-For` whom they were called by, each behind what it was sent; so what a client made up stands first, and is not
//! looked at. Only proxies that the operator trusts are believed, for nothing but this.

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName};
use sources::outbound::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Whether this is a proxy that is trusted.
pub(super) fn is_trusted(address: IpAddr, trusted: &[Network]) -> bool {
    trusted.iter().any(|network| network.contains(address))
}

/// The last address that is no trusted proxy; the peer's where the header does not tell it.
pub(super) fn client(peer: IpAddr, headers: &HeaderMap, trusted: &[Network]) -> IpAddr {
    if !is_trusted(peer, trusted) {
        return peer;
    }
    let lines: Vec<&[u8]> = headers
        .get_all(FORWARDED_FOR)
        .iter()
        .map(http::HeaderValue::as_bytes)
        .collect();
    let joined = lines.join(&b","[..]);
    for entry in joined.rsplit(|byte| *byte == b',') {
        match address(entry) {
            Some(address) if is_trusted(address, trusted) => {}
            Some(address) => return address,
            None => return peer,
        }
    }
    peer
}

/// An address; some proxies write the port behind it.
fn address(entry: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(entry).ok()?.trim();
    let plain = text.parse().ok();
    plain.or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client_of(peer: &str, lines: &[&str]) -> String {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|network| network.parse().unwrap());
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, line.parse().unwrap());
        }
        client(peer.parse().unwrap(), &headers, &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed_and_only_their_own_word() {
        let rows: [(&str, &[&str], &str); 10] = [
            ("192.0.2.7", &["203.0.113.9"], "192.0.2.7"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1, 203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9, 10.0.0.2"], "203.0.113.9"),
            ("10.0.0.1", &["198.51.100.1", "203.0.113.9"], "203.0.113.9"),
            ("10.0.0.1", &["203.0.113.9:4711"], "203.0.113.9"),
            ("fd00::1", &["2001:db8::9,fd00::2"], "2001:db8::9"),
            ("10.0.0.1", &["203.0.113.9, unknown"], "10.0.0.1"),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.1"),
        ];
        for (peer, lines, expected) in rows {
            assert_eq!(client_of(peer, lines), expected, "{peer} {lines:?}");
        }
        assert_eq!(
            client_of("::ffff:10.0.0.1", &["203.0.113.9"]),
            "203.0.113.9"
        );
    }
}
