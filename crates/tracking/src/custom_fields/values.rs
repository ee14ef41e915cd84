//! Setting, changing and removing values.

use domain::custom_field::{Choice, FIELDS_MAX, Value};
use domain::ids::{AccountId, CustomFieldId, IdSource};
use jiff::Timestamp;
use store::custom_field::{definition, field, option};
use store::{AccountTx, Key, Tx};

use super::record::{Entity, Record};
use super::refused::FieldRefused;
use super::shown::field_text;
use crate::{Tracking, id_source};

/// Which value is meant.
#[derive(Clone, Debug)]
pub enum Which {
    /// The one with this id.
    Id(CustomFieldId),
    /// The one of this slug on this record.
    On(Entity, String),
}

/// A value as it stands and as it is shown.
#[derive(Clone, Debug)]
pub struct Set {
    /// Its id.
    pub id: CustomFieldId,
    /// Its resource object.
    pub text: String,
}

/// Sets the value of this slug on this record, whether it has one or not. `None`: this account has no such record.
pub async fn set(
    tracking: &Tracking,
    account: AccountId,
    entity: Entity,
    slug: String,
    value: Value,
) -> Result<Option<Set>, FieldRefused> {
    let setting = || {
        let now = tracking.now();
        let (ids, service) = (id_source(now), tracking.clone());
        let (slug, value) = (slug.clone(), value.clone());
        tracking.store().write(Key::account(account), move |tx| {
            let writing = Writing {
                tracking: &service,
                account,
                now,
            };
            writing.set(tx, entity, &slug, value.clone(), &mut ids.clone())
        })
    };
    match setting().await {
        // Another call set it between the look and the insert: it changes that one now.
        Err(FieldRefused::Store(store::Error::Conflict { .. })) => setting().await,
        done => done,
    }
}

/// Changes a value; null clears it. `None`: this account has no such value.
pub async fn change(
    tracking: &Tracking,
    account: AccountId,
    which: Which,
    value: Value,
) -> Result<Option<Set>, FieldRefused> {
    let now = tracking.now();
    let service = tracking.clone();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let writing = Writing {
                tracking: &service,
                account,
                now,
            };
            let Some(row) = find(&mut tx.account(account), &which)? else {
                return Ok(None);
            };
            writing.change(tx, row.id, value.clone())
        })
        .await
}

/// Removes a value; its definition stays. False: this account has no such value.
pub async fn clear(
    tracking: &Tracking,
    account: AccountId,
    which: Which,
) -> Result<bool, store::Error> {
    let now = tracking.now();
    let service = tracking.clone();
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let writing = Writing {
                tracking: &service,
                account,
                now,
            };
            let found = find(&mut tx.account(account), &which)?;
            let there = found.is_some();
            if let Some(row) = found {
                writing.clear(tx, &row)?;
            }
            Ok(there)
        })
        .await
}

fn find(a: &mut AccountTx<'_>, which: &Which) -> Result<Option<field::Stored>, store::Error> {
    match which {
        Which::Id(id) => field::find(a, *id),
        Which::On(entity, slug) => match definition::find_slug(a, slug)? {
            Some(definition) if definition.definition.entity == entity.kind => {
                field::find_on(a, entity.id, definition.id)
            }
            _ => Ok(None),
        },
    }
}

/// One transaction's surroundings.
pub(super) struct Writing<'a> {
    pub(super) tracking: &'a Tracking,
    pub(super) account: AccountId,
    pub(super) now: Timestamp,
}

impl Writing<'_> {
    fn set(
        &self,
        tx: &mut Tx,
        entity: Entity,
        slug: &str,
        value: Value,
        ids: &mut IdSource,
    ) -> Result<Option<Set>, FieldRefused> {
        let Some(mut record) = Record::hold(tx, self.account, entity)? else {
            return Ok(None);
        };
        let a = &mut tx.account(self.account);
        let definition = definition_of(a, slug, entity)?;
        if let Some(row) = field::find_on(a, entity.id, definition.id)? {
            return self.replace(a, record, &definition, row, value).map(Some);
        }
        let choices = choices(a, &definition)?;
        let judged = definition.definition.accept(value, &choices);
        let value = judged.map_err(FieldRefused::Value)?;
        if field::count(a)? >= FIELDS_MAX {
            return Err(FieldRefused::TooManyFields);
        }
        let row = field::Stored {
            id: ids.draw(),
            entity: entity.kind,
            entity_id: entity.id,
            definition: definition.id,
            value,
            created_at: self.now,
            updated_at: self.now,
        };
        field::insert(a, &row)?;
        record.fields().push(row.id);
        record.write(a, self.tracking, self.now)?;
        Ok(Some(told(&definition, &choices, &row)))
    }

    /// The value is read again while its record is held.
    fn change(
        &self,
        tx: &mut Tx,
        id: CustomFieldId,
        value: Value,
    ) -> Result<Option<Set>, FieldRefused> {
        let Some(found) = field::find(&mut tx.account(self.account), id)? else {
            return Ok(None);
        };
        let Some(record) = Record::hold(tx, self.account, of(&found))? else {
            return Ok(None);
        };
        let a = &mut tx.account(self.account);
        let (row, definition) = (field::find(a, id)?, definition::find(a, found.definition)?);
        let Some((row, definition)) = row.zip(definition) else {
            return Ok(None);
        };
        self.replace(a, record, &definition, row, value).map(Some)
    }

    fn replace(
        &self,
        a: &mut AccountTx<'_>,
        record: Record,
        definition: &definition::Stored,
        mut row: field::Stored,
        value: Value,
    ) -> Result<Set, FieldRefused> {
        let choices = choices(a, definition)?;
        let judged = definition.definition.accept(value, &choices);
        let value = judged.map_err(FieldRefused::Value)?;
        if row.value != value {
            row.value = value;
            row.updated_at = self.now;
            field::update(a, &row)?;
            record.write(a, self.tracking, self.now)?;
        }
        Ok(told(definition, &choices, &row))
    }

    /// Removes the value and its record's link to it.
    pub(super) fn clear(&self, tx: &mut Tx, row: &field::Stored) -> Result<(), store::Error> {
        let held = Record::hold(tx, self.account, of(row))?;
        let a = &mut tx.account(self.account);
        field::delete(a, row.id)?;
        let Some(mut record) = held else {
            return Ok(());
        };
        record.fields().retain(|id| *id != row.id);
        record.write(a, self.tracking, self.now)
    }
}

/// The record that has the value.
pub(super) fn of(row: &field::Stored) -> Entity {
    Entity {
        kind: row.entity,
        id: row.entity_id,
    }
}

/// The definition of this slug, for records of this kind.
pub(super) fn definition_of(
    a: &mut AccountTx<'_>,
    slug: &str,
    entity: Entity,
) -> Result<definition::Stored, FieldRefused> {
    let found = definition::find_slug(a, slug)?;
    let definition = found.ok_or_else(|| FieldRefused::SlugUnknown(slug.to_owned()))?;
    let of = definition.definition.entity;
    if of == entity.kind {
        return Ok(definition);
    }
    Err(FieldRefused::OtherEntity {
        slug: slug.to_owned(),
        of,
        on: entity.kind,
    })
}

/// The options of a definition.
pub(super) fn choices(
    a: &mut AccountTx<'_>,
    definition: &definition::Stored,
) -> Result<Vec<Choice>, store::Error> {
    if !definition.definition.data_type.has_options() {
        return Ok(Vec::new());
    }
    let options = option::of_definitions(a, &[definition.id])?;
    Ok(options.into_iter().map(super::shown::choice).collect())
}

fn told(definition: &definition::Stored, choices: &[Choice], row: &field::Stored) -> Set {
    Set {
        id: row.id,
        text: field_text(&definition.definition, choices, row),
    }
}
