//! Events that are taken back by their sender's id alone.
//!
//! A report is filed under the numbers it names. A retraction of DCSA 3.0 may name none (a retracted id, no payload), or fewer
//! than its event did; it is filed where its event was ([`store::recall`]). One that comes before its event is filed along
//! with it, also where the event comes as an answer.

use std::collections::{BTreeMap, BTreeSet};

use domain::ids::AccountId;
use domain::report::{Report, SourceKind};
use store::Tx;
use store::docket::Number;
use store::recall::{self, Recall, Told};
use store::report::Written;

use super::filing::Said;

/// What is filed beside a piece, or otherwise than it says.
#[derive(Default)]
pub(crate) struct Recalls {
    /// Numbers of retractions, by their places in the piece.
    numbers: BTreeMap<usize, Vec<Number>>,
    /// Retractions that came before.
    along: Vec<Said>,
}

impl Recalls {
    /// Notes the ids of a piece, and looks for what takes them back and for what is taken back in it.
    pub(crate) fn of(
        tx: &mut Tx,
        owner: Option<AccountId>,
        piece: &[Said],
    ) -> Result<Self, store::Error> {
        let mut recalls = Self::default();
        let said = piece
            .iter()
            .map(|said| (&said.report, said.numbers.as_slice()));
        for recall in along(tx, owner, said)? {
            recalls.along.push(Said {
                raw: recall.raw,
                written: Written::of(&recall.report),
                report: recall.report,
                numbers: recall.numbers.into_iter().collect(),
            });
        }
        let mut taken_back: Vec<(&str, usize, &Said)> = Vec::new();
        for (place, said) in piece.iter().enumerate() {
            let report = &said.report;
            let id = report.retracts.as_deref();
            taken_back.extend(
                id.filter(|_| is_known_by_id(report))
                    .map(|id| (id, place, said)),
            );
        }
        // One order for all who write the same ids.
        taken_back.sort_unstable_by_key(|(id, place, _)| (*id, *place));
        for (_, place, said) in taken_back {
            let of_event = recall::take_back(tx, owner, said.raw, &said.report)?;
            let own = said.numbers.iter().cloned();
            let numbers: BTreeSet<Number> = own.chain(of_event).collect();
            recalls.numbers.insert(place, numbers.into_iter().collect());
        }
        Ok(recalls)
    }

    /// What is filed, and under which numbers.
    pub(crate) fn with<'p>(&'p self, piece: &'p [Said]) -> Vec<(&'p Said, &'p [Number])> {
        let of_piece = piece.iter().enumerate().map(|(place, said)| {
            let numbers = self.numbers.get(&place).unwrap_or(&said.numbers);
            (said, numbers.as_slice())
        });
        let along = self
            .along
            .iter()
            .map(|said| (said, said.numbers.as_slice()));
        of_piece.chain(along).collect()
    }
}

/// Notes the ids of these reports with the numbers they name. What takes them back comes along.
pub(super) fn along<'r, N: AsRef<[Number]>>(
    tx: &mut Tx,
    owner: Option<AccountId>,
    said: impl Iterator<Item = (&'r Report, N)>,
) -> Result<Vec<Recall>, store::Error> {
    let mut told: BTreeMap<&str, Told> = BTreeMap::new();
    for (report, numbers) in said {
        let numbers = numbers.as_ref();
        if !is_known_by_id(report) || report.retracts.is_some() || numbers.is_empty() {
            continue;
        }
        let of_source = told.entry(&report.source).or_default();
        for id in report.withdrawable_as() {
            let known = of_source.entry(id.to_owned()).or_default();
            known.extend(numbers.iter().cloned());
        }
    }
    let mut recalls = Vec::new();
    for (source, told) in told {
        recalls.extend(recall::tell(tx, owner, source, &told)?);
    }
    Ok(recalls)
}

/// Whether its sender takes events back by their ids (DCSA Track & Trace 3.0, `retractedEventID` and `isRetracted`).
fn is_known_by_id(report: &Report) -> bool {
    report.source_kind == SourceKind::Dcsa3
}
