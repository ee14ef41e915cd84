//! A status to the claims it makes.

use domain::container::{Hold, HoldName, HoldStatus, LastFreeDay, LfdOwner};
use domain::report::{
    Classifier, Doubt, FacilityType, Mode, MoveHint, Place, SourceKind, Value, Verb, ZoneSource,
};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::code::{By, Says};
use super::desk::{Desk, Draft, Fault};
use super::profile::Sender;
use super::route::Role;
use super::time::Clock;
use crate::free_day::free_day;
use crate::hold_words;

/// A status with everything around it.
pub(super) struct Status<'s> {
    /// What it says; none for a code in no table.
    pub(super) says: Option<Says>,
    /// Box, place, vessel and numbers are set; verb, time and value are not.
    pub(super) draft: Draft,
    pub(super) clock: Option<Clock>,
    /// The part that its place plays in the way the message tells.
    pub(super) role: Option<Role>,
    /// Everything that may say what kind of hold is meant.
    pub(super) words: &'s str,
    /// Free text alone, which names the one hold that is released.
    pub(super) text: &'s str,
}

impl Desk<'_> {
    /// The claims of a status: one, but for releases of several holds.
    pub(super) fn claims(&self, status: Status<'_>) -> Result<Vec<Draft>, Fault> {
        let Status {
            says,
            mut draft,
            clock,
            role,
            words,
            text,
        } = status;
        let Some(says) = says else {
            draft.report.doubts.push(Doubt::Unmapped);
            return self.dated(draft, clock).map(|draft| vec![draft]);
        };
        if let Says::Released(names) = says {
            return self.releases(&draft, clock.as_ref(), names, words, text);
        }
        // A hold is described in free text where there is any.
        let about = if text.is_empty() { words } else { text };
        self.meant(&mut draft, says, role, about);
        let told_day = matches!(says, Says::LastFreeDay | Says::PastFreeDay);
        let Some(clock) = clock else {
            return self.dated(draft, None).map(|draft| vec![draft]);
        };
        let ends = clock.ends;
        let mut draft = self.dated(draft, Some(clock))?;
        if told_day {
            self.free_day(&mut draft, says == Says::PastFreeDay, ends);
        }
        if says == Says::Appointment {
            let at = draft.report.occurred.as_ref().map(|occurred| occurred.at);
            draft.report.value = at.map(Value::Appointment);
        }
        Ok(vec![draft])
    }

    fn dated(&self, mut draft: Draft, clock: Option<Clock>) -> Result<Draft, Fault> {
        self.date(&mut draft, clock.ok_or("there is no time")?)?;
        Ok(draft)
    }

    fn meant(&self, draft: &mut Draft, says: Says, role: Option<Role>, words: &str) {
        let report = &mut draft.report;
        report.verb = match says {
            Says::Moved(verb, _) | Says::MovedAs(verb, ..) => verb,
            Says::Expected(Verb::Depart) => Verb::Depart,
            Says::Expected(_) => Verb::Arrive,
            Says::Returned => Verb::GateIn,
            Says::Free => Verb::Available,
            Says::NotFree => Verb::NotAvailable,
            Says::LastFreeDay | Says::PastFreeDay => Verb::LastFreeDay,
            Says::Held(..) => Verb::HoldSet,
            Says::Released(_) | Says::Lifted(_) => Verb::HoldClear,
            Says::Appointment | Says::OtherAppointment => Verb::Appointment,
            Says::Sealed => Verb::SealChange,
            Says::LoadCancelled | Says::Document => Verb::Document,
        };
        match says {
            Says::Moved(verb, by) => self.moved(draft, verb, by, role),
            Says::MovedAs(verb, by, laden) => {
                draft.laden(Some(laden));
                self.moved(draft, verb, by, role);
            }
            Says::Returned => {
                let laden = draft.report.equipment.as_ref().and_then(|e| e.laden);
                draft.laden(Some(laden.unwrap_or(false)));
                self.moved(draft, Verb::GateIn, By::Untold, role);
            }
            // At the shipper's end goods are collected, too.
            Says::Free | Says::NotFree if matches!(role, Some(Role::Receipt | Role::Lading)) => {
                draft.report.verb = Verb::Document;
            }
            Says::Expected(verb) => {
                draft.report.classifier = Classifier::Estimated;
                let by = if verb == Verb::Depart {
                    By::Sea
                } else {
                    By::Place
                };
                self.moved(draft, verb, by, role);
            }
            Says::Held(name, status, text) => {
                let told = Some(words.trim()).filter(|words| !words.is_empty());
                draft.report.value = Some(Value::Hold(Hold {
                    name,
                    status,
                    description: match (text, told) {
                        (Some(text), Some(told)) => Some(format!("{text}: {told}")),
                        (text, told) => text.or(told).map(str::to_owned),
                    },
                }));
            }
            Says::Lifted(description) => {
                draft.report.value = Some(Value::Lifted(HoldName::Other, description.to_owned()));
            }
            Says::LoadCancelled => draft.report.value = Some(Value::LoadCancelled),
            _ => {}
        }
    }

    fn moved(&self, draft: &mut Draft, verb: Verb, by: By, role: Option<Role>) {
        let report = &mut draft.report;
        let inland = report
            .place
            .locode
            .is_some_and(|l| self.known().is_off_the_sea(l));
        let told = report.leg.mode;
        let where_it_goes = matches!(role, Some(Role::Delivery | Role::Destination)) && !inland;
        let happened = report.classifier == Classifier::Actual;
        // A train or a truck, to a ramp, a yard or the door: the place does not say which.
        let is_unsaid = where_it_goes && happened;
        // Nor does a town that is in no table, and has no part in the way.
        let is_nowhere = report.place.locode.is_none() && report.place != Place::default();
        let is_unsaid = is_unsaid || (is_nowhere && role.is_none());
        if by == By::Place && told.is_none() && is_unsaid {
            report.verb = Verb::Document;
            return;
        }
        report.leg.mode = match by {
            By::Mode(mode) => Some(mode),
            // Railroads have been seen to say "vessel arrived" of a train at a ramp.
            By::Sea if inland => Some(Mode::Rail),
            By::Sea => Some(told.unwrap_or(Mode::Vessel)),
            By::Place => told.or(Some(match role {
                _ if inland => Mode::Rail,
                Some(Role::Delivery | Role::Destination) => Mode::Truck,
                _ => Mode::Vessel,
            })),
            By::Door => {
                report.place.facility_type = Some(FacilityType::CustomerLocation);
                Some(Mode::Truck)
            }
            By::Untold => told,
        };
        if matches!(report.leg.mode, Some(Mode::Rail | Mode::Truck)) {
            (report.leg.vessel_imo, report.leg.vessel_name) = (None, None);
        }
        let by_line = matches!(report.source_kind, SourceKind::X12_315 | SourceKind::Iftsta)
            && matches!(self.profile.sender, None | Some(Sender::Line));
        let role = match role {
            // Of a railroad, it is the end of its own way.
            Some(Role::Delivery) if !(by_line && happened) => Some(Role::Destination),
            role => role,
        };
        report.move_hint = report.move_hint.or(hint(verb, report.leg.mode, role));
        let empty = report
            .equipment
            .as_ref()
            .is_some_and(|e| e.laden == Some(false));
        // What leaves an inland ramp laden by its gate came by train from the sea.
        let laden = report
            .equipment
            .as_ref()
            .is_some_and(|e| e.laden == Some(true));
        if report.source_kind == SourceKind::X12_322 && verb == Verb::GateOut && inland && laden {
            report.move_hint = report.move_hint.or(Some(MoveHint::Import));
        }
        let abroad = matches!(role, Some(Role::Receipt | Role::Lading));
        let returned = report.original.ends_with("/RD") || report.original.ends_with("/82");
        if returned && empty && !abroad {
            report.move_hint = Some(MoveHint::Import);
        }
    }

    fn releases(
        &self,
        draft: &Draft,
        clock: Option<&Clock>,
        names: &[HoldName],
        words: &str,
        text: &str,
    ) -> Result<Vec<Draft>, Fault> {
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        let named = |name, description: Option<&str>| {
            Value::Hold(Hold {
                name,
                status: HoldStatus::Hold,
                description: description.map(str::to_owned),
            })
        };
        let values: Vec<Option<Value>> = match names {
            [] => {
                let taken_for = hold_words::named_in(words);
                let told = text.map(|text| Value::Release(taken_for, text.to_owned()));
                vec![told.or_else(|| taken_for.map(|name| named(name, None)))]
            }
            // Such a release is of one hold of several, which only the text tells.
            [HoldName::Other] => vec![Some(named(HoldName::Other, text))],
            names => names.iter().map(|name| Some(named(*name, None))).collect(),
        };
        let mut releases = Vec::with_capacity(values.len());
        for value in values {
            let mut draft = draft.clone();
            draft.report.verb = Verb::HoldClear;
            draft.report.value = value;
            releases.push(self.dated(draft, clock.cloned())?);
        }
        Ok(releases)
    }

    /// The day of the status is the value, the one that `ends` with it where its time is 24:00; whose day it is depends on
    /// who says it.
    fn free_day(&self, draft: &mut Draft, past: bool, ends: Option<Date>) {
        let here = self.here(draft);
        let report = &mut draft.report;
        let Some(told) = &report.occurred else { return };
        let owner = match self.profile.sender {
            Some(Sender::Line) => LfdOwner::Line,
            Some(Sender::Railroad) => LfdOwner::Rail,
            None if report.source_kind == SourceKind::X12_322 => LfdOwner::Rail,
            Some(Sender::Terminal) | None => LfdOwner::Terminal,
        };
        let here = here.filter(|(_, found)| *found != ZoneSource::Unknown);
        let here = here.map(|(zone, _)| zone);
        let date = ends.unwrap_or_else(|| free_day(told.local, told.at, here.as_ref()));
        let zone = here.as_ref().and_then(TimeZone::iana_name);
        let zone = zone.map(str::to_owned);
        report.value = Some(Value::LastFreeDay(owner, LastFreeDay { date, zone }));
        if past {
            report.doubts.push(Doubt::Derived);
        }
    }
}

/// What the part of the place in the way says about the purpose of a move.
fn hint(verb: Verb, mode: Option<Mode>, role: Option<Role>) -> Option<MoveHint> {
    let aboard = matches!(
        verb,
        Verb::Load | Verb::Discharge | Verb::Arrive | Verb::Depart | Verb::Berth
    );
    let landed = matches!(verb, Verb::Arrive | Verb::Discharge);
    let gate = matches!(verb, Verb::GateIn | Verb::GateOut);
    match role? {
        Role::Transshipment if gate || (aboard && mode == Some(Mode::Vessel)) => {
            Some(MoveHint::Transshipment)
        }
        Role::Hub if matches!(verb, Verb::Load | Verb::Depart) && mode == Some(Mode::Vessel) => {
            Some(MoveHint::Transshipment)
        }
        // The message says that it goes on from here, whatever ship brought it.
        Role::Interim | Role::Hub if gate || (landed && mode == Some(Mode::Vessel)) => {
            Some(MoveHint::Onward)
        }
        Role::Receipt | Role::Lading if gate => Some(MoveHint::Export),
        Role::Delivery if gate || (landed && mode == Some(Mode::Rail)) => Some(MoveHint::Delivery),
        Role::Discharge | Role::Destination if gate => Some(MoveHint::Import),
        _ => None,
    }
}
