//! `/inbound/{source}`: where carriers, hubs and accounts bring messages.
//!
//! A source proves itself as its profile says (`[push]`), and what it sends is for everybody who tracks the
//! numbers in it. A proof that stands in the head is judged before the body is read. An account that comes with its own key uploads for itself alone. Either is answered when the
//! message is committed, not when it is read; there is no limit of calls, for a carrier that is told to wait
//! would rather stop. What an account brings to `/v2/sources/{id}/messages` is taken in here as well. A sender of X12 or EDIFACT that accepts these gets its 997 or CONTRL as the answer. GET and HEAD tell a carrier's probe that somebody is here.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::response::Response;
use bytes::Bytes;
use domain::ids::AccountId;
use http::{HeaderMap, Method, StatusCode, header};
use tokio::time::timeout;
use tracking::intake::{self, Accepted, MESSAGE_BYTES_MAX, Message, MessageRefused};
use tracking::{HeadProof, Source, subscribing};

use crate::answer::{Answer, Media};
use crate::app::App;
use crate::authenticate::{self, Peer};
use crate::call::segments;
use crate::failure::Failure;
use crate::operation::{Gate, Needs};
use crate::rate_limit::network;
use crate::upload_room::{Place, Sender};
use crate::{body, panics, plan};

/// Longest body on the wire when it is packed; unpacked it may have four times as many bytes.
const PACKED_BYTES_MAX: usize = MESSAGE_BYTES_MAX / 4;
/// Longest media type that is kept.
const MEDIA_TYPE_CHARS_MAX: usize = 255;

/// Answers a request, whatever happens.
pub(crate) async fn answer(State(app): State<App>, mut request: Request) -> Response {
    let request_id = app.request_id();
    let segments = segments(&mut request).await;
    let source = segments.first().map_or("", |(_, source)| source);
    let answered = panics::caught(run(&app, source, request)).await;
    let answer = answered.unwrap_or_else(|failure| app.failed(failure, &request_id));
    answer.respond(&request_id, None)
}

async fn run(app: &App, id: &str, request: Request) -> Result<Answer, Failure> {
    let peer = request.extensions().get::<Peer>().copied();
    let (parts, incoming) = request.into_parts();
    let source = source(app, id)?;
    match parts.method {
        Method::GET | Method::HEAD => return Ok(Answer::no_content()),
        Method::POST => {}
        method => {
            return Err(Failure::MethodUnknown {
                method: method.as_str().chars().take(32).collect(),
                allow: "POST, GET, HEAD".into(),
            });
        }
    }
    let (headers, settings) = (&parts.headers, &app.settings);
    let limit = settings.handler_timeout;
    let uploading = timeout(limit, uploader(app, headers, peer)).await;
    let account = uploading.map_err(|_| Failure::TooSlow)??;
    let head = source.judge_head(headers);
    if account.is_none() && head == HeadProof::Wrong {
        return Err(refused(id));
    }
    let is_known = account.is_some() || head == HeadProof::Good;
    let address = peer.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| address);
    let sender = match account {
        Some(account) => Sender::Account(account),
        None if is_known => Sender::Source(id.to_owned()),
        None => Sender::Somebody(network(address)),
    };
    let mut place = app.uploads.place(sender);
    let bytes_max = MESSAGE_BYTES_MAX;
    let body = body::read_long(headers, incoming, settings, bytes_max, &mut place).await?;
    let taking = async {
        if !is_known && !is_proved(app, source, headers, &body).await? {
            return Err(refused(id));
        }
        bring(app, source, account, headers, body, &Mutex::new(place)).await
    };
    let taken = timeout(limit, taking).await;
    taken.map_err(|_| Failure::TooSlow)?
}

fn refused(source: &str) -> Failure {
    tracing::warn!(source, "a push without a good proof is refused");
    Failure::ProofRefused
}

/// The source of this name, if messages of it can come.
pub(crate) fn source<'a>(app: &'a App, id: &str) -> Result<&'a Source, Failure> {
    let mut sources = app.tracking.sources();
    let source = sources.find(|source| source.id() == id && !source.is_for_trials());
    source.ok_or_else(|| Failure::not_found("source", id))
}

/// Takes in a message of this source, for this account alone where there is one. What it unpacks to is held in the same place as
/// what came.
pub(crate) async fn bring(
    app: &App,
    source: &Source,
    account: Option<AccountId>,
    headers: &HeaderMap,
    body: Bytes,
    place: &Mutex<Place>,
) -> Result<Answer, Failure> {
    let mut message = message(source, account, headers, body, place).await?;
    let mut acknowledged = None;
    if wants_edi(headers) {
        (message, acknowledged) = acknowledge(app, source.id(), message).await;
    }
    let told = take_in(app, message).await?;
    Ok(acknowledged.unwrap_or(told))
}

/// Whether the sender asks for an answer in its own language.
fn wants_edi(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter();
    let mut accepted = accepted.filter_map(|value| value.to_str().ok());
    accepted.any(|value| {
        let value = value.to_ascii_lowercase();
        value.contains(Media::X12.as_str()) || value.contains(Media::Edifact.as_str())
    })
}

/// The 997 or CONTRL for a message, which comes back; none where none is due.
async fn acknowledge(app: &App, source: &str, message: Message) -> (Message, Option<Answer>) {
    let (tracking, source, at) = (app.tracking.clone(), source.to_owned(), app.tracking.now());
    // The message is lent: it may be long.
    let lent = Arc::new(message);
    let bytes = Arc::clone(&lent);
    let made = tokio::task::spawn_blocking(move || {
        let source = tracking.source(&source)?;
        source.acknowledge(&bytes.bytes, at, tracking.gazetteer())
    });
    let made = made.await.ok().flatten();
    let message = Arc::unwrap_or_clone(lent);
    let answer = made.map(|made| {
        let media = if made.starts_with(b"ISA") {
            Media::X12
        } else {
            Media::Edifact
        };
        Answer::new(StatusCode::ACCEPTED, media, made)
    });
    (message, answer)
}

/// Whether the source sent it: by the proof that its profile names, or by a secret that we gave it ourselves.
async fn is_proved(
    app: &App,
    source: &Source,
    headers: &HeaderMap,
    body: &Bytes,
) -> Result<bool, Failure> {
    if source.admits(headers, body) {
        return Ok(true);
    }
    Ok(subscribing::admits(&app.tracking, source, headers, body).await?)
}

/// The account whose key the sender shows; `None` when it shows none, and must prove itself as a source.
async fn uploader(
    app: &App,
    headers: &HeaderMap,
    peer: Option<Peer>,
) -> Result<Option<AccountId>, Failure> {
    if authenticate::presented(headers).is_none() {
        return Ok(None);
    }
    let caller = authenticate::caller(app, headers, peer).await?;
    plan::admit(&caller, Needs::Update, Gate::Open, app.tracking.now())?;
    Ok(Some(caller.account))
}

async fn message(
    source: &Source,
    account: Option<AccountId>,
    headers: &HeaderMap,
    body: Bytes,
    place: &Mutex<Place>,
) -> Result<Message, Failure> {
    let mut is_full = false;
    let grow = |bytes: usize| {
        let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
        // More than the longest message is no message.
        is_full = place.grow(bytes.min(MESSAGE_BYTES_MAX)).is_err();
        !is_full
    };
    let unpacked = sources::outbound::unpack(headers, body, false, PACKED_BYTES_MAX, grow).await;
    if is_full {
        return Err(Failure::UploadsFull);
    }
    let bytes = unpacked.map_err(|error| Failure::BodyPacked(error.to_string()))?;
    let media = headers.get(header::CONTENT_TYPE);
    let media = media
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    Ok(Message {
        source: source.id().to_owned(),
        account,
        content_type: media.chars().take(MEDIA_TYPE_CHARS_MAX).collect(),
        bytes: bytes.into(),
    })
}

async fn take_in(app: &App, message: Message) -> Result<Answer, Failure> {
    let (id, known) = match intake::receive(&app.tracking, message).await {
        Ok(Accepted::Fresh(id)) => (id, false),
        Ok(Accepted::Known(id)) => (id, true),
        Err(MessageRefused::Store(error)) => return Err(Failure::Store(error)),
        Err(MessageRefused::SourceUnknown(id)) => return Err(Failure::not_found("source", &id)),
        Err(MessageRefused::Empty) => return Err(Failure::BodyEmpty),
        Err(MessageRefused::TooLong { .. }) => {
            let bytes_max = MESSAGE_BYTES_MAX;
            return Err(Failure::BodyTooLong { bytes_max });
        }
    };
    let told = serde_json::json!({ "message_id": id.to_string(), "known": known });
    let (status, media) = (StatusCode::ACCEPTED, Media::Json);
    Ok(Answer::new(status, media, told.to_string()))
}
