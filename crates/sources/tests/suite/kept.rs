//! Connections that are kept, and closed at the other end in the moment in which they are used again.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Method, Request, StatusCode};
use http_body_util::Full;
use sources::outbound::{Answer, Limits, Outbound, OutboundError};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Barrier;

use crate::outbound::{LIMITS, Scripted, Server, ok, open};

/// Whoever is asked can tell that it came twice.
const KNOWN: Limits = Limits {
    repeatable: true,
    may_be_torn: true,
    ..LIMITS
};

/// What becomes of a connection when a request has come over it whole.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Answered,
    /// Ended in good order.
    Closed,
    Reset,
    /// Ended in good order within the head of an answer.
    Begun,
}

/// What becomes of the requests of each connection in turn; of the last connection's, for ever.
type Script = &'static [&'static [End]];

async fn server(script: Script) -> Server {
    let connections = Arc::new(AtomicUsize::new(0));
    let serve = move |mut tcp: TcpStream, heard: Arc<Mutex<String>>| {
        let number = connections.fetch_add(1, Ordering::SeqCst);
        let ends = script.get(number).or(script.last()).unwrap();
        async move {
            for end in *ends {
                let Some(request) = whole(&mut tcp).await else {
                    return;
                };
                heard.lock().unwrap().push_str(&request);
                match end {
                    End::Answered => tcp.write_all(&ok("", b"ok")).await.unwrap(),
                    End::Closed => return,
                    End::Reset => return tcp.set_zero_linger().unwrap(),
                    End::Begun => return tcp.write_all(b"HTTP/1.1 2").await.unwrap(),
                }
            }
            whole(&mut tcp).await;
        }
    };
    Server::with(serve).await
}

/// The next request to its last byte, so that closing behind it resets nothing.
async fn whole(tcp: &mut TcpStream) -> Option<String> {
    let (mut request, mut piece) = (String::new(), [0; 4_096]);
    loop {
        match tcp.read(&mut piece).await {
            Ok(read) if read > 0 => request.push_str(&String::from_utf8_lossy(&piece[..read])),
            _ => return None,
        }
        let end = if request.starts_with("POST") {
            "\r\n\r\n{}"
        } else {
            "\r\n\r\n"
        };
        if request.ends_with(end) {
            return Some(request);
        }
    }
}

async fn ask(
    outbound: &Outbound,
    method: Method,
    url: &str,
    limits: Limits,
) -> Result<Answer, OutboundError> {
    let body = if method == Method::POST { "{}" } else { "" };
    let request = Request::builder()
        .method(method)
        .uri(url)
        .header("webhook-id", "7")
        .body(Full::new(Bytes::from(body)))
        .unwrap();
    let answer = outbound.send(request, limits).await;
    // The pool has the connection back when whatever is ready to run has run.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    answer
}

/// Two requests one after the other, the first of which has been answered.
async fn twice(server: &Server, method: Method, limits: Limits) -> Result<Answer, OutboundError> {
    let outbound = Outbound::new(open()).unwrap();
    let first = ask(&outbound, method.clone(), &server.url(), limits).await;
    assert_eq!(first.unwrap().status, StatusCode::OK);
    ask(&outbound, method, &server.url(), limits).await
}

#[tokio::test]
async fn a_request_that_broke_a_kept_connection_goes_out_once_more_on_a_new_one() {
    let closed: Script = &[&[End::Answered, End::Closed], &[End::Answered]];
    let reset: Script = &[&[End::Answered, End::Reset], &[End::Answered]];
    for script in [closed, reset] {
        let server = server(script).await;
        let second = twice(&server, Method::POST, KNOWN).await;
        assert_eq!(second.unwrap().status, StatusCode::OK, "{script:?}");
        assert_eq!(server.connections(), 2, "{script:?}");
        let heard = server.heard();
        let sent: Vec<&str> = heard.split_inclusive("{}").collect();
        assert_eq!(sent.len(), 3, "{script:?}: {heard}");
        assert_eq!(sent[1], sent[2], "the same bytes and headers");
    }
}

#[tokio::test]
async fn on_a_new_connection_nothing_goes_out_twice() {
    let (closed, reset): (Script, Script) = (&[&[End::Closed]], &[&[End::Reset]]);
    for script in [closed, reset] {
        let server = server(script).await;
        let outbound = Outbound::new(open()).unwrap();
        let broken = ask(&outbound, Method::POST, &server.url(), KNOWN).await;
        assert!(matches!(broken, Err(OutboundError::Protocol(_))));
        let broken = ask(&outbound, Method::GET, &server.url(), KNOWN).await;
        assert!(matches!(broken, Err(OutboundError::Protocol(_))));
        assert_eq!(server.connections(), 2, "one for each");
    }
}

#[tokio::test]
async fn a_second_connection_that_breaks_is_the_last() {
    let server = server(&[&[End::Answered, End::Reset], &[End::Reset]]).await;
    let second = twice(&server, Method::POST, KNOWN).await;
    assert!(matches!(second, Err(OutboundError::Protocol(_))));
    assert_eq!(server.connections(), 2);
}

/// What is in the pool may all have gone the same way.
#[tokio::test]
async fn the_second_time_takes_no_other_kept_connection() {
    let both = Arc::new(Barrier::new(2));
    let serve = move |mut tcp: TcpStream, heard: Arc<Mutex<String>>| {
        let both = Arc::clone(&both);
        async move {
            let Some(first) = whole(&mut tcp).await else {
                return;
            };
            heard.lock().unwrap().push_str(&first);
            if heard.lock().unwrap().matches("POST").count() <= 2 {
                // So that there are two of them.
                both.wait().await;
            }
            tcp.write_all(&ok("", b"ok")).await.unwrap();
            whole(&mut tcp).await;
            tcp.set_zero_linger().unwrap();
        }
    };
    let server = Server::with(serve).await;
    let (outbound, url) = (Outbound::new(open()).unwrap(), server.url());
    let first = ask(&outbound, Method::POST, &url, KNOWN);
    let second = ask(&outbound, Method::POST, &url, KNOWN);
    let (first, second) = tokio::join!(first, second);
    assert!(first.is_ok() && second.is_ok());
    let third = ask(&outbound, Method::POST, &url, KNOWN).await;
    assert_eq!(third.unwrap().status, StatusCode::OK);
    assert_eq!(server.connections(), 3);
}

#[tokio::test]
async fn an_answer_that_began_is_not_asked_for_again() {
    let server = server(&[&[End::Answered, End::Begun], &[End::Answered]]).await;
    let second = twice(&server, Method::GET, KNOWN).await;
    assert!(matches!(second, Err(OutboundError::Protocol(_))));
    assert_eq!(server.connections(), 1);
}

/// Whether it came twice cannot be told by a receiver that knows nothing but the method.
#[tokio::test]
async fn what_may_not_be_done_twice_goes_out_once() {
    let script: Script = &[&[End::Answered, End::Reset], &[End::Answered]];
    let posted = server(script).await;
    let second = twice(&posted, Method::POST, LIMITS).await;
    assert!(matches!(second, Err(OutboundError::Protocol(_))));
    assert_eq!(posted.connections(), 1);
    let asked = server(script).await;
    let second = twice(&asked, Method::GET, LIMITS).await;
    assert_eq!(second.unwrap().status, StatusCode::OK);
    assert_eq!(asked.connections(), 2);
}

#[tokio::test]
async fn the_new_connection_is_judged_like_any_other() {
    let server = server(&[&[End::Answered, End::Reset], &[End::Answered]]).await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let outbound = Outbound::with_resolver(open(), resolver.clone()).unwrap();
    let url = format!("http://moved.example:{}/", server.address.port());
    let first = ask(&outbound, Method::POST, &url, KNOWN).await;
    assert_eq!(first.unwrap().status, StatusCode::OK);
    let second = ask(&outbound, Method::POST, &url, KNOWN).await;
    assert_eq!(second.unwrap_err(), OutboundError::BlockedAddress);
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    assert_eq!(server.connections(), 1);
}
