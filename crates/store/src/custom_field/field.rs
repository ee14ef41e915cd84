//! Values on records.

use domain::custom_field::{EntityKind, Value as Kept};
use domain::ids::{CustomFieldDefinitionId, CustomFieldId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, padded, placeholders};
use crate::page::{Clauses, Listing};
use crate::tally::{self, List};
use crate::{AccountTx, Error, Page, Slice, mirror};

/// Of a value's text, this much can be looked up, in characters: an entry of an index has its bounds.
pub const PLAIN_CHARS_MAX: usize = 255;

/// One value on one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: CustomFieldId,
    /// The kind of record that has it.
    pub entity: EntityKind,
    /// The record that has it.
    pub entity_id: Uuid,
    /// What it is a value of.
    pub definition: CustomFieldDefinitionId,
    /// The value.
    pub value: Kept,
    /// When it was first set.
    pub created_at: Timestamp,
    /// When it was last set.
    pub updated_at: Timestamp,
}

/// Which values to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// On any of these kinds of record; empty: any.
    pub entities: Vec<EntityKind>,
    /// On this record.
    pub entity_id: Option<Uuid>,
    /// Of this definition.
    pub definition: Option<CustomFieldDefinitionId>,
}

/// Adds a value and counts it. Conflict when the record has one of this definition.
pub fn insert(a: &mut AccountTx, row: &Stored) -> Result<(), Error> {
    let (value, plain) = (mirror::text(&row.value)?, plain(&row.value));
    a.execute(
        "insert into custom_fields (account_id, id, entity_type, entity_id, definition_id, value,
             plain, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        &[
            row.id.into(),
            row.entity.as_str().into(),
            row.entity_id.into(),
            row.definition.into(),
            (&value).into(),
            (&plain).into(),
            row.created_at.into(),
            row.updated_at.into(),
        ],
    )?;
    a.count(List::CustomFields, 1);
    Ok(())
}

/// Replaces the value; `false` when there is no such one.
pub fn update(a: &mut AccountTx, row: &Stored) -> Result<bool, Error> {
    let (value, plain) = (mirror::text(&row.value)?, plain(&row.value));
    let changed = a.execute(
        "update custom_fields set value = $3, plain = $4, updated_at = $5
         where account_id = $1 and id = $2",
        &[
            row.id.into(),
            (&value).into(),
            (&plain).into(),
            row.updated_at.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// Removes a value and no longer counts it; `false` when there was none.
pub fn delete(a: &mut AccountTx, id: CustomFieldId) -> Result<bool, Error> {
    let gone = a.execute(
        "delete from custom_fields where account_id = $1 and id = $2",
        &[id.into()],
    )?;
    if gone > 0 {
        a.count(List::CustomFields, -1);
    }
    Ok(gone > 0)
}

/// The value with this id.
pub fn find(a: &mut AccountTx, id: CustomFieldId) -> Result<Option<Stored>, Error> {
    Ok(of_ids(a, &[id])?.into_iter().next())
}

/// The value of this definition on this record.
pub fn find_on(
    a: &mut AccountTx,
    entity_id: Uuid,
    definition: CustomFieldDefinitionId,
) -> Result<Option<Stored>, Error> {
    a.query_one(
        &format!(
            "select {COLUMNS} from custom_fields
             where account_id = $1 and entity_id = $2 and definition_id = $3"
        ),
        &[entity_id.into(), definition.into()],
        read,
    )
}

/// The values with these ids, in the order of the ids; unknown ones are left out.
pub fn of_ids(a: &mut AccountTx, ids: &[CustomFieldId]) -> Result<Vec<Stored>, Error> {
    let mut found = std::collections::HashMap::with_capacity(ids.len());
    for piece in crate::db::pieces(ids) {
        let values = padded(piece.iter().map(|id| Value::from(*id)).collect());
        let places = placeholders(2, values.len());
        let rows = a.query(
            &format!(
                "select {COLUMNS} from custom_fields
                 where account_id = $1 and id in ({places})"
            ),
            &values,
            read,
        )?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(ids.iter().filter_map(|id| found.remove(id)).collect())
}

/// Some values of a definition, at most `limit`, newest first.
pub fn of_definition(
    a: &mut AccountTx,
    definition: CustomFieldDefinitionId,
    limit: u32,
) -> Result<Vec<Stored>, Error> {
    a.query(
        &format!(
            "select {COLUMNS} from custom_fields where account_id = $1 and definition_id = $2
             order by created_at desc, id desc limit $3"
        ),
        &[definition.into(), limit.into()],
        read,
    )
}

/// Values by the time they were first set, newest first.
pub fn page(a: &mut AccountTx, filter: &Filter, slice: Slice) -> Result<Page<Stored>, Error> {
    let entities: Vec<&str> = filter.entities.iter().map(|kind| kind.as_str()).collect();
    let mut clauses = Clauses::new();
    clauses.any_of("entity_type", &entities);
    clauses.equal("entity_id", filter.entity_id);
    clauses.equal("definition_id", filter.definition);
    Listing::of("custom_fields", &clauses)
        .kept(List::CustomFields)
        .page(a, COLUMNS, slice, read)
}

/// How many the account keeps.
pub fn count(a: &mut AccountTx) -> Result<u64, Error> {
    let count = tally::length(a, List::CustomFields)?;
    Ok(u64::try_from(count).unwrap_or(0))
}

fn plain(value: &Kept) -> Option<String> {
    let plain = value.plain()?;
    Some(plain.chars().take(PLAIN_CHARS_MAX).collect())
}

const COLUMNS: &str = "id, entity_type, entity_id, definition_id, value, created_at, updated_at";

fn read(row: &Row<'_>) -> Result<Stored, Error> {
    Ok(Stored {
        id: row.id("id")?,
        entity: row.parsed("entity_type", EntityKind::parse)?,
        entity_id: row.get("entity_id")?,
        definition: row.id("definition_id")?,
        value: row.mirrored("value")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
