//! The guard itself: between the resolver's answer and the socket.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Uri;
use http::uri::Authority;
use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use rustls::client::Resumption;
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

use super::again::Heard;
use super::complaint::Complaint;
use super::error::{OutboundError, OutboundSetupError, ProxyFailure, Stage};
use super::identity::Identity;
use super::prompt::Prompt;
use super::proxy::Proxy;
use super::renewal::OpenedAt;
use super::resolver::Resolve;
use super::route::{self, Way};
use super::settings::{EgressSettings, port_of};
use super::tunnel::{self, Line};

/// How many addresses of the proxy are tried.
const PROXY_ADDRESSES_MAX: usize = 6;
/// For a connection that nobody is waiting for any more.
const CONNECT_DEFAULT: Duration = Duration::from_secs(5);

/// A proxy that opened a tunnel so shortly before one was asked for, or since, is there: one that it does not open waits for its
/// target.
const OPENS_FOR: Duration = Duration::from_secs(30);

tokio::task_local! {
    /// The connect limit of the request that asks for the connection: the pooled client passes its
    /// connector an address and nothing else.
    pub(super) static CONNECT_LIMIT: Duration;
}

#[derive(Clone)]
pub(super) struct Connector {
    settings: Arc<EgressSettings>,
    resolver: Arc<dyn Resolve>,
    tls: TlsConnector,
    trusts_anybody: bool,
    complaint: Arc<Complaint>,
    /// When the proxy last opened a tunnel, wherever to.
    opened: Arc<Mutex<Option<Instant>>>,
}

impl Connector {
    pub(super) fn new(
        settings: Arc<EgressSettings>,
        resolver: Arc<dyn Resolve>,
    ) -> Result<Self, OutboundSetupError> {
        let roots = trusted();
        Ok(Self {
            settings,
            resolver,
            trusts_anybody: !roots.is_empty(),
            tls: TlsConnector::from(Arc::new(tls_settings(roots)?)),
            complaint: Arc::default(),
            opened: Arc::default(),
        })
    }

    pub(super) fn trusts_anybody(&self) -> bool {
        self.trusts_anybody
    }

    /// The same, and whoever asks who we are is shown this. Sessions are not shared: one that was opened without it
    /// would be resumed without it.
    pub(super) fn known_as(&self, identity: &Identity) -> Self {
        let mut tls = ClientConfig::clone(self.tls.config());
        tls.client_auth_cert_resolver = identity.resolver();
        tls.resumption = Resumption::default();
        Self {
            tls: TlsConnector::from(Arc::new(tls)),
            ..self.clone()
        }
    }

    async fn connect(self, target: Uri, limit: Duration) -> Result<TokioIo<Stream>, OutboundError> {
        self.settings.judge_target(&target)?;
        let host = bare_host(&target)?;
        let Line { tcp, early } = self.dial(&host, port_of(&target), limit).await?;
        if !early.is_empty() {
            let failure = ProxyFailure::Broken("it goes on behind its end".to_owned());
            self.complaint.make(&failure);
            return Err(failure.into());
        }
        let tcp = Prompt(tcp);
        if target.scheme_str() == Some("http") {
            return Ok(TokioIo::new(Stream::over(tcp)));
        }
        let name = ServerName::try_from(host).map_err(|e| OutboundError::Tls(e.to_string()))?;
        let secured = timeout(limit, self.tls.connect(name, tcp))
            .await
            .map_err(|_| OutboundError::Timeout(Stage::Tls))?
            .map_err(|e| OutboundError::Tls(e.to_string()))?;
        Ok(TokioIo::new(Stream::over(secured)))
    }

    /// Judges all that a target leads to, and opens a connection to what passed, within this time.
    pub(super) async fn dial(
        &self,
        host: &str,
        port: u16,
        limit: Duration,
    ) -> Result<Line, OutboundError> {
        let ends = Instant::now() + limit;
        let way = route::way(&self.settings, self.resolver.as_ref(), host, port);
        let way = timeout_at(ends, way)
            .await
            .map_err(|_| OutboundError::Timeout(Stage::Connect))??;
        match way {
            Way::Straight(addresses) => Ok(Line {
                tcp: call(&addresses, ends).await?,
                early: Bytes::new(),
            }),
            Way::Proxied(proxy, targets) => {
                let opened = self.tunnel(proxy, &targets, ends).await;
                Ok(opened.inspect_err(|failure| self.complaint.make(failure))?)
            }
        }
    }

    /// Asks the proxy for these targets in turn.
    async fn tunnel(
        &self,
        proxy: &Proxy,
        targets: &[Authority],
        ends: Instant,
    ) -> Result<Line, ProxyFailure> {
        let (asked_at, mut failure) = (Instant::now(), ProxyFailure::Silent);
        for (following, target) in (0..targets.len()).rev().zip(targets) {
            let until = turn(ends, following);
            let tcp = self.reach(proxy, until).await?;
            let asked = tunnel::open(tcp, target, proxy.authorization.as_ref());
            failure = match timeout_at(until, asked).await {
                Ok(Ok(line)) => {
                    *self.opened() = Some(Instant::now());
                    return Ok(line);
                }
                Ok(Err(failed)) => failed,
                Err(_) => ProxyFailure::Silent,
            };
        }
        let opens_others = self
            .opened()
            .is_some_and(|at| asked_at.saturating_duration_since(at) < OPENS_FOR);
        Err(match failure {
            ProxyFailure::Silent if opens_others => ProxyFailure::Stalled,
            other => other,
        })
    }

    fn opened(&self) -> MutexGuard<'_, Option<Instant>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A connection to the proxy, wherever it is.
    async fn reach(&self, proxy: &Proxy, ends: Instant) -> Result<TcpStream, ProxyFailure> {
        let away = |failed: OutboundError| ProxyFailure::Away(failed.to_string());
        let found = route::addresses(self.resolver.as_ref(), &proxy.host);
        let found = timeout_at(ends, found)
            .await
            .map_err(|_| away(OutboundError::Timeout(Stage::Connect)))?
            .map_err(away)?;
        let found = found.into_iter().map(|ip| SocketAddr::new(ip, proxy.port));
        let mut found = route::in_turn(found.collect());
        found.truncate(PROXY_ADDRESSES_MAX);
        call(&found, ends).await.map_err(away)
    }
}

/// Connects to the first of the addresses, in turn, that accepts it.
async fn call(addresses: &[SocketAddr], ends: Instant) -> Result<TcpStream, OutboundError> {
    let mut failure = OutboundError::BlockedAddress;
    for (following, address) in (0..addresses.len()).rev().zip(addresses) {
        let connecting = TcpStream::connect(address);
        failure = match timeout_at(turn(ends, following), connecting).await {
            Ok(Ok(tcp)) => {
                // A request is one small write; waiting to fill a packet would only delay it.
                tcp.set_nodelay(true).ok();
                return Ok(tcp);
            }
            Ok(Err(e)) => OutboundError::Connect(e.kind().to_string()),
            Err(_) => OutboundError::Timeout(Stage::Connect),
        };
    }
    Err(failure)
}

/// When the turn of one ends that has so many behind it.
fn turn(ends: Instant, following: usize) -> Instant {
    let now = Instant::now();
    now + patience(ends.saturating_duration_since(now), following)
}

/// How long one address may take, with so many behind it: half of the time that is left, so that one that swallows
/// packets leaves time for the next; the last one has all of it.
fn patience(left: Duration, following: usize) -> Duration {
    if following == 0 { left } else { left / 2 }
}

/// The host without the brackets of an IPv6 literal.
fn bare_host(target: &Uri) -> Result<String, OutboundError> {
    let host = target
        .host()
        .filter(|host| !host.is_empty())
        .ok_or(OutboundError::NoHost)?;
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    Ok(bare.unwrap_or(host).to_owned())
}

/// The operator's own trust store.
fn trusted() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    let (trusted, _) = roots.add_parsable_certificates(found.certs);
    if trusted == 0 {
        tracing::warn!(errors = ?found.errors, "no trusted certificates found; every https request will fail");
    }
    roots
}

/// TLS with these roots. The provider is named here, once: with two providers in the dependency tree the library would
/// otherwise panic at the first handshake.
fn tls_settings(roots: RootCertStore) -> Result<ClientConfig, OutboundSetupError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut settings = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    settings.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(settings)
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<Stream>;
    type Error = OutboundError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, target: Uri) -> Self::Future {
        let limit = CONNECT_LIMIT
            .try_with(|limit| *limit)
            .unwrap_or(CONNECT_DEFAULT);
        Box::pin(self.clone().connect(target, limit))
    }
}

/// A connection, secured or not.
pub(super) struct Stream {
    inner: Box<dyn Duplex>,
    opened_at: OpenedAt,
    heard: Heard,
}

impl Stream {
    fn over(inner: impl Duplex + 'static) -> Self {
        Self {
            inner: Box::new(inner),
            opened_at: OpenedAt::now(),
            heard: Heard::default(),
        }
    }
}

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

impl Connection for Stream {
    fn connected(&self) -> Connected {
        Connected::new()
            .extra(self.opened_at)
            .extra(self.heard.clone())
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.heard.is_endless() {
            let reason = "the head of the answer is too long";
            return Poll::Ready(Err(io::Error::new(io::ErrorKind::InvalidData, reason)));
        }
        let before = buf.filled().len();
        let read = Pin::new(&mut self.inner).poll_read(cx, buf);
        let came = buf.filled().len() - before;
        if came > 0 {
            self.heard.came(came);
        }
        match read {
            // Closed without a word, as many servers do. Whoever knows how long an answer is sees whether it is whole.
            Poll::Ready(Err(e)) if e.kind() == io::ErrorKind::UnexpectedEof => {
                self.heard.tear();
                Poll::Ready(Ok(()))
            }
            read => read,
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.heard.written();
        Pin::new(&mut self.inner).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.heard.written();
        Pin::new(&mut self.inner).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A secured connection whose other end hangs up without the word for it.
    struct HungUp;

    impl AsyncRead for HungUp {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()))
        }
    }

    impl AsyncWrite for HungUp {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            written: &[u8],
        ) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(written.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn who_hangs_up_without_a_word_has_ended() {
        let mut stream = Stream::over(HungUp);
        let mut shown = http::Extensions::new();
        shown.insert(stream.heard.clone());
        assert!(!Heard::is_torn(&shown));
        let mut read = Vec::new();
        let ended = tokio::io::AsyncReadExt::read_to_end(&mut stream, &mut read).await;
        assert_eq!(ended.unwrap(), 0);
        assert!(Heard::is_torn(&shown), "and it is known how");
    }

    #[test]
    fn the_last_address_has_all_that_the_others_left() {
        let second = Duration::from_secs(1);
        assert_eq!(patience(second * 5, 0), second * 5);
        assert_eq!(patience(second * 5, 1), second * 5 / 2);
        assert_eq!(patience(second * 5 / 2, 0), second * 5 / 2);
        assert_eq!(patience(Duration::ZERO, 3), Duration::ZERO);
    }
}
