//! Railroads that are asked: each of the interfaces we have a profile for, over HTTP, from the question to what an
//! account holds.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use domain::account::Feature;
use domain::ids::{AccountId, ContainerId, RawMessageId};
use domain::source::Condition;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use sources::ocean::dcsa::Secrets;
use sources::outbound::Outbound;
use sources::{Asker, Profile, Speaks};
use store::container::{Container, ContainerFilter};
use store::testing::PgServer;
use store::watch::Settled;
use store::{Key, Slice, Tx};
use tokio_util::sync::CancellationToken;
use tracking::refresh::{Asked, Refreshed};
use tracking::{Source, Tracking, account, refresh, shipment, source_state, work};
use wiremock::matchers::{any, method};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::BOX;
use crate::ground::{Ground, ended_by_store, store_on, this_machine};

/// The box as railroads write it.
const WITHOUT_CHECK_DIGIT: &str = "NWLU000042";
const OTHER_BOX: &str = "NWLU0000446";

/// The line: ashore in Los Angeles since the 2nd of April, bound for Chicago by rail.
fn told() -> String {
    let lift = |code: &str, at: &str, place: &str| {
        json!({"eventID": code, "eventCreatedDateTime": "2026-04-03T00:00:00Z", "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": at, "equipmentEventTypeCode": code,
            "equipmentReference": BOX, "emptyIndicatorCode": "LADEN",
            "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
                "vessel": {"vesselIMONumber": "9321483"}}})
    };
    let inland = json!({"eventID": "inland", "eventCreatedDateTime": "2026-04-03T00:00:00Z",
        "eventType": "TRANSPORT", "eventClassifierCode": "PLN",
        "eventDateTime": "2026-04-09T08:00:00-05:00", "transportEventTypeCode": "ARRI",
        "references": [{"referenceType": "EQ", "referenceValue": BOX}],
        "transportCall": {"modeOfTransport": "RAIL", "UNLocationCode": "USCHI",
            "facilityTypeCode": "RAMP"}});
    json!([
        lift("LOAD", "2026-03-14T03:20:00+08:00", "CNNGB"),
        lift("DISC", "2026-04-02T09:30:00-07:00", "USLAX"),
        inland,
    ])
    .to_string()
}

/// The same of each of these boxes.
pub(crate) fn told_of(boxes: &[impl AsRef<str>]) -> String {
    let mut all = Vec::new();
    for number in boxes {
        let number = number.as_ref();
        let text = told().replace(BOX, number);
        let text = text.replace("\"eventID\":\"", &format!("\"eventID\":\"{number}-"));
        all.extend(serde_json::from_str::<Vec<Value>>(&text).unwrap());
    }
    Value::Array(all).to_string()
}

/// The same of both.
fn told_of_both() -> String {
    told_of(&[BOX, OTHER_BOX])
}

/// A railroad's interface, and its profile as it is shipped but for the address.
pub(crate) struct Railroad {
    profile: &'static str,
    pub(crate) server: MockServer,
}

impl Railroad {
    pub(crate) async fn open(name: &'static str, says: &Value) -> Self {
        let mut templates = sources::rail::templates().iter();
        let template = templates.find(|template| template.name == name);
        let profile = template.unwrap().text;
        Self::with(profile, says).await
    }

    async fn with(profile: &'static str, says: &Value) -> Self {
        let server = MockServer::start().await;
        let road = Self { profile, server };
        road.says(says).await;
        road
    }

    pub(crate) async fn says(&self, answer: &Value) {
        self.answers(ResponseTemplate::new(200).set_body_json(answer))
            .await;
    }

    /// Tokens are given to everybody; every other question is answered with this.
    pub(crate) async fn answers(&self, answer: ResponseTemplate) {
        self.server.reset().await;
        let granted = json!({"access_token": "pass", "expires_in": 3600});
        Mock::given(method("POST"))
            .and(|request: &Request| request.url.path().contains("oauth"))
            .respond_with(ResponseTemplate::new(200).set_body_json(granted))
            .with_priority(1)
            .mount(&self.server)
            .await;
        Mock::given(any())
            .respond_with(answer)
            .mount(&self.server)
            .await;
    }

    pub(crate) fn source(&self) -> Source {
        let mut lines = self.profile.lines();
        let base = lines.find_map(|line| line.strip_prefix("base = ")).unwrap();
        let text = self
            .profile
            .replace(base.trim_matches('"'), &self.server.uri());
        let profile = Profile::parse(&text).unwrap();
        let Speaks::Table(table) = &profile.speaks else {
            panic!("it is asked with a mapping");
        };
        let asking = table.asking.clone().unwrap();
        let secrets = [
            ("client_id", "the-id"),
            ("client_secret", "the-secret"),
            ("login", "Basic a25vd24="),
        ];
        let secrets = secrets.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let outbound = Outbound::new(this_machine()).unwrap();
        let asker = Asker::new(outbound, asking, Secrets::new(secrets));
        Source::of_boxes(profile, asker)
    }

    /// Questions about boxes, and those for a token.
    pub(crate) async fn asked(&self) -> (Vec<Request>, Vec<Request>) {
        let all = self.server.received_requests().await.unwrap();
        all.into_iter()
            .partition(|request| !request.url.path().contains("oauth"))
    }
}

/// A service beside which these railroads are configured, and an account that tracks the box.
async fn served(roads: &[&Railroad]) -> (Ground, AccountId) {
    let mut ground = Ground::new(&told()).await;
    ground.start_again_with(roads.iter().map(|road| road.source()).collect());
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    (ground, account)
}

async fn kept(tracking: &Tracking, source: &str) -> Vec<Value> {
    let source = source.to_owned();
    let reading = tracking.store().read(move |tx| {
        let ids = store::replay::messages(tx, None, 100)?;
        let rows = ids
            .into_iter()
            .map(|(id, _): (RawMessageId, u64)| store::raw_message::find(tx, id));
        rows.collect::<Result<Vec<_>, store::Error>>()
    });
    let rows = reading.await.unwrap().into_iter().flatten();
    rows.filter(|row| row.source == source)
        .map(|row| serde_json::from_slice(&row.body).unwrap())
        .collect()
}

async fn milestones(ground: &Ground, account: AccountId) -> Vec<String> {
    let names = ground.told(account).await.remove(0).1;
    let rail = names
        .into_iter()
        .filter_map(|name| name.strip_prefix("container.transport.").map(str::to_owned));
    let mut rail: Vec<String> = rail.filter(|name| !name.starts_with("vessel")).collect();
    rail.sort();
    rail
}

async fn free_days(ground: &Ground, account: AccountId) -> [Value; 2] {
    let attributes = ground.container_document(account).await["attributes"].clone();
    [
        attributes["pickup_lfd"].clone(),
        attributes["import_deadlines"]["pickup_lfd_rail"].clone(),
    ]
}

fn header<'r>(request: &'r Request, name: &str) -> &'r str {
    request.headers[name].to_str().unwrap()
}

fn question(request: &Request) -> String {
    let query: Vec<String> = request
        .url
        .query_pairs()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    format!(
        "{} {} {}",
        request.method,
        request.url.path(),
        query.join("&")
    )
    .trim_end()
    .to_owned()
}

/// Union Pacific: the box is on its way, and its free time is told.
fn under_way() -> Value {
    let moved = |code: &str, at: &str, city: &str, state: &str| {
        json!({"code": code, "date_time": at,
            "location": {"city": city, "state_abbreviation": state}})
    };
    json!([{
        "load": {"equipment": {"id": "NWLU0000000042"}, "load_empty_code": "Loaded",
            "last_free_date": "2026-04-12"},
        "events": [
            moved("Ramped", "2026-04-03T10:00:00-07:00", "LOS ANGELES", "CA"),
            moved("Departed", "2026-04-04T01:15:00-07:00", "LOS ANGELES", "CA"),
            {"code": "Arrived", "date_time": "2026-04-08T20:00:00-05:00", "type": "Estimated",
                "location": {"city": "CHICAGO", "state_abbreviation": "IL"}},
        ],
    }])
}

#[tokio::test(flavor = "multi_thread")]
async fn union_pacific_is_asked_under_a_token_and_the_date() {
    let road = Railroad::open("up", &under_way()).await;
    let (ground, account) = served(&[&road]).await;
    let (questions, tokens) = road.asked().await;
    assert_eq!(tokens.len(), 1);
    assert!(header(&tokens[0], "authorization").starts_with("Basic "));
    let expected = format!("GET /services/v2/shipments equipment_id={WITHOUT_CHECK_DIGIT}");
    assert_eq!(question(&questions[0]), expected);
    assert_eq!(header(&questions[0], "authorization"), "Bearer pass");
    let moment = header(&questions[0], "date");
    assert_eq!(moment, ground.tracking().now().to_string());
    assert_eq!(kept(ground.tracking(), "up").await, [under_way()]);
    assert_eq!(
        milestones(&ground, account).await,
        ["rail_departed", "rail_loaded"]
    );
    let [day, rail] = free_days(&ground, account).await;
    assert_eq!((day.clone(), rail), (json!("2026-04-12T05:00:00Z"), day));
}

#[tokio::test(flavor = "multi_thread")]
async fn bnsf_is_asked_with_units_and_says_when_storage_begins() {
    let says = json!({"intermodalUnits": [{
        "equipmentInitial": "NWLU", "equipmentNumber": "42", "currentStation333": "CHICAGO",
        "currentStationStateCode": "IL", "destinationStation333": "CHICAGO",
        "destinationStateCode": "IL", "loadEmptyChassisCode": "L",
        "destinationArrivalDateTime": "2026-04-05T14:10:00", "availableForPickup": "Y",
        "storageStartDateTime": "2026-04-10T05:00:00Z",
    }]});
    let road = Railroad::open("bnsf", &says).await;
    let (ground, account) = served(&[&road]).await;
    let (questions, tokens) = road.asked().await;
    assert_eq!(tokens.len(), 0);
    assert_eq!(question(&questions[0]), "POST /v3/unit-details");
    let body: Value = questions[0].body_json().unwrap();
    let unit = json!({"equipmentInitial": "NWLU", "equipmentNumber": "000042"});
    assert_eq!(body, json!({"intermodalUnits": [unit]}));
    assert_eq!(kept(ground.tracking(), "bnsf").await, [says]);
    let expected = ["arrived_at_inland_destination", "available", "rail_arrived"];
    assert_eq!(milestones(&ground, account).await, expected);
    let [_, rail] = free_days(&ground, account).await;
    assert_eq!(
        rail, "2026-04-09T05:00:00Z",
        "the day before storage begins, at the ramp"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_bnsf_expects_and_what_it_lets_go_is_at_the_destination_and_not_where_the_train_is() {
    let unit = |station: &str, state: &str, more: Value| {
        let mut unit = json!({
            "equipmentInitial": "NWLU", "equipmentNumber": "42", "loadEmptyChassisCode": "L",
            "originStation333": "LOSANGELE", "originStationStateCode": "CA",
            "currentStation333": station, "currentStationStateCode": state,
            "station333": station, "stationStateCode": state,
            "destinationStation333": "CHICAGO", "destinationStateCode": "IL",
        });
        let all = unit.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        json!({"intermodalUnits": [unit]})
    };
    let under_way = unit(
        "BARSTOW",
        "CA",
        json!({"estimatedArrivalDateTime": "2026-04-09T18:00:00"}),
    );
    let road = Railroad::open("bnsf", &under_way).await;
    let (ground, account) = served(&[&road]).await;
    assert_eq!(milestones(&ground, account).await, [] as [&str; 0]);
    let document = ground.container_document(account).await;
    let attributes = &document["attributes"];
    assert_eq!(attributes["ind_eta_at"], "2026-04-09T23:00:00Z");
    let there = json!({"destinationArrivalDateTime": "2026-04-09T12:00:00",
        "availableForPickup": "Y"});
    road.says(&unit("CHICAGO", "IL", there)).await;
    let noon: Timestamp = "2026-04-09T18:00:00Z".parse().unwrap();
    ground.pass(noon.duration_since(ground.tracking().now()));
    ground.drain().await;
    let expected = ["arrived_at_inland_destination", "available", "rail_arrived"];
    assert_eq!(milestones(&ground, account).await, expected);
    let document = ground.container_document(account).await;
    let attributes = &document["attributes"];
    assert_eq!(attributes["available_for_pickup"], true);
    assert_eq!(attributes["ind_ata_at"], "2026-04-09T17:00:00Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_questions_to_bnsf_are_a_second_apart() {
    let all = [BOX, OTHER_BOX, "NWLU0000451"];
    let mut templates = sources::rail::templates().iter();
    let bnsf = templates.find(|template| template.name == "bnsf").unwrap();
    let one_each = bnsf.text.replace("batch_max = 100", "batch_max = 1");
    let road = Railroad::with(one_each.leak(), &json!({"intermodalUnits": []})).await;
    let mut ground = Ground::new(&told_of(&all)).await;
    ground.start_again_with(vec![road.source()]);
    let account = ground.account("A").await;
    for number in all {
        ground.track(account, number, NumberKind::Container).await;
    }
    ground.drain().await;
    assert_eq!(road.asked().await.0.len(), 1);
    for (millis, asked) in [(900, 1), (100, 2), (900, 2), (100, 3)] {
        ground.pass(SignedDuration::from_millis(millis));
        ground.drain().await;
        assert_eq!(road.asked().await.0.len(), asked);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn canadian_national_is_asked_with_its_key_and_a_token() {
    let moved = |code: &str, at: &str, city: &str, state: &str| {
        json!({"EventCode": code, "EventDateTime": at,
            "Location": {"Station": city, "ProvinceState": state}})
    };
    let says = json!({"ThirdPartyIntermodalShipment": {"Equipment": [{
        "EquipmentId": "NWLU42", "LoadEmpty": "L",
        "Destination": {"Station": "CHICAGO", "ProvinceState": "IL"},
        "StorageInformation": {"LastFreeDay": "2026-04-11"},
        "Events": [
            moved("Departed", "2026-04-03T18:40:00", "LOS ANGELES", "CA"),
            moved("Arrived", "2026-04-05T06:00:00", "CHICAGO", "IL"),
            moved("Unloaded", "2026-04-05T07:30:00", "CHICAGO", "IL"),
        ],
    }]}});
    let road = Railroad::open("cn", &says).await;
    let (ground, account) = served(&[&road]).await;
    let (questions, tokens) = road.asked().await;
    let token = question(&tokens[0]);
    let expected = "POST /v1/oauth/jwt-token/accesstokenJWT grant_type=client_credentials";
    assert_eq!(token, expected);
    let expected =
        format!("GET /customers/v1/shipments/tracking equipmentIds={WITHOUT_CHECK_DIGIT}");
    assert_eq!(question(&questions[0]), expected);
    assert_eq!(header(&questions[0], "x-apikey"), "the-id");
    assert_eq!(header(&questions[0], "authorization"), "Bearer pass");
    assert_eq!(kept(ground.tracking(), "cn").await, [says]);
    let expected = [
        "arrived_at_inland_destination",
        "rail_arrived",
        "rail_departed",
        "rail_unloaded",
    ];
    assert_eq!(milestones(&ground, account).await, expected);
    let [_, rail] = free_days(&ground, account).await;
    assert_eq!(rail, "2026-04-11T05:00:00Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_without_rail_data_holds_no_free_day_of_the_railroad() {
    let road = Railroad::open("up", &under_way()).await;
    let (ground, with) = served(&[&road]).await;
    let without = ground.account("B").await;
    let off = account::Change {
        features: vec![(Feature::Rail, false)],
        ..account::Change::default()
    };
    account::change(ground.tracking(), without, off)
        .await
        .unwrap();
    ground.track(without, BOX, NumberKind::Container).await;
    ground.drain().await;
    assert_eq!(
        milestones(&ground, without).await,
        milestones(&ground, with).await
    );
    assert_eq!(
        free_days(&ground, without).await,
        [Value::Null, Value::Null]
    );
    assert_ne!(free_days(&ground, with).await[1], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_errors_and_boxes_left_out_clear_nothing_a_railroad_said() {
    let road = Railroad::open("up", &under_way()).await;
    let (ground, account) = served(&[&road]).await;
    let before = (
        milestones(&ground, account).await,
        free_days(&ground, account).await,
    );
    let nothing = json!([{"load": {"equipment": {"id": WITHOUT_CHECK_DIGIT},
        "load_empty_code": "Unknown"}}]);
    for answer in [
        ResponseTemplate::new(200).set_body_json(json!([])),
        ResponseTemplate::new(200).set_body_json(nothing),
        ResponseTemplate::new(404),
        ResponseTemplate::new(200).set_body_raw("<html>sign in</html>", "text/html"),
        ResponseTemplate::new(503),
    ] {
        road.answers(answer).await;
        ground.pass(SignedDuration::from_hours(30));
        ground.drain().await;
        assert_ne!(road.asked().await.0.len(), 0, "it is asked each time");
        let after = (
            milestones(&ground, account).await,
            free_days(&ground, account).await,
        );
        assert_eq!(after, before);
    }
    let (shared, now) = (ground.tracking().clone(), ground.tracking().now());
    let reading = ground.tracking().store().read(move |tx| {
        let state = source_state::find(tx, &shared, "up", now)?;
        Ok::<_, store::Error>(state.map(|state| state.condition(now)))
    });
    let condition = reading.await.unwrap().unwrap();
    assert_ne!(
        condition,
        Condition::Working,
        "and it is told that it fails"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_railroads_only_those_that_carry_the_box_are_asked_on() {
    let knows = Railroad::open("up", &under_way()).await;
    let other = Railroad::open("bnsf", &json!({"intermodalUnits": []})).await;
    let (ground, _) = served(&[&knows, &other]).await;
    assert_eq!(
        other.asked().await.0.len(),
        1,
        "nobody knew whose the box is"
    );
    let before = knows.asked().await.0.len();
    ground.pass(SignedDuration::from_hours(30));
    ground.drain().await;
    assert!(knows.asked().await.0.len() > before);
    let asked = other.asked().await.0.len();
    ground.pass(SignedDuration::from_hours(30));
    ground.drain().await;
    assert_eq!(
        other.asked().await.0.len(),
        asked,
        "the box went by the other road"
    );
}

impl Railroad {
    /// How often it was asked about the box until now.
    pub(crate) async fn questions(&self) -> usize {
        self.asked().await.0.len()
    }
}

/// The account's only container.
async fn the_container(ground: &Ground, account: AccountId) -> Container {
    let reading = ground.tracking().store().read(move |tx| {
        let a = &mut tx.account(account);
        let slice = Slice {
            offset: 0,
            limit: 1,
        };
        let page = store::container::page(a, &ContainerFilter::default(), slice)?;
        let id = page.rows.first().map(|row| ContainerId(row.id));
        let found = id.map(|id| store::container::find(a, id));
        Ok::<_, store::Error>(found.transpose()?.flatten())
    });
    reading.await.unwrap().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_railroad_is_asked_again_when_tracking_was_stopped_and_is_resumed() {
    let road = Railroad::open("up", &under_way()).await;
    let (ground, account) = served(&[&road]).await;
    let row = the_container(&ground, account).await;
    let stopped = shipment::stop_tracking(ground.tracking(), account, row.shipment).await;
    assert!(stopped.unwrap().is_some());
    ground.pass(SignedDuration::from_hours(30));
    ground.drain().await;
    ground.pass(SignedDuration::from_hours(30));
    let before = road.questions().await;
    ground.drain().await;
    assert_eq!(road.questions().await, before, "nobody wants to know");
    let resumed = shipment::resume_tracking(ground.tracking(), account, row.shipment).await;
    assert!(resumed.unwrap().is_some());
    ground.drain().await;
    assert_eq!(road.questions().await, before + 1, "it is asked at once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_wakes_a_railroad_that_rests_and_can_tell_something() {
    let road = Railroad::open("up", &under_way()).await;
    let (ground, account) = served(&[&road]).await;
    let before = road.questions().await;
    let resting = ground
        .tracking()
        .store()
        .write(Key::account(account), |tx| {
            let watch = store::watch::of_number(tx, "up", NumberKind::Container, BOX)?.unwrap();
            let rests = Settled {
                next_poll_at: None,
                failures: 0,
                attempted_at: watch.created_at,
                succeeded_at: None,
                changed_at: None,
            };
            store::watch::settle(tx, watch.id, watch.claim_token, &rests)
        });
    let resting: Result<bool, store::Error> = resting.await;
    assert!(resting.unwrap());
    let row = the_container(&ground, account).await;
    let refreshed = refresh::refresh(ground.tracking(), account, row.id).await;
    let asked = Asked {
        line: true,
        rail: true,
        terminal: false,
    };
    assert_eq!(refreshed.unwrap(), Refreshed::Started(asked));
    // It has told of the box, so that no import stands before it.
    assert!(heard_of(&ground, BOX).await.1.is_some());
    ground.drain().await;
    assert_eq!(road.questions().await, before + 1);
}

/// How the railroad stands with us, and when it last told about a box.
async fn heard_of(ground: &Ground, number: &'static str) -> (u32, Option<Timestamp>) {
    let reading = ground.tracking().store().read(move |tx| {
        let standing = store::source::all(tx)?.remove("up").unwrap();
        let watch = store::watch::of_number(tx, "up", NumberKind::Container, number)?;
        Ok::<_, store::Error>((standing.waits, watch.unwrap().last_succeeded_at))
    });
    reading.await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_whose_watch_cannot_be_settled_keeps_neither_the_others_nor_the_railroad() {
    let road = Railroad::open("up", &under_way()).await;
    let mut ground = Ground::new(&told_of_both()).await;
    ground.start_again_with(vec![road.source()]);
    let account = ground.account("A").await;
    for number in [BOX, OTHER_BOX] {
        ground.track(account, number, NumberKind::Container).await;
    }
    ground.drain().await;
    ground.tamper(
        "create trigger poison before update on watches
         when new.source = 'up' and new.number = 'NWLU0000425' and new.failures = 0 and new.lease_until is null
         begin select raise(abort, 'poison'); end",
    );
    road.answers(ResponseTemplate::new(429).insert_header("Retry-After", "60"))
        .await;
    ground.pass(SignedDuration::from_hours(30));
    let _ = work::drain(ground.tracking()).await;
    assert_eq!(heard_of(&ground, BOX).await.0, 1, "it asks us to wait");
    road.says(&under_way()).await;
    let again_from = ground.tracking().now();
    for _ in 0..3 {
        ground.pass(SignedDuration::from_mins(7));
        let _ = work::drain(ground.tracking()).await;
    }
    let (waits, heard) = heard_of(&ground, OTHER_BOX).await;
    assert_eq!(waits, 0, "the trial counts");
    assert!(heard > Some(again_from), "{heard:?}");
    assert!(heard_of(&ground, BOX).await.1 < Some(again_from));
    ground.tamper("drop trigger poison");
    ground.pass(SignedDuration::from_hours(12));
    ground.drain().await;
    assert!(
        heard_of(&ground, BOX).await.1 > Some(again_from),
        "it is asked again"
    );
}

#[test]
fn a_railroad_whose_answer_takes_the_store_too_long_has_answered() {
    let server = PgServer::start().unwrap();
    let store = store_on(&server);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let road = Railroad::open("up", &under_way()).await;
        let mut ground = Ground::new(&told()).await;
        ground.start_again_on(store, vec![road.source()]);
        let account = ground.account("A").await;
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        ended_by_store(&server, "57014", "raw_messages", "new.source = 'up'");
        road.answers(ResponseTemplate::new(429).insert_header("Retry-After", "60"))
            .await;
        ground.pass(SignedDuration::from_hours(30));
        let _ = work::drain(ground.tracking()).await;
        assert_eq!(heard_of(&ground, BOX).await.0, 1, "it asks us to wait");
        let mut news = under_way();
        news[0]["load"]["last_free_date"] = "2026-04-13".into();
        road.says(&news).await;
        for _ in 0..3 {
            ground.pass(SignedDuration::from_mins(7));
            let _ = work::drain(ground.tracking()).await;
        }
        assert_eq!(heard_of(&ground, BOX).await.0, 0, "the trial counts");
    });
}

#[test]
fn who_hears_of_a_box_does_not_wait_for_what_is_asked_about_it() {
    let server = PgServer::start().unwrap();
    let [holder, store] = [(); 2].map(|()| store_on(&server));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let road = Railroad::open("up", &under_way()).await;
        let mut ground = Ground::new(&told()).await;
        ground.start_again_on(store.clone(), vec![road.source()]);
        let account = ground.account("A").await;
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        let before = ground.container_document(account).await;
        let ((held, is_held), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let holding = tokio::spawn(async move {
            let hold = move |tx: &mut Tx| {
                let watch = store::watch::of_number(tx, "up", NumberKind::Container, BOX)?;
                store::watch::lock(tx, watch.unwrap().id)?;
                let _ = held.send(());
                // Until the other end is dropped.
                let _ = may_go.recv();
                Ok::<_, store::Error>(())
            };
            holder.write(Key::sightings(), hold).await
        });
        is_held.recv().unwrap();
        let corrected = told().replace("2026-03-14T03:20", "2026-03-14T05:20");
        ground.answer(&corrected).await;
        ground.pass(SignedDuration::from_hours(30));
        let heard = tokio::time::timeout(Duration::from_mins(1), ground.drain()).await;
        assert!(heard.is_ok(), "it waits for the railroad's watch");
        assert_ne!(ground.container_document(account).await, before);
        drop(let_go);
        holding.await.unwrap().unwrap();
    });
}

/// The line: at sea, expected in Los Angeles on the 20th of April, and bound for Chicago by rail.
fn at_sea() -> String {
    let mut told: Value = serde_json::from_str(&told()).unwrap();
    told[1] = json!({"eventID": "eta", "eventCreatedDateTime": "2026-04-03T00:00:00Z",
        "eventType": "TRANSPORT", "eventClassifierCode": "EST",
        "eventDateTime": "2026-04-20T08:00:00-07:00", "transportEventTypeCode": "ARRI",
        "references": [{"referenceType": "EQ", "referenceValue": BOX}],
        "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "USLAX",
            "vessel": {"vesselIMONumber": "9321483"}}});
    told[2]["eventDateTime"] = json!("2026-04-26T08:00:00-05:00");
    told.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_railroad_is_asked_from_two_days_before_the_vessel_arrives_though_nothing_new_is_said() {
    let road = Railroad::open("up", &json!([])).await;
    let mut ground = Ground::new(&at_sea()).await;
    ground.start_again_with(vec![road.source()]);
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let from: Timestamp = "2026-04-18T15:00:00Z".parse().unwrap();
    let due = the_container(&ground, account).await.next_due_at;
    assert_eq!(due, Some(from));
    // The line has nothing to say meanwhile.
    ground.break_down().await;
    let now = ground.tracking().now();
    ground.pass(from.duration_since(now) - SignedDuration::from_mins(1));
    ground.drain().await;
    assert_eq!(road.questions().await, 0, "nobody ashore knows it yet");
    ground.pass(SignedDuration::from_mins(1));
    ground.drain().await;
    assert_eq!(road.questions().await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_cannot_be_looked_at_keeps_no_other_from_a_railroad_that_is_configured_later() {
    let mut ground = Ground::new(&told_of_both()).await;
    for (name, number) in [("A", BOX), ("B", OTHER_BOX)] {
        let account = ground.account(name).await;
        ground.track(account, number, NumberKind::Container).await;
        ground.drain().await;
    }
    ground.tamper(
        "create trigger poison before insert on watches
         when new.source = 'up' and new.number = (select number from containers order by account_id limit 1)
         begin select raise(abort, 'poison'); end",
    );
    let road = Railroad::open("up", &under_way()).await;
    ground.start_again_with(vec![road.source()]);
    let stop = CancellationToken::new();
    let looking = tokio::spawn(work::look_through(ground.tracking().clone(), stop));
    let until_asked = async |questions: usize| {
        let began = Instant::now();
        while road.questions().await < questions {
            assert!(began.elapsed() < Duration::from_mins(1), "{questions}");
            tokio::time::sleep(Duration::from_millis(20)).await;
            // What it tells of the other box meets the same fault.
            let _ = work::drain(ground.tracking()).await;
        }
    };
    until_asked(1).await;
    assert!(!looking.is_finished());
    ground.tamper("drop trigger poison");
    looking.await.unwrap();
    until_asked(2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_box_whose_check_digit_does_not_fit_is_asked_about_as_its_line_writes_it() {
    let painted = "NWLU0000421";
    let road = Railroad::open("up", &json!([])).await;
    let mut ground = Ground::new(&told_of(&[painted])).await;
    ground.start_again_with(vec![road.source()]);
    let account = ground.account("A").await;
    let bill = NumberKind::BillOfLading;
    ground.track(account, "NWLX00042", bill).await;
    ground.drain().await;
    let told = ground.told(account).await;
    assert_eq!(told[0].0, painted);
    let asked = road.asked().await.0;
    let asked: Vec<String> = asked.iter().map(question).collect();
    let expected = format!("GET /services/v2/shipments equipment_id={WITHOUT_CHECK_DIGIT}");
    assert_eq!(asked, [expected]);
}

/// All roads in one place: the numbers stand in the path, and each sighting names its road.
const SIGHTINGS: &str = r#"
id = "sightings"
protocol = "rail-rest"
[endpoint]
base = "https://sightings.invalid"
path = "/tracing/v1/customers/7/fleets/F1/equipment/{numbers}/tracing/latest"
without_check_digit = true
batch_max = 50
[auth]
kind = "headers"
headers = { "Authorization" = "login" }
[format]
kind = "json"
records = "traces"
[columns]
container = ["unit.initial", "unit.number"]
[events]
list = "sightings"
code = "sight"
at = "seen"
splc = "where.splc"
city = "where.city"
state = "where.state"
railroad = "road"
[words.status]
"P" = "rail_departed"
"D" = "rail_arrived"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn an_interface_of_all_railroads_is_asked_by_path_and_each_sighting_names_its_road() {
    let seen = |sight: &str, at: &str, road: &str, city: &str, state: &str| json!({"sight": sight, "seen": at, "road": road, "where": {"city": city, "state": state}});
    let says = json!({"traces": [{"unit": {"initial": "NWLU", "number": "0000000042"}, "sightings": [
        seen("P", "2026-04-03T20:00:00", "UP", "LOS ANGELES", "CA"),
        seen("D", "2026-04-05T06:00:00", "NS", "CHICAGO", "IL"),
    ]}]});
    let road = Railroad::with(SIGHTINGS, &says).await;
    let (ground, account) = served(&[&road]).await;
    let (questions, _) = road.asked().await;
    let path = "/tracing/v1/customers/7/fleets/F1/equipment";
    let expected = format!("GET {path}/{WITHOUT_CHECK_DIGIT}/tracing/latest");
    assert_eq!(question(&questions[0]), expected);
    assert_eq!(header(&questions[0], "authorization"), "Basic a25vd24=");
    assert_eq!(kept(ground.tracking(), "sightings").await, [says]);
    let expected = [
        "arrived_at_inland_destination",
        "rail_arrived",
        "rail_departed",
    ];
    assert_eq!(milestones(&ground, account).await, expected);
    let attributes = ground.container_document(account).await["attributes"].clone();
    assert_eq!(attributes["pod_rail_carrier_scac"], "UPRR");
    assert_eq!(attributes["ind_rail_carrier_scac"], "NSRR");
}
