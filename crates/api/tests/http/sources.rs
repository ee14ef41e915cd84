//! How the sources are doing, over HTTP.

use api::{RateLimits, Settings};
use domain::account::Feature;
use domain::source::{Failures, Trouble};
use serde_json::{Value, json};
use sources::outbound::EgressSettings;
use store::Key;

use crate::client::Client;
use crate::house::{House, settings};
use crate::rail_data::{BOX, LINE};

const PROFILE: &str = r#"
id = "nowhere"
protocol = "dcsa-2"
scac = ["MSCU", "MEDU"]
[endpoint]
base = "https://nowhere.invalid"
[polling]
requests_per_minute = 30
requests_per_day = 1000
"#;

async fn refuse_us(house: &House) {
    let now = house.tracking.now();
    let writing = house.tracking.store().write(Key::sightings(), move |tx| {
        let mut standing = store::source::hold(tx, "nowhere")?;
        standing.failed(
            Trouble::Unauthorized,
            "the carrier does not accept our credentials",
            Failures::default(),
            now,
        );
        store::source::save(tx, "nowhere", &standing)
    });
    writing.await.unwrap();
}

#[tokio::test]
async fn a_source_that_refuses_us_says_what_to_do_until_it_is_resumed() {
    let house = House::asking(PROFILE).await;
    let listed = house.get("/v2/sources").await;
    assert_eq!(listed.ids(), ["nowhere", "quayside-trials"]);
    let last = house.get("/v2/sources?page[size]=1&page[number]=2").await;
    assert_eq!(last.ids(), ["quayside-trials"]);
    let pages =
        json!({"size": 1, "total": 2, "pagination": {"current": 2, "prev": 1, "records": 2}});
    assert_eq!(last.json()["meta"], pages);
    let shown =
        || async { house.get("/v2/sources/nowhere").await.json()["data"]["attributes"].clone() };
    let new = shown().await;
    assert_eq!(new["state"], "silent");
    assert_eq!(new["shipping_lines"], json!(["MSCU", "MEDU"]));
    let budget = json!({"requests_per_minute": 30, "requests_per_day": 1000,
        "used_this_minute": 0, "used_today": 0});
    assert_eq!((&new["budget"], &new["lag_seconds"]), (&budget, &json!(0)));
    refuse_us(&house).await;
    let broken = shown().await;
    assert_eq!(
        (&broken["state"], &broken["broken_by"]),
        (&json!("broken"), &json!("unauthorized"))
    );
    assert_eq!(broken["asked_again_at"], "2026-03-01T12:01:00Z");
    let error = &broken["errors"][0];
    assert_eq!(
        (&error["class"], &error["count"]),
        (&json!("unauthorized"), &json!(1))
    );
    assert!(
        error["advice"].as_str().unwrap().contains("secrets"),
        "{error}"
    );
    let resumed = house
        .client()
        .send("PATCH", "/v2/sources/nowhere/resume", None)
        .await;
    // It has not answered since.
    assert_eq!(resumed.json()["data"]["attributes"]["state"], "failing");
    assert_eq!(
        shown().await["errors"][0]["count"],
        1,
        "what happened is not forgotten"
    );
}

#[tokio::test]
async fn pausing_stops_everybody_and_takes_who_was_told_to() {
    let house = House::asking(PROFILE).await;
    let pause = "/v2/sources/nowhere/pause";
    let usual = house.without(Feature::Sources).await;
    usual.send("PATCH", pause, None).await.faults(403);
    assert_eq!(
        usual.get("/v2/sources/nowhere").await.status,
        200,
        "every reader sees it"
    );
    let paused = house.client().send("PATCH", pause, None).await.json();
    assert_eq!(paused["data"]["attributes"]["state"], "paused");
    assert_eq!(
        paused["data"]["attributes"]["paused_at"],
        "2026-03-01T12:00:00Z"
    );
    let nobody = "/v2/sources/nobody/pause";
    house.client().send("PATCH", nobody, None).await.faults(404);
}

const EDI: &str = "id = \"partner\"\nprotocol = \"edi\"\n";
const SET: &str = "ISA*00*          *00*          *ZZ*QSDL           *ZZ*US             *260314*0600*U*00401*000000041*0*P*>~\
    GS*QO*QSDL*US*20260314*0600*41*X*004010~ST*315*0001~B4***VD*20260310*0124**QSDU*200011*L*45G1*CNSHA*UN~SE*3*0001~\
    GE*1*41~IEA*1*000000041~";

#[tokio::test(flavor = "multi_thread")]
async fn what_an_account_brings_is_kept_for_it_alone() {
    let house = House::hearing(&[LINE], EgressSettings::default()).await;
    let (client, neighbour) = (house.client(), house.neighbour().await);
    for client in [&client, &neighbour] {
        let wanted = json!({"data": {"type": "tracking_request", "attributes": {
            "request_type": "container", "request_number": BOX, "scac": "MSCU"}}});
        let asked = client
            .send("POST", "/v2/tracking_requests", Some(&wanted))
            .await;
        assert_eq!(asked.status, 201, "{}", asked.body);
    }
    let path = "/v2/sources/hub/messages";
    let told = crate::ramps::told();
    let brought = client.send("POST", path, Some(&told)).await;
    assert_eq!(
        (brought.status, &brought.json()["known"]),
        (202, &json!(false))
    );
    let again = client.send("POST", path, Some(&told)).await;
    assert_eq!(
        (again.status, &again.json()["known"]),
        (202, &json!(true)),
        "{}",
        again.body
    );
    let door = client.send("POST", "/inbound/hub", Some(&told)).await;
    assert_eq!(door.json(), again.json(), "the same door");
    tracking::work::drain(&house.tracking).await.unwrap();
    assert_eq!(client.get("/v2/containers").await.ids().len(), 1);
    assert!(neighbour.get("/v2/containers").await.ids().is_empty());
    let empty = client.send_bytes("POST", path, None, b"").await;
    empty.faults(400);
    for unknown in [
        "/v2/sources/nobody/messages",
        "/v2/sources/quayside-trials/messages",
    ] {
        client.send("POST", unknown, Some(&told)).await.faults(404);
    }
    let stranger = Client::new(house.address);
    stranger.send("POST", path, Some(&told)).await.faults(401);
}

#[tokio::test]
async fn a_set_that_an_account_brings_is_acknowledged_where_it_asks_for_that() {
    let house = House::hearing(&[EDI], EgressSettings::default()).await;
    let asking = house.client().header("Accept", "application/edi-x12");
    let path = "/v2/sources/partner/messages";
    let media = Some("application/edi-x12");
    let answer = asking.send_bytes("POST", path, media, SET.as_bytes()).await;
    assert_eq!(answer.status, 202, "{}", answer.body);
    assert_eq!(answer.header("content-type"), media);
    assert!(answer.body.contains("AK5*A"), "{}", answer.body);
    let named = asking.header("Idempotency-Key", "set");
    let first = named.send_bytes("POST", path, media, SET.as_bytes()).await;
    let second = named.send_bytes("POST", path, media, SET.as_bytes()).await;
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(
        (&first.body, first.header("content-type")),
        (&second.body, media)
    );
}

/// Without a time in it or beside it nothing tells what is tried again from what is so again. A name does.
#[tokio::test]
async fn a_table_without_a_time_that_is_tried_again_after_another_is_known_by_its_name_alone() {
    let path = "/v2/sources/sheet/messages";
    let sheets = [("NO", false), ("YES", false), ("NO", false)];
    for named in [false, true] {
        let house = House::hearing(&[SHEET], EgressSettings::default()).await;
        let mut kept = Vec::new();
        for (word, known) in sheets {
            let client = house.client();
            let client = if named {
                client.header("Idempotency-Key", word)
            } else {
                client
            };
            let sheet = format!("Container,Available\n{BOX},{word}\n");
            let sending = client.send_bytes("POST", path, Some("text/csv"), sheet.as_bytes());
            let answer = sending.await;
            assert_eq!(answer.status, 202, "{}", answer.body);
            let replayed = answer.header("idempotency-replayed") == Some("true");
            assert_eq!(answer.json()["known"], json!(known), "{word}");
            kept.push((answer.json()["message_id"].clone(), replayed));
        }
        assert_eq!(kept[0].0 == kept[2].0, named);
        assert_eq!(kept[2].1, named);
    }
}

const SHEET: &str = "id = \"sheet\"\nprotocol = \"terminal-table\"\nterminal = \"USLAX-W185\"\n\
    [drop]\nfolder = \"/nowhere\"\n[columns]\ncontainer = \"Container\"\navailable = \"Available\"\n";

/// A code is a text, and what an account brings is nobody else's to see.
#[tokio::test]
async fn codes_that_nobody_knows_are_told_of_what_a_source_sends_and_not_of_what_an_account_brings()
{
    let house = House::hearing(&[EDI], EgressSettings::default()).await;
    let neighbour = house.neighbour().await;
    let media = Some("application/edi-x12");
    let told = |code: &str, number: &str| {
        SET.replace("*VD*", &format!("*{code}*"))
            .replace("000000041", number)
    };
    let brought = told("QX", "000000042");
    let path = "/v2/sources/partner/messages";
    let client = house.client();
    let answer = client.send_bytes("POST", path, media, brought.as_bytes());
    assert_eq!(answer.await.status, 202);
    let sent = told("QZ", "000000043");
    let message = tracking::intake::Message {
        source: "partner".into(),
        account: None,
        content_type: "application/edi-x12".into(),
        bytes: sent.into_bytes(),
    };
    tracking::intake::receive(&house.tracking, message)
        .await
        .unwrap();
    tracking::work::drain(&house.tracking).await.unwrap();
    let shown = neighbour.get("/v2/sources/partner").await.json();
    let codes = &shown["data"]["attributes"]["unmapped_codes"];
    assert_eq!(codes[0]["code"], "315/QZ", "{codes}");
    assert_eq!(codes.as_array().map(Vec::len), Some(1), "{codes}");
}

const FREE_DAYS: &str = "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USLAX-W185\"\n\
    [drop]\nfolder = \"/nowhere\"\n[columns]\ncontainer = \"Container\"\navailable = \"Available\"\n\
    last_free_day = \"Last Free Day\"\n";
const BOXES: [&str; 3] = [BOX, "CSQU3054383", "QSDU1000014"];

/// A sheet of the terminal, in which the last free days of these boxes are written so.
fn sheet(heading: &str, days: &[&str]) -> String {
    let rows = BOXES.iter().zip(days);
    let rows = rows.map(|(number, day)| format!("{number},YES,{day}\n"));
    format!(
        "Container,Available,{heading}\n{}",
        rows.collect::<String>()
    )
}

/// A file of the terminal comes an hour after the last, and is read.
async fn drop_sheet(house: &House, sheet: &str) {
    house
        .clock
        .advance_to(house.tracking.now() + jiff::SignedDuration::from_hours(1));
    let message = tracking::intake::Message {
        source: "pier".into(),
        account: None,
        content_type: "text/csv".into(),
        bytes: sheet.as_bytes().to_vec(),
    };
    tracking::intake::receive(&house.tracking, message)
        .await
        .unwrap();
    tracking::work::drain(&house.tracking).await.unwrap();
}

/// A terminal writes its dates otherwise from one day to the next: all last free days are gone, and nothing else is wrong.
#[tokio::test]
async fn a_column_that_broke_is_told_by_its_heading_and_since_when() {
    let house = House::hearing(&[FREE_DAYS], EgressSettings::default()).await;
    let shown =
        || async { house.get("/v2/sources/pier").await.json()["data"]["attributes"].clone() };
    let told = |shown: &Value| {
        let figures = ["defects_counted", "last_defect_at", "defects"];
        figures.map(|figure| shown[figure].clone())
    };
    drop_sheet(
        &house,
        &sheet("Last Free Day", &["2026-03-05", "2026-03-06", ""]),
    )
    .await;
    assert_eq!(told(&shown().await), [json!(0), json!(null), json!([])]);
    let days = ["03/05/2026", "03/06/2026", "03/07/2026"];
    drop_sheet(&house, &sheet("Last Free Day", &days)).await;
    let broken = shown().await;
    let place = json!({
        "place": "Last Free Day", "times": 3, "messages": 1, "last_times": 3,
        "reason": "\"03/07/2026\" is no date",
        "first_at": "2026-03-01T14:00:00Z", "last_at": "2026-03-01T14:00:00Z",
    });
    let expected = [json!(3), place["last_at"].clone(), json!([place])];
    assert_eq!(told(&broken), expected);
    assert_eq!(broken["state"], "working", "it is heard all the same");
    let listed = house.get("/v2/sources").await.json();
    assert_eq!(told(&listed["data"][0]["attributes"]), expected);
    // What an account brings is nobody else's to see.
    let path = "/v2/sources/pier/messages";
    let brought = sheet("Last Free Day", &["soon"]);
    let client = house.client();
    let brought = client.send_bytes("POST", path, Some("text/csv"), brought.as_bytes());
    assert_eq!(brought.await.status, 202);
    // A good file raises nothing, and what came last is later than what was wrong.
    drop_sheet(&house, &sheet("Last Free Day", &["2026-03-07"])).await;
    let mended = shown().await;
    assert_eq!(told(&mended), expected);
    assert!(mended["last_success_at"].as_str() > mended["last_defect_at"].as_str());
    // A heading that is called otherwise is told by the name that the mapping has for it.
    drop_sheet(&house, &sheet("LFD", &["2026-03-08"])).await;
    let renamed = &shown().await["defects"][0];
    let figures = ["place", "times", "messages", "last_times"].map(|figure| &renamed[figure]);
    assert_eq!(
        figures,
        [&json!("Last Free Day"), &json!(4), &json!(2), &json!(1)]
    );
    let reason = "the mapping names the column \"Last Free Day\", which is not there";
    assert_eq!(renamed["reason"], reason);
}

/// A carrier that is told to wait would rather stop.
#[tokio::test]
async fn messages_are_not_counted() {
    let one = RateLimits {
        default_per_minute: 1,
        ..RateLimits::NONE
    };
    let house = House::with(Settings {
        rate_limits: one,
        ..settings()
    });
    let house = house.await;
    for day in 0..5 {
        let path = "/v2/sources/road/messages";
        let told = json!([{"unit": "CSQU3054383", "free_until": format!("2026-03-1{day}")}]);
        let brought = house.client().send("POST", path, Some(&told)).await;
        assert_eq!(brought.status, 202, "{}", brought.body);
        assert_eq!(brought.header("ratelimit"), None);
    }
}
