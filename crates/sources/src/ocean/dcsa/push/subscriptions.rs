//! Asking a carrier to send by itself, and keeping it at that.

use bytes::Bytes;
use domain::tracking_request::NumberKind;
use http::{Method, StatusCode};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value, json};
use url::Url;

use crate::ocean::dcsa::answer::{PullFailure, check_status};
use crate::ocean::dcsa::caller::Call;
use crate::ocean::dcsa::profile::{Dialect, Protocol};
use crate::ocean::dcsa::pull::{Puller, Question};
use crate::outbound::Answer;

/// The subscriptions that we have at one carrier.
#[derive(Clone, Debug)]
pub struct Subscriptions(Puller);

/// What we want to be sent, and where to.
#[derive(Clone, Debug)]
pub struct SubscriptionWish {
    /// Our own address, as the carrier reaches it. It must be `https` for most.
    pub callback: Url,
    /// About which number; `None` is about everything that our credentials may see.
    pub about: Option<Question>,
}

/// A subscription as the carrier tells it. It never tells the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    /// The carrier's id of it; it comes with every message.
    pub id: String,
    /// Where it sends to.
    pub callback: Option<String>,
}

/// Why the carrier did not do as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubscriptionFailure {
    /// Its profile has no path of subscriptions: they are made by hand, in its portal.
    #[error("this carrier has no interface for subscriptions; subscribe in its portal")]
    ByHand,
    /// It does not offer them (501), or not to do this with them (405), though the standard has them.
    #[error("the carrier does not offer subscriptions")]
    NotOffered,
    /// It has no such subscription (any more); make a new one.
    #[error("the carrier has no such subscription")]
    Gone,
    /// It refused what was asked, with its own words as far as it said any.
    #[error("the carrier refuses the subscription: {0}")]
    Refused(String),
    /// It could not be asked.
    #[error(transparent)]
    Call(#[from] PullFailure),
}

/// How much of a carrier's words is kept.
const WORDS_CHARS_MAX: usize = 300;

impl Subscriptions {
    /// At the carrier that this puller asks, with its credentials and its token.
    pub fn of(puller: &Puller) -> Self {
        Self(puller.clone())
    }

    /// Makes one. Store the secret before: the carrier may send as soon as it has it. A secret is base64 of 32 to 64
    /// bytes for carriers that keep to the standard.
    pub async fn create(
        &self,
        wish: &SubscriptionWish,
        secret: &SecretString,
        now: Timestamp,
    ) -> Result<Subscription, SubscriptionFailure> {
        let mut body = self.body(wish);
        body.insert("secret".into(), json!(secret.expose_secret()));
        let answer = self.call(Method::POST, "", Some(body), now).await?;
        one(&answer)
    }

    /// All we have there, page by page.
    pub async fn list(&self, now: Timestamp) -> Result<Vec<Subscription>, SubscriptionFailure> {
        let mut all = Vec::new();
        let mut next = Some(self.address("")?);
        for _ in 0..self.0.profile().endpoint.pages_max {
            let Some(url) = next.take() else { break };
            let answer = self.call_at(Method::GET, &url, None, now).await?;
            let nothing = answer.status == StatusCode::NO_CONTENT;
            if !nothing {
                all.extend(listed(&answer)?);
            }
            next = self.0.next_page(&url, &answer.headers)?;
        }
        match next {
            None => Ok(all),
            // A list that is taken for the whole would have the rest made a second time.
            Some(_) => Err(PullFailure::Unreadable("the list has too many pages".into()).into()),
        }
    }

    /// One of them; [`SubscriptionFailure::Gone`] when the carrier has dropped it.
    pub async fn get(&self, id: &str, now: Timestamp) -> Result<Subscription, SubscriptionFailure> {
        let answer = self.call(Method::GET, &below(id), None, now).await?;
        one(&answer)
    }

    /// Says again what we want, which also keeps it from going stale.
    pub async fn renew(
        &self,
        id: &str,
        wish: &SubscriptionWish,
        now: Timestamp,
    ) -> Result<(), SubscriptionFailure> {
        let mut body = self.body(wish);
        body.insert("subscriptionID".into(), json!(id));
        let path = below(id);
        let renewed = self.call(Method::PUT, &path, Some(body), now);
        renewed.await.map(drop)
    }

    /// Replaces the secret. Until this has succeeded, and for what is under way a while after, messages carry
    /// the old signature: verify with both.
    pub async fn replace_secret(
        &self,
        id: &str,
        secret: &SecretString,
        now: Timestamp,
    ) -> Result<(), SubscriptionFailure> {
        let mut body = Map::new();
        body.insert("secret".into(), json!(secret.expose_secret()));
        let path = format!("{}/secret", below(id));
        let replaced = self.call(Method::PUT, &path, Some(body), now);
        replaced.await.map(drop)
    }

    /// Ends one. One that is gone already is as ended.
    pub async fn delete(&self, id: &str, now: Timestamp) -> Result<(), SubscriptionFailure> {
        match self.call(Method::DELETE, &below(id), None, now).await {
            Ok(_) | Err(SubscriptionFailure::Gone) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// Filters are named as in a question; only their kinds are plural in version 3.
    fn body(&self, wish: &SubscriptionWish) -> Map<String, Value> {
        let profile = self.0.profile();
        let mut body = Map::new();
        body.insert("callbackUrl".into(), json!(wish.callback.as_str()));
        let kinds = match profile.protocol {
            Protocol::Dcsa2 | Protocol::Cosco => "eventType",
            Protocol::Dcsa3(Dialect::Beta1 | Dialect::Sandbox | Dialect::Published) => "eventTypes",
        };
        body.insert(kinds.into(), json!(["SHIPMENT", "TRANSPORT", "EQUIPMENT"]));
        if let Some(about) = &wish.about {
            let parameter = profile.numbers.parameter(about.kind);
            let parameter = parameter.unwrap_or(match about.kind {
                NumberKind::BillOfLading => "transportDocumentReference",
                NumberKind::Booking => "carrierBookingReference",
                NumberKind::Container => "equipmentReference",
            });
            body.insert(parameter.to_owned(), json!(profile.number_as_asked(about)));
            for (name, value) in profile.numbers.beside(about.kind) {
                body.insert(name.clone(), json!([value]));
            }
        }
        body
    }

    async fn call(
        &self,
        method: Method,
        below: &str,
        body: Option<Map<String, Value>>,
        now: Timestamp,
    ) -> Result<Answer, SubscriptionFailure> {
        let url = self.address(below)?;
        self.call_at(method, &url, body, now).await
    }

    async fn call_at(
        &self,
        method: Method,
        url: &Url,
        body: Option<Map<String, Value>>,
        now: Timestamp,
    ) -> Result<Answer, SubscriptionFailure> {
        let call = Call {
            method,
            url,
            body: body.map(|body| Bytes::from(Value::Object(body).to_string())),
            headers: &[],
        };
        let answer = self.0.caller().call(&call, now).await?;
        judge(answer, now)
    }

    fn address(&self, below: &str) -> Result<Url, SubscriptionFailure> {
        let push = self.0.profile().push.as_ref();
        let path = push.and_then(|push| push.subscriptions_path.as_deref());
        let path = path.ok_or(SubscriptionFailure::ByHand)?;
        Ok(self.0.address(&format!("{path}{below}"))?)
    }
}

fn judge(answer: Answer, now: Timestamp) -> Result<Answer, SubscriptionFailure> {
    match answer.status {
        StatusCode::OK | StatusCode::CREATED | StatusCode::ACCEPTED | StatusCode::NO_CONTENT => {
            Ok(answer)
        }
        StatusCode::NOT_IMPLEMENTED | StatusCode::METHOD_NOT_ALLOWED => {
            Err(SubscriptionFailure::NotOffered)
        }
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(SubscriptionFailure::Gone),
        StatusCode::BAD_REQUEST | StatusCode::CONFLICT | StatusCode::UNPROCESSABLE_ENTITY => {
            let words = String::from_utf8_lossy(&answer.body);
            let words = words.chars().filter(|c| !c.is_control());
            Err(SubscriptionFailure::Refused(
                words.take(WORDS_CHARS_MAX).collect(),
            ))
        }
        _ => {
            check_status(&answer, now)?;
            Ok(answer)
        }
    }
}

/// `/{id}`, with nothing in the id that would lead elsewhere.
fn below(id: &str) -> String {
    let encoded: String = url::form_urlencoded::byte_serialize(id.as_bytes()).collect();
    format!("/{}", encoded.replace('+', "%20"))
}

/// The subscriptions of one page: a list, or an object around one.
fn listed(answer: &Answer) -> Result<Vec<Subscription>, SubscriptionFailure> {
    let told: Value = serde_json::from_slice(&answer.body).map_err(|_| unreadable())?;
    let listed = match &told {
        Value::Array(all) => all.as_slice(),
        Value::Object(around) => around
            .values()
            .find_map(Value::as_array)
            .map_or(std::slice::from_ref(&told), Vec::as_slice),
        _ => return Err(unreadable()),
    };
    Ok(listed.iter().filter_map(read).collect())
}

fn one(answer: &Answer) -> Result<Subscription, SubscriptionFailure> {
    let told = serde_json::from_slice(&answer.body).map_err(|_| unreadable())?;
    read(&told).ok_or_else(unreadable)
}

/// A subscription, whatever the case of its members.
fn read(told: &Value) -> Option<Subscription> {
    let members = told.as_object()?;
    let member = |name: &str| {
        let found = members
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.and_then(|(_, value)| value.as_str())
    };
    Some(Subscription {
        id: member("subscriptionID")?.to_owned(),
        callback: member("callbackUrl").map(str::to_owned),
    })
}

fn unreadable() -> SubscriptionFailure {
    PullFailure::Unreadable("it is no subscription".into()).into()
}
