//! `GET /v2/custom_field_definitions`

use domain::custom_field::DataType;
use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::custom_field_definition::{TYPE, data_types};
use store::custom_field::definition::{Filter, page};
use tracking::custom_fields::definition_texts;

use super::{entity_kinds, entity_types};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::PAGE_SIZE;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_custom_field_definitions",
    summary: "Definitions of custom fields, newest first",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new(
                "filter[entity_type]",
                Holds::Words(entity_types),
                "For records of this kind; Cargo means Container.",
            ),
            Parameter::new(
                "filter[data_type]",
                Holds::Words(data_types),
                "Holding this.",
            ),
            Parameter::new(
                "filter[display_name]",
                Holds::Text,
                "Whose name begins with this.",
            ),
        ],
        sorts: &["-created_at"],
        paged: true,
        page_size: PAGE_SIZE,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query);
    let (rows, total) = call
        .read(move |reading| {
            let slice = reading.slice();
            let a = &mut reading.account();
            let found = page(a, &filter, slice)?;
            let texts = definition_texts(a, &found.rows)?;
            Ok((reading.with_included(texts)?, found.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query) -> Filter {
    let data_types = query.value("filter[data_type]").and_then(Value::words);
    let named = query.value("filter[display_name]").and_then(Value::text);
    Filter {
        entities: entity_kinds(query),
        data_types: data_types
            .unwrap_or_default()
            .iter()
            .filter_map(|word| DataType::parse(word))
            .collect(),
        display_name: named.map(ToOwned::to_owned),
    }
}
