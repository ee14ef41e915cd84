//! Schemas of documents, loaded by the operator and shared by all accounts.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::db::{Row, Value, unreadable};
use crate::{Error, Tx};

/// One version of what documents of a type hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSchema {
    /// Which documents: `bill_of_lading`.
    pub document_type: String,
    /// Names the version.
    pub version: Date,
    /// What people call the type.
    pub label: String,
    /// What it is for.
    pub description: Option<String>,
    /// The JSON Schema, as text.
    pub payload: String,
    /// Whether it is the one in force; at most one of a type is.
    pub current: bool,
    /// Whether it is still being worked on.
    pub draft: bool,
    /// When it came into force, the last time.
    pub active_at: Option<Timestamp>,
    /// When it was loaded.
    pub created_at: Timestamp,
    /// When it last changed its standing.
    pub updated_at: Timestamp,
}

/// The schema of this type and version.
pub fn find(
    tx: &mut Tx,
    document_type: &str,
    version: Date,
) -> Result<Option<DocumentSchema>, Error> {
    tx.query_one(
        "select document_type, version, label, description, payload, is_current, is_draft,
             active_at, created_at, updated_at
         from document_schemas where document_type = $1 and version = $2",
        &[document_type.into(), (&version.to_string()).into()],
        read,
    )
}

/// What became of a schema that was loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// Its version is there now.
    First,
    /// Its version was there; it stands as is wanted now.
    Again,
    /// Its version was there with another content. The transaction is to be given up.
    OtherContent,
}

/// Writes a schema. One that is current takes the place of the current one of its type. What is there is not read first,
/// as another node may be about to write it: its content and the time it was loaded stay, and so does the time it came
/// into force, unless it does now.
pub fn put(tx: &mut Tx, schema: &DocumentSchema) -> Result<Loaded, Error> {
    let version = schema.version.to_string();
    if schema.current {
        tx.execute(
            "update document_schemas set is_current = false, updated_at = $3
             where document_type = $1 and version <> $2 and is_current",
            &[
                (&schema.document_type).into(),
                (&version).into(),
                schema.updated_at.into(),
            ],
        )?;
    }
    let values: [Value<'_>; 10] = [
        (&schema.document_type).into(),
        (&version).into(),
        (&schema.label).into(),
        (&schema.payload).into(),
        schema.current.into(),
        schema.draft.into(),
        schema.active_at.into(),
        schema.updated_at.into(),
        (&schema.description).into(),
        schema.created_at.into(),
    ];
    let inserted = tx.execute(
        "insert into document_schemas (document_type, version, label, payload, is_current, is_draft,
             active_at, updated_at, description, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
         on conflict (document_type, version) do nothing",
        &values,
    )?;
    if inserted > 0 {
        return Ok(Loaded::First);
    }
    let [standing @ .., _, _] = &values;
    let changed = tx.execute(
        "update document_schemas set label = $3, is_current = $5, is_draft = $6,
             active_at = coalesce($7, active_at), updated_at = $8
         where document_type = $1 and version = $2 and payload = $4",
        standing,
    )?;
    Ok(if changed > 0 {
        Loaded::Again
    } else {
        Loaded::OtherContent
    })
}

fn read(row: &Row<'_>) -> Result<DocumentSchema, Error> {
    let version: String = row.get("version")?;
    Ok(DocumentSchema {
        document_type: row.get("document_type")?,
        version: version
            .parse()
            .map_err(|_| unreadable("version", &version))?,
        label: row.get("label")?,
        description: row.get("description")?,
        payload: row.get("payload")?,
        current: row.get("is_current")?,
        draft: row.get("is_draft")?,
        active_at: row.get("active_at")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
