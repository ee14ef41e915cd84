//! Definitions.

use domain::custom_field::{DataType, Definition, EntityKind};
use domain::ids::CustomFieldDefinitionId;
use jiff::Timestamp;
use rust_decimal::Decimal;

use crate::db::{Row, Value, padded, placeholders};
use crate::fold::{self, Part, Place};
use crate::page::Clauses;
use crate::{AccountTx, Error, Page, Slice, mirror};

/// A definition that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its id.
    pub id: CustomFieldDefinitionId,
    /// What it says.
    pub definition: Definition,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Stored {
    /// A value as it is looked up ([`ContainerFilter`](crate::container::ContainerFilter)).
    pub fn plain(&self, text: &str) -> String {
        let number = match self.definition.data_type {
            DataType::Number => text.parse::<Decimal>().ok(),
            _ => None,
        };
        let plain = number.map(|number| number.normalize().to_string());
        let plain = plain.unwrap_or_else(|| text.to_owned());
        plain.chars().take(super::field::PLAIN_CHARS_MAX).collect()
    }
}

/// Which definitions to list; nothing set lists all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// For any of these kinds of record; empty: any.
    pub entities: Vec<EntityKind>,
    /// Holding any of these; empty: any.
    pub data_types: Vec<DataType>,
    /// Whose name begins with this, in any letter case.
    pub display_name: Option<String>,
}

/// Adds a definition. Conflict when the slug is taken.
pub fn insert(a: &mut AccountTx, row: &Stored) -> Result<(), Error> {
    let texts = Texts::of(row)?;
    let mut values = texts.values(row);
    values.push(row.created_at.into());
    a.execute(
        "insert into custom_field_definitions (account_id, id, entity_type, api_slug, display_name,
             description, data_type, reference_type, rules, default_format, default_value,
             updated_at, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        &values,
    )?;
    Ok(())
}

/// Replaces everything but the id and the time of creation; `false` when there is no such definition.
pub fn update(a: &mut AccountTx, row: &Stored) -> Result<bool, Error> {
    let texts = Texts::of(row)?;
    let changed = a.execute(
        "update custom_field_definitions set entity_type = $3, api_slug = $4, display_name = $5,
             description = $6, data_type = $7, reference_type = $8, rules = $9,
             default_format = $10, default_value = $11, updated_at = $12
         where account_id = $1 and id = $2",
        &texts.values(row),
    )?;
    Ok(changed > 0)
}

/// The definition with this id.
pub fn find(a: &mut AccountTx, id: CustomFieldDefinitionId) -> Result<Option<Stored>, Error> {
    Ok(of_ids(a, &[id])?.into_iter().next())
}

/// The definition with this id, locked until the end of the transaction: who writes it anew must not undo what another
/// node has done to it meanwhile. Values can be set all the same.
pub fn lock(a: &mut AccountTx, id: CustomFieldDefinitionId) -> Result<Option<Stored>, Error> {
    let locked = a.locking(
        &format!(
            "select {COLUMNS} from custom_field_definitions
             where account_id = $1 and id = $2 /*pg for no key update*/"
        ),
        &[id.into()],
        read,
    )?;
    Ok(locked.into_iter().next())
}

/// The definition with this slug.
pub fn find_slug(a: &mut AccountTx, slug: &str) -> Result<Option<Stored>, Error> {
    a.query_one(
        &format!(
            "select {COLUMNS} from custom_field_definitions
             where account_id = $1 and api_slug = $2"
        ),
        &[slug.into()],
        read,
    )
}

/// The definitions with these ids, in no order; unknown ones are left out.
pub fn of_ids(a: &mut AccountTx, ids: &[CustomFieldDefinitionId]) -> Result<Vec<Stored>, Error> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids = padded(ids.iter().map(|id| Value::from(*id)).collect());
    let places = placeholders(2, ids.len());
    a.query(
        &format!(
            "select {COLUMNS} from custom_field_definitions
             where account_id = $1 and id in ({places})"
        ),
        &ids,
        read,
    )
}

/// Definitions by time of creation, newest first.
pub fn page(a: &mut AccountTx, filter: &Filter, slice: Slice) -> Result<Page<Stored>, Error> {
    let called = match &filter.display_name {
        Some(text) => {
            let part = Part::new(text, Place::Beginning);
            Some(fold::named(
                a,
                ("custom_field_definitions", "display_name"),
                &part,
            )?)
        }
        None => None,
    };
    let entities: Vec<&str> = filter.entities.iter().map(|kind| kind.as_str()).collect();
    let data_types: Vec<&str> = filter.data_types.iter().map(|kind| kind.as_str()).collect();
    let mut clauses = Clauses::new();
    clauses.any_of("entity_type", &entities);
    clauses.any_of("data_type", &data_types);
    if let Some(ids) = called {
        clauses.any_id("id in ($)", &ids);
    }
    clauses.page(a, "custom_field_definitions", COLUMNS, slice, read)
}

/// How many there are.
pub fn count(a: &mut AccountTx) -> Result<u64, Error> {
    let count = a.query_one(
        "select count(*) as total from custom_field_definitions where account_id = $1",
        &[],
        |row| row.get::<i64>("total"),
    )?;
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or(0))
}

/// Removes a definition that has no values, and its options; `false` when there was none.
pub fn delete(a: &mut AccountTx, id: CustomFieldDefinitionId) -> Result<bool, Error> {
    let gone = a.execute(
        "delete from custom_field_definitions where account_id = $1 and id = $2",
        &[id.into()],
    )?;
    Ok(gone > 0)
}

const COLUMNS: &str = "id, entity_type, api_slug, display_name, description, data_type, \
    reference_type, rules, default_format, default_value, created_at, updated_at";

/// What is written as JSON text.
struct Texts {
    rules: String,
    default_value: String,
}

impl Texts {
    fn of(row: &Stored) -> Result<Self, Error> {
        Ok(Self {
            rules: mirror::text(&row.definition.rules)?,
            default_value: mirror::text(&row.definition.default_value)?,
        })
    }

    /// From `$2`.
    fn values<'v>(&'v self, row: &'v Stored) -> Vec<Value<'v>> {
        let definition = &row.definition;
        vec![
            row.id.into(),
            definition.entity.as_str().into(),
            (&definition.api_slug).into(),
            (&definition.display_name).into(),
            (&definition.description).into(),
            definition.data_type.as_str().into(),
            (&definition.reference_type).into(),
            (&self.rules).into(),
            (&definition.default_format).into(),
            (&self.default_value).into(),
            row.updated_at.into(),
        ]
    }
}

fn read(row: &Row<'_>) -> Result<Stored, Error> {
    Ok(Stored {
        id: row.id("id")?,
        definition: Definition {
            entity: row.parsed("entity_type", EntityKind::parse)?,
            api_slug: row.get("api_slug")?,
            display_name: row.get("display_name")?,
            description: row.get("description")?,
            data_type: row.parsed("data_type", DataType::parse)?,
            reference_type: row.get("reference_type")?,
            rules: row.mirrored("rules")?,
            default_format: row.get("default_format")?,
            default_value: row.mirrored("default_value")?,
        },
        created_at: row.get("created_at")?,
        updated_at: row.get("updated_at")?,
    })
}
