//! `PATCH /v2/parties/{id}`

use domain::ids::PartyId;
use jsonapi::query::Rules;
use jsonapi::read::Text;
use jsonapi::resource::party::TYPE;
use jsonapi::schema::Shape;
use tracking::parties::{PartyPatch, update};

use super::{CUSTOMER, refused};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "update_party",
    summary: "Rename a party; its shipments show the new name",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::optional("company_name", Shape::Text, "Another name; not blank."),
            CUSTOMER,
        ],
        relationships: &[],
    }),
    answers: Answers::One(&TYPE),
    subject: "party",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: PartyId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let renamed = form.has("company_name");
    let company_name = renamed.then(|| form.required_text("company_name", Text::NAME));
    let called = form.has("customer");
    let customer = called.then(|| form.text("customer", Text::NAME));
    form.finish()?;
    let patch = PartyPatch {
        company_name: company_name.flatten(),
        customer,
    };
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, row| call.resource(&row.document))
        .await
        .map_err(refused)?
}
