//! Complete lists that several rows tell together.
//!
//! Rows of one box, place and moment add to each other's holds and fees, wherever in the file they stand; what a portal says
//! of two terminals is two lists. A file that is read whole adds to the list that is there. Of one that is read in parts,
//! the lists that are told more than once are found out first; they wait for their last row, everything else is given at
//! once.

use std::collections::BTreeMap;

use domain::codes::{ContainerNumber, UnLocode};
use domain::report::Value;
use jiff::Timestamp;

use crate::Located;

/// Whose list it is, of which place and moment, and of what.
type List = (
    ContainerNumber,
    (Option<UnLocode>, Option<String>),
    Option<Timestamp>,
    &'static str,
);

/// What is known of the lists of a file.
pub(super) enum Lists {
    /// Where each stands among the reports, all of which are held.
    Held(BTreeMap<List, usize>),
    /// How often each is told; nothing is held.
    Counted(BTreeMap<List, u32>),
    /// Those that are told more than once: how often they are still to come, and what came.
    Awaited(BTreeMap<List, (u32, Option<Located>)>),
}

/// What becomes of a claim.
pub(super) enum Taken {
    /// It is one of its own.
    Own(Located),
    /// It was added to one that came before, or waits to be added to; whether it is the first of its list, and the
    /// list where this was its last row.
    Joined { first: bool, whole: Option<Located> },
}

impl Lists {
    /// The lists that are worth waiting for, once all were counted.
    pub(super) fn awaited(self) -> Self {
        let counted = match self {
            Self::Counted(counted) => counted,
            Self::Held(_) | Self::Awaited(_) => BTreeMap::new(),
        };
        let several = counted.into_iter().filter(|(_, times)| *times > 1);
        Self::Awaited(several.map(|(list, times)| (list, (times, None))).collect())
    }

    /// Takes a claim; `reports` are those that are held.
    pub(super) fn take(&mut self, located: Located, reports: &mut [Located]) -> Taken {
        let Some(list) = list_of(&located) else {
            return Taken::Own(located);
        };
        match self {
            Self::Held(places) => {
                if let Some(before) = places.get(&list).and_then(|at| reports.get_mut(*at)) {
                    join(&mut before.report.value, located.report.value);
                    return Taken::joined();
                }
                places.insert(list, reports.len());
                Taken::Own(located)
            }
            Self::Counted(counted) => {
                let times = counted.entry(list).or_default();
                *times += 1;
                match times {
                    1 => Taken::Own(located),
                    _ => Taken::joined(),
                }
            }
            Self::Awaited(open) => match open.get_mut(&list) {
                Some((left, waiting)) => await_more(left, waiting, located),
                None => Taken::Own(located),
            },
        }
    }

    /// Lists that waited in vain.
    pub(super) fn left(&mut self) -> Vec<Located> {
        match self {
            Self::Awaited(open) => std::mem::take(open)
                .into_values()
                .filter_map(|(_, waiting)| waiting)
                .collect(),
            Self::Held(_) | Self::Counted(_) => Vec::new(),
        }
    }
}

impl Taken {
    fn joined() -> Self {
        Self::Joined {
            first: false,
            whole: None,
        }
    }
}

fn await_more(left: &mut u32, waiting: &mut Option<Located>, located: Located) -> Taken {
    *left = left.saturating_sub(1);
    let first = waiting.is_none();
    match waiting {
        Some(before) => join(&mut before.report.value, located.report.value),
        None => *waiting = Some(located),
    }
    let whole = if *left == 0 { waiting.take() } else { None };
    Taken::Joined { first, whole }
}

/// Which complete list this is a part of.
fn list_of(located: &Located) -> Option<List> {
    let report = &located.report;
    let list = match report.value {
        Some(Value::Holds(_)) => "holds",
        Some(Value::Fees(_)) => "fees",
        _ => return None,
    };
    let number = report.equipment.as_ref()?.number;
    let place = (report.place.locode, report.place.facility_code.clone());
    Some((number, place, report.reported_at, list))
}

fn join(before: &mut Option<Value>, more: Option<Value>) {
    match (before, more) {
        (Some(Value::Holds(all)), Some(Value::Holds(more))) => {
            all.extend(more);
            all.sort();
            all.dedup();
        }
        (Some(Value::Fees(all)), Some(Value::Fees(more))) => {
            // A row that repeats what another says adds nothing: of equal fees there are as many as the row has that has most.
            let mut told = all.clone();
            for fee in more {
                match told.iter().position(|one| *one == fee) {
                    Some(place) => drop(told.swap_remove(place)),
                    None => all.push(fee),
                }
            }
            all.sort();
        }
        _ => {}
    }
}
