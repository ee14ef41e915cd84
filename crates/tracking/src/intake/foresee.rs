//! What a message would change, before it changes anything.
//!
//! Nothing is guessed: the message is kept, read, filed and shown in one transaction as any other is, what then stands
//! is compared with what stood, and the transaction is taken back. So a rehearsal is as long as the real thing, and
//! holds everything that one touches until its end; it is made for files of a person, not for feeds.

use std::collections::{BTreeMap, BTreeSet};

use domain::codes::ContainerNumber;
use domain::event::{Change, difference};
use domain::ids::{AccountId, IdSource, ShipmentId};
use jiff::Timestamp;
use store::docket::Followers;
use store::raw_message::{Defect, Receipt, Sent};
use store::{Key, Tx};

use super::filing::{self, Origin, Piece};
use super::{Message, MessageRefused, Reading, admit, sent};
use crate::{Tracking, id_source, projection};

/// What would become of a message.
#[derive(Clone, Debug, Default)]
pub struct Foreseen {
    /// Whether the same source sent the same bytes before, or last where it tells how things stand: then nothing would be
    /// done.
    pub known: bool,
    /// Whether it would stand in quarantine.
    pub aside: bool,
    /// How many claims can be used.
    pub reports: usize,
    /// What would be refused, each with its place.
    pub defects: Vec<Defect>,
    /// The boxes that would change, account by account.
    pub boxes: Vec<ForeseenBox>,
}

/// What would change about one box of one account.
#[derive(Clone, Debug)]
pub struct ForeseenBox {
    /// Whose it is.
    pub account: AccountId,
    /// Its number.
    pub number: ContainerNumber,
    /// Its document as it stands; none where the box is not known yet.
    pub before: Option<String>,
    /// Its document as it would stand.
    pub after: String,
    /// What would be told, in this order.
    pub changes: Vec<Change>,
}

/// Rehearses a message, a file where it is known when it was `written_at`. Nothing is written.
pub async fn foresee(
    tracking: &Tracking,
    message: Message,
    written_at: Option<Timestamp>,
) -> Result<Foreseen, MessageRefused> {
    admit(tracking, &message)?;
    let now = tracking.now();
    let row = message.into_row(id_source(now).draw(), now);
    let Some(source) = tracking.source(&row.source) else {
        return Err(MessageRefused::SourceUnknown(row.source));
    };
    let mut reading = Reading::of(tracking, source, &row);
    let reports = reading.take_reports(true);
    let mut foreseen = Foreseen {
        aside: reading.envelope_broken,
        reports: reports.len(),
        defects: std::mem::take(&mut reading.defects),
        ..Foreseen::default()
    };
    let said = reports.into_iter().map(|report| (row.id, report));
    let pieces: Vec<Piece> = filing::pieces(said, tracking.registry()).collect();
    let (shared, ids) = (tracking.clone(), id_source(now));
    let row = sent(tracking, row, written_at);
    let rehearsed = tracking.store().write(Key::dockets(), move |tx| {
        let mut ids = ids.clone();
        // Whatever comes of it, it is an error here, and so nothing stays.
        Err::<(), _>(match rehearse(tx, &shared, &row, &pieces, &mut ids, now) {
            Ok(boxes) => Rehearsed::Seen(boxes),
            Err(error) => Rehearsed::Failed(error),
        })
    });
    match rehearsed.await {
        Ok(()) => {}
        Err(Rehearsed::Failed(error)) => return Err(MessageRefused::Store(error)),
        Err(Rehearsed::Seen(None)) => foreseen.known = true,
        Err(Rehearsed::Seen(Some(boxes))) => foreseen.boxes = boxes,
    }
    Ok(foreseen)
}

/// How a rehearsal ends: never with a commit.
enum Rehearsed {
    /// The boxes that would change; none where the message is known.
    Seen(Option<Vec<ForeseenBox>>),
    Failed(store::Error),
}

impl From<store::Error> for Rehearsed {
    fn from(error: store::Error) -> Self {
        Self::Failed(error)
    }
}

fn rehearse(
    tx: &mut Tx,
    tracking: &Tracking,
    sent: &Sent,
    pieces: &[Piece],
    ids: &mut IdSource,
    now: Timestamp,
) -> Result<Option<Vec<ForeseenBox>>, store::Error> {
    let receipts = store::raw_message::receive_all(tx, std::slice::from_ref(sent), None)?;
    if !receipts.contains(&Receipt::Fresh) {
        return Ok(None);
    }
    let origin = Origin {
        source: sent.message.source.clone(),
        account: sent.message.account,
    };
    let mut all = Followers::default();
    for piece in pieces {
        let filed = filing::file_piece(tx, &origin, piece, ids, now)?;
        let mut told = vec![filed.followers];
        for (watch, said) in filed.elsewhere {
            told.push(filing::file_at(tx, watch, &said, ids, now)?);
        }
        for followers in told {
            all.extend(followers);
        }
    }
    let mut boxes = Vec::new();
    let shipments: BTreeSet<_> = all.shipments.iter().map(|(_, a, s)| (*a, *s)).collect();
    for (account, shipment) in shipments {
        let before = standing(tx, account, shipment)?;
        // Nothing stands of it: what would be sent goes back with the rest.
        drop(projection::refresh(
            tx,
            tracking,
            account,
            &[shipment],
            ids,
            now,
        )?);
        compare(tx, account, shipment, before, &mut boxes)?;
    }
    let requests: BTreeSet<_> = all.requests.iter().map(|(_, a, r)| (*a, *r)).collect();
    for (account, request) in requests {
        drop(projection::advance(
            tx, tracking, account, request, ids, now,
        )?);
        let found = store::tracking_request::find(&mut tx.account(account), request)?;
        if let Some(shipment) = found.and_then(|request| request.shipment) {
            compare(tx, account, shipment, BTreeMap::new(), &mut boxes)?;
        }
    }
    Ok(Some(boxes))
}

type Standing = BTreeMap<ContainerNumber, store::container::Container>;

fn standing(
    tx: &mut Tx,
    account: AccountId,
    shipment: ShipmentId,
) -> Result<Standing, store::Error> {
    let boxes = store::container::of_shipment(&mut tx.account(account), shipment)?;
    Ok(boxes.into_iter().map(|row| (row.number, row)).collect())
}

fn compare(
    tx: &mut Tx,
    account: AccountId,
    shipment: ShipmentId,
    mut before: Standing,
    boxes: &mut Vec<ForeseenBox>,
) -> Result<(), store::Error> {
    for (number, after) in standing(tx, account, shipment)? {
        let before = before.remove(&number);
        let changes = difference(before.as_ref().map(|row| &row.state), &after.state);
        if changes.is_empty() && before.is_some() {
            continue;
        }
        boxes.push(ForeseenBox {
            account,
            number,
            before: before.map(|row| row.document),
            after: after.document,
            changes,
        });
    }
    Ok(())
}
