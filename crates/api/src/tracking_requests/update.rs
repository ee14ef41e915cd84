//! `PATCH /v2/tracking_requests/{id}`

use domain::ids::TrackingRequestId;
use jsonapi::query::Rules;
use jsonapi::read::Text;
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
            Member::optional("ref_numbers", Shape::Texts, "Replaces all references."),
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
    let ref_numbers = form.texts("ref_numbers", Text::NAME);
    let one = form.has("ref_number");
    let ref_number = form.text("ref_number", Text::NAME);
    let tags = super::tags(&mut form);
    let customer = customer::read(&mut form);
    form.finish()?;
    let patch = RequestPatch {
        ref_numbers: ref_numbers.or_else(|| one.then(|| ref_number.into_iter().collect())),
        tags,
        customer,
    };
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, row| call.resource(&row.document))
        .await
        .map_err(customer::refused)?
}
