//! Vessels, where they were seen, and the way of a box as a route and as a map.

use domain::account::Feature;
use domain::codes::{ContainerNumber, ImoNumber, UnLocode};
use domain::container::Vessel;
use domain::geography::Point;
use domain::ids::{ContainerId, RawMessageId, ReferenceId, ReportId};
use domain::report::{
    Classifier, Equipment, Leg, Mode, Occurred, Place, Precision, References, Report, SourceKind,
    Verb, ZoneSource,
};
use domain::vessel::Position;
use jiff::{SignedDuration, Timestamp};
use jsonapi::resource::{port, vessel};
use serde_json::Value;
use store::Key;
use store::raw_message::RawMessage;
use tracking::id_source;
use tracking::vessels::{Sighting, record_positions};

use crate::client::{Answer, Client};
use crate::house::House;
use crate::planted::{BOXES, Planted, plant};

const IMO: &str = "9321483";
const ROUTING_OFF: &str = "Routing data feature is not enabled for this account";

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

fn ship() -> ReferenceId {
    let named = Vessel {
        imo: ImoNumber::parse(IMO),
        name: None,
    };
    vessel::id(&named).unwrap()
}

fn id_of(code: &str) -> String {
    port::id(UnLocode::parse(code).unwrap()).to_string()
}

fn claim(classifier: Classifier, verb: Verb, place: &str, when: &str, issued: &str) -> Report {
    let at = at(when);
    Report {
        source: "MSCU".into(),
        source_kind: SourceKind::Dcsa2,
        source_event_id: None,
        retracts: None,
        reported_at: Some(issued.parse().unwrap()),
        received_at: issued.parse().unwrap(),
        verb,
        classifier,
        occurred: Some(Occurred {
            at,
            local: at.to_zoned(jiff::tz::TimeZone::UTC).datetime(),
            zone_source: ZoneSource::Utc,
            precision: Precision::Minute,
        }),
        equipment: Some(Equipment {
            number: ContainerNumber::parse(BOXES[1]).unwrap(),
            iso_type: None,
            laden: Some(true),
            seals: vec![],
            gross_kg: None,
        }),
        place: Place {
            locode: UnLocode::parse(place).ok(),
            ..Place::default()
        },
        leg: Leg {
            mode: Some(Mode::Vessel),
            vessel_imo: ImoNumber::parse(IMO),
            vessel_name: Some("QUAY STAR".into()),
            voyage_out: Some("012E".into()),
            ..Leg::default()
        },
        move_hint: None,
        references: References::default(),
        original: format!("{verb:?}"),
        value: None,
        doubts: vec![],
        position: None,
    }
}

/// The second box left Shanghai on 21 February and is expected in Los Angeles on 2 March; now is 1 March.
async fn at_sea(house: &House, planted: &Planted) -> ContainerId {
    use Classifier::{Actual, Estimated};
    let told = [
        claim(
            Actual,
            Verb::Load,
            "CNSHA",
            "2026-02-20T10:00:00Z",
            "2026-02-20T11:00:00Z",
        ),
        claim(
            Actual,
            Verb::Depart,
            "CNSHA",
            "2026-02-21T00:00:00Z",
            "2026-02-21T01:00:00Z",
        ),
        claim(
            Estimated,
            Verb::Arrive,
            "USLAX",
            "2026-03-01T18:00:00Z",
            "2026-02-22T00:00:00Z",
        ),
        claim(
            Estimated,
            Verb::Arrive,
            "USLAX",
            "2026-03-02T12:00:00Z",
            "2026-02-26T00:00:00Z",
        ),
    ];
    say(house, planted, told.into(), "2026-02-26T00:00:00Z").await;
    planted.containers[1]
}

/// What the line answers at this time.
async fn say(house: &House, planted: &Planted, told: Vec<Report>, when: &str) {
    let when = at(when);
    let mut ids = id_source(when);
    let raw: RawMessageId = ids.draw();
    let reports: Vec<(ReportId, Report)> = told.into_iter().map(|r| (ids.draw(), r)).collect();
    let (account, shipment, container) = (house.account, planted.shipment, planted.containers[1]);
    let writing = house
        .tracking
        .store()
        .write(Key::account(account), move |tx| {
            let mut a = tx.account(account);
            let watch = store::shipment::watches_of(&mut a, shipment)?[0];
            store::vessel::carries(&mut a, &[(container, ship())])?;
            let message = RawMessage {
                id: raw,
                source: "MSCU".into(),
                watch: Some(watch),
                account: None,
                question: "later".into(),
                content_type: "application/json".into(),
                received_at: when,
                body: when.to_string().into_bytes(),
                digest: [u8::try_from(when.as_second() / 86_400 % 200).unwrap() + 2; 32],
            };
            store::raw_message::receive(tx, &message)?;
            store::report::insert(tx, watch, raw, &reports, when)?;
            Ok::<_, store::Error>(())
        });
    writing.await.unwrap();
}

fn seen(when: &str, latitude: f64, longitude: f64) -> Sighting {
    Sighting {
        imo: ImoNumber::parse(IMO).unwrap(),
        mmsi: Some("636019825".into()),
        position: Position {
            at: at(when),
            point: Point {
                latitude,
                longitude,
            },
            heading: Some(85.5),
            speed_knots: Some(18.2),
        },
    }
}

async fn sighted(house: &House) {
    let seen = [
        seen("2026-02-10T00:00:00Z", 1.0, 103.0),
        seen("2026-02-22T00:00:00Z", 35.0, 140.0),
        seen("2026-02-25T00:00:00Z", 45.0, 179.5),
        seen("2026-02-28T00:00:00Z", 42.0, -150.25),
        seen("2026-02-28T00:00:00Z", 0.0, 0.0),
        seen("2026-02-28T01:00:00Z", 91.0, 181.0),
        seen("2025-01-01T00:00:00Z", 10.0, 10.0),
    ];
    let new = record_positions(&house.tracking, &seen).await.unwrap();
    assert_eq!(
        new, 4,
        "the repeated, the impossible and the old are passed over"
    );
    assert_eq!(record_positions(&house.tracking, &seen).await.unwrap(), 0);
}

fn attributes(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["data"]["attributes"].clone()
}

#[tokio::test]
async fn a_vessel_is_found_by_id_and_number_and_shows_where_it_was() {
    let house = House::open().await;
    plant(&house).await;
    let bare = attributes(&house.get(&format!("/v2/vessels/{IMO}")).await);
    assert_eq!(
        (&bare["name"], &bare["imo"]),
        (&"QUAY STAR".into(), &IMO.into())
    );
    assert!(bare["latitude"].is_null() && bare["positions"].is_null());
    sighted(&house).await;
    let told = house.get(&format!("/v2/vessels/{}", ship())).await;
    let told = attributes(&told);
    assert_eq!(told["mmsi"], "636019825");
    assert_eq!(
        (&told["latitude"], &told["longitude"]),
        (&42.0.into(), &(-150.25).into())
    );
    assert_eq!(told["nautical_speed_knots"], 18.2);
    assert_eq!(told["navigational_heading_degrees"], 85.5);
    assert_eq!(told["position_timestamp"], "2026-02-28T00:00:00Z");
    assert!(told["positions"].is_null());
    for (query, rows) in [
        ("show_positions[to_timestamp]=2026-02-28", 3),
        ("show_positions[from_timestamp]=2026-02-01T00:00:00Z", 4),
        (
            "show_positions[from_timestamp]=2026-02-22T00:00:00Z&show_positions[to_timestamp]=2026-02-25T00:00:00Z",
            2,
        ),
        (
            "show_positions[from_timestamp]=2026-02-22T00:00:01Z&show_positions[to_timestamp]=2026-02-24T23:59:59Z",
            0,
        ),
    ] {
        let told = attributes(&house.get(&format!("/v2/vessels/{IMO}?{query}")).await);
        let list = told["positions"].as_array().unwrap();
        assert_eq!(list.len(), rows, "{query}");
        assert!(list.iter().all(|position| position["estimated"] == false));
    }
    for (query, parameter) in [
        ("show_positions=true", "show_positions"),
        (
            "show_positions[from_timestamp]=yesterday",
            "show_positions[from_timestamp]",
        ),
        (
            "show_positions[from_timestamp]=2026-02-28&show_positions[to_timestamp]=2026-02-01",
            "show_positions[from_timestamp]",
        ),
        (
            "show_positions[to_timestamp]=-000001-12-31",
            "show_positions[to_timestamp]",
        ),
    ] {
        let told = house
            .get(&format!("/v2/vessels/{IMO}?{query}"))
            .await
            .faults(400);
        assert!(told[0].starts_with(&format!("{parameter}: ")), "{told:?}");
    }
    let long_ago = "show_positions[to_timestamp]=0000-01-02";
    let none = house.get(&format!("/v2/vessels/{IMO}?{long_ago}")).await;
    assert_eq!(none.status, 200, "{}", none.body);
    house.get("/v2/vessels/9321484").await.faults(404);
    house.get("/v2/vessels/9074729").await.faults(404);
    assert_eq!(
        included(&house.client()).await["latitude"],
        42.0,
        "the same where it is included"
    );
}

/// The attributes of the ship, as it is included with a box.
async fn included(client: &Client) -> Value {
    let boxes = client
        .get("/v2/containers?include=transport_events.vessel")
        .await;
    let boxes = boxes.json();
    let mut told = boxes["included"].as_array().unwrap().iter();
    told.find(|one| one["type"] == "vessel").unwrap()["attributes"].clone()
}

/// A client that keeps resources by type and id would overwrite what it knows with null.
#[tokio::test]
async fn a_vessel_is_the_same_fetched_and_included() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let long_ago = [seen("2025-01-01T00:00:00Z", 10.0, 10.0)];
    let kept = record_positions(&house.tracking, &long_ago).await.unwrap();
    assert_eq!(kept, 0, "its radio is known, and no place");
    let path = format!("/v2/vessels/{IMO}");
    let fetched = attributes(&house.get(&path).await);
    assert_eq!(fetched["mmsi"], "636019825");
    assert_eq!(included(&house.client()).await, fetched);
    let delivery = format!("/v2/webhook_notifications/{}", planted.notification);
    let delivery = house.get(&delivery).await.json();
    let mut carried = delivery["included"].as_array().unwrap().iter();
    let carried = carried.find(|one| one["type"] == "vessel").unwrap();
    assert_eq!(carried["attributes"], fetched, "as a delivery carries it");
    sighted(&house).await;
    for is_on in [true, false] {
        house.switch(&[(Feature::Routing, is_on)]).await;
        let fetched = attributes(&house.get(&path).await);
        assert_eq!(fetched["mmsi"], "636019825");
        assert_eq!(fetched["latitude"].is_number(), is_on);
        assert_eq!(included(&house.client()).await, fetched);
    }
}

#[tokio::test]
async fn without_the_feature_a_vessel_has_a_name_and_no_place() {
    let house = House::open().await;
    let planted = plant(&house).await;
    sighted(&house).await;
    let client = house.without(Feature::Routing).await;
    let told = attributes(&client.get(&format!("/v2/vessels/{IMO}")).await);
    assert_eq!(told["name"], "QUAY STAR");
    assert!(told["latitude"].is_null() && told["position_timestamp"].is_null());
    let ports = format!(
        "port_id={}&previous_port_id={}",
        id_of("USLAX"),
        id_of("CNSHA")
    );
    for path in [
        format!("/v2/vessels/{IMO}?show_positions[to_timestamp]=2026-02-28"),
        format!("/v2/vessels/{IMO}/future_positions?{ports}"),
        format!(
            "/v2/vessels/{IMO}/future_positions_with_coordinates?{ports}&latitude=1&longitude=1"
        ),
        format!("/v2/containers/{}/map_geojson", planted.containers[0]),
        format!("/v2/containers/{}/route", planted.containers[0]),
    ] {
        assert_eq!(client.get(&path).await.faults(403), [ROUTING_OFF], "{path}");
    }
}

#[tokio::test]
async fn what_lies_ahead_follows_from_what_was_reported() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let ports = format!(
        "port_id={}&previous_port_id={}",
        id_of("USLAX"),
        id_of("CNSHA")
    );
    let path = format!("/v2/vessels/{IMO}/future_positions?{ports}");
    let positions = |answer: &Answer| attributes(answer)["positions"].as_array().unwrap().clone();
    assert!(
        positions(&house.get(&path).await).is_empty(),
        "nothing reported, nothing drawn"
    );
    at_sea(&house, &planted).await;
    let ahead = positions(&house.get(&path).await);
    assert_eq!(
        ahead.len(),
        24 * 60 + 1,
        "each minute until the reported arrival"
    );
    assert_eq!(ahead[0]["timestamp"], "2026-03-01T12:00:00Z");
    assert_eq!(ahead[1]["timestamp"], "2026-03-01T12:01:00Z");
    assert!(ahead.iter().all(|position| position["estimated"] == true));
    let last = ahead.last().unwrap();
    assert_eq!(last["timestamp"], "2026-03-02T12:00:00Z");
    let near = |value: &Value, degrees: f64| (value.as_f64().unwrap() - degrees).abs() < 0.01;
    assert!(
        near(&last["latitude"], 33.74) && near(&last["longitude"], -118.26),
        "{last}"
    );
    let here = format!(
        "/v2/vessels/{IMO}/future_positions_with_coordinates?{ports}&latitude=36&longitude=-125.5"
    );
    let ahead = positions(&house.get(&here).await);
    assert!(near(&ahead[0]["latitude"], 36.0) && near(&ahead[0]["longitude"], -125.5));
    assert_eq!(ahead.len(), 24 * 60 + 1);
    let as_drawn = here.replace("=-125.5", "=234.5");
    assert_eq!(positions(&house.get(&as_drawn).await), ahead);
    let neighbour = house.neighbour().await;
    assert!(
        positions(&neighbour.get(&path).await).is_empty(),
        "another account's voyage"
    );
    let back = format!(
        "port_id={}&previous_port_id={}",
        id_of("CNSHA"),
        id_of("USLAX")
    );
    let back = format!("/v2/vessels/{IMO}/future_positions?{back}");
    assert!(positions(&house.get(&back).await).is_empty());
    for (query, parameter) in [
        (format!("port_id={}", id_of("USLAX")), "previous_port_id"),
        ("port_id=USLAX&previous_port_id=CNSHA".into(), "port_id"),
    ] {
        let path = format!("/v2/vessels/{IMO}/future_positions?{query}");
        let told = house.get(&path).await.faults(400);
        assert!(told[0].starts_with(&format!("{parameter}: ")), "{told:?}");
    }
    for odd in [
        "latitude=91&longitude=0",
        "latitude=0&longitude=361",
        "latitude=0&longitude=-361",
        "latitude=NaN&longitude=0",
        "",
    ] {
        let path = format!("/v2/vessels/{IMO}/future_positions_with_coordinates?{ports}&{odd}");
        house.get(&path).await.faults(400);
    }
}

/// Bills of the account with so many boxes each, which the ship carries to Oakland, all newer than what was planted.
async fn also_carried(house: &House, planted: &Planted, bills: usize, boxes: usize) {
    let (account, planted) = (house.account, planted.clone());
    let now = house.tracking.now() + SignedDuration::from_secs(1);
    let key = Key::account(account);
    let writing = house.tracking.store().write(key, move |tx| {
        let mut ids = id_source(now);
        let mut a = tx.account(account);
        let of_bill = store::shipment::find(&mut a, planted.shipment)?.unwrap();
        let of_box = store::container::find(&mut a, planted.containers[0])?.unwrap();
        for bill in 0..bills {
            let mut row = of_bill.clone();
            row.id = ids.draw();
            row.number = format!("OAK{bills}{bill}");
            row.normalized_number = row.number.clone();
            store::shipment::insert(&mut a, &row)?;
            for place in 0..boxes {
                let mut carried = of_box.clone();
                (carried.id, carried.shipment) = (ids.draw(), row.id);
                let number = format!("MSCU{:06}", bill * boxes + place);
                carried.number = ContainerNumber::parse(&number).unwrap();
                carried.state.journey.port_of_discharge = UnLocode::parse("USOAK").ok();
                store::container::insert(&mut a, &carried)?;
                store::vessel::carries(&mut a, &[(carried.id, ship())])?;
            }
        }
        Ok::<_, store::Error>(())
    });
    writing.await.unwrap();
}

/// As many boxes as there may be on board for other ports: what is known of one bill stays known.
#[tokio::test]
async fn what_lies_ahead_of_one_bill_is_told_beside_many_newer_boxes() {
    for (bills, boxes) in [(1, 40), (40, 1)] {
        let house = House::open().await;
        let planted = plant(&house).await;
        at_sea(&house, &planted).await;
        also_carried(&house, &planted, bills, boxes).await;
        let (to, from) = (id_of("USLAX"), id_of("CNSHA"));
        let path =
            format!("/v2/vessels/{IMO}/future_positions?port_id={to}&previous_port_id={from}");
        let told = attributes(&house.get(&path).await);
        let ahead = told["positions"].as_array().unwrap().len();
        assert_eq!(ahead, 24 * 60 + 1, "{bills} bills of {boxes}");
    }
}

fn features(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let told = answer.json();
    assert_eq!(told["type"], "FeatureCollection");
    told["features"].as_array().unwrap().clone()
}

fn kinds(features: &[Value]) -> Vec<&str> {
    let kind = |feature: &'_ Value| feature["properties"]["feature_type"].clone();
    features
        .iter()
        .map(|feature| match kind(feature).as_str().unwrap() {
            "port" => "port",
            "current_vessel" => "current_vessel",
            "past_vessel_locations" => "past_vessel_locations",
            "estimated_full_legs" => "estimated_full_legs",
            "estimated_partial_leg" => "estimated_partial_leg",
            other => panic!("{other}"),
        })
        .collect()
}

#[tokio::test]
async fn the_map_of_a_box_at_sea() {
    let house = House::open().await;
    let planted = plant(&house).await;
    let path = format!("/v2/containers/{}/map_geojson", planted.containers[1]);
    assert!(
        features(&house.get(&path).await).is_empty(),
        "no way is known yet"
    );
    at_sea(&house, &planted).await;
    let unseen = features(&house.get(&path).await);
    assert_eq!(kinds(&unseen), ["port", "port", "estimated_full_legs"]);
    sighted(&house).await;
    let drawn = features(&house.get(&path).await);
    assert_eq!(
        kinds(&drawn),
        [
            "port",
            "port",
            "past_vessel_locations",
            "current_vessel",
            "estimated_partial_leg"
        ]
    );
    let [lading, discharge, past, current, partial] = &drawn[..] else {
        panic!()
    };
    let told = |feature: &Value, name: &str| feature["properties"][name].clone();
    assert_eq!(
        (told(lading, "label"), told(discharge, "label")),
        ("POL".into(), "POD".into())
    );
    assert_eq!(
        (told(lading, "ports_sequence"), told(lading, "ports_total")),
        (1.into(), 2.into())
    );
    assert_eq!(told(lading, "location_id"), id_of("CNSHA"));
    assert_eq!(
        (told(lading, "country"), told(lading, "country_code")),
        ("China".into(), "CN".into())
    );
    assert_eq!(told(lading, "outbound_atd_at"), "2026-02-21T00:00:00Z");
    assert_eq!(told(discharge, "inbound_eta_at"), "2026-03-02T12:00:00Z");
    assert!(told(discharge, "inbound_ata_at").is_null());
    assert_eq!(told(past, "start_time"), "2026-02-22T00:00:00Z");
    assert_eq!(told(past, "point_count"), 3);
    assert_eq!(told(current, "vessel_name"), "QUAY STAR");
    assert_eq!(told(current, "voyage_number"), "012E");
    assert_eq!(told(current, "vessel_location_heading"), 85.5);
    assert_eq!(told(current, "departure_port_name"), "Shanghai");
    assert_eq!(told(current, "arrival_port_label"), "POD");
    assert_eq!(told(current, "arrival_port_eta"), "2026-03-02T12:00:00Z");
    assert_eq!(told(partial, "next_port_id"), id_of("USLAX"));
    // One picture: every longitude lies within half a turn of the one before it.
    let east = |point: &Value| point[0].as_f64().unwrap();
    assert!((east(&discharge["geometry"]["coordinates"]) - 241.74).abs() < 0.01);
    assert!((east(&current["geometry"]["coordinates"]) - 209.75).abs() < 1e-6);
    let line = partial["geometry"]["coordinates"].as_array().unwrap();
    assert_eq!(told(partial, "point_count"), line.len());
    assert_eq!(line[0], current["geometry"]["coordinates"]);
    assert_eq!(line.last(), Some(&discharge["geometry"]["coordinates"]));
    let track = past["geometry"]["coordinates"].as_array().unwrap();
    assert_eq!(
        track.iter().map(east).collect::<Vec<_>>(),
        [140.0, 179.5, 209.75]
    );
}

/// The hub stands in no table of ports.
#[tokio::test]
async fn behind_a_hub_that_cannot_be_drawn_no_ship_is_drawn_as_that_of_another_leg() {
    use Classifier::{Actual, Estimated};
    let house = House::open().await;
    let planted = plant(&house).await;
    at_sea(&house, &planted).await;
    sighted(&house).await;
    let issued = "2026-02-28T12:00:00Z";
    let lands = [(Verb::Arrive, 25), (Verb::Discharge, 26)].map(|(verb, day)| {
        let when = format!("2026-02-{day}T06:00:00Z");
        claim(Actual, verb, "REQQQ", &when, issued)
    });
    let goes_on = [
        (Actual, Verb::Load, "REQQQ", "2026-02-27T06:00:00Z"),
        (Actual, Verb::Depart, "REQQQ", "2026-02-27T18:00:00Z"),
        (Estimated, Verb::Arrive, "USLAX", "2026-03-09T12:00:00Z"),
    ]
    .map(|(how, verb, place, when)| {
        let mut said = claim(how, verb, place, when, issued);
        said.leg.vessel_imo = ImoNumber::parse("9074729");
        said.leg.vessel_name = Some("QUAY MOON".into());
        said
    });
    let told = lands.into_iter().chain(goes_on).collect();
    say(&house, &planted, told, issued).await;
    let path = format!("/v2/containers/{}", planted.containers[1]);
    let route = house.get(&format!("{path}/route")).await.json();
    let calls = &route["data"]["relationships"]["route_locations"]["data"];
    assert_eq!(calls.as_array().unwrap().len(), 3, "{route}");
    let drawn = features(&house.get(&format!("{path}/map_geojson")).await);
    assert_eq!(kinds(&drawn), ["port", "port", "estimated_full_legs"]);
    assert_eq!(
        drawn[1]["properties"]["inbound_eta_at"],
        "2026-03-09T12:00:00Z"
    );
}

#[tokio::test]
async fn the_route_of_a_box_with_all_it_names() {
    let house = House::open().await;
    let planted = plant(&house).await;
    at_sea(&house, &planted).await;
    let path = format!("/v2/containers/{}/route", planted.containers[1]);
    for query in ["", "?include=port,vessel,route_location"] {
        let answer = house.get(&format!("{path}{query}")).await;
        let told = answer.json();
        assert_eq!(told["data"]["type"], "route");
        let cargo = &told["data"]["relationships"]["cargo"]["data"];
        assert_eq!(cargo["id"], planted.containers[1].to_string());
        let kinds: Vec<String> = answer
            .included()
            .into_iter()
            .map(|(kind, _)| kind)
            .collect();
        assert_eq!(
            kinds,
            ["route_location", "route_location", "port", "port", "vessel"]
        );
        let named = &told["data"]["relationships"]["route_locations"]["data"];
        let (first, last) = (&told["included"][0], &told["included"][1]);
        assert_eq!(
            (&named[0]["id"], &named[1]["id"]),
            (&first["id"], &last["id"])
        );
        assert_eq!(
            first["attributes"]["outbound_atd_at"],
            "2026-02-21T00:00:00Z"
        );
        assert_eq!(first["attributes"]["outbound_mode"], "vessel");
        assert_eq!(first["attributes"]["outbound_scac"], "MSCU");
        assert!(first["attributes"]["inbound_mode"].is_null());
        assert_eq!(last["attributes"]["inbound_eta_at"], "2026-03-02T12:00:00Z");
        assert_eq!(last["attributes"]["inbound_voyage_number"], "012E");
        let links = &last["relationships"];
        assert_eq!(links["port"]["data"], links["location"]["data"]);
        assert_eq!(links["inbound_vessel"]["data"]["id"], ship().to_string());
    }
    let blank = house.get(&format!("{path}?include=")).await;
    assert_eq!(blank.included(), house.get(&path).await.included());
    house
        .get(&format!("{path}?include=secrets"))
        .await
        .faults(400);
}

/// Another account keeps its watch going, and the box goes on its next trip.
#[tokio::test]
async fn what_is_said_after_a_shipment_stopped_changes_nothing_of_it() {
    use Classifier::{Actual, Estimated};
    let house = House::open().await;
    let planted = plant(&house).await;
    let container = at_sea(&house, &planted).await;
    // What is resumed is gathered anew.
    for step in ["stop", "resume", "stop"] {
        let path = format!("/v2/shipments/{}/{step}_tracking", planted.shipment);
        let told = house.client().send("PATCH", &path, None).await;
        assert_eq!(told.status, 200, "{}", told.body);
    }
    let (to, from) = (id_of("USLAX"), id_of("CNSHA"));
    let paths = [
        format!("/v2/containers/{container}/route"),
        format!("/v2/containers/{container}/map_geojson"),
        format!("/v2/vessels/{IMO}/future_positions?port_id={to}&previous_port_id={from}"),
        format!("/v2/containers/{container}/raw_events"),
        format!("/v2/containers/{container}?include=raw_events&include_meta=provenance"),
    ];
    let told = async || {
        let mut told = Vec::new();
        for path in &paths {
            let answer = house.get(path).await;
            assert_eq!(answer.status, 200, "{path}: {}", answer.body);
            told.push(answer.body);
        }
        told
    };
    sighted(&house).await;
    let before = told().await;
    assert!(before[0].contains("2026-03-02T12:00:00Z"), "{}", before[0]);
    assert!(before[3].contains("2026-02-21T00:00:00Z"), "{}", before[3]);
    let said = [
        (Estimated, Verb::Arrive, "USLAX", "2026-03-09T12:00:00Z"),
        (Actual, Verb::Depart, "CNSHA", "2026-02-21T06:00:00Z"),
        (Actual, Verb::Load, "SGSIN", "2026-02-23T00:00:00Z"),
    ];
    let said =
        said.map(|(how, verb, place, when)| claim(how, verb, place, when, "2026-03-01T13:00:00Z"));
    say(&house, &planted, said.into(), "2026-03-01T13:00:00Z").await;
    for (path, (before, after)) in paths.iter().zip(before.iter().zip(told().await)) {
        assert_eq!(*before, after, "{path}");
    }
    // Nor is the ship of the box followed any longer, wherever it goes.
    house.clock.advance_to(at("2026-03-01T15:00:00Z"));
    let later = seen("2026-03-01T14:00:00Z", 20.0, -150.0);
    let new = record_positions(&house.tracking, &[later]).await.unwrap();
    assert_eq!(new, 1);
    assert_eq!(house.get(&paths[1]).await.body, before[1]);
}

#[tokio::test]
async fn places_are_found_by_id_and_code() {
    let house = House::open().await;
    let by_code = house.get("/v2/ports/uslax?include=terminals").await;
    assert_eq!(attributes(&by_code)["code"], "USLAX");
    assert_eq!(attributes(&by_code)["latitude"], 33.74);
    let terminals = by_code.included();
    assert!(terminals.len() > 5 && terminals.iter().all(|(kind, _)| kind == "terminal"));
    let by_id = house.get(&format!("/v2/ports/{}", id_of("USLAX"))).await;
    assert_eq!(attributes(&by_id), attributes(&by_code));
    let area = house.get("/v2/metro_areas/USCHI").await.json()["data"].clone();
    assert_eq!(
        (&area["type"], &area["attributes"]["name"]),
        (&"metro_area".into(), &"Chicago".into())
    );
    for path in [
        "/v2/ports/USXXX",
        "/v2/metro_areas/USLAX",
        "/v2/metro_areas/USEWI",
        "/v2/terminals/USLAX",
    ] {
        house.get(path).await.faults(404);
    }
    let gazetteer = house.tracking.gazetteer();
    let elwood = UnLocode::parse("USEWI").unwrap();
    let ramp = gazetteer
        .terminals()
        .find(|ramp| ramp.port == elwood)
        .unwrap();
    let ramp = jsonapi::resource::terminal::id(&ramp.code);
    let told = house
        .get(&format!("/v2/terminals/{ramp}?include=metro_area"))
        .await;
    assert_eq!(told.json()["data"]["type"], "terminal");
    assert_eq!(attributes(&told)["facility_type"], "rail");
    assert_eq!(
        told.included(),
        [("metro_area".into(), area["id"].as_str().unwrap().into())]
    );
}
