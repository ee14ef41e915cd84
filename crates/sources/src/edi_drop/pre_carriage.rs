//! What a message tells of the way to its port of loading.
//!
//! A line that names a place of receipt at one sea and a port of loading at another brings the goods there by a feeder, and
//! tells of it with the codes of any ship (VD, VA, UV). So does one by which a ship lands them at the port of loading
//! while the port of discharge is still to come. What follows from that, the domain says.

use domain::codes::UnLocode;
use domain::report::{Mode, MoveHint, Report, Verb};

use super::desk::{Desk, Draft};
use super::route::Role;

/// The part of a place, and the ports that the message names beside it.
pub(super) struct Named {
    pub(super) role: Option<Role>,
    pub(super) here: Option<UnLocode>,
    pub(super) ladings: Vec<UnLocode>,
    pub(super) discharges: Vec<UnLocode>,
}

impl Desk<'_> {
    /// Marks what happened by water on the way to the port of loading.
    pub(super) fn mark_pre_carriage(&self, drafts: &mut [Draft], named: &Named) {
        let Some((role, here)) = named.role.zip(named.here) else {
            return;
        };
        let is_before = match role {
            Role::Lading => self.lies_between(here, named.discharges.iter().copied()),
            Role::Receipt => self.lies_between(here, named.ladings.iter().copied()),
            _ => false,
        };
        if !is_before {
            return;
        }
        for report in drafts.iter_mut().map(|draft| &mut draft.report) {
            if is_by_water(report, role) && report.move_hint.is_none() {
                report.move_hint = Some(MoveHint::PreCarriage);
            }
        }
    }
}

fn is_by_water(report: &Report, role: Role) -> bool {
    let lands = matches!(report.verb, Verb::Arrive | Verb::Discharge);
    let leaves = matches!(report.verb, Verb::Load | Verb::Depart);
    report.leg.mode == Some(Mode::Vessel) && (lands || (leaves && role == Role::Receipt))
}

/// Whether the ship of these is not the one that the message's ports are about.
pub(super) fn is_by_feeder(drafts: &[Draft]) -> bool {
    drafts.iter().any(|draft| {
        let report = &draft.report;
        report.move_hint == Some(MoveHint::PreCarriage) || report.leg.mode == Some(Mode::Barge)
    })
}
