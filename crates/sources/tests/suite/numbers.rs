//! What the tables in the binary make of numbers.

use domain::infer::{Decision, infer};
use domain::tracking_request::NumberKind;
use sources::registry::Registry;

use Decision::{AutoSelect, NeedsConfirmation, NoPrediction};
use NumberKind::{BillOfLading, Booking, Container};

/// Number, kind, whether it is valid, decision, first candidate and its percent.
type Row = (
    &'static str,
    NumberKind,
    Option<bool>,
    Decision,
    Option<(&'static str, u8)>,
);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Bills with a prefix and a form of the rest that we know.
    ("MAEU123456789",          BillOfLading, Some(true),  AutoSelect,        Some(("MAEU", 99))),
    ("MEDUAB123456",           BillOfLading, Some(true),  AutoSelect,        Some(("MSCU", 99))),
    ("hlcu sha 2105 abcd1",    BillOfLading, Some(true),  AutoSelect,        Some(("HLCU", 99))),
    ("ONEYSZPV12345600",       BillOfLading, Some(true),  AutoSelect,        Some(("ONEY", 99))),
    ("EGLV123456789012",       BillOfLading, Some(true),  AutoSelect,        Some(("EGLV", 99))),
    ("COSU1234567890",         BillOfLading, Some(true),  AutoSelect,        Some(("COSU", 99))),
    ("OOLU-1234567890",        BillOfLading, Some(true),  AutoSelect,        Some(("OOLU", 99))),
    ("CMDUSHZ1234567",         BillOfLading, Some(true),  AutoSelect,        Some(("CMDU", 99))),
    // A prefix of a line whose forms we do not know; a prefix with a rest that does not fit.
    ("YMLUE123456789",         BillOfLading, None,        AutoSelect,        Some(("YMLU", 96))),
    ("HDMUQSHA12345600",       BillOfLading, None,        AutoSelect,        Some(("HDMU", 96))),
    ("MAEU12345",              BillOfLading, None,        NeedsConfirmation, Some(("MAEU", 85))),
    // The line's code, where no prefix of bills is known.
    ("SMLM1234567",            BillOfLading, None,        NeedsConfirmation, Some(("SMLM", 85))),
    // Forms alone.
    ("123456789",              BillOfLading, None,        NeedsConfirmation, Some(("MAEU", 80))),
    ("123456789012",           BillOfLading, None,        NeedsConfirmation, Some(("EGLV", 75))),
    ("EBKG12345678",           Booking,      None,        NeedsConfirmation, Some(("MSCU", 90))),
    ("1234567890",             BillOfLading, None,        NoPrediction,      Some(("COSU", 60))),
    ("12345678",               Booking,      None,        NoPrediction,      Some(("HLCU", 55))),
    ("SHZ1234567",             BillOfLading, None,        NoPrediction,      Some(("CMDU", 60))),
    ("QUAY00001",              BillOfLading, None,        NoPrediction,      None),
    // Boxes: the owner is a hint, a lessor is none; a missing check digit is computed.
    ("MSCU6639870",            Container,    Some(true),  NeedsConfirmation, Some(("MSCU", 80))),
    ("msku 601167-2",          Container,    Some(true),  NeedsConfirmation, Some(("MAEU", 80))),
    ("MSKU601167",             Container,    Some(true),  NeedsConfirmation, Some(("MAEU", 80))),
    ("TCLU4255604",            Container,    Some(true),  NoPrediction,      None),
    ("CSQU3054383",            Container,    Some(true),  NeedsConfirmation, Some(("HLCU", 80))),
    // A wrong check digit is told, and the guess stays a guess.
    ("MSCU6639871",            Container,    Some(false), NeedsConfirmation, Some(("MSCU", 75))),
    // The line of simulated carriers is never guessed.
    ("TEST1234567",            BillOfLading, None,        NoPrediction,      None),
];

#[test]
fn what_numbers_tell() {
    let registry = Registry::load(&[]).unwrap();
    for (number, kind, valid, decision, first) in TABLE {
        let told = infer(number, registry.clues(), &[]).unwrap();
        let best = told.candidates.first();
        let best = best.map(|one| (one.scac.to_string(), one.percent));
        let first = first.map(|(scac, percent)| (scac.to_owned(), percent));
        assert_eq!(
            (told.kind, told.is_valid, told.decision, best),
            (*kind, *valid, *decision, first),
            "{number}"
        );
        let fits = (*kind == Container && number.len() != 10).then_some(*valid == Some(true));
        assert_eq!(told.check_digit_fits, fits, "{number}");
    }
}
