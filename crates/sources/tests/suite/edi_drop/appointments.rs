//! What a trucker says of collecting: what lies ready, and appointments (element 1652).

use domain::report::{Doubt, Verb};

use super::{read, x12_file};
use crate::told::gazetteer;

/// What follows from a status (AT7-01 to 03), and whether its code is in no table.
fn told(references: &str, at7: &str, town: &str) -> (Verb, bool) {
    let set = format!(
        "B10*PRO77*SHIP7*QSET
         L11*QSDU2000111*EQ
         {references}
         LX*1
         AT7*{at7}**20260310*0700*LT
         MS1*{town}*US"
    );
    let parsed = read(&x12_file("214", &set), &gazetteer());
    assert!(parsed.defects.is_empty(), "{:?}", parsed.defects);
    let [only] = parsed.reports.as_slice() else {
        panic!("{at7}: {} reports", parsed.reports.len());
    };
    let report = &only.report;
    (report.verb, report.doubts.contains(&Doubt::Unmapped))
}

const BILL: &str = "L11*QSEB300*BM";
const BOOKING: &str = "L11*QSEK300*BN";

/// Found by a tester: what lay ready at the consignee's was told as available for pickup.
#[test]
fn what_lies_ready_where_no_terminal_stands_is_nobodys_to_fetch() {
    let ready = |references, town| told(references, "AV*NS*", town).0;
    assert_eq!(ready(BILL, "VISALIA*CA"), Verb::Document);
    assert_eq!(ready(BILL, "OAKLAND*CA"), Verb::Available);
    assert_eq!(ready(BILL, "SAN PEDRO*CA"), Verb::Available);
    assert_eq!(ready(BILL, "CHICAGO*IL"), Verb::Available, "a ramp");
    assert_eq!(ready(BOOKING, "CHICAGO*IL"), Verb::Document, "a shipper's");
}

/// Found by a reviewer: what lay ready at a ramp whose town is no place of the tables was a document.
#[test]
fn what_lies_ready_in_the_town_of_a_ramp_is_available() {
    for town in [
        "CICERO*IL",
        "FAIRBURN*GA",
        "AUSTELL*GA",
        "RICKENBACKER*OH",
        "COMMERCE*CA",
        "CARSON*CA",
        "DUPO*IL",
        "LA PORTE*TX",
    ] {
        assert_eq!(told(BILL, "AV*NS*", town).0, Verb::Available, "{town}");
        assert_eq!(told(BILL, "**AA", town).0, Verb::Appointment, "{town}");
        assert_eq!(told(BOOKING, "AV*NS*", town).0, Verb::Document, "{town}");
    }
    for town in ["CICERO*NY", "FAIRBURN*", "CARSON*WA"] {
        assert_eq!(told(BILL, "AV*NS*", town).0, Verb::Document, "{town}");
    }
}

/// Found by a reviewer: an exporter's door in a port town was a terminal, where an import is collected.
#[test]
fn under_a_booking_alone_nobody_collects_an_import_in_a_port() {
    let both = format!("{BILL}\n{BOOKING}");
    for town in ["HOUSTON*TX", "OAKLAND*CA", "SAN PEDRO*CA", "JERSEY CITY*NJ"] {
        for (at7, of_import) in [
            ("**AA", Verb::Appointment),
            ("**XA", Verb::Appointment),
            ("AV*NS*", Verb::Available),
        ] {
            assert_eq!(told(BOOKING, at7, town).0, Verb::Document, "{at7} {town}");
            assert_eq!(told(BILL, at7, town).0, of_import, "{at7} {town}");
            assert_eq!(told(&both, at7, town).0, of_import, "{at7} {town}");
            assert_eq!(told("", at7, town).0, of_import, "{at7} {town}");
        }
    }
}

/// Found by a tester: the appointment at an exporter's mill was one to collect the box.
#[test]
fn an_appointment_to_collect_is_one_at_a_terminal() {
    for code in ["AA", "XA"] {
        let at7 = format!("**{code}");
        let verb = |references, town| told(references, &at7, town);
        assert_eq!(verb(BILL, "OAKLAND*CA"), (Verb::Appointment, false));
        assert_eq!(verb(BILL, "CHICAGO*IL"), (Verb::Appointment, false));
        assert_eq!(verb(BOOKING, "VISALIA*CA"), (Verb::Document, false));
        assert_eq!(verb(BOOKING, "CHICAGO*IL"), (Verb::Document, false));
    }
}

/// Found by a tester: seven of nine codes of appointments vanished.
#[test]
fn no_code_of_an_appointment_is_passed_over() {
    for code in ["AB", "AC", "ED", "EP", "LD", "LP", "X9"] {
        let at7 = format!("**{code}");
        assert_eq!(
            told(BILL, &at7, "OAKLAND*CA"),
            (Verb::Document, false),
            "{code}"
        );
    }
    assert_eq!(told(BILL, "**QQ", "OAKLAND*CA"), (Verb::Document, true));
}
