//! Who asks whether this node can work.

use std::time::{Duration, Instant};

use api::Settings;
use store::Database;
use store::testing::PgServer;

use crate::client::Client;
use crate::house::{House, settings};

/// A disk that takes a second for one commit is none to be ready on.
const LATER_MAX: Duration = Duration::from_secs(30);

/// Whether it says that it is ready, within the time.
async fn becomes_ready(house: &House) -> bool {
    let began = Instant::now();
    let stranger = Client::new(house.address);
    while stranger.get("/health/ready").await.status != 200 {
        if began.elapsed() > LATER_MAX {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    true
}

#[tokio::test]
async fn a_disk_without_room_is_none_to_be_ready_on() {
    // No disk has more than all of itself free, and any has nothing.
    for (free_percent_min, ready) in [(101, false), (0, true)] {
        let house = House::with(Settings {
            free_percent_min,
            ..settings()
        })
        .await;
        if ready {
            assert!(becomes_ready(&house).await);
            continue;
        }
        let told = Client::new(house.address).get("/health/ready").await;
        assert_eq!(told.faults(503), ["not ready"], "and not why");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_program_takes_no_node_of_the_one_before_out_of_service() {
    let server = tokio::task::spawn_blocking(|| PgServer::start().unwrap());
    let server = server.await.unwrap();
    let url = server.url();
    let house = House::over(settings(), Database::Postgres { url }).await;
    assert!(becomes_ready(&house).await);
    let newer = "insert into refinery_schema_history (version, name, applied_on, checksum)
                 values (999999, 'later', '2999-01-01T00:00:00Z', '0')";
    let administering = tokio::task::spawn_blocking(move || {
        server.administer(&[newer]).unwrap();
        server
    });
    let server = administering.await.unwrap();
    tokio::time::sleep(Duration::from_millis(400)).await;
    let stranger = Client::new(house.address);
    let told = stranger.get("/health/ready").await;
    assert_eq!(told.status, 200, "the new one may not listen yet");
    assert_eq!(house.get("/v2/shipments").await.status, 200, "it goes on");
    drop(house);
    let dropped = tokio::task::spawn_blocking(move || drop(server));
    dropped.await.unwrap();
}
