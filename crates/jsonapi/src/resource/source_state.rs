//! A source as it stands: whether it is asked, when it last answered, and what went wrong.

use domain::source::{Budget, Condition, Standing, Subscribed, Trouble};
use jiff::Timestamp;
use serde::Serialize;

use crate::schema::{Attribute, Shape, Type};
use crate::wire::{Moment, Resource, moment};

const ERROR: &[Attribute] = &[
    Attribute::new("class", Shape::OneOf(classes)),
    Attribute::new("count", Shape::Integer).about("Since the source was first asked."),
    Attribute::new("last_at", Shape::Moment),
    Attribute::new("message", Shape::Text).about("What was said the last time."),
    Attribute::new("advice", Shape::Text).about("What to do about it."),
];

const BUDGET: &[Attribute] = &[
    Attribute::or_null("requests_per_minute", Shape::Integer).about("Null is no limit."),
    Attribute::or_null("requests_per_day", Shape::Integer).about("By UTC. Null is no limit."),
    Attribute::new("used_this_minute", Shape::Integer),
    Attribute::new("used_today", Shape::Integer),
];

const SUBSCRIPTION: &[Attribute] = &[
    Attribute::or_null("id", Shape::Text)
        .about("The carrier's. Null: it is not made yet, or gone."),
    Attribute::new("callback", Shape::Text),
    Attribute::or_null("renewed_at", Shape::Moment),
    Attribute::new("secret_changed_at", Shape::Moment),
    Attribute::new("failures_in_a_row", Shape::Integer),
    Attribute::or_null("message", Shape::Text).about("What went wrong the last time."),
];

const CODE: &[Attribute] = &[
    Attribute::new("code", Shape::Text),
    Attribute::new("reports", Shape::Integer),
    Attribute::new("last_at", Shape::Moment),
];

const DEFECTS: &[Attribute] = &[
    Attribute::new("place", Shape::Text).about(
        "The column, member or segment, as the sender calls it; what is wrong where it has no name.",
    ),
    Attribute::new("times", Shape::Integer),
    Attribute::new("messages", Shape::Integer).about("In how many messages."),
    Attribute::new("last_times", Shape::Integer).about("How often in the last of them."),
    Attribute::new("reason", Shape::Text).about(
        "What was wrong the last time. Numbers of five digits or more are hidden.",
    ),
    Attribute::new("first_at", Shape::Moment),
    Attribute::new("last_at", Shape::Moment),
];

/// What a source consists of.
pub const TYPE: Type = Type {
    name: "source",
    about: "A configured source, and how it is doing. All accounts share it.",
    attributes: &[
        Attribute::new("protocol", Shape::Text).about("What it speaks, as its profile says."),
        Attribute::new("polled", Shape::Boolean)
            .about("Whether it is asked. The others send or drop what they have to say."),
        Attribute::new("login", Shape::Text).about(
            "What it is asked with. Sources with one login share state, budget, errors and pause.",
        ),
        Attribute::new("shipping_lines", Shape::Texts).about("SCACs of the lines it answers for."),
        Attribute::new("state", Shape::OneOf(states)).about(
            "working; silent: nothing was heard yet; failing: it failed since it last answered; broken: it is left \
             alone after failures; trying: one question is let through to see; waiting: it asked us to; spent: its \
             budget is used up; paused: by a person.",
        ),
        Attribute::or_null("broken_by", Shape::OneOf(classes))
            .about("The class of error for which it is left alone."),
        Attribute::or_null("asked_again_at", Shape::Moment)
            .about("When it may be asked again; null when it may be now, and while it is paused."),
        Attribute::or_null("paused_at", Shape::Moment),
        Attribute::or_null("paused_reason", Shape::Text),
        Attribute::or_null("last_asked_at", Shape::Moment),
        Attribute::or_null("last_success_at", Shape::Moment)
            .about("When it last answered, or a message of it last came."),
        Attribute::new("lag_seconds", Shape::Integer).about(
            "For how long the first of what waits has waited: a question that is due, or a message to be read.",
        ),
        Attribute::new("questions_due", Shape::Integer),
        Attribute::new("messages_unread", Shape::Integer),
        Attribute::new("messages_quarantined", Shape::Integer)
            .about("Kept whole, and could not be read."),
        Attribute::or_null("last_quarantined_at", Shape::Moment),
        Attribute::new("failures_in_a_row", Shape::Integer),
        Attribute::new("errors", Shape::Objects(ERROR)).about("Classes that were met."),
        Attribute::or_null("budget", Shape::Object(BUDGET)).about("Null: it is not asked."),
        Attribute::or_null("subscription", Shape::Object(SUBSCRIPTION))
            .about("Ours, at a carrier that sends by itself; null where we keep none."),
        Attribute::new("unmapped_reports", Shape::Integer)
            .about("Reports with a code that no table has; they are kept."),
        Attribute::new("unmapped_codes", Shape::Objects(CODE)).about("The most frequent first."),
        Attribute::new("defects_counted", Shape::Integer).about(
            "How often something of its messages could not be used.",
        ),
        Attribute::or_null("last_defect_at", Shape::Moment)
            .about("When the last message was read of which something could not be used."),
        Attribute::new("defects", Shape::Objects(DEFECTS))
            .about("By the place at which they stand; those first that were met last."),
    ],
    relationships: &[],
    collection: Some("sources"),
    versioned: false,
};

fn states() -> Vec<&'static str> {
    Condition::ALL.map(Condition::as_str).to_vec()
}

fn classes() -> Vec<&'static str> {
    Trouble::ALL.map(Trouble::as_str).to_vec()
}

/// What a source is rendered from.
pub struct View<'a> {
    /// Its id.
    pub id: &'a str,
    /// What it speaks.
    pub protocol: &'a str,
    /// The login it is asked with.
    pub login: &'a str,
    /// SCACs of its lines.
    pub lines: Vec<&'a str>,
    /// What it may be asked; `None`: it is not asked.
    pub budget: Option<Budget>,
    /// What came of it so far.
    pub standing: &'a Standing,
    /// Seconds for which the first of what waits has waited.
    pub lag_seconds: i64,
    /// Questions that are due.
    pub due: u64,
    /// Messages to be read.
    pub unread: u64,
    /// Messages in quarantine, and when the last came there.
    pub quarantined: (u64, Option<Timestamp>),
    /// Our subscription at it.
    pub subscription: Option<Subscription<'a>>,
    /// Reports with unmapped codes.
    pub unmapped: u64,
    /// Code, reports, and when it was last met.
    pub codes: Vec<(&'a str, u32, Timestamp)>,
    /// How often something could not be used, and when the last message of which that is so was read.
    pub defective: (u64, Option<Timestamp>),
    /// Where that was.
    pub defects: Vec<Defects<'a>>,
    /// The time.
    pub now: Timestamp,
}

/// What could not be used at one place of a source's messages.
pub struct Defects<'a> {
    /// The place, in general.
    pub place: &'a str,
    /// How often.
    pub times: u64,
    /// In how many messages.
    pub messages: u64,
    /// How often in the last of them.
    pub last_times: u64,
    /// What was wrong the last time.
    pub reason: &'a str,
    /// When the first of them was read.
    pub first_at: Timestamp,
    /// When the last was.
    pub last_at: Timestamp,
}

/// A subscription of ours at a carrier.
pub struct Subscription<'a> {
    /// How it stands.
    pub standing: &'a Subscribed,
    /// What went wrong the last time.
    pub trouble: Option<&'a str>,
}

/// The resource object as JSON text.
pub fn render(view: &View<'_>) -> String {
    let (standing, now) = (view.standing, view.now);
    let budget = view.budget.unwrap_or_default();
    let closed = standing.may_ask(budget, now).err();
    let attributes = Attributes {
        protocol: view.protocol,
        polled: view.budget.is_some(),
        login: view.login,
        shipping_lines: &view.lines,
        state: standing.condition(budget, now).as_str(),
        broken_by: standing.breaker.trouble.map(Trouble::as_str),
        asked_again_at: moment(closed.and_then(|closed| closed.until)),
        paused_at: moment(standing.paused.as_ref().map(|paused| paused.at)),
        paused_reason: standing
            .paused
            .as_ref()
            .map(|paused| paused.reason.as_str()),
        last_asked_at: moment(standing.asked_at),
        last_success_at: moment(standing.last_success()),
        lag_seconds: view.lag_seconds,
        questions_due: view.due,
        messages_unread: view.unread,
        messages_quarantined: view.quarantined.0,
        last_quarantined_at: moment(view.quarantined.1),
        failures_in_a_row: standing.breaker.failures,
        errors: errors(standing),
        budget: view.budget.map(|budget| shown(budget, standing, now)),
        subscription: view.subscription.as_ref().map(kept),
        unmapped_reports: view.unmapped,
        unmapped_codes: codes(view),
        defects_counted: view.defective.0,
        last_defect_at: moment(view.defective.1),
        defects: view.defects.iter().map(met).collect(),
    };
    Resource::worded(TYPE.name, view.id, attributes, Relationships {})
        .linked("sources")
        .text()
}

fn errors(standing: &Standing) -> Vec<Failed<'_>> {
    let met = standing.troubles.iter();
    met.map(|(class, tally)| Failed {
        class: class.as_str(),
        count: tally.count,
        last_at: Moment(tally.last_at),
        message: &tally.why,
        advice: class.advice(),
    })
    .collect()
}

fn shown(budget: Budget, standing: &Standing, now: Timestamp) -> Allowance {
    Allowance {
        requests_per_minute: Some(budget.per_minute).filter(|most| *most > 0),
        requests_per_day: budget.per_day,
        used_this_minute: standing.spent.in_minute(now),
        used_today: standing.spent.in_day(now),
    }
}

fn kept<'a>(subscription: &Subscription<'a>) -> Kept<'a> {
    let standing = subscription.standing;
    Kept {
        id: standing.id.as_deref(),
        callback: &standing.callback,
        renewed_at: moment(standing.renewed_at),
        secret_changed_at: Moment(standing.secret_at),
        failures_in_a_row: standing.failures,
        message: subscription.trouble,
    }
}

fn codes<'a>(view: &View<'a>) -> Vec<Unmapped<'a>> {
    let met = view.codes.iter();
    met.map(|(code, reports, last_at)| Unmapped {
        code,
        reports: *reports,
        last_at: Moment(*last_at),
    })
    .collect()
}

fn met<'a>(defects: &Defects<'a>) -> Met<'a> {
    Met {
        place: defects.place,
        times: defects.times,
        messages: defects.messages,
        last_times: defects.last_times,
        reason: defects.reason,
        first_at: Moment(defects.first_at),
        last_at: Moment(defects.last_at),
    }
}

#[derive(Serialize)]
struct Relationships {}

#[derive(Serialize)]
struct Failed<'a> {
    class: &'static str,
    count: u64,
    last_at: Moment,
    message: &'a str,
    advice: &'static str,
}

#[derive(Serialize)]
struct Allowance {
    requests_per_minute: Option<u32>,
    requests_per_day: Option<u32>,
    used_this_minute: u32,
    used_today: u32,
}

#[derive(Serialize)]
struct Kept<'a> {
    id: Option<&'a str>,
    callback: &'a str,
    renewed_at: Option<Moment>,
    secret_changed_at: Moment,
    failures_in_a_row: u32,
    message: Option<&'a str>,
}

#[derive(Serialize)]
struct Unmapped<'a> {
    code: &'a str,
    reports: u32,
    last_at: Moment,
}

#[derive(Serialize)]
struct Met<'a> {
    place: &'a str,
    times: u64,
    messages: u64,
    last_times: u64,
    reason: &'a str,
    first_at: Moment,
    last_at: Moment,
}

#[derive(Serialize)]
struct Attributes<'a> {
    protocol: &'a str,
    polled: bool,
    login: &'a str,
    shipping_lines: &'a [&'a str],
    state: &'static str,
    broken_by: Option<&'static str>,
    asked_again_at: Option<Moment>,
    paused_at: Option<Moment>,
    paused_reason: Option<&'a str>,
    last_asked_at: Option<Moment>,
    last_success_at: Option<Moment>,
    lag_seconds: i64,
    questions_due: u64,
    messages_unread: u64,
    messages_quarantined: u64,
    last_quarantined_at: Option<Moment>,
    failures_in_a_row: u32,
    errors: Vec<Failed<'a>>,
    budget: Option<Allowance>,
    subscription: Option<Kept<'a>>,
    unmapped_reports: u64,
    unmapped_codes: Vec<Unmapped<'a>>,
    defects_counted: u64,
    last_defect_at: Option<Moment>,
    defects: Vec<Met<'a>>,
}
