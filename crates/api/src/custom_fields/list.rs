//! `GET /v2/custom_fields`

use jsonapi::query::{Holds, Parameter, Query, Rules, Value};
use jsonapi::resource::custom_field::TYPE;
use store::custom_field::field::{Filter, page};
use tracking::custom_fields::field_texts;

use super::PAGE_SIZE;
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_field_definitions::{entity_kinds, entity_types};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_custom_fields",
    summary: "Custom fields of all records, newest first",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        parameters: &[
            Parameter::new(
                "filter[entity_type]",
                Holds::Words(entity_types),
                "On records of this kind; Cargo means Container.",
            ),
            Parameter::new("filter[entity_id]", Holds::Id, "On this record."),
            Parameter::new("filter[definition_id]", Holds::Id, "Of this definition."),
        ],
        sorts: &["-created_at"],
        paged: true,
        page_size: PAGE_SIZE,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "custom field",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let filter = filter(&call.query);
    let (rows, total) = call
        .read(move |reading| {
            let slice = reading.slice();
            let a = &mut reading.account();
            let found = page(a, &filter, slice)?;
            let texts = field_texts(a, &found.rows)?;
            Ok((reading.with_included(texts)?, found.total))
        })
        .await?;
    Ok(call.many(rows, total))
}

fn filter(query: &Query) -> Filter {
    let id = |name| query.value(name).and_then(Value::id);
    Filter {
        entities: entity_kinds(query),
        entity_id: id("filter[entity_id]"),
        definition: id("filter[definition_id]").map(Into::into),
    }
}
