//! Lists of holds and fees in a cell: what adds, what takes away, and what is only said to be paid.

use domain::codes::ContainerNumber;
use domain::container::{FeeKind, HoldName};
use domain::report::{Classifier, Report, Value, Verb};
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use rust_decimal::Decimal;
use sources::Defect;
use sources::table::{Profile, parse};

use crate::told::gazetteer;

const MAPPING: &str = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
holds = "Holds"
fees = "Fees"
"#;

/// Behind most days that are written here.
fn received_at() -> Timestamp {
    "2026-11-25T12:00:00Z".parse().unwrap()
}

/// What a row says of holds and fees.
fn told(mapping: &str, row: &str) -> Vec<(Verb, Classifier, Option<Value>)> {
    let profile = Profile::parse(mapping).unwrap();
    let file = format!("Box|Holds|Fees\nQSDU1000014|{row}\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    reports
        .map(|report| (report.verb, report.classifier, report.value))
        .collect()
}

/// Names of the holds that are set and cleared one by one, and how many a whole list names.
fn holds(mapping: &str, cell: &str) -> (Vec<HoldName>, Vec<HoldName>, Option<usize>) {
    let (mut set, mut cleared, mut whole) = (Vec::new(), Vec::new(), None);
    for (verb, _, value) in told(mapping, &format!("{cell}|")) {
        match (verb, value) {
            (Verb::HoldSet, Some(Value::Hold(hold))) => set.push(hold.name),
            (Verb::HoldClear, Some(Value::Hold(hold))) => cleared.push(hold.name),
            (_, Some(Value::Holds(all))) => whole = Some(all.len()),
            _ => {}
        }
    }
    (set, cleared, whole)
}

#[test]
fn a_list_that_only_adds_releases_what_it_names_as_released_and_nothing_else() {
    use HoldName::{Customs, Freight};
    let none = Vec::new;
    for (cell, expected) in [
        ("CUSTOMS EXAM", (vec![Customs], none(), None)),
        ("FREIGHT RELEASED", (none(), vec![Freight], None)),
        ("FREIGHT NOT PAID", (vec![Freight], none(), None)),
        (
            "FREIGHT PAID; CUSTOMS EXAM",
            (vec![Customs], vec![Freight], None),
        ),
        ("NONE", (none(), none(), Some(0))),
    ] {
        assert_eq!(holds(MAPPING, cell), expected, "{cell}");
    }
    let complete = format!("{MAPPING}[holds]\ncomplete = true\n");
    for (cell, left) in [("FREIGHT RELEASED", 0), ("FREIGHT NOT PAID; TMF PAID", 1)] {
        let expected = (none(), none(), Some(left));
        assert_eq!(holds(&complete, cell), expected, "{cell}");
    }
}

/// Name and words of every hold in a cell of the sheet that comes with the program; `None`: no word of holds at all.
fn sheet_holds(cell: &str) -> Option<Vec<(HoldName, String)>> {
    let template = sources::terminal::templates()
        .iter()
        .find(|template| template.name == "availability-sheet");
    let profile = Profile::parse(template.unwrap().text).unwrap();
    let file = format!("Container;Available;Holds\nQSDU1000014;Yes;\"{cell}\"\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let mut values = parsed.reports.into_iter().map(|l| l.report.value);
    let all = values.find_map(|value| match value {
        Some(Value::Holds(all)) => Some(all),
        _ => None,
    })?;
    let named = all.into_iter();
    Some(
        named
            .map(|hold| (hold.name, hold.description.unwrap_or_default()))
            .collect(),
    )
}

#[test]
fn what_stands_beside_a_hold_is_none() {
    use HoldName::{Customs, Freight, Other, Tmf, Usda};
    for (cell, expected) in [
        ("Freight Released 03/18/2026", &[][..]),
        ("Freight Released 03/18/2026 10:30 AM", &[]),
        ("Freight Released, 18-Mar-2026", &[]),
        ("Freight Released; 2026-03-18 10:30", &[]),
        ("Customs: N/A", &[]),
        ("Customs Hold: n/a / TMF - N/A", &[]),
        ("N/A / NONE", &[]),
        ("Customs: No, Freight: Yes", &[(Freight, "Freight: Yes")]),
        ("customs=N; freight=Y", &[(Freight, "freight=Y")]),
        ("Customs: N", &[]),
        ("Freight: 0", &[]),
        ("USDA Hold: none", &[]),
        (
            "Customs: no release yet",
            &[(Customs, "Customs: no release yet")],
        ),
        (
            "Approved by Customs: No",
            &[(Customs, "Approved by Customs: No")],
        ),
        ("OBL: No", &[(Freight, "OBL: No")]),
        ("Scanned: No", &[(HoldName::Vacis, "Scanned: No")]),
        ("Examined: N", &[(Customs, "Examined: N")]),
        ("X-rayed: 0", &[(HoldName::Vacis, "X-rayed: 0")]),
        ("Customs released: No", &[(Customs, "Customs released: No")]),
        ("No", &[]),
        ("N", &[]),
        ("0", &[]),
        ("FALSE", &[]),
        // What holds the box is never lost by it.
        ("CUSTOMS HOLD 3/18", &[(Customs, "CUSTOMS HOLD 3/18")]),
        ("HOLD 3/18", &[(Other, "HOLD 3/18")]),
        ("3/18 USDA", &[(Usda, "USDA")]),
        ("CUSTOMS/USDA", &[(Customs, "CUSTOMS"), (Usda, "USDA")]),
        (
            "CUSTOMS 3/18/USDA, N/A",
            &[(Customs, "CUSTOMS 3/18"), (Usda, "USDA")],
        ),
        (
            "FREIGHT RELEASED 3/18 CUSTOMS HOLD",
            &[(Customs, "CUSTOMS HOLD")],
        ),
        (
            "CUSTOMS HOLD 3/18 FREIGHT RELEASED 3/20",
            &[(Customs, "CUSTOMS HOLD 3/18")],
        ),
        ("CUSTOMS: N/A FREIGHT: HOLD", &[(Freight, "FREIGHT: HOLD")]),
        ("TMF HOLD $1,240.00", &[(Tmf, "TMF HOLD $1")]),
        (
            "Customs not released: N/A",
            &[(Customs, "Customs not released: N/A")],
        ),
        ("EXAM DATE: N/A", &[(Customs, "EXAM DATE: N/A")]),
        (
            "CUSTOMS HOLD & USDA N/A",
            &[(Usda, "CUSTOMS HOLD & USDA N/A")],
        ),
        ("HOLD: N/A", &[]),
        ("2T", &[(Other, "2T")]),
        ("DECLARATION 12/26", &[(Other, "DECLARATION 12/26")]),
        ("NO (exam)", &[(Customs, "NO (exam)")]),
        ("Y", &[(Other, "Y")]),
        ("2", &[(Other, "2")]),
    ] {
        let expected = expected
            .iter()
            .map(|(name, text)| (*name, (*text).to_owned()));
        assert_eq!(sheet_holds(cell), Some(expected.collect()), "{cell}");
    }
    for cell in ["03/18/2026", "N/A; N/A", "-----"] {
        assert_eq!(
            sheet_holds(cell),
            None,
            "{cell} names no hold and clears none"
        );
        let kept = told(MAPPING, &format!("{cell}|"));
        assert_eq!(
            kept,
            [(Verb::Document, Classifier::Actual, None)],
            "{cell} is counted"
        );
    }
}

#[test]
fn numbers_that_the_mapping_knows_are_holds() {
    let mapping = format!("{MAPPING}[words.holds]\n71 = \"customs\"\n72 = \"usda\"\nN = \"tmf\"\n");
    for (cell, set) in [
        ("71/72", vec![HoldName::Customs, HoldName::Usda]),
        ("TMF; 71", vec![HoldName::Tmf, HoldName::Customs]),
        ("N", vec![HoldName::Tmf]),
    ] {
        assert_eq!(holds(&mapping, cell), (set, Vec::new(), None), "{cell}");
    }
    let released = (Vec::new(), vec![HoldName::Customs], None);
    assert_eq!(holds(MAPPING, "Customs: N/A"), released);
    assert_eq!(holds(MAPPING, "Customs: No"), released);
}

#[test]
fn a_fee_that_was_paid_is_owed_no_more() {
    let owed = |cell: &str| {
        let told = told(MAPPING, &format!("|{cell}"));
        let fees = told.into_iter().filter_map(|(_, _, value)| match value {
            Some(Value::Fee(fee)) => Some(fee.amount),
            _ => None,
        });
        fees.collect::<Vec<_>>()
    };
    assert_eq!(owed("Demurrage PAID"), [Some(Decimal::ZERO)]);
    assert_eq!(owed("Demurrage PAID $120.00"), [Some(Decimal::ZERO)]);
    assert_eq!(owed("Demurrage"), [None]);
    assert_eq!(
        owed("Demurrage not paid $120.00"),
        [Some(Decimal::new(12_000, 2))]
    );
}

/// The kind was asked for twice, and for what was paid without the words of the mapping.
#[test]
fn a_fee_that_only_the_mapping_knows_is_paid_under_the_name_that_it_has_there() {
    let mapping = "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n\
         [format]\nkind = \"json\"\n[columns]\ncontainer = \"box\"\nfees = \"fees\"\n[fees]\nname = \"code\"\n\
         amount = \"sum\"\nstatus = \"state\"\n[words.fees]\nDMG = \"demurrage\"\n";
    for (state, owed) in [
        ("Demurrage paid", None),
        ("PAID", None),
        ("Exam fee paid", Some(Decimal::new(120, 0))),
        ("open", Some(Decimal::new(120, 0))),
    ] {
        let fee = format!(r#"{{"code": "DMG", "sum": 120, "state": "{state}"}}"#);
        let file = format!(r#"[{{"box": "QSDU1000014", "fees": [{fee}]}}]"#);
        let (told, defects) = owed_and_defects(mapping, &[file]);
        let owed: Vec<_> = owed
            .map(|sum| (FeeKind::Demurrage, sum))
            .into_iter()
            .collect();
        assert_eq!(told, owed, "{state}");
        // What is said of another fee is told.
        assert_eq!(defects.len(), usize::from(state.starts_with("Exam")));
    }
}

/// What rows that only add leave to be paid, one an hour.
fn owed(cells: &[&str]) -> Vec<(FeeKind, Decimal)> {
    let files: Vec<String> = cells
        .iter()
        .map(|cell| format!("Box|Holds|Fees\nQSDU1000014||{cell}\n"))
        .collect();
    owed_by(MAPPING, &files)
}

/// What files leave to be paid, one an hour.
fn owed_by(mapping: &str, files: &[String]) -> Vec<(FeeKind, Decimal)> {
    let (owed, defects) = owed_and_defects(mapping, files);
    assert!(defects.is_empty(), "{defects:?}");
    owed
}

fn owed_and_defects(mapping: &str, files: &[String]) -> (Vec<(FeeKind, Decimal)>, Vec<Defect>) {
    let mut defects = Vec::new();
    let profile = Profile::parse(mapping).unwrap();
    let reports: Vec<Report> = files
        .iter()
        .zip(0..)
        .flat_map(|(file, hour)| {
            let received_at = received_at() + SignedDuration::from_hours(hour);
            let parsed = parse(&profile, file.as_bytes(), received_at, &gazetteer());
            defects.extend(parsed.defects);
            parsed.reports
        })
        .map(|located| located.report)
        .collect();
    let number = ContainerNumber::from_feed("QSDU1000014").unwrap().0;
    let now = received_at() + SignedDuration::from_hours(12);
    let state = container_state(number, &reports, &gazetteer(), Trust::USUAL, now);
    let fees = state.pickup.fees.into_iter();
    let owed = fees.map(|fee| (fee.kind, fee.amount.unwrap())).collect();
    (owed, defects)
}

#[test]
fn fees_of_one_kind_in_one_row_stand_together() {
    let (other, exam) = (FeeKind::Other, FeeKind::Exam);
    let dollars = |amount: i64| Decimal::new(amount * 100, 2);
    let both = "Clean truck fee $20.00; Reefer plug $310.00";
    assert_eq!(owed(&[both]), [(other, dollars(20)), (other, dollars(310))]);
    for cell in [
        "VACIS exam PAID; Tailgate exam $450.00",
        "Tailgate exam $450.00; VACIS exam PAID",
    ] {
        assert_eq!(owed(&[cell]), [(exam, dollars(450))], "{cell}");
    }
    let later = ["VACIS exam $80.00; Tailgate exam $450.00", "VACIS exam $80"];
    assert_eq!(owed(&later), [(exam, dollars(80))], "what a later row says");
    assert_eq!(owed(&["Demurrage $120.00", "Demurrage PAID"]), []);
}

/// A portal of a port, and what it says of a box that stands at Z985, and is listed at Y549, too.
fn two_yards(rows: &[&str]) -> (Vec<String>, Vec<String>, Vec<String>) {
    let mapping = r#"
id = "portal"
protocol = "terminal-table"
port = "USOAK"
[columns]
container = "Box"
as_of = "As of"
facility = "Fac"
available = "Avail"
holds = "Holds"
fees = "Fees"
yard_location = "Spot"
[moves]
vessel_discharged = "Disch"
[holds]
complete = true
[fees]
complete = true
currency = "USD"
[times]
dates = "month-first"
"#;
    let profile = Profile::parse(mapping).unwrap();
    let rows = rows
        .iter()
        .map(|row| format!("QSDU1000014|03/14/2026 08:00|{row}"));
    let mut lines = vec!["Box|As of|Fac|Avail|Holds|Fees|Spot|Disch".to_owned()];
    lines.extend(rows);
    let file = lines.join("\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let reports: Vec<Report> = parsed.reports.into_iter().map(|l| l.report).collect();
    let list = |report: &Report| {
        let (field, names): (_, Vec<String>) = match report.value.as_ref()? {
            Value::Holds(all) => (
                "holds",
                all.iter().map(|h| format!("{:?}", h.name)).collect(),
            ),
            Value::Fees(all) => (
                "fees",
                all.iter().map(|f| format!("{:?}", f.kind)).collect(),
            ),
            _ => return None,
        };
        let yard = report.place.facility_code.as_deref().unwrap_or_default();
        Some(format!("{field} at {yard}: {}", names.join(" ")))
    };
    let mut lists: Vec<String> = reports.iter().filter_map(list).collect();
    lists.sort();
    let number = ContainerNumber::from_feed("QSDU1000014").unwrap().0;
    let now = received_at() + SignedDuration::from_hours(1);
    let pickup = container_state(number, &reports, &gazetteer(), Trust::USUAL, now).pickup;
    let holds = pickup.holds.iter().map(|hold| format!("{:?}", hold.name));
    let fees = pickup.fees.iter().map(|fee| format!("{:?}", fee.kind));
    (lists, holds.collect(), fees.collect())
}

#[test]
fn lists_of_two_terminals_in_one_file_are_two_in_whatever_order_their_rows_stand() {
    let here = |word: &str, lists: &str| format!("Z985|{word}|{lists}|ROW 12|03/10/2026 22:00");
    let there = |lists: &str| format!("Y549||{lists}||");
    let cases = [
        (
            [there("NONE|NONE"), here("", "CUSTOMS|Demurrage 120")],
            ["Y549: ", "Z985: "].map(String::from),
            true,
        ),
        (
            [here("Yes", "NONE|NONE"), there("CUSTOMS|Demurrage 120")],
            ["Z985: ", "Y549: "].map(String::from),
            false,
        ),
    ];
    for (rows, [empty, full], is_held) in cases {
        let mut expected = [
            format!("holds at {empty}"),
            format!("fees at {empty}"),
            format!("holds at {full}Customs"),
            format!("fees at {full}Demurrage"),
        ];
        expected.sort();
        let [first, second] = [&rows[0][..], &rows[1][..]];
        for order in [[first, second], [second, first]] {
            let (lists, holds, fees) = two_yards(&order);
            assert_eq!(lists, expected);
            let told = (!holds.is_empty(), !fees.is_empty());
            assert_eq!(told, (is_held, is_held), "{order:?}");
        }
    }
    // Two rows of one terminal are still one list.
    let (lists, holds, _) = two_yards(&[&here("", "CUSTOMS|"), &here("", "FREIGHT|")]);
    assert_eq!(lists, ["holds at Z985: Freight Customs"]);
    assert_eq!(holds, ["Freight", "Customs"]);
}

#[test]
fn equal_fees_of_one_row_are_as_many_as_it_has_names_for_them() {
    let exams = |count: usize| vec![(FeeKind::Exam, Decimal::new(10_000, 2)); count];
    for rule in ["", "[fees]\ncomplete = true\n"] {
        let mapping = format!("{MAPPING}{rule}[fees.amounts]\nexam = \"Exam\"\n");
        let owed = |rows: &[&str]| {
            let mut file = "Box|Holds|Fees|Exam\n".to_owned();
            for row in rows {
                file.push_str("QSDU1000014||");
                file.push_str(row);
                file.push('\n');
            }
            owed_by(&mapping, &[file])
        };
        let both = "VACIS exam $100.00; Tailgate exam $100.00";
        assert_eq!(owed(&[&format!("{both}|")]), exams(2), "{rule}");
        let twice = "Exam $100.00; exam: $100.00|";
        assert_eq!(owed(&[twice]), exams(1), "said twice: {rule}");
        // What a column of its own has of a kind that the list names, too, is not one more.
        assert_eq!(owed(&["VACIS exam $100.00|100.00"]), exams(1), "{rule}");
        assert_eq!(owed(&[&format!("{both}|100.00")]), exams(2), "{rule}");
        // Rows that say the same again.
        let again = [format!("{both}|"), "Tailgate exam $100.00|".into()];
        assert_eq!(owed(&[&again[0], &again[1]]), exams(2), "{rule}");
        assert_eq!(owed(&[&again[1], &again[0]]), exams(2), "{rule}");
    }
}

/// Kinds and sums of the fees in a cell; a sum that is not told is a dash.
fn fees_in(cell: &str) -> String {
    let values = told(MAPPING, &format!("|{cell}")).into_iter();
    let fees = values.filter_map(|(_, _, value)| match value {
        Some(Value::Fee(fee)) => Some(fee),
        _ => None,
    });
    let each = fees.map(|fee| {
        let sum = fee
            .amount
            .map_or("-".into(), |sum| sum.normalize().to_string());
        format!("{:?} {sum}", fee.kind)
    });
    each.collect::<Vec<_>>().join(", ")
}

/// Found by a reader: any word before it was taken for a part of the fee's name.
#[test]
fn a_fee_of_a_list_is_settled_under_a_name_that_is_known() {
    for cell in [
        "Demurrage paid",
        "Demurrage fee waived per line",
        "Storage charges: paid 11/20/2026 10:15",
    ] {
        assert_eq!(fees_in(cell), "Demurrage 0", "{cell}");
    }
    for cell in [
        "Clean truck fee paid",
        "Reefer plug PAID",
        "Chassis paid",
        "Pier pass: paid",
    ] {
        assert_eq!(fees_in(cell), "Other 0", "{cell}");
    }
    for cell in [
        "Demurrage short paid",
        "Demurrage is being waived",
        "Demurrage request waived",
        "Demurrage last paid 11/20/2026",
        "Demurrage prior invoice paid 11/20/2026",
        "Demurrage almost paid",
        "Demurrage incorrectly waived",
        "Demurrage check bounced paid",
        "Demurrage PAID Nov 20 - Nov 25",
    ] {
        assert_eq!(fees_in(cell), "Demurrage -", "{cell}");
    }
    assert_ne!(fees_in("Total PAID $450.00"), "Total 0");
}

#[test]
fn a_comma_sets_charges_apart_where_each_is_a_name_and_a_sum() {
    for (cell, expected) in [
        ("Demurrage $450.00, Exam $300.00", "Demurrage 450, Exam 300"),
        (
            "Exam $300, Demurrage $ 1,450.25",
            "Exam 300, Demurrage 1450.25",
        ),
        (
            "Demurrage: USD 450, VACIS exam: USD 300, TMF: $34.21",
            "Demurrage 450, Exam 300, Other 34.21",
        ),
        ("Demurrage 450.00, Exam 300.00", "Demurrage 450, Exam 300"),
        (
            "Line Demurrage: $900.00 / Terminal Demurrage: $450.00",
            "Demurrage 900, Demurrage 450",
        ),
        // One charge, as before.
        ("Demurrage $1,450.25", "Demurrage 1450.25"),
    ] {
        assert_eq!(fees_in(cell), expected, "{cell}");
    }
    // Where any part may be something else, no sum is read out of a part.
    for cell in [
        "TMF PAID, Exam $300",
        "Storage TBD, Exam $300",
        "Demurrage $450.00, Exam $300.00 (both paid)",
        "Demurrage $450.00 PAID, Exam $300.00",
        "Demurrage $450.00, paid $450.00",
        "Demurrage $450.00, less credit $100.00",
        "Demurrage $450.00, Demurrage $450.00",
        "Demurrage through Nov 25, 2026, Exam $300",
        "Demurrage $450.00 through 11/25/2026, Exam $300.00",
        "3 days at $150, 2 days at $300",
        "Exam $300, Demurrage TBD",
        "Demurrage $450.00, total $450.00",
        "Demurrage 4, Exam 3",
        "Demurrage $450.00, $300.00",
        "Demurrage $450.00, Payment $450.00",
        "Demurrage today $450.00, Demurrage tomorrow $600.00",
        "Exam $300.00, Subtotal $300.00",
        "Exam $300.00, Exam $300.00",
        "Line Demurrage $900.00, Demurrage $450.00",
        "Demurrage $450.00 / day",
        "Demurrage $450.00 / paid",
        "TMF PAID / Exam $300",
        "Demurrage -$450.00, Exam $300.00",
        "Demurrage per day $450.00, Exam $300.00",
        "Demurrage credit $450.00, Exam $300.00",
    ] {
        let sums = fees_in(cell);
        assert!(!sums.contains(','), "{cell}: {sums}");
    }
}

#[test]
fn a_time_at_which_the_box_is_expected_to_be_available_is_no_word_that_it_is() {
    let road = Profile::parse(
        r#"
id = "road"
protocol = "terminal-table"
port = "USCHI"
[format]
kind = "json"
[columns]
container = "box"
[events]
list = "events"
code = "code"
at = "at"
classifier = "type"
estimated = ["SCHEDULED"]
actual = ["GONE"]
[words.status]
"NOTIFIED" = "available"
"#,
    )
    .unwrap();
    let file = r#"[{"box": "QSDU1000014", "events": [
        {"code": "NOTIFIED", "type": "SCHEDULED", "at": "2026-03-14T12:00:00-06:00"},
        {"code": "NOTIFIED", "type": "ACTUAL", "at": "2026-03-14T13:00:00-06:00"},
        {"code": "NOTIFIED", "type": "planned", "at": "2026-03-14T14:00:00-06:00"},
        {"code": "NOTIFIED", "type": "Gone", "at": "2026-03-14T15:00:00-06:00"},
        {"code": "NOTIFIED", "at": "2026-03-14T16:00:00-06:00"}]}]"#;
    let parsed = parse(&road, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let words = parsed.reports.iter().map(|located| &located.report);
    let words: Vec<Classifier> = words
        .filter(|report| report.verb == Verb::Available)
        .map(|report| report.classifier)
        .collect();
    let told = [
        Classifier::Estimated,
        Classifier::Actual,
        Classifier::Planned,
        Classifier::Actual,
        // It tells its estimates apart, and of this one it says nothing.
        Classifier::Actual,
    ];
    assert_eq!(words, told);
    // What nobody knows the meaning of has not happened, nor what is only denied.
    for word in ["PROPOSED", "No"] {
        let file = format!(
            r#"[{{"box": "QSDU1000014", "events": [
                {{"code": "NOTIFIED", "type": "{word}", "at": "2026-03-14T12:00:00-06:00"}}]}}]"#
        );
        let parsed = parse(&road, file.as_bytes(), received_at(), &gazetteer());
        assert!(parsed.reports.is_empty(), "{:?}", parsed.reports);
        let defect = &parsed.defects[0];
        assert!(defect.place.ends_with("events[0].type"), "{defect:?}");
        assert!(defect.reason.contains(word), "{defect:?}");
    }
}

/// Whether it is an estimate, or whether it happened.
#[test]
fn a_happening_beside_a_yes_or_no_is_what_the_member_asks() {
    let told = |words: &str, word: &str| {
        let road = format!(
            "id = \"road\"\nprotocol = \"terminal-table\"\nport = \"USCHI\"\n[format]\nkind = \"json\"\n\
             [columns]\ncontainer = \"box\"\n[events]\nlist = \"events\"\ncode = \"code\"\nat = \"at\"\n\
             classifier = \"is\"\n{words}\n[words.status]\n\"NOTIFIED\" = \"available\"\n"
        );
        let road = Profile::parse(&road).unwrap();
        let file = format!(
            r#"[{{"box": "QSDU1000014", "events": [
                {{"code": "NOTIFIED", "is": {word}, "at": "2026-03-14T12:00:00-06:00"}}]}}]"#
        );
        let parsed = parse(&road, file.as_bytes(), received_at(), &gazetteer());
        let mut words = parsed.reports.into_iter().map(|located| located.report);
        words
            .find(|report| report.verb == Verb::Available)
            .map(|report| report.classifier)
    };
    let estimated = "estimated = [\"TRUE\"]";
    assert_eq!(told(estimated, "true"), Some(Classifier::Estimated));
    assert_eq!(told(estimated, "false"), Some(Classifier::Actual));
    let actual = "actual = [\"TRUE\"]";
    assert_eq!(told(actual, "true"), Some(Classifier::Actual));
    assert_eq!(told(actual, "false"), Some(Classifier::Estimated));
    assert_eq!(told("", "false"), None);
}

#[test]
fn a_list_that_tells_only_its_day_is_as_of_its_receipt_and_midnight_what_the_mapping_says() {
    let told = |times: &str, as_of: &str| {
        let pier = format!(
            "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n\
             [columns]\ncontainer = \"Box\"\nas_of = \"As of\"\navailable = \"Free\"\n{times}"
        );
        let pier = Profile::parse(&pier).unwrap();
        let file = format!("Box|As of|Free\nQSDU1000014|{as_of}|Y\n");
        let parsed = parse(&pier, file.as_bytes(), received_at(), &gazetteer());
        let written = parsed.reports[0].report.reported_at;
        written.map(|at| at.to_string())
    };
    let days = "[times]\nmidnight_is_day = true\n";
    for times in ["", days] {
        assert_eq!(
            told(times, "2026-03-14 16:00").as_deref(),
            Some("2026-03-14T23:00:00Z")
        );
        assert_eq!(told(times, "2026-03-14"), None);
    }
    assert_eq!(
        told("", "2026-03-14 00:00").as_deref(),
        Some("2026-03-14T07:00:00Z")
    );
    // Whichever clock it is written on.
    for zone in ["", "zone = \"America/Chicago\"\n"] {
        assert_eq!(told(&format!("{days}{zone}"), "2026-03-14 00:00"), None);
    }
}

#[test]
fn who_says_that_there_is_no_appointment_takes_it_back() {
    let pier = Profile::parse(
        "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n\
         [columns]\ncontainer = \"Box\"\nappointment = \"Slot\"\n",
    )
    .unwrap();
    let told = |slot: &str| {
        let file = format!("Box|Slot\nQSDU1000014|{slot}\n");
        let parsed = parse(&pier, file.as_bytes(), received_at(), &gazetteer());
        let mut values = parsed
            .reports
            .into_iter()
            .map(|located| located.report.value);
        (values.find_map(|value| value), parsed.defects.len())
    };
    let slot = "2026-03-20T17:30:00Z".parse().unwrap();
    assert_eq!(
        told("2026-03-20 10:30"),
        (Some(Value::Appointment(slot)), 0)
    );
    for window in [
        "20-Mar-2026 1030-1130",
        "20-Mar-2026 10:30~11:30",
        "Mar 20, 2026 10:30 AM - 11:30 AM",
        "2026-03-20 10:30-11:30",
        "2026-03-20 10:30 - 12:30",
    ] {
        let told = told(window);
        assert_eq!(told, (Some(Value::Appointment(slot)), 0), "{window}");
    }
    let midnight = "2026-03-20T07:00:00Z".parse().unwrap();
    assert_eq!(
        told("20-Mar-2026 0000-0100"),
        (Some(Value::Appointment(midnight)), 0)
    );
    for none in [
        "CANCELLED",
        "canceled",
        "None",
        "No appointment",
        "No",
        "Missed",
        "MISSED 3/14/2026 07:00",
        "NO SHOW 3/14/2026 07:00",
        "No Appt: 3/14/2026",
    ] {
        assert_eq!(told(none), (Some(Value::NoAppointment), 0), "{none}");
    }
    // What is blank says nothing, and what is no time is told.
    assert_eq!(told(""), (None, 0));
    for other in [
        "ask at the gate",
        "20-Mar-2026 11:00-1:00 PM",
        "Missed 3/14, now 3/16",
        "No show, now 3/16/2026 10:30",
    ] {
        assert_eq!(told(other), (None, 1), "{other}");
    }
}

/// The last free day of a row with these cells.
fn free_days(last: &str, begins: &str) -> Vec<String> {
    let columns =
        "[columns]\ncontainer = \"Box\"\nlast_free_day = \"LFD\"\nstorage_begins = \"Storage\"\n";
    let head = "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n";
    let times = "[times]\ndates = \"month-first\"\n";
    let profile = Profile::parse(&format!("{head}{columns}{times}")).unwrap();
    let file = format!("Box|LFD|Storage\nQSDU1000014|{last}|{begins}\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let values = parsed.reports.into_iter().map(|l| l.report.value);
    values
        .filter_map(|value| match value {
            Some(Value::LastFreeDay(_, day)) => Some(day.date.to_string()),
            _ => None,
        })
        .collect()
}

/// In a file of March 2026.
#[test]
fn a_free_day_with_a_short_year_is_the_near_one() {
    for (text, day) in [
        ("26-Mar-28", "2026-03-28"),
        ("28-MAR-26", "2026-03-28"),
        ("2026-Mar-28", "2026-03-28"),
        ("02-Mar-26", "2026-03-02"),
        ("26-Mar-02", "2026-03-02"),
    ] {
        assert_eq!(free_days(text, ""), [day], "{text}");
    }
}

#[test]
fn a_free_day_ends_at_its_24_and_storage_begins_behind_it() {
    for time in ["3/20/2026 24:00", "2026-03-20T24:00:00"] {
        assert_eq!(free_days(time, ""), ["2026-03-20"], "{time}");
        assert_eq!(free_days("", time), ["2026-03-20"], "storage from {time}");
    }
    assert_eq!(free_days("", "3/21/2026 00:00"), ["2026-03-20"]);
}

/// The fees that a cell tells one by one, and those of a whole list.
fn fees(mapping: &str, cell: &str) -> (Vec<String>, Option<Vec<String>>) {
    let shown = |fee: &domain::container::Fee| {
        let amount = fee
            .amount
            .map_or("open".into(), |a| a.normalize().to_string());
        format!("{:?} {amount} {}", fee.kind, fee.currency)
    };
    let (mut each, mut whole) = (Vec::new(), None);
    for (_, _, value) in told(mapping, &format!("|{cell}")) {
        match value {
            Some(Value::Fee(fee)) => each.push(shown(&fee)),
            Some(Value::Fees(all)) => whole = Some(all.iter().map(shown).collect()),
            _ => {}
        }
    }
    (each, whole)
}

#[test]
fn a_fee_that_is_named_is_not_yet_owed() {
    for (cell, expected) in [
        ("Demurrage: NONE", &["Demurrage 0 USD"][..]),
        ("Demurrage - NO", &["Demurrage 0 USD"]),
        ("Demurrage: WAIVED", &["Demurrage 0 USD"]),
        ("Storage NIL", &["Demurrage 0 USD"]),
        ("NO STORAGE", &["Demurrage 0 USD"]),
        ("Demurrage: PAID", &["Demurrage 0 USD"]),
        ("Demurrage: NOT PAID", &["Demurrage open USD"]),
        ("Demurrage: NOT WAIVED", &["Demurrage open USD"]),
        ("Demurrage: TBD", &["Demurrage open USD"]),
        ("Demurrage paid: NO", &["Demurrage open USD"]),
        ("Demurrage $120.00 paid: N", &["Demurrage open USD"]),
        ("Demurrage HK$80.00", &["Demurrage 80 HKD"]),
        ("X-RAY", &["Exam open USD"]),
        (
            "X-RAY: NONE; Demurrage",
            &["Exam 0 USD", "Demurrage open USD"],
        ),
        ("Exam $80.00 DUE", &["Exam 80 USD"]),
        ("TMF 80.00 TMF", &["Other 80 USD"]),
        ("$450.00 Demurrage", &["Demurrage 450 USD"]),
        ("450.00 USD Exam", &["Exam 450 USD"]),
        ("USD 450 storage", &["Demurrage 450 USD"]),
        ("$450.00 Demurrage paid", &["Demurrage 0 USD"]),
        ("$450.00", &["Other 450 USD"]),
        ("4I $450.00", &["Demurrage 450 USD"]),
        ("4I", &["Demurrage open USD"]),
        // Letters that are a code of money elsewhere are the fee's beside a dollar.
        ("CDF $100.00", &["ExtendedDwellTime 100 USD"]),
        ("CDF 100.00", &["ExtendedDwellTime 100 USD"]),
        ("$100.00 CDF", &["ExtendedDwellTime 100 USD"]),
        ("LAK $5", &["Other 5 USD"]),
        ("Exam CAD $80.00", &["Exam 80 CAD"]),
        // Never a sum that may be another one.
        ("Demurrage -$245.00", &["Demurrage open USD"]),
        ("Demurrage: -245.00", &["Demurrage open USD"]),
        ("Demurrage-$245.00", &["Demurrage open USD"]),
        ("Demurrage ($245.00)", &["Demurrage open USD"]),
        ("Demurrage - $245.00", &["Demurrage 245 USD"]),
        ("Demurrage credit $245.00", &["Demurrage open USD"]),
        ("Demurrage $125.00/day", &["Demurrage open USD"]),
        ("Demurrage $125.00 per day", &["Demurrage open USD"]),
        ("Per diem $100.00", &["Other 100 USD"]),
        ("Estimated demurrage $450.00", &["Demurrage open USD"]),
        ("Demurrage 3 days @ $125.00", &["Demurrage open USD"]),
        ("Demurrage partially paid $100.00", &["Demurrage open USD"]),
        ("Demurrage $450.00 thru 11/30", &["Demurrage open USD"]),
        ("$450.00 Demurrage $300.00 Exam", &["Other open USD"]),
        ("Exam US$80.00", &["Exam 80 USD"]),
        ("Exam EUR 80.00", &["Exam 80 EUR"]),
        ("Exam €80.00", &["Exam 80 EUR"]),
        ("Storage 125,00", &["Demurrage open USD"]),
        ("Storage 1,125.00", &["Demurrage 1125 USD"]),
        ("Storage tier 1 150.00", &["Demurrage 150 USD"]),
        ("Demurrage 3 days $450.00", &["Demurrage 450 USD"]),
        // A blank is no sign of groups behind a word.
        ("Storage 1 150.00", &["Demurrage open USD"]),
        ("Storage $1 150.00", &["Demurrage 1150 USD"]),
        ("Demurrage tier 2", &["Demurrage open USD"]),
        ("Demurrage line: 450", &["Demurrage 450 USD"]),
        ("Demurrage 3 days", &["Demurrage open USD"]),
        // Said of one fee, and nothing of the others.
        ("Demurrage - N/A", &["Demurrage 0 USD"]),
    ] {
        let expected: Vec<String> = expected.iter().map(|fee| (*fee).to_owned()).collect();
        assert_eq!(fees(MAPPING, cell), (expected, None), "{cell}");
    }
    let complete = format!("{MAPPING}[fees]\ncomplete = true\n");
    for cell in ["NO", "N", "NONE", "Demurrage - N/A", "Demurrage: N/A; NONE"] {
        assert_eq!(fees(&complete, cell), (vec![], Some(vec![])), "{cell}");
    }
    assert_eq!(fees(MAPPING, "N"), (vec![], Some(vec![])));
}

#[test]
fn a_list_is_not_whole_beside_a_fee_of_no_currency() {
    let mapping = MAPPING
        .replace("terminal = \"USOAK-Z985\"", "port = \"NLRTM\"")
        .replace("\"Fees\"", "\"Fees\"\ncurrency = \"Money\"");
    let amounts = "[fees.amounts]\ndemurrage = \"Due\"\nexam = \"Exam\"\n";
    let added = format!("{mapping}{amounts}");
    let complete = format!("{mapping}[fees]\ncomplete = true\n{amounts}");
    // The fees that a row tells: whole, or one by one.
    let told = |mapping: &str, rest: &str| {
        let profile = Profile::parse(mapping).unwrap();
        let file = format!("Box|Holds|Fees|Due|Exam|Money\nQSDU1000014||{rest}\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let values = parsed.reports.into_iter().map(|told| told.report.value);
        let (mut each, mut whole) = (Vec::new(), None);
        for value in values.flatten() {
            match value {
                Value::Fee(fee) => each.push(fee.kind),
                Value::Fees(all) => whole = Some(all.len()),
                _ => {}
            }
        }
        (each, whole, parsed.defects.len())
    };
    let fees = |rest: &str| told(&added, rest);
    let exam = vec![FeeKind::Exam];
    assert_eq!(fees("NONE||80.00|EUR"), (vec![], Some(1), 0));
    assert_eq!(fees("NONE|460.00|80.00|EUR"), (vec![], Some(2), 0));
    assert_eq!(fees("NONE|460.00||"), (vec![], None, 1), "one is posted");
    assert_eq!(fees("NONE|460.00|EUR 80.00|"), (exam, None, 1));
    assert_eq!(fees("NONE|see remarks||"), (vec![], Some(0), 0));
    // Nor are the others of the list lost beside it.
    let demurrage = vec![FeeKind::Demurrage];
    let list = "Demurrage EUR 450.00; TMF 35.00|||";
    assert_eq!(fees(list), (demurrage.clone(), None, 1));
    assert_eq!(told(&complete, list), (demurrage, None, 1));
    // Of one kind nothing is told where one of it cannot be: it would take the other's place.
    for mapping in [&added, &complete] {
        let of_one_kind = "PierPass EUR 50.00; Demurrage EUR 450.00; TMF 35.00|||";
        assert_eq!(
            told(mapping, of_one_kind),
            (vec![FeeKind::Demurrage], None, 1)
        );
    }
    let whole = "Demurrage EUR 450.00; TMF EUR 35.00|||";
    assert_eq!(told(&complete, whole), (vec![], Some(2), 0));
}

/// What a column of its own says of demurrage.
fn demurrage_of(cell: &str) -> Vec<String> {
    let mapping = format!("{MAPPING}[fees.amounts]\ndemurrage = \"Due\"\n");
    let profile = Profile::parse(&mapping).unwrap();
    let file = format!("Box|Holds|Fees|Due\nQSDU1000014|||{cell}\n");
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let told = reports.map(|report| match report.value {
        Some(Value::Fee(fee)) => {
            let sum = fee.amount.map(|sum| sum.normalize().to_string());
            format!("{:?} {}", fee.kind, sum.unwrap_or("open".into()))
        }
        _ => report.original,
    });
    told.collect()
}

#[test]
fn a_column_of_its_own_tells_a_fee_also_where_its_sum_cannot_be_read() {
    for (cell, sum) in [
        ("$1,250.00", "1250"),
        ("$450.00 Paid", "0"),
        ("Paid in full", "0"),
        ("Waived", "0"),
        ("Waived per line", "0"),
        ("$450.00 paid by credit card", "0"),
        ("Paid 11/20/2026", "0"),
        ("Paid $100.00, balance due $50.00", "open"),
        ("Partially paid $100.00", "open"),
        ("Paid $100.00 of $450.00", "open"),
        ("Paid $100.00, remaining $350.00", "open"),
        ("$450.00 (2 days waived)", "open"),
        ("Tier 1 paid, $225.00 accruing", "open"),
        ("Paid to 11/20, rest TBD", "open"),
        ("Paid in full, no balance due", "0"),
        ("Paid - nothing due", "0"),
        ("Paid (0 due)", "0"),
        ("Past LFD $450.00", "450"),
        ("$450.00 may increase", "450"),
        ("None due", "0"),
        ("Not due", "0"),
        ("No fees", "0"),
        ("FALSE", "0"),
        ("TBD", "open"),
        ("Estimated $450.00", "open"),
        ("approx. $450.00", "open"),
        ("$125.00 per day", "open"),
    ] {
        assert_eq!(demurrage_of(cell), [format!("Demurrage {sum}")], "{cell}");
    }
    for cell in [
        "$450.00 thru 11/30",
        "$-245.00",
        "($245.00)",
        "$1,250.00*",
        "$450.00 thru 30 Nov",
        "USD450.00 thru 11/30",
        "$450.00/day",
        "$450.00-$900.00",
        "Yes",
        "TRUE",
        "Due",
    ] {
        let kept = format!("FEE/DEMURRAGE/{}", cell.to_uppercase());
        let open = "Demurrage open".to_owned();
        assert_eq!(demurrage_of(cell), [kept, open], "{cell}");
    }
    assert!(demurrage_of("").is_empty() && demurrage_of("N/A").is_empty());
    for cell in [
        "No demurrage",
        "No fee due",
        "Nothing due",
        "Free",
        "Within free time",
        "No balance due",
        "No payment due",
        "Not due yet",
        "Not owed",
        "Nothing outstanding",
    ] {
        assert_eq!(demurrage_of(cell), ["Demurrage 0"], "{cell}");
    }
    // Words that speak of no sum: kept, and no fee.
    for cell in [
        "see line",
        "Free until 12/05/2026",
        "LFD 12/01/2026",
        "LFD 12.01.2026",
        "free till 5 Dec",
    ] {
        let kept = format!("FEE/DEMURRAGE/{}", cell.to_uppercase());
        assert_eq!(demurrage_of(cell), [kept], "{cell}");
    }
}

#[test]
fn a_number_of_the_file_has_a_point_whatever_the_texts_have() {
    let mapping = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "box"
fees = "fees"
currency = "money"
[fees]
complete = true
decimal_comma = true
[fees.amounts]
total = "due"
"#;
    let profile = Profile::parse(mapping).unwrap();
    let told = |rest: &str| -> Vec<String> {
        let file = format!(r#"[{{"box":"QSDU1000014",{rest}}}]"#);
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let values = parsed
            .reports
            .into_iter()
            .map(|located| located.report.value);
        let fees = values.flat_map(|value| match value {
            Some(Value::Fees(fees)) => fees,
            Some(Value::Fee(fee)) => vec![fee],
            _ => vec![],
        });
        fees.map(|fee| {
            format!(
                "{:?} {:?} {}",
                fee.kind,
                fee.amount.map(|a| a.normalize().to_string()),
                fee.currency
            )
        })
        .collect()
    };
    assert_eq!(told(r#""due":120.5"#), [r#"Total Some("120.5") USD"#]);
    assert_eq!(told(r#""due":"120,5""#), [r#"Total Some("120.5") USD"#]);
    let reckoned = told(r#""due":1250.3999999999999"#);
    assert_eq!(reckoned, [r#"Total Some("1250.4") USD"#]);
    assert_eq!(told(r#""due":12.345"#), [r#"Total Some("12.345") USD"#]);
    assert_eq!(told(r#""due":"120.5""#), ["Total None USD"]);
    assert_eq!(
        told(r#""fees":[{"type":"Storage","amount":1200.5,"currency":"us$"}]"#),
        [r#"Demurrage Some("1200.5") USD"#]
    );
    for (sent, code) in [("usd", "USD"), ("$", "USD"), ("cad", "CAD"), ("CDN", "CAD")] {
        assert_eq!(
            told(&format!(r#""due":80,"money":"{sent}""#)),
            [format!(r#"Total Some("80") {code}"#)],
            "{sent}"
        );
    }
    // Another money than that of the source is meant, and nobody knows which.
    assert!(told(r#""due":80,"money":"PESOS""#).is_empty());
    assert_eq!(told(r#""due":"120,00 PAID""#), [r#"Total Some("0") USD"#]);
}

/// Who drives for "nothing owed" and pays at the gate all the same drove for nothing: paid is what is said whole.
#[test]
fn what_was_paid_in_part_or_is_still_to_be_paid_is_open() {
    for cell in [
        "50% paid",
        "Waived 50%",
        "Half paid",
        "1st period paid, 2nd period $225.00",
        "First period paid, now $225.00",
        "Zone 1 paid $225.00",
        // Another fee's.
        "Exam paid, $450.00",
        "$450.00, TMF paid",
        "$450 (exam paid)",
        "$1,250.00 CDF waived",
        "Chassis paid",
        "Line paid, $450.00",
        "$450.00, demurrage paid",
        "Storage 11/18-11/20 paid",
        // Nobody knows here what day it is: behind the day it is owed again.
        "Paid thru 12/05/2026",
        "Paid thru 03/20/2026",
        "Paid through Friday",
        "Waived until 12/05",
        "PAID UP TO 11/20",
        "Paid to 11/20",
        "Paid by 11/20",
        "Paid by Friday",
        // Still to come.
        "May be paid at the gate",
        "Should be paid at gate",
        "To be paid",
        "Once paid",
        "Nothing paid",
        "None paid",
        "Zero paid",
        "0 paid",
        "$0.00 paid",
        "Paid: $0.00",
        "Paid?",
        "Paid on account",
        "Paid, storage resumes",
        "NOT PAID",
        "Never paid",
        "Not all paid",
        "50% not paid",
        "$450.00 PAID 11/20 - 11/25",
        "$450.00 PAID 11/20- 11/25",
        "$450.00 PAID 11/20 \u{2014} 11/25",
        "$450.00 PAID 11/20 11/25",
        "$450.00 PAID Nov 20 - Nov 25",
        "$450.00 PAID (Nov 20-Nov 25)",
        "$450.00 paid via check bounced",
        "$450.00 paid by ACH returned",
        "$450.00 waived per request denied",
        "$450.00 waived with line approval needed",
        "$450.00 paid by trucker at gate",
        "$450.00 paid by pickup",
        "$450.00 paid by EOD",
        "$450.00 paid by Thurs 11/30",
        "Paid per diem",
    ] {
        let told = demurrage_of(cell);
        let open = Some("Demurrage open");
        assert_eq!(told.last().map(String::as_str), open, "{cell}: {told:?}");
        assert!(told.len() <= 2, "{cell}: {told:?}");
    }
    for cell in [
        "$450.00 can be paid online",
        "$450.00 will be paid by line",
        "$450.00 may be waived",
        "$450.00 nothing paid",
    ] {
        assert_eq!(demurrage_of(cell), ["Demurrage 450"], "{cell}");
    }
    for cell in [
        "Demurrage paid",
        "Demurrage: paid",
        "$450.00 demurrage paid",
        "Storage fee paid $450.00",
        "Has been waived",
        "All fees paid",
        "Fully paid",
        "$450.00, paid",
        "$450.00 (paid)",
        "$450.00 - PAID 11/20/2026 10:30 AM",
        "USD450.00 paid",
        "450.00 USD paid",
        "Paid Nov 20, 2026",
        "Paid 20 Nov",
        "Paid on 20-Nov-2026",
        "Paid in full 11/20/2026 via eModal",
        "Paid online",
        "Paid by check 11/20",
        "Paid: Yes",
        "4I paid",
    ] {
        assert_eq!(demurrage_of(cell), ["Demurrage 0"], "{cell}");
    }
    for (cell, told) in [
        ("Demurrage $450.00, exam waived", "Demurrage open USD"),
        ("Storage $450.00 - TMF paid", "Demurrage open USD"),
        ("Demurrage $450.00 (exam paid)", "Demurrage open USD"),
        ("Demurrage half paid", "Demurrage open USD"),
        ("Demurrage partially paid", "Demurrage open USD"),
        ("Demurrage - TMF paid", "Demurrage open USD"),
        ("Demurrage, chassis paid", "Demurrage open USD"),
        ("Demurrage paid?", "Demurrage open USD"),
        ("Demurrage 50% paid", "Demurrage open USD"),
        ("Demurrage credit paid $50.00", "Demurrage open USD"),
        ("Demurrage paid thru 11/20", "Demurrage open USD"),
        ("Demurrage paid: $0.00", "Demurrage open USD"),
        ("Demurrage 0 paid", "Demurrage open USD"),
        ("Demurrage may be paid at the gate", "Demurrage open USD"),
        ("Demurrage $450.00 may be waived", "Demurrage 450 USD"),
        ("Demurrage nothing paid", "Demurrage open USD"),
        ("Release once demurrage fees are paid", "Demurrage open USD"),
        ("Must have all demurrage fees paid", "Demurrage open USD"),
        ("Nov storage paid", "Demurrage open USD"),
        ("Demurrage $450.00 (paid)", "Demurrage 0 USD"),
        ("Demurrage: $450.00 - PAID", "Demurrage 0 USD"),
        ("Demurrage paid in full", "Demurrage 0 USD"),
        ("Clean truck fee $20.00 PAID", "Other 0 USD"),
        ("Reefer plug paid 11/20/2026", "Other 0 USD"),
        ("X-ray exam waived", "Exam 0 USD"),
    ] {
        assert_eq!(fees(MAPPING, cell), (vec![told.into()], None), "{cell}");
    }
}

#[test]
fn a_payment_that_failed_settles_nothing_whoever_made_it() {
    for how in [
        "PAID BY CHECK NSF",
        "PAID VIA ACH REVERSAL",
        "PAID BY CARD REFUNDED",
        "PAID BY CHECK VOIDED",
        "PAID BY ACH UNVERIFIED",
        "PAID VIA ACH SUBMITTED",
        "WAIVED PER LINE EXPIRED",
        "PAID BY CHECK STOPPED",
        "PAID BY CREDIT CARD CHARGEBACK",
        "PAID BY MAERSK DISPUTE",
        "PAID BY LINE NSF",
        "PAID BY CONSIGNEE NO",
        "PAID VIA REVERSAL",
        "PAID BY INSTALLMENTS",
        "WAIVED PER APPEAL",
        "WAIVED PER ARRANGEMENT",
        "PAID BY CREDIT",
        "PAID BY CUSTOMER CREDIT",
        "PAID BY ACH PAYMENT LOST",
    ] {
        let told = demurrage_of(how);
        assert_eq!(told.last().unwrap(), "Demurrage open", "{how}: {told:?}");
        let told = demurrage_of(&format!("$450.00 {how}"));
        assert_eq!(told.last().unwrap(), "Demurrage open", "{how}: {told:?}");
        assert_eq!(fees_in(&format!("Demurrage {how}")), "Demurrage -", "{how}");
    }
    for how in [
        "PAID BY CHECK",
        "PAID BY CHECK 11/20",
        "PAID BY COMPANY CHECK",
        "PAID BY DEBIT CARD",
        "PAID VIA ACH TRANSFER",
        "PAID BY ACH PAYMENT 11/20/2026",
        "PAID BY CONSIGNEE VIA WIRE",
        "PAID BY BROKER CHECK",
        "PAID BY MAERSK",
        "PAID BY MAERSK LINE 11/20",
        "PAID BY MAERSK ON 11/20",
        "PAID BY SMITH TRUCKING",
        "PAID BY CMA CGM",
        "PAID BY APM TERMINALS 11/20",
        "WAIVED PER SSL",
        "WAIVED PER LINE 11/20",
        "PAID VIA EMODAL",
    ] {
        assert_eq!(demurrage_of(how), ["Demurrage 0"], "{how}");
    }
}

#[test]
fn a_sum_that_nobody_charged_is_none() {
    for cell in [
        // The number before it is another one.
        "NOV 25 450.00",
        "DUE NOV 25 450.00",
        "AS OF NOV 25 450.00",
        "TIER 1 450.00",
        // Given back, none any more, or one of each day.
        "450.00 CR",
        "450.00CR",
        "450CR",
        "CR 450.00",
        "450.00 REFUNDED",
        "450.00 VOIDED",
        "VOID 450.00",
        "450.00 EXEMPT",
        "450.00 PD",
        "450.00 SETTLED",
        "$125.00 A DAY",
        "$125.00 DLY",
        "UP TO 450.00",
        "WILL BE CHARGED 450.00",
        "450.00 NOT DUE",
        "450.00 AFTER LFD",
        "WAS 450.00",
        "INVOICE 450",
        "SEE LINE 3",
        "450.00 FREE",
    ] {
        let told = demurrage_of(cell);
        let open = Some("Demurrage open");
        assert_eq!(told.last().map(String::as_str), open, "{cell}: {told:?}");
    }
    for cell in [
        "$450.00 DUE",
        "USD 450.00 OWED",
        "450 USD",
        "450.00USD DUE",
        "BALANCE DUE 450.00",
        "AMOUNT DUE USD 450.00",
        "TOTAL DEMURRAGE DUE 450.00",
        "STORAGE CHARGES 450.00",
        "450.00 US DOLLARS",
        "450.00 PAST DUE",
        "450.00 DUE NOW",
        "450.00 NOT YET PAID",
        "HAS NOT BEEN PAID 450.00",
        "450.00 TO BE PAID BY CONSIGNEE",
        "YES 450.00",
        "450.00 INVOICED",
        "450.00 ALL IN",
        "US$450.00",
    ] {
        assert_eq!(demurrage_of(cell), ["Demurrage 450"], "{cell}");
    }
    for cell in ["25 450.00", "$ 25 450.00", "DUE USD 25 450.00"] {
        assert_eq!(demurrage_of(cell), ["Demurrage 25450"], "{cell}");
    }
    for cell in [
        "Demurrage thru Nov 25 450.00",
        "Storage 2 450.00",
        "Storage 2 450.00 USD",
        "Demurrage 450.00 CR",
        "Demurrage CR 450.00",
        "Demurrage refunded $450.00",
        "Demurrage voided $450.00",
        "Demurrage waiver $450.00",
        "Demurrage prepaid $450.00",
        "Demurrage every day $125.00",
        "Demurrage a day $125.00",
        "Demurrage $125.00 a day",
        "Demurrage exempt $450.00",
    ] {
        assert_eq!(fees_in(cell), "Demurrage -", "{cell}");
    }
    for (cell, told) in [
        ("450.00 CR", "Other -"),
        ("Payment $450.00", "Other -"),
        ("Payment due $450.00", "Other 450"),
        ("$310.00 Reefer plug", "Other 310"),
        ("$20.00 Genset rental", "Other 20"),
        ("Storage 2 450.00, Exam $300.00", "Demurrage -"),
        ("Storage: USD 2 450.00", "Demurrage 2450"),
        ("Demurrage 1 day $450.00", "Demurrage 450"),
    ] {
        assert_eq!(fees_in(cell), told, "{cell}");
    }
    let mapping = format!("{MAPPING}[words.fees]\n\"GRX LEVY\" = \"demurrage\"\n");
    assert_eq!(fees(&mapping, "$450 GRX LEVY").0, ["Demurrage 450 USD"]);
}

#[test]
fn nothing_beside_words_that_nobody_knows_is_not_yet_posted() {
    for cell in [
        "$0.00 INVOICE TO FOLLOW",
        "0 TO BE INVOICED",
        "0.00 NOT YET CALCULATED",
        "0.00 BILLED LATER",
        "0 OPEN",
        "0.00 CR",
        "YES 0.00",
    ] {
        let told = demurrage_of(cell);
        let open = Some("Demurrage open");
        assert_eq!(told.last().map(String::as_str), open, "{cell}: {told:?}");
        let listed = format!("Demurrage {cell}");
        assert_eq!(fees_in(&listed), "Demurrage -", "{listed}");
    }
    for cell in [
        "0",
        "$0.00",
        "0.00 USD",
        "0 DUE",
        "0.00 OWED",
        "BALANCE 0.00",
        "BALANCE DUE USD 0.00",
        "DEMURRAGE DUE 0.00",
        "0.00 PAST DUE",
    ] {
        assert_eq!(demurrage_of(cell), ["Demurrage 0"], "{cell}");
    }
    for (cell, told) in [
        ("Demurrage pending 0.00", "Demurrage -"),
        ("Demurrage invoice to follow 0.00", "Demurrage -"),
        ("Demurrage: 0.00", "Demurrage 0"),
        ("4I 0.00", "Demurrage 0"),
        ("Demurrage 3 days $0.00", "Demurrage 0"),
        ("Total due: 0.00", "Total 0"),
        ("Clean truck fee 0", "Other 0"),
        ("0.00 TMF", "Other 0"),
    ] {
        assert_eq!(fees_in(cell), told, "{cell}");
    }
}

#[test]
fn a_sum_beside_a_month_or_a_free_day_is_a_fee_of_which_nobody_knows_the_money() {
    for cell in [
        "450 until 11/30",
        "450 till 30 Nov",
        "450 LFD 11/30",
        "450 MAY ACCRUE",
        "March storage 450",
        "450 free until 11/30",
        "45 until 11/30",
    ] {
        let told = demurrage_of(cell);
        let open = Some("Demurrage open");
        assert_eq!(told.last().map(String::as_str), open, "{cell}: {told:?}");
    }
    for cell in [
        "Free until 12/05/2026",
        "Free time until Dec 5, 2026",
        "free till 5 Dec",
        "LFD 5-Dec-2026",
        "5 free days",
        "Free time left 0",
        "Free time: 4 days",
        "LFD in March",
    ] {
        let kept = format!("FEE/DEMURRAGE/{}", cell.to_uppercase());
        assert_eq!(demurrage_of(cell), [kept], "{cell}");
    }
}

/// Papers decide whose a row is: what is none must not make it another's.
#[test]
fn a_cell_of_papers_names_each_of_them_and_what_is_none_is_told() {
    let mapping = format!("{MAPPING}bill = \"Bill\"\nbooking = \"Booking\"\n");
    let profile = Profile::parse(&mapping).unwrap();
    let read = |bill: &str, booking: &str| {
        let file = format!("Box|Holds|Fees|Bill|Booking\nQSDU1000014|TMF||{bill}|{booking}\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let defects = parsed.defects.into_iter().map(|d| (d.place, d.reason));
        let references = parsed.reports[0].report.references.clone();
        (references, defects.collect::<Vec<_>>())
    };
    let (named, told) = read("QSDU204876543, QSDU204876544", "TBN");
    assert_eq!(named.bills, ["QSDU204876543", "QSDU204876544"]);
    assert!(named.bookings.is_empty() && told.is_empty(), "{told:?}");
    let (named, told) = read("204876543/HBL1", "see clerk");
    assert_eq!(named.bills, ["204876543", "HBL1"]);
    assert!(named.bookings.is_empty());
    // Joined to the number the label may be its beginning.
    let (named, _) = read("BL-2026-001", "");
    assert_eq!(named.bills, ["BL-2026-001"]);
    let (named, _) = read("MBL-204876543", "");
    assert_eq!(named.bills, ["MBL-204876543", "204876543"]);
    let reason = "\"see clerk\" is no number".to_owned();
    assert_eq!(told, [("line 2.Booking".to_owned(), reason)]);
}

/// What columns say that tell of holds and of whether the box can be had.
fn flags(freight: &str, customs: &str, available: &str) -> Vec<(Verb, String)> {
    let mapping = r#"
id = "pier"
protocol = "terminal-table"
terminal = "USOAK-Z985"
[columns]
container = "Box"
available = "Available"
[holds.released]
freight = "Freight Released"
[holds.flags]
customs = "Customs Status"
"#;
    let profile = Profile::parse(mapping).unwrap();
    let file = format!(
        "Box|Freight Released|Customs Status|Available\nQSDU1000014|{freight}|{customs}|{available}\n"
    );
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let told = reports.map(|report| match report.value {
        Some(Value::Hold(hold)) => (report.verb, format!("{:?}", hold.name)),
        _ => (report.verb, String::new()),
    });
    told.collect()
}

#[test]
fn whether_a_box_can_be_had_says_nothing_of_one_hold() {
    for word in [
        "NOT AVAILABLE",
        "Not Ready",
        "Unavailable",
        "READY",
        "Available",
    ] {
        let said = flags("", word, "");
        assert!(
            said.iter().all(|(verb, _)| *verb == Verb::Document),
            "{word}: {said:?}"
        );
    }
    let cleared = [(Verb::HoldClear, "Customs".to_owned())];
    assert_eq!(flags("", "NO", ""), cleared);
}

/// The names of the holds that stand after sheets that came one day after the other: their list, and the column of customs.
fn held_after(days: &[(&str, &str)]) -> Vec<HoldName> {
    let mapping =
        format!("{MAPPING}[holds]\ncomplete = true\n[holds.released]\ncustoms = \"Customs\"\n");
    let profile = Profile::parse(&mapping).unwrap();
    let told = days.iter().zip(0..).flat_map(|((list, customs), day)| {
        let file = format!("Box|Holds|Fees|Customs\nQSDU1000014|{list}||{customs}\n");
        let received_at = received_at() + SignedDuration::from_hours(24 * day);
        let parsed = parse(&profile, file.as_bytes(), received_at, &gazetteer());
        assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
        parsed.reports.into_iter().map(|located| located.report)
    });
    let told: Vec<Report> = told.collect();
    let number = told[0].equipment.as_ref().unwrap().number;
    let now = received_at() + SignedDuration::from_hours(24 * 9);
    let state = container_state(number, &told, &gazetteer(), Trust::USUAL, now);
    state.pickup.holds.iter().map(|hold| hold.name).collect()
}

#[test]
fn a_list_of_all_holds_clears_what_it_set_and_not_what_a_column_of_its_own_says() {
    use HoldName::{Customs, Usda};
    for silent in ["", "-", "N/A", "No Status", "None", "nil"] {
        let days = [("None", "Hold"), ("None", silent)];
        assert_eq!(held_after(&days), [Customs], "{silent}");
    }
    assert_eq!(held_after(&[("None", "Hold"), ("None", "Released")]), []);
    assert_eq!(held_after(&[("None", "Hold"), ("", "Released")]), []);
    // What the list set goes with it, also where the column is of the same hold and says nothing.
    assert_eq!(
        held_after(&[("CUSTOMS EXAM; USDA", ""), ("USDA", "")]),
        [Usda]
    );
    assert_eq!(held_after(&[("CUSTOMS EXAM", ""), ("None", "")]), []);
    let both = [("CUSTOMS EXAM", "Hold"), ("None", "")];
    assert_eq!(held_after(&both), [Customs]);
    // A list that names its release says it of either.
    assert_eq!(
        held_after(&[("None", "Hold"), ("Customs: Released", "")]),
        []
    );
    // And what both say of one day stands.
    let differ = [("Customs: Released", "Hold")];
    assert_eq!(held_after(&differ), [Customs]);
    assert_eq!(held_after(&[("CUSTOMS EXAM", "Released")]), [Customs]);
}

#[test]
fn behind_a_no_in_the_column_of_a_release_stands_why() {
    let held = [(Verb::HoldSet, "Freight".to_owned())];
    for word in ["NO", "NO - HOLD", "No (on hold)", "NO - CUSTOMS HOLD"] {
        assert_eq!(flags(word, "", ""), held, "{word}");
    }
    for word in ["Conditional Release", "RELEASED - EXAM"] {
        let kept = [(Verb::Document, String::new())];
        assert_eq!(flags(word, "", ""), kept, "{word}");
    }
    let cleared = [(Verb::HoldClear, "Freight".to_owned())];
    assert_eq!(flags("YES", "", ""), cleared);
}

#[test]
fn a_box_that_cannot_be_had_in_whatever_words_is_not_available() {
    for word in [
        "No",
        "Not available for pickup",
        "ON HOLD",
        "NOT YET AVAILABLE",
    ] {
        let said = flags("", "", word);
        assert_eq!(said, [(Verb::NotAvailable, String::new())], "{word}");
    }
    assert_eq!(flags("", "", "Yes"), [(Verb::Available, String::new())]);
    assert_eq!(flags("", "", "NO HOLDS"), [(Verb::Document, String::new())]);
}

/// Found by a tester: the list in a quoted cell had more separators of its own than the row.
#[test]
fn a_quoted_list_does_not_decide_what_separates_the_cells() {
    let profile = Profile::parse(MAPPING).unwrap();
    for rows in [
        "Box,Holds,Fees\nQSDU1000014,\"Customs; USDA; Freight; TMF\",\n",
        "Box,Holds,Fees\n\"QSDU1000014\" , \"Customs; USDA;\nFreight; \"\"TMF\"\"; x\" ,\n",
        "Box;Holds;Fees\nQSDU1000014;\"Customs, USDA, Freight, TMF\";\n",
        "Box,Holds,Fees\nQSDU1000014,Customs; USDA; Freight; TMF,\n",
        "Box|Holds|Fees\nQSDU1000014|Customs, USDA, Freight, TMF|\n",
        "Yard;report;of;today;at;noon\n\nBox,Holds,Fees\nQSDU1000014,Customs,\n",
        // A lone quote quotes nothing.
        "Box,Holds,Fees\nQSDU1000014,Customs,\nQSDU1000020,\"40 inch,\n",
    ] {
        let parsed = parse(&profile, rows.as_bytes(), received_at(), &gazetteer());
        let set = parsed.reports.iter().map(|located| &located.report);
        let set = set.filter(|report| report.verb == Verb::HoldSet);
        assert!(set.count() > 0, "{rows}: {:?}", parsed.defects);
    }
}

/// Names of the holds in force and of those that are cleared, and the defects.
fn answered(more: &str, holds: &str) -> (usize, usize, Vec<String>) {
    let mapping = format!(
        "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[format]\nkind = \"json\"\n\
         [columns]\ncontainer = \"box\"\nholds = \"holds\"\n[holds]\nname = \"type\"\n{more}"
    );
    let profile = Profile::parse(&mapping).unwrap();
    let file = format!(r#"[{{"box": "QSDU1000014", "holds": [{holds}]}}]"#);
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let count = |verb| {
        let reports = parsed.reports.iter().map(|located| &located.report);
        reports.filter(|report| report.verb == verb).count()
    };
    let defects = parsed
        .defects
        .iter()
        .map(|defect| format!("{}: {}", defect.place, defect.reason));
    (
        count(Verb::HoldSet),
        count(Verb::HoldClear),
        defects.collect(),
    )
}

/// Found by a tester: `"lifted": false` cleared a hold in force, and `"lifted": true` set one that was gone.
#[test]
fn a_yes_or_no_says_of_a_hold_what_the_member_is_called() {
    for (member, yes, no) in [
        // What asks whether it is in force.
        ("active", (1, 0), (0, 1)),
        ("isActive", (1, 0), (0, 1)),
        ("on_hold", (1, 0), (0, 1)),
        ("held", (1, 0), (0, 1)),
        ("applied", (1, 0), (0, 1)),
        ("not_released", (1, 0), (0, 1)),
        // What asks whether it is gone.
        ("lifted", (0, 1), (1, 0)),
        ("holdReleased", (0, 1), (1, 0)),
        ("is_cleared", (0, 1), (1, 0)),
        ("removed", (0, 1), (1, 0)),
        ("detail.released", (0, 1), (1, 0)),
    ] {
        let path = format!("status = \"{member}\"\n");
        for (said, (set, cleared)) in [("true", yes), ("\"Y\"", yes), ("false", no), ("\"NO\"", no)]
        {
            let hold = match member.split_once('.') {
                Some((above, below)) => {
                    format!(r#"{{"type": "customs", "{above}": {{"{below}": {said}}}}}"#)
                }
                None => format!(r#"{{"type": "customs", "{member}": {said}}}"#),
            };
            let expected = (set, cleared, Vec::new());
            assert_eq!(answered(&path, &hold), expected, "{hold}");
        }
    }
    // A word is a word whatever the member is called, and nothing said leaves the hold.
    let lifted = "status = \"lifted\"\n";
    for (said, set, cleared) in [("\"RELEASED\"", 0, 1), ("\"HOLD\"", 1, 0), ("null", 1, 0)] {
        let hold = format!(r#"{{"type": "customs", "lifted": {said}}}"#);
        assert_eq!(
            answered(lifted, &hold),
            (set, cleared, Vec::new()),
            "{said}"
        );
    }
}

/// What the name does not say either is told once, and no hold vanishes of it.
#[test]
fn a_yes_or_no_that_nobody_explains_leaves_the_hold_in_force() {
    let path = "status = \"state\"\n";
    let two = |said: &str| {
        format!(r#"{{"type": "customs", "state": {said}}}, {{"type": "freight", "state": {said}}}"#)
    };
    for said in ["true", "false", "\"N\""] {
        let (set, cleared, defects) = answered(path, &two(said));
        assert_eq!(
            (set, cleared, defects.len()),
            (2, 0, 1),
            "{said}: {defects:?}"
        );
        assert!(defects[0].contains("[words]"), "{defects:?}");
    }
    // The mapping says what they mean, or that they are the usual ones.
    let words = format!("{path}[words]\nreleased = [\"true\"]\nheld = [\"false\"]\n");
    assert_eq!(answered(&words, &two("true")), (0, 2, Vec::new()));
    assert_eq!(answered(&words, &two("false")), (2, 0, Vec::new()));
    let usual = format!("{path}[words]\nyes = [\"true\"]\nno = [\"false\"]\n");
    assert_eq!(answered(&usual, &two("true")), (2, 0, Vec::new()));
    assert_eq!(answered(&usual, &two("false")), (0, 2, Vec::new()));
    // They count before the name.
    let words = "status = \"lifted\"\n[words]\nheld = [\"true\"]\n";
    let hold = r#"{"type": "customs", "lifted": true}"#;
    assert_eq!(answered(words, hold), (1, 0, Vec::new()));
}

#[test]
fn a_day_that_is_still_to_come_frees_nothing() {
    let ahead = "12/24/2098";
    for cell in [
        format!("CUSTOMS HOLD - RELEASED {ahead}"),
        format!("Customs released {ahead}"),
    ] {
        assert_eq!(holds(MAPPING, &cell).0, [HoldName::Customs], "{cell}");
        assert_eq!(holds(MAPPING, &cell).1, [], "{cell}");
    }
    assert_eq!(
        holds(MAPPING, "CUSTOMS HOLD - RELEASED 11/20/2026").1,
        [HoldName::Customs]
    );
    for cell in [format!("PAID {ahead}"), format!("$450.00 PAID {ahead}")] {
        assert_eq!(demurrage_of(&cell), ["Demurrage open"], "{cell}");
        let listed = format!("Demurrage {cell}");
        assert_eq!(fees_in(&listed), "Demurrage -", "{listed}");
    }
    assert_eq!(fees_in("Demurrage PAID 11/20/2026"), "Demurrage 0");
}

#[test]
fn what_one_row_of_a_box_lists_is_not_gone_with_the_none_of_another() {
    let profile = Profile::parse(MAPPING).unwrap();
    let mut rows = ["CUSTOMS HOLD|Demurrage 450.00", "NONE|NONE"];
    for _ in 0..2 {
        rows.reverse();
        let [one, other] = rows;
        let file = format!("Box|Holds|Fees\nQSDU1000014|{one}\nQSDU1000014|{other}\n");
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let told = parsed.reports.into_iter().map(|located| located.report);
        let told: Vec<Report> = told.collect();
        let number = told[0].equipment.as_ref().unwrap().number;
        let now = received_at() + SignedDuration::from_hours(1);
        let state = container_state(number, &told, &gazetteer(), Trust::USUAL, now);
        assert_eq!(state.pickup.holds.len(), 1, "{rows:?}");
        assert_eq!(state.pickup.fees.len(), 1, "{rows:?}");
        // Tomorrow's none is another file's.
        let file = "Box|Holds|Fees\nQSDU1000014|NONE|NONE\n";
        let later = received_at() + SignedDuration::from_hours(24);
        let more = parse(&profile, file.as_bytes(), later, &gazetteer());
        let more = more.reports.into_iter().map(|located| located.report);
        let told: Vec<Report> = told.into_iter().chain(more).collect();
        let state = container_state(number, &told, &gazetteer(), Trust::USUAL, later);
        assert!(state.pickup.holds.is_empty() && state.pickup.fees.is_empty());
    }
}

/// What is told of the box of a record of JSON.
fn told_of(mapping: &str, record: &str) -> Vec<Report> {
    let mapping = format!(
        "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[columns]\ncontainer = \"box\"\n{mapping}"
    );
    let profile = Profile::parse(&mapping).unwrap();
    let file = format!(r#"[{{"box":"QSDU1000014","x":"y",{record}}}]"#);
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let told = parsed.reports.into_iter().map(|located| located.report);
    told.collect()
}

/// What a record of JSON says of its box: holds in force, holds cleared one by one, and fees that are owed.
fn record(mapping: &str, record: &str) -> (Vec<HoldName>, usize, usize) {
    let told = told_of(mapping, record);
    let cleared = told.iter().filter(|report| report.verb == Verb::HoldClear);
    let cleared = cleared.count();
    let number = ContainerNumber::parse("QSDU1000014").unwrap();
    let now = received_at() + SignedDuration::from_hours(1);
    let pickup = container_state(number, &told, &gazetteer(), Trust::USUAL, now).pickup;
    let holds = pickup.holds.iter().filter(|hold| hold.is_in_force());
    let holds = holds.map(|hold| hold.name).collect();
    (holds, cleared, pickup.fees.len())
}

#[test]
fn of_several_columns_of_one_hold_that_in_force_counts() {
    let mapping = "[holds.flags]\ncustoms = [\"a\", \"b\"]\n";
    for (a, b) in [
        ("PENDING", "HOLD"),
        ("HOLD", "PENDING"),
        ("RELEASED", "HOLD"),
    ] {
        let said = record(mapping, &format!(r#""a":"{a}","b":"{b}""#));
        assert_eq!(said.0, [HoldName::Customs], "{a} {b}");
    }
}

#[test]
fn an_empty_text_in_a_list_is_no_hold_and_empties_it_not() {
    let mapping = "holds = \"holds\"\nfees = \"fees\"\ncurrency = \"money\"\n";
    for nothing in ["", "N/A", "-"] {
        let file = format!(r#""holds":["{nothing}"],"fees":["{nothing}"],"money":"USD""#);
        assert_eq!(record(mapping, &file).0, [], "{nothing}");
        let told = told_of(mapping, &file);
        let is_whole = |value: &Value| matches!(value, Value::Holds(_) | Value::Fees(_));
        let mut told = told.iter().filter_map(|report| report.value.as_ref());
        assert!(!told.any(is_whole), "{nothing}");
    }
}

#[test]
fn a_null_or_a_number_in_place_of_a_day_of_release_releases_nothing() {
    let mapping = "[holds.released]\ncustoms = \"released\"\n";
    for null in [
        "\"01-JAN-01\"",
        "\"01-JAN-00\"",
        "\"2001-01-01\"",
        "1234567890",
    ] {
        assert_eq!(
            record(mapping, &format!("\"released\":{null}")).1,
            0,
            "{null}"
        );
    }
    assert_eq!(record(mapping, "\"released\":\"2026-11-20\"").1, 1);
}

#[test]
fn what_ends_a_release_or_an_invoice_frees_nothing() {
    let mapping = |of: &str, status: &str| {
        format!(
            "{of} = \"list\"\ncurrency = \"money\"\n[{of}]\ncomplete = true\nname = \"type\"\nstatus = \"{status}\"\n"
        )
    };
    for (status, word) in [
        ("releasestatus", "REVOKED"),
        ("lifted", "None"),
        ("lifted", "nil"),
    ] {
        let list = format!(r#""list":[{{"type":"CUSTOMS","{status}":"{word}"}}]"#);
        let said = record(&mapping("holds", status), &list);
        assert_eq!(said.0, [HoldName::Customs], "{status} {word}");
    }
    let list = r#""money":"USD","list":[{"type":"DEMURRAGE","amount":450,"invoiceStatus":"VOID"}]"#;
    assert_eq!(record(&mapping("fees", "invoiceStatus"), list).2, 1);
}
