//! `POST /v2/webhooks`

use jsonapi::query::Rules;
use jsonapi::resource::webhook::{HEADER, TYPE, subscribed_words};
use jsonapi::schema::Shape;
use tracking::webhooks::{NewWebhook, create};

use super::{events, refused, text, url};
use crate::address::absolute;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "create_webhook",
    summary: "Subscribe an endpoint to events; an account has 500 webhooks at most, beside its listeners",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Resource {
        kind: TYPE.name,
        attributes: &[
            Member::required("url", Shape::Url, "Where deliveries go."),
            Member::required(
                "events",
                Shape::Words(subscribed_words),
                "At least one, each once. `*` stands for all there are, `container.transport.*` for those that begin so. Events of documents are left out of the list.",
            ),
            Member::optional(
                "active",
                Shape::Boolean,
                "Whether deliveries are sent; true.",
            ),
            Member::optional(
                "headers",
                Shape::Objects(HEADER),
                "Sent with every delivery.",
            ),
        ],
        relationships: &[],
    }),
    answers: Answers::Created(&TYPE),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.form(TYPE.name)?;
    let url = url(&mut form, call.app.tracking.egress(), None);
    let active = form.boolean("active").unwrap_or(true);
    let events = events(&mut form);
    if events.is_none() && !form.is_refused("events") {
        form.blank("events");
    }
    let headers = form.pairs("headers").unwrap_or_default();
    form.finish()?;
    let wanted = NewWebhook {
        url: url.unwrap_or_default(),
        active,
        events: events.unwrap_or_default(),
        headers,
    };
    let creating = create(&call.app.tracking, call.caller.account, wanted);
    call.done(creating, |call, opened| {
        let path = format!("/v2/webhooks/{}", opened.webhook.id);
        let own = absolute(call.app.tracking.base_url(), &path);
        Ok(call.resource(text(opened, &opened.secret)).created(&own))
    })
    .await
    .map_err(refused)?
}
