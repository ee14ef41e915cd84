//! What a 322 says beside the box of chassis, trailers and the like, and which of them are boxes.

use domain::report::Verb;

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
        // Net tons and the service of the train stand there.
        "N7*QSEZ*400123*********CH\nW2*QSEZ*400123**CH*L*QSDU*200011",
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
        format!("{chassis}******QSDU*200011*1"),
        format!("{chassis}*24*2****QSDU*200011"),
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

/// Numbers of the boxes that are told, and whether each is laden; and how many defects there are.
fn laden(segments: &str) -> (Vec<(String, Option<bool>)>, usize) {
    let (reports, defects) = told("322", &format!("{Q5}\n{segments}\n{TAIL}"));
    let said = reports.iter().map(|report| {
        let gear = report.equipment.as_ref();
        assert_eq!(report.verb, Verb::GateIn);
        let place = report.place.locode.map(|place| place.to_string());
        assert_eq!(place.as_deref(), Some("USOAK"), "{segments}");
        (number(report), gear.and_then(|gear| gear.laden))
    });
    (said.collect(), defects)
}

fn said<const N: usize>(boxes: [(&str, Option<bool>); N]) -> (Vec<(String, Option<bool>)>, usize) {
    let each = boxes.map(|(number, laden)| (written(number), laden));
    (each.to_vec(), 0)
}

const A: &str = "QSDU2000111";
const B: &str = "QSDU2000127";

/// Found by a reviewer: a W2 behind the car's N7 named the box of the next N7 that had none.
#[test]
fn what_stands_behind_a_car_is_said_of_the_box_that_it_names() {
    let car = "N7*DTTX*745621*********RR\nW2*QSDU*200011**CN*L";
    let both = "N7*QSDU*200011*********CN\nN7*QSDU*200012*********CN";
    let expected = said([(A, Some(true)), (B, None)]);
    assert_eq!(laden(&format!("{car}\n{both}")), expected);
    assert_eq!(laden(&format!("{both}\n{car}")), expected);
    let chassis = "N7*QSEZ*400123*********CH
        W2*QSDU*200011**CN*L
        N9*BM*QSEB201
        N7*QSEZ*400124*********CH
        W2*QSDU*200012**CN*E
        N9*BM*QSEB202";
    let each = format!("{chassis}\n{both}");
    assert_eq!(laden(&each), said([(A, Some(true)), (B, Some(false))]));
    let (said, defects) = boxes(&each);
    let expected = [(A, "QSEB201"), (B, "QSEB202")];
    let expected = expected.map(|(number, bill)| (written(number), vec![bill.to_owned()]));
    assert_eq!((said, defects), (expected.to_vec(), 0));
    // A reference that names the one is said of no other.
    let referred = format!("N9*EQ*{A}\nN7*QSDU*200012*********CN\nN7*QSDU*200011*********CN");
    let (numbers, defects) = boxes(&referred);
    let numbers: Vec<_> = numbers.into_iter().map(|(number, _)| number).collect();
    assert_eq!((numbers, defects), (vec![written(B), written(A)], 0));
}

/// Nothing is told of a box that only stands beside another, and that is a defect.
#[test]
fn a_box_beside_that_of_an_n7_is_not_passed_over_in_silence() {
    let n7 = "N7*QSDU*200011*********CN\nW2*QSDU*200011**CN*L";
    for other in ["W2*QSDU*200012**CN*E", "N9*EQ*QSDU2000127"] {
        let (told, defects) = laden(&format!("{n7}\n{other}"));
        assert_eq!((told, defects), (vec![(written(A), Some(true))], 1));
    }
    // A check digit that does not fit makes no other box.
    let wrong = "N7*QSDU*200011*********CN*******4\nW2*QSDU*200011**CN*L\nN9*EQ*QSDU2000111";
    let (told, defects) = laden(wrong);
    assert_eq!(
        (told, defects),
        (vec![(written("QSDU2000114"), Some(true))], 0)
    );
    // The state of the one is not that of the other.
    let (told, defects) = laden("N7*QSDU*200011*********CN\nW2*QSDU*200012**CN*E");
    assert_eq!((told, defects), (vec![(written(A), None)], 1));
}

/// Found by a reviewer: of two boxes on one car the second was passed over, and under another code of a car both.
#[test]
fn each_box_on_a_car_is_told() {
    for code in ["RR", "RF", "FC", ""] {
        let car = format!("N7*DTTX*745621*********{code}");
        let two = format!("{car}\nNA***QSDU*200011\nNA***QSDU*200012");
        assert_eq!(laden(&two), said([(A, None), (B, None)]), "{code}");
        let own = format!("{car}\nW2*QSDU*200011**CN*L\nNA***QSDU*200011\nNA***QSDU*200012");
        assert_eq!(laden(&own), said([(A, Some(true)), (B, None)]), "{code}");
        // One of them, with a W2 of the car.
        let one = format!("{car}\nW2*DTTX*745621**{code}*L\nNA***QSDU*200011");
        assert_eq!(laden(&one), said([(A, None)]), "{code}");
    }
    // On a chassis, and that on a car.
    let piled = "N7*DTTX*745621*********RR
        NA***QSDU*200011
        N7*QSEZ*400123*********CH
        NA***QSDU*200011
        N9*BM*QSEB201";
    let (told, defects) = boxes(piled);
    let expected = vec![(written(A), vec!["QSEB201".to_owned()])];
    assert_eq!((told, defects), (expected, 0));
}

/// Found by a reviewer: `NA***NONU*000000`, for a container that nobody knows, was told as a container.
#[test]
fn a_number_that_stands_for_none_is_no_box() {
    let chassis = "N7*QSEZ*400123*********CH";
    for unknown in [
        "NA***NONU*000000",
        "NA***NONU*123456",
        "NA***NONE*000000",
        "NA***QSDU*000000",
        "NA***QSDU*0",
        "NA***NONZ*000000",
        "W2*QSEZ*400123**CH*L******NONU*000000",
        "W2*NONU*000000**CN*L",
        "N9*EQ*NONU0000004",
        "N9*EQ*QSDU0000000",
    ] {
        let (told, defects) = boxes(&format!("{chassis}\n{unknown}"));
        assert_eq!((told.len(), defects), (0, 1), "{unknown}");
        // Nor is what is said of it said of the box before.
        let known = "N7*QSDU*200011*********CN\nN9*BM*QSEB201";
        let after = format!("{known}\n{chassis}\n{unknown}\nN9*BM*QSEB202");
        let (told, defects) = boxes(&after);
        let bills = ["QSEB201", "QSEB202"].map(str::to_owned).to_vec();
        let is_van = unknown.contains("NONZ");
        let expected = if is_van { bills } else { bills[..1].to_vec() };
        assert_eq!(told, [(written(A), expected)], "{unknown}");
        assert_eq!(defects, usize::from(!is_van), "{unknown}");
    }
    for n7 in [
        "N7*NONU*000000*********CN\nW2*NONU*000000**CN*L",
        "N7*NONE*000000*********CN",
        "N7*QSDU*000000*********CN",
        "N7*QSDU*0000000",
    ] {
        assert_eq!(boxes(n7), (Vec::new(), 1), "{n7}");
        let (told, _) = boxes(&format!(
            "N7*QSDU*200011*********CN\nN9*BM*QSEB201\n{n7}\nN9*BM*QSEB202"
        ));
        let expected = (written(A), vec!["QSEB201".to_owned()]);
        assert_eq!(told, [expected], "{n7}");
    }
    // Where the box is named elsewhere, it is that one.
    let named = "N7*NONU*000000*********CN\nW2*QSDU*200011**CN*L";
    assert_eq!(laden(named), said([(A, Some(true))]));
    let filled = format!("{chassis}\nW2*QSEZ*400123**CH*L******NONU*000000\nNA***QSDU*200011");
    assert_eq!(laden(&filled), said([(A, None)]));
    // Of two on a car one is unknown.
    let (told, defects) = laden(&format!("{chassis}\nNA***QSDU*200011\nNA***NONU*000000"));
    assert_eq!((told, defects), (vec![(written(A), None)], 1));
}

/// Found by a reviewer: that goods are in the box was lost where the W2 of its N7 names the car, and the car's own word was taken
/// for the box's.
#[test]
fn the_only_w2_of_a_box_may_name_what_it_stands_on() {
    let n7 = "N7*QSDU*200011*********CN";
    for (w2, expected) in [
        ("W2*TTAX*553311**RR*L", Some(true)),
        ("W2*TTAX*553311**RF*L", Some(true)),
        ("W2*TTAX*553311**RR*E", Some(false)),
        ("W2*QSEZ*400123**CH*L", Some(true)),
        ("W2*QSEZ*400123**CH*L******QSDU*200011", Some(true)),
        ("W2*QSDU*200011**CC*L******QSEZ*400123", Some(true)),
        ("W2*NONU*000000**CN*E", Some(false)),
        ("W2*TTAX*553311**RF*E\nW2*QSDU*200011**CN*L", Some(true)),
        ("W2*QSDU*200011**CN*E\nW2*TTAX*553311**RF*L", Some(false)),
        ("W2*TTAX*553311**RR*L\nW2*QSEZ*400123**CH*L", None),
    ] {
        assert_eq!(laden(&format!("{n7}\n{w2}")), said([(A, expected)]), "{w2}");
    }
    // A car that has an N7 of its own.
    for code in ["RR", "RF"] {
        let car = format!("N7*TTAX*553311*********{code}");
        let w2 = format!("W2*TTAX*553311**{code}*E");
        for order in [
            format!("{car}\n{w2}\n{n7}"),
            format!("{car}\n{n7}\n{w2}"),
            format!("{n7}\n{car}\n{w2}"),
        ] {
            assert_eq!(laden(&order), said([(A, None)]), "{order}");
        }
    }
}

/// Found by a reviewer: a chassis has no seals of its own, and those of the box on it were dropped.
#[test]
fn the_seals_behind_a_chassis_are_those_of_the_one_box_on_it() {
    let seals = |segments: &str| {
        let (reports, _) = told("322", &format!("{Q5}\n{segments}\n{TAIL}"));
        let gear = reports.into_iter().filter_map(|report| report.equipment);
        gear.map(|gear| gear.seals).collect::<Vec<_>>()
    };
    let chassis = "N7*QSEZ*400123*6800*G*******CH\nM7*SEAL77";
    let one = [vec!["SEAL77".to_owned()]];
    assert_eq!(seals(&format!("{chassis}\nNA***QSDU*200011")), one);
    let named = "W2*QSDU*200011**CN*L\nN7*QSDU*200011*********CN";
    assert_eq!(seals(&format!("{chassis}\n{named}")), one);
    let none: [Vec<String>; 2] = [Vec::new(), Vec::new()];
    let two = "NA***QSDU*200011\nNA***QSDU*200012";
    assert_eq!(seals(&format!("{chassis}\n{two}")), none);
    let empty = "N7*QSDU*200011*********CN\nN7*QSEZ*400123*********CH\nM7*SEAL77";
    assert_eq!(seals(empty), [Vec::<String>::new()]);
}
