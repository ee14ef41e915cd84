//! `Idempotency-Key`: a request that was named by its caller is done once, and answered the same each time.
//!
//! The name counts for the account, the method and the path, for three days. The same request again gets the
//! first answer, marked `Idempotency-Replayed: true`; one that comes while the first is at work waits for it;
//! another body under the same name is refused. Refusals are not kept: what was refused may be repaired and
//! sent again under its name. How the first is kept safe from a crash, `tracking::once` tells; a handler takes part
//! by [`Call::done`].

mod at_work;

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use store::kept_answer::Asked;
use tokio::time::{Instant, sleep};
use tracking::once::{Sending, Show, Shown, Standing};

use crate::answer::{Answer, Media};
use crate::call::Call;
use crate::failure::Failure;
use crate::operation::Operation;

pub(crate) use at_work::AtWork;

/// How long a request waits for the answer of an equal one.
const WAIT_MAX: Duration = Duration::from_secs(5);
/// Time between two looks for it.
const LOOK_EVERY: Duration = Duration::from_millis(25);
const NAME_BYTES_MAX: usize = 255;
const HEADER: HeaderName = HeaderName::from_static("idempotency-key");
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

/// The name of a request that can be named.
pub(crate) fn name(
    method: &Method,
    path: &str,
    headers: &HeaderMap,
) -> Result<Option<Asked>, Failure> {
    let Some(given) = headers.get(HEADER) else {
        return Ok(None);
    };
    if !matches!(*method, Method::POST | Method::PATCH) {
        return Ok(None);
    }
    let given = given.as_bytes();
    let fits = (1..=NAME_BYTES_MAX).contains(&given.len());
    if !fits || !given.iter().all(u8::is_ascii_graphic) {
        return Err(Failure::NameMalformed);
    }
    Ok(Some(Asked {
        method: method.as_str().to_owned(),
        path: path.to_owned(),
        key: String::from_utf8_lossy(given).into_owned(),
    }))
}

/// Answers a named request.
pub(crate) async fn answer(
    asked: Asked,
    operation: &'static Operation,
    call: Call,
) -> Result<Answer, Failure> {
    let until = Instant::now() + WAIT_MAX;
    let (tracking, account) = (&call.app.tracking, call.caller.account);
    // Not at every look: the body may be long.
    let sending = || Sending::new(tracking, account, asked.clone(), &call.body);
    let mut next = sending();
    loop {
        let mut standing = next.look().await?;
        let turn = match standing {
            Standing::Free => call.app.at_work.turn(account, &asked),
            _ => None,
        };
        if turn.is_some() {
            // Who had it may have ended since.
            standing = next.look().await?;
        }
        match standing {
            Standing::Answered(shown) => return Ok(replayed(shown)),
            Standing::Other => return Err(Failure::NameTaken),
            Standing::Free if turn.is_some() => {
                if let Some(answered) = attempt(next, operation, &call).await {
                    return answered;
                }
                next = sending();
            }
            Standing::Running | Standing::Free => {}
        }
        drop(turn);
        if Instant::now() >= until {
            return Err(Failure::StillAnswering);
        }
        sleep(LOOK_EVERY).await;
    }
}

/// `None`: an equal request was quicker.
async fn attempt(
    sending: Arc<Sending>,
    operation: &'static Operation,
    call: &Call,
) -> Option<Result<Answer, Failure>> {
    let answered = (operation.handle)(call.once(Arc::clone(&sending))).await;
    if sending.is_overtaken() {
        return None;
    }
    let Ok(answer) = answered else {
        return Some(answered);
    };
    match sending.close(&shown(&answer)).await {
        Ok(true) => Some(Ok(answer)),
        Ok(false) => Some(Ok(told_before(&sending).await.unwrap_or(answer))),
        Err(error) => {
            // The caller hears it now; when he sends it again, what may be done twice is done twice.
            tracing::warn!(%error, "the answer to a named request is not kept");
            Some(Ok(answer))
        }
    }
}

/// What an equal request was told that came at the same time and was quicker.
async fn told_before(sending: &Sending) -> Option<Answer> {
    match sending.look().await {
        Ok(Standing::Answered(shown)) => Some(replayed(shown)),
        _ => None,
    }
}

/// How the answer of this call is made of what a use case returns.
pub(crate) fn out_of<T: 'static>(
    call: Call,
    told: impl Fn(&Call, &T) -> Result<Answer, Failure> + Send + Sync + 'static,
) -> Show {
    Box::new(move |returned| {
        let answer = told(&call, returned.downcast_ref()?);
        answer.ok().as_ref().map(shown)
    })
}

/// What is kept of an answer.
fn shown(answer: &Answer) -> Shown {
    let location = answer.headers.get(header::LOCATION);
    let location = location.and_then(|address| address.to_str().ok());
    Shown {
        status: answer.status.as_u16(),
        media: answer.media.as_str().to_owned(),
        location: location.map(str::to_owned),
        body: answer.body.to_vec(),
    }
}

fn replayed(shown: Shown) -> Answer {
    let status = StatusCode::from_u16(shown.status).unwrap_or(StatusCode::OK);
    let mut answer = Answer::new(status, Media::named(&shown.media), shown.body);
    let mut set = |name, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            answer.headers.insert(name, value);
        }
    };
    set(REPLAYED, "true");
    if let Some(location) = shown.location {
        set(header::LOCATION, &location);
    }
    answer
}
