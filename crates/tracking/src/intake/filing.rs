//! Filing: each report of a message under the numbers it names.
//!
//! A piece of a message, or of several short ones, is one transaction: it takes the dockets of all numbers that its reports name, files the
//! reports, and looks who follows these numbers. The followers are brought up to date afterwards, each account in
//! transactions of its own, so that no transaction holds dockets and shipments of many at once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use domain::codes::Scac;
use domain::ids::{AccountId, IdSource, RawMessageId, ReportId, ShipmentId, WatchId};
use domain::report::Report;
use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use sources::registry::Registry;
use store::docket::{self, Followers, Number};
use store::report::{Filing, Written};
use store::{Key, Tx};

use super::count_unmapped;
use super::recalls::{Elsewhere, Recalls};
use crate::projection::{self, Rest};
use crate::{Tracking, id_source};

/// Reports of one piece.
const PIECE_REPORTS_MAX: usize = 256;
/// Shipments brought up to date in one transaction.
const FOLLOWERS_MAX: usize = 128;

/// Where a piece comes from.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) source: String,
    pub(super) account: Option<AccountId>,
}

/// A report, the message it stands in, and the numbers it is filed under.
#[derive(Clone)]
pub(crate) struct Said {
    pub(crate) raw: RawMessageId,
    pub(crate) report: Report,
    pub(crate) written: Written,
    pub(crate) numbers: Vec<Number>,
}

impl Said {
    /// What is filed otherwise than by numbers.
    pub(super) fn of(raw: RawMessageId, report: Report) -> Self {
        Self {
            raw,
            written: Written::of(&report),
            report,
            numbers: Vec::new(),
        }
    }
}

/// What came of a piece.
pub(super) struct Filed {
    /// Who follows its numbers.
    pub(super) followers: Followers,
    /// What of it is still to be filed, where else its events were.
    pub(super) elsewhere: Elsewhere,
}

/// What is filed in one transaction.
pub(crate) type Piece = Vec<Said>;

/// Cuts reports into pieces of bounded size that name a bounded number of numbers.
pub(crate) fn pieces(
    reports: impl Iterator<Item = (RawMessageId, Report)>,
    registry: &Registry,
) -> impl Iterator<Item = Piece> {
    let mut rest = reports.peekable();
    std::iter::from_fn(move || {
        let mut piece = Piece::new();
        let mut named: BTreeMap<NumberKind, BTreeSet<String>> = BTreeMap::new();
        while let Some((_, report)) = rest.peek() {
            let numbers = numbers(report, registry);
            for one in &numbers {
                let of_kind = named.entry(one.kind).or_default();
                of_kind.insert(one.number.clone());
            }
            let many = named
                .values()
                .any(|named| named.len() > docket::NUMBERS_MAX);
            let full = piece.len() >= PIECE_REPORTS_MAX || many;
            if full && !piece.is_empty() {
                break;
            }
            piece.extend(rest.next().map(|(raw, report)| Said {
                numbers,
                ..Said::of(raw, report)
            }));
        }
        (!piece.is_empty()).then_some(piece)
    })
}

/// The numbers that a report names. One that names none is nobody's, unless it takes back what names some.
pub(super) fn numbers(report: &Report, registry: &Registry) -> Vec<Number> {
    let named = report.equipment.as_ref().map(|equipment| equipment.number);
    let container = named.map(|named| number(registry, NumberKind::Container, named.as_str()));
    let paper = |kind: NumberKind| {
        move |text: &String| Some(number(registry, kind, text)).filter(|n| !n.number.is_empty())
    };
    let references = &report.references;
    let bills = references
        .bills
        .iter()
        .filter_map(paper(NumberKind::BillOfLading));
    let bookings = references
        .bookings
        .iter()
        .filter_map(paper(NumberKind::Booking));
    container.into_iter().chain(bills).chain(bookings).collect()
}

/// A number as dockets are labelled: capital letters and digits, without the line's code in front. The same
/// bill is written with it by one sender and without it by the next.
pub(crate) fn number(registry: &Registry, kind: NumberKind, text: &str) -> Number {
    let mut plain: String = text
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_uppercase())
        .collect();
    if kind != NumberKind::Container
        && let Some((code, rest)) = plain.split_at_checked(4)
        && !rest.is_empty()
        && Scac::parse(code).is_ok_and(|code| registry.shipping_line(code).is_some())
    {
        plain = rest.to_owned();
    }
    let number = plain;
    Number { kind, number }
}

/// Files one piece.
pub(super) async fn file(
    tracking: &Tracking,
    origin: &Origin,
    piece: Piece,
) -> Result<Filed, store::Error> {
    let now = tracking.now();
    let (origin, ids) = (origin.clone(), id_source(now));
    tracking
        .store()
        .write(Key::dockets(), move |tx| {
            file_piece(tx, &origin, &piece, &mut ids.clone(), now)
        })
        .await
}

pub(super) fn file_piece(
    tx: &mut Tx,
    origin: &Origin,
    piece: &Piece,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Filed, store::Error> {
    let named = piece.iter().flat_map(|said| said.numbers.iter().cloned());
    let named: BTreeSet<Number> = named.collect();
    let named: Vec<Number> = named.into_iter().collect();
    let dockets = Dockets::hold(tx, origin.account, &named, ids, now)?;
    let labelled: BTreeMap<&Number, WatchId> = named.iter().zip(dockets.to_file_under()).collect();
    let mut watches: Vec<Vec<WatchId>> = piece
        .iter()
        .map(|said| {
            let dockets = said.numbers.iter().filter_map(|n| labelled.get(n).copied());
            dockets.collect()
        })
        .collect();
    let recalls = Recalls::of(tx, origin.account, piece, &mut watches, None, now)?;
    let piece = recalls.with(piece, &watches);
    let filings = filings(piece.iter().copied(), ids);
    let fresh = store::report::file(tx, &filings, now)?;
    let fresh: BTreeSet<ReportId> = fresh.into_iter().collect();
    let new = piece.iter().zip(&filings);
    let new = new.filter(|(_, filing)| fresh.contains(&filing.id));
    let new = new.map(|((said, _), _)| (said.raw, &said.report));
    // What one account has brought is nobody else's to see.
    if origin.account.is_none() {
        count_unmapped(tx, &origin.source, new, now)?;
    }
    Ok(Filed {
        followers: dockets.followers(tx)?,
        elsewhere: recalls.elsewhere,
    })
}

/// The dockets of some numbers, in their order and held.
pub(crate) struct Dockets {
    shared: Vec<WatchId>,
    /// An account and its own, where the reports are its own.
    own: Option<(AccountId, Vec<WatchId>)>,
}

impl Dockets {
    /// Those of everybody, and those of this account.
    pub(crate) fn hold(
        tx: &mut Tx,
        account: Option<AccountId>,
        numbers: &[Number],
        ids: &mut IdSource,
        now: Timestamp,
    ) -> Result<Self, store::Error> {
        let shared = docket::hold(tx, None, numbers, ids, now)?;
        let own = match account {
            Some(of) => Some((of, docket::hold(tx, account, numbers, ids, now)?)),
            None => None,
        };
        Ok(Self { shared, own })
    }

    /// Under which the reports are filed.
    pub(crate) fn to_file_under(&self) -> impl Iterator<Item = WatchId> {
        let own = self.own.as_ref().map(|(_, own)| own);
        own.unwrap_or(&self.shared).iter().copied()
    }

    /// Who follows the numbers and may see what is filed. From now on an account's own dockets feed its shipments.
    pub(crate) fn followers(self, tx: &mut Tx) -> Result<Followers, store::Error> {
        let mut followers = docket::followers(tx, &self.shared)?;
        let Some((account, own)) = self.own else {
            return Ok(followers);
        };
        followers.shipments.retain(|(_, of, _)| *of == account);
        followers.requests.retain(|(_, of, _)| *of == account);
        let own_of: BTreeMap<WatchId, WatchId> = self.shared.into_iter().zip(own).collect();
        for (docket, account, shipment) in &followers.shipments {
            if let Some(own) = own_of.get(docket) {
                store::shipment::link_watch(&mut tx.account(*account), *shipment, *own)?;
            }
        }
        Ok(followers)
    }
}

/// What is said, each under its watches, with ids of their own.
pub(crate) fn filings<'s>(
    piece: impl Iterator<Item = (&'s Said, &'s [WatchId])>,
    ids: &mut IdSource,
) -> Vec<Filing<'s>> {
    let filings = piece.map(|(said, watches)| Filing {
        id: ids.draw(),
        raw: said.raw,
        written: &said.written,
        watches,
    });
    filings.collect()
}

/// Files what takes events back under one more of their watches. Who follows it comes back.
pub(super) fn file_at(
    tx: &mut Tx,
    watch: WatchId,
    said: &[Arc<Said>],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Followers, store::Error> {
    let watches = [watch];
    store::watch::lock(tx, watch)?;
    let filings = filings(said.iter().map(|said| (&**said, &watches[..])), ids);
    store::report::file(tx, &filings, now)?;
    docket::followers(tx, &watches)
}

/// Files what is still to be filed elsewhere, and [brings everybody up to date](bring_up_to_date). What cannot be filed under
/// one watch keeps nobody else from hearing it; the messages are then not marked.
pub(super) async fn tell(
    tracking: &Tracking,
    filed: Filed,
    read: &[RawMessageId],
) -> Result<bool, store::Error> {
    let Filed {
        mut followers,
        elsewhere,
    } = filed;
    let mut failed = None;
    for (watch, said) in elsewhere {
        let now = tracking.now();
        let ids = id_source(now);
        let file = move |tx: &mut Tx| file_at(tx, watch, &said, &mut ids.clone(), now);
        match tracking.store().write(Key::watch(watch), file).await {
            Ok(others) => followers.extend(others),
            Err(error) if error.is_away() => return Err(error),
            Err(error) => {
                tracing::warn!(%watch, %error, "what takes an event back cannot be filed; it is tried again soon");
                failed.get_or_insert(error);
            }
        }
    }
    let read = if failed.is_none() { read } else { &[] };
    let marked = bring_up_to_date(tracking, followers, read).await?;
    failed.map_or(Ok(marked), Err)
}

/// Files reports that are an account's own in a transaction that brings it up to date anyway, and reads what is filed
/// afterwards. What of the account follows their numbers comes back.
pub(crate) fn file_in(
    tx: &mut Tx,
    tracking: &Tracking,
    account: AccountId,
    reports: Vec<(RawMessageId, Report)>,
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Followers, store::Error> {
    let source = reports.first().map(|(_, report)| report.source.clone());
    let source = source.unwrap_or_default();
    let account = Some(account);
    let origin = Origin { source, account };
    let mut all = Followers::default();
    for piece in pieces(reports.into_iter(), tracking.registry()) {
        let followers = file_piece(tx, &origin, &piece, ids, now)?.followers;
        all.extend(followers);
    }
    Ok(all)
}

/// Brings everybody up to date who follows numbers of a piece. The last transaction for shipments marks the messages
/// `read` as well, when there are no requests after it; whether it did.
///
/// One that fails keeps nobody else from being told: it is said when the others were, so that the messages are tried
/// again, which tells the others nothing twice. The messages are then not marked. A store that takes nothing fails
/// everybody, and is asked no more.
async fn bring_up_to_date(
    tracking: &Tracking,
    followers: Followers,
    read: &[RawMessageId],
) -> Result<bool, store::Error> {
    let Round {
        closes,
        failed,
        others,
    } = round(tracking, followers, read).await?;
    tell_others(tracking, others).await;
    failed.map_or(Ok(closes), Err)
}

/// Ends a projection: sends what it left to be sent, and brings those up to date who follow what it filed.
pub(crate) async fn finish(tracking: &Tracking, rest: Rest) {
    tell_others(tracking, rest.send(tracking)).await;
}

/// Brings those up to date who follow what others filed on their way, and those who follow what these file: everybody
/// once. Who cannot be told hears it when something is said the next time.
async fn tell_others(tracking: &Tracking, mut others: Followers) {
    let mut told = Followers::default();
    loop {
        others.shipments.retain(|one| !told.shipments.contains(one));
        others.requests.retain(|one| !told.requests.contains(one));
        if others.shipments.is_empty() && others.requests.is_empty() {
            return;
        }
        told.shipments.extend(others.shipments.iter().copied());
        told.requests.extend(others.requests.iter().copied());
        match round(tracking, others, &[]).await {
            Ok(round) => {
                others = round.others;
                if let Some(error) = round.failed {
                    tracing::warn!(%error, "some who follow what was filed cannot be told now; they are told with what comes next");
                }
            }
            Err(error) => {
                tracing::warn!(%error, "who follows what was filed cannot be told now; it is told with what comes next");
                return;
            }
        }
    }
}

/// What came of bringing followers up to date.
struct Round {
    /// Whether the messages are marked as read.
    closes: bool,
    failed: Option<store::Error>,
    /// Who follows what was filed meanwhile.
    others: Followers,
}

async fn round(
    tracking: &Tracking,
    followers: Followers,
    read: &[RawMessageId],
) -> Result<Round, store::Error> {
    let mut shipments: BTreeMap<AccountId, BTreeSet<ShipmentId>> = BTreeMap::new();
    for (_, account, shipment) in followers.shipments {
        shipments.entry(account).or_default().insert(shipment);
    }
    let mut steps: Vec<(AccountId, Vec<ShipmentId>)> = Vec::new();
    for (account, shipments) in shipments {
        let shipments: Vec<ShipmentId> = shipments.into_iter().collect();
        steps.extend(
            shipments
                .chunks(FOLLOWERS_MAX)
                .map(|some| (account, some.to_vec())),
        );
    }
    let closes = !read.is_empty() && followers.requests.is_empty() && !steps.is_empty();
    let last = steps.len().saturating_sub(1);
    let (mut failed, mut others) = (None, Followers::default());
    for (place, (account, some)) in steps.into_iter().enumerate() {
        let marks = closes && place == last && failed.is_none();
        let read = if marks { read } else { &[] };
        let refreshed = refresh(tracking, account, &some, read, &mut others).await;
        note_failed(refreshed, account, &mut failed)?;
    }
    for (_, account, request) in followers.requests {
        let (shared, now) = (tracking.clone(), tracking.now());
        let ids = id_source(now);
        let advance = move |tx: &mut Tx| -> Result<Rest, store::Error> {
            projection::advance(tx, &shared, account, request, &mut ids.clone(), now)
        };
        let advanced = tracking.store().write(Key::account(account), advance).await;
        let advanced = advanced.map(|rest| others.extend(rest.send(tracking)));
        note_failed(advanced, account, &mut failed)?;
        tracking.nudges().deliver();
    }
    Ok(Round {
        closes,
        failed,
        others,
    })
}

/// Notes the first of those that failed; what the store fails for everybody ends it all.
fn note_failed(
    done: Result<(), store::Error>,
    account: AccountId,
    failed: &mut Option<store::Error>,
) -> Result<(), store::Error> {
    let Err(error) = done else { return Ok(()) };
    if error.is_away() {
        return Err(error);
    }
    tracing::warn!(%account, %error, "an account cannot be told what was filed");
    failed.get_or_insert(error);
    Ok(())
}

/// Brings shipments of an account up to date; where that fails and there are several, each by itself. Marks the messages
/// `read` as well.
async fn refresh(
    tracking: &Tracking,
    account: AccountId,
    shipments: &[ShipmentId],
    read: &[RawMessageId],
    others: &mut Followers,
) -> Result<(), store::Error> {
    let together = refresh_at_once(tracking, account, shipments, read, others).await;
    match together {
        Err(error) if !error.is_away() && shipments.len() > 1 => {
            let mut failed = None;
            for shipment in shipments {
                let alone = refresh_at_once(tracking, account, &[*shipment], &[], others).await;
                note_failed(alone, account, &mut failed)?;
            }
            match failed {
                Some(failed) => Err(failed),
                None => refresh_at_once(tracking, account, &[], read, others).await,
            }
        }
        together => together,
    }
}

async fn refresh_at_once(
    tracking: &Tracking,
    account: AccountId,
    shipments: &[ShipmentId],
    read: &[RawMessageId],
    others: &mut Followers,
) -> Result<(), store::Error> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let (some, read, ids) = (shipments.to_vec(), read.to_vec(), id_source(now));
    let refresh = move |tx: &mut Tx| -> Result<_, store::Error> {
        let ids = &mut ids.clone();
        let rest = projection::refresh(tx, &shared, account, &some, ids, now)?;
        store::raw_message::mark_sound(tx, &read)?;
        Ok(rest)
    };
    let refreshing = tracking.store().write(Key::account(account), refresh);
    others.extend(refreshing.await?.send(tracking));
    Ok(())
}

/// Lets the dockets of these numbers feed a shipment: the shared ones, and those of its account. From here on
/// who files under them finds the shipment. Whether they hold anything.
pub(crate) fn follow(
    tx: &mut Tx,
    account: AccountId,
    shipment: ShipmentId,
    numbers: &[Number],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<bool, store::Error> {
    let mut dockets = docket::hold(tx, None, numbers, ids, now)?;
    dockets.extend(docket::existing(tx, Some(account), numbers)?);
    store::shipment::link_watches(&mut tx.account(account), shipment, &dockets)?;
    store::report::any(tx, &dockets)
}
