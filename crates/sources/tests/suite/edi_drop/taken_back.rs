//! What a sender takes back, and by what its former word is found.

use super::ways::{events, state};
use super::{edifact_file, x12_file};

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
