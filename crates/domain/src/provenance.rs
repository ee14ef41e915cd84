//! Who said a value, and what else was said.
//!
//! A state says what is held true; this says why. It is not kept anywhere and not worked out by rules of its
//! own: [`timeline::provenance`](crate::timeline::provenance) makes the same decisions as
//! [`timeline::container_state`](crate::timeline::container_state), by the same functions, and writes down what
//! each of them took and what it left. So the two can never tell different stories.

use jiff::SignedDuration;

use crate::container::{LfdOwner, Slot};
use crate::event::EventName;
use crate::report::{Doubt, Precision, Report, SourceKind};

/// What stands behind the state of one container.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Provenance<'a> {
    /// One for each value that anybody said anything about.
    pub backings: Vec<Backing<'a>>,
    /// Claims that a rule put aside, and that would be about no value that stands.
    pub set_aside: Vec<Statement<'a>>,
}

impl<'a> Provenance<'a> {
    /// Takes out what is said about a value, where it is not to be shown.
    pub fn conceal(&mut self, subject: &Subject) {
        self.backings.retain(|one| one.subject != *subject);
    }

    /// What stands behind this value.
    pub fn of(&self, subject: &Subject) -> Option<&Backing<'a>> {
        self.backings.iter().find(|one| one.subject == *subject)
    }
}

/// A value of a container that sources speak about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A milestone: its time, and the terminal, vessel and voyage told with it.
    Milestone(Slot),
    /// A shown estimate.
    Estimate(EventName),
    /// The port of discharge.
    PortOfDischarge,
    /// The inland destination.
    Destination,
    /// The terminal of discharge.
    PodTerminal,
    /// Where the box stands in its life.
    Status,
    /// Size and type.
    SizeType,
    /// Gross mass.
    GrossMass,
    /// Seals.
    Seals,
    /// Whether it may be collected.
    Available,
    /// Holds.
    Holds,
    /// Fees.
    Fees,
    /// Holds at the inland ramp.
    RampHolds,
    /// Fees at the inland ramp.
    RampFees,
    /// The last free day of one owner.
    LastFreeDay(LfdOwner),
    /// The appointment.
    Appointment,
    /// Where in the yard.
    YardLocation,
    /// The chassis.
    Chassis,
    /// When a terminal last told us anything.
    TerminalChecked,
    /// When a railroad last told us anything.
    RailHeard,
    /// The railroad that takes the box from the port.
    PodRailCarrier,
    /// The railroad that brings it inland.
    InlandRailCarrier,
}

/// How a value came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A source said so.
    Reported,
    /// A source said so, and had said otherwise before.
    Corrected,
    /// Told on the side of something else, or following from other values.
    Derived,
    /// A person said so.
    Entered,
}

/// What stands behind one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Backing<'a> {
    /// Which value.
    pub subject: Subject,
    /// How it came about.
    pub basis: Basis,
    /// What it was taken from: one statement, or one for each item of a list. Empty where other values decide.
    pub standing: Vec<Statement<'a>>,
    /// What else was said about it, and why that does not count.
    pub others: Vec<Statement<'a>>,
    /// Values that it follows from.
    pub follows: Vec<Subject>,
    /// Whether its terminal has been silent for a day.
    pub stale: bool,
}

/// Sources that tell times this close to each other agree.
const AGREE_WITHIN: SignedDuration = SignedDuration::from_hours(2);

impl Backing<'_> {
    /// How far a milestone can be relied on, in hundredths: to be shown, never to decide. Two sources that agree
    /// make it sure; else it is as good as the source that stands, and less where somebody contradicts.
    pub fn confidence(&self) -> Option<u8> {
        let stands = self.standing.iter().find(|s| s.gives.contains(&Part::Time));
        let stands = stands.filter(|_| matches!(self.subject, Subject::Milestone(_)))?;
        let sure = match stands.rank {
            _ if is_weak(stands) => 40,
            _ if self.said().any(|other| bears_out(stands, other)) => 100,
            Some(0 | 1) => 90,
            Some(2) => 80,
            _ => 60,
        };
        let doubted = stands.report.doubts.contains(&Doubt::InFuture)
            || self.said().any(|other| other.contradicts);
        Some(if doubted { sure - 20 } else { sure })
    }

    /// What was said of it by anybody and not taken back or set aside.
    fn said(&self) -> impl Iterator<Item = &Statement<'_>> {
        let counts = |s: &&Statement<'_>| {
            matches!(
                s.verdict,
                Verdict::Stands | Verdict::Outranked | Verdict::Coarser | Verdict::Older
            )
        };
        self.standing.iter().chain(&self.others).filter(counts)
    }
}

/// Derived, seen from afar or at a look afterwards, or told as a date.
fn is_weak(statement: &Statement<'_>) -> bool {
    let report = statement.report;
    let time = report.occurred.as_ref();
    report.doubts.contains(&Doubt::Derived)
        || report.is_as_of()
        || report.source_kind == SourceKind::Ais
        || time.is_none_or(|occurred| occurred.precision == Precision::Day)
}

/// Another source tells nearly the same time.
fn bears_out(stands: &Statement<'_>, other: &Statement<'_>) -> bool {
    let time = |s: &Statement<'_>| s.report.occurred.as_ref().map(|occurred| occurred.at);
    let near = time(stands).zip(time(other)).is_some_and(|(a, b)| {
        let apart = a.duration_since(b).abs();
        apart <= AGREE_WITHIN
    });
    near && !is_weak(other) && stands.report.source != other.report.source
}

/// One claim as it bears on one value.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement<'a> {
    /// The claim.
    pub report: &'a Report,
    /// The rank of who makes it, where ranks matter; 1 is best, 0 is a person.
    pub rank: Option<u8>,
    /// Whether it counts, else why not.
    pub verdict: Verdict,
    /// What the value takes from it.
    pub gives: Vec<Part>,
    /// Whether it is so far from the value that both cannot be right.
    pub contradicts: bool,
}

/// What a milestone or an estimate can take from a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its time.
    Time,
    /// The terminal.
    Terminal,
    /// The vessel.
    Vessel,
    /// The voyage.
    Voyage,
}

/// Whether a claim counts for a value, else why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// The value is taken from it.
    Stands,
    /// Says what another said first.
    Repeats,
    /// Another source stands nearer to what happened.
    Outranked,
    /// A bare date, or only when somebody looked, where another knows the time.
    Coarser,
    /// A newer statement counts.
    Older,
    /// Its source said the same thing again otherwise.
    Corrected,
    /// Its source took it back.
    Retracted,
    /// Told on the side, or by a ship's position: somebody tells it directly, or its time has not come.
    Waits,
    /// About another journey of the same box.
    AnotherJourney,
    /// At another port than the rest of the journey says.
    Misplaced,
    /// The box was driven there from the terminal of the discharge.
    SecondTerminal,
    /// Looks like the return of the empty, and the box went on.
    NoReturn,
    /// Expected after it happened, or before something it must follow.
    Overtaken,
    /// Said of a time after the collection.
    AfterCollection,
    /// Dated in the future of its own receipt.
    AheadOfClock,
    /// Of days before the arrival, or of before the box set out: of an earlier visit.
    EarlierVisit,
    /// Of a place where the box does not stand, or not any more.
    Elsewhere,
    /// Of a fee, for a box that is on a ship or a train: of an earlier move.
    Leftover,
    /// Half of a size and type where another tells the whole, or no possible mass.
    Unusable,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 19] = [
        Self::Stands,
        Self::Repeats,
        Self::Outranked,
        Self::Coarser,
        Self::Older,
        Self::Corrected,
        Self::Retracted,
        Self::Waits,
        Self::AnotherJourney,
        Self::Misplaced,
        Self::SecondTerminal,
        Self::NoReturn,
        Self::Overtaken,
        Self::AfterCollection,
        Self::AheadOfClock,
        Self::EarlierVisit,
        Self::Elsewhere,
        Self::Leftover,
        Self::Unusable,
    ];
}
