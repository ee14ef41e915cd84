//! Custom fields as resource objects. They are rendered when they are read: a label or a format that changed is
//! seen at once, in every value that it concerns.

use std::collections::HashMap;

use domain::custom_field::{Choice, Definition};
use domain::ids::{CustomFieldDefinitionId, CustomFieldId, CustomFieldOptionId};
use jsonapi::resource::custom_field_definition::FIELDS_LINKED_MAX;
use jsonapi::resource::{custom_field, custom_field_definition, custom_field_option};
use store::AccountTx;
use store::custom_field::{definition, field, option};

/// The texts of these values.
pub fn field_texts(
    a: &mut AccountTx<'_>,
    rows: &[field::Stored],
) -> Result<Vec<String>, store::Error> {
    let mut wanted: Vec<CustomFieldDefinitionId> = rows.iter().map(|row| row.definition).collect();
    wanted.sort_unstable();
    wanted.dedup();
    let definitions = definition::of_ids(a, &wanted)?;
    let with_options = definitions
        .iter()
        .filter(|row| row.definition.data_type.has_options());
    let with_options: Vec<CustomFieldDefinitionId> = with_options.map(|row| row.id).collect();
    let mut choices: HashMap<CustomFieldDefinitionId, Vec<Choice>> = HashMap::new();
    for row in option::of_definitions(a, &with_options)? {
        choices.entry(row.definition).or_default().push(choice(row));
    }
    let definitions: HashMap<_, _> = definitions.iter().map(|row| (row.id, row)).collect();
    let text = |row: &field::Stored| {
        let definition = definitions.get(&row.definition)?;
        let choices = choices.get(&row.definition).map_or(&[][..], Vec::as_slice);
        Some(field_text(&definition.definition, choices, row))
    };
    Ok(rows.iter().filter_map(text).collect())
}

/// The text of one value.
pub(super) fn field_text(
    definition: &Definition,
    choices: &[Choice],
    row: &field::Stored,
) -> String {
    let shown = definition.display(&row.value, choices);
    custom_field::render(&custom_field::View {
        id: row.id,
        api_slug: &definition.api_slug,
        value: &row.value,
        display_value: shown.as_deref(),
        entity: row.entity,
        entity_id: row.entity_id,
        definition: row.definition,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

/// The texts of these definitions.
pub fn definition_texts(
    a: &mut AccountTx<'_>,
    rows: &[definition::Stored],
) -> Result<Vec<String>, store::Error> {
    let mut texts = Vec::with_capacity(rows.len());
    for row in rows {
        texts.push(definition_text(a, row)?);
    }
    Ok(texts)
}

/// The text of a definition, with its options and its latest values.
pub(super) fn definition_text(
    a: &mut AccountTx<'_>,
    row: &definition::Stored,
) -> Result<String, store::Error> {
    let fields = field::of_definition(a, row.id, FIELDS_LINKED_MAX)?;
    let fields: Vec<CustomFieldId> = fields.iter().map(|field| field.id).collect();
    let options = option::of_definitions(a, &[row.id])?;
    let options: Vec<CustomFieldOptionId> = options.iter().map(|option| option.id).collect();
    Ok(custom_field_definition::render(
        &custom_field_definition::View {
            id: row.id,
            account: a.account(),
            definition: &row.definition,
            fields: &fields,
            options: &options,
            created_at: row.created_at,
            updated_at: row.updated_at,
        },
    ))
}

/// The texts of these options.
pub fn option_texts(rows: &[option::Stored]) -> Vec<String> {
    rows.iter().map(option_text).collect()
}

/// The text of an option.
fn option_text(row: &option::Stored) -> String {
    custom_field_option::render(&custom_field_option::View {
        id: row.id,
        label: &row.label,
        value: &row.value,
        position: row.position,
        created_at: row.created_at,
        updated_at: row.updated_at,
    })
}

pub(super) fn choice(row: option::Stored) -> Choice {
    Choice {
        value: row.value,
        label: row.label,
    }
}
