//! Which boxes are held, which owe something, which are free to go.

use serde_json::{Value, json};
use sources::outbound::EgressSettings;

use crate::house::House;
use crate::rail_data::{LINE, hear};

const TERMINAL: &str = r#"
id = "quay"
protocol = "terminal-table"
terminal = "USLAX-Y258"
[format]
kind = "json"
[columns]
container = "unit"
as_of = "as_of"
available = "available"
holds = "holds"
fees = "fees"
[holds]
complete = true
status = "state"
name = "name"
[fees]
complete = true
name = "type"
amount = "sum"
"#;

const BOXES: [&str; 6] = [
    "CSQU3054383",
    "MSKU6011672",
    "TCLU4255604",
    "MSCU6639870",
    "TGHU6600000",
    "HLXU2008419",
];

async fn follow(house: &House, number: &str) {
    let wanted = json!({"data": {"type": "tracking_request", "attributes": {
        "request_type": "container", "request_number": number, "scac": "MSCU"}}});
    let client = house.client();
    let asked = client.send("POST", "/v2/tracking_requests", Some(&wanted));
    let asked = asked.await;
    assert_eq!(asked.status, 201, "{}", asked.body);
}

fn landed(number: &str) -> [Value; 2] {
    let lift = |id: &str, code: &str, at: &str, place: &str| {
        json!({"eventID": format!("{number}-{id}"), "eventCreatedDateTime": "2026-02-25T00:00:00Z",
            "eventType": "EQUIPMENT", "eventClassifierCode": "ACT", "eventDateTime": at,
            "equipmentEventTypeCode": code, "equipmentReference": number, "emptyIndicatorCode": "LADEN",
            "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": place,
                "vessel": {"vesselIMONumber": "9321483"}}})
    };
    [
        lift("1", "LOAD", "2026-02-03T03:20:00+08:00", "CNNGB"),
        lift("2", "DISC", "2026-02-22T09:30:00-08:00", "USLAX"),
    ]
}

fn row(number: &str, hour: u32, holds: Value, fees: Value) -> Value {
    json!({"unit": number, "as_of": format!("2026-02-23T{hour:02}:00:00Z"), "available": "N",
        "holds": holds, "fees": fees})
}

/// Their numbers, those that the filter leaves.
async fn left(house: &House, query: &str) -> Vec<String> {
    let answer = house.get(&format!("/v2/containers?{query}")).await;
    assert_eq!(answer.status, 200, "{query}: {}", answer.body);
    numbers(&answer.json()["data"], |_| true)
}

/// The numbers of boxes whose attributes are so.
fn numbers(data: &Value, is_so: impl Fn(&Value) -> bool) -> Vec<String> {
    let shown = data
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["attributes"]);
    let so = shown.filter(|attributes| is_so(attributes));
    let mut numbers: Vec<String> = so
        .map(|attributes| attributes["number"].as_str().unwrap().to_owned())
        .collect();
    numbers.sort();
    numbers
}

fn items<'v>(attributes: &'v Value, list: &str) -> &'v Vec<Value> {
    attributes[list].as_array().unwrap()
}

/// What a dispatcher asks every morning is answered by what the boxes themselves show.
#[tokio::test(flavor = "multi_thread")]
async fn boxes_are_filtered_by_the_holds_and_fees_that_they_show() {
    let house = House::hearing(&[LINE, TERMINAL], EgressSettings::default()).await;
    for number in BOXES {
        follow(&house, number).await;
    }
    let moves: Vec<Value> = BOXES.into_iter().flat_map(landed).collect();
    hear(&house, "hub", json!(moves)).await;
    let hold = |name: &str, state: &str| json!({"name": name, "state": state});
    let fee = |kind: &str, sum: Value| json!({"type": kind, "sum": sum});
    let [nobody, customs, announced, owing, paid, both] = BOXES;
    let customs_only = json!([hold("CUSTOMS", "HOLD")]);
    let told = json!([
        row(customs, 8, customs_only.clone(), json!([])),
        row(announced, 8, json!([hold("USDA", "PENDING")]), json!([])),
        row(owing, 8, json!([]), json!([fee("Demurrage", json!(120))])),
        row(paid, 8, json!([]), json!([fee("Demurrage", json!(0))])),
        row(
            both,
            8,
            json!([hold("FREIGHT", "HOLD"), hold("VACIS", "HOLD")]),
            json!([fee("Exam", Value::Null)]),
        ),
    ]);
    hear(&house, "quay", told).await;
    let all = house.get("/v2/containers").await.json()["data"].clone();
    let holds = |box_: &Value| !items(box_, "holds_at_pod_terminal").is_empty();
    let fees = |box_: &Value| !items(box_, "fees_at_pod_terminal").is_empty();
    let demurrage = |box_: &Value| {
        let mut fees = items(box_, "fees_at_pod_terminal").iter();
        fees.any(|fee| fee["type"] == "demurrage")
    };
    assert_eq!(numbers(&all, holds), sorted(&[customs, announced, both]));
    assert_eq!(numbers(&all, fees), sorted(&[owing, both]));
    assert_eq!(numbers(&all, demurrage), [owing]);
    for (name, is_so) in [
        ("has_holds", &holds as &dyn Fn(&Value) -> bool),
        ("has_fees", &fees),
        ("has_demurrage_fees", &demurrage),
        ("has_fees_or_holds", &|box_| holds(box_) || fees(box_)),
    ] {
        for asked in [true, false] {
            let shown = numbers(&all, |box_| is_so(box_) == asked);
            let query = format!("filter[{name}]={asked}");
            assert_eq!(left(&house, &query).await, shown, "{query}");
        }
    }
    for (query, expected) in [
        ("filter[hold_names]=customs", &[customs] as &[&str]),
        ("filter[hold_names]=Customs,=vacis", &[customs, both]),
        (
            "filter[hold_names][]=FREIGHT&filter[hold_names][]=VACIS",
            &[both],
        ),
        ("filter[hold_names]=usda,TMF,other", &[]),
        (
            "filter[hold_names]=&filter[has_holds]=&filter[has_fees]=true",
            &[owing, both],
        ),
        ("filter[has_holds]=true&filter[has_fees]=true", &[both]),
        ("filter[has_holds]=true&filter[number]=nobodys", &[]),
        (
            "filter[has_fees_or_holds]=false&filter[available_for_pickup]=false",
            &[paid],
        ),
        (
            "filter[has_fees_or_holds]=false&sort=-number",
            &[nobody, paid],
        ),
        (
            "filter[has_holds]=true&filter[current_status]=not_available&filter[pod_code]=USLAX&sort=pickup_lfd",
            &[customs, announced, both],
        ),
    ] {
        assert_eq!(left(&house, query).await, sorted(expected), "{query}");
    }
    let page = house
        .get("/v2/containers?filter[has_holds]=true&page[size]=1&page[number]=3")
        .await
        .json();
    assert_eq!(page["data"].as_array().map(Vec::len), Some(1));
    assert_eq!(page["meta"]["total"], 3, "{}", page["meta"]);

    // The terminal lets one go, and what it took for another is paid.
    let told = json!([
        row(customs, 9, json!([]), json!([])),
        row(owing, 9, customs_only, json!([fee("Demurrage", json!(0))])),
    ]);
    hear(&house, "quay", told).await;
    assert_eq!(left(&house, "filter[hold_names]=customs").await, [owing]);
    assert_eq!(left(&house, "filter[has_fees]=true").await, [both]);
    let free = left(&house, "filter[has_fees_or_holds]=false").await;
    assert_eq!(free, sorted(&[nobody, customs, paid]));
}

fn sorted(numbers: &[&str]) -> Vec<String> {
    let mut numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    numbers.sort();
    numbers
}

#[tokio::test]
async fn what_is_no_hold_or_neither_yes_nor_no_is_refused() {
    let house = House::open().await;
    for (query, name) in [
        ("filter[has_holds]=maybe", "filter[has_holds]"),
        ("filter[has_holds]=True", "filter[has_holds]"),
        ("filter[has_fees]=1", "filter[has_fees]"),
        (
            "filter[has_demurrage_fees]=@exists",
            "filter[has_demurrage_fees]",
        ),
        ("filter[has_fees_or_holds]=no", "filter[has_fees_or_holds]"),
        ("filter[hold_names]=customs,pier", "filter[hold_names]"),
        ("filter[hold_names][]=pier", "filter[hold_names][]"),
        ("filter[hold_names]=@exists", "filter[hold_names]"),
        (
            "filter[requires_attention]=true",
            "filter[requires_attention]",
        ),
    ] {
        let told = house.get(&format!("/v2/containers?{query}")).await;
        let told = told.faults(400);
        assert_eq!(told.len(), 1, "{query}: {told:?}");
        assert!(
            told[0].starts_with(&format!("{name}: ")),
            "{query}: {told:?}"
        );
    }
    // Of shipments there is no such filter.
    house
        .get("/v2/shipments?filter[has_holds]=true")
        .await
        .faults(400);
}
