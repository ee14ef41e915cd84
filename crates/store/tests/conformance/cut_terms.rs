//! What was stored while less of references and tags counted is found by the whole of them.

use domain::ids::AccountId;
use store::cut_terms::{self, Kind, Listed};
use store::shipment::{self, Shipment, ShipmentFilter};
use store::{Error, Slice, container, tracking_request};
use uuid::Uuid;

use crate::bench::{Bench, any_key, container_row, id, request_row, shipment_row};
use crate::messages::administer;

on_both_engines!(
    what_may_have_been_cut_is_listed_once_and_mended_step_by_step,
    nodes_that_mend_at_once_do_no_harm,
    what_cannot_be_read_stays_on_the_list_and_keeps_nothing_from_its_end,
);

/// As long as one may be.
fn long(end: &str) -> String {
    format!("{}{end}", "LONGREFERENCE".repeat(18))
}

/// What counted of it.
fn first(text: &str) -> String {
    text.to_uppercase().chars().take(64).collect()
}

/// A shipment with this reference, found by no more than what counted of it.
async fn cut_shipment(bench: &Bench, account: AccountId, reference: &str) -> Shipment {
    let row = Shipment {
        ref_numbers: vec![first(reference)],
        ..shipment_row()
    };
    let stored = row.clone();
    bench
        .write(move |tx| shipment::insert(&mut tx.account(account), &stored))
        .await;
    hold(bench, "shipments", "ref_numbers", row.id.0, &[reference]);
    row
}

/// The row holds these texts, and is found by others.
fn hold(bench: &Bench, table: &str, column: &str, row: Uuid, texts: &[&str]) {
    let texts = serde_json::json!(texts);
    let row = bench.literal(row);
    bench.tamper(&format!(
        "update {table} set {column} = '{texts}' where id = {row}"
    ));
}

/// The migration comes to what is stored.
fn migrate(bench: &Bench) {
    let drop = "drop table cut_terms;\n";
    let sqlite = include_str!("../../migrations/sqlite/V36__cut_terms.sql");
    let postgres = include_str!("../../migrations/postgres/V36__cut_terms.sql");
    administer(
        bench,
        &format!("{drop}{sqlite}"),
        &format!("{drop}{postgres}"),
    );
}

async fn on_the_list(bench: &Bench) -> usize {
    let all = bench.read(|tx| cut_terms::step(tx, None, 100)).await;
    all.cut.len() + all.sound.len()
}

async fn referred(bench: &Bench, account: AccountId, filter: ShipmentFilter) -> Vec<Uuid> {
    let slice = Slice {
        offset: 0,
        limit: 10,
    };
    let listing = bench.read(move |tx| shipment::page(&mut tx.account(account), &filter, slice));
    listing.await.rows.iter().map(|row| row.id).collect()
}

fn reference(text: &str) -> ShipmentFilter {
    ShipmentFilter {
        reference: Some(text.into()),
        ..ShipmentFilter::default()
    }
}

async fn what_may_have_been_cut_is_listed_once_and_mended_step_by_step(bench: &Bench) {
    let account = bench.account().await;
    // The shortest of which a letter was cut: what counts of it are three characters for two bytes, nearly.
    let shortest = format!("{}AB", "ΐ".repeat(21));
    let counted = first(&shortest);
    assert_eq!((shortest.len(), counted.ends_with('A')), (44, true));
    let one = cut_shipment(bench, account, &long("one")).await;
    let other = cut_shipment(bench, account, &shortest).await;
    let texts: Vec<String> = (0..80).map(|n| format!("n{n}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let before: Vec<String> = texts[..64].iter().map(ToString::to_string).collect();
    let (mut tagged, mut whole, short) = (shipment_row(), shipment_row(), shipment_row());
    tagged.tags.clone_from(&before);
    whole.ref_numbers = vec![long("whole")];
    let (mut boxed, mut asked) = (container_row(one.id), request_row());
    boxed.ref_numbers = before;
    asked.ref_numbers = vec![first(&long("asked"))];
    let ids = [tagged.id.0, whole.id.0, boxed.id.0, asked.id.0];
    let [tagged_id, whole_id, boxed_id, asked_id] = ids;
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            for row in [&tagged, &whole, &short] {
                shipment::insert(&mut a, row)?;
            }
            container::insert(&mut a, &boxed)?;
            tracking_request::insert(&mut a, &asked)
        })
        .await;
    hold(bench, "shipments", "tags", tagged_id, &texts);
    hold(bench, "containers", "ref_numbers", boxed_id, &texts);
    let sent = long("asked");
    hold(
        bench,
        "tracking_requests",
        "ref_numbers",
        asked_id,
        &[&sent],
    );
    migrate(bench);
    assert_eq!(on_the_list(bench).await, 6, "all but the short one");
    assert!(
        referred(bench, account, reference(&long("one")))
            .await
            .is_empty()
    );

    let (mut mended, mut sound, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let step = bench.read(move |tx| cut_terms::step(tx, after, 2)).await;
        let Some(last) = step.last else { break };
        after = Some(last);
        for Listed { account, kind, row } in step.cut {
            let mend =
                || bench.write(move |tx| cut_terms::mend(&mut tx.account(account), kind, row));
            assert_eq!((mend().await, mend().await), (true, false), "{kind:?}");
            mended.push(row);
        }
        sound.extend(step.sound.iter().map(|listed| listed.row));
        bench
            .write(move |tx| cut_terms::forget(tx, &step.sound))
            .await;
    }
    mended.sort_unstable();
    let mut cut = [one.id.0, other.id.0, tagged_id, boxed_id, asked_id];
    cut.sort_unstable();
    assert_eq!((mended, sound), (cut.to_vec(), vec![whole_id]));
    assert_eq!(on_the_list(bench).await, 0);

    for (text, row) in [
        (long("one"), one.id.0),
        (shortest, other.id.0),
        (long("whole"), whole_id),
    ] {
        assert_eq!(referred(bench, account, reference(&text)).await, [row]);
    }
    for gone in [first(&long("one")), counted] {
        assert!(referred(bench, account, reference(&gone)).await.is_empty());
    }
    let by_tag = ShipmentFilter {
        tags: vec!["n79".into()],
        ..ShipmentFilter::default()
    };
    assert_eq!(referred(bench, account, by_tag).await, [tagged_id]);
    let found = bench.read(move |tx| store::search::search(&mut tx.account(account), "n79"));
    assert_eq!(found.await.len(), 1, "the box");
    // Who changes it finds what to take away.
    let changed = Shipment {
        ref_numbers: Vec::new(),
        ..one
    };
    bench
        .write(move |tx| shipment::update(&mut tx.account(account), &changed))
        .await;
    assert!(
        referred(bench, account, reference(&long("one")))
            .await
            .is_empty()
    );
}

async fn nodes_that_mend_at_once_do_no_harm(bench: &Bench) {
    let account = bench.account().await;
    let mut rows = Vec::new();
    for n in 0..8 {
        rows.push(
            cut_shipment(bench, account, &long(&format!("no{n}")))
                .await
                .id
                .0,
        );
    }
    migrate(bench);
    for (n, row) in rows.into_iter().enumerate() {
        let mend = || {
            bench.store.write(any_key(), move |tx| {
                cut_terms::mend(&mut tx.account(account), Kind::Shipment, row)
            })
        };
        let (one, other) = tokio::join!(mend(), mend());
        assert_ne!(one.unwrap(), other.unwrap(), "one of both did it");
        let text = long(&format!("no{n}"));
        assert_eq!(referred(bench, account, reference(&text)).await, [row]);
    }
    assert_eq!(on_the_list(bench).await, 0);
}

async fn what_cannot_be_read_stays_on_the_list_and_keeps_nothing_from_its_end(bench: &Bench) {
    let account = bench.account().await;
    let damaged = cut_shipment(bench, account, &long("damaged")).await.id.0;
    let other = cut_shipment(bench, account, &long("other")).await.id.0;
    migrate(bench);
    let row = bench.literal(damaged);
    bench.tamper(&format!(
        "update shipments set ref_numbers = 'no list' where id = {row}"
    ));
    let gone = Listed {
        account,
        kind: Kind::TrackingRequest,
        row: id(),
    };
    let (whose, what) = (bench.literal(account.0), bench.literal(gone.row));
    bench.tamper(&format!(
        "insert into cut_terms (account_id, kind, row_id) values ({whose}, 2, {what})"
    ));
    let step = bench.read(|tx| cut_terms::step(tx, None, 100)).await;
    assert_eq!(step.sound, [gone]);
    let cut: Vec<Uuid> = step.cut.iter().map(|listed| listed.row).collect();
    assert_eq!(cut.len(), 2);
    for row in cut {
        let mending = bench.store.write(any_key(), move |tx| {
            cut_terms::mend(&mut tx.account(account), Kind::Shipment, row)
        });
        match mending.await {
            Ok(is_mended) => assert!(is_mended && row == other),
            Err(error) => {
                assert!(matches!(error, Error::Unreadable { .. }), "{error}");
                assert_eq!(row, damaged);
            }
        }
    }
    bench
        .write(move |tx| cut_terms::forget(tx, &step.sound))
        .await;
    let left = bench.read(|tx| cut_terms::step(tx, None, 100)).await;
    assert_eq!(left.last.map(|listed| listed.row), Some(damaged));
    assert_eq!(on_the_list(bench).await, 1);
}
