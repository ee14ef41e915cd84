//! The seam: the only module that knows which engine runs.
//!
//! A use case is a closure over [`Tx`]. It goes through a bounded [`queue`] to a thread that owns a
//! connection, runs there in a transaction together with others that came at the same time, and is answered
//! after the commit: [`group`] on SQLite, [`lane`] on PostgreSQL. Reads run [inline](readers) on SQLite and on
//! [threads of their own](reading_lane) on PostgreSQL.
//!
//! What makes one text and one closure mean the same on both engines:
//!
//! | Difference | Answer |
//! |---|---|
//! | a failed statement ends a transaction on one and not on the other | it poisons [`Tx`] on both |
//! | `$2` before `$1` | bound by the written number |
//! | a value of the wrong type | STRICT tables, checked parameters |
//! | NUL in a text, years beyond 9999 | refused before either engine sees them ([`value`]) |
//! | words of one engine only | a comment that is opened for the other ([`text`]) |
//! | isolation | reads have one snapshot; writes lock what they decide by, and uniqueness is a constraint |

pub mod backup;
mod checkpoint;
mod group;
mod job;
mod key;
mod lane;
mod line;
mod postgres;
mod queue;
mod readers;
mod reading_lane;
mod row;
mod scratch;
mod settings;
mod sqlite;
mod start;
mod statistics;
mod store;
mod sync;
mod text;
mod told;
mod tx;
mod value;
mod walk;

pub use key::Key;
pub(crate) use row::{Row, unreadable};
pub use scratch::Scratch;
pub use settings::{Database, OpenError, Settings};
pub use start::{make_folder, may_write};
pub use store::{Around, Store};
pub(crate) use text::{chunks, padded, padded_pieces, pieces, placeholders, rows_of_values};
pub use tx::{AccountTx, Tx};
pub(crate) use value::Value;
