//! What the store promises about custom fields.

use std::time::Duration;

use domain::codes::ContainerNumber;
use domain::custom_field::{DataType, Definition, EntityKind, Rules, Value};
use domain::ids::{AccountId, CustomFieldDefinitionId, CustomFieldId};
use store::container::{self, ContainerFilter};
use store::custom_field::staged::{self, Staged};
use store::custom_field::{definition, field, option};
use store::shipment::{self, ShipmentFilter};
use store::{Error, Slice, Store, party, tracking_request};
use uuid::Uuid;

use crate::bench::{
    Bench, any_key, at, begin, container_row, id, number, party_row, request_row, shipment_row,
};
use crate::messages::administer;

on_both_engines!(
    a_definition_changes_and_its_slug_is_taken,
    definitions_are_found_by_what_they_are,
    options_stand_in_their_order,
    a_record_has_a_value_once,
    every_kind_of_value_comes_back,
    values_are_counted_and_listed,
    who_sets_a_value_and_goes_on_holds_up_no_other,
    values_that_were_counted_in_a_row_stay_counted,
    staged_values_wait_for_their_records,
    a_definition_with_values_stays,
    records_are_listed_by_their_values_and_parties_by_their_names,
);

const ALL: Slice = Slice {
    offset: 0,
    limit: 100,
};

fn definition_row(data_type: DataType) -> definition::Stored {
    definition::Stored {
        id: id(),
        definition: Definition {
            entity: EntityKind::Shipment,
            api_slug: format!("slug_{}", number()),
            display_name: "Purchase_order".into(),
            description: Some("why".into()),
            data_type,
            reference_type: None,
            rules: Rules {
                required: Some(false),
                pattern: Some("^\\d+$".into()),
                min: Some("-0.5".parse().unwrap()),
                max: None,
                min_length: Some(1),
                max_length: Some(9),
            },
            default_format: None,
            default_value: Value::List(vec![Value::Text("a".into())]),
        },
        created_at: at(0),
        updated_at: at(1),
    }
}

fn option_row(
    definition: CustomFieldDefinitionId,
    value: &str,
    position: Option<i64>,
) -> option::Stored {
    option::Stored {
        id: id(),
        definition,
        value: value.into(),
        label: value.to_uppercase(),
        position,
        created_at: at(0),
        updated_at: at(0),
    }
}

fn field_row(definition: CustomFieldDefinitionId, entity_id: Uuid, value: Value) -> field::Stored {
    field::Stored {
        id: id(),
        entity: EntityKind::Shipment,
        entity_id,
        definition,
        value,
        created_at: at(0),
        updated_at: at(0),
    }
}

async fn defined(bench: &Bench, account: AccountId, row: &definition::Stored) {
    let row = row.clone();
    bench
        .write(move |tx| definition::insert(&mut tx.account(account), &row))
        .await;
}

async fn set(bench: &Bench, account: AccountId, row: &field::Stored) {
    let row = row.clone();
    bench
        .write(move |tx| field::insert(&mut tx.account(account), &row))
        .await;
}

async fn counted(bench: &Bench, account: AccountId) -> u64 {
    bench
        .read(move |tx| field::count(&mut tx.account(account)))
        .await
}

async fn a_definition_changes_and_its_slug_is_taken(bench: &Bench) {
    let (account, other) = (bench.account().await, bench.account().await);
    let row = definition_row(DataType::ShortText);
    defined(bench, account, &row).await;
    defined(
        bench,
        other,
        &definition::Stored {
            id: id(),
            ..row.clone()
        },
    )
    .await;
    let mut changed = row.clone();
    changed.definition.display_name = "Other".into();
    changed.definition.rules = Rules::default();
    changed.definition.default_format = Some("%d".into());
    changed.updated_at = at(9);
    let after = changed.clone();
    assert!(
        bench
            .write(move |tx| definition::update(&mut tx.account(account), &changed))
            .await
    );
    let slug = row.definition.api_slug.clone();
    let found = bench
        .read(move |tx| definition::find_slug(&mut tx.account(account), &slug))
        .await;
    assert_eq!(found, Some(after));
    let again = definition::Stored { id: id(), ..row };
    let taken = bench
        .store
        .write(any_key(), move |tx| {
            definition::insert(&mut tx.account(account), &again)
        })
        .await;
    assert!(matches!(taken, Err(Error::Conflict { .. })), "{taken:?}");
}

async fn definitions_are_found_by_what_they_are(bench: &Bench) {
    let account = bench.account().await;
    let first = definition_row(DataType::Number);
    let mut second = definition_row(DataType::Date);
    second.definition.entity = EntityKind::Container;
    second.definition.display_name = "purchaseXorder".into();
    second.created_at = at(5);
    let mut third = definition_row(DataType::Boolean);
    third.definition.display_name = "Über Ref".into();
    third.created_at = at(6);
    defined(bench, account, &first).await;
    defined(bench, account, &second).await;
    defined(bench, account, &third).await;
    let listed = async |filter: definition::Filter| {
        let page = bench
            .read(move |tx| definition::page(&mut tx.account(account), &filter, ALL))
            .await;
        assert_eq!(page.total, page.rows.len() as u64);
        page.rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    let of = definition::Filter::default;
    let named = |name: &str| definition::Filter {
        display_name: Some(name.into()),
        ..of()
    };
    assert_eq!(listed(of()).await, [third.id, second.id, first.id]);
    for name in ["Über Ref", "über", "ÜBER R"] {
        assert_eq!(listed(named(name)).await, [third.id], "{name}");
    }
    assert_eq!(listed(named("ber ref")).await, []);
    assert_eq!(listed(named("PURCHASE_")).await, [first.id]);
    assert_eq!(listed(named("order")).await, []);
    let container = definition::Filter {
        entities: vec![EntityKind::Container],
        ..of()
    };
    assert_eq!(listed(container).await, [second.id]);
    let numbers = definition::Filter {
        data_types: vec![DataType::Number],
        ..of()
    };
    assert_eq!(listed(numbers).await, [first.id]);
    let count = bench
        .read(move |tx| definition::count(&mut tx.account(account)))
        .await;
    assert_eq!(count, 3);
}

async fn options_stand_in_their_order(bench: &Bench) {
    let account = bench.account().await;
    let row = definition_row(DataType::Enum);
    let of = row.id;
    defined(bench, account, &row).await;
    let rows = [
        option_row(of, "none", None),
        option_row(of, "second", Some(2)),
        option_row(of, "first", Some(1)),
    ];
    let mut changed = rows[1].clone();
    changed.label = "Third".into();
    changed.position = Some(0);
    changed.updated_at = at(3);
    let (written, gone) = (rows.clone(), rows[2].id);
    let after = changed.clone();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            for row in &written {
                option::insert(&mut a, row)?;
            }
            option::update(&mut a, &changed).map(|_| ())
        })
        .await;
    let page = bench
        .read(move |tx| option::page(&mut tx.account(account), of, ALL))
        .await;
    let [none, _, first] = rows;
    assert_eq!(page.rows, [after.clone(), first, none.clone()]);
    assert_eq!(page.total, 3);
    let twice = option_row(of, "none", None);
    let taken = bench
        .store
        .write(any_key(), move |tx| {
            option::insert(&mut tx.account(account), &twice)
        })
        .await;
    assert!(matches!(taken, Err(Error::Conflict { .. })), "{taken:?}");
    for expected in [true, false] {
        let deleted = bench
            .write(move |tx| option::delete(&mut tx.account(account), of, gone))
            .await;
        assert_eq!(deleted, expected);
    }
    let left = bench
        .read(move |tx| option::of_definitions(&mut tx.account(account), &[of]))
        .await;
    assert_eq!(left, [after, none]);
}

async fn a_record_has_a_value_once(bench: &Bench) {
    let account = bench.account().await;
    let definition = definition_row(DataType::ShortText);
    defined(bench, account, &definition).await;
    let row = field_row(definition.id, id(), Value::Text("a".into()));
    set(bench, account, &row).await;
    let again = field::Stored {
        id: id(),
        ..row.clone()
    };
    let taken = bench
        .store
        .write(any_key(), move |tx| {
            field::insert(&mut tx.account(account), &again)
        })
        .await;
    assert!(matches!(taken, Err(Error::Conflict { .. })), "{taken:?}");
    assert_eq!(counted(bench, account).await, 1);
    let (entity, of) = (row.entity_id, row.definition);
    let found = bench
        .read(move |tx| field::find_on(&mut tx.account(account), entity, of))
        .await;
    assert_eq!(found, Some(row));
}

async fn every_kind_of_value_comes_back(bench: &Bench) {
    let account = bench.account().await;
    let definition = definition_row(DataType::ShortText);
    defined(bench, account, &definition).await;
    let text = |text: &str| Value::Text(text.into());
    let values = [
        Value::Null,
        Value::Boolean(true),
        Value::Number("123456789012.123456".parse().unwrap()),
        Value::Number("-0.10".parse().unwrap()),
        text("a \" b"),
        text(&"ö".repeat(10_000)),
        Value::List(vec![text("a"), text("b")]),
        Value::Object(vec![
            ("type".into(), text("party")),
            ("id".into(), text("1")),
        ]),
    ];
    for value in values {
        let row = field_row(definition.id, id(), Value::Null);
        set(bench, account, &row).await;
        let changed = field::Stored {
            value,
            updated_at: at(7),
            ..row
        };
        let (written, field) = (changed.clone(), changed.id);
        bench
            .write(move |tx| field::update(&mut tx.account(account), &written))
            .await;
        let found = bench
            .read(move |tx| field::find(&mut tx.account(account), field))
            .await;
        assert_eq!(found, Some(changed));
    }
}

async fn values_are_counted_and_listed(bench: &Bench) {
    let (account, other) = (bench.account().await, bench.account().await);
    let (first, second) = (
        definition_row(DataType::Number),
        definition_row(DataType::Date),
    );
    defined(bench, account, &first).await;
    defined(bench, account, &second).await;
    let (one, two): (Uuid, Uuid) = (id(), id());
    let rows = [
        field_row(first.id, one, Value::Null),
        field_row(second.id, one, Value::Null),
        field::Stored {
            entity: EntityKind::Container,
            ..field_row(first.id, two, Value::Null)
        },
    ];
    for row in &rows {
        set(bench, account, row).await;
    }
    let listed = async |account: AccountId, filter: field::Filter| {
        let page = bench
            .read(move |tx| field::page(&mut tx.account(account), &filter, ALL))
            .await;
        assert_eq!(page.total, page.rows.len() as u64);
        page.rows
            .iter()
            .map(|row| row.id)
            .collect::<Vec<CustomFieldId>>()
    };
    let of = field::Filter::default;
    let [a, b, c] = rows.map(|row| row.id);
    assert_eq!(listed(account, of()).await, [c, b, a]);
    assert_eq!(listed(other, of()).await, []);
    assert_eq!(
        listed(
            account,
            field::Filter {
                entity_id: Some(one),
                ..of()
            }
        )
        .await,
        [b, a]
    );
    let of_first = field::Filter {
        definition: Some(first.id),
        ..of()
    };
    assert_eq!(listed(account, of_first).await, [c, a]);
    let containers = field::Filter {
        entities: vec![EntityKind::Container],
        ..of()
    };
    assert_eq!(listed(account, containers).await, [c]);
    let ordered = bench
        .read(move |tx| field::of_ids(&mut tx.account(account), &[b, id(), a]))
        .await;
    assert_eq!(ordered.iter().map(|row| row.id).collect::<Vec<_>>(), [b, a]);
    let foreign = bench
        .read(move |tx| field::find(&mut tx.account(other), a))
        .await;
    assert_eq!(foreign, None);
    for (expected, left) in [(true, 2), (false, 2)] {
        let gone = bench
            .write(move |tx| field::delete(&mut tx.account(account), b))
            .await;
        assert_eq!((gone, counted(bench, account).await), (expected, left));
    }
    assert_eq!(counted(bench, other).await, 0);
}

/// Two nodes of one database, and one sets a value and stays in its transaction. Were their number kept in a row that it holds from then
/// on, two that go on to what the other one has could wait for each other in a circle.
async fn who_sets_a_value_and_goes_on_holds_up_no_other(bench: &Bench) {
    let Some(_) = &bench.server else {
        return; // One transaction at a time.
    };
    let account = bench.account().await;
    let definition = definition_row(DataType::ShortText);
    defined(bench, account, &definition).await;
    let value = || field_row(definition.id, id(), Value::Text("a".into()));
    let (first, second) = (value(), value());
    let (has_set, was_set) = std::sync::mpsc::channel();
    let (go_on, goes_on) = std::sync::mpsc::channel::<()>();
    let store = bench.store.clone();
    let goes_on = std::sync::Mutex::new(goes_on);
    let setting = begin(async move {
        let set = move |tx: &mut store::Tx| {
            field::insert(&mut tx.account(account), &first)?;
            let _ = has_set.send(());
            let _ = goes_on
                .lock()
                .unwrap()
                .recv_timeout(Duration::from_secs(10));
            Ok::<_, Error>(())
        };
        store.write(any_key(), set).await
    });
    was_set.recv().unwrap();
    let other_node = Store::open(&bench.settings).unwrap();
    let other = other_node
        .write(any_key(), move |tx| {
            let mut a = tx.account(account);
            field::insert(&mut a, &second)?;
            field::count(&mut a)
        })
        .await;
    let went_first = !setting.is_finished();
    let _ = go_on.send(());
    setting.await.unwrap().unwrap();
    assert_eq!(other, Ok(1), "each counts its own and what was committed");
    assert!(went_first);
    assert_eq!(counted(bench, account).await, 2);
}

/// As the migration finds it.
async fn values_that_were_counted_in_a_row_stay_counted(bench: &Bench) {
    let (account, without) = (bench.account().await, bench.account().await);
    let (of, none) = (bench.literal(account.0), bench.literal(without.0));
    let table = |id: &str, number: &str| {
        format!(
            "create table custom_field_counts (account_id {id} primary key not null, fields {number} not null);
             insert into custom_field_counts values ({of}, 7), ({none}, 0);"
        )
    };
    let sqlite = include_str!("../../migrations/sqlite/V38__custom_fields_tallied.sql");
    let postgres = include_str!("../../migrations/postgres/V38__custom_fields_tallied.sql");
    administer(
        bench,
        &format!("{}{sqlite}", table("blob", "integer")),
        &format!("{}{postgres}", table("uuid", "bigint")),
    );
    assert_eq!(counted(bench, account).await, 7);
    assert_eq!(counted(bench, without).await, 0);
}

async fn staged_values_wait_for_their_records(bench: &Bench) {
    let account = bench.account().await;
    let definition = definition_row(DataType::ShortText);
    defined(bench, account, &definition).await;
    let shipment = bench.shipment(account).await;
    let request = tracking_request::TrackingRequest {
        shipment: Some(shipment),
        ..request_row()
    };
    let of = request.id;
    let one = ContainerNumber::parse("CSQU3054383").unwrap();
    let waiting = |entity, number, value: &str| Staged {
        definition: definition.id,
        entity,
        number,
        value: Value::Text(value.into()),
    };
    let rows = vec![
        waiting(EntityKind::Container, None, "every"),
        waiting(EntityKind::Shipment, None, "shipment"),
        waiting(EntityKind::Container, Some(one), "one"),
    ];
    let written = rows.clone();
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            tracking_request::insert(&mut a, &request)?;
            staged::insert(&mut a, of, &written)
        })
        .await;
    let of_kind = async |entity| {
        bench
            .read(move |tx| staged::of_request(&mut tx.account(account), of, entity))
            .await
    };
    let of_shipment = async || {
        bench
            .read(move |tx| staged::of_shipment(&mut tx.account(account), shipment))
            .await
    };
    assert_eq!(of_kind(EntityKind::Shipment).await, [rows[1].clone()]);
    assert_eq!(of_shipment().await, [rows[0].clone(), rows[2].clone()]);
    bench
        .write(move |tx| staged::forget(&mut tx.account(account), of, EntityKind::Shipment))
        .await;
    assert_eq!(of_kind(EntityKind::Shipment).await, []);
    assert_eq!(of_kind(EntityKind::Container).await.len(), 2);
    let gone = definition.id;
    bench
        .write(move |tx| definition::delete(&mut tx.account(account), gone))
        .await;
    assert_eq!(of_shipment().await, []);
}

async fn a_definition_with_values_stays(bench: &Bench) {
    let account = bench.account().await;
    let definition = definition_row(DataType::Enum);
    let of = definition.id;
    defined(bench, account, &definition).await;
    let row = field_row(of, id(), Value::Null);
    set(bench, account, &row).await;
    let option = option_row(of, "a", None);
    bench
        .write(move |tx| option::insert(&mut tx.account(account), &option))
        .await;
    let refused = bench
        .store
        .write(any_key(), move |tx| {
            definition::delete(&mut tx.account(account), of)
        })
        .await;
    assert!(refused.is_err(), "{refused:?}");
    let some = bench
        .read(move |tx| field::of_definition(&mut tx.account(account), of, 9))
        .await;
    assert_eq!(some.as_slice(), std::slice::from_ref(&row));
    let deleted = bench
        .write(move |tx| {
            let mut a = tx.account(account);
            field::delete(&mut a, row.id)?;
            definition::delete(&mut a, of)
        })
        .await;
    assert!(deleted);
    let options = bench
        .read(move |tx| option::of_definitions(&mut tx.account(account), &[of]))
        .await;
    assert_eq!(options, []);
}

async fn records_are_listed_by_their_values_and_parties_by_their_names(bench: &Bench) {
    let account = bench.account().await;
    let other = bench.account().await;
    let (weight, note) = (
        definition_row(DataType::Number),
        definition_row(DataType::ShortText),
    );
    assert_eq!(weight.plain("010.50"), "10.5");
    assert_eq!(note.plain("010.50"), "010.50");
    let shipments = [shipment_row(), shipment_row()];
    let row = container_row(shipments[0].id);
    let mut acme = party_row();
    acme.company_name = "Acme 100% Trading".into();
    let (ten, late) = (
        Value::Number("10.50".parse().unwrap()),
        Value::Text("late".into()),
    );
    let fields = [
        field_row(weight.id, shipments[0].id.0, ten.clone()),
        field_row(weight.id, shipments[1].id.0, ten.clone()),
        field_row(note.id, shipments[1].id.0, late),
        field_row(weight.id, row.id.0, ten),
    ];
    let (of, numbers, texts) = (
        shipments[1].id.0,
        (weight.id, weight.plain("10.5")),
        (note.id, "late".to_owned()),
    );
    let (boxed, company) = (row.id.0, acme.id);
    bench
        .write(move |tx| {
            let mut a = tx.account(account);
            party::insert(&mut a, &acme)?;
            definition::insert(&mut a, &weight)?;
            definition::insert(&mut a, &note)?;
            shipments
                .iter()
                .try_for_each(|row| shipment::insert(&mut a, row))?;
            container::insert(&mut a, &row)?;
            fields.iter().try_for_each(|row| field::insert(&mut a, row))
        })
        .await;
    let count = async |account, wanted: Vec<(CustomFieldDefinitionId, String)>| {
        bench
            .read(move |tx| {
                let mut a = tx.account(account);
                let filter = ShipmentFilter {
                    custom_fields: wanted.clone(),
                    ..<_>::default()
                };
                let shipments = shipment::page(&mut a, &filter, ALL)?;
                let filter = ContainerFilter {
                    custom_fields: wanted.clone(),
                    ..<_>::default()
                };
                let boxes = container::page(&mut a, &filter, ALL)?;
                let rows = shipments.rows.into_iter().chain(boxes.rows);
                Ok(rows.map(|row| row.id).collect::<Vec<_>>())
            })
            .await
    };
    assert_eq!(count(account, vec![numbers.clone()]).await.len(), 3);
    assert_eq!(
        count(account, vec![numbers.clone(), texts.clone()]).await,
        [of]
    );
    assert!(
        count(account, vec![(texts.0, "later".into())])
            .await
            .is_empty()
    );
    assert!(count(other, vec![numbers]).await.is_empty());
    assert_ne!(of, boxed);
    for (account, name, expected) in [
        (account, "acme 100%", vec![company]),
        (account, "TRADING", vec![company]),
        (account, "1000", vec![]),
        (other, "acme", vec![]),
    ] {
        let named = bench
            .read(move |tx| party::named(&mut tx.account(account), name))
            .await;
        assert_eq!(named, expected, "{name}");
    }
}
