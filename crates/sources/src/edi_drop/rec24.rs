//! Status codes of UN Recommendation 24, which IFTSTA writes as numbers.

use domain::container::{HoldName, HoldStatus};
use domain::report::{Mode, Verb};

use super::code::{By, Says};

/// What a number says, and whether it names a transshipment.
pub(super) fn says(code: &str) -> Option<(Says, bool)> {
    use Says::{Held, Moved, MovedAs, Released};
    let rail = By::Mode(Mode::Rail);
    let said = match code {
        "1" => Moved(Verb::Arrive, By::Place),
        "24" | "27" | "127" => Moved(Verb::Depart, By::Place),
        "13" => Moved(Verb::Pickup, By::Untold),
        "21" | "22" => MovedAs(Verb::Dropoff, By::Door, true),
        "48" | "79" | "100" => Moved(Verb::Load, By::Place),
        "29" | "59" => Moved(Verb::Discharge, By::Place),
        "74" => Moved(Verb::GateIn, By::Untold),
        "78" => Released(&[HoldName::Other]),
        "70" => Moved(Verb::Load, rail),
        "26" => Moved(Verb::Discharge, rail),
        "93" => Moved(Verb::Stuff, By::Untold),
        "28" => Moved(Verb::Strip, By::Untold),
        "80" | "82" => Says::Returned,
        "83" => Says::Sealed,
        "12" => Released(&[HoldName::Customs]),
        "17" => Held(HoldName::Customs, HoldStatus::Hold, None),
        "38" => Released(&[HoldName::Freight]),
        "63" => Says::NotFree,
        "64" => Says::Free,
        // 40: at the port, which is no word that its ship came.
        "31" | "40" | "45" | "90" | "91" | "62" | "85" | "86" => Says::Document,
        _ => return None,
    };
    Some((said, matches!(code, "79" | "100")))
}

/// Numbers that say a box went astray: no event, but worth a word.
pub(super) fn is_astray(code: &str) -> Option<&'static str> {
    Some(match code {
        "62" => "overlanded",
        "85" => "shortlanded",
        "86" => "shortshipped",
        _ => return None,
    })
}
