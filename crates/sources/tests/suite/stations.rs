//! What railroads tell of stations that no table has, and which of several words of theirs counts.

use domain::report::{Doubt, Report, Value, Verb, ZoneSource};
use sources::rail;
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

/// What an answer tells by a template, and its defects.
fn told(template: &str, answer: &str) -> (Vec<Report>, Vec<String>) {
    let mut known = rail::templates().iter();
    let text = known.find(|known| known.name == template).unwrap().text;
    read(text, answer)
}

fn read(mapping: &str, answer: &str) -> (Vec<Report>, Vec<String>) {
    let profile = Profile::parse(mapping).unwrap();
    let parsed = parse(&profile, answer.as_bytes(), received_at(), &gazetteer());
    let defects = parsed.defects.into_iter().map(|defect| defect.reason);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    (reports.collect(), defects.collect())
}

/// When it was, and by what its zone is known.
fn moment(report: &Report) -> (String, ZoneSource, bool) {
    let occurred = report.occurred.as_ref().unwrap();
    let doubted = report.doubts.contains(&Doubt::ZoneUnknown);
    (occurred.at.to_string(), occurred.zone_source, doubted)
}

/// The moment at which a box was told to be ready at a station of Canadian National, or why not.
fn grounded(station: &str, province: &str, at: &str) -> Result<(String, ZoneSource, bool), String> {
    let answer = format!(
        r#"{{"ThirdPartyIntermodalShipment": {{"Equipment": [{{"EquipmentId": "QSDU100001", "Event": {{
            "Description": "GROUNDED", "Time": "{at}",
            "Location": {{"Station": "{station}", "ProvinceState": "{province}"}}}}}}]}}}}"#
    );
    let (reports, mut defects) = told("cn", &answer);
    let mut ready = reports.iter().filter(|told| told.verb == Verb::Available);
    ready
        .next()
        .map_or_else(|| Err(defects.remove(0)), |told| Ok(moment(told)))
}

/// Found by a tester: the event was lost, and with it that the box can be had.
#[test]
fn a_clock_of_north_america_is_read_at_a_station_that_no_table_has() {
    let sure = |at: &str| Ok((at.to_owned(), ZoneSource::Offset, false));
    for (station, province, at, expected) in [
        (
            "NOWHERE YARD",
            "PQ",
            "2026-03-11 13:47:00 ET",
            "2026-03-11T17:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "QC",
            "2026-03-11T13:47:00 ET",
            "2026-03-11T17:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "ON",
            "2026-02-11 13:47 EST",
            "2026-02-11T18:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "ON",
            "2026-03-11 13:47 EDT",
            "2026-03-11T17:47:00Z",
        ),
        // Its west keeps another time than most of the province.
        (
            "NOWHERE YARD",
            "ON",
            "2026-03-11 13:47 CT",
            "2026-03-11T18:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "BC",
            "2026-03-11 13:47 PT",
            "2026-03-11T20:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "BC",
            "2026-03-11 13:47 MT",
            "2026-03-11T19:47:00Z",
        ),
        // No summer time there.
        (
            "NOWHERE YARD",
            "SK",
            "2026-03-11 13:47 CST",
            "2026-03-11T19:47:00Z",
        ),
        (
            "NOWHERE YARD",
            "NL",
            "2026-03-11 13:47 NT",
            "2026-03-11T16:17:00Z",
        ),
        (
            "NOWHERE YARD",
            "NL",
            "2026-03-11 13:47 AT",
            "2026-03-11T16:47:00Z",
        ),
    ] {
        let told = grounded(station, province, at);
        assert_eq!(told, sure(expected), "{station}, {province}: {at}");
    }
    // A program may set the date apart by a letter, too.
    let known = grounded("VANCOUVER", "BC", "2026-03-11T13:47:00 PT");
    let expected = Ok((
        "2026-03-11T20:47:00Z".to_owned(),
        ZoneSource::Location,
        false,
    ));
    assert_eq!(known, expected);
    for (station, province, at) in [
        // The clock of another day, another part of the world, and nobody's.
        ("NOWHERE YARD", "ON", "2026-03-11 13:47 EST"),
        ("NOWHERE YARD", "ON", "2026-03-11 13:47 IST"),
        ("NOWHERE YARD", "ON", "2026-03-11 13:47 XT"),
        // Nobody says in which part of the world it is.
        ("NOWHERE YARD", "XX", "2026-03-11 13:47 CT"),
        // The tables know its clock better.
        ("WINNIPEG", "MB", "2026-03-11 13:47 ET"),
    ] {
        let told = grounded(station, province, at).unwrap_err();
        assert!(told.contains("is no time"), "{station}, {province}: {told}");
    }
}

/// As in EDI. It was taken for UTC, and looked five hours early.
#[test]
fn a_time_at_a_station_that_no_table_has_is_on_the_clock_of_most_of_its_province_and_doubted() {
    let doubted = |at: &str| Ok((at.to_owned(), ZoneSource::Unknown, true));
    let sure = |at: &str| Ok((at.to_owned(), ZoneSource::Location, false));
    for (province, expected) in [
        ("PQ", doubted("2026-03-11T17:47:00Z")),
        ("QC", doubted("2026-03-11T17:47:00Z")),
        ("ON", doubted("2026-03-11T17:47:00Z")),
        ("MB", sure("2026-03-11T18:47:00Z")),
        ("IL", sure("2026-03-11T18:47:00Z")),
        ("XX", doubted("2026-03-11T13:47:00Z")),
    ] {
        let told = grounded("NOWHERE YARD", province, "2026-03-11 13:47");
        assert_eq!(told, expected, "{province}");
    }
}

#[test]
fn a_sighting_where_no_table_has_the_station_is_on_the_clock_of_most_of_its_province() {
    let profile = rail::clm::Profile::parse("id = \"clm\"\nprotocol = \"clm\"\n").unwrap();
    let file = "CLM QSD  QSD  202603111200\n\
        1QSDU100001202603111019Y  NOWHERE  PQ         L      2026031110QSD CPRS\n\
        1QSDU100001202603111019Y  NOWHERE  MB         L      2026031110QSD CPRS\n\
        EOM00000002\n";
    let parsed = rail::clm::parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let reports = parsed.reports.iter().map(|located| moment(&located.report));
    let reports: Vec<_> = reports.collect();
    assert_eq!(
        reports,
        [
            ("2026-03-11T14:19:00Z".to_owned(), ZoneSource::Unknown, true),
            (
                "2026-03-11T15:19:00Z".to_owned(),
                ZoneSource::Location,
                false
            ),
        ]
    );
}

/// A state abroad that is called as one of North America: its clock was taken, and told as sure.
#[test]
fn a_state_of_another_country_is_none_of_north_america() {
    let mapping = "id = \"road\"\nprotocol = \"rail-rest\"\n[format]\nkind = \"json\"\n[columns]\n\
        container = \"box\"\nlocode = \"place\"\nstate = \"state\"\n[moves]\nrail_arrived = \"at\"\n";
    for (place, state, at, zone) in [
        ("BRQQQ", "PA", "2026-03-11T13:47:00Z", ZoneSource::Unknown),
        ("USQQQ", "PA", "2026-03-11T17:47:00Z", ZoneSource::Location),
        ("CAQQQ", "MB", "2026-03-11T18:47:00Z", ZoneSource::Location),
    ] {
        let answer = format!(
            r#"[{{"box": "QSDU1000014", "place": "{place}", "state": "{state}", "at": "2026-03-11 13:47"}}]"#
        );
        let (reports, _) = read(mapping, &answer);
        let (told, source, _) = moment(&reports[0]);
        assert_eq!((told.as_str(), source), (at, zone), "{place}, {state}");
    }
}

/// Verbs of the customs hold in an answer of Canadian National.
fn customs(holds: &str) -> Vec<Verb> {
    let answer = format!(
        r#"{{"ThirdPartyIntermodalShipment": {{"Equipment": [{{"EquipmentId": "QSDU100001", "LoadEmpty": "L", {holds}}}]}}}}"#
    );
    let (reports, defects) = told("cn", &answer);
    assert!(defects.is_empty(), "{defects:?}");
    let holds = reports
        .iter()
        .filter(|told| matches!(told.value, Some(Value::Hold(_))));
    holds.map(|told| told.verb).collect()
}

/// Found by a tester: a release without a time stood first, and the hold behind it vanished.
#[test]
fn of_customs_words_the_first_that_has_a_time_counts() {
    for (holds, verb) in [
        (
            r#""CustomsHolds": [{"Description": "RELEASED", "Timestamp": null},
                {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHolds": [{"Description": "RELEASED"}, {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHolds": [{"Description": "RELEASED", "Timestamp": "2026-03-11 10:00 ET"},
                {"Description": "CUSTOMS HOLD", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldClear,
        ),
        (
            r#""CustomsHolds": [{"Description": "CUSTOMS HOLD", "Timestamp": " "}, {"Description": "RELEASED"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHolds": [{"Description": "CUSTOMS HOLD"}, {"Description": "RELEASED", "Timestamp": "2026-03-10 10:00 ET"}]"#,
            Verb::HoldSet,
        ),
        (
            r#""CustomsHold": {"Description": "RELEASED"}"#,
            Verb::HoldClear,
        ),
    ] {
        assert_eq!(customs(holds), [verb], "{holds}");
    }
}

/// Found by a tester: what a road told as what goes on now alone was not read, and nobody heard of it.
#[test]
fn what_goes_on_now_is_read_beside_the_list_of_what_happened() {
    let events = |members: &str| {
        let answer = format!(
            r#"[{{"load": {{"equipment": {{"id": "QSDU100001"}}, "load_empty_code": "L"}}, {members}}}]"#
        );
        let (reports, defects) = told("up", &answer);
        assert!(defects.is_empty(), "{defects:?}");
        let events = reports.iter().map(|told| (told.verb, moment(told).0));
        events.collect::<Vec<_>>()
    };
    let place = r#""location": {"city": "CHICAGO", "state_abbreviation": "IL"}"#;
    let arrived = format!(
        r#"{{"event_code": "ARRIVED", "status_code": "COMPLETED", "date_time": "2026-03-12T08:00:00Z", {place}}}"#
    );
    let notified = format!(
        r#"{{"event_code": "NOTIFIED", "status_code": "COMPLETED", "date_time": "2026-03-12T13:47:00Z", {place}}}"#
    );
    let was = |verb, at: &str| (verb, at.to_owned());
    let ready = was(Verb::Available, "2026-03-12T13:47:00Z");
    let there = was(Verb::Arrive, "2026-03-12T08:00:00Z");
    let alone = events(&format!(r#""current_event": {notified}"#));
    assert_eq!(alone, std::slice::from_ref(&ready));
    let both = format!(r#""operational_move_events": [{arrived}], "current_event": {notified}"#);
    assert_eq!(events(&both), [there.clone(), ready]);
    // The list has it, too.
    let twice = format!(r#""operational_move_events": [{arrived}], "current_event": {arrived}"#);
    assert_eq!(events(&twice), [there]);
}
