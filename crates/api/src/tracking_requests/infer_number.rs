//! `POST /v2/tracking_requests/infer_number`

use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::read::{Form, Node};
use jsonapi::resource::infer_number_results::{TYPE, render};
use jsonapi::schema::Shape;
use tracking::id_source;
use tracking::request::inferred;

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "infer_number",
    summary: "Tell what kind of number this is, and which shipping line it belongs to",
    needs: Needs::Show,
    gate: Gate::Open,
    bucket: Bucket::Infer,
    query: Rules::NONE,
    body: Some(Body::Plain(&[Member::required(
        "number",
        Shape::Text,
        "A container number, a bill of lading or a booking.",
    )])),
    answers: Answers::One(&TYPE),
    subject: "number",
    handle: |call| Box::pin(handle(call)),
};

const REFUSED: &str = "This reference number is not valid.";

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.plain_form()?;
    let number = number(&mut form);
    form.finish()?;
    let number = number.unwrap_or_default();
    let told = call
        .read(move |reading| {
            let account = reading.caller.account;
            Ok(inferred(
                reading.tx,
                &reading.app.tracking,
                account,
                &number,
            )?)
        })
        .await?;
    let told = told.map_err(|_| ErrorItem::pointer("/number", REFUSED))?;
    let id = id_source(call.app.tracking.now()).draw();
    let registry = call.app.tracking.registry();
    let told = told.of_lines_that_answer(&registry.clues().lines);
    let text = render(id, &told, |candidate| {
        let line = registry.shipping_line(candidate.scac);
        line.map_or_else(|| candidate.scac.to_string(), |line| line.name.clone())
    });
    Ok(call.one(Rows {
        primary: vec![text],
        included: Vec::new(),
    }))
}

fn number(form: &mut Form) -> Option<String> {
    match form.value("number") {
        Some(Node::Text(text)) => return Some(text),
        None | Some(Node::Null) => form.fault_in_words("number", REFUSED),
        Some(_) => form.fault("number", "must be a string"),
    }
    None
}
