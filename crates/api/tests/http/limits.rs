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

async fn guarded_against_guesses(trusted_proxies: &[&str]) -> House {
    let trusted = trusted_proxies.iter().map(|network| network.parse());
    House::with(Settings {
        rate_limits: RateLimits {
            refused_keys_per_minute: 2,
            ..RateLimits::NONE
        },
        trusted_proxies: trusted.collect::<Result<_, _>>().unwrap(),
        ..settings()
    })
    .await
}

/// The status of a guess that bears this `X-Forwarded-For`.
async fn guess(house: &House, forwarded_for: &str) -> u16 {
    let client = Client::new(house.address).key("ct_live_guess");
    let client = client.header("X-Forwarded-For", forwarded_for);
    client.get("/v2/shipments").await.status
}

#[tokio::test]
async fn who_is_no_trusted_proxy_is_who_calls_whatever_it_says() {
    for trusted in [&[][..], &["10.0.0.0/8"]] {
        let house = guarded_against_guesses(trusted).await;
        let mut told = Vec::new();
        for client in ["203.0.113.1", "203.0.113.2", "203.0.113.3", "10.0.0.1"] {
            told.push(guess(&house, client).await);
        }
        assert_eq!(told, [401, 401, 429, 429]);
    }
}

#[tokio::test]
async fn clients_behind_a_trusted_proxy_guess_for_themselves() {
    let house = guarded_against_guesses(&["127.0.0.0/8"]).await;
    for client in ["203.0.113.1", "203.0.113.2"] {
        // What stands before it the client made up.
        for (made_up, status) in [("192.0.2.1", 401), ("192.0.2.2", 401), ("192.0.2.3", 429)] {
            let forwarded = format!("{made_up}, {client}");
            assert_eq!(guess(&house, &forwarded).await, status, "{forwarded}");
        }
    }
    // An unreadable one is the proxy's own.
    let mut told = Vec::new();
    for unreadable in ["203.0.113.3, x", "203.0.113.4, x", "203.0.113.5, x"] {
        told.push(guess(&house, unreadable).await);
    }
    assert_eq!(told, [401, 401, 429]);
}

#[tokio::test]
async fn a_trusted_proxy_has_more_connections_than_one_address() {
    let house = House::with(Settings {
        connections_per_address_max: 1,
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        ..settings()
    })
    .await;
    // A head that has begun is no idle connection.
    let mut begun = TcpStream::connect(house.address).await.unwrap();
    begun.write_all(b"GET /health/li").await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(house.get("/health/live").await.status, 200);
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
async fn of_those_without_room_so_many_are_told() {
    let house = House::with(Settings {
        connections_per_address_max: 1,
        ..settings()
    })
    .await;
    let mut busy = TcpStream::connect(house.address).await.unwrap();
    busy.write_all(b"GET /health/li").await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let mut others = Vec::new();
    for _ in 0..200 {
        others.push(TcpStream::connect(house.address).await.unwrap());
    }
    let (mut told, mut silent) = (0, 0);
    for mut other in others {
        match read(&mut other).await.status {
            503 => told += 1,
            0 => silent += 1,
            status => panic!("{status}"),
        }
    }
    // Who is told lingers for a moment, and then another one may be.
    assert!((1..=128).contains(&told) && silent > 0, "{told} {silent}");
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
