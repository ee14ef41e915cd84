//! What a sender takes back, and by what its former word is found.

use domain::codes::ContainerNumber;
use domain::report::{Report, Value};
use domain::timeline::container_state;
use domain::trust::Trust;
use jiff::SignedDuration;

use super::ways::{events, state};
use super::{edifact_file, read, received_at, x12_file};
use crate::told::gazetteer;

/// Found by a reviewer: a cancellation whose date is that of the former set took nothing back.
#[test]
fn a_zc1_dates_the_set_that_it_takes_back() {
    let arrival = "Q5*AR*20260310*2330*CT**CHICAGO*IL*US
                   N7*QSDU*200011*43459*G*******CN*******1
                   W2*QSDU*200011**CN*L
                   N9*WY*123456";
    let told = x12_file("322", arrival);
    let cancels = |number: &str| {
        let zc1 = format!("ZC1**QSDU*200011*{number}*20260311*CA*BNSF***1\n{arrival}");
        let taken_back = x12_file("322", &zc1);
        events(&state(&[told.clone(), taken_back]))
    };
    let stands = events(&state(std::slice::from_ref(&told)));
    assert_eq!(stands[0], "rail_arrived USCHI");
    assert_eq!(cancels("123456"), Vec::<String>::new());
    assert_eq!(cancels("999999"), stands);
}

/// A set of a car or chassis is taken back for the boxes on it.
#[test]
fn a_zc1_that_names_a_car_takes_back_what_was_said_of_its_boxes() {
    let arrival = "Q5*AR*20260310*2330*CT**CHICAGO*IL*US
                   N7*DTTX*745621*********RF
                   NA***QSDU*200012
                   NA***QSDU*200011
                   N9*WY*123456";
    let told = x12_file("322", arrival);
    let stands = events(&state(std::slice::from_ref(&told)));
    assert_eq!(stands[0], "rail_arrived USCHI");
    let cancels = |named: &str| {
        let zc1 = format!("ZC1**{named}*123456*20260311*CA*BNSF\n{arrival}");
        let taken_back = x12_file("322", &zc1);
        events(&state(&[told.clone(), taken_back]))
    };
    for named in ["DTTX*745621", "*", "NONU*000000", "QSDU*200011"] {
        assert_eq!(cancels(named), Vec::<String>::new(), "{named}");
    }
    for named in ["QSDU*200012", "DTTX*745622", "QSDU*2000 11"] {
        assert_eq!(cancels(named), stands, "{named}");
    }
}

/// Found by a reviewer: a sender that numbers each message took nothing back.
#[test]
fn a_cancellation_with_a_number_of_its_own_takes_the_same_lift_back() {
    let list = |code: &str, head: &str, time: &str| {
        let list = format!(
            "BGM+{code}+{head}
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             LOC+175+USLAX:139:6
             EQD+CN+QSDU2000111+45G1:102:5++3+5
             LOC+11+USLAX:139:6
             DTM+203:{time}:203"
        );
        edifact_file("COARRI", &list)
    };
    let cancelled = |by: Vec<u8>| events(&state(&[list("98", "D1+9", "202603100800"), by]));
    let stands = ["vessel_discharged USLAX"];
    let time = "202603100800";
    assert_eq!(cancelled(list("98", "D2+1", time)), Vec::<String>::new());
    assert_eq!(cancelled(list("98", "D2+3", time)), Vec::<String>::new());
    assert_eq!(cancelled(list("98", "D2+1", "202603100900")), stands);
    assert_eq!(cancelled(list("44", "D2+1", time)), stands);
}

/// A cancellation claimed anew the departures, arrivals and estimates of the way that stands beside its status.
#[test]
fn a_cancelled_status_takes_the_way_beside_it_back() {
    let gazetteer = gazetteer();
    let file = |head: &str| {
        let status = format!(
            "BGM+23+{head}
             CNI+1+QSEB501
             STS+1+24:8:6
             DTM+334:202603010700:203
             LOC+175+CNSHA:139:6
             TDT+10+014W+1++MSC:172:20+++9074729:146::MSC RUNNER
             LOC+9+CNNGB:139:6
             DTM+186:202602250700:203
             LOC+11+CNSHA:139:6
             DTM+178:202602260700:203
             TDT+20+012E+1++MSC:172:20+++9321483:146::MSC OSCAR
             LOC+9+CNSHA:139:6
             DTM+186:202603010700:203
             LOC+11+USLAX:139:6
             DTM+132:202603160600:203
             EQD+CN+QSDU2000111+45G1:102:5+++5"
        );
        let parsed = read(&edifact_file("IFTSTA", &status), &gazetteer);
        let reports = parsed.reports.into_iter();
        reports
            .map(|located| located.report)
            .collect::<Vec<Report>>()
    };
    // What is only derived counts when nobody tells it directly for some hours.
    let later = received_at() + SignedDuration::from_hours(24);
    let number = ContainerNumber::from_feed("QSDU2000111").unwrap().0;
    let after = |reports: &[Report]| {
        let state = container_state(number, reports, &gazetteer, Trust::USUAL, later);
        let eta = state.journey.port_of_discharge.map(|port| port.to_string());
        (events(&state), eta)
    };
    let told = file("W1+9");
    assert!(!after(&told).0.is_empty());
    assert_eq!(after(&told).1.as_deref(), Some("USLAX"));
    for head in ["W1+1", "W1+3", "W2+1"] {
        let cancels = file(head);
        let withdraws = |report: &Report| matches!(report.value, Some(Value::Withdraws(_)));
        assert!(cancels.iter().all(withdraws), "{head} claims nothing");
        let both = [told.clone(), cancels].concat();
        assert_eq!(after(&both), (Vec::new(), None), "{head}");
    }
}
