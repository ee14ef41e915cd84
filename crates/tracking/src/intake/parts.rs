//! A message read part by part.
//!
//! A file of ten megabytes makes a hundred megabytes of reports. So it is parsed on a thread of its own, which stops
//! when a few parts wait to be filed; what was filed is forgotten. However long a message is, only its bytes and some
//! hundred reports are held.

use sources::Parsed;
use store::raw_message::RawMessage;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::reading::told;
use crate::Tracking;

/// Parts that wait to be taken.
const PARTS_AHEAD_MAX: usize = 2;

/// The parts of one message that are still to come.
pub(crate) struct Parts {
    waiting: mpsc::Receiver<Parsed>,
    reader: JoinHandle<()>,
}

impl Parts {
    /// Begins to read. A message whose source is not configured has no parts.
    pub(crate) fn of(tracking: &Tracking, message: RawMessage) -> Self {
        let (give, waiting) = mpsc::channel(PARTS_AHEAD_MAX);
        let tracking = tracking.clone();
        let reader = tokio::task::spawn_blocking(move || {
            let Some(source) = tracking.source(&message.source) else {
                return;
            };
            let (bytes, at) = (&message.body, message.received_at);
            source.read_in_parts(
                told(&message),
                bytes,
                at,
                tracking.gazetteer(),
                &mut |part| {
                    // Nobody takes it any more when the work was given up; the message is read again then.
                    let _ = give.blocking_send(part);
                },
            );
        });
        Self { waiting, reader }
    }

    /// The next part; none behind the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Parsed>, store::Error> {
        if let Some(part) = self.waiting.recv().await {
            return Ok(Some(part));
        }
        let ended = (&mut self.reader).await;
        ended.map_err(|_| store::Error::Refused("the parser ended without a result".into()))?;
        Ok(None)
    }
}
