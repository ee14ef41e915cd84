//! Status codes to meanings: element 157 of X12, which IFTSTA uses too, element 1650 of the 214, and the words
//! of railroads. A code that is in no table is kept as a document and flagged, never guessed.

use domain::container::{HoldName, HoldStatus};
use domain::report::{Mode, Verb};

/// What a status says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Says {
    /// The box, or what carries it, moved.
    Moved(Verb, By),
    /// The same, and the code tells whether goods were in it.
    MovedAs(Verb, By, bool),
    /// It will.
    Expected(Verb),
    /// It came in through the gate, and is empty unless the equipment says otherwise.
    Returned,
    /// It may be collected.
    Free,
    /// It may not be collected.
    NotFree,
    /// The last free day is the day of the status.
    LastFreeDay,
    /// It was, and counts only where nobody told it in time.
    PastFreeDay,
    /// A hold.
    Held(HoldName, HoldStatus, Option<&'static str>),
    /// Holds that are gone; none named: those that the text names, else all of this sender.
    Released(&'static [HoldName]),
    /// The hold of another kind that is described so is gone.
    Lifted(&'static str),
    /// A pick-up appointment.
    Appointment,
    /// Another appointment.
    OtherAppointment,
    /// Sealed.
    Sealed,
    /// A load that is taken back.
    LoadCancelled,
    /// Papers and moves that are no milestone.
    Document,
}

impl Says {
    /// Whether it is about a ship, which comes to a port alone.
    pub(super) fn is_by_sea(self) -> bool {
        matches!(
            self,
            Self::Moved(_, By::Sea) | Self::MovedAs(_, By::Sea, _) | Self::Expected(Verb::Depart)
        )
    }

    /// Whether it happens at a terminal or yard. What is expected, or comes by something that only its place tells, may come to a
    /// door.
    pub(super) fn is_at_a_terminal(self) -> bool {
        let to_a_door = |by| matches!(by, By::Door | By::Place);
        match self {
            Self::Moved(_, by) | Self::MovedAs(_, by, _) => !to_a_door(by),
            Self::Expected(verb) => verb == Verb::Depart,
            _ => true,
        }
    }
}

/// By what it moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// This, whatever the place is.
    Mode(Mode),
    /// A vessel; a train where no vessel can be.
    Sea,
    /// What comes to such a place.
    Place,
    /// By road, to the door of the customer.
    Door,
    /// Not told.
    Untold,
}

const RAIL: By = By::Mode(Mode::Rail);
const BARGE: By = By::Mode(Mode::Barge);
const TRUCK: By = By::Mode(Mode::Truck);

/// Whose message a code stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tongue {
    /// 315, and IFTSTA with letters.
    Ocean,
    /// 322.
    Ramp,
    /// 214.
    Truck,
}

/// What a code says.
pub(super) fn says(code: &str, tongue: Tongue) -> Option<Says> {
    match tongue {
        Tongue::Truck => of_truck(code),
        Tongue::Ocean | Tongue::Ramp => {
            let ramp = tongue == Tongue::Ramp;
            of_move(code, ramp)
                .or_else(|| of_pickup(code))
                .or_else(|| of_papers(code))
        }
    }
}

fn of_move(code: &str, ramp: bool) -> Option<Says> {
    use Says::{Expected, Moved, MovedAs};
    Some(match code {
        "EE" => MovedAs(Verb::GateOut, By::Untold, false),
        "RD" => MovedAs(Verb::GateIn, By::Untold, false),
        "I" | "GI" => Moved(Verb::GateIn, By::Untold),
        "OA" | "O" => Moved(Verb::GateOut, By::Untold),
        "AE" => Moved(Verb::Load, By::Sea),
        "AP" | "AO" => Moved(Verb::Load, BARGE),
        "AL" => Moved(Verb::Load, RAIL),
        "AM" => Moved(Verb::Load, TRUCK),
        "VD" => Moved(Verb::Depart, By::Sea),
        "VA" => Moved(Verb::Arrive, By::Sea),
        "UV" => Moved(Verb::Discharge, By::Sea),
        "RL" => Moved(Verb::Depart, RAIL),
        "P" if ramp => Moved(Verb::Depart, RAIL),
        "P" => Says::Document,
        "A" if ramp => Moved(Verb::Arrive, RAIL),
        "A" => Moved(Verb::Arrive, By::Place),
        "AR" => Moved(Verb::Arrive, RAIL),
        "UR" => Moved(Verb::Discharge, RAIL),
        "D" => MovedAs(Verb::Dropoff, By::Door, true),
        "X1" => Moved(Verb::Arrive, By::Door),
        "AG" | "E" => Expected(Verb::Arrive),
        "C" => Expected(Verb::Depart),
        _ => return None,
    })
}

/// What the terminal is owed.
const CHARGES: &str = "terminal charges";
/// Of its four codes the second lets the box go, and the fourth does on a condition.
const AGRICULTURE_CANADA: &str = "agriculture canada";

fn of_pickup(code: &str) -> Option<Says> {
    use HoldName::{Customs, Freight, Other, Usda};
    use HoldStatus::{Hold, Pending};
    Some(match code {
        "AV" | "AU" => Says::Free,
        "DN" => Says::NotFree,
        "NF" => Says::LastFreeDay,
        "FT" => Says::PastFreeDay,
        "CR" | "FP" => Says::Released(&[Freight]),
        "CT" => Says::Released(&[Customs]),
        "CU" => Says::Released(&[Freight, Customs]),
        "HR" => Says::Released(&[]),
        "K" => Says::Held(Customs, Pending, None),
        "PA" | "PB" | "PC" | "PD" | "PE" | "PF" | "PG" | "PH" | "PI" | "PJ" | "PK" | "PQ"
        | "PR" | "C1" => Says::Held(Customs, Hold, None),
        "PL" | "PM" | "PN" | "PO" | "PP" | "PS" | "PT" | "PW" | "PX" => {
            Says::Held(Usda, Hold, None)
        }
        "PU" | "PV" => Says::Held(Other, Hold, Some("other agency")),
        "FD" => Says::Held(Freight, Hold, None),
        "TC" => Says::Held(Other, Hold, Some(CHARGES)),
        "NP" => Says::Lifted(CHARGES),
        "A1" | "A3" | "A4" => Says::Held(Other, Hold, Some(AGRICULTURE_CANADA)),
        "A2" => Says::Lifted(AGRICULTURE_CANADA),
        "AA" => Says::Appointment,
        "AD" | "X9" => Says::OtherAppointment,
        _ => return None,
    })
}

fn of_papers(code: &str) -> Option<Says> {
    Some(match code {
        "CS" => Says::Sealed,
        "CA" => Says::LoadCancelled,
        "AW" | "IB" | "BF" | "CO" | "OB" | "SA" | "X6" | "AF" | "J" | "R" | "HG" | "N" | "NR"
        | "B" => Says::Document,
        _ => return None,
    })
}

/// Element 1650.
fn of_truck(code: &str) -> Option<Says> {
    use Says::{Expected, Moved, MovedAs};
    Some(match code {
        "X1" => Moved(Verb::Arrive, By::Door),
        "D1" => MovedAs(Verb::Dropoff, By::Door, true),
        "AG" | "X2" => Expected(Verb::Arrive),
        "AR" => Moved(Verb::Arrive, RAIL),
        "RL" => Moved(Verb::Depart, RAIL),
        "AL" => Moved(Verb::Load, RAIL),
        "UR" => Moved(Verb::Discharge, RAIL),
        "AV" => Says::Free,
        "I1" => Moved(Verb::GateIn, TRUCK),
        "P1" => Moved(Verb::Depart, TRUCK),
        "OA" | "AF" => Moved(Verb::GateOut, TRUCK),
        "DE" => Says::LastFreeDay,
        "X3" | "SD" | "X6" | "CD" | "CP" => Says::Document,
        _ => return None,
    })
}

/// Element 1652: an appointment to collect, asked for or secured; to deliver, and the bounds and estimates of both.
pub(super) fn appointment_of(code: &str) -> Option<Says> {
    Some(match code {
        "AA" | "XA" => Says::Appointment,
        "AB" | "AC" | "ED" | "EP" | "LD" | "LP" | "X9" => Says::Document,
        _ => return None,
    })
}

/// Words of railroads (element 304 in V9) to the code that says the same.
pub(super) fn twin(word: &str) -> Option<&'static str> {
    Some(match word {
        "ALR" | "RAM" => "AL",
        "DRM" => "UR",
        "ARI" | "ARR" => "AR",
        "DFL" => "RL",
        "ICH" => "J",
        "ICR" => "R",
        "IGT" => "I",
        "OGT" => "OA",
        "NOT" => "AV",
        "ETA" | "ERD" => "AG",
        "FTE" => "NF",
        "PAC" | "PCO" => "B",
        _ => return None,
    })
}
