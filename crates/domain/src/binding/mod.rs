//! Which claims belong to a shipment, among those that came unasked.
//!
//! A source that is asked about a number answers about that number. Pushes and files name boxes, and the same
//! steel goes on many voyages. So a claim is bound by the bill or booking it names; one that names neither is
//! believed about a box only while the box is on this journey: from a week before the first plan or the empty
//! pick-up until a day after the empty return. A box of which nothing else is known is believed to be on this
//! journey only from some weeks before somebody asked for it: what it did before was somebody else's. A claim may
//! name a paper that nobody tied to ours: a booking, where only the bill is known. It may be ours under that number,
//! until the moves of the box prove that another's trip has begun: then all that names this paper is another's.
//! What fits nowhere yet is kept and looked at again each time.
//!
//! Like all that decides about truth this is a function of the set of claims: in whatever order they came, the
//! same ones are bound.

mod other_trips;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::codes::{ContainerNumber, Scac};
use crate::place::Gazetteer;
use crate::report::{Classifier, References, Report, SourceKind, Verb};
use crate::tracking_request::NumberKind;

/// Claims of a journey may be this much older than its first plan or its empty pick-up.
const BEFORE_JOURNEY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Claims of a journey may be this much younger than its empty return.
const AFTER_RETURN: SignedDuration = SignedDuration::from_hours(24);

/// What a shipment is known by.
#[derive(Clone, Copy, Debug)]
pub struct Followed<'a> {
    /// What kind of number.
    pub kind: NumberKind,
    /// The number.
    pub number: &'a str,
    /// Codes of its line; none when the line is not known.
    pub lines: &'a [Scac],
    /// A box of which nothing else is known is not on a journey that began before this; `None`: it may be.
    pub since: Option<Timestamp>,
}

/// A claim that came unasked.
#[derive(Clone, Copy, Debug)]
pub struct Unasked<'a> {
    /// What is claimed.
    pub claim: &'a Report,
    /// Whether it stands: one that was taken back puts no box on a bill.
    pub stands: bool,
}

/// For each of the `unasked` claims whether it belongs to the shipment, of which `asked` were told in answer to
/// questions about it, and stand.
pub fn bound(
    followed: Followed<'_>,
    asked: &[&Report],
    unasked: &[Unasked<'_>],
    gazetteer: &Gazetteer,
) -> Vec<bool> {
    let claims: Vec<&Report> = unasked.iter().map(|one| one.claim).collect();
    let mut papers = Papers::of(followed, asked, &claims);
    let verdicts = papers.judge(&claims);
    let ours = unasked.iter().zip(&verdicts);
    let ours = ours.filter(|(one, verdict)| one.stands && **verdict == Verdict::Ours);
    let mut told: Vec<&Report> = asked.to_vec();
    told.extend(ours.map(|(one, _)| one.claim));
    let boxes = boxes(followed, &told);
    // A box that is asked for by its number is followed on its last trip, whoever's it is.
    let others = if followed.kind == NumberKind::Container {
        BTreeMap::new()
    } else {
        let besides = unasked.iter().zip(&verdicts);
        let besides = besides.filter(|(one, verdict)| one.stands && **verdict != Verdict::Ours);
        let besides: Vec<&Report> = besides.map(|(one, _)| one.claim).collect();
        other_trips::of(&told, &besides, &papers, gazetteer)
    };
    claims
        .iter()
        .zip(verdicts)
        .map(|(claim, verdict)| match verdict {
            Verdict::Ours => true,
            Verdict::Foreign => false,
            Verdict::Silent => {
                let number = claim.equipment.as_ref().map(|equipment| equipment.number);
                number.is_some_and(|number| {
                    boxes.contains(&number)
                        && !others
                            .get(&number)
                            .is_some_and(|others| others.has(claim, &papers))
                        && Voyage::of(number, &told, &claims, followed.since).holds(claim)
                })
            }
        })
        .collect()
}

/// What the papers that a claim names tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// It names a paper of the shipment.
    Ours,
    /// It names papers, and they are others'.
    Foreign,
    /// It names none that could be compared.
    Silent,
}

/// The bills and bookings of a shipment.
struct Papers<'a> {
    bills: BTreeSet<String>,
    bookings: BTreeSet<String>,
    lines: &'a [Scac],
    /// Numbers that somebody names who has none of his own.
    known_to_others: BTreeSet<String>,
}

impl<'a> Papers<'a> {
    fn of(followed: Followed<'a>, asked: &[&Report], unasked: &[&Report]) -> Self {
        let mut papers = Self::followed(followed);
        papers.hear_of(asked.iter().chain(unasked).copied());
        papers.learn(asked.iter().copied());
        papers
    }

    fn followed(followed: Followed<'a>) -> Self {
        let mut papers = Self {
            bills: BTreeSet::new(),
            bookings: BTreeSet::new(),
            lines: followed.lines,
            known_to_others: BTreeSet::new(),
        };
        let number = papers.plain(followed.number);
        match followed.kind {
            NumberKind::BillOfLading => papers.bills.insert(number),
            NumberKind::Booking => papers.bookings.insert(number),
            NumberKind::Container => false,
        };
        papers
    }

    /// Notes which numbers are named by others than those who send their own.
    fn hear_of<'r>(&mut self, claims: impl Iterator<Item = &'r Report> + Clone) {
        if claims.clone().all(|claim| own_bills(claim).is_empty()) {
            return;
        }
        let others = claims.filter(|claim| !has_own_bills(claim.source_kind));
        let named = others.flat_map(|claim| {
            let References {
                bills, bookings, ..
            } = &claim.references;
            bills.iter().chain(bookings)
        });
        self.known_to_others = named.map(|paper| self.plain(paper)).collect();
    }

    /// The bills that a claim names, but for a haulier's or railroad's own number.
    fn bills_of<'r>(&self, claim: &'r Report) -> impl Iterator<Item = &'r String> {
        let has_own = has_own_bills(claim.source_kind);
        let bills = claim.references.bills.iter();
        bills.filter(move |bill| !has_own || self.is_known(&self.plain(bill)))
    }

    /// Whether a number, as it is compared, is one of ours or of somebody who has none of his own.
    fn is_known(&self, plain: &str) -> bool {
        self.has(plain) || self.known_to_others.contains(plain)
    }

    /// Judges claims until nothing more is learned: one that names our bill may name its booking too.
    fn judge(&mut self, claims: &[&Report]) -> Vec<Verdict> {
        loop {
            let known = (self.bills.len(), self.bookings.len());
            let verdicts: Vec<Verdict> = claims.iter().map(|claim| self.verdict(claim)).collect();
            self.learn(chosen(claims, &verdicts, Verdict::Ours));
            if known == (self.bills.len(), self.bookings.len()) {
                return verdicts;
            }
        }
    }

    /// Bills are compared before bookings: one booking may be shipped on several bills.
    fn verdict(&self, claim: &Report) -> Verdict {
        if self.is_of_another_line(claim) {
            return Verdict::Foreign;
        }
        let bills: Vec<&String> = self.bills_of(claim).collect();
        let bookings = claim.references.bookings.iter().collect();
        for (named, known) in [(bills, &self.bills), (bookings, &self.bookings)] {
            // Some write the number of the one in the place of the other.
            if named.iter().any(|paper| self.has(&self.plain(paper))) {
                return Verdict::Ours;
            }
            if !named.is_empty() && !known.is_empty() {
                return Verdict::Foreign;
            }
        }
        Verdict::Silent
    }

    /// Numbers of bills are unique for each line only. Railroads, terminals and hauliers name themselves, not
    /// the line, and are not judged by that.
    fn is_of_another_line(&self, claim: &Report) -> bool {
        let named = claim.references.scac;
        claim.source_kind.speaks_for_line()
            && !self.lines.is_empty()
            && named.is_some_and(|line| !self.lines.contains(&line))
    }

    /// Takes in what else ours is called. A line knows which is which; of others a number in the other one's place is
    /// known already, before any of these.
    fn learn<'r>(&mut self, claims: impl Iterator<Item = &'r Report>) {
        let (mut bills, mut bookings) = (Vec::new(), Vec::new());
        for claim in claims {
            let is_line = claim.source_kind.speaks_for_line();
            let new = |paper: &String| {
                let plain = self.plain(paper);
                (is_line || !self.has(&plain)).then_some(plain)
            };
            bills.extend(self.bills_of(claim).filter_map(new));
            bookings.extend(claim.references.bookings.iter().filter_map(new));
        }
        self.bills.extend(bills);
        self.bookings.extend(bookings);
    }

    /// Whether a number, as it is compared, is one of ours.
    fn has(&self, plain: &str) -> bool {
        self.bills.contains(plain) || self.bookings.contains(plain)
    }

    /// A number as it is compared: capital letters and digits, without the line's code in front.
    fn plain(&self, number: &str) -> String {
        let plain: String = number
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .map(|letter| letter.to_ascii_uppercase())
            .collect();
        let cut = self.lines.iter().find_map(|line| {
            plain
                .strip_prefix(line.as_str())
                .filter(|rest| !rest.is_empty())
        });
        cut.map_or(plain.clone(), str::to_owned)
    }
}

/// Takes out of what hauliers and railroads say the bills that nobody else names, and that are not the one which is followed:
/// loads and waybills of their own, which tell nothing of whose the goods are. For what is left once it is [`bound`], where
/// they still tell one trip from another.
pub fn forget_own_numbers<'r>(
    followed: Followed<'_>,
    claims: impl Iterator<Item = &'r mut Report>,
) {
    let claims: Vec<&mut Report> = claims.collect();
    let mut papers = Papers::followed(followed);
    papers.hear_of(claims.iter().map(|claim| &**claim));
    for claim in claims {
        if has_own_bills(claim.source_kind) {
            let bills = &mut claim.references.bills;
            bills.retain(|bill| papers.is_known(&papers.plain(bill)));
        }
    }
}

/// The bills of those who send their own numbers as such.
fn own_bills(claim: &Report) -> &[String] {
    let bills = Some(claim.references.bills.as_slice());
    bills
        .filter(|_| has_own_bills(claim.source_kind))
        .unwrap_or_default()
}

/// Whether those who send this number their own bills: loads of hauliers, waybills of railroads.
fn has_own_bills(kind: SourceKind) -> bool {
    matches!(
        kind,
        SourceKind::X12_214 | SourceKind::X12_322 | SourceKind::Clm | SourceKind::RailApi
    )
}

fn chosen<'r>(
    claims: &[&'r Report],
    verdicts: &[Verdict],
    wanted: Verdict,
) -> impl Iterator<Item = &'r Report> {
    claims
        .iter()
        .zip(verdicts)
        .filter(move |(_, verdict)| **verdict == wanted)
        .map(|(claim, _)| *claim)
}

fn boxes(followed: Followed<'_>, told: &[&Report]) -> BTreeSet<ContainerNumber> {
    let own = (followed.kind == NumberKind::Container)
        .then(|| ContainerNumber::from_feed(followed.number).ok())
        .flatten()
        .map(|(number, _)| number);
    told.iter()
        .filter_map(|claim| claim.equipment.as_ref())
        .map(|equipment| equipment.number)
        .chain(own)
        .collect()
}

/// The time of one box on this journey; an end that is open is not known yet.
#[derive(Debug, PartialEq, Eq)]
struct Voyage {
    from: Option<Timestamp>,
    until: Option<Timestamp>,
}

impl Voyage {
    /// By what is known to belong; where nothing is, by the last empty pick-up that anybody told of, and not before `since`.
    fn of(
        number: ContainerNumber,
        told: &[&Report],
        unasked: &[&Report],
        since: Option<Timestamp>,
    ) -> Self {
        let known = about(number, told);
        if known.is_empty() {
            let picked = about(number, unasked).into_iter().filter(|c| is_pick_up(c));
            let picked = picked.map(time).max().map(|at| at - BEFORE_JOURNEY);
            return Self {
                from: picked.max(since),
                until: None,
            };
        }
        let opens = |claim: &&&Report| claim.classifier == Classifier::Planned || is_pick_up(claim);
        let first = known.iter().filter(opens).map(|claim| time(claim)).min();
        let first = first.or_else(|| known.iter().map(|claim| time(claim)).min());
        let last = known
            .iter()
            .filter(|claim| claim.classifier == Classifier::Actual && !claim.is_seen_gone())
            .max_by_key(|claim| time(claim));
        Self {
            from: first.map(|at| at - BEFORE_JOURNEY),
            until: last
                .filter(|claim| is_return(claim))
                .map(|claim| time(claim) + AFTER_RETURN),
        }
    }

    fn holds(&self, claim: &Report) -> bool {
        let at = time(claim);
        self.from.is_none_or(|from| from <= at) && self.until.is_none_or(|until| at <= until)
    }
}

fn about<'r>(number: ContainerNumber, claims: &[&'r Report]) -> Vec<&'r Report> {
    let names = |claim: &&&Report| {
        claim
            .equipment
            .as_ref()
            .is_some_and(|equipment| equipment.number == number)
    };
    claims.iter().filter(names).copied().collect()
}

fn time(claim: &Report) -> Timestamp {
    let occurred = claim.occurred.as_ref().map(|occurred| occurred.at);
    occurred.unwrap_or_else(|| claim.issued_at())
}

fn is_pick_up(claim: &Report) -> bool {
    is_empty_move(claim, Verb::GateOut)
}

fn is_return(claim: &Report) -> bool {
    is_empty_move(claim, Verb::GateIn)
}

fn is_empty_move(claim: &Report, verb: Verb) -> bool {
    let laden = claim
        .equipment
        .as_ref()
        .and_then(|equipment| equipment.laden);
    claim.verb == verb && claim.classifier == Classifier::Actual && laden == Some(false)
}
