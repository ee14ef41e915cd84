//! `POST /v2/webhooks/{id}/redeliver`

use domain::event::EventName;
use domain::ids::WebhookId;
use domain::moment;
use domain::webhook::DeliveryStatus;
use jiff::Timestamp;
use jsonapi::error::ErrorItem;
use jsonapi::query::{Rules, names_a_second};
use jsonapi::read::{Form, Text};
use jsonapi::resource::webhook::event_words;
use jsonapi::schema::Shape;
use tracking::webhooks::{ReplayRefused, Window, replay};

use super::no_event;
use super::redeliveries::{MEMBERS, MICROSECOND, SECOND, members};
use crate::answer::Answer;
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::{Answers, Body, Bucket, Gate, Member, Needs, Operation};

pub(crate) const OPERATION: Operation = Operation {
    name: "redeliver_webhook",
    summary: "Send a window of time again, and what this webhook missed in it",
    needs: Needs::Update,
    gate: Gate::Open,
    bucket: Bucket::Default,
    query: Rules::NONE,
    body: Some(Body::Plain(&[
        Member::required("from", Shape::Moment, "The window's beginning."),
        Member::required(
            "to",
            Shape::Moment,
            "Its end, which is part of it, and without a fraction all of its second; the present when it is later.",
        ),
        Member::optional("events", Shape::Words(event_words), "These only; all."),
        Member::optional(
            "status",
            Shape::Words(statuses),
            "Notifications that stand so, and `missed`: events that were never sent to this webhook; all of these.",
        ),
    ])),
    answers: Answers::Accepted(MEMBERS),
    subject: "webhook",
    handle: |call| Box::pin(handle(call)),
};

/// What was never sent has a word beside the states of what was.
const MISSED: &str = "missed";

async fn handle(call: Call) -> Result<Answer, Failure> {
    let id: WebhookId = call.id()?;
    let mut form = call.plain_form()?;
    let from = moment(&mut form, "from");
    let until = end(&mut form, "to", from);
    let events = events(&mut form);
    let statuses = asked_statuses(&mut form);
    form.nothing_else();
    form.finish()?;
    let (Some(from), Some(until)) = (from, until) else {
        return Err(Vec::new().into());
    };
    let missed = statuses.contains(&MISSED);
    let statuses = statuses.into_iter().filter_map(DeliveryStatus::parse);
    let window = Window {
        from,
        until,
        events,
        statuses: statuses.collect(),
        missed,
    };
    let beginning = replay(&call.app.tracking, call.caller.account, id, window);
    call.done_to_one(beginning, |_, begun| {
        Answer::plain(members(begun).to_string()).accepted()
    })
    .await
    .map_err(refused)?
}

const MOMENT: &str = "must be a time with its offset, such as 2026-03-01T12:00:00Z";

fn moment(form: &mut Form, name: &'static str) -> Option<Timestamp> {
    form.required(name, MOMENT, domain::moment::read)
}

/// The first moment behind the window. Times are shown in whole seconds: who asks to one of them means all of it.
fn end(form: &mut Form, name: &'static str, from: Option<Timestamp>) -> Option<Timestamp> {
    let mut whole = false;
    let to = form.required(name, MOMENT, |text| {
        whole = names_a_second(text);
        domain::moment::read(text)
    })?;
    let behind = if whole {
        to.checked_add(SECOND).ok()
    } else {
        behind_moment(to)
    };
    let behind = behind.filter(|_| from.is_some_and(|from| to > from));
    Some(behind.unwrap_or(to))
}

/// The next moment that the store can tell from this one.
fn behind_moment(to: Timestamp) -> Option<Timestamp> {
    moment::whole_microseconds(to).checked_add(MICROSECOND).ok()
}

/// The names in a list that is left out for all of them: an empty one is more likely a slip than a wish for all.
fn named(form: &mut Form, list: &str) -> Vec<(usize, String)> {
    let names = form.placed_texts(list, Text::NAME);
    if names.as_ref().is_some_and(Vec::is_empty) && !form.is_refused(list) {
        form.fault(list, "names none; leave it out for all of them");
    }
    names.unwrap_or_default()
}

/// The events of a list of names and patterns.
fn events(form: &mut Form) -> Vec<EventName> {
    let names = named(form, "events");
    let mut events = Vec::with_capacity(names.len());
    for (place, name) in &names {
        let meant = EventName::parse(name).map(|event| vec![event]);
        match meant.or_else(|| EventName::matching(name)) {
            Some(meant) => events.extend(meant),
            None => form.fault(&format!("events/{place}"), &no_event(name)),
        }
    }
    events.sort_unstable();
    events.dedup();
    events
}

/// All, unless some are named.
fn asked_statuses(form: &mut Form) -> Vec<&'static str> {
    let words = named(form, "status");
    let mut asked = Vec::with_capacity(words.len());
    for (place, word) in &words {
        match statuses().into_iter().find(|known| known == word) {
            Some(known) if !asked.contains(&known) => asked.push(known),
            Some(_) => {}
            None => form.fault(
                &format!("status/{place}"),
                &format!("must be one of {}", statuses().join(", ")),
            ),
        }
    }
    if words.is_empty() { statuses() } else { asked }
}

fn statuses() -> Vec<&'static str> {
    vec!["pending", "succeeded", "failed", MISSED]
}

fn refused(why: ReplayRefused) -> Failure {
    match why {
        ReplayRefused::Empty => ErrorItem::pointer("/to", "To must be later than from").into(),
        ReplayRefused::NotYet => ErrorItem::pointer("/from", "From must be in the past").into(),
        ReplayRefused::TooMany => ErrorItem::pointer("", why.to_string()).into(),
        ReplayRefused::Store(error) => Failure::Store(error),
    }
}
