//! Objects in a JSON list of holds or fees: what their status says, and what lacks a name.

use domain::container::{Fee, Hold, HoldStatus};
use domain::report::{Value, Verb};
use sources::table::{Profile, parse};

use crate::told::{gazetteer, received_at};

/// What a box's entries say, one line for each, and the defects.
fn told(list: &str, rule: &str, entries: &str) -> (Vec<String>, Vec<String>) {
    let mapping = format!(
        "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[format]\nkind = \"json\"\n\
         [columns]\ncontainer = \"box\"\n{list} = \"list\"\n[{list}]\nname = \"type\"\n{rule}"
    );
    let profile = Profile::parse(&mapping).unwrap();
    let file = format!(r#"[{{"box": "QSDU1000014", "list": {entries}}}]"#);
    let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
    let reports = parsed.reports.into_iter().map(|located| located.report);
    let lines = reports.flat_map(|report| match (report.verb, report.value) {
        (verb, Some(Value::Hold(hold))) => vec![format!("{} {}", sign(verb), named(&hold))],
        (_, Some(Value::Holds(all))) => {
            let all = all.iter().map(|hold| format!("all {}", named(hold)));
            std::iter::once("all".to_owned()).chain(all).collect()
        }
        (_, Some(Value::Fee(fee))) => vec![owed(&fee)],
        (_, Some(Value::Fees(all))) => {
            let all = all.iter().map(|fee| format!("all {}", owed(fee)));
            std::iter::once("all".to_owned()).chain(all).collect()
        }
        (_, None) => vec![report.original],
        other => panic!("{other:?}"),
    });
    let defects = parsed.defects.iter();
    let defects = defects.map(|defect| format!("{}: {}", defect.place, defect.reason));
    (lines.collect(), defects.collect())
}

fn sign(verb: Verb) -> char {
    if verb == Verb::HoldSet { '+' } else { '-' }
}

fn named(hold: &Hold) -> String {
    let pending = if hold.status == HoldStatus::Pending {
        "pending "
    } else {
        ""
    };
    let words = hold.description.clone().unwrap_or_default();
    format!("{pending}{:?} ({words})", hold.name)
}

fn owed(fee: &Fee) -> String {
    let amount = fee.amount.map(|amount| amount.normalize().to_string());
    format!("{:?} {}", fee.kind, amount.as_deref().unwrap_or("open"))
}

/// Whether a hold of customs with this status is in force, and how many defects tell of it.
fn standing(more: &str, status: &str) -> (Option<HoldStatus>, usize) {
    let rule = format!("status = \"state\"\n{more}");
    let entry = format!(r#"[{{"type": "CUSTOMS", "state": "{status}"}}]"#);
    let (lines, defects) = told("holds", &rule, &entry);
    let held = match lines.as_slice() {
        [line] if line == "+ Customs (CUSTOMS)" => Some(HoldStatus::Hold),
        [line] if line == "+ pending Customs (CUSTOMS)" => Some(HoldStatus::Pending),
        [line] if line == "- Customs (CUSTOMS)" => None,
        other => panic!("{status}: {other:?}"),
    };
    (held, defects.len())
}

/// Found by a tester: of 26 words three ended a hold, and nobody was told of the others.
#[test]
fn the_plain_words_of_an_end_end_a_hold() {
    for word in [
        "RELEASED",
        "CLEARED",
        "INACTIVE",
        "Lifted",
        "REMOVED",
        "DELETED",
        "EXPIRED",
        "CANCELLED",
        "CANCELED",
        "CLOSED",
        "RESOLVED",
        "COMPLETED",
        "COMPLETE",
        "OFF",
        "OFF HOLD",
        "NOT REQUIRED",
        "not_required",
        "NotRequired",
        "NO LONGER REQUIRED",
        "NOT ACTIVE",
        "GRANTED",
        "APPROVED",
        "AUTHORISED",
        "PERMITTED",
        "SATISFIED",
        "PASSED",
        "VOID",
        "VOIDED",
        "ENDED",
        "WITHDRAWN",
        "REVOKED",
        "UNBLOCKED",
    ] {
        assert_eq!(standing("", word), (None, 0), "{word}");
    }
    for word in [
        "ACTIVE",
        "ON",
        "OPEN",
        "APPLIED",
        "REQUIRED",
        "PLACED",
        "BLOCKED",
        "OUTSTANDING",
        "IN FORCE",
        "NOT GRANTED",
        "DENIED",
        "FAILED",
    ] {
        assert_eq!(standing("", word), (Some(HoldStatus::Hold), 0), "{word}");
    }
    for word in ["PENDING", "REQUESTED", "PLANNED"] {
        assert_eq!(standing("", word), (Some(HoldStatus::Pending), 0), "{word}");
    }
}

#[test]
fn any_other_word_leaves_the_hold_and_is_told_until_the_mapping_knows_it() {
    for word in [
        "R",
        "VETOED",
        "GRANTED_COUPON",
        "NO ACTION",
        "CLOSED?",
        "EXPIRED BOND",
        "NOT YET LIFTED BY CBP",
        "2026-03-14",
    ] {
        assert_eq!(standing("", word), (Some(HoldStatus::Hold), 1), "{word}");
    }
    let two = r#"[{"type": "CUSTOMS", "state": "VETOED"}, {"type": "TMF", "state": "VETOED"},
        {"type": "USDA", "state": "R"}]"#;
    let (lines, defects) = told("holds", "status = \"state\"\n", two);
    assert_eq!(lines.len(), 3);
    assert_eq!(defects.len(), 2, "{defects:?}");
    assert!(
        defects[0].contains("list.state: ") && defects[0].contains("\"VETOED\""),
        "{defects:?}"
    );
    assert!(defects[0].contains("[words]"), "{defects:?}");
    for (key, held) in [
        ("held", Some(HoldStatus::Hold)),
        ("pending", Some(HoldStatus::Pending)),
        ("released", None),
    ] {
        let words = format!("[words]\n{key} = [\"vetoed\", \"granted\"]\n");
        assert_eq!(standing(&words, "VETOED"), (held, 0), "{key}");
        // Also before the usual ones.
        assert_eq!(standing(&words, "Granted"), (held, 0), "{key}");
    }
}

/// What ends a hold takes a release away.
#[test]
fn the_end_of_a_release_is_none_of_its_hold() {
    let status = "status = \"state\"\n";
    let entry = |state: &str| format!(r#"[{{"type": "CUSTOMS_RELEASE", "state": "{state}"}}]"#);
    for word in [
        "CANCELLED",
        "EXPIRED",
        "REVOKED",
        "REMOVED",
        "OFF",
        "INACTIVE",
        "NONE",
        "ACTIVE",
    ] {
        let (lines, defects) = told("holds", status, &entry(word));
        assert_eq!(lines, ["+ Customs (CUSTOMS_RELEASE)"], "{word}");
        assert_eq!(defects.len(), 1, "{word}: {defects:?}");
    }
    for word in ["GRANTED", "COMPLETED", "NOT REQUIRED", "RELEASED"] {
        let (lines, defects) = told("holds", status, &entry(word));
        assert_eq!(lines, ["- Customs (CUSTOMS_RELEASE)"], "{word}");
        assert!(defects.is_empty(), "{word}: {defects:?}");
    }
    let (lines, defects) = told("holds", status, &entry("REQUIRED"));
    assert_eq!(
        (lines, defects.len()),
        (vec!["+ Customs (CUSTOMS_RELEASE)".to_owned()], 0)
    );
    // A hold that is called by the want of a release is one like others.
    for (state, sign) in [("ACTIVE", '+'), ("EXPIRED", '-')] {
        let entry = format!(r#"[{{"type": "NO CUSTOMS RELEASE", "state": "{state}"}}]"#);
        let (lines, defects) = told("holds", status, &entry);
        let line = format!("{sign} Customs (NO CUSTOMS RELEASE)");
        assert_eq!((lines, defects.len()), (vec![line], 0), "{state}");
    }
    let member = r#"[{"type": "CUSTOMS", "releaseStatus": "EXPIRED"}]"#;
    let (lines, defects) = told("holds", "status = \"releaseStatus\"\n", member);
    assert_eq!(lines, ["+ Customs (CUSTOMS)"]);
    assert_eq!(defects.len(), 1, "{defects:?}");
}

/// What is owed of 450 with this status, and how many defects tell of it.
fn charged(more: &str, members: &str) -> (String, usize) {
    let entry = format!(r#"[{{"type": "DEMURRAGE", "amount": 450, {members}}}]"#);
    let (lines, defects) = told("fees", more, &entry);
    assert_eq!(lines.len(), 1, "{members}: {lines:?}");
    (lines[0].clone(), defects.len())
}

#[test]
fn a_status_settles_a_fee_where_it_surely_says_so() {
    let paid = |defects| ("Demurrage 0".to_owned(), defects);
    let open = |defects| ("Demurrage 450".to_owned(), defects);
    let status = |word: &str| format!(r#""status": "{word}""#);
    for word in [
        "PAID",
        "WAIVED",
        "paid in full",
        "SETTLED",
        "CANCELLED",
        "Canceled",
        "VOID",
        "VOIDED",
        "EXEMPT",
        "WRITTEN OFF",
        "written-off",
    ] {
        assert_eq!(charged("", &status(word)), paid(0), "{word}");
    }
    for word in [
        "OPEN",
        "UNPAID",
        "NOT PAID",
        "DUE",
        "PAST DUE",
        "OUTSTANDING",
        "PENDING",
        "BILLED",
        "INVOICED",
    ] {
        assert_eq!(charged("", &status(word)), open(0), "{word}");
    }
    for word in [
        "CLOSED",
        "CREDITED",
        "REFUNDED",
        "COMPLETE",
        "GUARANTEED",
        "PARTIALLY PAID",
        "VOID?",
        "SETTLED UNTIL 03/20",
        "true",
    ] {
        assert_eq!(charged("", &status(word)), open(1), "{word}");
        let words = format!("[words]\npaid = [\"{word}\"]\n");
        assert_eq!(charged(&words, &status(word)), paid(0), "{word}");
        let words = format!("[words]\nowed = [\"{word}\"]\n");
        assert_eq!(charged(&words, &status(word)), open(0), "{word}");
    }
    // A payment that was cancelled is none.
    let of_payment = "status = \"paymentStatus\"\n";
    for word in ["VOID", "CANCELLED"] {
        let member = format!(r#""paymentStatus": "{word}""#);
        assert_eq!(charged(of_payment, &member), open(1), "{word}");
    }
    assert_eq!(
        charged(of_payment, r#""paymentStatus": "SETTLED""#),
        paid(0)
    );
    let (_, defects) = told(
        "fees",
        "",
        r#"[{"type": "DEMURRAGE", "amount": 1, "status": "CLOSED"}, {"type": "EXAM", "amount": 1, "status": "CLOSED"}]"#,
    );
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert!(
        defects[0].contains("\"CLOSED\"") && defects[0].contains("[words]"),
        "{defects:?}"
    );
}

#[test]
fn a_member_that_asks_whether_it_was_paid_is_answered_by_a_yes() {
    for (member, said, amount) in [
        ("paid", "true", 0),
        ("isPaid", "\"Y\"", 0),
        ("fee_waived", "true", 0),
        ("paid", "false", 450),
        ("settled", "\"NO\"", 450),
    ] {
        let rule = format!("status = \"{member}\"\n");
        let expected = (format!("Demurrage {amount}"), 0);
        assert_eq!(
            charged(&rule, &format!(r#""{member}": {said}"#)),
            expected,
            "{member}"
        );
    }
    for member in ["prepaid", "paidThrough", "unpaid", "not_paid", "canBePaid"] {
        let rule = format!("status = \"{member}\"\n");
        let expected = ("Demurrage 450".to_owned(), 1);
        assert_eq!(
            charged(&rule, &format!(r#""{member}": true"#)),
            expected,
            "{member}"
        );
    }
}

/// Found by a tester: eModal tells when a fee was paid, and in no other way that it was.
#[test]
fn a_day_of_payment_settles_a_fee_where_the_mapping_says_that_it_is_one() {
    let own = "paid_at = \"fee_paid_dttm\"\n";
    let as_status = "status = \"fee_paid_dttm\"\n";
    for (at, amount, defects) in [
        ("\"2026-03-14T17:17:34.294476\"", 0, 0),
        ("\"2026-03-15\"", 0, 0),
        ("null", 450, 0),
        ("\"\"", 450, 0),
        ("\"0001-01-01T00:00:00\"", 450, 0),
        ("\"2026-03-16T00:00:00\"", 450, 1),
        ("\"see clerk\"", 450, 1),
    ] {
        let expected = (format!("Demurrage {amount}"), defects);
        let member = format!(r#""fee_paid_dttm": {at}"#);
        assert_eq!(charged(own, &member), expected, "{at}");
        assert_eq!(charged(as_status, &member), expected, "{at}");
    }
    // A date in another member is none of payment, nor is the day until which it was paid.
    for member in ["state_dttm", "paid_thru_date"] {
        let rule = format!("status = \"{member}\"\n");
        let told = charged(&rule, &format!(r#""{member}": "2026-03-14""#));
        assert_eq!(told, ("Demurrage 450".to_owned(), 1), "{member}");
    }
    // What the status says besides counts.
    for (status, amount, defects) in [("PAID", 0, 0), ("UNPAID", 450, 1), ("PARTIAL", 450, 1)] {
        let members = format!(r#""status": "{status}", "fee_paid_dttm": "2026-03-14""#);
        let expected = (format!("Demurrage {amount}"), defects);
        assert_eq!(charged(own, &members), expected, "{status}");
    }
}

/// What was paid is 0, too: an open fee without its sum would be told as settled.
#[test]
fn a_sum_of_nothing_beside_a_status_of_an_open_fee_is_one_that_is_not_yet_posted() {
    let zero = |rule: &str, members: &str| {
        let entry = format!(r#"[{{"type": "DEMURRAGE", {members}}}]"#);
        told("fees", rule, &entry).0
    };
    for word in ["PENDING", "OPEN", "INVOICED", "UNPAID", "ACCRUING", "R"] {
        for amount in ["0", "0.0", "\"$0.00\"", "\"NONE\"", "\"PAID\""] {
            let members = format!(r#""amount": {amount}, "status": "{word}""#);
            assert_eq!(zero("", &members), ["Demurrage open"], "{members}");
        }
    }
    // What is no word may say so, too.
    for nested in [r#"{"code": "OPEN"}"#, r#"["OPEN"]"#] {
        let members = format!(r#""amount": 0, "status": {nested}"#);
        assert_eq!(zero("", &members), ["Demurrage open"], "{members}");
    }
    let day = "paid_at = \"paid\"\n";
    let ahead = r#""amount": 0, "paid": "2098-03-16""#;
    assert_eq!(zero(day, ahead), ["Demurrage open"]);
    // Who says nothing more says that nothing is owed.
    for members in [
        r#""amount": 0"#,
        r#""amount": 0, "status": """#,
        r#""amount": 0, "status": "PAID""#,
        r#""amount": "NONE", "status": "WAIVED""#,
    ] {
        assert_eq!(zero("", members), ["Demurrage 0"], "{members}");
    }
    let never = r#""amount": 0, "paid": null"#;
    assert_eq!(zero(day, never), ["Demurrage 0"]);
}

#[test]
fn a_sum_under_the_name_of_a_payment_is_none_that_is_owed() {
    for (name, fee) in [
        ("Total paid", "Total open"),
        ("Demurrage - PAID", "Demurrage 0"),
        ("Demurrage paid 11/20/2025", "Demurrage 0"),
        ("Demurrage paid thru 11/20", "Demurrage open"),
        ("Demurrage credit", "Demurrage open"),
        ("Daily storage", "Demurrage open"),
        ("Payment", "Other open"),
        ("Demurrage not paid", "Demurrage 450"),
        ("Payment due", "Other 450"),
        ("Per diem", "Other 450"),
        ("Genset rental", "Other 450"),
    ] {
        let entry = format!(r#"[{{"type": "{name}", "amount": 450}}]"#);
        assert_eq!(told("fees", "", &entry).0, [fee], "{name}");
    }
    // The status says otherwise.
    let entry = r#"[{"type": "Demurrage - PAID", "amount": 450, "status": "OPEN"}]"#;
    assert_eq!(told("fees", "", entry).0, ["Demurrage open"]);
    for name in ["Demurrage pending", "Exam TBD"] {
        let entry = format!(r#"[{{"type": "{name}", "amount": 0}}]"#);
        let (lines, _) = told("fees", "", &entry);
        assert!(lines[0].ends_with(" open"), "{name}: {lines:?}");
    }
}

#[test]
fn what_stands_in_place_of_fees_and_is_no_list_is_told() {
    let (lines, _) = told("fees", "", "true");
    assert_eq!(lines, ["FEES/TRUE", "Other open"]);
    assert_eq!(told("fees", "", "false").0, ["all"]);
}

#[test]
fn an_object_in_place_of_a_sum_is_told_and_empties_no_list() {
    let rule = "[fees.amounts]\ndemurrage = \"demurrage\"\n";
    let mapping = format!(
        "id = \"pier\"\nprotocol = \"terminal-table\"\nterminal = \"USOAK-Z985\"\n[format]\nkind = \"json\"\n\
         [columns]\ncontainer = \"box\"\nfees = \"list\"\n[fees]\nname = \"type\"\n{rule}"
    );
    let profile = Profile::parse(&mapping).unwrap();
    for (members, lines) in [
        (
            r#""list": [], "demurrage": {"amount": 450, "currency": "USD"}"#,
            vec!["FEE/DEMURRAGE/AN OBJECT"],
        ),
        (
            r#""list": [{"type": "EXAM", "amount": 300}], "demurrage": [450]"#,
            vec!["fee Exam 300", "FEE/DEMURRAGE/A LIST"],
        ),
        (r#""list": [], "demurrage": null"#, vec!["all"]),
    ] {
        let file = format!(r#"[{{"box": "QSDU1000014", {members}}}]"#);
        let parsed = parse(&profile, file.as_bytes(), received_at(), &gazetteer());
        let reports = parsed.reports.into_iter().map(|located| located.report);
        let told = reports.map(|report| match report.value {
            Some(Value::Fee(fee)) => format!("fee {}", owed(&fee)),
            Some(Value::Fees(_)) => "all".to_owned(),
            _ => report.original,
        });
        assert_eq!(told.collect::<Vec<_>>(), lines, "{members}");
    }
}

/// Customs lifts its hold when it has seen what the exam found, which may be days later.
#[test]
fn an_exam_that_is_over_ends_no_hold() {
    let rule = "status = \"state\"\n";
    for (name, state) in [
        ("CUSTOMS EXAM", "COMPLETED"),
        ("CUSTOMS EXAM", "Complete"),
        ("CUSTOMS EXAM", "DONE"),
        ("INTENSIVE EXAM HOLD", "FINISHED"),
        ("CUSTOMS EXAM", "PASSED"),
        ("VACIS", "COMPLETED"),
        ("X-RAY", "CLOSED"),
        ("CBP TAILGATE", "ENDED"),
        ("CUSTOMS EXAM", "APPROVED"),
        ("CUSTOMS", "EXAM COMPLETED"),
    ] {
        let entry = format!(r#"[{{"type": "{name}", "state": "{state}"}}]"#);
        for complete in ["", "complete = true\n"] {
            let (lines, defects) = told("holds", &format!("{rule}{complete}"), &entry);
            let held = lines.last().is_some_and(|line| line.contains(name));
            assert!(
                held && !lines[0].starts_with('-'),
                "{name} {state}: {lines:?}"
            );
            assert_eq!(defects.len(), 1, "{name} {state}: {defects:?}");
        }
    }
    let member = r#"[{"type": "CUSTOMS", "examStatus": "COMPLETED"}]"#;
    let (lines, _) = told("holds", "status = \"examStatus\"\n", member);
    assert_eq!(lines, ["+ Customs (CUSTOMS)"]);
    for text in [
        "CUSTOMS HOLD - EXAM COMPLETED",
        "CUSTOMS EXAM COMPLETED",
        "CUSTOMS EXAM: DONE",
    ] {
        let (lines, _) = told("holds", "", &format!(r#"["{text}"]"#));
        assert_eq!(lines, [format!("+ Customs ({text})")], "{text}");
    }
    for state in [
        "RELEASED",
        "CLEARED",
        "LIFTED",
        "REMOVED",
        "CANCELLED",
        "NOT REQUIRED",
        "INACTIVE",
    ] {
        let entry = format!(r#"[{{"type": "CUSTOMS EXAM", "state": "{state}"}}]"#);
        let (lines, defects) = told("holds", rule, &entry);
        assert_eq!(lines, ["- Customs (CUSTOMS EXAM)"], "{state}");
        assert!(defects.is_empty(), "{state}: {defects:?}");
    }
    // The mapping knows better.
    let words = format!("{rule}[words]\nreleased = [\"COMPLETED\"]\n");
    let entry = r#"[{"type": "CUSTOMS EXAM", "state": "COMPLETED"}]"#;
    assert_eq!(told("holds", &words, entry).0, ["- Customs (CUSTOMS EXAM)"]);
}

#[test]
fn a_record_with_more_holds_or_fees_than_any_box_has_is_told_and_ends_none() {
    let holds = |count: usize, state: &str| {
        let one = |at| format!(r#"{{"type": "USDA {at}", "status": "{state}"}}"#);
        let all: Vec<String> = (0..count).map(one).collect();
        format!("[{}]", all.join(","))
    };
    let rule = "complete = true\n";
    let (lines, defects) = told("holds", rule, &holds(256, "HOLD"));
    assert_eq!((lines.len(), defects.len()), (257, 0));
    let (lines, defects) = told("holds", rule, &holds(257, "HOLD"));
    assert_eq!((lines.len(), defects.len()), (256, 1));
    assert!(lines.iter().all(|line| line.starts_with('+')), "{lines:?}");
    assert!(defects[0].contains("256"), "{defects:?}");
    // What is left out may be in force under the same name.
    let (lines, defects) = told("holds", rule, &holds(257, "RELEASED"));
    assert_eq!((lines.len(), defects.len()), (0, 1), "{lines:?}");

    let fees = |count: usize, sum: usize| {
        let one = |at| format!(r#"{{"type": "Exam {at}", "amount": {sum}}}"#);
        let all: Vec<String> = (0..count).map(one).collect();
        format!("[{}]", all.join(","))
    };
    let (lines, defects) = told("fees", rule, &fees(256, 5));
    assert_eq!((lines.len(), defects.len()), (257, 0));
    let (lines, defects) = told("fees", rule, &fees(257, 5));
    assert_eq!((lines.len(), defects.len()), (256, 1));
    assert_eq!(lines[0], "Exam 5");
    assert!(defects[0].contains("256"), "{defects:?}");
    let (lines, defects) = told("fees", rule, &fees(257, 0));
    assert_eq!((lines.len(), defects.len()), (0, 1), "{lines:?}");
    let texts = vec!["Exam $5.00"; 257].join("; ");
    let (lines, defects) = told("fees", rule, &format!("[\"{texts}\"]"));
    assert_eq!((lines, defects.len()), (vec!["Exam 5".into()], 1));
}

/// Of a text of megabytes only the beginning is kept.
#[test]
fn a_list_in_a_text_that_is_cut_off_ends_none() {
    let rule = "complete = true\n";
    let padded = |end: &str| format!("\"{}{end}\"", "USDA HOLD 1; ".repeat(19));
    let (lines, defects) = told("holds", rule, &padded(""));
    assert_eq!((lines.len(), defects.len()), (2, 0), "{lines:?}");
    for end in ["CUSTOMS HOLD", "FREIGHT RELEASED; CUSTOMS HOLD"] {
        let (lines, defects) = told("holds", rule, &padded(end));
        assert!(lines.iter().all(|line| line.starts_with('+')), "{lines:?}");
        assert_eq!(defects.len(), 1, "{defects:?}");
        assert!(defects[0].contains("255"), "{defects:?}");
    }
    let padded = |end: &str| format!("\"{}{end}\"", "TMF $34.21; ".repeat(20));
    for end in ["Demurrage $450.00 PAID", "Demurrage PAID thru 11/20"] {
        let (lines, defects) = told("fees", rule, &padded(end));
        assert_eq!(lines, ["Other 34.21", "Demurrage open"], "{end}");
        assert_eq!(defects.len(), 1, "{defects:?}");
    }
}

/// Found by a tester: they folded into one hold that nobody had told, and it took the others away.
#[test]
fn what_names_no_hold_is_none_and_says_what_is_missing() {
    for (entries, says) in [
        (
            r#"{"customs": false, "freight": false}"#,
            "customs, freight",
        ),
        (r#"{"customs": "Y", "freight": null}"#, "[holds.flags]"),
        (r#"[{"code": "CUS"}, {"code": "LINE"}]"#, "code"),
        (r#"[{"code": "CUS"}]"#, "\"type\""),
        ("[{}]", "\"type\""),
        ("[null]", "\"type\""),
        ("[true]", "\"type\""),
    ] {
        for rule in ["complete = true\n", ""] {
            let (lines, defects) = told("holds", rule, entries);
            assert!(lines.is_empty(), "{entries}: {lines:?}");
            assert_eq!(defects.len(), 1, "{entries}: {defects:?}");
            assert!(defects[0].contains(says), "{entries}: {defects:?}");
            assert!(
                defects[0].starts_with("record 1.list: ") || defects[0].contains(".list: "),
                "{defects:?}"
            );
        }
    }
    // What has a name beside it is told, and takes nothing away.
    let some = r#"[{"code": "CUS"}, {"type": "USDA"}, {"type": "TMF", "status": "RELEASED"}]"#;
    let (lines, defects) = told("holds", "complete = true\n", some);
    assert_eq!(lines, ["+ Usda (USDA)", "- Tmf (TMF)"]);
    assert_eq!(defects.len(), 1, "{defects:?}");
    // A list of codes names them.
    let (lines, defects) = told(
        "holds",
        "complete = true\n[words.holds]\n\"7\" = \"usda\"\n",
        r#"[7, "CUSTOMS"]"#,
    );
    assert_eq!(lines, ["all", "all Customs (CUSTOMS)", "all Usda (7)"]);
    assert!(defects.is_empty(), "{defects:?}");
}

#[test]
fn a_hold_that_lost_only_its_name_stays_one_until_it_is_released() {
    let entries = r#"[{"status": "ACTIVE", "description": "entry missing"},
        {"type": null, "status": "ACTIVE", "description": "unpaid"},
        {"type": "", "status": "RELEASED", "description": "exam"}, {"type": "TMF"}]"#;
    let (lines, defects) = told("holds", "complete = true\n", entries);
    let told = [
        "+ Other (unnamed: entry missing)",
        "+ Other (unnamed: unpaid)",
        "+ Tmf (TMF)",
    ];
    assert_eq!(lines, told);
    assert_eq!(defects.len(), 1, "{defects:?}");
    assert!(defects[0].contains("\"type\""), "{defects:?}");
}

#[test]
fn what_names_no_fee_is_none_and_what_has_a_sum_is_one_that_clears_nothing() {
    for (entries, says) in [
        (r#"{"demurrage": 120, "exam": 0}"#, "[fees.amounts]"),
        (r#"{"demurrage": "$120.00"}"#, "[fees.amounts]"),
        (r#"[{"code": "DEM"}]"#, "code"),
        ("[{}]", "\"type\""),
        (r#"[{"currency": "USD"}]"#, "\"type\""),
        ("[null]", "\"type\""),
    ] {
        for rule in ["complete = true\n", ""] {
            let (lines, defects) = told("fees", rule, entries);
            assert!(lines.is_empty(), "{entries}: {lines:?}");
            assert_eq!(defects.len(), 1, "{entries}: {defects:?}");
            assert!(defects[0].contains(says), "{entries}: {defects:?}");
        }
    }
    let entries =
        r#"[{"amount": 120}, {"amount": 80, "status": "PAID"}, {"type": "EXAM", "amount": 300}]"#;
    let (lines, defects) = told("fees", "complete = true\n", entries);
    assert_eq!(lines, ["Other 120", "Exam 300"]);
    assert_eq!(defects.len(), 1, "{defects:?}");
    // A list of texts names them.
    let (lines, defects) = told("fees", "", r#"["Demurrage $120.00", "EXAM PAID"]"#);
    assert_eq!(lines, ["Demurrage 120", "Exam 0"]);
    assert!(defects.is_empty(), "{defects:?}");
}
