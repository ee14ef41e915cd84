//! Writes down what decisions took and what they left, when somebody asks.
//!
//! Every decision of the fold tells the scribe. For the state, which is computed with every message, it is
//! silent and asks for nothing, so that telling costs a branch. For a
//! [`Provenance`](crate::provenance::Provenance) it writes. Either way the decision is the same one.

use super::readings::by_issue;
use super::source::verbs;
use crate::container::LfdOwner;
use crate::provenance::{Backing, Basis, Provenance, Statement, Subject, Verdict};
use crate::report::{Doubt, Report, SourceKind, Verb};

/// Who listens to decisions.
pub(crate) struct Scribe<'a> {
    minutes: Option<Minutes<'a>>,
}

#[derive(Default)]
struct Minutes<'a> {
    backings: Vec<Backing<'a>>,
    aside: Vec<Aside<'a>>,
}

/// A claim that counted for nothing before any value was decided.
struct Aside<'a> {
    report: &'a Report,
    verdict: Verdict,
    /// The claim that stands in its place.
    by: Option<&'a Report>,
}

impl<'a> Scribe<'a> {
    /// One that writes nothing.
    pub fn silent() -> Self {
        Self { minutes: None }
    }

    /// One that writes.
    pub fn writing() -> Self {
        Self {
            minutes: Some(Minutes::default()),
        }
    }

    pub fn is_writing(&self) -> bool {
        self.minutes.is_some()
    }

    /// A value was decided.
    pub fn decided(&mut self, decision: impl FnOnce() -> Backing<'a>) {
        if let Some(minutes) = &mut self.minutes {
            minutes.backings.push(decision());
        }
    }

    /// Claims were put aside, each perhaps for another one.
    pub fn put_aside<R>(&mut self, verdict: Verdict, claims: impl FnOnce() -> R)
    where
        R: IntoIterator<Item = (&'a Report, Option<&'a Report>)>,
    {
        if let Some(minutes) = &mut self.minutes {
            let claims = claims().into_iter();
            minutes.aside.extend(claims.map(|(report, by)| Aside {
                report,
                verdict,
                by,
            }));
        }
    }

    /// The last free day of this owner is of a place that the box has left.
    pub fn gives_way(&mut self, owner: LfdOwner) {
        let backings = self.minutes.iter_mut().flat_map(|m| &mut m.backings);
        for backing in backings.filter(|b| b.subject == Subject::LastFreeDay(owner)) {
            let left = backing.standing.drain(..).map(|statement| Statement {
                verdict: Verdict::Elsewhere,
                ..statement
            });
            backing.others.extend(left);
        }
    }

    /// The terminal has been silent for a day: what it said about collecting the box may no longer be so.
    pub fn terminal_is_silent(&mut self) {
        let by_terminal = |s: &Statement<'_>| s.report.source_kind == SourceKind::TerminalApi;
        for backing in self.minutes.iter_mut().flat_map(|m| &mut m.backings) {
            let changes = matches!(
                backing.subject,
                Subject::Available | Subject::Holds | Subject::Fees
            );
            backing.stale |= changes && backing.standing.iter().any(by_terminal);
        }
    }

    /// All that was written, each claim that was put aside beside the value it would be about.
    pub fn provenance(self) -> Provenance<'a> {
        let Some(Minutes {
            mut backings,
            aside,
        }) = self.minutes
        else {
            return Provenance::default();
        };
        let mut set_aside = Vec::new();
        for aside in aside {
            let mut found = false;
            for backing in backings.iter_mut().filter(|b| concerns(b, &aside)) {
                found = true;
                if !mentions(backing, aside.report) {
                    backing.others.push(statement(aside.report, aside.verdict));
                }
            }
            let told = || {
                set_aside
                    .iter()
                    .any(|s: &Statement<'_>| is(s, aside.report))
            };
            if !found && !told() {
                set_aside.push(statement(aside.report, aside.verdict));
            }
        }
        for backing in &mut backings {
            let newest_first = |a: &Statement<'_>, b: &Statement<'_>| by_issue(b.report, a.report);
            backing.others.sort_by(newest_first);
            backing.basis = basis(backing);
        }
        Provenance {
            backings,
            set_aside,
        }
    }
}

/// A value that was taken from these claims, and what else was said about it.
pub(crate) fn backing<'a>(
    subject: Subject,
    standing: Vec<Statement<'a>>,
    others: Vec<Statement<'a>>,
) -> Backing<'a> {
    Backing {
        subject,
        basis: Basis::Reported,
        standing,
        others,
        follows: Vec::new(),
        stale: false,
    }
}

/// A claim without rank.
pub(crate) fn statement(report: &Report, verdict: Verdict) -> Statement<'_> {
    Statement {
        report,
        rank: None,
        verdict,
        gives: Vec::new(),
        contradicts: false,
    }
}

fn basis(backing: &Backing<'_>) -> Basis {
    let mut standing = backing.standing.iter().map(|s| s.report);
    let corrects = |stands: &Statement<'_>| {
        let mut before = backing.others.iter();
        before.any(|s| s.verdict == Verdict::Corrected && s.report.source == stands.report.source)
    };
    if standing
        .clone()
        .any(|r| r.source_kind == SourceKind::Manual)
    {
        Basis::Entered
    } else if backing.standing.is_empty() || standing.all(is_told_on_the_side) {
        Basis::Derived
    } else if backing.standing.iter().any(corrects) {
        Basis::Corrected
    } else {
        Basis::Reported
    }
}

fn is_told_on_the_side(report: &Report) -> bool {
    report.doubts.contains(&Doubt::Derived)
}

fn is(statement: &Statement<'_>, report: &Report) -> bool {
    std::ptr::eq(statement.report, report)
}

fn mentions(backing: &Backing<'_>, report: &Report) -> bool {
    let mut all = backing.standing.iter().chain(&backing.others);
    all.any(|statement| is(statement, report))
}

/// Whether a claim that was put aside would be about this value: it was replaced by one that is, or it says the
/// same kind of thing.
fn concerns(backing: &Backing<'_>, aside: &Aside<'_>) -> bool {
    let is_reading = matches!(aside.verdict, Verdict::Corrected | Verdict::Repeats);
    if let Some(by) = aside.by.filter(|_| is_reading) {
        return mentions(backing, by);
    }
    let report = aside.report;
    match &backing.subject {
        Subject::Milestone(slot) => {
            let here = report.place.locode.is_none()
                || aside.verdict == Verdict::Misplaced
                || report.place.locode == slot.place
                || backing
                    .standing
                    .iter()
                    .any(|s| s.report.place.locode == report.place.locode);
            verbs(slot.event).contains(&report.verb) && here && is_same_load(backing, report)
        }
        Subject::Holds => matches!(report.verb, Verb::HoldSet | Verb::HoldClear),
        Subject::Fees => report.verb == Verb::Fee,
        Subject::Available => matches!(report.verb, Verb::Available | Verb::NotAvailable),
        Subject::Appointment => report.verb == Verb::Appointment,
        _ => false,
    }
}

/// Of a laden box and of an empty one are two stories.
fn is_same_load(backing: &Backing<'_>, report: &Report) -> bool {
    let laden = |report: &Report| report.equipment.as_ref().and_then(|e| e.laden);
    let mut standing = backing.standing.iter();
    standing.all(|s| match (laden(s.report), laden(report)) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    })
}
