//! `GET /v2/document_schemas/{id}`

use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::resource::document_schema::{TYPE, View, parse_id, render};
use store::document_schema::{DocumentSchema, find};

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Gate, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "get_document_schema",
    summary: "One version of what documents of a type hold",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::of(&TYPE),
    body: None,
    answers: Answers::One(&TYPE),
    subject: "document schema",
    handle: |call| Box::pin(handle(call)),
};

/// An id in a message is cut to this.
const ID_CHARS_SHOWN_MAX: usize = 128;

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id = call.segment("id").to_owned();
    let found = match parse_id(&id) {
        Some((document_type, version)) => {
            let document_type = document_type.to_owned();
            call.read(move |reading| Ok(find(reading.tx, &document_type, version)?))
                .await?
        }
        None => None,
    };
    let schema = found.ok_or_else(|| unknown(&id))?;
    Ok(call.one(Rows {
        primary: vec![text(&schema)],
        included: Vec::new(),
    }))
}

fn unknown(id: &str) -> ErrorItem {
    let shown = id.chars().filter(|letter| !letter.is_control());
    let shown: String = shown.take(ID_CHARS_SHOWN_MAX).collect();
    ErrorItem::new(
        404,
        format!("Couldn't find DocumentSchema with 'id'={shown}"),
    )
}

fn text(schema: &DocumentSchema) -> String {
    render(&View {
        document_type: &schema.document_type,
        version: schema.version,
        label: &schema.label,
        description: schema.description.as_deref(),
        payload: &schema.payload,
        current: schema.current,
        draft: schema.draft,
        active_at: schema.active_at,
        created_at: schema.created_at,
        updated_at: schema.updated_at,
    })
}
