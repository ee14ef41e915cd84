//! Boxes are listed by what holds them and what they owe: from the first answer after an upgrade, and whatever is told later.

use std::time::Duration;

use domain::container::{Fee, FeeKind, Hold, HoldName, HoldStatus, Pickup};
use domain::ids::{AccountId, ContainerId};
use rust_decimal::Decimal;
use store::container::{self, Container, ContainerFilter, Projected, finds_alike};
use store::{Database, OpenError, Settings, Slice, Store, account, shipment};

use crate::bench::{Bench, account_row, any_key, container_row, shipment_row};

on_both_engines!(
    boxes_are_listed_by_holds_and_fees,
    what_is_told_later_counts,
    boxes_of_an_earlier_version_are_listed_from_the_first_answer,
    a_start_that_was_broken_off_is_gone_on_with,
    nodes_that_start_at_once_look_at_them_once,
);

fn held(name: HoldName, status: HoldStatus) -> Hold {
    Hold {
        name,
        status,
        description: None,
    }
}

fn fee(kind: FeeKind, amount: Option<i64>) -> Fee {
    Fee {
        kind,
        amount: amount.map(Decimal::from),
        currency: "USD".into(),
    }
}

/// Boxes of each kind: free, held, announced, owing, paid, both.
fn kinds() -> [Pickup; 7] {
    use HoldStatus::{Hold as InForce, Pending};
    let of = |holds: &[Hold], fees: &[Fee]| Pickup {
        holds: holds.to_vec(),
        fees: fees.to_vec(),
        ..Pickup::default()
    };
    [
        of(&[], &[]),
        of(&[held(HoldName::Customs, InForce)], &[]),
        of(&[held(HoldName::Customs, Pending)], &[]),
        of(&[], &[fee(FeeKind::Demurrage, Some(120))]),
        of(&[], &[fee(FeeKind::Demurrage, Some(0))]),
        of(&[], &[fee(FeeKind::Exam, None)]),
        of(
            &[
                held(HoldName::Freight, InForce),
                held(HoldName::Usda, InForce),
                held(HoldName::Customs, Pending),
            ],
            &[fee(FeeKind::Total, Some(7))],
        ),
    ]
}

/// Filters, and which boxes of [`kinds`] they leave.
fn filters() -> Vec<(ContainerFilter, &'static [usize])> {
    let all = ContainerFilter::default;
    let has_holds = |has| ContainerFilter {
        has_holds: Some(has),
        ..all()
    };
    let named = |names: &[HoldName]| ContainerFilter {
        hold_names: names.to_vec(),
        ..all()
    };
    let has_fees = |has| ContainerFilter {
        has_fees: Some(has),
        ..all()
    };
    let has_demurrage = |has| ContainerFilter {
        has_demurrage: Some(has),
        ..all()
    };
    let has_either = |has| ContainerFilter {
        has_fees_or_holds: Some(has),
        ..all()
    };
    vec![
        (all(), &[0, 1, 2, 3, 4, 5, 6]),
        (has_holds(true), &[1, 2, 6]),
        (has_holds(false), &[0, 3, 4, 5]),
        (named(&[HoldName::Customs]), &[1]),
        (named(&[HoldName::Customs, HoldName::Usda]), &[1, 6]),
        (
            named(&[HoldName::Vacis, HoldName::Tmf, HoldName::Other]),
            &[],
        ),
        (has_fees(true), &[3, 5, 6]),
        (has_fees(false), &[0, 1, 2, 4]),
        (has_demurrage(true), &[3]),
        (has_demurrage(false), &[0, 1, 2, 4, 5, 6]),
        (has_either(true), &[1, 2, 3, 5, 6]),
        (has_either(false), &[0, 4]),
        (
            ContainerFilter {
                has_holds: Some(true),
                has_fees: Some(true),
                ..named(&[HoldName::Freight, HoldName::Customs])
            },
            &[6],
        ),
        (
            ContainerFilter {
                has_holds: Some(true),
                has_fees_or_holds: Some(false),
                ..all()
            },
            &[],
        ),
        (
            ContainerFilter {
                has_fees: Some(true),
                statuses: vec!["new".into()],
                available: Some(true),
                ..all()
            },
            &[],
        ),
    ]
}

/// Boxes of one shipment, one of each kind.
fn boxes(shipment: domain::ids::ShipmentId) -> Vec<Container> {
    let one = |pickup| {
        let mut row = container_row(shipment);
        row.state.pickup = pickup;
        row
    };
    kinds().into_iter().map(one).collect()
}

/// Which of these boxes a filter leaves, page by page: the count is that of all pages.
async fn left(
    store: &Store,
    account: AccountId,
    filter: &ContainerFilter,
    ids: &[ContainerId],
) -> Vec<usize> {
    let mut left = Vec::new();
    let mut total = 0;
    for offset in (0..).step_by(2) {
        let filter = filter.clone();
        let slice = Slice { offset, limit: 2 };
        let reading =
            store.read(move |tx| container::page(&mut tx.account(account), &filter, slice));
        let page = reading.await.unwrap();
        if page.rows.is_empty() {
            break;
        }
        total = page.total;
        let rows = page.rows.iter();
        left.extend(rows.map(|row| ids.iter().position(|id| id.0 == row.id).unwrap()));
    }
    assert_eq!(total, left.len() as u64, "{filter:?}");
    left.sort_unstable();
    left
}

async fn assert_left(store: &Store, account: AccountId, ids: &[ContainerId]) {
    for (filter, expected) in filters() {
        assert_eq!(
            left(store, account, &filter, ids).await,
            expected,
            "{filter:?}"
        );
    }
}

/// An account with boxes of each kind.
async fn stored(store: &Store) -> (AccountId, Vec<ContainerId>) {
    let (account, shipment) = (account_row(), shipment_row());
    let rows = boxes(shipment.id);
    let (id, ids) = (account.id, rows.iter().map(|row| row.id).collect());
    let writing = store.write(any_key(), move |tx| {
        account::insert(tx, &account)?;
        let a = &mut tx.account(account.id);
        shipment::insert(a, &shipment)?;
        rows.iter().try_for_each(|row| container::insert(a, row))
    });
    writing.await.unwrap();
    (id, ids)
}

async fn boxes_are_listed_by_holds_and_fees(bench: &Bench) {
    let (account, ids) = stored(&bench.store).await;
    stored(&bench.store).await;
    assert_left(&bench.store, account, &ids).await;
}

async fn what_is_told_later_counts(bench: &Bench) {
    let account = bench.account().await;
    let shipment = bench.shipment(account).await;
    let after = boxes(shipment);
    let before: Vec<Container> = after
        .iter()
        .rev()
        .zip(&after)
        .map(|(other, row)| {
            let mut before = row.clone();
            before.state.pickup = other.state.pickup.clone();
            before
        })
        .collect();
    for (place, (before, after)) in before.iter().zip(&after).enumerate() {
        // The one in the middle is the same.
        assert_eq!(finds_alike(before, after), place == 3);
        let mut told_again = after.clone();
        for hold in &mut told_again.state.pickup.holds {
            hold.description = Some("in other words".into());
        }
        for fee in &mut told_again.state.pickup.fees {
            fee.amount = fee.amount.map(|amount| amount * Decimal::from(2));
        }
        assert!(finds_alike(after, &told_again), "lists ask for kinds only");
    }
    let ids: Vec<ContainerId> = after.iter().map(|row| row.id).collect();
    let rows = after.clone();
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            before
                .iter()
                .try_for_each(|row| container::insert(a, row))?;
            let projected = before.iter().zip(&rows).map(|(before, after)| Projected {
                container: after,
                found_as_before: finds_alike(before, after),
            });
            let projected: Vec<Projected<'_>> = projected.collect();
            container::write_projected(a, &projected)
        })
        .await;
    assert_left(&bench.store, account, &ids).await;
    // By what its account changes of it, too.
    let rows = after.clone();
    let mut freed = after;
    for row in &mut freed {
        row.state.pickup = Pickup::default();
    }
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            freed
                .iter()
                .try_for_each(|row| container::update(a, row).map(|_| ()))
        })
        .await;
    let free = ContainerFilter {
        has_fees_or_holds: Some(false),
        ..ContainerFilter::default()
    };
    assert_eq!(left(&bench.store, account, &free, &ids).await.len(), 7);
    bench
        .write(move |tx| {
            let a = &mut tx.account(account);
            rows.iter()
                .try_for_each(|row| container::update(a, row).map(|_| ()))
        })
        .await;
    assert_left(&bench.store, account, &ids).await;
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

fn administer(bench: &Bench, settings: &Settings, statements: &str) {
    match (&settings.database, &bench.server) {
        (_, Some(server)) => server.administer(&[statements]).unwrap(),
        (Database::Sqlite { path }, None) => {
            let door = rusqlite::Connection::open(path).unwrap();
            door.execute_batch(statements).unwrap();
        }
        (Database::Postgres { .. }, None) => unreachable!("it is a server of ours"),
    }
}

/// The store as an earlier version left it, with what the migration makes of it before the start looks at its boxes.
fn migrated(bench: &Bench, settings: &Settings) {
    let before = "drop index containers_by_facets;
        alter table containers drop column holds;
        alter table containers drop column fees;
        drop table unnoted_holds;
        create index containers_by_facets on containers (account_id);";
    let migration = match &settings.database {
        Database::Sqlite { .. } => {
            include_str!("../../migrations/sqlite/V48__holds_and_fees.sql")
        }
        Database::Postgres { .. } => {
            include_str!("../../migrations/postgres/V48__holds_and_fees.sql")
        }
    };
    administer(bench, settings, &format!("{before}\n{migration}"));
}

async fn boxes_of_an_earlier_version_are_listed_from_the_first_answer(bench: &Bench) {
    let settings = beside(bench);
    let store = Store::open(&settings).unwrap();
    let (account, ids) = stored(&store).await;
    let (neighbour, theirs) = stored(&store).await;
    drop(store);
    migrated(bench, &settings);
    let not_yet = Settings {
        migrate: false,
        ..settings.clone()
    };
    let refused = Store::open(&not_yet).map(|_| ());
    assert!(
        matches!(refused, Err(OpenError::NotMigrated { found, known }) if found == known),
        "{refused:?}"
    );
    for settings in [&settings, &not_yet, &settings] {
        let store = Store::open(settings).unwrap();
        assert_left(&store, account, &ids).await;
        assert_left(&store, neighbour, &theirs).await;
    }
}

async fn a_start_that_was_broken_off_is_gone_on_with(bench: &Bench) {
    let settings = beside(bench);
    let store = Store::open(&settings).unwrap();
    let (account, ids) = stored(&store).await;
    let unreadable = container_row(bench_shipment(&store, account).await);
    let unread = unreadable.id;
    store
        .write(any_key(), move |tx| {
            container::insert(&mut tx.account(account), &unreadable)
        })
        .await
        .unwrap();
    drop(store);
    migrated(bench, &settings);
    let [reached_account, reached, unread] =
        [account.0, ids[1].0, unread.0].map(|id| bench.literal(id));
    let no_state = match &settings.database {
        Database::Sqlite { .. } => "x'00'",
        Database::Postgres { .. } => "'\\x00'::bytea",
    };
    administer(
        bench,
        &settings,
        &format!(
            "update unnoted_holds set account_id = {reached_account}, container_id = {reached};
             update containers set state = {no_state} where id = {unread};"
        ),
    );
    let store = Store::open(&settings).unwrap();
    let has_holds = ContainerFilter {
        has_holds: Some(true),
        ..ContainerFilter::default()
    };
    // What had been looked at is not looked at again, and what cannot be read keeps nobody from the others.
    assert_eq!(left(&store, account, &has_holds, &ids).await, [2, 6]);
}

async fn bench_shipment(store: &Store, account: AccountId) -> domain::ids::ShipmentId {
    let row = shipment_row();
    let id = row.id;
    let writing = store.write(any_key(), move |tx| {
        shipment::insert(&mut tx.account(account), &row)
    });
    writing.await.unwrap();
    id
}

async fn nodes_that_start_at_once_look_at_them_once(bench: &Bench) {
    let settings = beside(bench);
    let store = Store::open(&settings).unwrap();
    let (account, ids) = stored(&store).await;
    drop(store);
    migrated(bench, &settings);
    // One process serves an embedded store: the others are refused, or come when it has gone.
    let is_shared = bench.server.is_some();
    let starts = std::iter::repeat_with(|| settings.clone())
        .take(4)
        .map(|settings| {
            std::thread::spawn(move || {
                let opened = Store::open(&settings);
                std::thread::sleep(Duration::from_millis(50));
                opened
            })
        });
    let starts: Vec<_> = starts.collect();
    let mut served = 0;
    for start in starts {
        match start.join().unwrap() {
            Ok(store) => {
                served += 1;
                assert_left(&store, account, &ids).await;
            }
            Err(error) => assert!(
                !is_shared && matches!(error, OpenError::InUse { .. }),
                "{error}"
            ),
        }
    }
    assert!(served == 4 || !is_shared && served >= 1, "{served}");
}
