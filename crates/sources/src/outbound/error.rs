//! How a request can fail before there is an answer.

use std::error::Error;
use std::fmt;

use http::StatusCode;

/// Part of a request that took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Resolving the name and opening the connection; by a proxy, until the proxy is asked.
    Connect,
    /// The TLS handshake.
    Tls,
    /// Waiting for the head of the answer.
    Head,
    /// Everything together.
    Whole,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Connect => "connecting",
            Self::Tls => "the TLS handshake",
            Self::Head => "waiting for an answer",
            Self::Whole => "the whole exchange",
        })
    }
}

/// No answer. None of the messages shows an address: they are stored and shown to users, and would tell
/// what the inside of the network looks like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OutboundError {
    /// The guard let none of the addresses pass.
    #[error("the address is not allowed")]
    BlockedAddress,
    /// The port is on the list of blocked ones.
    #[error("port {0} is not allowed")]
    BlockedPort(u16),
    /// Neither https nor an allowed http.
    #[error("the scheme {0:?} is not allowed")]
    Scheme(String),
    /// The target has no host.
    #[error("the target names no host")]
    NoHost,
    /// The name has no address, or the resolver did not answer.
    #[error("the name could not be resolved: {0}")]
    Resolve(String),
    /// Nothing accepted the connection.
    #[error("no connection: {0}")]
    Connect(String),
    /// The handshake failed, or the certificate is not trusted.
    #[error("no secure connection: {0}")]
    Tls(String),
    /// It took too long.
    #[error("{0} took too long")]
    Timeout(Stage),
    /// What came back is not HTTP, or the connection broke.
    #[error("the exchange broke off: {0}")]
    Protocol(String),
    /// The operator's proxy opened no tunnel.
    #[error(transparent)]
    Proxy(#[from] ProxyFailure),
    /// The compressed body cannot be unpacked, or would be too large.
    #[error("the compressed answer was refused: {0}")]
    Decode(String),
}

impl OutboundError {
    /// A stable word for it, for records of attempts and for metrics.
    pub fn code(&self) -> &'static str {
        match self {
            Self::BlockedAddress => "blocked_address",
            Self::BlockedPort(_) => "blocked_port",
            Self::Scheme(_) => "blocked_scheme",
            Self::NoHost => "no_host",
            Self::Resolve(_) => "resolve",
            Self::Connect(_) => "connect",
            Self::Tls(_) => "tls",
            Self::Timeout(_) => "timeout",
            Self::Protocol(_) => "protocol",
            Self::Proxy(failure) => failure.code(),
            Self::Decode(_) => "decode",
        }
    }

    /// What the pooled client says is wrapped several times; our own connector's word is at the bottom.
    pub(super) fn of_client(error: &(dyn Error + 'static)) -> Self {
        let mut bottom = error;
        loop {
            if let Some(own) = bottom.downcast_ref::<Self>() {
                return own.clone();
            }
            match bottom.source() {
                Some(source) => bottom = source,
                None => return Self::Protocol(bottom.to_string()),
            }
        }
    }
}

/// Why the proxy opened no tunnel. Its answer is never the target's, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProxyFailure {
    /// Nothing accepted the connection to it.
    #[error("the proxy cannot be reached: {0}")]
    Away(String),
    /// It answered with a status other than 200.
    #[error("the proxy refused the tunnel with status {}", .0.as_u16())]
    Refused(StatusCode),
    /// It was asked, and no answer came in time.
    #[error("the proxy did not answer in time")]
    Silent,
    /// It was asked, and no answer came in time, while it opens the way to others.
    #[error("the proxy, which opens the way to others, did not open this one in time")]
    Stalled,
    /// The connection to it broke, or what came is no answer that a proxy may give.
    #[error("the proxy's answer cannot be used: {0}")]
    Broken(String),
}

impl ProxyFailure {
    /// Whether the proxy says that it is the target that cannot be reached, or waits for that one alone. All else is the proxy's
    /// own failure, or its operator's will; silence too where nobody else is heard of, since nobody knows for what it waits.
    pub fn is_of_target(&self) -> bool {
        match self {
            Self::Refused(status) => matches!(status.as_u16(), 502..=504),
            Self::Stalled => true,
            Self::Away(_) | Self::Silent | Self::Broken(_) => false,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Refused(_) if self.is_of_target() => "proxy_connect",
            Self::Stalled => "proxy_connect",
            Self::Refused(_) => "proxy_refused",
            Self::Silent => "proxy_timeout",
            Self::Away(_) | Self::Broken(_) => "proxy_unreachable",
        }
    }
}

/// The client cannot be built.
#[derive(Debug, thiserror::Error)]
#[error("the TLS library refused its own settings")]
pub struct OutboundSetupError(#[from] rustls::Error);
