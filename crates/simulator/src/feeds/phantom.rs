//! Moves that never were: told by one feed by mistake, and taken back by it.

use jiff::SignedDuration;

use super::Feed;
use super::tell::{LATE, Mark, Told, not_midnight, telling};
use super::way::{Act, Happening, Purpose, Way};
use crate::dice::Dice;
use crate::world::places::Place;
use crate::world::voyage::Mode;

/// Feeds of a thousand that make such a mistake.
const RETRACTED: u32 = 250;
const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// What some feed tells by mistake and takes back: moves that never were. The word that takes it back comes
/// before what it takes back now and then.
pub(super) fn tell(way: &Way, voices: &[Feed], dice: &mut Dice, told: &mut Told) {
    let ours = |h: &&Happening| !h.foreign;
    let landing = way.happenings.iter().filter(ours).rfind(|h| {
        h.act == Act::Discharge && h.mode == Mode::Vessel && h.purpose == Purpose::Import
    });
    let Some(landing) = landing else { return };
    let by_rail = way.happenings.iter().any(|h| h.mode == Mode::Rail);
    let delivered = way.happenings.iter().any(|h| h.act == Act::Deliver);
    let elsewhere = Place::of(if landing.place.code == "USSAV" {
        "USNYC"
    } else {
        "USSAV"
    });
    let missed = way
        .dropped
        .iter()
        .find(|h| h.act == Act::Depart && h.mode == Mode::Vessel);
    for feed in voices.iter().copied() {
        let never = match feed {
            Feed::LineNext if !delivered => Happening {
                act: Act::Deliver,
                mode: Mode::Truck,
                facility: "CLOC",
                terminal: None,
                ship: None,
                call: None,
                at: landing.at + HOUR * 20,
                ..landing.clone()
            },
            Feed::Quay => Happening {
                place: elsewhere.unwrap_or(landing.place),
                terminal: None,
                at: landing.at - HOUR * 60,
                ..landing.clone()
            },
            Feed::Ramp if !by_rail => Happening {
                act: Act::Load,
                mode: Mode::Rail,
                facility: "RAMP",
                terminal: None,
                ship: None,
                at: landing.at + HOUR * 16,
                ..landing.clone()
            },
            Feed::Hub => match missed {
                Some(missed) if way.scenario == "rolled" => Happening {
                    act: Act::Load,
                    at: missed.at - HOUR * 5,
                    ..missed.clone()
                },
                _ => continue,
            },
            _ => continue,
        };
        if !dice.per_mille(RETRACTED) {
            continue;
        }
        let issued_at = never.at + dice.minutes(20, 4 * 60);
        // Happenings have other numbers: it is a document of its own.
        let mut said = telling(feed, way.happenings.len() + 1, &never, issued_at, dice);
        said.right = false;
        said.at = not_midnight(said.at, said.place.clock());
        let mut back = said.clone();
        back.mark = Mark::TakesBack;
        back.issued_at = said.issued_at + dice.minutes(3 * 60, 40 * 60);
        back.received_at = back.issued_at + SignedDuration::from_mins(3);
        if dice.per_mille(LATE) {
            said.received_at = back.received_at + dice.minutes(5, 10 * 60);
        }
        told.tally.taken_back += 1;
        told.tellings.extend([said, back]);
    }
}
