//! Whose word counts more than usual, or less: ranks that an operator gives to single sources.
//!
//! The usual ranks go by the kind of feed: who does a move with his own hands has the clock in them. That is
//! right for most and wrong for some: a line that keys its gate moves by hand, a terminal whose lifts are
//! written the day after. Whoever runs the service knows his feeds, so a rank can be given to one source for one
//! group of values. As state is computed from all that was said, another rank recomputes what was said long ago.

use std::collections::BTreeMap;

use crate::event::EventName;
use crate::report::{Report, SourceKind};

/// Values whose sources are ranked alike, because one party has the clock, the scale or the key in its hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Group {
    /// Onto a vessel and off it.
    Lifts,
    /// Arrivals and departures of vessels.
    Sailings,
    /// Vessels alongside.
    Berths,
    /// Laden boxes through gates.
    Gates,
    /// Empties leaving and coming back.
    Depots,
    /// Loaded, departed, arrived, unloaded by rail.
    Rail,
    /// Deliveries at a door.
    Deliveries,
    /// What is expected.
    Estimates,
    /// Holds, fees and whether the box may be collected.
    Pickup,
    /// Size and type of the box.
    Equipment,
    /// Its gross mass.
    Mass,
}

/// How many groups there are.
const GROUPS: usize = 11;

impl Group {
    /// Every group, in the order in which they are explained.
    pub const ALL: [Self; GROUPS] = [
        Self::Lifts,
        Self::Sailings,
        Self::Berths,
        Self::Gates,
        Self::Depots,
        Self::Rail,
        Self::Deliveries,
        Self::Estimates,
        Self::Pickup,
        Self::Equipment,
        Self::Mass,
    ];

    /// As settings name it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lifts => "lifts",
            Self::Sailings => "sailings",
            Self::Berths => "berths",
            Self::Gates => "gates",
            Self::Depots => "depots",
            Self::Rail => "rail",
            Self::Deliveries => "deliveries",
            Self::Estimates => "estimates",
            Self::Pickup => "pickup",
            Self::Equipment => "equipment",
            Self::Mass => "mass",
        }
    }

    /// The group of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|group| group.as_str() == name)
    }

    /// The group that a milestone belongs to.
    pub(crate) fn of(event: EventName) -> Self {
        use EventName as E;
        match event {
            E::VesselLoaded
            | E::VesselDischarged
            | E::TransshipmentLoaded
            | E::TransshipmentDischarged
            | E::FeederLoaded
            | E::FeederDischarged => Self::Lifts,
            E::VesselBerthed => Self::Berths,
            E::FullIn | E::FullOut => Self::Gates,
            E::EmptyOut | E::EmptyIn => Self::Depots,
            E::RailLoaded
            | E::RailDeparted
            | E::RailArrived
            | E::RailUnloaded
            | E::ArrivedAtInlandDestination => Self::Rail,
            E::Delivered => Self::Deliveries,
            _ => Self::Sailings,
        }
    }
}

/// A rank that can be given: 1 is best. 0 is a person's, which nobody else can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(u8);

impl Rank {
    /// The worst.
    pub const MAX: u8 = 9;

    /// From 1 to [`Rank::MAX`].
    pub fn new(rank: u8) -> Option<Self> {
        (1..=Self::MAX).contains(&rank).then_some(Self(rank))
    }
}

/// The ranks given to one source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranks(BTreeMap<Group, Rank>);

impl Ranks {
    fn of(&self, group: Group) -> Option<u8> {
        self.0.get(&group).map(|rank| rank.0)
    }
}

/// The ranks an operator gave. None at all is the usual.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    given: BTreeMap<String, Ranks>,
}

impl Trust {
    /// Nobody is ranked otherwise than by the kind of his feed.
    pub const USUAL: &'static Self = &Self {
        given: BTreeMap::new(),
    };

    /// Gives `source` (the id of its profile) this rank for a group of values.
    pub fn give(&mut self, source: &str, group: Group, rank: Rank) {
        let ranks = self.given.entry(source.to_owned()).or_default();
        ranks.0.insert(group, rank);
    }

    /// What was given to a source.
    pub(crate) fn of(&self, source: &str) -> Option<&Ranks> {
        if self.given.is_empty() {
            return None;
        }
        self.given.get(source)
    }

    /// The rank of who says this, for a group of values.
    pub(crate) fn rank(&self, group: Group, report: &Report) -> u8 {
        rank(group, report.source_kind, self.of(&report.source))
    }
}

/// Rank of a kind of feed for a group of values, unless its source was given another; 1 is best, 0 is a person.
pub(crate) fn rank(group: Group, kind: SourceKind, given: Option<&Ranks>) -> u8 {
    if kind == SourceKind::Manual {
        return 0;
    }
    given
        .and_then(|ranks| ranks.of(group))
        .unwrap_or_else(|| usual(group, kind))
}

/// Rank of what is in no list.
const RANK_OF_OTHERS: u8 = 9;

fn usual(group: Group, kind: SourceKind) -> u8 {
    let trusted: &[&[SourceKind]] = match group {
        Group::Lifts => &[QUAY, CARRIER, EDI],
        Group::Sailings => &[CARRIER, QUAY, EDI, &[SourceKind::Ais]],
        Group::Berths => &[QUAY, &[SourceKind::Ais], CARRIER, EDI],
        Group::Gates => &[GATE, CARRIER, EDI, &[SourceKind::X12_214]],
        Group::Depots => &[CARRIER, GATE, EDI],
        Group::Rail => &[&[SourceKind::RailApi], RAIL_EDI, CARRIER, EDI],
        Group::Deliveries => &[CARRIER, EDI, &[SourceKind::X12_214]],
        // Who knows better depends on the call: see `estimates`.
        Group::Estimates => &[&[], ALL],
        Group::Pickup => &[FACILITY, ALL],
        Group::Equipment => &[CARRIER, MESSAGES],
        Group::Mass => &[SCALES, CARRIER],
    };
    (1..)
        .zip(trusted)
        .find(|(_, kinds)| kinds.contains(&kind))
        .map_or(RANK_OF_OTHERS, |(rank, _)| rank)
}

const CARRIER: &[SourceKind] = &[SourceKind::Dcsa2, SourceKind::Dcsa3, SourceKind::CarrierApi];
const QUAY: &[SourceKind] = &[SourceKind::Coarri, SourceKind::TerminalApi];
const GATE: &[SourceKind] = &[SourceKind::Codeco, SourceKind::TerminalApi];
const EDI: &[SourceKind] = &[SourceKind::X12_315, SourceKind::Iftsta, SourceKind::X12_322];
const MESSAGES: &[SourceKind] = &[SourceKind::X12_315, SourceKind::Iftsta];
const RAIL_EDI: &[SourceKind] = &[SourceKind::Clm, SourceKind::X12_322];
const SCALES: &[SourceKind] = &[
    SourceKind::TerminalApi,
    SourceKind::Coarri,
    SourceKind::Codeco,
];
/// Feeds that stand where the box stands: a terminal or a railroad.
pub(crate) const FACILITY: &[SourceKind] = &[
    SourceKind::TerminalApi,
    SourceKind::RailApi,
    SourceKind::Codeco,
    SourceKind::Coarri,
    SourceKind::X12_322,
    SourceKind::Clm,
];
const ALL: &[SourceKind] = &[
    SourceKind::Dcsa2,
    SourceKind::Dcsa3,
    SourceKind::CarrierApi,
    SourceKind::X12_315,
    SourceKind::X12_322,
    SourceKind::X12_214,
    SourceKind::Iftsta,
    SourceKind::Codeco,
    SourceKind::Coarri,
    SourceKind::Clm,
    SourceKind::RailApi,
    SourceKind::TerminalApi,
    SourceKind::Ais,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_is_found_by_its_name() {
        for group in Group::ALL {
            assert_eq!(Group::parse(group.as_str()), Some(group));
        }
        assert_eq!(Group::parse("lift"), None);
        assert_eq!((Rank::new(0), Rank::new(10)), (None, None));
    }

    #[test]
    fn a_given_rank_counts_for_its_source_and_group_only_and_never_for_a_person() {
        let mut trust = Trust::default();
        trust.give("hub", Group::Lifts, Rank(1));
        let kind = SourceKind::X12_315;
        assert_eq!(rank(Group::Lifts, kind, trust.of("hub")), 1);
        assert_eq!(rank(Group::Lifts, kind, trust.of("other")), 3);
        assert_eq!(rank(Group::Gates, kind, trust.of("hub")), 3);
        assert_eq!(rank(Group::Lifts, SourceKind::Manual, trust.of("hub")), 0);
    }
}
