//! One connection, from its first byte to a tidy end.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use http::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{timeout, timeout_at};
use tower_service::Service;

use super::House;
use super::crowd::Guest;
use super::forwarded;
use super::wire::{Owed, Watched, Wire};
use crate::answer::Answer;
use crate::authenticate::Peer;
use crate::failure::Failure;
use crate::head::{self, HEAD_BYTES_MAX, HEADERS_MAX};
use crate::path;

/// How long what a refused client still sends is read and thrown away: closing at once would make its system
/// drop the answer unread.
const LINGER: Duration = Duration::from_secs(1);
/// How much of it.
const LINGER_BYTES_MAX: usize = 1024 * 1024;
/// Time to write a status that hyper could not.
const LAST_WORD_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) async fn drive(stream: TcpStream, peer: IpAddr, house: &House, guest: &Guest) {
    let settings = &house.app.settings;
    let wire = Wire::new(stream, Arc::clone(&guest.exchange), settings);
    let answered = {
        let (app, router) = (house.app.clone(), house.router.clone());
        let exchange = Arc::clone(&guest.exchange);
        service_fn(move |request: http::Request<Incoming>| {
            let has_one_length = exchange.begin();
            let (app, mut router) = (app.clone(), router.clone());
            let exchange = Arc::clone(&exchange);
            let answering: Pin<Box<dyn Future<Output = _> + Send>> = Box::pin(async move {
                let (mut parts, body) = request.into_parts();
                let trusted = &app.settings.trusted_proxies;
                let from = forwarded::client(peer, &parts.headers, trusted);
                parts.extensions.insert(Peer(from));
                let judged = if has_one_length {
                    head::judge(&parts)
                } else {
                    Err(head::two_lengths())
                };
                let response = match judged {
                    Ok(()) => {
                        parts.uri = path::tidied(parts.uri);
                        let request = Request::from_parts(parts, Body::new(body));
                        router
                            .call(request)
                            .await
                            .unwrap_or_else(|never| match never {})
                    }
                    Err(failure) => {
                        let id = app.request_id();
                        failure.answer(&id).respond(&id, None)
                    }
                };
                let watched = response.map(|body| Watched { body, exchange });
                Ok::<Response<Watched<Body>>, Infallible>(watched)
            });
            answering
        })
    };
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A backstop only: the wire's timers tell an idle connection from a slow head.
        .header_read_timeout(settings.idle_timeout + settings.head_timeout)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_BYTES_MAX)
        .half_close(true)
        .serve_connection(TokioIo::new(wire), answered);
    let mut closing = false;
    loop {
        tokio::select! {
            biased;
            // What hyper finds wrong is told by the wire: either a status is owed, or the peer is gone.
            _ = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break,
            () = house.closing.cancelled(), if !closing => {
                closing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = guest.leave.cancelled(), if !closing => {
                closing = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = house.aborting.cancelled() => return,
        }
    }
    let (stream, owed) = connection.into_parts().io.into_inner().end();
    let last_word = owed.map(|owed| last_word(house, owed));
    let _ = timeout(LAST_WORD_TIMEOUT, close(stream, last_word)).await;
}

/// No room: a status, and good-bye.
pub(super) async fn turn_away(stream: TcpStream, house: &House) {
    let id = house.app.request_id();
    let word = raw(&Failure::Crowded.answer(&id));
    let _ = timeout(LAST_WORD_TIMEOUT, close(stream, Some(word))).await;
}

fn last_word(house: &House, owed: Owed) -> Vec<u8> {
    let Owed { status, why } = owed;
    raw(&Failure::Head { status, why }.answer(&house.app.request_id()))
}

/// An answer as bytes, for when hyper has given the connection up.
fn raw(answer: &Answer) -> Vec<u8> {
    let retry_after = answer.headers.get(http::header::RETRY_AFTER);
    let retry_after = retry_after.and_then(|after| after.to_str().ok());
    let retry_after = retry_after.map(|after| format!("retry-after: {after}\r\n"));
    let head = format!(
        "HTTP/1.1 {}\r\ncontent-type: {}\r\ncontent-length: {}\r\n{}connection: close\r\n\r\n",
        answer.status,
        answer.media.as_str(),
        answer.body.len(),
        retry_after.unwrap_or_default(),
    );
    [head.as_bytes(), &answer.body].concat()
}

async fn close(mut stream: TcpStream, last_word: Option<Vec<u8>>) -> std::io::Result<()> {
    if let Some(word) = last_word {
        stream.write_all(&word).await?;
    }
    stream.shutdown().await?;
    let until = tokio::time::Instant::now() + LINGER;
    let mut waste = [0u8; 8 * 1024];
    let mut wasted = 0;
    while wasted < LINGER_BYTES_MAX {
        match timeout_at(until, stream.read(&mut waste)).await {
            Ok(Ok(read)) if read > 0 => wasted += read,
            _ => break,
        }
    }
    Ok(())
}
