//! `PATCH /v2/shipments/{id}`

use domain::ids::ShipmentId;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::shipment::TYPE;
use jsonapi::schema::Shape;
use tracking::shipment::{ShipmentPatch, update};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};
use crate::parties::customer;

pub(crate) const OPERATION: Operation = Operation {
    name: "update_shipment",
    summary: "Change a shipment's references, tags and customer",
    needs: Needs::Update,
    gate: Gate::TrackingData,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::optional(
                "ref_numbers",
                Shape::TextsOrNulls,
                "Replaces all references.",
            ),
            Member::optional("tags", Shape::Texts, "Replaces all tags; each once."),
        ],
        relationships: &[customer::LINK],
    }),
    answers: Answers::One(&TYPE),
    subject: "shipment",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: ShipmentId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let patch = ShipmentPatch {
        ref_numbers: form.texts_or_nulls("ref_numbers", Text::NAME),
        tags: tags(&mut form),
        customer: customer::read(&mut form),
    };
    form.finish()?;
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, row| call.resource(&row.document))
        .await
        .map_err(customer::refused)?
}

fn tags(form: &mut Form) -> Option<Vec<String>> {
    let sent = form.placed_texts("tags", Text::NAME)?;
    let mut tags = Vec::with_capacity(sent.len());
    for (place, tag) in sent {
        if tags.contains(&tag) {
            form.fault(&format!("tags/{place}"), "are given more than once");
        }
        tags.push(tag);
    }
    Some(tags)
}
