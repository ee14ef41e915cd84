//! The one door out: every request this program sends to a stranger goes through [`Outbound`].
//!
//! Webhook addresses are typed in by users, and a server that fetches what it is told to can be made to
//! talk to its own network. Checking the address when the webhook is saved does not help: the name can point
//! elsewhere a minute later. A hook in the resolver does not help either: it is never called when the host
//! is written as a number. So the check sits where nothing can go round it, in the connector, between the
//! resolver's answer and the socket: every address is judged on every connect, and only those that passed
//! are dialled ([`settings`], [`address`]). [`check_url`] is the early and polite version of it for the
//! person who types the address.
//!
//! What else this client does not do, on purpose: it follows no redirect (the address behind it has not
//! been chosen by anybody we trust, and a 307 would re-send body and signature), keeps no cookies, reads
//! no proxy variables, and reads no more of an answer than it was told to ([`body`]). Every phase has its own
//! time limit, and one limit is over all of them, because a peer that sends one byte a second passes each
//! of the small ones.
//!
//! Where the operator names a proxy, everything that is not inside goes out by a tunnel that the proxy opens, http as
//! well as https; the verdict stays here, as far as it can ([`route`], [`tunnel`]). Whom a secured connection reaches is
//! proved from end to end, inside the tunnel.
//!
//! The pool keeps connections, not verdicts: a connection in it goes to an address that passed when it was
//! opened, and a new one is resolved and judged afresh. None is used for longer than a minute ([`renewal`]). One that
//! was closed at the other end while a request was on its way fails nothing that may be sent again ([`again`]).

mod address;
mod again;
mod body;
mod complaint;
mod connector;
mod count;
mod error;
mod identity;
mod prompt;
mod proxy;
mod renewal;
mod resolver;
mod retry_after;
mod route;
mod settings;
mod tunnel;
mod unfinished;
mod url;

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::response::Parts;
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper_util::client::legacy::connect::{CaptureConnection, capture_connection};
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::{Instant, timeout_at};

pub use self::address::is_public;
pub use self::body::unpack;
pub use self::count::counted;
pub use self::error::{OutboundError, OutboundSetupError, ProxyFailure, Stage};
pub use self::identity::{Identity, IdentityUnusable};
pub use self::proxy::{Proxy, ProxyInvalid};
pub use self::resolver::{Resolve, Resolving, SystemResolver};
pub use self::retry_after::retry_after;
pub use self::settings::{BLOCKED_PORTS, EgressSettings, Network, NetworkInvalid, Refusal};
pub use self::unfinished::Unfinished;
pub use self::url::{URL_BYTES_MAX, UrlRefused, check_url, target};

use again::Heard;
use connector::{CONNECT_LIMIT, Connector};
use renewal::{OpenedAt, POOL_IDLE, REUSED_UNTIL};

/// How many unused connections are kept to one host.
const POOL_IDLE_PER_HOST_MAX: usize = 32;

/// What one request may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Resolving and connecting, by a proxy until the tunnel is open; and the same again for the TLS handshake.
    pub connect: Duration,
    /// From a ready connection to the end of the answer's head.
    pub head: Duration,
    /// Everything together, the body included.
    pub whole: Duration,
    /// How much of the body is read from the wire. What is beyond is not read.
    pub body_bytes_max: usize,
    /// Whether compressed answers are asked for and unpacked (counted while unpacking).
    pub decode: bool,
    /// Whether whoever is asked can tell that a request came twice, whatever its method. Those that may be done twice by
    /// their method need no such word ([`again`]).
    pub repeatable: bool,
    /// Whether an answer that names no length counts also where a secured connection was closed without the word for it. Nobody
    /// knows then whether it is whole; who only wants the status need not.
    pub may_be_torn: bool,
}

impl Limits {
    /// For carriers' and terminals' feeds.
    pub const FEED: Self = Self {
        connect: Duration::from_secs(5),
        head: Duration::from_secs(30),
        whole: Duration::from_secs(30),
        body_bytes_max: 5 * 1024 * 1024,
        decode: true,
        repeatable: false,
        may_be_torn: false,
    };

    /// For one attempt to deliver a webhook. Every delivery has an id that stays, by which receivers tell it again.
    pub const DELIVERY: Self = Self {
        connect: Duration::from_secs(5),
        head: Duration::from_secs(15),
        whole: Duration::from_secs(20),
        body_bytes_max: 16 * 1024,
        decode: false,
        repeatable: true,
        may_be_torn: true,
    };

    /// The same, but nothing takes longer than `whole`.
    #[must_use]
    pub fn within(self, whole: Duration) -> Self {
        Self {
            connect: self.connect.min(whole),
            head: self.head.min(whole),
            whole: self.whole.min(whole),
            ..self
        }
    }
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status, whatever it is; a redirect is an answer like any other.
    pub status: StatusCode,
    /// Its header fields.
    pub headers: HeaderMap,
    /// Its body, as far as it was read; unpacked when that was asked for.
    pub body: Bytes,
    /// Whether there was more than was read.
    pub truncated: bool,
}

/// The client. Clones share the pool.
#[derive(Clone)]
pub struct Outbound {
    client: Client<Connector, Full<Bytes>>,
    /// The same without a pool: every request has a new connection.
    afresh: Client<Connector, Full<Bytes>>,
    connector: Connector,
    settings: Arc<EgressSettings>,
    /// How old a connection may be and still be used again.
    reused_until: Duration,
}

impl std::fmt::Debug for Outbound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Outbound")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

impl Outbound {
    /// The client with the system's resolver and trust store.
    pub fn new(settings: EgressSettings) -> Result<Self, OutboundSetupError> {
        Self::with_resolver(settings, Arc::new(SystemResolver::new()))
    }

    /// The client with a resolver of the caller's choice. Its answers are judged like any other's.
    pub fn with_resolver(
        settings: EgressSettings,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, OutboundSetupError> {
        let settings = Arc::new(settings);
        let connector = Connector::new(Arc::clone(&settings), resolver)?;
        Ok(Self::over(connector, settings))
    }

    /// The same client with a pool of its own, which shows this certificate to whoever asks for one.
    #[must_use]
    pub fn known_as(&self, identity: &Identity) -> Self {
        let connector = self.connector.known_as(identity);
        Self::over(connector, Arc::clone(&self.settings))
    }

    fn over(connector: Connector, settings: Arc<EgressSettings>) -> Self {
        let client = |idle_per_host_max| {
            Client::builder(TokioExecutor::new())
                .pool_idle_timeout(POOL_IDLE)
                .pool_max_idle_per_host(idle_per_host_max)
                .pool_timer(TokioTimer::new())
                .timer(TokioTimer::new())
                .http1_max_headers(200)
                // As the reference interface writes them; over HTTP/2 all names are small.
                .http1_title_case_headers(true)
                .build(connector.clone())
        };
        Self {
            client: client(POOL_IDLE_PER_HOST_MAX),
            afresh: client(0),
            connector,
            settings,
            reused_until: REUSED_UNTIL,
        }
    }

    /// Whether there is a certificate that the system trusts. Without any, every https request fails.
    pub fn trusts_anybody(&self) -> bool {
        self.connector.trusts_anybody()
    }

    /// The rules this client keeps.
    pub fn settings(&self) -> &EgressSettings {
        &self.settings
    }

    /// Opens a plain connection to a feed that speaks no HTTP, and only speaks. Its addresses are judged like any other's.
    pub async fn open(
        &self,
        host: &str,
        port: u16,
        limit: Duration,
    ) -> Result<impl AsyncRead + std::fmt::Debug + Send + Unpin + use<>, OutboundError> {
        let line = self.connector.dial(host, port, limit).await?;
        // Such a feed may speak first, and a proxy may send that along with its own answer.
        Ok(Cursor::new(line.early).chain(line.tcp))
    }

    /// Sends one request and reads the answer, inside the limits. The request is sent once; a second time at most, when a
    /// kept connection broke and that does no harm ([`again`]).
    pub async fn send(
        &self,
        request: Request<Full<Bytes>>,
        limits: Limits,
    ) -> Result<Answer, OutboundError> {
        let sent = self.attempt(request, limits).await;
        sent.map_err(|unfinished| unfinished.error)
    }

    /// The same, for whoever wants to see what had come of the answer when it failed.
    pub async fn attempt(
        &self,
        mut request: Request<Full<Bytes>>,
        limits: Limits,
    ) -> Result<Answer, Unfinished> {
        self.settings.judge_target(request.uri())?;
        if limits.decode {
            let both = HeaderValue::from_static("gzip, deflate");
            request
                .headers_mut()
                .entry(header::ACCEPT_ENCODING)
                .or_insert(both);
        }
        let until = Instant::now() + limits.whole;
        let headed = timeout_at(until, self.head(request, limits)).await;
        let Headed {
            head,
            wire,
            captured,
            ..
        } = headed.unwrap_or(Err(OutboundError::Timeout(Stage::Whole)))?;
        // Kept outside of the reading, which ends wherever the limit finds it.
        let mut kept = BytesMut::new();
        let reading = self.body(&head, wire, limits, &captured, &mut kept);
        let read = timeout_at(until, reading).await;
        match read.unwrap_or(Err(OutboundError::Timeout(Stage::Whole))) {
            Ok((body, truncated)) => Ok(Answer {
                status: head.status,
                headers: head.headers,
                body,
                truncated,
            }),
            Err(error) => Err(Unfinished::after(error, head, kept.freeze())),
        }
    }

    /// The head of the answer, to this request or to the same one sent again.
    async fn head(
        &self,
        request: Request<Full<Bytes>>,
        limits: Limits,
    ) -> Result<Headed, OutboundError> {
        let second = again::is_harmless(request.method(), limits).then(|| request.clone());
        let first = once(&self.client, request, limits).await;
        let is_nobodys = match &first {
            Ok(headed) => headed.is_kept && headed.head.status == StatusCode::REQUEST_TIMEOUT,
            Err(Headless::Broken(error)) => again::broke_when_kept(error),
            Err(Headless::Late) => false,
        };
        match second.filter(|_| is_nobodys) {
            Some(second) => Ok(once(&self.afresh, second, limits).await?),
            None => Ok(first?),
        }
    }

    /// The body as it is to be shown, and whether there was more; `kept` holds what has come of it so far.
    async fn body(
        &self,
        head: &Parts,
        wire: Incoming,
        limits: Limits,
        captured: &CaptureConnection,
        kept: &mut BytesMut,
    ) -> Result<(Bytes, bool), OutboundError> {
        let has_end = wire.is_end_stream() || names_its_end(&head.headers);
        let truncated = body::read(wire, limits.body_bytes_max, kept).await?;
        if !(truncated || has_end || limits.may_be_torn) && Heard::is_torn(&head.extensions) {
            let reason = "the connection was torn off, and the answer names no length";
            return Err(OutboundError::Protocol(reason.to_owned()));
        }
        let opened_at = head.extensions.get::<OpenedAt>();
        if opened_at.is_some_and(|opened_at| opened_at.age() >= self.reused_until) {
            // The pool may hold it already: it looks for the mark when it hands a connection out.
            if let Some(connection) = captured.connection_metadata().as_ref() {
                connection.poison();
            }
        }
        let bytes = kept.split().freeze();
        if !limits.decode {
            return Ok((bytes, truncated));
        }
        let unpacked = body::unpack(
            &head.headers,
            bytes,
            truncated,
            limits.body_bytes_max,
            |_| true,
        )
        .await?;
        Ok((unpacked, truncated))
    }
}

/// Whether an answer says where its body ends. What is coded otherwise than in chunks ends with its connection (RFC 9112, 6.3).
fn names_its_end(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match codings.next_back().map(HeaderValue::to_str) {
        None => headers.contains_key(header::CONTENT_LENGTH),
        Some(Ok(codings)) => {
            let last = codings.rsplit(',').next().unwrap_or_default();
            last.trim().eq_ignore_ascii_case("chunked")
        }
        Some(Err(_)) => false,
    }
}

/// The head of an answer, its body, and the connection that they come over.
struct Headed {
    head: Parts,
    wire: Incoming,
    captured: CaptureConnection,
    /// Whether the connection had carried an answer before.
    is_kept: bool,
}

/// Why no head came.
enum Headless {
    /// The connection broke, or there was none.
    Broken(legacy::Error),
    /// It took too long.
    Late,
}

impl From<Headless> for OutboundError {
    fn from(failure: Headless) -> Self {
        match failure {
            Headless::Broken(error) => Self::of_client(&error),
            Headless::Late => Self::Timeout(Stage::Head),
        }
    }
}

/// Sends a request by this client, and waits for the head of its answer.
async fn once(
    client: &Client<Connector, Full<Bytes>>,
    mut request: Request<Full<Bytes>>,
    limits: Limits,
) -> Result<Headed, Headless> {
    count::another();
    let mut captured = capture_connection(&mut request);
    let mut sending = std::pin::pin!(CONNECT_LIMIT.scope(limits.connect, client.request(request)));
    let connected = async { drop(captured.wait_for_connection_metadata().await) };
    // The connector keeps its own time; the head's begins when there is a connection to wait on.
    let early = tokio::select! {
        biased;
        answer = &mut sending => Some(answer),
        () = connected => None,
    };
    let answer = match early {
        Some(answer) => answer,
        None => tokio::time::timeout(limits.head, sending)
            .await
            .map_err(|_| Headless::Late)?,
    };
    let (head, wire) = answer.map_err(Headless::Broken)?.into_parts();
    let is_kept = Heard::answered(&head.extensions);
    Ok(Headed {
        head,
        wire,
        captured,
        is_kept,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_length_or_chunks_tell_where_a_body_ends() {
        for (name, value, ends) in [
            ("content-length", "12", true),
            ("transfer-encoding", "chunked", true),
            ("transfer-encoding", "gzip, Chunked", true),
            ("transfer-encoding", "identity", false),
            ("transfer-encoding", "gzip", false),
            ("content-type", "text/csv", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            assert_eq!(names_its_end(&headers), ends, "{name}: {value}");
        }
    }
}
