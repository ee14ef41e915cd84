//! The reports behind a projection, read once, and the states computed from them, computed once: accounts
//! that follow the same watches share both.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use domain::binding::{Followed, Unasked, bound, forget_own_numbers};
use domain::codes::{ContainerNumber, Scac, UnLocode};
use domain::container::{ContainerState, Estimate, Milestone, Vessel};
use domain::event::EventName;
use domain::ids::{ReferenceId, ReportId, WatchId};
use domain::provenance::Subject as Value;
use domain::report::{Report, SourceKind};
use domain::timeline;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use jsonapi::resource::{raw_event, vessel};
use store::Tx;
use store::report::{Standing, StoredReport};
use store::shipment::Feed;

use super::ending::Heard;
use crate::Tracking;

/// Reports by what they are about.
#[derive(Default)]
pub(crate) struct Evidence {
    read: HashMap<Subject, Rc<Reports>>,
}

/// A shipment, or a request that may become one, with all that feeds it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Subject {
    /// What kind of number.
    pub(crate) kind: NumberKind,
    /// The number.
    pub(crate) number: String,
    /// The line, when it is known.
    pub(crate) scac: Option<Scac>,
    /// Watches that are asked about it, and dockets of its numbers.
    pub(crate) feeds: Vec<Feed>,
    /// A box of which nothing else is known is not on a journey that began before this.
    pub(crate) since: Option<Timestamp>,
}

/// What all reports about a subject say.
pub(crate) struct Reports {
    /// What the watches held, reports of other journeys too.
    standing: Standing,
    heard: Heard,
    computed: BTreeMap<ContainerNumber, Computed>,
}

/// A state with what it was computed from.
#[derive(Clone)]
pub(crate) struct Computed {
    pub(crate) state: ContainerState,
    /// When the state may change by the passing of time.
    pub(crate) due: Option<Timestamp>,
    /// Every report about the container, oldest first.
    reports: Vec<ReportId>,
    /// Those of them that are listed: not what a terminal only repeats.
    pub(crate) listed: Vec<ReportId>,
    /// Whether the box is on the bill: some standing claim names it.
    pub(crate) is_named: bool,
    /// Whether its line says so, or a person: others only see the box, on whose journey ever.
    pub(crate) is_of_line: bool,
    /// What those reports say.
    claims: Vec<Report>,
    /// Those of them that only the account has.
    own: BTreeSet<ReportId>,
}

impl Computed {
    /// What is said of it.
    pub(crate) fn claims(&self) -> impl Iterator<Item = &Report> {
        self.claims.iter()
    }

    /// The ships that claims name, be it that no event does: the claims link to them, and so does the way.
    pub(crate) fn vessels(&self) -> BTreeMap<ReferenceId, Vessel> {
        let named: BTreeSet<Vessel> = self.claims.iter().filter_map(raw_event::vessel).collect();
        let with_id = named
            .into_iter()
            .filter_map(|one| Some((vessel::id(&one)?, one)));
        with_id.collect()
    }

    /// Whether somebody calls a ship so whom all accounts hear: what is everybody's is not written by the word of one.
    pub(crate) fn is_called_so(&self, ship: &Vessel) -> bool {
        let mut claims = self.reports.iter().zip(&self.claims);
        self.own.is_empty()
            || claims.any(|(id, claim)| {
                !self.own.contains(id) && raw_event::vessel(claim).as_ref() == Some(ship)
            })
    }

    /// Whether a report says this already.
    pub(crate) fn says(&self, report: &Report) -> bool {
        let alike = |claim: &&Report| claim.source_event_id == report.source_event_id;
        let mut alike = self.claims.iter().filter(alike);
        alike.any(|claim| claim.content() == report.content())
    }

    /// The report behind a milestone.
    pub(crate) fn source_of_milestone(&self, milestone: &Milestone) -> Option<ReportId> {
        let event = milestone.slot.event;
        self.source(event, milestone.at, milestone.locode, milestone.source)
    }

    /// The report behind an estimate.
    pub(crate) fn source_of_estimate(&self, estimate: &Estimate) -> Option<ReportId> {
        self.source(
            estimate.event,
            estimate.at,
            estimate.locode,
            estimate.source,
        )
    }

    /// Who says where the box is discharged. Asked for when that changes only, so it is worked out again and not kept.
    pub(crate) fn source_of_pod_terminal(
        &self,
        tracking: &Tracking,
        now: Timestamp,
    ) -> Option<SourceKind> {
        let (gazetteer, trust) = (tracking.gazetteer(), tracking.trust());
        let (_, provenance) =
            timeline::provenance(self.state.number, &self.claims, gazetteer, trust, now);
        let mut backings = provenance.backings.iter();
        let backing = backings.find(|one| one.subject == Value::PodTerminal)?;
        backing.standing.first().map(|one| one.report.source_kind)
    }

    fn source(
        &self,
        event: EventName,
        at: Timestamp,
        locode: Option<UnLocode>,
        source: SourceKind,
    ) -> Option<ReportId> {
        let claims: Vec<&Report> = self.claims.iter().collect();
        let found = timeline::source_of(event, at, locode, source, &claims)?;
        self.reports.get(found).copied()
    }

    /// When it was first heard that the box came back empty. Lines say it again with every answer.
    fn return_heard_at(&self) -> Option<Timestamp> {
        let returned = self.state.milestone(EventName::EmptyIn)?;
        let id = self.source_of_milestone(returned)?;
        let place = self.reports.iter().position(|report| *report == id)?;
        let said = self.claims.get(place)?;
        let at = |claim: &Report| claim.occurred.as_ref().map(|occurred| occurred.at);
        let same = self
            .claims
            .iter()
            .filter(|claim| claim.verb == said.verb && at(claim) == at(said));
        same.map(|claim| claim.received_at).min()
    }
}

impl Evidence {
    /// Reports and states of a subject.
    pub(crate) fn of(
        &mut self,
        tx: &mut Tx,
        tracking: &Tracking,
        subject: Subject,
        now: Timestamp,
    ) -> Result<Rc<Reports>, store::Error> {
        let mut read = self.of_all(tx, tracking, vec![subject], now)?;
        read.pop().ok_or(store::Error::Poisoned)
    }

    /// Reports and states of these subjects, in their order; what was not read yet is read together.
    ///
    /// A shipment that shares them was perhaps waited for: what others wrote meanwhile is not overlooked.
    pub(crate) fn of_all(
        &mut self,
        tx: &mut Tx,
        tracking: &Tracking,
        subjects: Vec<Subject>,
        now: Timestamp,
    ) -> Result<Vec<Rc<Reports>>, store::Error> {
        let subjects: Vec<Subject> = subjects.into_iter().map(Subject::in_order).collect();
        let mut unread: Vec<&Subject> = Vec::new();
        for subject in &subjects {
            if !self.is_current(tx, subject)? {
                unread.push(subject);
            }
        }
        let watches: Vec<Vec<WatchId>> = unread.iter().map(|subject| subject.watches()).collect();
        let watches: Vec<&[WatchId]> = watches.iter().map(Vec::as_slice).collect();
        let read = store::report::of_each(tx, &watches)?;
        for (subject, (stored, standing)) in unread.into_iter().zip(read) {
            let (stored, left) = without_renamed(stored);
            let rows = belonging(stored, subject, tracking);
            let heard = heard(&rows);
            let computed = compute(rows, left, &subject.own(), tracking, now);
            let returns = computed.values().filter_map(Computed::return_heard_at);
            let heard = Heard {
                return_at: returns.max(),
                ..heard
            };
            let reports = Reports {
                standing,
                heard,
                computed,
            };
            self.read.insert(subject.clone(), Rc::new(reports));
        }
        let known = subjects.iter().map(|subject| self.read.get(subject));
        let known: Option<Vec<Rc<Reports>>> = known.map(Option::<&Rc<Reports>>::cloned).collect();
        known.ok_or(store::Error::Poisoned)
    }

    /// Whether it was read, and nothing came to it since.
    fn is_current(&self, tx: &mut Tx, subject: &Subject) -> Result<bool, store::Error> {
        match self.read.get(subject) {
            Some(read) => Ok(store::report::standing(tx, &subject.watches())? == read.standing),
            None => Ok(false),
        }
    }
}

impl Subject {
    /// With its feeds in the order in which they count.
    fn in_order(mut self) -> Self {
        self.feeds
            .sort_unstable_by_key(|feed| (!feed.asked, feed.watch));
        self
    }

    /// The dockets that are the account's own.
    fn own(&self) -> BTreeSet<WatchId> {
        let own = self.feeds.iter().filter(|feed| feed.own);
        own.map(|feed| feed.watch).collect()
    }

    fn watches(&self) -> Vec<WatchId> {
        self.feeds.iter().map(|feed| feed.watch).collect()
    }
}

/// A report, and whether its source has not taken it back.
struct Row {
    stored: StoredReport,
    stands: bool,
}

/// Without claims whose source said since that they were about another box; and the boxes that they named.
fn without_renamed(stored: Vec<StoredReport>) -> (Vec<Row>, BTreeSet<ContainerNumber>) {
    let said: Vec<&Report> = stored.iter().map(|row| &row.report).collect();
    let (renamed, retracted) = (timeline::renamed(&said), timeline::retracted(&said));
    let mut left = BTreeSet::new();
    let mut rows = Vec::with_capacity(stored.len());
    for (stored, (renamed, retracted)) in stored.into_iter().zip(renamed.into_iter().zip(retracted))
    {
        if renamed {
            left.extend(
                stored
                    .report
                    .equipment
                    .as_ref()
                    .map(|equipment| equipment.number),
            );
        } else {
            let stands = !retracted;
            rows.push(Row { stored, stands });
        }
    }
    (rows, left)
}

/// What was said in answer to questions about the subject, and of the rest what is bound to it.
fn belonging(mut rows: Vec<Row>, subject: &Subject, tracking: &Tracking) -> Vec<Row> {
    let lines = lines(tracking, subject.scac);
    let followed = Followed {
        kind: subject.kind,
        number: &subject.number,
        lines: &lines,
        since: subject.since,
    };
    let foreign = foreign(&rows, subject, followed, tracking);
    forget_own_numbers(followed, rows.iter_mut().map(|row| &mut row.stored.report));
    let is_ours = |row: &&Row| !foreign.contains(&row.stored.id);
    // What takes back belongs to what it takes back, whatever else it names, and if it names nothing.
    let takes_back = |row: &Row| {
        let mut ours = rows.iter().filter(is_ours).map(|row| &row.stored.report);
        row.stored.report.retracts.is_some() && ours.any(|one| row.stored.report.takes_back(one))
    };
    let kept: Vec<bool> = rows
        .iter()
        .map(|row| is_ours(&row) || takes_back(row))
        .collect();
    let rows = rows.into_iter().zip(kept);
    rows.filter_map(|(row, kept)| kept.then_some(row)).collect()
}

/// Of what came unasked that which is not bound to the subject.
fn foreign(
    rows: &[Row],
    subject: &Subject,
    followed: Followed<'_>,
    tracking: &Tracking,
) -> BTreeSet<ReportId> {
    let was_asked = |row: &Row| {
        let watch = row.stored.watch;
        let feed = subject.feeds.iter().find(|feed| feed.watch == watch);
        feed.is_some_and(|feed| feed.asked)
    };
    let (asked, unasked): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| was_asked(row));
    if unasked.is_empty() {
        return BTreeSet::new();
    }
    let asked = asked.into_iter().filter(|row| row.stands);
    let asked: Vec<&Report> = asked.map(|row| &row.stored.report).collect();
    let others = unasked.iter().map(|row| Unasked {
        claim: &row.stored.report,
        stands: row.stands,
    });
    let verdicts = bound(
        followed,
        &asked,
        &others.collect::<Vec<_>>(),
        tracking.gazetteer(),
    );
    unasked
        .iter()
        .zip(verdicts)
        .filter(|(_, ours)| !ours)
        .map(|(row, _)| row.stored.id)
        .collect()
}

/// All codes of a line.
fn lines(tracking: &Tracking, scac: Option<Scac>) -> Vec<Scac> {
    let Some(scac) = scac else {
        return Vec::new();
    };
    let line = tracking.registry().shipping_line(scac);
    let others = line.map(|line| line.alternative_scacs.clone());
    [scac]
        .into_iter()
        .chain(line.map(|line| line.scac))
        .chain(others.unwrap_or_default())
        .collect()
}

impl Reports {
    /// States of the containers that a request of this kind and number follows.
    pub(crate) fn followed(
        &self,
        kind: NumberKind,
        number: &str,
    ) -> impl Iterator<Item = (&ContainerNumber, &Computed)> {
        let only = (kind == NumberKind::Container).then(|| number.to_owned());
        self.computed.iter().filter(move |(box_number, _)| {
            only.as_ref().is_none_or(|only| only == box_number.as_str())
        })
    }

    /// Whether nothing at all was reported.
    pub(crate) fn is_empty(&self) -> bool {
        self.heard.at.is_none()
    }

    /// When the line last said anything new, and when that the booking is cancelled.
    pub(crate) fn heard(&self) -> Heard {
        self.heard
    }

    /// Whether anybody has said that the booking is cancelled.
    pub(crate) fn booking_cancelled(&self) -> bool {
        self.heard.cancelled_at.is_some()
    }
}

fn heard(rows: &[Row]) -> Heard {
    let said: Vec<&Report> = rows.iter().map(|row| &row.stored.report).collect();
    Heard {
        at: said.iter().map(|report| report.received_at).max(),
        cancelled_at: timeline::booking_cancelled(&said),
        return_at: None,
    }
}

/// What stands about each box. A claim concerns the box it names; one that names none concerns every box of its bill.
fn compute(
    rows: Vec<Row>,
    left: BTreeSet<ContainerNumber>,
    own_dockets: &BTreeSet<WatchId>,
    tracking: &Tracking,
    now: Timestamp,
) -> BTreeMap<ContainerNumber, Computed> {
    let mut about: BTreeMap<ContainerNumber, Vec<Row>> = BTreeMap::new();
    about.extend(left.into_iter().map(|number| (number, Vec::new())));
    let mut of_all = Vec::new();
    for row in rows {
        match row.stored.report.equipment.as_ref().map(|e| e.number) {
            Some(number) => about.entry(number).or_default().push(row),
            None => of_all.push(row.stored),
        }
    }
    let computed = about.into_iter().map(|(number, own)| {
        let names = |row: &&Row| row.stands && row.stored.report.retracts.is_none();
        let is_named = own.iter().any(|row| names(&row));
        let is_of_line = own
            .iter()
            .filter(names)
            .map(|row| row.stored.report.source_kind)
            .any(|kind| kind.speaks_for_line() || kind == SourceKind::Manual);
        let mut about: Vec<StoredReport> = own.into_iter().map(|row| row.stored).collect();
        // What takes back is about whatever it takes back.
        let of_all = of_all
            .iter()
            .filter(|row| is_named || row.report.retracts.is_some());
        let before = about.len();
        about.extend(of_all.cloned());
        if about.len() > before {
            // In the order of the ids again, in which the store gives them.
            about.sort_by_key(|row| row.id);
        }
        let is_own = |row: &&StoredReport| own_dockets.contains(&row.watch);
        let own = about.iter().filter(is_own).map(|row| row.id).collect();
        let (ids, reports): (Vec<ReportId>, Vec<Report>) =
            about.into_iter().map(|row| (row.id, row.report)).unzip();
        let repeated = timeline::repeated(&reports).into_iter();
        let listed = ids.iter().zip(repeated).filter(|(_, repeated)| !repeated);
        let computed = Computed {
            listed: listed.map(|(id, _)| *id).collect(),
            state: timeline::container_state(
                number,
                &reports,
                tracking.gazetteer(),
                tracking.trust(),
                now,
            ),
            due: timeline::due(number, &reports, now),
            reports: ids,
            is_named,
            is_of_line,
            claims: reports,
            own,
        };
        (number, computed)
    });
    computed.collect()
}
