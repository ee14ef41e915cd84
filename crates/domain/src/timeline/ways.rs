//! Which claims the way was read from: for who asks where a port comes from.

use super::claims::Claim;
use super::scribe::{Scribe, backing, statement};
use crate::journey::{Way, inland};
use crate::provenance::{Subject, Verdict};
use crate::report::{Report, Verb};

/// Tells what the port of discharge and the inland destination were taken from, and which lifts lie at a port
/// that the rest of the journey does not know.
pub(super) fn told<'a>(way: &Way<'a>, moves: &[Claim<'a>], scribe: &mut Scribe<'a>) {
    if let Some(stop) = way.sea.discharge() {
        scribe.decided(|| {
            let sights = [&stop.discharge, &stop.arrive].into_iter().flatten();
            let mut reports: Vec<&'a Report> = sights.map(|sight| sight.claim.report).collect();
            reports.dedup_by(|a, b| std::ptr::eq(*a, *b));
            let stands = |report| statement(report, Verdict::Stands);
            let standing = reports.into_iter().map(stands).collect();
            backing(Subject::PortOfDischarge, standing, Vec::new())
        });
    }
    if let Some(claim) = inland::last_call(way, moves) {
        scribe.decided(|| {
            let standing = vec![statement(claim.report, Verdict::Stands)];
            backing(Subject::Destination, standing, Vec::new())
        });
    }
    scribe.put_aside(Verdict::Misplaced, || {
        let stops = way.sea.stops.iter().filter(|(stop, _)| stop.misplaced);
        stops.flat_map(|(stop, _)| {
            let here = moves.iter().filter(|claim| {
                claim.is_actual()
                    && claim.place == Some(stop.place)
                    && matches!(claim.verb, Verb::Load | Verb::Discharge)
            });
            here.map(|claim| (claim.report, None))
        })
    });
}
