//! Options of `enum` and `enum_multi` definitions.

use domain::audit::Action;
use domain::custom_field::OPTIONS_MAX;
use domain::ids::{AccountId, CustomFieldDefinitionId, CustomFieldOptionId};
use store::Key;
use store::custom_field::definition;
use store::custom_field::option::{self, Stored};

use super::refused::FieldRefused;
use crate::audit::{self, Detail};
use crate::{Tracking, id_source};

/// An option that is to be made.
#[derive(Clone, Debug)]
pub struct NewOption {
    /// What people see.
    pub label: String,
    /// What values hold.
    pub value: String,
    /// Where it stands among the others.
    pub position: Option<i64>,
}

/// What a caller changes of an option; `None` leaves it.
#[derive(Clone, Debug, Default)]
pub struct OptionPatch {
    /// What people see.
    pub label: Option<String>,
    /// Where it stands among the others.
    pub position: Option<Option<i64>>,
    /// Cannot change; may be sent as it is.
    pub value: Option<String>,
}

/// Adds an option. `None`: this account has no such definition.
pub async fn add_option(
    tracking: &Tracking,
    account: AccountId,
    of: CustomFieldDefinitionId,
    wanted: NewOption,
) -> Result<Option<Stored>, FieldRefused> {
    let now = tracking.now();
    let row = Stored {
        id: id_source(now).draw(),
        definition: of,
        value: wanted.value,
        label: wanted.label,
        position: wanted.position,
        created_at: now,
        updated_at: now,
    };
    let value = row.value.clone();
    let by = tracking.whoever(now);
    let added = tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            let Some(definition) = definition::find(a, of)? else {
                return Ok(None);
            };
            let data_type = definition.definition.data_type;
            if !data_type.has_options() {
                return Err(FieldRefused::NoOptions(data_type));
            }
            let others = option::of_definitions(a, &[of])?;
            if others.iter().any(|other| other.value == row.value) {
                return Err(FieldRefused::OptionTaken(row.value.clone()));
            }
            if others.len() as u64 >= OPTIONS_MAX {
                return Err(FieldRefused::TooManyOptions);
            }
            option::insert(a, &row)?;
            audit::note(a, by, Action::OptionCreated, row.id, detail(&row));
            Ok(Some(row.clone()))
        })
        .await;
    match added {
        Err(FieldRefused::Store(store::Error::Conflict { .. })) => {
            Err(FieldRefused::OptionTaken(value))
        }
        added => added,
    }
}

/// Changes an option. No value is touched: they hold what does not change. `None`: there is no such option.
pub async fn change_option(
    tracking: &Tracking,
    account: AccountId,
    of: CustomFieldDefinitionId,
    id: CustomFieldOptionId,
    patch: OptionPatch,
) -> Result<Option<Stored>, FieldRefused> {
    let now = tracking.now();
    let by = tracking.whoever(now);
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            let Some(before) = option::lock(a, of, id)? else {
                return Ok(None);
            };
            if patch
                .value
                .as_ref()
                .is_some_and(|value| *value != before.value)
            {
                return Err(FieldRefused::Immutable("value"));
            }
            let mut row = before.clone();
            row.label = patch.label.clone().unwrap_or(row.label);
            row.position = patch.position.unwrap_or(row.position);
            if row != before {
                row.updated_at = now;
                option::update(a, &row)?;
                let detail = detail(&row)
                    .changed("label", before.label.as_str(), row.label.as_str())
                    .changed("position", before.position, row.position);
                audit::note(a, by, Action::OptionUpdated, row.id, detail);
            }
            Ok(Some(row))
        })
        .await
}

/// Removes an option; values keep its string. False: there is no such option.
pub async fn remove_option(
    tracking: &Tracking,
    account: AccountId,
    of: CustomFieldDefinitionId,
    id: CustomFieldOptionId,
) -> Result<bool, store::Error> {
    let by = tracking.whoever(tracking.now());
    tracking
        .store()
        .write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            let found = option::find(a, of, id)?;
            let gone = option::delete(a, of, id)?;
            if let Some(row) = found.filter(|_| gone) {
                audit::note(a, by, Action::OptionDeleted, id, detail(&row));
            }
            Ok(gone)
        })
        .await
}

/// What is noted of an option.
fn detail(row: &Stored) -> Detail {
    Detail::default()
        .with("definition", row.definition.to_string())
        .with("value", row.value.as_str())
}
