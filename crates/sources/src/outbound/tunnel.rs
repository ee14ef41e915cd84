//! Asking the proxy for a tunnel, with HTTP's CONNECT.
//!
//! The library's own client asks and reads the answer; hyper-util's `Tunnel`, which would do it all, forgets the status and
//! drops bytes that came with the head. Two rules are ours. Nothing but 200 opens a tunnel, and no other status leaves
//! here as an answer: a 410 of the proxy must never be taken for one of the receiver. And what came behind the head is
//! handed over with the tunnel, for the connector to judge: whoever is called over HTTP or TLS has to wait for our first
//! word, so such bytes are the proxy's own and would be read as the receiver's; a feed may well speak first.

use bytes::Bytes;
use http::uri::Authority;
use http::{HeaderValue, Method, Request, StatusCode, header};
use http_body_util::Empty;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::error::ProxyFailure;

/// How long the head of the proxy's answer may be. What follows it is not read.
const HEAD_BYTES_MAX: usize = 8 * 1024;

/// An open connection, and what has come over it already.
pub(super) struct Line {
    pub(super) tcp: TcpStream,
    pub(super) early: Bytes,
}

/// Asks for a tunnel to `target` over a connection to the proxy. Takes as long as the proxy does.
pub(super) async fn open(
    tcp: TcpStream,
    target: &Authority,
    authorization: Option<&HeaderValue>,
) -> Result<Line, ProxyFailure> {
    let request = request(target, authorization)?;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(HEAD_BYTES_MAX);
    let handshake = builder.handshake(TokioIo::new(tcp)).await;
    let (mut sender, connection) = handshake.map_err(|e| broken(&e))?;
    let answered = async {
        match sender
            .send_request(request)
            .await
            .map_err(|e| broken(&e))?
            .status()
        {
            StatusCode::OK => Ok(()),
            status => Err(ProxyFailure::Refused(status)),
        }
    };
    // A connection that breaks behind the answer takes none of the answer back.
    let carried = async { Ok(connection.without_shutdown().await) };
    let ((), carried) = tokio::try_join!(answered, carried)?;
    let parts = carried.map_err(|e| broken(&e))?;
    Ok(Line {
        tcp: parts.io.into_inner(),
        early: parts.read_buf,
    })
}

fn request(
    target: &Authority,
    authorization: Option<&HeaderValue>,
) -> Result<Request<Empty<Bytes>>, ProxyFailure> {
    let unsaid = |_| ProxyFailure::Broken("it cannot be asked for this host".into());
    let host = HeaderValue::from_str(target.as_str()).map_err(unsaid)?;
    let mut request = Request::new(Empty::new());
    *request.method_mut() = Method::CONNECT;
    *request.uri_mut() = target.clone().into();
    let headers = request.headers_mut();
    headers.insert(header::HOST, host);
    if let Some(authorization) = authorization {
        headers.insert(header::PROXY_AUTHORIZATION, authorization.clone());
    }
    Ok(request)
}

fn broken(error: &hyper::Error) -> ProxyFailure {
    ProxyFailure::Broken(error.to_string())
}
