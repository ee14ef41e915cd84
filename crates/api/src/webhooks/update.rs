//! `PATCH /v2/webhooks/{id}`

use domain::ids::WebhookId;
use jsonapi::query::Rules;
use jsonapi::resource::webhook::{HEADER, TYPE, subscribed_words};
use jsonapi::schema::Shape;
use tracking::webhooks::{WebhookPatch, update};

use super::{events, masked, refused, url};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "update_webhook",
    summary: "Change a webhook, or switch it on or off",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::optional("url", Shape::Url, "Where deliveries go."),
            Member::optional(
                "events",
                Shape::Words(subscribed_words),
                "At least one, each once. `*` stands for all there are, `container.transport.*` for those that begin so. Events of documents are left out of the list.",
            ),
            Member::optional("active", Shape::Boolean, "Whether deliveries are sent."),
            Member::optional("headers", Shape::Objects(HEADER), "Replaces all headers."),
        ],
        relationships: &[],
    }),
    answers: Answers::One(&TYPE),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let mut form = call.form(TYPE.name)?;
    form.must_be(&id.to_string());
    let url = if form.has("url") {
        let stands = call
            .read(move |reading| Ok(store::webhook::find(&mut reading.account(), id)?))
            .await?;
        let stands = stands.as_ref().map(|webhook| webhook.url.as_str());
        url(&mut form, call.app.tracking.egress(), stands)
    } else {
        None
    };
    let names_active = form.has("active");
    let active = form.boolean("active");
    if names_active && active.is_none() && !form.is_refused("active") {
        form.blank("active");
    }
    let events = events(&mut form);
    let headers = form.pairs("headers");
    form.finish()?;
    let patch = WebhookPatch {
        url,
        active,
        events,
        headers,
    };
    let changing = update(&call.app.tracking, call.caller.account, id, patch);
    call.done_to_one(changing, |call, opened| call.resource(masked(opened)))
        .await
        .map_err(refused)?
}
