//! `GET /v2/custom_field_definitions/{id}/options`

use domain::ids::CustomFieldDefinitionId;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field_option::TYPE;
use store::custom_field::{definition, option};
use tracking::custom_fields::option_texts;

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "list_custom_field_options",
    summary: "Options of a definition, by position",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules {
        sorts: &["position"],
        paged: true,
        ..Rules::of(&TYPE)
    },
    body: None,
    answers: Answers::Many(&TYPE),
    subject: "custom field definition",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: CustomFieldDefinitionId = call.id()?;
    let read = call
        .read(move |reading| {
            let slice = reading.slice();
            let a = &mut reading.account();
            if definition::find(a, id)?.is_none() {
                return Ok(None);
            }
            let found = option::page(a, id, slice)?;
            let texts = option_texts(&found.rows);
            Ok(Some((reading.with_included(texts)?, found.total)))
        })
        .await?;
    let (rows, total) = read.ok_or_else(|| call.not_found())?;
    Ok(call.many(rows, total))
}
