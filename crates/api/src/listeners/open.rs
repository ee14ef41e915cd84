//! `POST /v2/listeners`

use domain::event::EventName;
use domain::listener::{LISTENERS_MAX, ListenerName};
use jsonapi::document;
use jsonapi::error::ErrorItem;
use jsonapi::query::Rules;
use jsonapi::resource::webhook::{TYPE, subscribed_words};
use jsonapi::schema::Shape;
use tracking::webhooks::{ListenRefused, OpenedListener, open_listener};

use crate::address::absolute;
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};
use crate::webhooks::{events, masked, refused, text};

pub(crate) const OPERATION: Operation = Operation {
    name: "open_listener",
    summary: "Make a webhook whose deliveries are fetched, or take it over from whoever had it; its secret is \
              shown in full when it is new",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Plain(&[
        Member::required(
            "name",
            Shape::Text,
            "The same name is the same listener: 1 to 64 letters, digits, dots, hyphens and underscores.",
        ),
        Member::optional("events", Shape::Words(subscribed_words), "All of them."),
    ])),
    answers: Answers::WithTurn(&TYPE),
    subject: "listener",
    handle: |call| Box::pin(handle(call)),
};

async fn handle(call: Call) -> Result<Answer, Failure> {
    let mut form = call.plain_form()?;
    let wish = "must be 1 to 64 letters, digits, dots, hyphens and underscores";
    let name = form.required("name", wish, ListenerName::parse);
    let events = events(&mut form);
    form.finish()?;
    let Some(name) = name else {
        return Err(Vec::new().into());
    };
    let events = events.unwrap_or_else(|| EventName::ALL.to_vec());
    let opening = open_listener(&call.app.tracking, call.caller.account, name, events);
    call.done(opening, |call, came| Ok(told(call, came)))
        .await
        .map_err(why)?
}

fn told(call: &Call, came: &OpenedListener) -> Answer {
    let opened = &came.opened;
    let text = if came.is_new {
        text(opened, &opened.secret)
    } else {
        masked(opened)
    };
    let path = format!("/v2/webhooks/{}", opened.webhook.id);
    let own = absolute(call.app.tracking.base_url(), &path);
    let shown = document::with_turn(document::single(&text, None, &own), came.turn);
    Answer::document(shown)
}

fn why(refusal: ListenRefused) -> Failure {
    match refusal {
        ListenRefused::TooMany => {
            let detail = format!(
                "name is refused: the account has {LISTENERS_MAX} listeners; delete a webhook whose url begins \
                 with listen:"
            );
            ErrorItem::pointer("/name", detail).into()
        }
        ListenRefused::Webhook(why) => refused(why),
    }
}
