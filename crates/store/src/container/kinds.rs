//! By what a container is held and what it owes, one bit for each kind.
//!
//! Lists are filtered by them, so they are columns of the index of facets: a number of a few bits for each, which both engines
//! can ask for any kind, instead of a table beside it. A bit is never given to another kind: rows are written when their box
//! changes.

use domain::container::{FeeKind, HoldName, Pickup};

/// Any kind.
pub(super) const ANY: i64 = !0;
/// A hold is shown, in force or only announced.
const SHOWN: i64 = 1;

/// The holds of a box.
pub(super) fn holds(pickup: &Pickup) -> i64 {
    let shown = if pickup.has_holds() { SHOWN } else { 0 };
    shown | of_holds(pickup.held_by())
}

/// What is owed for a box.
pub(super) fn fees(pickup: &Pickup) -> i64 {
    pickup.owed().fold(0, |bits, kind| bits | of_fee(kind))
}

/// The bits of holds in force.
pub(super) fn of_holds(names: impl IntoIterator<Item = HoldName>) -> i64 {
    let bits = names.into_iter().map(|name| match name {
        HoldName::Freight => 1 << 1,
        HoldName::Customs => 1 << 2,
        HoldName::Usda => 1 << 3,
        HoldName::Vacis => 1 << 4,
        HoldName::Tmf => 1 << 5,
        HoldName::Other => 1 << 6,
    });
    bits.fold(0, |all, bit| all | bit)
}

/// The bit of a fee.
pub(super) fn of_fee(kind: FeeKind) -> i64 {
    match kind {
        FeeKind::Demurrage => 1,
        FeeKind::Exam => 1 << 1,
        FeeKind::ExtendedDwellTime => 1 << 2,
        FeeKind::Other => 1 << 3,
        FeeKind::Total => 1 << 4,
    }
}
