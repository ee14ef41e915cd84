//! `POST /v2/parties`

use jsonapi::query::Rules;
use jsonapi::read::Text;
use jsonapi::resource::party::TYPE;
use jsonapi::schema::Shape;
use tracking::parties::{NewParty, create};

use super::{CUSTOMER, refused};
use crate::address::absolute;
use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "create_party",
    summary: "Add a company that the account deals with",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required("company_name", Shape::Text, "The company's name."),
            CUSTOMER,
        ],
        relationships: &[],
    }),
    answers: Answers::Created(&TYPE),
    subject: "party",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let company_name = form.required_text("company_name", Text::NAME);
    let customer = form.text("customer", Text::NAME);
    form.finish()?;
    let wanted = NewParty {
        company_name: company_name.unwrap_or_default(),
        customer,
    };
    let creating = create(&call.app.tracking, call.caller.account, wanted);
    call.done(creating, |call, row| {
        let path = format!("/v2/parties/{}", row.id);
        let own = absolute(call.app.tracking.base_url(), &path);
        let rows = Rows::one(&row.document);
        Ok(call.one_at(rows, &path).created(&own))
    })
    .await
    .map_err(refused)?
}
