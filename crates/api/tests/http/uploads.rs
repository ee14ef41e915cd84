//! Messages on their way in: who may send them is judged as early as can be, and what comes has bounds.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use api::Settings;
use async_compression::tokio::write::GzipEncoder;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tracking::Source;

use crate::client::{Answer, exchange, read};
use crate::house::{House, settings};

/// Room for four steps of 64 KiB.
const ROOM: usize = 256 * 1024;

fn source(id: &str, proof: &str) -> Source {
    let text = format!(
        "id = \"{id}\"\nprotocol = \"edi\"\n[inbound]\nproof = \"{proof}\"\nfield = \"X-Key\"\n"
    );
    let profile = sources::Profile::parse(&text).unwrap();
    let doors = profile.doors.clone();
    let secrets = BTreeMap::from([("inbound".to_owned(), "s3cret".to_owned())]);
    Source::unasked(profile)
        .with_doors(doors, &secrets)
        .unwrap()
}

async fn house(settings: Settings) -> House {
    let sources = vec![source("hub", "field"), source("line", "hmac-sha256")];
    House::taking(settings, sources).await
}

fn small() -> Settings {
    Settings {
        uploads_bytes_max: ROOM,
        ..settings()
    }
}

fn head(path: &str, lines: &str, length: usize) -> String {
    format!("POST {path} HTTP/1.1\r\nHost: a\r\n{lines}Content-Length: {length}\r\n\r\n")
}

async fn begun(house: &House, head: &str, bytes: usize) -> TcpStream {
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    // What is refused meanwhile may be closed.
    let _ = stream.write_all(&vec![b' '; bytes]).await;
    stream
}

#[tokio::test]
async fn a_proof_in_the_head_is_judged_before_the_body_comes() {
    let house = house(settings()).await;
    let long = 20 * 1024 * 1024;
    for (path, lines) in [
        ("/inbound/hub", ""),
        ("/inbound/hub", "X-Key: s3cre\r\n"),
        ("/inbound/line", ""),
        ("/inbound/hub", "Authorization: Token ct_live_nobody\r\n"),
    ] {
        let begun = Instant::now();
        let head = head(path, lines, long);
        let answer = exchange(house.address, head.as_bytes()).await;
        answer.faults(401);
        assert!(begun.elapsed() < Duration::from_secs(4), "{path} {lines}");
    }
}

#[tokio::test]
async fn what_has_come_of_all_messages_is_bounded() {
    let house = house(small()).await;
    let signed = head("/inbound/line", "X-Key: 00\r\n", 1_000_000);
    let held = begun(&house, &signed, 200_000).await;
    // Announced lengths take nothing from others.
    let mut announced = Vec::new();
    for _ in 0..20 {
        announced.push(begun(&house, &signed, 0).await);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut second = begun(&house, &signed, 200_000).await;
    let refused = read(&mut second).await;
    assert_eq!(refused.header("retry-after"), Some("5"));
    refused.faults(503);
    // Who has shown the secret has a room of its own.
    let known = head(
        "/inbound/hub",
        "X-Key: s3cret\r\nConnection: close\r\n",
        200_000,
    );
    let body = known + &"x".repeat(200_000);
    assert_eq!(exchange(house.address, body.as_bytes()).await.status, 202);
    drop((held, announced));
    tokio::time::sleep(Duration::from_millis(300)).await;
    let whole = head(
        "/inbound/line",
        "X-Key: 00\r\nConnection: close\r\n",
        200_000,
    );
    let body = whole + &"x".repeat(200_000);
    exchange(house.address, body.as_bytes()).await.faults(401);
}

#[tokio::test]
async fn a_message_has_so_much_time_however_long_it_is() {
    let house = house(Settings {
        upload_timeout: Duration::from_secs(1),
        ..settings()
    });
    let house = house.await;
    let signed = head("/inbound/line", "X-Key: 00\r\n", 20 * 1024 * 1024);
    let start = Instant::now();
    let mut slow = begun(&house, &signed, 500_000).await;
    read(&mut slow).await.faults(408);
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_source_that_is_no_text_is_none() {
    let house = House::open().await;
    for path in ["/inbound/%ff", "/inbound/nobody", "/v2/sources/%ff"] {
        house.get(path).await.faults(404);
    }
}

/// Packed, as a sender with little bandwidth does.
async fn packed(text: &str) -> Vec<u8> {
    let mut encoder = GzipEncoder::new(Vec::new());
    encoder.write_all(text.as_bytes()).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

/// So many lines of ten letters, each number so often.
fn numbers(lines: usize, each: usize) -> String {
    let lines: Vec<String> = (0..lines).map(|n| format!("{:09}\n", n / each)).collect();
    lines.concat()
}

async fn bring_packed(house: &House, text: &str) -> Answer {
    let body = packed(text).await;
    let lines = "X-Key: s3cret\r\nContent-Encoding: gzip\r\nConnection: close\r\n";
    let mut request = head("/inbound/hub", lines, body.len()).into_bytes();
    request.extend(body);
    exchange(house.address, &request).await
}

#[tokio::test]
async fn what_a_message_unpacks_to_takes_its_room_too() {
    let house = house(small()).await;
    let refused = bring_packed(&house, &numbers(ROOM / 9, 1)).await;
    assert_eq!(refused.header("retry-after"), Some("5"));
    refused.faults(503);
    let taken = bring_packed(&house, &numbers(ROOM / 20, 1)).await;
    assert_eq!(taken.status, 202);
}

#[tokio::test]
async fn a_message_that_unpacks_to_the_longest_there_may_be_has_room_and_a_longer_one_is_refused_for_good()
 {
    let house = house(settings()).await;
    let longest = 20 * 1024 * 1024;
    let text = numbers(longest / 10, 40);
    assert_eq!(bring_packed(&house, &text).await.status, 202);
    let longer = text + &numbers(10_000, 1);
    bring_packed(&house, &longer).await.faults(400);
}
