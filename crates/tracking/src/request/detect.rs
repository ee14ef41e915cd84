//! Finding the line of a request that names none, in the background.
//!
//! What the number tells comes first: a sure answer is taken without a question. Otherwise lines are asked, as
//! far as we have sources for them: those that the number points to, best first, and for a container number all
//! others that answer to container numbers, for who owns a box need not carry it. The first one that knows the
//! number is its line. What it says is thrown away here; the request becomes an ordinary one, with a watch that
//! is due, and is told by the same way as all others.
//!
//! When everybody who can be asked has said that they do not know it, the request ends as
//! `scac_auto_detect_failed`; when somebody could not be reached, it stays pending and is tried again. Two nodes
//! may work at one request at once: the one that commits second finds the line filled in. How many are looked into at once,
//! [searching](super::searching) says.
//!
//! Who may not be asked now (paused, left alone after failures, or what may be asked is asked) has given no answer, and
//! nothing was tried. So while there is such a one, and nobody else knows the number, the request is left as it stands and
//! looked into again when the first of them may be asked, for as long as any request waits: it expires after seven days.
//! Who was asked meanwhile and gave no answer is asked again as after tries that count, and no sooner.

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::Scac;
use domain::ids::AccountId;
use domain::infer::{AUTO_SELECT_PERCENT, CONFIRM_PERCENT, Inference};
use domain::source::Failures;
use domain::tracking_request::number::asked_of;
use domain::tracking_request::{FailedReason, Happening, NumberKind, RequestStatus};
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{Payload, PullFailure, Question};
use store::Key;
use store::tracking_request::{SOON_TRIES_MAX, TrackingRequest};

use super::searching::{NoPlace, Places, PlacesOf};
use super::turns::Mark;
use super::{find_held, inferred, store_change, watched};
use crate::polling::{Outcome, standing};
use crate::source::Says;
use crate::{Source, Tracking, id_source, projection};

/// After trouble, the first tries follow each other by this, the others by [`LATER`]: fourteen in about a day.
const SOON: SignedDuration = SignedDuration::from_mins(1);
const LATER: SignedDuration = SignedDuration::from_mins(130);

/// Requests of an account whose lines are to be looked for now, at most so many, longest untouched first; those behind this one.
pub(super) async fn due(
    tracking: &Tracking,
    account: AccountId,
    after: Option<Mark>,
    most: usize,
) -> Result<Vec<TrackingRequest>, store::Error> {
    let (now, most) = (tracking.now(), at_most(most));
    let due = tracking.store().read(move |tx| {
        let (soon, later) = (now - SOON, now - LATER);
        let mut a = tx.account(account);
        store::tracking_request::undetected(&mut a, now, soon, later, after, most)
    });
    due.await
}

/// Accounts with requests whose lines are to be looked for, now or later; at most so many behind this one.
pub(super) async fn seekers(
    tracking: &Tracking,
    after: Option<AccountId>,
    most: usize,
) -> Result<Vec<AccountId>, store::Error> {
    let most = at_most(most);
    let seekers = tracking
        .store()
        .read(move |tx| store::tracking_request::seekers(tx, after, most));
    seekers.await
}

fn at_most(most: usize) -> u32 {
    u32::try_from(most).unwrap_or(u32::MAX)
}

/// Looks for the line of one request, and writes down what came of it. One that was postponed goes on where it was.
pub(super) async fn search(
    tracking: &Tracking,
    places: &Places,
    account: AccountId,
    row: TrackingRequest,
    mut asked: Asked,
) -> Result<Searched, store::Error> {
    match find(
        tracking,
        &places.of_account(account),
        account,
        &row,
        &mut asked,
    )
    .await
    {
        Ok(found) => {
            settle(tracking, account, &row, found).await?;
            Ok(Searched::Through)
        }
        Err(NotNow::NoPlace(NoPlace::Crowded)) => {
            Ok(Searched::Postponed(asked, Postponed::Crowded))
        }
        Err(NotNow::NoPlace(NoPlace::Closed)) => Ok(Searched::Through),
        Err(NotNow::Closed(opens)) => {
            let now = tracking.now();
            // Those whose silence is over may not be asked themselves.
            let again = asked.silent.values().map(Silence::ends_at);
            let next = again.filter(|at| *at > now).chain(opens).min();
            Ok(Searched::Postponed(asked, Postponed::UntilOpen(next)))
        }
        Err(NotNow::Store(error)) => Err(error),
    }
}

/// How far a search came.
#[derive(Debug)]
pub(super) enum Searched {
    /// To its end, or to that of the service.
    Through,
    /// A source that it needs cannot be asked now. Nothing is written.
    Postponed(Asked, Postponed),
}

/// Why a search goes on later.
#[derive(Clone, Copy, Debug)]
pub(super) enum Postponed {
    /// Enough others wait for the source.
    Crowded,
    /// The source may not be asked. When the first such one may, where that is known, or one that gave no answer is asked
    /// again.
    UntilOpen(Option<Timestamp>),
}

/// What one search has asked.
#[derive(Debug, Default)]
pub(super) struct Asked {
    /// Sources that did not know the number: none is asked twice.
    passed: BTreeSet<String>,
    /// Sources that gave no answer: each is asked again as it would be after tries that count.
    silent: BTreeMap<String, Silence>,
}

impl Asked {
    fn leaves_alone(&self, source: &str, now: Timestamp) -> bool {
        let silence = self.silent.get(source);
        // A clock that was set back lets nobody be silent for longer.
        let lasts = |silence: &Silence| silence.last_at <= now && silence.ends_at() > now;
        self.passed.contains(source) || silence.is_some_and(lasts)
    }

    fn hear_unknown(&mut self, source: &str) {
        self.silent.remove(source);
        self.passed.insert(source.to_owned());
    }

    /// How this source failed for this number, as far as the search remembers.
    fn failures(&self, source: &str) -> Failures {
        self.silent
            .get(source)
            .map_or_else(Failures::default, |silence| Failures {
                in_a_row: silence.tries,
                last_at: Some(silence.last_at),
            })
    }

    fn hear_nothing(&mut self, source: &str, tries_before: u32, now: Timestamp) {
        let tries = self.silent.get(source).map_or(tries_before, |s| s.tries);
        let silence = Silence {
            tries: tries.saturating_add(1),
            last_at: now,
        };
        self.silent.insert(source.to_owned(), silence);
    }
}

/// A source that gave no answer.
#[derive(Debug)]
struct Silence {
    /// Tries of the request, and those of this source since.
    tries: u32,
    last_at: Timestamp,
}

impl Silence {
    fn ends_at(&self) -> Timestamp {
        let lasts = if self.tries <= SOON_TRIES_MAX {
            SOON
        } else {
            LATER
        };
        self.last_at + lasts
    }
}

/// What came of the search.
#[derive(Clone, Copy)]
enum Found {
    Line(Scac),
    Nobody,
    Trouble,
}

/// Why nothing can be said of a request now.
enum NotNow {
    NoPlace(NoPlace),
    /// Nobody who was asked knows the number, and somebody may not be asked; until then, where that is known.
    Closed(Option<Timestamp>),
    Store(store::Error),
}

impl From<NoPlace> for NotNow {
    fn from(why: NoPlace) -> Self {
        Self::NoPlace(why)
    }
}

impl From<store::Error> for NotNow {
    fn from(error: store::Error) -> Self {
        Self::Store(error)
    }
}

async fn find(
    tracking: &Tracking,
    places: &PlacesOf<'_>,
    account: AccountId,
    row: &TrackingRequest,
    asked: &mut Asked,
) -> Result<Found, NotNow> {
    let (shared, number) = (tracking.clone(), row.number.clone());
    let told = tracking
        .store()
        .read(move |tx| inferred(tx, &shared, account, &number))
        .await?;
    let kind = row.progress.kind;
    let lines = told.map(|told| lines(tracking, kind, &told));
    let lines = lines.unwrap_or_default();
    if let [(scac, percent), rest @ ..] = lines.as_slice()
        && *percent >= AUTO_SELECT_PERCENT
        && rest.iter().all(|(_, percent)| *percent < CONFIRM_PERCENT)
    {
        return Ok(Found::Line(*scac));
    }
    ask(tracking, places, row, &lines, asked).await
}

/// Lines that the number points to and that answer to numbers of its kind, best first.
fn lines(tracking: &Tracking, kind: NumberKind, told: &Inference) -> Vec<(Scac, u8)> {
    let candidates = told.candidates.iter();
    candidates
        .filter(|one| {
            let line = tracking.registry().shipping_line(one.scac);
            line.is_some_and(|line| line.supports(kind))
        })
        .map(|one| (one.scac, one.percent))
        .collect()
}

/// Asks one source after the other until one knows the number.
async fn ask(
    tracking: &Tracking,
    places: &PlacesOf<'_>,
    row: &TrackingRequest,
    lines: &[(Scac, u8)],
    asked: &mut Asked,
) -> Result<Found, NotNow> {
    let (kind, tried) = (row.progress.kind, row.progress.retry_count);
    let named = lines
        .iter()
        .filter_map(|(scac, _)| Some((*scac, tracking.source_for(*scac, kind)?)));
    let others = tracking.sources().filter_map(|source| {
        let scac = source.scac()?;
        let named = lines.iter().any(|(named, _)| source.answers(*named, kind));
        // Of two profiles of one line the first is asked.
        let first = tracking.source_for(scac, kind);
        let asks = first.is_some_and(|first| first.id() == source.id());
        let open = kind == NumberKind::Container && asks;
        (open && !named && !source.is_for_trials()).then_some((scac, source))
    });
    let mut closed = Vec::new();
    for (scac, source) in named.chain(others) {
        let id = source.id();
        if asked.leaves_alone(id, tracking.now()) {
            continue;
        }
        let before = asked.failures(id);
        match question(tracking, places, source, kind, &row.number, before).await? {
            Answer::Known => return Ok(Found::Line(scac)),
            // A line may be busy for a moment; one that goes on like this has no other words for a number that it does not know.
            Answer::Unreadable if before.in_a_row.max(tried) >= SOON_TRIES_MAX => {
                asked.hear_unknown(id);
            }
            Answer::Unknown => asked.hear_unknown(id),
            Answer::Unreadable | Answer::None => {
                asked.hear_nothing(id, tried, tracking.now());
            }
            Answer::NotAsked(until) => closed.push(until),
        }
    }
    if !closed.is_empty() {
        return Err(NotNow::Closed(closed.into_iter().flatten().min()));
    }
    Ok(if asked.silent.is_empty() {
        Found::Nobody
    } else {
        Found::Trouble
    })
}

/// What a source says of a number.
enum Answer {
    Known,
    Unknown,
    /// One that nobody can read, with a status of success.
    Unreadable,
    /// It gave none.
    None,
    /// It may not be asked now; until then, where that is known.
    NotAsked(Option<Timestamp>),
}

async fn question(
    tracking: &Tracking,
    places: &PlacesOf<'_>,
    source: &Source,
    kind: NumberKind,
    number: &str,
    before: Failures,
) -> Result<Answer, NotNow> {
    let Some(budget) = standing::budget(source) else {
        return Ok(Answer::None);
    };
    // Before the budget: what is taken out of it is asked at once, and a source that broke meanwhile is not asked.
    let _place = places.at(source).await?;
    if !source.is_for_trials()
        && let Err(closed) = standing::admit(tracking, source, budget).await?
    {
        return Ok(Answer::NotAsked(closed.until));
    }
    let question = Question {
        kind,
        number: asked_of(kind, number),
    };
    let now = tracking.now();
    let pulled = source.pull(&question, None, now).await;
    let outcome = Outcome::of(&pulled, before);
    let answer = match &pulled.answer {
        Ok(pages) => {
            let says =
                |page: &Payload| source.says_of_a_number(&page.bytes, now, tracking.gazetteer());
            match pages.iter().map(says).max() {
                Some(Says::Something) => {
                    tracking.proofs().told(source, &question);
                    Answer::Known
                }
                Some(Says::Unreadable) => Answer::Unreadable,
                Some(Says::Nothing) | None => Answer::Unknown,
            }
        }
        Err(
            PullFailure::NotFound
            | PullFailure::NotAsked
            | PullFailure::InvalidNumber(_)
            | PullFailure::DataUnavailable,
        ) => Answer::Unknown,
        Err(_) => Answer::None,
    };
    if let Err(error) = standing::note(tracking, source.login(), outcome).await {
        tracing::warn!(%error, source = source.id(), "what came of a question could not be noted");
    }
    Ok(answer)
}

async fn settle(
    tracking: &Tracking,
    account: AccountId,
    row: &TrackingRequest,
    found: Found,
) -> Result<(), store::Error> {
    let now = tracking.now();
    let (ids, id, shared) = (id_source(now), row.id, tracking.clone());
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let Some(row) = find_held(tx, account, id)? else {
                return Ok(());
            };
            if row.scac.is_some() || row.progress.status != RequestStatus::Pending {
                return Ok(());
            }
            let happening = match found {
                Found::Line(scac) => {
                    let mut a = tx.account(account);
                    let (number, docket) = (&row.number, row.docket);
                    let open =
                        store::tracking_request::find_open(&mut a, number, docket, Some(scac))?;
                    if open.is_none() {
                        let ids = &mut ids.clone();
                        return go_on(tx, &shared, account, row, scac, ids, now);
                    }
                    Happening::ShipmentExists
                }
                Found::Nobody => Happening::CarrierNotInferred,
                Found::Trouble => Happening::Trouble(FailedReason::ShippingLineUnreachable),
            };
            projection::conclude(tx, &shared, account, id, happening)
        })
        .await?;
    tracking.nudges().poll();
    tracking.nudges().deliver();
    Ok(())
}

/// The line is known: from here on it is a request like any other.
fn go_on(
    tx: &mut store::Tx,
    tracking: &Tracking,
    account: AccountId,
    mut row: TrackingRequest,
    scac: Scac,
    ids: &mut domain::ids::IdSource,
    now: Timestamp,
) -> Result<(), store::Error> {
    let source = tracking.source_for(scac, row.progress.kind);
    let watch = source.map(|source| {
        watched(
            tx,
            account,
            source.id(),
            row.progress.kind,
            &row.number,
            ids,
            now,
        )
    });
    row.watch = watch.transpose()?.map(|watch| watch.id);
    row.scac = Some(scac);
    row.progress.failed_reason = None;
    row.progress.is_retrying = false;
    row.progress.retry_count = 0;
    store_change(&mut tx.account(account), &mut row, now)
}
