//! A database that takes connections and says nothing.

use std::time::{Duration, Instant};

use api::Settings;
use store::Database;
use store::testing::PgServer;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, UnixStream};
use tokio::sync::watch;

use crate::client::Client;
use crate::house::{House, settings};

/// Passes on what comes, while it flows.
async fn pass(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut flows: watch::Receiver<bool>,
) {
    let mut some = vec![0u8; 64 * 1024];
    while let Ok(count @ 1..) = from.read(&mut some).await {
        if flows.wait_for(|flows| *flows).await.is_err() {
            return;
        }
        if to.write_all(&some[..count]).await.is_err() {
            return;
        }
    }
}

/// The address of this database by a way that can be closed.
async fn by_a_way(server: &PgServer) -> (String, watch::Sender<bool>) {
    let url = server.url();
    let place = url.strip_prefix("postgres://postgres@").unwrap();
    let (folder, name) = place.rsplit_once('/').unwrap();
    let socket = format!("{}/.s.PGSQL.5432", folder.replace("%2F", "/"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (flow, flows) = watch::channel(true);
    tokio::spawn(async move {
        while let Ok((near, _)) = listener.accept().await {
            let far = UnixStream::connect(&socket).await.unwrap();
            let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
            tokio::spawn(pass(near_in, far_out, flows.clone()));
            tokio::spawn(pass(far_in, near_out, flows.clone()));
        }
    });
    (format!("postgres://postgres@{address}/{name}"), flow)
}

#[tokio::test(flavor = "multi_thread")]
async fn who_calls_meanwhile_is_told_so_in_time() {
    let server = tokio::task::spawn_blocking(|| PgServer::start().unwrap());
    let server = server.await.unwrap();
    let (url, flow) = by_a_way(&server).await;
    let house = House::over(
        Settings {
            handler_timeout: Duration::from_millis(700),
            ..settings()
        },
        Database::Postgres { url },
    )
    .await;
    assert_eq!(house.get("/v2/shipments").await.status, 200);
    let stranger = Client::new(house.address);
    flow.send(false).unwrap();
    // What is known of a key is known for a second.
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    let begun = Instant::now();
    let answer = house.get("/v2/shipments").await;
    assert_eq!(answer.header("retry-after"), Some("1"));
    answer.faults(503);
    assert!(begun.elapsed() < Duration::from_secs(10));
    stranger.get("/v2/shipments").await.faults(401);
    flow.send(true).unwrap();
    let mut status = 503;
    while status == 503 && begun.elapsed() < Duration::from_mins(1) {
        status = house.get("/v2/shipments").await.status;
    }
    assert_eq!(status, 200, "it goes on by itself");
    drop(house);
    tokio::task::spawn_blocking(move || drop(server))
        .await
        .unwrap();
}
