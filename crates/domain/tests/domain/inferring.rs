//! What numbers tell about their lines.

use domain::codes::Scac;
use domain::infer::{
    Clues, Decision, Inference, Mask, NotANumber, NumberForm, Tracked, history_prefix, infer,
};
use domain::shipping_line::ShippingLine;
use domain::tracking_request::NumberKind;
use proptest::prelude::*;

fn scac(code: &str) -> Scac {
    Scac::parse(code).unwrap()
}

fn line(code: &str, bills: &[&str], owned: &[&str]) -> ShippingLine {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    ShippingLine {
        scac: scac(code),
        name: code.into(),
        short_name: code.into(),
        alternative_scacs: vec![],
        bill_of_lading_support: true,
        booking_support: true,
        container_support: true,
        bill_of_lading_prefixes: texts(bills),
        container_owner_prefixes: texts(owned),
        not_provided: None,
    }
}

fn form(code: &str, prefix: &str, rest: &str, percent: u8) -> NumberForm {
    NumberForm {
        scac: scac(code),
        kind: NumberKind::BillOfLading,
        prefix: prefix.into(),
        rest: Mask::parse(rest).unwrap(),
        percent,
    }
}

fn clues() -> Clues {
    Clues {
        lines: vec![
            line("AAAA", &["AAAA"], &["CSQU"]),
            line("BBBB", &[], &["CSQU"]),
        ],
        forms: vec![
            form("AAAA", "AAAA", "999999", 99),
            form("BBBB", "", "999999", 80),
        ],
        lessors: vec!["TCLU".into()],
    }
}

fn tracked(numbers: &[(&str, &str)]) -> Vec<Tracked> {
    let of = |(number, code): &(&str, &str)| Tracked {
        number: (*number).into(),
        scac: scac(code),
    };
    numbers.iter().map(of).collect()
}

fn told(inference: &Inference) -> Vec<(String, u8)> {
    let candidates = inference.candidates.iter();
    candidates
        .map(|one| (one.scac.to_string(), one.percent))
        .collect()
}

fn best(number: &str, past: &[(&str, &str)]) -> (Decision, Vec<(String, u8)>) {
    let inference = infer(number, &clues(), &tracked(past)).unwrap();
    (inference.decision, told(&inference))
}

#[test]
fn what_is_no_number_is_said() {
    for (text, why) in [
        ("", NotANumber::Length),
        (" - / ", NotANumber::Length),
        ("A1", NotANumber::Length),
        ("ABCDEFG", NotANumber::NoDigits),
        ("MSCU66398\u{660}0", NotANumber::Characters),
        ("MSCU6639870;", NotANumber::Characters),
        ("A1B2\0C3", NotANumber::Characters),
        (&"1".repeat(36), NotANumber::Length),
        (&"1".repeat(100_000), NotANumber::Length),
    ] {
        assert_eq!(infer(text, &clues(), &[]), Err(why), "{text:.40}");
    }
}

#[test]
fn the_past_turns_a_guess_into_a_choice_and_never_stands_alone() {
    // Two lines own boxes of this code: neither is chosen.
    let shared = vec![("AAAA".to_owned(), 80), ("BBBB".to_owned(), 80)];
    assert_eq!(
        best("CSQU3054383", &[]),
        (Decision::NeedsConfirmation, shared)
    );
    // A bare number: one like it is a hint, three are enough, three among ten are not.
    let one = [("654321", "BBBB")];
    assert_eq!(
        best("123456", &one).1,
        [("BBBB".to_owned(), 80)],
        "other first digits"
    );
    let one = [("123499", "BBBB")];
    assert_eq!(
        best("123456", &one),
        (Decision::NeedsConfirmation, vec![("BBBB".into(), 90)])
    );
    let three = [("123499", "BBBB"), ("123498", "BBBB"), ("123497", "BBBB")];
    assert_eq!(
        best("123456", &three),
        (Decision::AutoSelect, vec![("BBBB".into(), 95)])
    );
    let mut ten: Vec<(&str, &str)> = three.to_vec();
    ten.extend([("123400", "AAAA"); 7]);
    let (decision, candidates) = best("123456", &ten);
    assert_eq!(decision, Decision::NeedsConfirmation, "{candidates:?}");
    // A lessor's box that always came with one line is still a lessor's box.
    let past = vec![("TCLU4255604", "BBBB"); 500];
    assert_eq!(
        best("TCLU4255625", &past),
        (Decision::NeedsConfirmation, vec![("BBBB".into(), 80)])
    );
    // The same bill is the same line; the same box may sail with another next time.
    assert_eq!(
        best("QUAY-0001", &[("quay0001", "BBBB")]).0,
        Decision::AutoSelect
    );
    assert_eq!(
        best("TCLU4255604", &[("TCLU4255604", "BBBB")]).0,
        Decision::NoPrediction
    );
}

#[test]
fn a_wrong_check_digit_is_told_and_nothing_is_chosen() {
    let past = tracked(&[("CSQU3054383", "AAAA"); 50]);
    let inference = infer("CSQU3054384", &clues(), &past).unwrap();
    assert_eq!(inference.check_digit_fits, Some(false));
    assert_eq!(inference.is_valid, Some(false));
    assert_eq!(inference.number, "CSQU3054384");
    assert_eq!(inference.decision, Decision::NeedsConfirmation);
    assert_eq!(inference.selected(), None);
    assert!(inference.candidates.iter().all(|one| one.percent <= 75));
}

#[test]
fn a_line_that_does_not_answer_to_the_kind_is_not_offered() {
    let mut lines = clues().lines;
    lines[0].bill_of_lading_support = false;
    let told_of = |number: &str| {
        let all = infer(number, &clues(), &[]).unwrap();
        assert_eq!(all.clone().of_lines_that_answer(&clues().lines), all);
        let kept = all.of_lines_that_answer(&lines);
        (kept.decision, told(&kept), kept.reason)
    };
    let why = Some("AAAA does not answer to numbers of this kind.".to_owned());
    assert_eq!(
        told_of("AAAA123456"),
        (Decision::NoPrediction, vec![], why.clone())
    );
    // Nor is another taken for it.
    let past = tracked(&[("AAAA123456", "BBBB")]);
    let inference = infer("AAAA123456", &clues(), &past).unwrap();
    let kept = inference.of_lines_that_answer(&lines);
    assert_eq!(kept.decision, Decision::NeedsConfirmation);
    assert_eq!(kept.selected(), None);
    assert_eq!(told(&kept), [("BBBB".to_owned(), 99)]);
    assert_eq!(kept.reason, why);
    // Boxes it answers to.
    assert_eq!(told_of("CSQU3054383").1.len(), 2);
}

#[test]
fn a_missing_check_digit_is_computed() {
    let inference = infer("csqu 305438", &clues(), &[]).unwrap();
    assert_eq!(inference.number, "CSQU3054383");
    assert_eq!(
        (inference.is_valid, inference.check_digit_fits),
        (Some(true), None)
    );
}

#[test]
fn what_lacks_its_check_digit_and_has_a_gap_is_no_box_for_certain() {
    for text in ["CSQU3054 38", "CSQU30.5438"] {
        let inference = infer(text, &clues(), &[]).unwrap();
        let of_a_box = inference.kind == NumberKind::Container;
        assert!(
            !of_a_box || inference.is_valid == Some(false),
            "{inference:?}"
        );
        assert_eq!(inference.selected(), None, "{text}");
    }
    for whole in [
        "CSQU 305438",
        "CSQU-305438",
        "CSQU\u{a0}305438",
        "CSQU305438\u{a0}",
        "CSQU 305438 3",
        "CSQU 305.438-3",
        "CSQU.305438/3",
    ] {
        let inference = infer(whole, &clues(), &[]).unwrap();
        assert_eq!(inference.is_valid, Some(true), "{whole}: {inference:?}");
    }
}

proptest! {
    /// Bands mean what they say, whatever the number and the past.
    #[test]
    fn bands_are_exact(
        number in "[A-Z]{0,4}[0-9]{3,12}",
        past in prop::collection::vec(("[A-Z]{0,4}[0-9]{3,12}", "(AAAA|BBBB|CCCC)"), 0..12),
    ) {
        let past: Vec<(&str, &str)> =
            past.iter().map(|(number, code)| (number.as_str(), code.as_str())).collect();
        let Ok(inference) = infer(&number, &clues(), &tracked(&past)) else {
            return Ok(());
        };
        let percents: Vec<u8> = inference.candidates.iter().map(|one| one.percent).collect();
        prop_assert!(percents.is_sorted_by(|a, b| a >= b));
        prop_assert!(percents.iter().all(|percent| *percent < 100));
        let best = percents.first().copied().unwrap_or(0);
        match inference.decision {
            Decision::AutoSelect => prop_assert!(best >= 95 && percents.iter().skip(1).all(|p| *p < 70)),
            Decision::NeedsConfirmation => prop_assert!(best >= 70),
            Decision::NoPrediction => prop_assert!(best < 70),
        }
        prop_assert!(inference.number.starts_with(history_prefix(&inference.number)));
    }
}
