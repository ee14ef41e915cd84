//! What a killed process leaves: everything that was acknowledged, and a free lock.
//!
//! The test starts itself as a second process, which opens the store and writes until it is killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use domain::ids::AccountId;
use store::testing::PgServer;
use store::{Database, Error, Key, OpenError, Settings, Store, account};
use uuid::Uuid;

use crate::bench::{account_row, begin, id};

/// Names the database to the second process.
const DATABASE: &str = "QUAYSIDE_TEST_KILLED_DATABASE";
/// Writes acknowledged before the kill.
const ACKNOWLEDGED: usize = 300;

#[test]
fn acknowledged_writes_survive_the_kill_of_a_sqlite_process() {
    let me = "killed::acknowledged_writes_survive_the_kill_of_a_sqlite_process";
    if let Ok(path) = std::env::var(DATABASE) {
        return write_until_killed(Database::Sqlite { path: path.into() });
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("killed.db");
    let database = Database::Sqlite { path: path.clone() };
    let (mut child, acknowledged) = second_process(me, &path.display().to_string());
    let refused = Store::open(&Settings::new(database.clone())).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::InUse { .. })),
        "{refused:?}"
    );
    kill(&mut child);
    all_are_there(database, acknowledged);
}

#[test]
fn acknowledged_writes_survive_the_kill_of_a_node() {
    let me = "killed::acknowledged_writes_survive_the_kill_of_a_node";
    if let Ok(url) = std::env::var(DATABASE) {
        return write_until_killed(Database::Postgres { url });
    }
    let server = PgServer::start().unwrap();
    let url = server.url();
    let (mut child, acknowledged) = second_process(me, &url);
    kill(&mut child);
    all_are_there(Database::Postgres { url }, acknowledged);
}

/// Another process that runs this test in its other role, and the ids it acknowledged so far.
fn second_process(test: &str, database: &str) -> (Child, Vec<AccountId>) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(DATABASE, database)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(child.stdout.take().unwrap()).lines();
    let ids = said.map(Result::unwrap).filter_map(|line| {
        let id = line.split_once("stored ")?.1.parse::<Uuid>().ok()?;
        Some(AccountId(id))
    });
    let acknowledged: Vec<AccountId> = ids.take(ACKNOWLEDGED).collect();
    assert_eq!(acknowledged.len(), ACKNOWLEDGED, "it ended by itself");
    (child, acknowledged)
}

fn kill(child: &mut Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Sixteen callers at a time, so that the kill meets groups.
fn write_until_killed(database: Database) {
    let store = Store::open(&Settings::new(database)).unwrap();
    runtime().block_on(async {
        for round in 0.. {
            let answers: Vec<_> = (0..16)
                .map(|_| {
                    let row = account::Account {
                        name: format!("{} {round}", id::<Uuid>()),
                        ..account_row()
                    };
                    let (store, id) = (store.clone(), row.id);
                    begin(async move {
                        let written: Result<(), Error> = store
                            .write(Key::account(id), move |tx| account::insert(tx, &row))
                            .await;
                        written.map(|()| id)
                    })
                })
                .collect();
            for answer in answers {
                println!("stored {}", answer.await.unwrap().unwrap());
            }
        }
    });
}

fn all_are_there(database: Database, acknowledged: Vec<AccountId>) {
    let store = Store::open(&Settings::new(database)).unwrap();
    let missing: Result<Vec<AccountId>, Error> = runtime().block_on(store.read(move |tx| {
        let mut missing = Vec::new();
        for id in &acknowledged {
            if account::find(tx, *id)?.is_none() {
                missing.push(*id);
            }
        }
        Ok(missing)
    }));
    assert_eq!(missing, Ok(Vec::new()));
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .build()
        .unwrap()
}
