//! What the box is and carries: size and type, gross mass, seals.
//!
//! Type, length and height are taken together from one source or not at all; half of one and half of another
//! describe a box that does not exist. Lines and people know the type better, scales at the quay know the mass
//! better, and seals are a union: a box may carry several, and one that was taken off is taken out.

use rust_decimal::Decimal;

use super::scribe::{Scribe, backing, statement};
use crate::codes::SizeType;
use crate::provenance::{Statement, Subject, Verdict};
use crate::report::{Report, Verb};
use crate::trust::{Group, Trust};

/// Below this a container weighs less than itself (kilograms).
const GROSS_KG_MIN: i64 = 1_800;
/// Above this no container may be lifted (kilograms).
const GROSS_KG_MAX: i64 = 40_000;
/// Seals kept for one box.
const SEALS_MAX: usize = 16;

/// The best size-type that tells all three parts, else the best that tells any.
pub(crate) fn size_type<'a>(
    readings: &[&'a Report],
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> SizeType {
    let told: Vec<(&'a Report, SizeType)> = readings
        .iter()
        .filter_map(|report| {
            let code = report.equipment.as_ref()?.iso_type.as_deref()?;
            Some((*report, SizeType::parse(code)))
        })
        .collect();
    let whole = told.iter().any(|(_, size)| is_whole(*size));
    let usable = |size: &SizeType| {
        if whole {
            is_whole(*size)
        } else {
            *size != SizeType::default()
        }
    };
    best(
        &told,
        usable,
        Group::Equipment,
        Subject::SizeType,
        trust,
        scribe,
    )
    .unwrap_or_default()
}

/// Gross mass, from the party with the scale.
pub(crate) fn gross_kg<'a>(
    readings: &[&'a Report],
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Option<Decimal> {
    let bounds = Decimal::from(GROSS_KG_MIN)..=Decimal::from(GROSS_KG_MAX);
    let told: Vec<(&'a Report, Decimal)> = readings
        .iter()
        .filter_map(|report| Some((*report, report.equipment.as_ref()?.gross_kg?)))
        .collect();
    let possible = |kg: &Decimal| bounds.contains(kg);
    let kg = best(
        &told,
        possible,
        Group::Mass,
        Subject::GrossMass,
        trust,
        scribe,
    );
    kg.map(|kg| kg.normalize())
}

/// The usable value of the best rank. Readings come oldest first; among equal ranks the last one stands.
fn best<'a, T: Copy>(
    told: &[(&'a Report, T)],
    usable: impl Fn(&T) -> bool,
    group: Group,
    subject: Subject,
    trust: &Trust,
    scribe: &mut Scribe<'a>,
) -> Option<T> {
    let ranked = told.iter().filter(|(_, value)| usable(value));
    let ranked = ranked.map(|(report, value)| (trust.rank(group, report), *report, *value));
    let (rank, by, value) =
        ranked.reduce(|best, next| if best.0 < next.0 { best } else { next })?;
    scribe.decided(|| {
        let judged = told.iter().map(|(report, value)| {
            let own = trust.rank(group, report);
            let verdict = match () {
                () if std::ptr::eq(*report, by) => Verdict::Stands,
                () if !usable(value) => Verdict::Unusable,
                () if own > rank => Verdict::Outranked,
                () => Verdict::Older,
            };
            Statement {
                rank: Some(own),
                ..statement(report, verdict)
            }
        });
        let (standing, others) = judged.partition(|s| s.verdict == Verdict::Stands);
        backing(subject, standing, others)
    });
    Some(value)
}

/// Whether a seal was taken off, by the code of DCSA 2 or the word of DCSA 3.
fn is_removal(original: &str) -> bool {
    let original = original.to_ascii_uppercase();
    original.contains("RMVD") || original.contains("REMOVED")
}

/// Every seal that is on, in the order in which they were told.
pub(crate) fn seals<'a>(readings: &[&'a Report], scribe: &mut Scribe<'a>) -> Vec<String> {
    let mut on: Vec<(&'a str, &'a Report)> = Vec::new();
    for report in readings.iter().copied() {
        let Some(equipment) = &report.equipment else {
            continue;
        };
        let told = equipment.seals.iter().map(String::as_str);
        if report.verb == Verb::SealChange && is_removal(&report.original) {
            let off: Vec<&str> = told.collect();
            on.retain(|(seal, _)| !off.contains(seal));
        } else {
            for seal in told {
                if !on.iter().any(|(known, _)| *known == seal) && on.len() < SEALS_MAX {
                    on.push((seal, report));
                }
            }
        }
    }
    if !on.is_empty() {
        scribe.decided(|| {
            let first = |report: &Report| on.iter().any(|(_, by)| std::ptr::eq(*by, report));
            let named = readings.iter().copied().filter(|report| {
                let equipment = report.equipment.as_ref();
                equipment.is_some_and(|equipment| !equipment.seals.is_empty())
            });
            let judged = named.map(|report| {
                let stands = first(report);
                statement(
                    report,
                    if stands {
                        Verdict::Stands
                    } else {
                        Verdict::Repeats
                    },
                )
            });
            let (standing, others) = judged.partition(|s| s.verdict == Verdict::Stands);
            backing(Subject::Seals, standing, others)
        });
    }
    on.into_iter().map(|(seal, _)| seal.to_owned()).collect()
}

fn is_whole(size: SizeType) -> bool {
    size.equipment_type.is_some() && size.length_ft.is_some() && size.height.is_some()
}
