//! The sources, for whoever looks after them.
//!
//! A source is shared by all accounts, and how it is doing tells nothing of anybody's cargo: so every key that may
//! read sees it. Pausing one stops everybody's news, so it takes an account that was given the feature `sources`.

pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod messages;
pub(crate) mod pause;
pub(crate) mod resume;

use jiff::Timestamp;
use jsonapi::resource::source_state::{Subscription, View, render};
use tracking::source_state::{SourceState, find};

use crate::answer::Answer;
use crate::call::{Call, Rows};
use crate::failure::Failure;

fn text(state: &SourceState<'_>, now: Timestamp) -> String {
    let backlog = &state.backlog;
    render(&View {
        id: state.source.id(),
        protocol: state.source.protocol(),
        login: state.source.login(),
        lines: state
            .source
            .lines()
            .iter()
            .map(domain::codes::Scac::as_str)
            .collect(),
        budget: state.budget,
        standing: &state.standing,
        lag_seconds: state.lag_seconds(now),
        due: backlog.due,
        unread: backlog.unread,
        quarantined: (backlog.quarantined, backlog.quarantined_at),
        unmapped: backlog.unmapped,
        subscription: state.subscription.as_ref().map(|kept| Subscription {
            standing: &kept.standing,
            trouble: kept.trouble.as_deref(),
        }),
        codes: state
            .codes
            .iter()
            .map(|code| (code.code.as_str(), code.reports, code.last_at))
            .collect(),
        now,
    })
}

/// The source that the path names.
async fn shown(call: &Call) -> Result<Answer, Failure> {
    let id = call.segment("id").to_owned();
    let found = call.read(move |reading| {
        let tracking = &reading.app.tracking;
        let now = tracking.now();
        let state = find(reading.tx, tracking, &id, now)?;
        Ok(state.map(|state| text(&state, now)))
    });
    let found = found.await?;
    call.found(Rows {
        primary: found.into_iter().collect(),
        included: Vec::new(),
    })
}
