//! The service's side: open the listener, take, settle.

use std::time::Duration;

use anyhow::{Context as _, Result};
use domain::event::EventName;
use domain::listener::ListenerName;
use http::Method;
use serde_json::{Value, json};

use super::forward::Handed;
use crate::command::client::{Client, said};
use crate::command::document::{at, list, text};

/// The lease of a service that does not tell it.
const LEASE_UNTOLD: Duration = Duration::from_secs(30);

/// Calls the service for one listener.
#[derive(Clone)]
pub struct Desk {
    client: Client,
    /// Of the listener, which is a webhook.
    id: String,
    /// Which opening of it this is; a service of an older version tells none.
    turn: Option<i64>,
}

/// What is told at the start.
pub struct Opened {
    /// In full when it is new, else masked.
    pub secret: String,
    pub events: usize,
}

/// What a question brought.
pub struct Found {
    pub deliveries: Vec<Taken>,
    /// Whether the listener is switched off, so that nothing comes.
    pub is_paused: bool,
}

/// A delivery in our hands.
#[derive(Debug)]
pub struct Taken {
    pub id: String,
    pub claim: i64,
    pub attempt: u64,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// How long it is ours, unless that is prolonged.
    pub lease: Duration,
}

/// What the service made of an attempt.
#[derive(Debug, Default)]
pub struct Settled {
    /// False: the claim had run out, and the delivery comes again.
    pub counted: bool,
    /// `pending`, `succeeded` or `failed`.
    pub status: String,
    pub next_attempt_at: Option<String>,
}

/// Why a call brought nothing.
#[derive(Debug)]
pub enum CallFailed {
    /// Nobody answers, or not now.
    Away(String),
    /// The answer is no, and asking again does not help.
    Refused(String),
}

impl Desk {
    /// Makes the listener of this name, or takes it over.
    pub async fn open(
        client: Client,
        name: &ListenerName,
        events: &[EventName],
        new_secret: bool,
    ) -> Result<(Self, Opened)> {
        let names: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
        let body = if names.is_empty() {
            json!({"name": name.as_str()})
        } else {
            json!({"name": name.as_str(), "events": names})
        };
        let opened = call(&client, "/listeners", &body).await;
        let opened = opened.map_err(|failed| failed.at_start(client.base()))?;
        let id = text(&opened, "/data/id").context("the answer names no listener")?;
        let turn = at(&opened, "/meta/turn").as_i64();
        let mut secret = text(&opened, "/data/attributes/secret").unwrap_or_default();
        if new_secret {
            let path = format!("/webhooks/{id}/rotate_secret");
            let rotated = call(&client, &path, &json!({})).await;
            let rotated = rotated.map_err(|failed| failed.at_start(client.base()))?;
            secret = text(&rotated, "/data/attributes/secret").unwrap_or_default();
        }
        let events = list(&opened, "/data/attributes/events").len();
        Ok((Self { client, id, turn }, Opened { secret, events }))
    }

    /// Up to `most` deliveries, waiting this long for the first.
    pub async fn take(&self, most: usize, wait_seconds: u64) -> Result<Found, CallFailed> {
        let body = json!({"most": most, "wait_seconds": wait_seconds});
        let answer = self.call("take", body).await?;
        let lease = at(&answer, "/lease_seconds").as_u64();
        let lease = lease.map_or(LEASE_UNTOLD, Duration::from_secs);
        let taken = list(&answer, "/deliveries").iter();
        let taken = taken.map(|delivery| read(delivery, lease));
        let taken: Option<Vec<Taken>> = taken.collect();
        let deliveries = taken
            .ok_or_else(|| CallFailed::Refused("the service speaks another language".into()))?;
        // A service of an older version does not tell.
        let is_paused = at(&answer, "/active") == false;
        Ok(Found {
            deliveries,
            is_paused,
        })
    }

    /// Tells that the attempt goes on, so that nobody else makes it meanwhile.
    pub async fn prolong(&self, taken: &Taken) -> Result<(), CallFailed> {
        let body = json!({"id": taken.id, "claim": taken.claim, "ending": "under_way"});
        self.call("settle", body).await.map(|_| ())
    }

    /// Tells how an attempt went.
    pub async fn settle(
        &self,
        taken: &Taken,
        handed: &Handed,
        took: Duration,
    ) -> Result<Settled, CallFailed> {
        let mut body = handed.told();
        if let Some(members) = body.as_object_mut() {
            let took = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
            members.insert("id".into(), taken.id.as_str().into());
            members.insert("claim".into(), taken.claim.into());
            members.insert("duration_ms".into(), took.into());
        }
        let answer = self.call("settle", body).await?;
        Ok(Settled {
            counted: at(&answer, "/counted") == true,
            status: text(&answer, "/delivery_status").unwrap_or_default(),
            next_attempt_at: text(&answer, "/next_attempt_at"),
        })
    }

    async fn call(&self, verb: &str, mut body: Value) -> Result<Value, CallFailed> {
        if let (Some(members), Some(turn)) = (body.as_object_mut(), self.turn) {
            members.insert("turn".into(), turn.into());
        }
        call(
            &self.client,
            &format!("/listeners/{}/{verb}", self.id),
            &body,
        )
        .await
    }
}

async fn call(client: &Client, path: &str, body: &Value) -> Result<Value, CallFailed> {
    let answer = client.send(Method::POST, path, body.to_string()).await;
    let (status, answer) = answer.map_err(|error| CallFailed::Away(format!("{error:#}")))?;
    let said = said(&answer).unwrap_or_default();
    match status {
        200 => Ok(answer),
        401 => Err(CallFailed::Refused(
            "the service does not know the key in QUAYSIDE_API_KEY; `quayside key create` makes one".into(),
        )),
        403 => Err(CallFailed::Refused(format!(
            "the key may not listen: {said} A key with the permission update is needed"
        ))),
        404 if said.contains("there is no listener") => Err(CallFailed::Refused(
            "this listener was deleted; run the same command again to make it anew".into(),
        )),
        404 => Err(CallFailed::Refused(
            "the service knows no listeners: is it a Quayside of an older version?".into(),
        )),
        410 => Err(CallFailed::Refused(format!(
            "{said}; to have both, start one with another --name"
        ))),
        408 | 425 | 429 | 500.. => Err(CallFailed::Away(format!("it answered {status}: {said}"))),
        _ => Err(CallFailed::Refused(format!("the service answered {status}: {said}"))),
    }
}

impl CallFailed {
    /// At the start nobody waits for a service that is away.
    fn at_start(self, base: &str) -> anyhow::Error {
        match self {
            Self::Away(why) => anyhow::anyhow!(
                "the service at {base} is not there ({why}); start it, or name another with --url"
            ),
            Self::Refused(why) => anyhow::anyhow!(why),
        }
    }
}

fn read(delivery: &Value, lease: Duration) -> Option<Taken> {
    let headers = at(delivery, "/headers").as_object()?.iter();
    let headers = headers.map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    Some(Taken {
        id: text(delivery, "/id")?,
        claim: at(delivery, "/claim").as_i64()?,
        attempt: at(delivery, "/attempt").as_u64()?,
        headers: headers.collect::<Option<_>>()?,
        body: text(delivery, "/body")?,
        lease,
    })
}
