//! Custom fields that come with a request are set when there is something to set them on.

use std::collections::BTreeMap;

use domain::codes::ContainerNumber;
use domain::custom_field::{DataType, Definition, EntityKind, Rules, Value};
use domain::ids::AccountId;
use jiff::SignedDuration;
use jsonapi::linkage;
use store::Slice;
use store::container::ContainerFilter;
use store::custom_field::field;
use tracking::custom_fields::{Entity, Staging, Which, clear, define, set};

use crate::ground::{Ground, LADEN};

const BILL: &str = "NWLX00042";
const FIRST: &str = "NWLU0000425";
/// It joins later.
const SECOND: &str = "CSQU3054383";

async fn defined(ground: &Ground, account: AccountId, slug: &str, entity: EntityKind) {
    let definition = Definition {
        entity,
        api_slug: slug.into(),
        display_name: slug.into(),
        description: None,
        data_type: DataType::ShortText,
        reference_type: None,
        rules: Rules::default(),
        default_format: None,
        default_value: Value::Null,
    };
    define(ground.tracking(), account, definition)
        .await
        .unwrap();
}

fn staging(slug: &str, entity: EntityKind, number: Option<&str>, value: &str) -> Staging {
    Staging {
        place: String::new(),
        slug: slug.into(),
        entity,
        number: number.map(|number| ContainerNumber::parse(number).unwrap()),
        value: Value::Text(value.into()),
    }
}

/// Values of the account's containers by their numbers; each is linked from its container's document.
async fn of_containers(ground: &Ground, account: AccountId) -> BTreeMap<String, Vec<String>> {
    let read = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        let slice = Slice {
            offset: 0,
            limit: 10,
        };
        let page = store::container::page(a, &ContainerFilter::default(), slice)?;
        let mut values = BTreeMap::new();
        for row in page.rows {
            let linked = linkage::targets(&row.document, "custom_fields");
            let linked: Vec<_> = linked.iter().map(|target| target.id.into()).collect();
            let number = linkage::attribute(&row.document, "number").unwrap();
            let fields = field::of_ids(a, &linked)?;
            let plain = fields.iter().filter_map(|field| field.value.plain());
            values.insert(number.trim_matches('"').to_owned(), plain.collect());
        }
        Ok::<_, store::Error>(values)
    });
    read.await.unwrap()
}

fn both() -> String {
    let second = LADEN.replace(FIRST, SECOND).replace("e-1", "e-2");
    let of = |list: &str| list.trim_matches(['[', ']']).to_owned();
    format!("[{},{}]", of(LADEN), of(&second))
}

#[tokio::test(flavor = "multi_thread")]
async fn staged_fields_are_set_when_their_records_appear_and_on_a_box_that_joins_later() {
    let ground = Ground::new("[]").await;
    let account = ground.account("A").await;
    defined(&ground, account, "po", EntityKind::Shipment).await;
    defined(&ground, account, "note", EntityKind::Container).await;
    defined(&ground, account, "seal", EntityKind::Container).await;
    let staged = vec![
        staging("po", EntityKind::Shipment, None, "PO 7"),
        staging("note", EntityKind::Container, Some(SECOND), "the second"),
        staging("note", EntityKind::Container, None, "every"),
        staging("seal", EntityKind::Container, Some(FIRST), "S1"),
    ];
    let request = ground.track_with(account, BILL, staged).await;
    ground.drain().await;
    assert_eq!(ground.request(account, request).await.shipment, None);

    ground.answer(LADEN).await;
    ground.pass(SignedDuration::from_hours(25));
    ground.drain().await;
    let shipment = ground.request(account, request).await.shipment.unwrap();
    let values = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let read = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        let row = store::shipment::find(a, shipment)?.unwrap();
        let linked = linkage::targets(&row.document, "custom_fields");
        assert_eq!(linked.len(), 1);
        field::of_ids(a, &row.custom_fields)
    });
    let fields = read.await.unwrap();
    assert_eq!(fields.len(), 1);
    assert_eq!(
        fields
            .first()
            .and_then(|field| field.value.plain())
            .as_deref(),
        Some("PO 7")
    );
    let first = || (FIRST.to_owned(), values(&["every", "S1"]));
    assert_eq!(of_containers(&ground, account).await, [first()].into());

    ground.answer(&both()).await;
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    let second = || (SECOND.to_owned(), values(&["the second"]));
    assert_eq!(
        of_containers(&ground, account).await,
        [first(), second()].into()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_account_sets_outlives_what_its_line_tells() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    defined(&ground, account, "note", EntityKind::Container).await;
    let staged = vec![staging("note", EntityKind::Container, None, "staged")];
    ground.track_with(account, BILL, staged).await;
    ground.drain().await;
    let document = ground.container_document(account).await.to_string();
    let entity = Entity {
        kind: EntityKind::Container,
        id: linkage::identity(&document).unwrap().id,
    };
    let value = Value::Text("by hand".into());
    set(ground.tracking(), account, entity, "note".into(), value)
        .await
        .unwrap();
    let by_hand = ground.container_document(account).await;
    ground.answer(&both()).await;
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    let values = of_containers(&ground, account).await;
    assert_eq!(
        values.get(FIRST).map(Vec::as_slice),
        Some(&["by hand".to_owned()][..])
    );
    assert_eq!(
        values.get(SECOND).map(Vec::as_slice),
        Some(&["staged".to_owned()][..])
    );
    let version = |document: &serde_json::Value| document.pointer("/meta/version").cloned();
    assert_eq!(version(&by_hand), Some(2.into()), "{by_hand}");
    let which = Which::On(entity, "note".into());
    assert!(clear(ground.tracking(), account, which).await.unwrap());
    ground.pass(SignedDuration::from_hours(13));
    ground.drain().await;
    let cleared = of_containers(&ground, account).await;
    assert_eq!(
        cleared.get(FIRST).map(Vec::len),
        Some(0),
        "it is not staged again"
    );
}
