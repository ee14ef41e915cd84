//! `PATCH /v2/tracking_requests/{id}`

use domain::ids::TrackingRequestId;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Text};
use jsonapi::resource::tracking_request::TYPE;
use jsonapi::schema::Shape;
use tracking::request::{RequestPatch, update};

use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};
use crate::parties::customer;

pub(crate) const OPERATION: Operation = Operation {
    name: "update_tracking_request",
    summary: "Change the references, tags and customer of a tracking request",
    needs: Needs::Update,
    gate: Gate::Open,
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
            Member::optional(
                "ref_number",
                Shape::Text,
                "Replaces all references by this one.",
            ),
            Member::optional("shipment_tags", Shape::Texts, "Replaces all tags."),
        ],
        relationships: &[customer::LINK],
    }),
    answers: Answers::One(&TYPE),
    subject: "tracking request",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: TrackingRequestId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let ref_numbers = ref_numbers(&mut form);
    let tags = super::tags(&mut form);
    let customer = customer::read(&mut form);
    form.finish()?;
    let patch = RequestPatch {
        ref_numbers,
        tags,
        customer,
    };
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, row| call.resource(&row.document))
        .await
        .map_err(customer::refused)?
}

/// The references that were sent, under each of their names. What is empty is no word beside the other name, nor is one that
/// stands in the list.
fn ref_numbers(form: &mut Form) -> Vec<Vec<String>> {
    let has_one = form.has("ref_number");
    let list = form.texts_or_nulls("ref_numbers", Text::NAME);
    let one = form.text("ref_number", Text::NAME);
    let is_word = match &one {
        Some(one) => !list.iter().flatten().any(|listed| listed == one),
        None => has_one && list.iter().all(Vec::is_empty),
    };
    let list = list.filter(|list| one.is_none() || !list.is_empty());
    let one = is_word.then(|| one.into_iter().collect());
    list.into_iter().chain(one).collect()
}
