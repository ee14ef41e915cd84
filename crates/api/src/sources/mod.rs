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
use jsonapi::resource::source_state::{Defects, Subscription, View, render};
use store::Tx;
use store::defective_place::DefectivePlace;
use tracking::source_state::{SourceState, find};

use crate::answer::Answer;
use crate::call::Call;
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
        defective: (backlog.defects, backlog.defects_at),
        defects: state.defects.iter().map(defects).collect(),
        now,
    })
}

fn defects(at: &DefectivePlace) -> Defects<'_> {
    Defects {
        place: &at.place,
        times: at.times,
        messages: at.messages,
        last_times: at.last_times,
        reason: &at.reason,
        first_at: at.first_at,
        last_at: at.last_at,
    }
}

/// The source that the path names.
async fn shown(call: &Call) -> Result<Answer, Failure> {
    let mut telling = telling(call);
    let text = call.read(move |reading| Ok(telling(reading.tx)?)).await?;
    text.map(|text| call.resource(text))
        .ok_or_else(|| call.not_found())
}

/// Tells of the source that the path names, as it stands in a transaction.
fn telling(
    call: &Call,
) -> impl FnMut(&mut Tx) -> Result<Option<String>, store::Error> + Send + 'static {
    let (tracking, id) = (call.app.tracking.clone(), call.segment("id").to_owned());
    move |tx| {
        let now = tracking.now();
        let state = find(tx, &tracking, &id, now)?;
        Ok(state.map(|state| text(&state, now)))
    }
}

/// What is answered with what was told behind a change.
#[expect(clippy::ref_option, reason = "so the use case returns it")]
fn told(call: &Call, text: &Option<String>) -> Result<Answer, Failure> {
    let text = text.as_ref().ok_or_else(|| call.not_found())?;
    Ok(call.resource(text))
}
