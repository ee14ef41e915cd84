//! Heads as bytes: what is no HTTP, what reads as two things, what is too much, what comes too slowly.

use std::time::{Duration, Instant};

use api::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{exchange, read};
use crate::house::{House, settings};

#[tokio::test]
async fn heads_that_are_refused() {
    let house = House::open().await;
    let key = format!("Authorization: Token {}\r\n", house.key);
    let long = |bytes: usize| "a".repeat(bytes);
    let many = "X-Again: 1\r\n".repeat(101);
    let host = "Host: quay.example\r\n";
    for (name, status, head) in [
        (
            "no Host",
            400,
            format!("GET /health/live HTTP/1.1\r\n{key}\r\n"),
        ),
        (
            "two Hosts",
            400,
            format!("GET /health/live HTTP/1.1\r\n{host}Host: b\r\n\r\n"),
        ),
        (
            "Host with a user",
            400,
            "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n".into(),
        ),
        (
            "Host with a space",
            400,
            "GET / HTTP/1.1\r\nHost: a b\r\n\r\n".into(),
        ),
        ("empty Host", 400, "GET / HTTP/1.1\r\nHost:\r\n\r\n".into()),
        (
            "two keys",
            400,
            format!("GET /v2/shipments HTTP/1.1\r\n{host}{key}{key}\r\n"),
        ),
        (
            "Host with a port that is none",
            400,
            "GET / HTTP/1.1\r\nHost: a:99999999\r\n\r\n".into(),
        ),
        (
            "a coding before the chunks",
            400,
            party(&key, "Transfer-Encoding: gzip, chunked\r\n"),
        ),
        (
            "chunks said twice",
            400,
            party(&key, &format!("{CHUNKED}{CHUNKED}")),
        ),
        (
            "both lengths",
            400,
            party(&key, &format!("Content-Length: 81\r\n{CHUNKED}")),
        ),
        (
            "both lengths, the other way round",
            400,
            party(&key, &format!("{CHUNKED}Content-Length: 81\r\n")),
        ),
        (
            "two lengths that are equal",
            400,
            party(&key, "Content-Length: 70\r\ncontent-length: 70\r\n"),
        ),
        (
            "two codings",
            415,
            party(
                &key,
                "Content-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 70\r\n",
            ),
        ),
        (
            "two lengths",
            400,
            format!("POST / HTTP/1.1\r\n{host}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{{}}"),
        ),
        (
            "a length that is none",
            400,
            format!("POST / HTTP/1.1\r\n{host}Content-Length: two\r\n\r\n{{}}"),
        ),
        (
            "folded line",
            400,
            format!("GET / HTTP/1.1\r\n{host}X-A: 1\r\n 2\r\n\r\n"),
        ),
        (
            "bare CR",
            400,
            format!("GET / HTTP/1.1\r\n{host}X-A: 1\r2\r\n\r\n"),
        ),
        (
            "space before colon",
            400,
            format!("GET / HTTP/1.1\r\n{host}X-A : 1\r\n\r\n"),
        ),
        (
            "NUL in a header",
            400,
            format!("GET / HTTP/1.1\r\n{host}X-A: 1\0\r\n\r\n"),
        ),
        ("no method", 400, format!("G@T / HTTP/1.1\r\n{host}\r\n")),
        ("no version", 400, format!("GET /\r\n{host}\r\n")),
        ("nonsense", 400, "hello\r\n\r\n".into()),
        (
            "long target",
            414,
            format!("GET /{} HTTP/1.1\r\n{host}\r\n", long(9_000)),
        ),
        (
            "target as long as a head",
            414,
            format!("GET /{} HTTP/1.1\r\n{host}\r\n", long(40_000)),
        ),
        (
            "very long target",
            414,
            format!("GET /{} HTTP/1.1\r\n{host}\r\n", long(70_000)),
        ),
        (
            "long header",
            431,
            format!("GET / HTTP/1.1\r\n{host}X-A: {}\r\n\r\n", long(9_000)),
        ),
        (
            "huge header",
            431,
            format!("GET / HTTP/1.1\r\n{host}X-A: {}\r\n\r\n", long(70_000)),
        ),
        (
            "many headers",
            431,
            format!("GET / HTTP/1.1\r\n{host}{many}\r\n"),
        ),
        (
            "proxying",
            400,
            format!("CONNECT quay.example:443 HTTP/1.1\r\n{host}\r\n"),
        ),
        (
            "unknown method",
            405,
            format!("BREW / HTTP/1.1\r\n{host}Connection: close\r\n\r\n"),
        ),
    ] {
        let answer = exchange(house.address, head.as_bytes()).await;
        assert_eq!(answer.status, status, "{name}: {answer:?}");
        answer.faults(status);
    }
    assert_eq!(house.get("/health/live").await.status, 200, "still there");
    // The same body is taken when its head says one thing.
    for lines in [
        CHUNKED,
        "Content-Length: 70\r\nContent-Encoding: identity\r\n",
    ] {
        let answer = exchange(house.address, party(&key, lines).as_bytes()).await;
        assert_eq!(answer.status, 201, "{answer:?}");
    }
    let behind = format!(
        "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n{}",
        party(&key, &format!("{CHUNKED}Content-Length: 81\r\n"))
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(behind.as_bytes()).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    let statuses =
        ["200", "400", "201"].map(|status| text.matches(&format!("HTTP/1.1 {status}")).count());
    assert_eq!(statuses, [1, 1, 0], "{text}");
    assert_eq!(house.get("/v2/parties").await.ids().len(), 2);
}

/// As old probes of load balancers ask.
#[tokio::test]
async fn what_speaks_http_1_0_is_answered_without_a_host() {
    let house = House::open().await;
    let key = format!("Authorization: Token {}\r\n", house.key);
    for (target, lines, status) in [
        ("/health/live", "", 200),
        ("/health/ready", "", 200),
        ("/v2/shipments", key.as_str(), 200),
        ("/v2/shipments", "", 401),
        ("/nowhere", "", 404),
    ] {
        let head = format!("GET {target} HTTP/1.0\r\n{lines}\r\n");
        let answer = exchange(house.address, head.as_bytes()).await;
        assert_eq!(answer.status, status, "{target}: {answer:?}");
    }
}

const CHUNKED: &str = "Transfer-Encoding: chunked\r\n";

/// A call that makes a party, with these lines about its body.
fn party(key: &str, lines: &str) -> String {
    let body = r#"{"data":{"type":"party","attributes":{"company_name":"Acme Freight"}}}"#;
    let body = if lines.contains("chunked") {
        format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len())
    } else {
        body.to_owned()
    };
    format!(
        "POST /v2/parties HTTP/1.1\r\nHost: a\r\n{key}Content-Type: application/json\r\nConnection: close\r\n\
         {lines}\r\n{body}"
    )
}

#[tokio::test]
async fn a_head_that_begins_behind_a_request_has_the_time_of_a_head() {
    let quick = Settings {
        head_timeout: Duration::from_millis(500),
        ..settings()
    };
    let house = House::with(quick).await;
    let begun = Instant::now();
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let both = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\nGET /health/live HT";
    stream.write_all(both).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "not the time of an idle one"
    );
    assert_eq!(text.matches("HTTP/1.1 200").count(), 1, "{text}");
    assert_eq!(text.matches("HTTP/1.1 408").count(), 1, "{text}");
}

#[tokio::test]
async fn old_clients_need_no_host() {
    let house = House::open().await;
    let answer = exchange(house.address, b"GET /health/live HTTP/1.0\r\n\r\n").await;
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_slow_head_gets_a_status_and_an_idle_connection_ends() {
    let quick = Settings {
        head_timeout: Duration::from_millis(300),
        idle_timeout: Duration::from_secs(6),
        ..settings()
    };
    let house = House::with(quick).await;
    let begun = Instant::now();
    let mut slow = TcpStream::connect(house.address).await.unwrap();
    for byte in b"GET /health/live HT" {
        if slow.write_all(&[*byte]).await.is_err() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    let answer = read(&mut slow).await;
    answer.faults(408);
    // Not only after the time that is usual.
    assert!(begun.elapsed() < Settings::default().head_timeout);

    let mut silent = TcpStream::connect(house.address).await.unwrap();
    assert_eq!(read(&mut silent).await.status, 0, "closed without a word");

    let mut idle = TcpStream::connect(house.address).await.unwrap();
    let request = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    idle.write_all(request).await.unwrap();
    let mut some = [0u8; 4096];
    assert!(idle.read(&mut some).await.unwrap() > 0);
    let answered = Instant::now();
    tokio::time::sleep(Duration::from_secs(1)).await;
    idle.write_all(request).await.unwrap();
    assert!(
        idle.read(&mut some).await.unwrap() > 0,
        "idle for less than allowed"
    );
    let rest = read(&mut idle).await;
    assert_eq!(rest.status, 0, "closed without a word");
    assert!(answered.elapsed() >= Duration::from_millis(6_900));
}

#[tokio::test]
async fn requests_in_a_row_on_one_connection() {
    let house = House::open().await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let one = "GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    let last = "GET /v2/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    stream
        .write_all(format!("{one}{one}{last}").as_bytes())
        .await
        .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text.matches("HTTP/1.1 200").count(), 2, "{text}");
    assert_eq!(text.matches("HTTP/1.1 404").count(), 1, "{text}");
}

#[tokio::test]
async fn slow_bodies_get_a_status() {
    let quick = Settings {
        body_grace: Duration::from_millis(200),
        body_timeout: Duration::from_secs(2),
        ..settings()
    };
    let house = House::with(quick).await;
    let head = format!(
        "POST /v2/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Token {}\r\n\
         Content-Type: application/json\r\nContent-Length: 5000\r\n\r\n{{",
        house.key,
    );
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    read(&mut stream).await.faults(408);
}

#[tokio::test]
async fn a_body_that_is_too_long_is_refused_before_it_is_sent() {
    let house = House::open().await;
    let head = format!(
        "POST /v2/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Token {}\r\n\
         Content-Type: application/json\r\nContent-Length: 300000\r\n\r\n",
        house.key,
    );
    exchange(house.address, head.as_bytes()).await.faults(413);
    let chunk = format!("{:x}\r\n{}\r\n", 65_536, "a".repeat(65_536));
    let chunked = format!(
        "POST /v2/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Token {}\r\n\
         Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        house.key,
        chunk.repeat(6),
    );
    exchange(house.address, chunked.as_bytes())
        .await
        .faults(413);
}
