//! `GET /v2/{records}/{id}/custom_fields`

use domain::custom_field::EntityKind;
use jsonapi::query::Rules;
use jsonapi::resource::custom_field::TYPE;
use store::custom_field::field::{Filter, page};
use tracking::custom_fields::field_texts;

use super::{entity, exists, gate};
use crate::answer::Answer;
use crate::call::Call;
use crate::custom_fields::PAGE_SIZE;
use crate::failure::Failure;
use crate::operation::{Answers, Bucket, Handling, Needs, Operation};

pub(crate) const SHIPMENT: Operation = operation(
    ("list_shipment_custom_fields", "shipment"),
    "Custom fields of a shipment, newest first",
    EntityKind::Shipment,
    |call| Box::pin(handle(call, EntityKind::Shipment)),
);
pub(crate) const CONTAINER: Operation = operation(
    ("list_container_custom_fields", "container"),
    "Custom fields of a container, newest first",
    EntityKind::Container,
    |call| Box::pin(handle(call, EntityKind::Container)),
);
pub(crate) const TRACKING_REQUEST: Operation = operation(
    ("list_tracking_request_custom_fields", "tracking request"),
    "Custom fields of a tracking request, newest first",
    EntityKind::TrackingRequest,
    |call| Box::pin(handle(call, EntityKind::TrackingRequest)),
);

const fn operation(
    (name, subject): (&'static str, &'static str),
    summary: &'static str,
    kind: EntityKind,
    handle: fn(Call) -> Handling,
) -> Operation {
    Operation {
        name,
        summary,
        needs: Needs::Show,
        gate: gate(kind),
        bucket: Bucket::Default,
        query: Rules {
            sorts: &["-created_at"],
            paged: true,
            page_size: PAGE_SIZE,
            ..Rules::of(&TYPE)
        },
        body: None,
        answers: Answers::Many(&TYPE),
        subject,
        handle,
    }
}

async fn handle(call: Call, kind: EntityKind) -> Result<Answer, Failure> {
    let entity = entity(&call, kind)?;
    let read = call
        .read(move |reading| {
            if !exists(reading, entity)? {
                return Ok(None);
            }
            let filter = Filter {
                entity_id: Some(entity.id),
                ..Filter::default()
            };
            let slice = reading.slice();
            let a = &mut reading.account();
            let found = page(a, &filter, slice)?;
            let texts = field_texts(a, &found.rows)?;
            Ok(Some((reading.with_included(texts)?, found.total)))
        })
        .await?;
    let (rows, total) = read.ok_or_else(|| call.not_found())?;
    Ok(call.many(rows, total))
}
