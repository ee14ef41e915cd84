//! Reports: every reading of every claim, for good.
//!
//! A reading is what one message says once. It stands once in `reports`, with its text; under each watch for which it was
//! said (the dockets of its box, its bills and its bookings, or the watch that asked) it is *filed*: a row of
//! `filed_reports` holds the watch, the digest of what is said, and the report that says it. A watch holds a reading once,
//! whoever says it and however often: its key is (watch, content). What makes a claim the same over its corrections,
//! [`Report::key`], is part of what `content` covers, and is not stored.
//!
//! A reading that comes under several watches at once is one report, also when some of them held it before. One that was
//! said under two watches that knew nothing of each other is two reports, which are told as one: with the lowest of
//! their ids, as of the watch that is named first.
//!
//! **Whoever files under watches holds them** ([`docket::hold`](crate::docket::hold), [`watch::lock`](crate::watch::lock))
//! until the end of the transaction, and so does who settles a replay. Between the look for what a watch holds and the
//! writing of what it does not, nobody else comes; the primary key stands behind it. It keeps reports too: a report is
//! found by what a held watch holds, and goes only when the last watch has let it go, so that it is there to be referred
//! to. No row of a watch is written: what was filed is seen by what is there ([`Standing`]), not by a count.
//!
//! How many watches hold a report stands in its row (`filed`). It is written with the row and hardly ever again; to be
//! found by their report, links would need another index, with an entry for each of them.

use domain::ids::{RawMessageId, ReportId, WatchId};
use domain::report::Report;
use jiff::Timestamp;

use crate::packed::{Kind, Packed};
use crate::{Error, mirror};

mod filing;
mod reading;

pub(crate) use filing::let_go;
pub use filing::{file, insert, mark, take_out};
pub use reading::{any, messages_of, of_each, of_watches, standing};

/// A report as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// Its id.
    pub id: ReportId,
    /// The watch it came by.
    pub watch: WatchId,
    /// What was claimed.
    pub report: Report,
    /// When it was stored first.
    pub created_at: Timestamp,
}

/// A report and the watches under which it is filed.
#[derive(Clone, Copy, Debug)]
pub struct Filing<'a> {
    /// The report's id, unless one of the watches holds the reading already.
    pub id: ReportId,
    /// The message it stands in.
    pub raw: RawMessageId,
    /// What is claimed.
    pub written: &'a Written,
    /// Where it is filed.
    pub watches: &'a [WatchId],
}

/// A reading as it is kept: digest and packed text. Pushes and files have it made before the transaction that files it, which
/// others wait for.
#[derive(Clone, Debug)]
pub struct Written {
    content: Content,
    body: Result<Packed, Error>,
}

impl Written {
    /// What this report says.
    pub fn of(report: &Report) -> Self {
        Self {
            content: report.content().0,
            body: mirror::text(report).map(|text| Packed::of(Kind::Report, &text)),
        }
    }

    /// The digest.
    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    /// The packed text.
    pub(crate) fn body(&self) -> Result<&Packed, Error> {
        self.body.as_ref().map_err(Error::clone)
    }
}

/// Which reports stand under which watches. Another standing means that others have filed, or settled, meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing(Vec<(WatchId, ReportId)>);

impl Standing {
    fn of(mut links: Vec<(WatchId, ReportId)>) -> Self {
        links.sort_unstable();
        links.dedup();
        Self(links)
    }
}

/// Digest of what a reading says.
pub(crate) type Content = [u8; 32];
