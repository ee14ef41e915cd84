//! IFTSTA: which date is about which place of the way.
//!
//! Newer directories put dates under each place (LOC). Up to D.96B a means of transport (TDT) has all its places first and all its
//! dates behind them, so that the LOC before a date is not the one it is about; senders write either, whatever directory they
//! name. So a date is about the place that it stands behind, where it can be. Else, where all dates under a TDT stand in one block,
//! they are the transport's: it leaves the port of loading (9) and reaches the port of discharge (11, 12). In newer directories
//! the block has to tell of both, for a date of leaving that stands alone behind a port of discharge may be that of the train from
//! there. A transport that would arrive before it leaves is not believed, and one by land goes between other places than these two.
//!
//! What happened, happened where the status says: with one of a hub, the time at which the ship came or left is that of the hub,
//! and neither port's. Where a hub stands among the places, nobody tells which of them is left.

use std::collections::BTreeSet;

use domain::codes::UnLocode;
use domain::report::{Classifier, Mode, Verb};
use edi::Segment;

use super::desk::Desk;
use super::edifact_group::{clock, mode, place};

/// A place of the way with the transport that it is told under and its dates.
pub(super) struct Call<'s, 'a> {
    pub(super) loc: &'s Segment<'a>,
    pub(super) transport: Option<&'s Segment<'a>>,
    /// The dates that are about it.
    pub(super) dates: Vec<&'s Segment<'a>>,
    /// The dates that stand behind it, whatever they are about.
    behind: Vec<&'s Segment<'a>>,
}

/// All places of a status with their dates.
#[derive(Default)]
pub(super) struct Way<'s, 'a> {
    pub(super) calls: Vec<Call<'s, 'a>>,
    /// Dates of the way that are about none of its places, but for those of who goes on from one.
    pub(super) unused: Vec<&'s Segment<'a>>,
    /// The numbers of the dates that stand behind its places.
    held: BTreeSet<u32>,
}

/// The directories in which dates stand behind all places of a transport, not under each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directory {
    /// Up to D.96B.
    Old,
    New,
}

/// Where and when a status says that something happened.
pub(super) struct Happening<'d, 'k> {
    desk: &'d Desk<'k>,
    /// None where it names no place of its own, or one that is no port's.
    place: Option<UnLocode>,
    /// Its times, as they are written.
    times: BTreeSet<String>,
}

/// One means of transport: the dates before its places, and its places.
#[derive(Default)]
struct Stage<'s, 'a> {
    transport: Option<&'s Segment<'a>>,
    ahead: Vec<&'s Segment<'a>>,
    calls: Vec<Call<'s, 'a>>,
}

/// What a date stands behind.
#[derive(Clone, Copy)]
enum Behind {
    Transport,
    Place,
    Other,
}

/// Functions (element 3227) of the port that a ship leaves, of the one that it reaches, and of where its goods are delivered.
const LEFT: &[&str] = &["9"];
const DISCHARGED: &[&str] = &["11", "12"];
const DELIVERED: &[&str] = &["7", "8"];
/// A hub.
const TRANSSHIPPED: &str = "13";
/// A ramp.
const RAMP: &str = "29";
/// Functions of the place of a status.
const ACTIVITY: &[&str] = &["175", RAMP, "165"];
/// Times that are a status's own.
const OF_STATUS: &[&str] = &["334", "7"];

impl Directory {
    /// By the release that the header names (element 0054).
    pub(super) fn of(release: &str) -> Self {
        match release.get(..2) {
            Some("90" | "91" | "92" | "93" | "94" | "95" | "96") => Self::Old,
            _ => Self::New,
        }
    }
}

impl<'d, 'k> Happening<'d, 'k> {
    /// By the status, and what stands above it.
    pub(super) fn of(own: &[Segment<'_>], above: &[Segment<'_>], desk: &'d Desk<'k>) -> Self {
        let place = |part: &[Segment<'_>]| {
            ACTIVITY.iter().find_map(|function| {
                let mut locs = part.iter().filter(|segment| segment.is("LOC"));
                let loc = locs.find(|loc| loc.component(1, 1) == *function)?;
                Some(place(loc, desk).locode)
            })
        };
        let dates = own.iter().filter(|segment| segment.is("DTM"));
        let dates = dates.filter(|dtm| OF_STATUS.contains(&dtm.component(1, 1).as_ref()));
        Self {
            desk,
            place: place(own).or_else(|| place(above)).flatten(),
            times: dates.map(|dtm| dtm.component(1, 2).into_owned()).collect(),
        }
    }

    /// Whether it is not said to be elsewhere.
    fn may_be_at(&self, loc: &Segment<'_>) -> bool {
        let canonical = |port| self.desk.gazetteer.canonical(port);
        let there = place(loc, self.desk).locode.map(canonical);
        self.place.is_none_or(|here| there == Some(canonical(here)))
    }

    /// Whether a date at this place is only the status's own, which is elsewhere.
    fn is_told_by(&self, dtm: &Segment<'_>, loc: &Segment<'_>) -> bool {
        has_happened(&dtm.component(1, 1))
            && !self.may_be_at(loc)
            && self.times.contains(dtm.component(1, 2).as_ref())
    }
}

impl<'s, 'a> Way<'s, 'a> {
    pub(super) fn of(
        segments: &'s [Segment<'a>],
        directory: Directory,
        happening: &Happening<'_, '_>,
    ) -> Self {
        let mut way = Self::default();
        for mut stage in stages(segments) {
            way.unused.extend(stage.give_dates(directory, happening));
            let calls = stage.calls.iter().filter(|call| call.is_of_the_way());
            let held = calls.flat_map(|call| &call.behind);
            way.held.extend(held.map(|dtm| dtm.place.number));
            way.calls.extend(stage.calls);
        }
        way
    }

    /// With what another part of the message tells.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.calls.extend(other.calls);
        self.unused.extend(other.unused);
        self.held.extend(other.held);
        self
    }

    /// Whether a date stands behind a place of the way, and so tells no time of the status.
    pub(super) fn holds(&self, dtm: &Segment<'_>) -> bool {
        self.held.contains(&dtm.place.number)
    }
}

fn stages<'s, 'a>(segments: &'s [Segment<'a>]) -> Vec<Stage<'s, 'a>> {
    let mut stages = Vec::new();
    let (mut stage, mut behind) = (Stage::default(), Behind::Other);
    for segment in segments {
        match (segment.tag(), behind) {
            ("TDT", _) => {
                let transport = Some(segment);
                stages.push(std::mem::replace(&mut stage, Stage::under(transport)));
                behind = Behind::Transport;
            }
            ("LOC", _) => {
                stage.calls.push(Call {
                    loc: segment,
                    transport: stage.transport,
                    dates: Vec::new(),
                    behind: Vec::new(),
                });
                behind = Behind::Place;
            }
            ("DTM", Behind::Transport) => stage.ahead.push(segment),
            ("DTM", Behind::Place) => {
                if let Some(call) = stage.calls.last_mut() {
                    call.behind.push(segment);
                }
            }
            // References of a transport stand before its places.
            ("RFF", Behind::Transport) => {}
            ("RFF", _) => behind = Behind::Other,
            ("EQD" | "NAD" | "CNI" | "STS", _) => {
                let transport = stage.transport;
                stages.push(std::mem::replace(&mut stage, Stage::under(transport)));
                behind = Behind::Other;
            }
            _ => {}
        }
    }
    stages.push(stage);
    stages
}

impl<'s, 'a> Stage<'s, 'a> {
    fn under(transport: Option<&'s Segment<'a>>) -> Self {
        Self {
            transport,
            ..Self::default()
        }
    }

    /// Gives each date to the place it is about; returns those that are about none, and that nobody else has either.
    fn give_dates(
        &mut self,
        directory: Directory,
        happening: &Happening<'_, '_>,
    ) -> Vec<&'s Segment<'a>> {
        let ends = self.ends(happening);
        let is_one_block = self.is_of_the_transport(directory);
        let mut unused = Vec::new();
        for at in 0..self.calls.len() {
            let behind = self.calls.get(at).map(|call| call.behind.clone());
            let behind = behind.unwrap_or_default();
            let goes_on = self.goes_on_from(at, &behind);
            for dtm in behind {
                let of_the_transport = ends.of(dtm).filter(|_| is_one_block);
                match of_the_transport.or_else(|| self.own(at, dtm)) {
                    Some(to) if self.is_told_by(happening, dtm, to) => {}
                    Some(to) => self.put(dtm, to),
                    None if goes_on && dtm.component(1, 1) != CAME => {}
                    None => unused.push(dtm),
                }
            }
        }
        let told: Vec<BTreeSet<String>> = self.calls.iter().map(Call::qualifiers).collect();
        let tells = |at: usize, dtm: &Segment<'_>| {
            let qualifier = dtm.component(1, 1);
            told.get(at)
                .is_some_and(|own| own.contains(qualifier.as_ref()))
        };
        for dtm in std::mem::take(&mut self.ahead) {
            match ends.of(dtm).filter(|to| !tells(*to, dtm)) {
                Some(to) if self.is_told_by(happening, dtm, to) => {}
                Some(to) => self.put(dtm, to),
                None => unused.push(dtm),
            }
        }
        let of_way = |call: &Call<'_, '_>| call.is_of_the_way();
        let is_way = self.transport.is_some() || self.calls.iter().any(of_way);
        unused.retain(|dtm| is_way && leaves(&dtm.component(1, 1)).is_some());
        unused
    }

    /// Whether dates behind a place that say nothing of it are of who goes on from there, of whom nothing else is told: at a ramp,
    /// and at a port of discharge that has a date of its own.
    fn goes_on_from(&self, at: usize, behind: &[&Segment<'_>]) -> bool {
        self.calls.get(at).is_some_and(|call| {
            let function = call.loc.component(1, 1);
            let tells = || behind.iter().any(|dtm| self.own(at, dtm).is_some());
            function == RAMP || (DISCHARGED.contains(&function.as_ref()) && tells())
        })
    }

    fn is_told_by(&self, happening: &Happening<'_, '_>, dtm: &Segment<'_>, to: usize) -> bool {
        let call = self.calls.get(to);
        call.is_some_and(|call| happening.is_told_by(dtm, call.loc))
    }

    /// The place that a date stands behind, where it says something of such a place.
    fn own(&self, at: usize, dtm: &Segment<'_>) -> Option<usize> {
        let said = self.calls.get(at)?.said(&dtm.component(1, 1));
        said.map(|_| at)
    }

    fn put(&mut self, dtm: &'s Segment<'a>, to: usize) {
        if let Some(call) = self.calls.get_mut(to) {
            call.dates.push(dtm);
        }
    }

    /// Whether all dates stand behind the last of several places, and not all can be about it.
    fn is_of_the_transport(&self, directory: Directory) -> bool {
        let Some((last, before)) = self.calls.split_last() else {
            return false;
        };
        let told = || last.behind.iter().map(|dtm| dtm.component(1, 1));
        let is_any = |wanted| told().any(|qualifier| leaves(&qualifier) == Some(wanted));
        let is_strange =
            |qualifier: &str| leaves(qualifier).is_some() && last.said(qualifier).is_none();
        last.is_of_the_way()
            && before.iter().all(|call| call.behind.is_empty())
            && told().any(|qualifier| is_strange(&qualifier))
            && (directory == Directory::Old || (is_any(true) && is_any(false)))
    }

    /// Whether it leaves before it arrives, by all that it tells.
    fn is_in_order(&self) -> bool {
        let days = |wanted: bool| {
            let behind = self.calls.iter().flat_map(|call| &call.behind);
            let all = behind.chain(&self.ahead);
            let told = all.filter(move |dtm| leaves(&dtm.component(1, 1)) == Some(wanted));
            told.filter_map(|dtm| Some(clock(dtm)?.local.date()))
        };
        let (last_left, first_reached) = (days(true).max(), days(false).min());
        last_left
            .zip(first_reached)
            .is_none_or(|(left, reached)| left <= reached)
    }

    /// The places that the dates of the transport are about.
    fn ends(&self, happening: &Happening<'_, '_>) -> Ends {
        if self.transport.is_some_and(is_by_land) || !self.is_in_order() {
            return Ends::default();
        }
        let (left, reached) = (self.only(LEFT), self.only(DISCHARGED));
        let may_be_at = |end: Option<usize>| {
            let loc = end.and_then(|at| self.calls.get(at)).map(|call| call.loc);
            loc.is_some_and(|loc| happening.may_be_at(loc))
        };
        let is_direct = !self.has_a_hub(&[left, reached]);
        let is_left = is_direct && (may_be_at(left) || may_be_at(reached));
        Ends {
            left: left.filter(|_| is_direct),
            has_left: left.filter(|_| is_left),
            reached,
            has_reached: reached.filter(|_| is_direct && may_be_at(reached)),
            // No ship arrives at a place of delivery that has no part in the sea.
            delivered: self.only(DELIVERED),
        }
    }

    /// Whether goods are transshipped somewhere between.
    fn has_a_hub(&self, ends: &[Option<usize>]) -> bool {
        let ends = || ends.iter().flatten().filter_map(|at| self.calls.get(*at));
        let mut hubs = self.calls.iter();
        hubs.any(|call| {
            call.loc.component(1, 1) == TRANSSHIPPED
                && ends().all(|end| called(end.loc) != called(call.loc))
        })
    }

    /// The first place with one of these functions, where all that have one are the same.
    fn only(&self, functions: &[&str]) -> Option<usize> {
        let all = self.calls.iter().enumerate();
        let mut found =
            all.filter(|(_, call)| functions.contains(&call.loc.component(1, 1).as_ref()));
        let (first, call) = found.next()?;
        let is_same = |other: &Call<'_, '_>| called(other.loc) == called(call.loc);
        found.all(|(_, other)| is_same(other)).then_some(first)
    }
}

/// Where a transport is to leave and has left, where it is to arrive and has arrived, and where its goods are handed over; none
/// where that is in doubt.
#[derive(Clone, Copy, Default)]
struct Ends {
    left: Option<usize>,
    has_left: Option<usize>,
    reached: Option<usize>,
    has_reached: Option<usize>,
    delivered: Option<usize>,
}

impl Ends {
    fn of(self, dtm: &Segment<'_>) -> Option<usize> {
        let qualifier = dtm.component(1, 1);
        match (leaves(&qualifier)?, has_happened(&qualifier)) {
            (true, true) => self.has_left,
            (true, false) => self.left,
            (false, true) => self.has_reached,
            (false, false) if qualifier == EXPECTED => self.delivered,
            (false, false) => self.reached,
        }
    }
}

/// When something came (element 2005).
const CAME: &str = "178";

/// What a place is called.
fn called(loc: &Segment<'_>) -> [String; 2] {
    [1, 4].map(|component| loc.component(2, component).into_owned())
}

/// When goods are expected (element 2005).
const EXPECTED: &str = "17";

/// Whether a date of the way tells that a place is left, or that it is reached.
fn leaves(qualifier: &str) -> Option<bool> {
    match qualifier {
        "133" | "186" => Some(true),
        "132" | "178" | EXPECTED => Some(false),
        _ => None,
    }
}

/// Whether a date of the way tells what happened, not what is expected.
fn has_happened(qualifier: &str) -> bool {
    matches!(qualifier, "178" | "186")
}

impl Call<'_, '_> {
    /// What the dates that are about it tell.
    fn qualifiers(&self) -> BTreeSet<String> {
        let dates = self.dates.iter();
        dates.map(|dtm| dtm.component(1, 1).into_owned()).collect()
    }

    /// Whether the transport that it is told under goes by land. The main one does not.
    pub(super) fn is_by_land(&self) -> bool {
        self.transport.is_some_and(is_by_land)
    }

    /// The segment of that transport.
    pub(super) fn under(&self) -> u32 {
        self.transport.map_or(0, |tdt| tdt.place.number)
    }

    pub(super) fn is_port(&self) -> bool {
        matches!(self.loc.component(1, 1).as_ref(), "9" | "11" | "12")
    }

    pub(super) fn is_of_the_way(&self) -> bool {
        matches!(
            self.loc.component(1, 1).as_ref(),
            "7" | "8" | "9" | "11" | "12" | "13" | "88"
        )
    }

    /// Element 2005, and what it says at such a place.
    pub(super) fn said(&self, qualifier: &str) -> Option<(Verb, Classifier)> {
        use Classifier::{Actual, Estimated};
        let function = self.loc.component(1, 1);
        let leaves = matches!(function.as_ref(), "9" | "13" | "88");
        let reaches = matches!(function.as_ref(), "7" | "8" | "11" | "12" | "13");
        Some(match qualifier {
            "133" if leaves => (Verb::Depart, Estimated),
            "186" if leaves => (Verb::Depart, Actual),
            "132" | EXPECTED if reaches => (Verb::Arrive, Estimated),
            "178" if reaches => (Verb::Arrive, Actual),
            _ => return None,
        })
    }
}

fn is_by_land(tdt: &Segment<'_>) -> bool {
    matches!(mode_of(tdt), Some(Mode::Rail | Mode::Truck)) && tdt.text(1) != "20"
}

/// The mode of a TDT. A vessel before or after the main leg is a feeder.
pub(super) fn mode_of(tdt: &Segment<'_>) -> Option<Mode> {
    let told = mode(&tdt.component(3, 1));
    let stage = tdt.text(1);
    match (stage.as_ref(), told) {
        ("10" | "30", Some(Mode::Vessel)) => Some(Mode::Barge),
        ("20", None) => Some(Mode::Vessel),
        (_, told) => told,
    }
}
