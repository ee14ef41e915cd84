//! Options of definitions.

use domain::ids::{CustomFieldDefinitionId, CustomFieldOptionId};
use jiff::Timestamp;

use crate::db::{Row, Value, padded, placeholders};
use crate::{AccountTx, Error, Page, Slice};

/// An option that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: CustomFieldOptionId,
    /// Whose option it is.
    pub definition: CustomFieldDefinitionId,
    /// What values hold.
    pub value: String,
    /// What people see.
    pub label: String,
    /// Where it stands among the others.
    pub position: Option<i64>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Adds an option. Conflict when the definition has one of this value.
pub fn insert(a: &mut AccountTx, row: &Stored) -> Result<(), Error> {
    a.execute(
        "insert into custom_field_options (account_id, id, definition_id, value, label, position,
             created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
        &[
            row.id.into(),
            row.definition.into(),
            (&row.value).into(),
            (&row.label).into(),
            row.position.into(),
            row.created_at.into(),
            row.updated_at.into(),
        ],
    )?;
    Ok(())
}

/// Replaces label and position; `false` when there is no such option.
pub fn update(a: &mut AccountTx, row: &Stored) -> Result<bool, Error> {
    let changed = a.execute(
        "update custom_field_options set label = $3, position = $4, updated_at = $5
         where account_id = $1 and id = $2",
        &[
            row.id.into(),
            (&row.label).into(),
            row.position.into(),
            row.updated_at.into(),
        ],
    )?;
    Ok(changed > 0)
}

/// The option of this definition with this id.
pub fn find(
    a: &mut AccountTx,
    definition: CustomFieldDefinitionId,
    id: CustomFieldOptionId,
) -> Result<Option<Stored>, Error> {
    a.query_one(
        &format!(
            "select {COLUMNS} from custom_field_options
             where account_id = $1 and definition_id = $2 and id = $3"
        ),
        &[definition.into(), id.into()],
        read,
    )
}

/// The option of this definition with this id, locked until the end of the transaction: who writes it anew must not undo
/// what another node has done to it meanwhile.
pub fn lock(
    a: &mut AccountTx,
    definition: CustomFieldDefinitionId,
    id: CustomFieldOptionId,
) -> Result<Option<Stored>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from custom_field_options
             where account_id = $1 and definition_id = $2 and id = $3 /*pg for no key update*/"
        ),
        &[definition.into(), id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// The options of these definitions, each definition's by position; those without one come last, as they came.
pub fn of_definitions(
    a: &mut AccountTx,
    definitions: &[CustomFieldDefinitionId],
) -> Result<Vec<Stored>, Error> {
    of(
        a,
        "definition_id",
        definitions.iter().map(|id| Value::from(*id)).collect(),
    )
}

/// The options with these ids; unknown ones are left out.
pub fn of_ids(a: &mut AccountTx, ids: &[CustomFieldOptionId]) -> Result<Vec<Stored>, Error> {
    of(a, "id", ids.iter().map(|id| Value::from(*id)).collect())
}

/// The options of a definition, by position.
pub fn page(
    a: &mut AccountTx,
    definition: CustomFieldDefinitionId,
    slice: Slice,
) -> Result<Page<Stored>, Error> {
    let rows = a.query(
        &format!(
            "select {COLUMNS} from custom_field_options
             where account_id = $1 and definition_id = $2
             order by {ORDER} limit $3 offset $4"
        ),
        &[definition.into(), slice.limit.into(), slice.skipped()],
        read,
    )?;
    let total = i64::try_from(count(a, definition)?).ok();
    Ok(Page::new(rows, total))
}

/// How many a definition has.
pub fn count(a: &mut AccountTx, definition: CustomFieldDefinitionId) -> Result<u64, Error> {
    let count = a.query_one(
        "select count(*) as total from custom_field_options
         where account_id = $1 and definition_id = $2",
        &[definition.into()],
        |row| row.get::<i64>("total"),
    )?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}

/// Removes an option; values keep its string. `false` when there was none.
pub fn delete(
    a: &mut AccountTx,
    definition: CustomFieldDefinitionId,
    id: CustomFieldOptionId,
) -> Result<bool, Error> {
    let gone = a.execute(
        "delete from custom_field_options
         where account_id = $1 and definition_id = $2 and id = $3",
        &[definition.into(), id.into()],
    )?;
    Ok(gone > 0)
}

fn of(a: &mut AccountTx, column: &'static str, ids: Vec<Value<'_>>) -> Result<Vec<Stored>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = padded(ids);
    let places = placeholders(2, ids.len());
    a.query(
        &format!(
            "select {COLUMNS} from custom_field_options
             where account_id = $1 and {column} in ({places}) order by {ORDER}"
        ),
        &ids,
        read,
    )
}

const COLUMNS: &str = "id, definition_id, value, label, position, created_at, updated_at";

const ORDER: &str = "position is null, position, created_at, id";

fn read(row: &Row<'_>) -> Result<Stored, Error> {
    Ok(Stored {
        id: row.id("id")?,
        definition: row.id("definition_id")?,
        value: row.get("value")?,
        label: row.get("label")?,
        position: row.get("position")?,
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
