//! A webhook receiver that keeps its own log: what it heard, when by the world's clock, and what it answered.

use std::sync::{Arc, Mutex};

use domain::event::EventName;
use domain::ids::{AccountId, WebhookId};
use jiff::{SignedDuration, Timestamp};
use tracking::webhooks::{NewWebhook, Opened, WebhookPatch, create, update};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::ground::Ground;

/// One arrival.
#[derive(Clone, Debug)]
pub struct Arrival {
    pub at: Timestamp,
    /// Path and query, as they came.
    pub target: String,
    pub headers: wiremock::http::HeaderMap,
    pub body: Vec<u8>,
}

impl Arrival {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// The notification it says it is.
    pub fn id(&self) -> String {
        self.header("webhook-id").unwrap_or_default().to_owned()
    }
}

impl Arrival {
    pub fn event(&self) -> String {
        let event = self.document()["data"]["attributes"]["event"].take();
        event.as_str().unwrap_or_default().to_owned()
    }

    /// What it is about.
    pub fn reference(&self) -> String {
        let mut document = self.document();
        let id = document["data"]["relationships"]["reference_object"]["data"]["id"].take();
        id.as_str().unwrap_or_default().to_owned()
    }

    /// The version of the thing it tells of.
    pub fn version(&self) -> i64 {
        self.document()["data"]["meta"]["version"]
            .as_i64()
            .unwrap_or_default()
    }

    /// Ids of what of this type came with it in full.
    pub fn included(&self, kind: &str) -> Vec<String> {
        let document = self.document();
        let included = document["included"].as_array().into_iter().flatten();
        included
            .filter(|resource| resource["type"] == kind)
            .filter_map(|resource| resource["id"].as_str().map(ToOwned::to_owned))
            .collect()
    }

    fn document(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A running receiver.
pub struct Receiver {
    server: MockServer,
    log: Arc<Mutex<Vec<Arrival>>>,
    answer: Arc<Mutex<ResponseTemplate>>,
}

impl Receiver {
    /// Answers 200 until told otherwise.
    pub async fn open(ground: &Ground) -> Self {
        let server = MockServer::start().await;
        let log = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(Mutex::new(ResponseTemplate::new(200)));
        let (kept, answers, tracking) = (
            Arc::clone(&log),
            Arc::clone(&answer),
            ground.tracking().clone(),
        );
        let respond = move |request: &Request| {
            // Before it shows that it heard: what is set from then on is for the next.
            let answer = answers.lock().unwrap().clone();
            kept.lock().unwrap().push(Arrival {
                at: tracking.now(),
                target: target_of(request),
                headers: request.headers.clone(),
                body: request.body.clone(),
            });
            answer
        };
        Mock::given(any())
            .respond_with(respond)
            .mount(&server)
            .await;
        Self {
            server,
            log,
            answer,
        }
    }

    /// How it answers from now on.
    pub fn answers(&self, answer: ResponseTemplate) {
        *self.answer.lock().unwrap() = answer;
    }

    pub fn refuses(&self, status: u16) {
        self.answers(ResponseTemplate::new(status));
    }

    pub fn log(&self) -> Vec<Arrival> {
        self.log.lock().unwrap().clone()
    }

    /// How often something arrived.
    pub fn count(&self) -> usize {
        self.log.lock().unwrap().len()
    }

    /// Real time of the waits between arrivals, by the world's clock.
    pub fn waits(&self) -> Vec<SignedDuration> {
        let log = self.log();
        let pairs = log.windows(2);
        pairs
            .map(|pair| pair[1].at.duration_since(pair[0].at))
            .collect()
    }

    /// Where it listens, under this name.
    pub fn named(&self, host: &str) -> String {
        format!("http://{host}:{}/", self.server.address().port())
    }

    /// Subscribes it.
    pub async fn subscribe(
        &self,
        ground: &Ground,
        account: AccountId,
        events: &[EventName],
    ) -> Opened {
        let wanted = NewWebhook {
            url: self.server.uri(),
            active: true,
            events: events.to_vec(),
            headers: Vec::new(),
        };
        create(ground.tracking(), account, wanted).await.unwrap()
    }
}

fn target_of(request: &Request) -> String {
    let path = request.url.path();
    let query = request.url.query();
    query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
}

/// Switches a webhook on or off.
pub async fn switch(ground: &Ground, account: AccountId, id: WebhookId, active: bool) {
    let patch = WebhookPatch {
        active: Some(active),
        ..WebhookPatch::default()
    };
    let changed = update(ground.tracking(), account, id, patch).await.unwrap();
    assert_eq!(changed.unwrap().webhook.active, active);
}

/// Lets the time pass from one due delivery to the next until none is open, or `until` has come.
pub async fn run(ground: &Ground, until: Timestamp) {
    loop {
        ground.drain().await;
        let next = ground.tracking().store().read(store::delivery::next_due);
        let next: Result<Option<Timestamp>, store::Error> = next.await;
        match next.unwrap() {
            Some(at) if at <= until => ground.pass(at.duration_since(ground.tracking().now())),
            _ => return ground.pass(until.duration_since(ground.tracking().now())),
        }
    }
}
