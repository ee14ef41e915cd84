//! Companies of an account, and the shipments they are the customers of.

use domain::ids::ShipmentId;
use store::party::{self, Party};
use store::shipment::{self, Shipment};
use store::{Error, Slice};
use uuid::Uuid;

use crate::bench::{Bench, any_key, at, id, number, party_row, shipment_row};

on_both_engines!(
    a_party_changes,
    a_customer_is_called_so_once_in_an_account,
    parties_are_listed_newest_first,
    parties_of_a_name_are_paged_however_many,
    a_part_of_a_name_is_found_in_any_letter_case,
    a_renamed_party_is_found_until_all_its_shipments_are_told,
);

async fn a_party_changes(bench: &Bench) {
    let account = bench.account().await;
    let row = party_row();
    let changed = Party {
        company_name: "Other Ltd".into(),
        customer: Some(format!("customer {}", number())),
        updated_at: at(9),
        told_until: Some(id()),
        document: r#"{"type":"party","id":"x"}"#.into(),
        ..row.clone()
    };
    let (first, second) = (row.clone(), changed.clone());
    let written = bench.write(move |tx| {
        let mut a = tx.account(account);
        party::insert(&mut a, &first)?;
        assert!(!party::update(&mut a, &party_row())?, "an unknown one");
        party::update(&mut a, &second)
    });
    assert!(written.await);
    let (expected, called) = (changed.clone(), changed.customer.clone().unwrap());
    let found = bench.write(move |tx| {
        let mut a = tx.account(account);
        let by_customer = party::find_by_customer(&mut a, &called)?;
        let documents = party::documents(&mut a, &[id(), row.id])?;
        assert_eq!(documents[0].document, changed.document);
        assert_eq!(documents.len(), 1);
        let locked = party::lock(&mut a, row.id)?;
        assert_eq!(party::lock(&mut a, id())?, None);
        Ok([party::find(&mut a, row.id)?, locked, by_customer])
    });
    for found in found.await {
        assert_eq!(found.as_ref(), Some(&expected));
    }
}

async fn a_customer_is_called_so_once_in_an_account(bench: &Bench) {
    let accounts = [bench.account().await, bench.account().await];
    let named = || Party {
        customer: Some("H-1".into()),
        ..party_row()
    };
    for account in accounts {
        for unnamed in [party_row(), party_row(), named()] {
            bench
                .write(move |tx| party::insert(&mut tx.account(account), &unnamed))
                .await;
        }
        let again = named();
        let refused = bench
            .store
            .write(any_key(), move |tx| {
                party::insert(&mut tx.account(account), &again)
            })
            .await;
        assert!(
            matches!(refused, Err(Error::Conflict { .. })),
            "{refused:?}"
        );
    }
}

async fn parties_are_listed_newest_first(bench: &Bench) {
    let account = bench.account().await;
    let rows: Vec<Party> = [5, 7, 6]
        .map(|second| Party {
            created_at: at(second),
            ..party_row()
        })
        .into();
    let expected = [rows[1].id.0, rows[2].id.0];
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter().try_for_each(|row| party::insert(&mut a, row))
        })
        .await;
    let slice = Slice {
        offset: 0,
        limit: 2,
    };
    let page = bench
        .read(move |tx| party::page(&mut tx.account(account), slice))
        .await;
    assert_eq!(page.total, 3);
    let listed: Vec<Uuid> = page.rows.iter().map(|row| row.id).collect();
    assert_eq!(listed, expected);
}

/// More than one statement could look for are a page like few.
async fn parties_of_a_name_are_paged_however_many(bench: &Bench) {
    let account = bench.account().await;
    let rows: Vec<Party> = (0..1_100)
        .map(|n| Party {
            company_name: format!("Harbour {n}"),
            ..party_row()
        })
        .collect();
    let mut newest: Vec<Uuid> = rows.iter().map(|row| row.id.0).collect();
    newest.sort_unstable_by(|one, other| other.cmp(one));
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter().try_for_each(|row| party::insert(&mut a, row))
        })
        .await;
    for (offset, shown) in [(0, &newest[..2]), (1_099, &newest[1_099..]), (1_100, &[])] {
        let slice = Slice { offset, limit: 2 };
        let page = bench
            .read(move |tx| party::page_named(&mut tx.account(account), "harb", slice))
            .await;
        assert_eq!(page.total, 1_100);
        let listed: Vec<Uuid> = page.rows.iter().map(|row| row.id).collect();
        assert_eq!(listed, shown);
    }
}

async fn a_part_of_a_name_is_found_in_any_letter_case(bench: &Bench) {
    let account = bench.account().await;
    let called = |name: &str| Party {
        company_name: name.into(),
        ..party_row()
    };
    let (austria, percent) = (called("Österreich AG"), called("100% Wool_Co!"));
    let rows = [austria.clone(), percent.clone(), called("Osterreich")];
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            rows.iter().try_for_each(|row| party::insert(&mut a, row))
        })
        .await;
    for (text, expected) in [
        ("Österreich AG", vec![austria.id]),
        ("österreich ag", vec![austria.id]),
        ("ÖSTER", vec![austria.id]),
        ("REICH a", vec![austria.id]),
        ("Ö", vec![austria.id]),
        ("0% wool_", vec![percent.id]),
        ("co!", vec![percent.id]),
        ("wool%co", vec![]),
        ("Ü", vec![]),
    ] {
        let found = bench.read(move |tx| party::named(&mut tx.account(account), text));
        assert_eq!(found.await, expected, "{text}");
    }
}

async fn a_renamed_party_is_found_until_all_its_shipments_are_told(bench: &Bench) {
    let account = bench.account().await;
    let renamed = Party {
        told_until: Some(ShipmentId(Uuid::nil())),
        ..party_row()
    };
    let customer = renamed.id;
    let shipments: Vec<Shipment> = (0..3)
        .map(|_| Shipment {
            customer: Some(customer),
            ..shipment_row()
        })
        .collect();
    let ids: Vec<ShipmentId> = shipments.iter().map(|shipment| shipment.id).collect();
    let before = renamed.clone();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            party::insert(&mut a, &before)?;
            party::insert(&mut a, &party_row())?;
            shipment::insert(&mut a, &shipment_row())?;
            shipments
                .iter()
                .try_for_each(|row| shipment::insert(&mut a, row))
        })
        .await;
    let waiting = bench.read(|tx| party::renamed(tx, 1_000)).await;
    assert!(waiting.contains(&(account, customer)), "{waiting:?}");
    let first = ids[0];
    let (all, rest) = bench
        .read(move |tx| {
            let mut a = tx.account(account);
            let all = party::shipments_after(&mut a, customer, ShipmentId(Uuid::nil()), 2)?;
            Ok((all, party::shipments_after(&mut a, customer, first, 9)?))
        })
        .await;
    assert_eq!((all, rest), (ids[..2].to_vec(), ids[1..].to_vec()));
    let told = Party {
        told_until: None,
        ..renamed
    };
    bench
        .write(move |tx| party::update(&mut tx.account(account), &told))
        .await;
    let waiting = bench.read(|tx| party::renamed(tx, 1_000)).await;
    assert!(!waiting.contains(&(account, customer)), "{waiting:?}");
}
