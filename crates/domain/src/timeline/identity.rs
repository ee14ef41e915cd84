//! Identity of a claim over its corrections, without digests.

use crate::codes::{ContainerNumber, ImoNumber, UnLocode};
use crate::report::{Classifier, FacilityType, Mode, Report, Verb};

/// What [`Report::key`] digests, compared in place: merging forty reports must not cost forty digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Identity<'a> {
    Named(&'a str, &'a str),
    Computed(
        (&'a str, Option<ContainerNumber>, Option<bool>),
        (Verb, Classifier, &'a str),
        (Option<UnLocode>, Option<&'a str>, Option<FacilityType>),
        (Option<Mode>, Option<ImoNumber>, Option<&'a str>),
        (Option<&'a str>, Option<&'a str>, Option<u32>),
    ),
}

impl<'a> Identity<'a> {
    /// Of one report.
    pub fn of(report: &'a Report) -> Self {
        if let Some(id) = &report.source_event_id {
            return Self::Named(&report.source, id);
        }
        let (equipment, leg) = (report.equipment.as_ref(), &report.leg);
        Self::Computed(
            (
                &report.source,
                equipment.map(|e| e.number),
                equipment.and_then(|e| e.laden),
            ),
            (report.verb, report.classifier, &report.original),
            (
                report.place.locode,
                report.place.facility_code.as_deref(),
                report.place.facility_type,
            ),
            (leg.mode, leg.vessel_imo, leg.vessel_name.as_deref()),
            (
                leg.voyage_out.as_deref(),
                leg.voyage_in.as_deref(),
                leg.sequence,
            ),
        )
    }
}
