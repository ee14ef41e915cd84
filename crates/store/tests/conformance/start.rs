//! What is refused at the start, and what is found again after one.

use store::{Database, OpenError, Settings, Store, account};

use crate::bench::{Bench, account_row};

on_both_engines!(
    everything_is_there_after_a_new_start,
    without_leave_to_migrate_an_empty_database_is_refused,
    a_database_of_a_newer_program_is_refused,
    a_database_of_an_unreleased_program_is_refused_with_what_is_to_be_done,
);

async fn everything_is_there_after_a_new_start(bench: &Bench) {
    let settings = beside(bench);
    let row = account_row();
    let id = row.id;
    for round in 0..3 {
        let store = Store::open(&settings).unwrap();
        if round == 0 {
            let row = row.clone();
            store
                .write(crate::bench::any_key(), move |tx| account::insert(tx, &row))
                .await
                .unwrap();
        }
        assert_eq!(
            store.read(move |tx| account::find(tx, id)).await,
            Ok(Some(row.clone()))
        );
    }
    let allowed_nothing = Settings {
        migrate: false,
        ..settings
    };
    Store::open(&allowed_nothing).expect("nothing is missing");
}

/// A database that no store is open on (SQLite), or the same one (PostgreSQL).
fn beside(bench: &Bench) -> Settings {
    match &bench.settings.database {
        Database::Sqlite { path } => Settings::new(Database::Sqlite {
            path: path.with_extension("beside"),
        }),
        Database::Postgres { .. } => bench.settings.clone(),
    }
}

async fn without_leave_to_migrate_an_empty_database_is_refused(bench: &Bench) {
    let settings = Settings {
        migrate: false,
        ..beside(bench)
    };
    if let Some(server) = &bench.server {
        server
            .administer(&["drop schema public cascade", "create schema public"])
            .unwrap();
    }
    let refused = Store::open(&settings).map(|_| ());
    assert!(
        matches!(
            refused,
            Err(OpenError::NotMigrated {
                found: 0,
                known: 1..
            })
        ),
        "{refused:?}"
    );
}

async fn a_database_of_a_newer_program_is_refused(bench: &Bench) {
    let settings = beside(bench);
    drop(Store::open(&settings).unwrap());
    let future = "insert into refinery_schema_history (version, name, applied_on, checksum)
        values (999, 'later', '2030-01-01T00:00:00Z', '7')";
    match (&settings.database, &bench.server) {
        (Database::Sqlite { path }, _) => {
            rusqlite::Connection::open(path)
                .unwrap()
                .execute(future, [])
                .unwrap();
        }
        (Database::Postgres { .. }, server) => {
            server.as_ref().unwrap().administer(&[future]).unwrap();
        }
    }
    let refused = Store::open(&settings).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::Newer { found: 999, .. })),
        "{refused:?}"
    );
}

async fn a_database_of_an_unreleased_program_is_refused_with_what_is_to_be_done(bench: &Bench) {
    let settings = beside(bench);
    drop(Store::open(&settings).unwrap());
    let changed = "update refinery_schema_history set checksum = '7' where version = 32";
    match (&settings.database, &bench.server) {
        (Database::Sqlite { path }, _) => {
            let door = rusqlite::Connection::open(path).unwrap();
            door.execute(changed, []).unwrap();
        }
        (Database::Postgres { .. }, server) => {
            server.as_ref().unwrap().administer(&[changed]).unwrap();
        }
    }
    for migrate in [true, false] {
        let settings = Settings {
            migrate,
            ..settings.clone()
        };
        let refused = Store::open(&settings).map(|_| ()).unwrap_err().to_string();
        assert!(
            refused.contains("V32__recalls") && refused.contains("begin an empty database"),
            "{migrate}: {refused}"
        );
    }
}

#[test]
fn a_user_of_postgresql_who_may_not_change_the_schema_is_told() {
    let bench = Bench::postgres();
    let server = bench.server.as_ref().unwrap();
    let Database::Postgres { url } = &bench.settings.database else {
        panic!("it is PostgreSQL");
    };
    let told = |url: &str| {
        let refused = Store::may_migrate(url).map_err(|error| error.to_string());
        refused.err().unwrap_or_default()
    };
    assert_eq!(told(url), "");
    // Users are the server's, which other tests share.
    let clerk = format!("clerk_{}", server.name());
    let clerks = url.replace("//postgres@", &format!("//{clerk}@"));
    let (made, granted) = (
        format!("create role {clerk} login"),
        format!("grant create on schema public to {clerk}"),
    );
    server.administer(&[&made]).unwrap();
    let lacking =
        format!("{clerk} may not bring it up to date: it may not make tables in schema public");
    assert!(told(&clerks).contains(&lacking), "{}", told(&clerks));
    server.administer(&[&granted]).unwrap();
    assert!(
        told(&clerks).contains("the tables are postgres's"),
        "{}",
        told(&clerks)
    );
    // An empty database, as a server of version 15 gives it to a user.
    let empty = [
        "drop schema public cascade",
        "create schema public",
        "grant usage on schema public to public",
    ];
    server.administer(&empty).unwrap();
    let settings = Settings::new(Database::Postgres {
        url: clerks.clone(),
    });
    let refused = Store::open(&settings).map(|_| ()).unwrap_err();
    assert!(
        matches!(&refused, OpenError::MayNotMigrate { user, .. } if *user == clerk),
        "{refused:?}"
    );
    server.administer(&[&granted]).unwrap();
    assert_eq!(told(&clerks), "");
    drop(Store::open(&settings).unwrap());
}

#[test]
fn a_second_process_is_refused_until_the_first_has_gone() {
    let bench = Bench::sqlite();
    // A lock is held by an open file, not by a process: another opening is like another process.
    let refused = Store::open(&bench.settings).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::InUse { .. })),
        "{refused:?}"
    );
    let clone = bench.store.clone();
    let settings = bench.settings.clone();
    let (store, directory) = bench.into_parts();
    drop(store);
    assert!(Store::open(&settings).is_err(), "a clone still serves it");
    drop(clone);
    Store::open(&settings).expect("nobody serves it");
    drop(directory);
}

#[test]
fn a_file_that_is_no_database_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory
        .path()
        .join("no such directory")
        .join("deep")
        .join("test.db");
    Store::open(&Settings::new(Database::Sqlite { path })).expect("directories are made");
    let path = directory.path().to_owned();
    let refused = Store::open(&Settings::new(Database::Sqlite { path })).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::Unreachable(_))),
        "{refused:?}"
    );
}

#[test]
fn a_store_is_begun_where_a_link_leads() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (link, target) = (here.path().join("store.db"), there.path().join("store.db"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    drop(Store::open(&Settings::new(Database::Sqlite { path: link.clone() })).unwrap());
    assert!(link.is_symlink());
    assert!(target.metadata().unwrap().len() > 0);
}

#[test]
fn a_first_start_that_fails_leaves_nothing_that_tells_of_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    // In the place where one is begun.
    let in_the_way = folder.path().join("store.db.begun");
    std::fs::create_dir(&in_the_way).unwrap();
    let settings = Settings::new(Database::Sqlite { path });
    let refused = Store::open(&settings).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::Unreachable(_))),
        "{refused:?}"
    );
    let left = std::fs::read_dir(folder.path()).unwrap();
    let left: Vec<_> = left.map(|file| file.unwrap().path()).collect();
    assert_eq!(left, std::slice::from_ref(&in_the_way));
    std::fs::remove_dir(&in_the_way).unwrap();
    Store::open(&settings).unwrap();
}
