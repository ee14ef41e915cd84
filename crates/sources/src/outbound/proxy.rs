//! The operator's HTTP proxy, where there is no other way out.
//!
//! It is the operator's word, so it is dialled without the guard: such a proxy usually stands on a private address. What
//! is asked of it is judged as ever ([`route`](super::route)).

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use percent_encoding::percent_decode_str;
use url::{Host, Url};

use super::url::{URL_BYTES_MAX, authority_of};

/// A proxy that opens tunnels (CONNECT). What is written of it for people has no login in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    pub(super) host: String,
    pub(super) port: u16,
    /// Marked as sensitive, so that it is never shown.
    pub(super) authorization: Option<HeaderValue>,
    /// Whether names are given to it as they are. Then what they lead to is for the proxy to refuse.
    pub resolves: bool,
}

/// Why a text names no proxy. None of the messages repeats it: it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProxyInvalid {
    /// Not a URL, or one of another scheme.
    #[error(
        "is no address such as http://proxy.example.com:3128 or http://user:password@proxy.example.com:3128; a character \
         of the password that means something in addresses is written as in %40"
    )]
    Form,
    /// No port is named; proxies have no usual one.
    #[error("names no port; write it behind the host, as in http://proxy.example.com:3128")]
    Port,
    /// There is something behind the port.
    #[error("has a path, a query or a fragment; a proxy is a host and a port")]
    Beyond,
    /// The user's name cannot be told from the password.
    #[error("has a user name with a colon in it, which no proxy can tell from the password")]
    User,
    /// Too long.
    #[error("has more than {URL_BYTES_MAX} bytes")]
    TooLong,
}

impl FromStr for Proxy {
    type Err = ProxyInvalid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() > URL_BYTES_MAX {
            return Err(ProxyInvalid::TooLong);
        }
        let url = Url::parse(text).map_err(|_| ProxyInvalid::Form)?;
        if url.scheme() != "http" {
            return Err(ProxyInvalid::Form);
        }
        if url.path() != "/" || url.query().is_some() || url.fragment().is_some() {
            return Err(ProxyInvalid::Beyond);
        }
        // The parser forgets the scheme's own port, and 80 may well be meant.
        let authority = authority_of(text).unwrap_or_default();
        let usual = authority.ends_with(":80").then_some(80);
        let port = url.port().or(usual).filter(|port| *port != 0);
        let host = match url.host().ok_or(ProxyInvalid::Form)? {
            Host::Domain(name) => name.to_owned(),
            Host::Ipv4(ip) => ip.to_string(),
            Host::Ipv6(ip) => ip.to_string(),
        };
        Ok(Self {
            host,
            port: port.ok_or(ProxyInvalid::Port)?,
            authorization: authorization(&url)?,
            resolves: false,
        })
    }
}

/// The login, as the proxy wants it said (RFC 7617).
fn authorization(url: &Url) -> Result<Option<HeaderValue>, ProxyInvalid> {
    let password = url.password();
    if url.username().is_empty() && password.is_none() {
        return Ok(None);
    }
    let mut login: Vec<u8> = percent_decode_str(url.username()).collect();
    if login.contains(&b':') {
        return Err(ProxyInvalid::User);
    }
    login.push(b':');
    login.extend(percent_decode_str(password.unwrap_or_default()));
    let said = format!("Basic {}", STANDARD.encode(login));
    let mut said = HeaderValue::try_from(said).map_err(|_| ProxyInvalid::Form)?;
    said.set_sensitive(true);
    Ok(Some(said))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_a_host_a_port_and_perhaps_a_login() {
        for (text, host, port, login) in [
            ("http://proxy.example:3128", "proxy.example", 3128, None),
            ("http://10.0.0.3:80/", "10.0.0.3", 80, None),
            ("http://[fd00::3]:8080", "fd00::3", 8080, None),
            ("http://a:b@proxy:1", "proxy", 1, Some("a:b")),
            ("http://a@proxy:1", "proxy", 1, Some("a:")),
            ("http://a:p%40%3a%2F+@proxy:1", "proxy", 1, Some("a:p@:/+")),
        ] {
            let proxy: Proxy = text.parse().unwrap();
            assert_eq!((proxy.host.as_str(), proxy.port), (host, port), "{text}");
            let said = login.map(|login| format!("Basic {}", STANDARD.encode(login)));
            let held = proxy.authorization.map(|held| held.as_bytes().to_vec());
            assert_eq!(held, said.map(String::into_bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_proxy_is_refused_without_being_repeated() {
        use ProxyInvalid::{Beyond, Form, Port, TooLong, User};
        let long = format!("http://{}:1", "secret".repeat(400));
        for (text, expected) in [
            ("https://secret@proxy:3128", Form),
            ("socks5://secret@proxy:1080", Form),
            ("proxy:3128", Form),
            ("secret", Form),
            ("http://", Form),
            ("http://proxy", Port),
            ("http://user:secret@proxy", Port),
            ("http://proxy:0", Port),
            ("http://user:80@proxy", Port),
            ("http://proxy:3128/secret", Beyond),
            ("http://proxy:3128?secret", Beyond),
            ("http://proxy:3128/#secret", Beyond),
            ("http://a%3Ab:secret@proxy:3128", User),
            (&long, TooLong),
        ] {
            let refused = text.parse::<Proxy>().unwrap_err();
            assert_eq!(refused, expected, "{text}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }

    #[test]
    fn the_login_is_shown_nowhere() {
        let proxy: Proxy = "http://ada:lovelace@proxy:3128".parse().unwrap();
        let shown = format!("{proxy:?}");
        let said = STANDARD.encode("ada:lovelace");
        for secret in ["ada", "lovelace", said.as_str()] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
}
