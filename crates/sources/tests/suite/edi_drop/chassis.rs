//! What a 322 says beside the box of chassis, trailers and the like, and which of them are boxes.

use super::boxes::{number, told, written};

const Q5: &str = "Q5*I*20260310*1030*LT**OAKLAND*CA*US";
const TAIL: &str = "R4*5*UN*USOAK";

fn boxes(segments: &str) -> (Vec<(String, Vec<String>)>, usize) {
    let (reports, defects) = told("322", &format!("{Q5}\n{segments}\n{TAIL}"));
    let said = reports
        .iter()
        .map(|report| (number(report), report.references.bills.clone()));
    (said.collect(), defects)
}

/// Found by a tester: `CZ` was taken for a chassis, and the reefer's bill was given to the box before it.
#[test]
fn a_reefer_is_a_box_of_its_own() {
    let (said, defects) = boxes(
        "N7*QSDU*200011*43459*G*******CN*******1
         W2*QSDU*200011**CN*L
         N9*BM*QSEB201
         N7*QSDU*200012*50000*G*******CZ*******7
         W2*QSDU*200012**CZ*L
         N9*BM*QSEB202",
    );
    assert_eq!(defects, 0);
    let expected = [("QSDU2000111", "QSEB201"), ("QSDU2000127", "QSEB202")];
    let expected = expected.map(|(number, bill)| (written(number), vec![bill.to_owned()]));
    assert_eq!(said, expected);
    let (alone, defects) = boxes("N7*QSDU*200012*********CZ");
    assert_eq!((alone.len(), defects), (1, 0));
}

/// Found by a tester: a chassis was told as a container with an invented check digit.
#[test]
fn what_carries_a_box_is_none() {
    for segments in [
        "N7*QSEZ*400123*********CH\nW2*QSEZ*400123**CH*L",
        "N7*QSEZ*400123*********CB\nW2*QSEZ*400123**CB*E",
        "N7*QSEZ*400123*********TL\nW2*QSEZ*400123**TL*E",
        "N7*QSEZ*400123",
        "N7*QSEZ*400123*********CC\nW2*QSEZ*400123**CH*E",
        "W2*QSEZ*400123**CC*E",
        "N9*EQ*QSEZ400123",
    ] {
        assert_eq!(boxes(segments), (Vec::new(), 1), "{segments}");
    }
}

/// Found by a tester: the box that stands on the chassis was lost.
#[test]
fn the_box_on_a_chassis_is_named_beside_it() {
    let chassis = "N7*QSEZ*400123*********CH\nW2*QSEZ*400123**CH*L";
    for on_it in [
        format!("{chassis}\nN9*EQ*QSDU2000111"),
        format!("N9*EQ*QSEZ400123\n{chassis}\nN9*EQ*QSDU2000111"),
        format!("{chassis}\nNA***QSDU*200011"),
        format!("{chassis}*QSDU*200011"),
    ] {
        let (said, defects) = boxes(&on_it);
        let numbers: Vec<_> = said.into_iter().map(|(number, _)| number).collect();
        assert_eq!(
            (numbers, defects),
            (vec![written("QSDU2000111")], 0),
            "{on_it}"
        );
    }
    // Each with its own.
    let (said, _) = boxes(
        "N7*QSEZ*400123*********CH
         NA***QSDU*200011
         N9*BM*QSEB201
         N7*QSEZ*400124*********CH
         NA***QSDU*200012
         N9*BM*QSEB202",
    );
    let expected = [("QSDU2000111", "QSEB201"), ("QSDU2000127", "QSEB202")];
    let expected = expected.map(|(number, bill)| (written(number), vec![bill.to_owned()]));
    assert_eq!(said, expected);
}
