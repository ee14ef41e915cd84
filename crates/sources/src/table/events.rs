//! JSON lists of happenings inside a row, each with a code, a time and often a place of its own.

use std::collections::BTreeMap;

use domain::report::{Classifier, Doubt, SourceKind};
use serde_json::Value;

use super::cell::Cell;
use super::claims::{Claims, first_path, member, member_cell, shown};
use super::mapping::{Action, Events, Profile};
use super::place::{Found, Said};
use super::row::{Reading, Row, road};
use super::words;

/// How many happenings of one row are read.
const EVENTS_MAX: usize = 500;

/// Tells them.
pub(super) fn events(claims: &mut Claims<'_, '_>) {
    let profile = claims.reading.profile;
    let Some(rule) = &profile.events else { return };
    let mut first_told = BTreeMap::new();
    for (list, index, told) in happenings(profile, rule, claims.row) {
        // What goes on now may stand in the list of what happened, too.
        let what = [&rule.code, &rule.at, &rule.classifier].map(|path| member(told, path));
        if *first_told.entry(what).or_insert(list) == list {
            event(claims, rule, (list, index), told);
        }
    }
}

/// The place of the last happening that has a known one: where a row is that says nothing of it.
pub(super) fn last_place(reading: &mut Reading<'_>, row: &Row) -> Option<Found> {
    let rule = reading.profile.events.as_ref()?;
    let all = happenings(reading.profile, rule, row);
    let last = all.iter().rev();
    let mut places = last.filter_map(|(.., told)| reading.place(said(rule, told)));
    places.find(|found| found.zone.is_some())
}

/// Where a happening is that names no place: at the place of its row. A railroad names for the row where the box goes, and
/// what it does not place on the way there is nowhere that we know.
fn place_of_row(claims: &Claims<'_, '_>, rule: &Events) -> Found {
    let members = [
        &rule.splc,
        &rule.locode,
        &rule.facility,
        &rule.city,
        &rule.state,
    ];
    let is_road = claims.reading.profile.kind == SourceKind::RailApi;
    if is_road && members.iter().any(|member| !member.is_empty()) {
        return Found::default();
    }
    claims.found.clone()
}

/// The happenings of a row, each with the path of its list and its place there.
fn happenings<'r>(
    profile: &Profile,
    rule: &'r Events,
    row: &'r Row,
) -> Vec<(&'r str, usize, &'r Value)> {
    let told = |path: &'r String| {
        let mut addresses = profile.addresses.iter();
        let position = addresses.position(|address| address == path)?;
        match row.cells.get(position)? {
            Cell::Nested(list) => Some((path.as_str(), &list.all)),
            _ => None,
        }
    };
    let lists = rule.lists.iter().filter_map(told);
    let all = lists.flat_map(|(path, list)| {
        // Of each: the one of what goes on now stands behind all that happened.
        let each = list.iter().enumerate().take(EVENTS_MAX);
        each.map(move |(index, told)| (path, index, told))
    });
    all.collect()
}

fn said(rule: &Events, told: &Value) -> Said {
    Said {
        splc: member(told, &rule.splc),
        locode: member(told, &rule.locode),
        facility: member(told, &rule.facility),
        name: member(told, &rule.city),
        state: member(told, &rule.state),
    }
}

fn event(claims: &mut Claims<'_, '_>, rule: &Events, (list, index): (&str, usize), told: &Value) {
    let Some(code) = member(told, &rule.code) else {
        return;
    };
    let key = |name: &str| {
        let (list, name) = (first_path(list), first_path(name));
        format!("{list}[{index}].{name}")
    };
    let action = match claims.status(&code) {
        Some(Action::Nothing) => return,
        Some(action) => Some(action),
        None => None,
    };
    let found = claims.reading.place(said(rule, told));
    let found = found.unwrap_or_else(|| place_of_row(claims, rule));
    let cell = member_cell(told, &rule.at);
    let occurred = match claims.time(&cell, &found) {
        Ok(Some(occurred)) => occurred,
        Ok(None) => return,
        Err(reason) => return claims.fault(&key(&rule.at), &reason),
    };
    let word = member(told, &rule.classifier);
    let Some(classifier) = word
        .as_deref()
        .map_or(Some(Classifier::Actual), |word| classifier(rule, word))
    else {
        let word = word.unwrap_or_default();
        let reason = format!("{word:?} says neither that it happened nor that it is expected");
        return claims.fault(&key(&rule.classifier), &reason);
    };
    let mut report = claims.base_at(&found);
    report.references.scac = road(member(told, &rule.railroad)).or(report.references.scac);
    if let Some(action) = action {
        return claims.tell(report, action, &code.to_uppercase(), occurred, classifier);
    }
    report.original = format!("EVENT/{}", shown(&Cell::of_text(&code)).to_uppercase());
    report.doubts.push(Doubt::Unmapped);
    report.classifier = classifier;
    report.occurred = Some(occurred);
    claims.push(report);
}

/// What a happening is by the word beside it; `None` for a word that nobody knows: what may be a plan has not happened.
fn classifier(rule: &Events, word: &str) -> Option<Classifier> {
    let word = word.trim().to_uppercase();
    if rule.actual.contains(&word) {
        return Some(Classifier::Actual);
    }
    if rule.estimated.contains(&word) {
        return Some(Classifier::Estimated);
    }
    match word.as_str() {
        "" | "A" | "ACT" | "ACTUAL" | "COMPLETE" | "COMPLETED" | "DONE" => Some(Classifier::Actual),
        "E" | "EST" | "ESTIMATED" | "ETA" | "EXPECTED" => Some(Classifier::Estimated),
        "PLN" | "PLAN" | "PLANNED" | "SCHEDULED" | "SCHED" => Some(Classifier::Planned),
        // A member that asks whether it is estimated, or whether it happened.
        no if words::is_bare_no(no) => match (rule.estimated.is_empty(), rule.actual.is_empty()) {
            (false, true) => Some(Classifier::Actual),
            (true, false) => Some(Classifier::Estimated),
            _ => None,
        },
        _ => None,
    }
}
