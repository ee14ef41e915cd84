//! What the operator opened and closed, and the verdict on one address.

use std::fmt;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::str::FromStr;

use http::Uri;

use super::address::is_public;
use super::error::OutboundError;
use super::proxy::Proxy;

/// Ports that speak no HTTP and have been used to make one service talk to another.
pub const BLOCKED_PORTS: [u16; 11] = [22, 23, 25, 110, 143, 445, 3306, 5432, 6379, 9200, 11211];

/// What may be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressSettings {
    /// Networks that may be reached though they are not public. Exactly these.
    pub allow_networks: Vec<Network>,
    /// Networks that may not be reached, whatever else is said.
    pub deny_networks: Vec<Network>,
    /// Whether `http` is allowed beside `https`.
    pub allow_http: bool,
    /// Ports that may not be reached.
    pub blocked_ports: Vec<u16>,
    /// Where this service itself listens; never reached, even inside an allowed network.
    pub own_addresses: Vec<SocketAddr>,
    /// By whom everything is reached that does not lie in an allowed network.
    pub proxy: Option<Proxy>,
}

impl Default for EgressSettings {
    /// Public addresses over https only.
    fn default() -> Self {
        Self {
            allow_networks: Vec::new(),
            deny_networks: Vec::new(),
            allow_http: false,
            blocked_ports: BLOCKED_PORTS.to_vec(),
            own_addresses: Vec::new(),
            proxy: None,
        }
    }
}

/// Why an address is not dialled. Kept apart from the message, which never shows the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// This service listens there.
    Own,
    /// The operator closed it.
    Denied,
    /// It is not a public address and nobody opened it.
    NotPublic,
    /// The port is blocked.
    Port,
}

impl EgressSettings {
    /// The verdict on one address. `Ok` is the address to dial: an IPv4 address that came dressed as IPv6
    /// is judged and dialled as IPv4.
    pub fn judge(&self, address: SocketAddr) -> Result<SocketAddr, Refusal> {
        let plain = SocketAddr::new(address.ip().to_canonical(), address.port());
        let ip = plain.ip();
        if self.blocked_ports.contains(&plain.port()) || plain.port() == 0 {
            return Err(Refusal::Port);
        }
        if self
            .own_addresses
            .iter()
            .any(|own| is_same_listener(*own, plain))
        {
            return Err(Refusal::Own);
        }
        if self
            .deny_networks
            .iter()
            .any(|network| network.contains(ip))
        {
            return Err(Refusal::Denied);
        }
        if self.opens(ip) || is_public(ip) {
            return Ok(plain);
        }
        Err(Refusal::NotPublic)
    }

    /// Whether the address lies in a network that the operator opened.
    pub(super) fn opens(&self, ip: IpAddr) -> bool {
        let mut opened = self.allow_networks.iter();
        opened.any(|network| network.contains(ip))
    }

    /// The verdict on scheme and port, before anything is resolved.
    pub(super) fn judge_target(&self, target: &Uri) -> Result<(), OutboundError> {
        match target.scheme_str() {
            Some("https") => {}
            Some("http") if self.allow_http => {}
            scheme => {
                return Err(OutboundError::Scheme(
                    scheme.unwrap_or("no scheme").to_owned(),
                ));
            }
        }
        self.judge_port(port_of(target))
    }

    pub(super) fn judge_port(&self, port: u16) -> Result<(), OutboundError> {
        if self.blocked_ports.contains(&port) || port == 0 {
            return Err(OutboundError::BlockedPort(port));
        }
        Ok(())
    }
}

/// The port of a target, the scheme's own when none is named.
pub(super) fn port_of(target: &Uri) -> u16 {
    let usual = if target.scheme_str() == Some("http") {
        80
    } else {
        443
    };
    target.port_u16().unwrap_or(usual)
}

/// Whether dialling `target` would reach the listener at `own`. A listener on the unspecified address
/// answers on every address of this machine; whether an address is one of those is asked of the system,
/// which lets a socket be bound only to its own.
fn is_same_listener(own: SocketAddr, target: SocketAddr) -> bool {
    if own.port() != target.port() {
        return false;
    }
    let own_ip = own.ip().to_canonical();
    let here = || UdpSocket::bind((target.ip(), 0)).is_ok();
    // To dial the unspecified address is to dial this machine.
    own_ip == target.ip() || target.ip().is_unspecified() || (own_ip.is_unspecified() && here())
}

/// A block of addresses: `10.1.0.0/16`, `fd00::/8`, or one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix_bits: u8,
}

/// Why a text is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a network is an address and a prefix length such as 10.0.0.0/8, not {0:?}")]
pub struct NetworkInvalid(pub String);

impl Network {
    /// Whether the address is in it. An IPv4 address in IPv6 dress counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(ip)) => {
                let shift = 32 - u32::from(self.prefix_bits);
                (base.to_bits() ^ ip.to_bits())
                    .checked_shr(shift)
                    .unwrap_or(0)
                    == 0
            }
            (IpAddr::V6(base), IpAddr::V6(ip)) => {
                let shift = 128 - u32::from(self.prefix_bits);
                (base.to_bits() ^ ip.to_bits())
                    .checked_shr(shift)
                    .unwrap_or(0)
                    == 0
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = NetworkInvalid;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || NetworkInvalid(text.chars().take(64).collect());
        let (base, prefix) = match text.trim().split_once('/') {
            Some((base, prefix)) => (base, Some(prefix)),
            None => (text.trim(), None),
        };
        let base: IpAddr = base.parse().map_err(|_| invalid())?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let prefix_bits = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| invalid())?,
            None => most,
        };
        if prefix_bits > most {
            return Err(invalid());
        }
        // Addresses are judged in their own dress, and so must be what they are compared with.
        let (base, prefix_bits) = match (base, base.to_canonical()) {
            (IpAddr::V6(_), plain @ IpAddr::V4(_)) if prefix_bits >= 96 => {
                (plain, prefix_bits - 96)
            }
            // It reaches beyond the IPv4 addresses: nobody can say what is meant.
            (IpAddr::V6(_), IpAddr::V4(_)) => return Err(invalid()),
            _ => (base, prefix_bits),
        };
        Ok(Self { base, prefix_bits })
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix_bits)
    }
}
