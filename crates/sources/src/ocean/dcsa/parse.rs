//! A message to reports and defects.

use std::collections::HashMap;

use domain::place::Gazetteer;
use domain::report::{Report, ReportKey};
use jiff::Timestamp;

use super::harvest::Harvest;
use super::profile::Profile;
use super::reading::Desk;
use super::recovery::{Damage, reason_of, recover};
use super::wire::Call;
use crate::{Defect, Located, Parsed};

/// Reads one message. Equal arguments give equal results; nothing is asked of the outside.
pub fn parse(
    profile: &Profile,
    bytes: &[u8],
    received_at: Timestamp,
    gazetteer: &Gazetteer,
) -> Parsed {
    let mut parsed = Parsed::default();
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let lossy;
    let message = match std::str::from_utf8(bytes) {
        Ok(message) => message,
        Err(error) => {
            // One letter in an old code page must not cost a whole message.
            parsed.defects.push(Defect {
                place: format!("byte {}", error.valid_up_to()),
                reason: "not UTF-8; what could not be read was replaced".into(),
            });
            lossy = String::from_utf8_lossy(bytes);
            &lossy
        }
    };
    let desk = Desk {
        profile,
        received_at,
        gazetteer,
    };
    let revised = read(message, &desk, &mut parsed);
    settle_ids(&mut parsed.reports, &revised);
    parsed
}

/// Reads into `parsed`, and says of each report whether its id is one that its source revises.
fn read(message: &str, desk: &Desk<'_>, parsed: &mut Parsed) -> Vec<bool> {
    let (whole, read) = Harvest::of(message);
    let mut harvest = match read {
        Ok(()) => whole,
        Err(error) => {
            parsed.envelope_broken = true;
            let (saved, mut damages) = recover(message);
            if damages.is_empty() {
                damages.push(Damage {
                    line: error.line(),
                    column: error.column(),
                    reason: reason_of(&error),
                });
            }
            parsed
                .defects
                .extend(damages.into_iter().map(damage_defect));
            saved
        }
    };
    join_calls(&mut harvest);
    let mut revised = Vec::with_capacity(harvest.events.len());
    for found in &harvest.events {
        let reports = desk.read(&found.event, &found.position, &mut parsed.defects);
        revised.resize(revised.len() + reports.len(), found.event.updated.is_some());
        parsed
            .reports
            .extend(reports.into_iter().map(|report| Located {
                position: found.position.clone(),
                report,
            }));
    }
    if parsed.envelope_broken {
        return revised;
    }
    let unrecognised = harvest.strangers.into_iter().map(|path| Defect {
        place: if path.is_empty() {
            "the message".into()
        } else {
            path
        },
        reason: "nothing here is an event".into(),
    });
    parsed.defects.extend(unrecognised);
    revised
}

fn damage_defect(damage: Damage) -> Defect {
    Defect {
        place: format!("line {} column {}", damage.line, damage.column),
        reason: damage.reason,
    }
}

/// Events that only name a call get it from the list beside them.
fn join_calls(harvest: &mut Harvest<'_>) {
    if harvest.calls.is_empty() {
        return;
    }
    let by_id: HashMap<String, Call<'_>> = harvest
        .calls
        .iter()
        .filter_map(|call| Some((call.id.as_deref()?.to_owned(), call.clone())))
        .collect();
    for found in &mut harvest.events {
        let event = &mut found.event;
        let named = event
            .calls
            .first()
            .map_or(&event.flat_call, |call| call)
            .id
            .as_deref();
        let bare = event
            .calls
            .iter()
            .all(|call| call.mode.is_none() && call.spot.locode.is_none());
        let call = named.filter(|_| bare).and_then(|id| by_id.get(id));
        if let Some(call) = call {
            event.calls = vec![call.clone()];
        }
    }
}

/// An id counts only when it means one happening. Where a message gives one id to two, neither keeps it, and
/// what they are is told from what they say. But where the source says when it last wrote a record, two
/// writings of one id are a record and its correction, however different they are.
fn settle_ids(reports: &mut [Located], revised: &[bool]) {
    let mut first_of: HashMap<&str, usize> = HashMap::new();
    let mut repeated: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, located) in reports.iter().enumerate() {
        let Some(id) = located.report.source_event_id.as_deref() else {
            continue;
        };
        if let Some(first) = first_of.get(id) {
            repeated
                .entry(id)
                .or_insert_with(|| vec![*first])
                .push(index);
        } else {
            first_of.insert(id, index);
        }
    }
    let untrue: Vec<usize> = repeated
        .into_values()
        .filter(|same| !are_writings(same, reports, revised))
        .filter(|same| {
            let happening = |index: &usize| reports.get(*index).map(|l| happening(&l.report));
            let mut happenings = same.iter().map(happening);
            let first = happenings.next();
            !happenings.all(|next| Some(next) == first)
        })
        .flatten()
        .collect();
    for index in untrue {
        if let Some(located) = reports.get_mut(index) {
            located.report.source_event_id = None;
        }
    }
}

/// Whether these are writings of one record, each with a time of its own.
fn are_writings(same: &[usize], reports: &[Located], revised: &[bool]) -> bool {
    let written = |index: &usize| reports.get(*index).and_then(|l| l.report.reported_at);
    let mut times: Vec<_> = same.iter().filter_map(written).collect();
    times.sort_unstable();
    times.dedup();
    times.len() == same.len() && same.iter().all(|index| revised.get(*index) == Some(&true))
}

/// Identity without the source's id.
fn happening(report: &Report) -> ReportKey {
    let mut bare = report.clone();
    bare.source_event_id = None;
    bare.key()
}
