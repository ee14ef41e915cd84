//! A look through everything that is tracked: sources that were configured while nobody looked are asked about it.
//!
//! It goes row by row, and each by itself. A row that cannot be looked at is left for the next round, and where the store is
//! away the next round goes on: so every row is looked at in the end, and only those that failed are looked at again.

use domain::ids::{AccountId, ShipmentId, TrackingRequestId};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};
use uuid::Uuid;

use super::{boxes, lines};
use crate::Tracking;

/// Rows that failed, of one kind, that are remembered. Where more do, all of the kind are looked through once more.
const FAILED_MAX: usize = 1_000;

/// What is looked through.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Requests, for the sources of their lines.
    Requests,
    /// Shipments, for the same.
    Shipments,
    /// Shipments, for terminals and railroads that know something about their boxes.
    Boxes,
}

/// A request or a shipment.
pub(super) type Row = (AccountId, Uuid);

/// Rows that stand next to each other.
pub(super) struct Step {
    /// Those to be looked at.
    pub(super) rows: Vec<Row>,
    /// The last one, looked at or not; `None`: there is no more.
    pub(super) last: Option<Row>,
}

impl Kind {
    async fn step(self, tracking: &Tracking, after: Option<Row>) -> Result<Step, store::Error> {
        match self {
            Self::Requests => lines::requests(tracking, after).await,
            Self::Shipments => lines::shipments(tracking, after).await,
            Self::Boxes => boxes::shipments(tracking, after).await,
        }
    }

    /// Whether somebody is asked about it from now on who was not before.
    async fn look_at(self, tracking: &Tracking, (account, id): Row) -> Result<bool, store::Error> {
        match self {
            Self::Requests => {
                lines::ask_for_request(tracking, account, TrackingRequestId(id)).await
            }
            Self::Shipments => lines::ask_for_shipment(tracking, account, ShipmentId(id)).await,
            Self::Boxes => {
                let looking = boxes::look_at(tracking, account, ShipmentId(id));
                looking.await.map(|()| false)
            }
        }
    }
}

/// How far a look has come.
pub(crate) struct Look([Part; 3]);

impl Look {
    /// One that begins.
    pub(crate) fn new() -> Self {
        Self([Kind::Requests, Kind::Shipments, Kind::Boxes].map(Part::new))
    }

    /// Goes on with it; whether it is over.
    pub(crate) async fn go_on(&mut self, tracking: &Tracking, stop: &CancellationToken) -> bool {
        for part in &mut self.0 {
            part.go_on(tracking, stop).await;
            tracking.nudges().poll();
        }
        let [requests, shipments, _] = &mut self.0;
        let [requests, shipments] =
            [requests, shipments].map(|part| std::mem::take(&mut part.found));
        if requests + shipments > 0 {
            info!(
                requests,
                shipments, "tracked before their line could be asked, and asked about from now on"
            );
        }
        self.0.iter().all(Part::is_over)
    }
}

/// How far the look at rows of one kind has come.
struct Part {
    kind: Kind,
    /// The last row that was looked at.
    after: Option<Row>,
    is_through: bool,
    /// Rows to be looked at again.
    failed: Vec<Row>,
    /// More failed than are remembered.
    begins_again: bool,
    /// Those that somebody is asked about from now on.
    found: u64,
}

impl Part {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            after: None,
            is_through: false,
            failed: Vec::new(),
            begins_again: false,
            found: 0,
        }
    }

    fn is_over(&self) -> bool {
        self.is_through && self.failed.is_empty()
    }

    /// One round, and a line in the log where it has not done all.
    async fn go_on(&mut self, tracking: &Tracking, stop: &CancellationToken) {
        let kind = self.kind;
        if std::mem::take(&mut self.begins_again) {
            *self = Self {
                found: self.found,
                ..Self::new(kind)
            };
        }
        let mut why = None;
        let ended = self.round(tracking, stop, &mut why).await;
        if let Some(((account, id), error)) = why {
            let failed = self.failed.len();
            warn!(
                ?kind, failed, %account, %id, %error,
                "some of what is tracked could not be looked at for sources to ask; it is tried again (this is the first)"
            );
        }
        if let Err(error) = ended {
            warn!(?kind, %error, "what is tracked could not be looked through for sources to ask; it goes on soon");
        }
    }

    /// Looks at what failed before, then at what is left. Ends early where the store is away, or a step cannot be read.
    async fn round(
        &mut self,
        tracking: &Tracking,
        stop: &CancellationToken,
        why: &mut Option<(Row, store::Error)>,
    ) -> Result<(), store::Error> {
        let mut again = std::mem::take(&mut self.failed).into_iter();
        while let Some(row) = again.next() {
            let looked = self.look_at(tracking, row, why).await;
            if looked.is_err() || stop.is_cancelled() {
                self.failed.push(row);
                self.failed.extend(again);
                return looked;
            }
        }
        while !self.is_through && !stop.is_cancelled() {
            let step = self.kind.step(tracking, self.after).await?;
            for row in step.rows {
                if stop.is_cancelled() {
                    return Ok(());
                }
                self.look_at(tracking, row, why).await?;
                self.after = Some(row);
            }
            self.is_through = step.last.is_none();
            self.after = step.last.or(self.after);
            tracking.nudges().poll();
        }
        Ok(())
    }

    /// Looks at one row; an error where the store is away.
    async fn look_at(
        &mut self,
        tracking: &Tracking,
        row: Row,
        why: &mut Option<(Row, store::Error)>,
    ) -> Result<(), store::Error> {
        match self.kind.look_at(tracking, row).await {
            Ok(found) => self.found += u64::from(found),
            Err(error) if error.is_away() => return Err(error),
            Err(error) => {
                why.get_or_insert((row, error));
                if self.failed.len() < FAILED_MAX {
                    self.failed.push(row);
                } else {
                    self.begins_again = true;
                }
            }
        }
        Ok(())
    }
}
