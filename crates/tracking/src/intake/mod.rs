//! Intake: from bytes to stored reports, and from there to the projections.
//!
//! 1. The payload is stored as received and committed. From here on nothing can be lost, and a sender gets its
//!    answer.
//! 2. It is parsed, outside any transaction. Parsing never fails: it gives reports and defects.
//! 3. Reports, projections, events, notifications and deliveries are written in transactions that can be
//!    repeated: a report that is there already is only seen again.
//!
//! Two ways lead from 2 to 3. What a source says in [answer] to a question belongs to the watch that asked. What
//! comes by itself ([`unread`]) carries boxes and bills of many accounts: each report is [filed](filing) under
//! the numbers it names, in pieces, and then whoever follows one of these numbers is brought up to date. In both, what cannot
//! be filed and who cannot be told keeps nobody else from hearing it: answers are then taken in [apart].
//!
//! Messages come by themselves through four doors: a watched [folder], a push over HTTP, the line of a [receiver], and
//! an import by hand. All of them end in [`receive`], at the [reception].
//!
//! A crash between 1 and 3 leaves a message that is not marked as read; it is taken up again when the [hands] that held
//! it do not renew its lease any more, and whatever was done already is found done.

pub(crate) mod answer;
pub(crate) mod apart;
mod closing;
mod desk;
mod filing;
pub(crate) mod folder;
mod foresee;
mod hands;
mod parts;
mod reading;
mod recalls;
pub(crate) mod receiver;
mod reception;
mod unread;

use std::collections::BTreeMap;

use domain::ids::{AccountId, RawMessageId};
use domain::report::{Doubt, Report};
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use store::Tx;
use store::raw_message::{Compared, RawMessage, Receipt, Sent};

use crate::work::WorkFailed;
use crate::{Source, Tracking, id_source};

pub(crate) use closing::close_all;
pub(crate) use desk::run;
pub(crate) use filing::{Dockets, Piece, Said, file_in, filings, finish, follow, number, pieces};
pub use folder::FILES_REFUSED;
pub use foresee::{Foreseen, ForeseenBox, foresee};
pub(crate) use hands::Hands;
pub(crate) use parts::Parts;
pub(crate) use reading::{Reading, Turn};
pub(crate) use recalls::{Elsewhere, Recalls, spread};
pub(crate) use reception::Reception;
pub(crate) use unread::{begin, read_all};

/// Longest message that is taken in: a larger one is refused before it is kept.
pub const MESSAGE_BYTES_MAX: usize = 20 * 1024 * 1024;

/// A message that came by itself.
#[derive(Clone, Debug)]
pub struct Message {
    /// The source whose profile reads it.
    pub source: String,
    /// Whose own it is; `None`: what it says is for every account that tracks its numbers.
    pub account: Option<AccountId>,
    /// Its media type, as far as it is known.
    pub content_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Why a message is not taken in.
#[derive(Debug, thiserror::Error)]
pub enum MessageRefused {
    /// No such source is configured.
    #[error("no source {0:?} is configured")]
    SourceUnknown(String),
    /// There is nothing in it.
    #[error("the message is empty")]
    Empty,
    /// It is longer than we read.
    #[error("the message has {bytes} bytes; at most {MESSAGE_BYTES_MAX} are read")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What became of a message that was taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accepted {
    /// It is kept and will be read soon.
    Fresh(RawMessageId),
    /// The same source sent the same bytes before, or last where it tells how things stand: nothing to do.
    Known(RawMessageId),
}

/// Whether a message may be taken in.
fn admit(tracking: &Tracking, message: &Message) -> Result<(), MessageRefused> {
    if tracking.source(&message.source).is_none() {
        return Err(MessageRefused::SourceUnknown(message.source.clone()));
    }
    let bytes = message.bytes.len();
    if message.bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(MessageRefused::Empty);
    }
    if bytes > MESSAGE_BYTES_MAX {
        return Err(MessageRefused::TooLong { bytes });
    }
    Ok(())
}

impl Message {
    fn into_row(self, id: RawMessageId, now: Timestamp) -> RawMessage {
        RawMessage {
            id,
            source: self.source,
            watch: None,
            account: self.account,
            question: String::new(),
            content_type: self.content_type,
            received_at: now,
            digest: Sha256::digest(&self.bytes).into(),
            body: self.bytes,
        }
    }
}

/// Step 1 for a message that came by itself: when this returns it is kept, and its sender may be answered.
pub async fn receive(tracking: &Tracking, message: Message) -> Result<Accepted, MessageRefused> {
    receive_file(tracking, message, None).await
}

/// The same for a file, of which it is known when it was `written_at`: one that comes again as it was is known by that.
pub async fn receive_file(
    tracking: &Tracking,
    message: Message,
    written_at: Option<Timestamp>,
) -> Result<Accepted, MessageRefused> {
    admit(tracking, &message)?;
    let now = tracking.now();
    let row = message.into_row(id_source(now).draw(), now);
    // What one account brings does not show the others that the source is alive.
    let heard = row.account.is_none().then(|| row.source.clone());
    let id = row.id;
    let sent = sent(tracking, row, written_at);
    let receipt = tracking.reception().keep(tracking, sent).await?;
    if let Some(heard) = heard {
        tracking.heard().note(&heard, now);
    }
    Ok(match receipt {
        Receipt::Fresh => Accepted::Fresh(id),
        Receipt::Seen(first) => Accepted::Known(first),
    })
}

/// What tells how things stand, and not as of when, does so as of its receipt: only what came last can be the same.
fn sent(tracking: &Tracking, message: RawMessage, written_at: Option<Timestamp>) -> Sent {
    let source = tracking.source(&message.source);
    let compared = if source.is_some_and(Source::tells_as_of_receipt) {
        Compared::WithLast { written_at }
    } else {
        Compared::WithAll
    };
    Sent { message, compared }
}

/// Works off every message that waits: for a command that has the store to itself, or beside a service.
pub async fn settle(tracking: &Tracking) -> Result<(), WorkFailed> {
    read_all(tracking).await?;
    Ok(())
}

/// Counts the codes of new reports that are in no table.
fn count_unmapped<'r>(
    tx: &mut Tx,
    source: &str,
    fresh: impl Iterator<Item = (RawMessageId, &'r Report)>,
    now: Timestamp,
) -> Result<(), store::Error> {
    let mut codes: BTreeMap<String, (u32, RawMessageId)> = BTreeMap::new();
    for (raw, report) in fresh.filter(|(_, report)| report.doubts.contains(&Doubt::Unmapped)) {
        codes.entry(counted(&report.original)).or_insert((0, raw)).0 += 1;
    }
    let codes: Vec<(String, u32, RawMessageId)> = codes
        .into_iter()
        .map(|(code, (reports, raw))| (code, reports, raw))
        .collect();
    store::unmapped_code::count(tx, source, &codes, now)
}

/// The name under which a code is counted. It is only a count, and fails no message: two codes that become the same are
/// one, and nothing is in it that cannot be stored.
fn counted(code: &str) -> String {
    let plain = code.chars().filter(|letter| !letter.is_control());
    plain.take(CODE_CHARS_MAX).collect()
}

/// Longest code that is counted under its own name.
const CODE_CHARS_MAX: usize = 80;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_counted_whatever_is_in_it() {
        assert_eq!(counted("EQUIPMENT/X\0X\u{1b}"), "EQUIPMENT/XX");
        let long = "X".repeat(3 * CODE_CHARS_MAX);
        assert_eq!(counted(&long), counted(&format!("{long}Y")));
    }
}
