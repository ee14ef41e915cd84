//! The words of a provenance.

use domain::provenance::{Basis, Part, Verdict};
use domain::report::{Classifier, Doubt, Precision, SourceKind};

use super::DOUBTS;

pub(super) fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "reported",
        Basis::Corrected => "corrected",
        Basis::Derived => "derived",
        Basis::Entered => "entered",
    }
}

pub(super) fn bases() -> Vec<&'static str> {
    [
        Basis::Reported,
        Basis::Corrected,
        Basis::Derived,
        Basis::Entered,
    ]
    .map(basis)
    .to_vec()
}

pub(super) fn verdict(verdict: Verdict) -> &'static str {
    use Verdict as V;
    match verdict {
        V::Stands => "stands",
        V::Repeats => "repeats",
        V::Outranked => "outranked",
        V::Coarser => "coarser",
        V::Older => "older",
        V::Corrected => "corrected",
        V::Retracted => "retracted",
        V::Waits => "waits",
        V::AnotherJourney => "another_journey",
        V::Misplaced => "misplaced",
        V::SecondTerminal => "second_terminal",
        V::NoReturn => "no_return",
        V::Overtaken => "overtaken",
        V::AfterCollection => "after_collection",
        V::AheadOfClock => "ahead_of_clock",
        V::EarlierVisit => "earlier_visit",
        V::Elsewhere => "elsewhere",
        V::Leftover => "leftover",
        V::Unusable => "unusable",
    }
}

pub(super) fn verdicts() -> Vec<&'static str> {
    Verdict::ALL.map(verdict).to_vec()
}

pub(super) fn part(part: Part) -> &'static str {
    match part {
        Part::Time => "time",
        Part::Terminal => "terminal",
        Part::Vessel => "vessel",
        Part::Voyage => "voyage",
    }
}

pub(super) fn parts() -> Vec<&'static str> {
    [Part::Time, Part::Terminal, Part::Vessel, Part::Voyage]
        .map(part)
        .to_vec()
}

pub(super) fn classifier(classifier: Classifier) -> &'static str {
    match classifier {
        Classifier::Planned => "planned",
        Classifier::Estimated => "estimated",
        Classifier::Actual => "actual",
    }
}

pub(super) fn classifiers() -> Vec<&'static str> {
    [
        Classifier::Planned,
        Classifier::Estimated,
        Classifier::Actual,
    ]
    .map(classifier)
    .to_vec()
}

pub(super) fn precision(precision: Precision) -> &'static str {
    match precision {
        Precision::Day => "day",
        Precision::Hour => "hour",
        Precision::Minute => "minute",
    }
}

pub(super) fn precisions() -> Vec<&'static str> {
    [Precision::Day, Precision::Hour, Precision::Minute]
        .map(precision)
        .to_vec()
}

pub(super) fn doubt(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::CheckDigit => "check_digit",
        Doubt::ZoneUnknown => "zone_unknown",
        Doubt::InFuture => "in_future",
        Doubt::DowngradedToEstimate => "downgraded_to_estimate",
        Doubt::PlaceUnknown => "place_unknown",
        Doubt::VesselUnknown => "vessel_unknown",
        Doubt::Unmapped => "unmapped",
        Doubt::Derived => "derived",
        Doubt::AsOf => "as_of",
    }
}

pub(super) fn doubts() -> Vec<&'static str> {
    DOUBTS.map(doubt).to_vec()
}

/// What a feed speaks.
pub(super) fn kind(kind: SourceKind) -> &'static str {
    use SourceKind as S;
    match kind {
        S::Dcsa2 => "dcsa2",
        S::Dcsa3 => "dcsa3",
        S::CarrierApi => "carrier_api",
        S::X12_315 => "x12_315",
        S::X12_322 => "x12_322",
        S::X12_214 => "x12_214",
        S::Iftsta => "iftsta",
        S::Codeco => "codeco",
        S::Coarri => "coarri",
        S::Clm => "clm",
        S::RailApi => "rail_api",
        S::TerminalApi => "terminal_api",
        S::Ais => "ais",
        S::Manual => "manual",
    }
}

pub(super) fn kinds() -> Vec<&'static str> {
    use SourceKind as S;
    [
        S::Dcsa2,
        S::Dcsa3,
        S::CarrierApi,
        S::X12_315,
        S::X12_322,
        S::X12_214,
        S::Iftsta,
        S::Codeco,
        S::Coarri,
        S::Clm,
        S::RailApi,
        S::TerminalApi,
        S::Ais,
        S::Manual,
    ]
    .map(kind)
    .to_vec()
}
