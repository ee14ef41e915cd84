//! The early check of an address that somebody typed in.
//!
//! The connector judges again at every connect; this check is there to answer at once, with a reason. The one
//! thing only it can find is a spelling that reads as one host and means another: the URL standard repairs
//! `0x7f.1`, `①②⑦.0.0.1` and hosts with tabs in them. We refuse what needed repair.

use std::net::{IpAddr, SocketAddr};

use http::Uri;
use url::{Host, ParseError, Url};

use super::settings::{BLOCKED_PORTS, EgressSettings, Refusal};

/// The longest address taken.
pub const URL_BYTES_MAX: usize = 2048;

/// The longest name of a host, with the point that may end it.
const NAME_BYTES_MAX: usize = 254;

/// Why an address is not taken. Who reads it often runs the service too, so what an operator can open is named with
/// its setting. All that is closed for its address has one message: which of the settings closes it would tell where
/// this service listens.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlRefused {
    /// Too long.
    #[error("a URL has at most {URL_BYTES_MAX} bytes, this one has {0}")]
    TooLong(usize),
    /// A control character, a backslash or a space.
    #[error("a URL has no {0}")]
    Character(&'static str),
    /// Not a URL at all.
    #[error("not a URL: {0}")]
    Unreadable(String),
    /// `http`, which the operator has not allowed.
    #[error("http is not allowed here; the operator can allow it with egress.allow_http")]
    PlainHttp,
    /// Neither http nor https.
    #[error("the scheme {0:?} is not allowed")]
    Scheme(String),
    /// No host.
    #[error("the URL names no host")]
    NoHost,
    /// A name or password before the host.
    #[error("a URL with a user name or password is not allowed")]
    UserInfo,
    /// A part after `#`, which is never sent.
    #[error("a URL with a fragment is not allowed")]
    Fragment,
    /// A port that nothing opens.
    #[error("port {0} is not allowed, whatever the settings say")]
    Port(u16),
    /// A port that the operator closed.
    #[error("port {0} is not allowed: the operator has closed it with egress.blocked_ports")]
    PortClosed(u16),
    /// A host that would be read as another one.
    #[error("the host {given:?} would be read as {read:?}; write it that way")]
    HostSpelling {
        /// As typed.
        given: String,
        /// As it would be used.
        read: String,
    },
    /// A host with characters that no request can name it by.
    #[error("the host {0:?} has characters that no name has")]
    HostCharacters(String),
    /// A host that is too long, or has a part that is empty or too long.
    #[error(
        "the host {0:?} can be no name: its parts between points have 1 to 63 characters, and all of it {NAME_BYTES_MAX} at most"
    )]
    HostName(String),
    /// An address written as a number that is not allowed.
    #[error(
        "the address is not allowed: it is not public, or closed; the operator opens networks with \
         egress.allow_networks and closes them with egress.deny_networks"
    )]
    BlockedAddress,
    /// An address at which this service itself listens.
    #[error("the address is this service's own, which is never called, whatever the settings say")]
    Own,
}

/// Whether requests may be sent to this address, as far as that can be said without resolving a name.
pub fn check_url(text: &str, settings: &EgressSettings) -> Result<Url, UrlRefused> {
    check_text(text)?;
    let url = read(text)?;
    match url.scheme() {
        "https" => {}
        "http" if settings.allow_http => {}
        "http" => return Err(UrlRefused::PlainHttp),
        other => return Err(UrlRefused::Scheme(other.to_owned())),
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(UrlRefused::UserInfo);
    }
    if url.fragment().is_some() {
        return Err(UrlRefused::Fragment);
    }
    let host = url.host().ok_or(UrlRefused::NoHost)?.to_owned();
    check_spelling(text, &url, &host)?;
    if let Host::Domain(name) = &host {
        check_name(name)?;
    }
    on_the_wire(&url)?;
    let port = url.port_or_known_default().unwrap_or(0);
    if port == 0 || settings.blocked_ports.contains(&port) {
        return Err(match port {
            0 => UrlRefused::Port(port),
            _ if BLOCKED_PORTS.contains(&port) => UrlRefused::Port(port),
            _ => UrlRefused::PortClosed(port),
        });
    }
    let literal = match host {
        Host::Domain(_) => return Ok(url),
        Host::Ipv4(ip) => IpAddr::V4(ip),
        Host::Ipv6(ip) => IpAddr::V6(ip),
    };
    settings
        .judge(SocketAddr::new(literal, port))
        .map_err(|refusal| match refusal {
            Refusal::Own => UrlRefused::Own,
            Refusal::Denied | Refusal::NotPublic | Refusal::Port => UrlRefused::BlockedAddress,
        })?;
    Ok(url)
}

/// Where a request to this address goes. People write addresses in letters that HTTP does not have: on the wire a
/// host is in punycode, a path and a query are percent-encoded. It is the reading that [`check_url`] judges, so
/// that what was taken can be sent to and is the very host that was meant.
pub fn target(text: &str) -> Result<Uri, UrlRefused> {
    on_the_wire(&read(text)?)
}

fn read(text: &str) -> Result<Url, UrlRefused> {
    Url::parse(text).map_err(|error| {
        UrlRefused::Unreadable(match error {
            ParseError::RelativeUrlWithoutBase => "it begins with https://".to_owned(),
            ParseError::EmptyHost => return UrlRefused::NoHost,
            error => error.to_string(),
        })
    })
}

/// The URL standard has hosts that HTTP has not, such as `a{b}.example`; the rest of a read address is encoded.
fn on_the_wire(url: &Url) -> Result<Uri, UrlRefused> {
    let host = url.host_str().ok_or(UrlRefused::NoHost)?;
    let target = url.as_str().parse();
    target.map_err(|_| UrlRefused::HostCharacters(host.to_owned()))
}

/// What the parser would silently drop or turn round.
fn check_text(text: &str) -> Result<(), UrlRefused> {
    if text.len() > URL_BYTES_MAX {
        return Err(UrlRefused::TooLong(text.len()));
    }
    if text.chars().any(char::is_control) {
        return Err(UrlRefused::Character("control characters"));
    }
    if text.chars().any(char::is_whitespace) {
        return Err(UrlRefused::Character("spaces"));
    }
    if text.contains('\\') {
        return Err(UrlRefused::Character("backslashes"));
    }
    Ok(())
}

fn check_spelling(text: &str, url: &Url, host: &Host) -> Result<(), UrlRefused> {
    let authority = authority_of(text)
        .ok_or_else(|| UrlRefused::Unreadable("two slashes follow the scheme".to_owned()))?;
    if authority.contains('@') {
        return Err(UrlRefused::UserInfo);
    }
    let given = host_of(authority).to_lowercase();
    // The standard drops slashes too many: `https:///x` would be the host `x`.
    if given.is_empty() {
        return Err(UrlRefused::NoHost);
    }
    let read = url.host_str().unwrap_or_default();
    let same = match host {
        Host::Ipv6(ip) => {
            let bare = given
                .strip_prefix('[')
                .and_then(|host| host.strip_suffix(']'));
            bare.and_then(|bare| bare.parse().ok()) == Some(*ip)
        }
        Host::Ipv4(_) => given == read,
        Host::Domain(_) => given == read || given == url::quirks::domain_to_unicode(read),
    };
    if same {
        return Ok(());
    }
    Err(UrlRefused::HostSpelling {
        given,
        read: read.to_owned(),
    })
}

/// A name that no server of names can know: it would fail for ever (RFC 1035, 2.3.4).
fn check_name(name: &str) -> Result<(), UrlRefused> {
    let parts = name.strip_suffix('.').unwrap_or(name).split('.');
    let mut lengths = parts.map(str::len);
    let is_one = name.len() <= NAME_BYTES_MAX && lengths.all(|length| (1..=63).contains(&length));
    is_one
        .then_some(())
        .ok_or_else(|| UrlRefused::HostName(name.to_owned()))
}

/// What stands between `//` and the path.
pub(super) fn authority_of(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(':')?;
    rest.strip_prefix("//")?.split(['/', '?', '#']).next()
}

fn host_of(authority: &str) -> &str {
    if authority.starts_with('[') {
        return match authority.split_once(']') {
            Some((inside, _)) => authority.get(..=inside.len()).unwrap_or(authority),
            None => authority,
        };
    }
    authority.split(':').next().unwrap_or(authority)
}
