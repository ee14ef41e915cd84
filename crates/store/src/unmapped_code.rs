//! Codes that are in no table, counted by source, so that an operator sees what a profile should map.

use domain::ids::RawMessageId;
use jiff::Timestamp;

use crate::db::{Row, Value, pieces, rows_of_values};
use crate::{Error, Tx};

/// A code that a source uses and no table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmappedCode {
    /// The source's profile id.
    pub source: String,
    /// The code, as reports show it (`EQUIPMENT/LOAD`).
    pub code: String,
    /// How many reports bore it.
    pub reports: u32,
    /// When it was first met.
    pub first_at: Timestamp,
    /// When it was last met.
    pub last_at: Timestamp,
    /// The message in which it was last met.
    pub example: RawMessageId,
}

/// Counts codes of new reports of a source: how many reports bore each, and a message in which it stands.
pub fn count(
    tx: &mut Tx,
    source: &str,
    codes: &[(String, u32, RawMessageId)],
    now: Timestamp,
) -> Result<(), Error> {
    for piece in pieces(codes) {
        let casts = [
            "text",
            "text",
            "bigint",
            "timestamptz",
            "timestamptz",
            "uuid",
        ];
        let rows = rows_of_values(1, piece.len(), &casts);
        let values: Vec<Value<'_>> = piece
            .iter()
            .flat_map(|(code, reports, raw)| {
                let (code, reports) = (Value::from(code), Value::from(*reports));
                [
                    source.into(),
                    code,
                    reports,
                    now.into(),
                    now.into(),
                    (*raw).into(),
                ]
            })
            .collect();
        tx.execute(
            &format!(
                "insert into unmapped_codes (source, code, reports, first_at, last_at,
                     raw_message_id)
                 values {rows}
                 on conflict (source, code) do update set
                     reports = unmapped_codes.reports + excluded.reports,
                     last_at = excluded.last_at, raw_message_id = excluded.raw_message_id"
            ),
            &values,
        )?;
    }
    Ok(())
}

/// What is not mapped of one source, most frequent first; at most `limit`.
pub fn of_source(tx: &mut Tx, source: &str, limit: u32) -> Result<Vec<UnmappedCode>, Error> {
    tx.query(
        "select source, code, reports, first_at, last_at, raw_message_id from unmapped_codes
         where source = $1 order by reports desc, code limit $2",
        &[source.into(), limit.into()],
        read,
    )
}

fn read(row: &Row<'_>) -> Result<UnmappedCode, Error> {
    Ok(UnmappedCode {
        source: row.get("source")?,
        code: row.get("code")?,
        reports: row.count("reports")?,
        first_at: row.get("first_at")?,
        last_at: row.get("last_at")?,
        example: row.id("raw_message_id")?,
    })
}
