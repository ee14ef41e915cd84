//! Rates, connections, and a tidy end.

use std::time::Duration;

use api::{RateLimits, Settings};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{Client, exchange, read};
use crate::house::{House, settings};

#[tokio::test]
async fn calls_are_counted_by_account_and_bucket() {
    let house = House::with(Settings {
        rate_limits: RateLimits {
            default_per_minute: 5,
            create_per_minute: 2,
            ..RateLimits::NONE
        },
        ..settings()
    })
    .await;
    for left in (0..5).rev() {
        let answer = house.get("/v2/shipments").await;
        assert_eq!(answer.status, 200);
        let policy = answer.header("ratelimit-policy");
        assert_eq!(policy, Some("\"default\";q=5;w=60"));
        let stands = answer.header("ratelimit").unwrap();
        assert!(
            stands.starts_with(&format!("\"default\";r={left};t=")),
            "{stands}"
        );
    }
    let stopped = house.get("/v2/shipments").await;
    stopped.faults(429);
    let stands = stopped.header("ratelimit").unwrap();
    assert!(stands.starts_with("\"default\";r=0;t="), "{stands}");
    let after: u64 = stopped.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&after), "{after}");
    let neighbour = house.neighbour().await;
    assert_eq!(neighbour.get("/v2/shipments").await.status, 200);

    let told = Client::new(house.address).get("/v2/shipments").await;
    assert_eq!(told.header("ratelimit-policy"), None, "nobody's limit");

    let create = || async {
        house
            .client()
            .send("POST", "/v2/tracking_requests", Some(&json!({})))
            .await
    };
    create().await.faults(400);
    create().await.faults(400);
    let told = create().await.faults(429);
    assert!(
        told[0].contains("create tracking requests limit"),
        "{told:?}"
    );
}

#[tokio::test]
async fn the_rate_is_judged_before_the_body() {
    let house = House::with(Settings {
        rate_limits: RateLimits {
            create_per_minute: 1,
            ..RateLimits::NONE
        },
        ..settings()
    })
    .await;
    let head = format!(
        "POST /v2/tracking_requests HTTP/1.1\r\nHost: a\r\nAuthorization: Token {}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n",
        house.key,
    );
    exchange(house.address, format!("{head}{{}}").as_bytes())
        .await
        .faults(400);
    exchange(house.address, head.as_bytes()).await.faults(429);
}

#[tokio::test]
async fn guessing_keys_is_slow_and_good_keys_still_work() {
    let house = House::with(Settings {
        rate_limits: RateLimits {
            refused_keys_per_minute: 3,
            ..RateLimits::NONE
        },
        ..settings()
    })
    .await;
    let guess = Client::new(house.address).key("ct_live_guess");
    for _ in 0..3 {
        guess.get("/v2/shipments").await.faults(401);
    }
    guess.get("/v2/shipments").await.faults(429);
    assert_eq!(house.get("/v2/shipments").await.status, 200);
    Client::new(house.address)
        .get("/v2/shipments")
        .await
        .faults(401);
}

#[tokio::test]
async fn one_address_has_so_many_connections() {
    let house = House::with(Settings {
        connections_per_address_max: 2,
        ..settings()
    })
    .await;
    let request = b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n";
    let mut first = TcpStream::connect(house.address).await.unwrap();
    let mut some = [0u8; 4096];
    first.write_all(request).await.unwrap();
    assert!(first.read(&mut some).await.unwrap() > 0);
    // A head that has begun is no idle connection.
    first.write_all(b"GET /health/li").await.unwrap();
    let mut second = TcpStream::connect(house.address).await.unwrap();
    second.write_all(request).await.unwrap();
    assert!(second.read(&mut some).await.unwrap() > 0);
    let mut third = TcpStream::connect(house.address).await.unwrap();
    third
        .write_all(b"GET /health/live HTTP/1.1\r\n")
        .await
        .unwrap();
    assert_eq!(
        second.read(&mut some).await.unwrap(),
        0,
        "the idle one made room"
    );
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut fourth = TcpStream::connect(house.address).await.unwrap();
    fourth.write_all(request).await.unwrap();
    let refused = read(&mut fourth).await;
    refused.faults(503);
    first
        .write_all(b"ve HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    assert!(
        first.read(&mut some).await.unwrap() > 0,
        "the begun ones stay"
    );
}

#[tokio::test]
async fn at_the_end_begun_requests_are_answered() {
    let house = House::with(Settings {
        drain_notice: Duration::from_secs(3),
        body_grace: Duration::from_mins(1),
        ..settings()
    })
    .await;
    let head = format!(
        "POST /v2/webhooks HTTP/1.1\r\nHost: a\r\nAuthorization: Token {}\r\n\
         Content-Type: application/json\r\nContent-Length: 2\r\n\r\n",
        house.key,
    );
    let mut begun = TcpStream::connect(house.address).await.unwrap();
    begun.write_all(head.as_bytes()).await.unwrap();
    let mut idle = TcpStream::connect(house.address).await.unwrap();
    idle.write_all(b"GET /health/live HTTP/1.1\r\nHost: a\r\n\r\n")
        .await
        .unwrap();
    let mut some = [0u8; 4096];
    assert!(idle.read(&mut some).await.unwrap() > 0);
    house.stop.cancel();
    tokio::time::sleep(Duration::from_millis(100)).await;
    house.get("/health/ready").await.faults(503);
    assert_eq!(house.get("/health/live").await.status, 200);
    assert_eq!(
        idle.read(&mut some).await.unwrap(),
        0,
        "idle connections end"
    );
    assert!(
        TcpStream::connect(house.address).await.is_err(),
        "nobody new"
    );
    begun.write_all(b"{}").await.unwrap();
    read(&mut begun).await.faults(400);
    tokio::time::timeout(Duration::from_secs(30), house.served)
        .await
        .unwrap()
        .unwrap();
}
