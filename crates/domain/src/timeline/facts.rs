//! What the box is and carries: size and type, gross mass, seals.
//!
//! Type, length and height are taken together from one source or not at all; half of one and half of another
//! describe a box that does not exist. Lines and people know the type better, scales at the quay know the mass
//! better, and seals are a union: a box may carry several, and one that was taken off is taken out.

use rust_decimal::Decimal;

use crate::codes::SizeType;
use crate::report::{Report, SourceKind, Verb};

/// Below this a container weighs less than itself (kilograms).
const GROSS_KG_MIN: i64 = 1_800;
/// Above this no container may be lifted (kilograms).
const GROSS_KG_MAX: i64 = 40_000;
/// Seals kept for one box.
const SEALS_MAX: usize = 16;

/// The best size-type that tells all three parts, else the best that tells any.
pub(crate) fn size_type(readings: &[&Report]) -> SizeType {
    let told = |whole: bool| {
        let coded = readings.iter().filter_map(|report| {
            let code = report.equipment.as_ref()?.iso_type.as_deref()?;
            let parsed = SizeType::parse(code);
            let counts = if whole {
                is_whole(parsed)
            } else {
                parsed != SizeType::default()
            };
            counts.then_some((line_first(report.source_kind), parsed))
        });
        // Readings come oldest first; among equal ranks the last one stands.
        coded.fold(None, |best: Option<(u8, SizeType)>, next| match best {
            Some(best) if best.0 < next.0 => Some(best),
            _ => Some(next),
        })
    };
    told(true)
        .or_else(|| told(false))
        .map_or_else(SizeType::default, |(_, size)| size)
}

/// Gross mass, from the party with the scale.
pub(crate) fn gross_kg(readings: &[&Report]) -> Option<Decimal> {
    let bounds = Decimal::from(GROSS_KG_MIN)..=Decimal::from(GROSS_KG_MAX);
    let weighed = readings.iter().filter_map(|report| {
        let kg = report.equipment.as_ref()?.gross_kg?;
        bounds
            .contains(&kg)
            .then_some((quay_first(report.source_kind), kg))
    });
    let best = weighed.fold(None, |best: Option<(u8, Decimal)>, next| match best {
        Some(best) if best.0 < next.0 => Some(best),
        _ => Some(next),
    });
    best.map(|(_, kg)| kg.normalize())
}

/// Every seal that is on, in the order in which they were told.
pub(crate) fn seals(readings: &[&Report]) -> Vec<String> {
    let mut on: Vec<&str> = Vec::new();
    for report in readings {
        let Some(equipment) = &report.equipment else {
            continue;
        };
        let told = equipment.seals.iter().map(String::as_str);
        if report.verb == Verb::SealChange && report.original.to_ascii_uppercase().contains("RMVD")
        {
            let off: Vec<&str> = told.collect();
            on.retain(|seal| !off.contains(seal));
        } else {
            for seal in told {
                if !on.contains(&seal) && on.len() < SEALS_MAX {
                    on.push(seal);
                }
            }
        }
    }
    on.into_iter().map(str::to_owned).collect()
}

fn is_whole(size: SizeType) -> bool {
    size.equipment_type.is_some() && size.length_ft.is_some() && size.height.is_some()
}

fn line_first(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Manual => 0,
        SourceKind::Dcsa2 | SourceKind::Dcsa3 | SourceKind::CarrierApi => 1,
        SourceKind::X12_315 | SourceKind::Iftsta => 2,
        _ => 3,
    }
}

fn quay_first(kind: SourceKind) -> u8 {
    match kind {
        SourceKind::Manual => 0,
        SourceKind::TerminalApi | SourceKind::Coarri | SourceKind::Codeco => 1,
        SourceKind::Dcsa2 | SourceKind::Dcsa3 | SourceKind::CarrierApi => 2,
        _ => 3,
    }
}
