//! Making, changing and ending definitions.

use domain::audit::Action;
use domain::custom_field::{DEFINITIONS_MAX, DataType, Definition, EntityKind, Rules, Value};
use domain::ids::{AccountId, CustomFieldDefinitionId};
use store::custom_field::definition::{self, Stored};
use store::custom_field::field;
use store::{AccountTx, Key, Tx};

use super::refused::FieldRefused;
use super::values::Writing;
use crate::audit::{self, By, Detail};
use crate::{Tracking, id_source};

/// Values that one transaction removes at most, when their definition ends: each writes its record too, and
/// nobody else writes meanwhile.
const REMOVED_AT_ONCE: u32 = 100;

/// What a caller changes of a definition; `None` leaves it.
#[derive(Clone, Debug, Default)]
pub struct DefinitionPatch {
    /// Its name for people.
    pub display_name: Option<String>,
    /// What it is for.
    pub description: Option<Option<String>>,
    /// All demands on values.
    pub rules: Option<Rules>,
    /// How values are shown.
    pub default_format: Option<Option<String>>,
    /// What a form offers.
    pub default_value: Option<Value>,
    /// Cannot change; may be sent as it is.
    pub api_slug: Option<String>,
    /// Cannot change; may be sent as it is.
    pub entity: Option<EntityKind>,
    /// Cannot change; may be sent as it is.
    pub data_type: Option<DataType>,
    /// Cannot change; may be sent as it is.
    pub reference_type: Option<Option<String>>,
}

/// A definition as it stands.
#[derive(Clone, Debug)]
pub struct Defined {
    /// Its id.
    pub id: CustomFieldDefinitionId,
    /// Its resource object.
    pub text: String,
}

fn defined(a: &mut AccountTx<'_>, row: &Stored) -> Result<Defined, FieldRefused> {
    let text = super::shown::definition_text(a, row)?;
    Ok(Defined { id: row.id, text })
}

/// Makes a definition.
pub async fn define(
    tracking: &Tracking,
    account: AccountId,
    mut wanted: Definition,
) -> Result<Defined, FieldRefused> {
    check(&wanted)?;
    accept_default(&mut wanted)?;
    let now = tracking.now();
    let row = Stored {
        id: id_source(now).draw(),
        definition: wanted,
        created_at: now,
        updated_at: now,
    };
    let slug = row.definition.api_slug.clone();
    let by = tracking.whoever(now);
    let made = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            if definition::find_slug(a, &row.definition.api_slug)?.is_some() {
                let slug = row.definition.api_slug.clone();
                return Err(FieldRefused::SlugTaken(slug));
            }
            if definition::count(a)? >= DEFINITIONS_MAX {
                return Err(FieldRefused::TooManyDefinitions);
            }
            definition::insert(a, &row)?;
            let detail = of(&row.definition);
            audit::note(a, by, Action::DefinitionCreated, row.id, detail);
            defined(a, &row)
        })
        .await;
    match made {
        Err(FieldRefused::Store(store::Error::Conflict { .. })) => {
            Err(FieldRefused::SlugTaken(slug))
        }
        made => made,
    }
}

/// What is noted of a definition.
fn of(definition: &Definition) -> Detail {
    Detail::default()
        .with("api_slug", definition.api_slug.as_str())
        .with("entity_type", definition.entity.as_str())
        .with("data_type", definition.data_type.as_str())
}

/// Changes a definition; values that stand are not judged again. `None`: this account has no such definition.
pub async fn redefine(
    tracking: &Tracking,
    account: AccountId,
    id: CustomFieldDefinitionId,
    patch: DefinitionPatch,
) -> Result<Option<Defined>, FieldRefused> {
    let by = tracking.whoever(tracking.now());
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            let Some(row) = definition::lock(a, id)? else {
                return Ok(None);
            };
            let changed = patched(row, &patch, by, a)?;
            defined(a, &changed).map(Some)
        })
        .await
}

fn patched(
    mut row: Stored,
    patch: &DefinitionPatch,
    by: By,
    a: &mut AccountTx<'_>,
) -> Result<Stored, FieldRefused> {
    immutable(&row.definition, patch)?;
    let before = row.definition.clone();
    let patch = patch.clone();
    let definition = &mut row.definition;
    definition.display_name = patch.display_name.unwrap_or(before.display_name.clone());
    definition.description = patch.description.unwrap_or(before.description.clone());
    definition.rules = patch.rules.unwrap_or(before.rules.clone());
    definition.default_format = patch
        .default_format
        .unwrap_or(before.default_format.clone());
    check(definition)?;
    if let Some(default) = patch.default_value {
        definition.default_value = default;
        accept_default(definition)?;
    }
    if *definition != before {
        row.updated_at = by.at();
        definition::update(a, &row)?;
        let detail = changes(&before, &row.definition);
        audit::note(a, by, Action::DefinitionUpdated, row.id, detail);
    }
    Ok(row)
}

/// What is noted of a change.
fn changes(before: &Definition, after: &Definition) -> Detail {
    Detail::default()
        .with("api_slug", after.api_slug.as_str())
        .changed(
            "display_name",
            before.display_name.as_str(),
            after.display_name.as_str(),
        )
        .touched("description", before.description != after.description)
        .touched("rules", before.rules != after.rules)
        .touched(
            "default_format",
            before.default_format != after.default_format,
        )
        .touched("default_value", before.default_value != after.default_value)
}

fn immutable(stands: &Definition, patch: &DefinitionPatch) -> Result<(), FieldRefused> {
    let other_slug = patch
        .api_slug
        .as_ref()
        .is_some_and(|s| *s != stands.api_slug);
    let other_entity = patch.entity.is_some_and(|e| e != stands.entity);
    let other_type = patch.data_type.is_some_and(|t| t != stands.data_type);
    let reference = patch.reference_type.as_ref();
    let other_reference = reference.is_some_and(|r| *r != stands.reference_type);
    let changes = [
        ("api_slug", other_slug),
        ("entity_type", other_entity),
        ("data_type", other_type),
        ("reference_type", other_reference),
    ];
    match changes.into_iter().find(|(_, changes)| *changes) {
        Some((name, _)) => Err(FieldRefused::Immutable(name)),
        None => Ok(()),
    }
}

/// Judges a definition, but for its default.
fn check(definition: &Definition) -> Result<(), FieldRefused> {
    definition.rules.check(definition.data_type)?;
    if let Some(format) = &definition.default_format {
        definition.check_format(format)?;
    }
    Ok(())
}

/// Judges a default that is sent, and brings it into the form in which values are kept. One that stands has that form
/// already: read as it was sent, by the definition's format, it might be another day.
fn accept_default(definition: &mut Definition) -> Result<(), FieldRefused> {
    let default = std::mem::replace(&mut definition.default_value, Value::Null);
    let accepted = definition.accept_default(default);
    definition.default_value = accepted.map_err(FieldRefused::Default)?;
    Ok(())
}

/// Ends a definition with its options and all its values. What is removed is removed in pieces, so that nobody
/// waits long; cut short, it is begun again where it stopped. False: this account has no such definition.
pub async fn undefine(
    tracking: &Tracking,
    account: AccountId,
    id: CustomFieldDefinitionId,
) -> Result<bool, store::Error> {
    loop {
        let (now, service) = (tracking.now(), tracking.clone());
        let gone = tracking
            .store()
            .write(Key::account(account), move |tx| {
                let writing = Writing {
                    tracking: &service,
                    account,
                    now,
                };
                remove_some(tx, &writing, id)
            })
            .await?;
        if let Some(was_there) = gone {
            return Ok(was_there);
        }
    }
}

/// `None`: there may be more.
fn remove_some(
    tx: &mut Tx,
    writing: &Writing<'_>,
    id: CustomFieldDefinitionId,
) -> Result<Option<bool>, store::Error> {
    let mut some = field::of_definition(&mut tx.account(writing.account), id, REMOVED_AT_ONCE)?;
    if some.is_empty() {
        let a = &mut tx.account(writing.account);
        let found = definition::find(a, id)?;
        let gone = definition::delete(a, id)?;
        if let Some(row) = found.filter(|_| gone) {
            let by = writing.tracking.whoever(writing.now);
            audit::note(a, by, Action::DefinitionDeleted, id, of(&row.definition));
        }
        return Ok(Some(gone));
    }
    // Records are held in one order.
    some.sort_unstable_by_key(super::values::of);
    for row in &some {
        writing.clear(tx, row)?;
    }
    Ok(None)
}
