//! A plain HTTP client, a clock to set, and a world to ask.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use http::{HeaderMap, Request};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use jiff::Timestamp;
use serde_json::Value;
use simulator::speak::dcsa::{self, Server};
use simulator::{Clock, World, WorldSettings};
use tokio::net::TcpListener;

/// A clock that stands until it is set.
#[derive(Clone)]
pub struct SetClock(Arc<AtomicI64>);

impl SetClock {
    pub fn at(moment: Timestamp) -> Self {
        Self(Arc::new(AtomicI64::new(moment.as_second())))
    }

    pub fn set(&self, moment: Timestamp) {
        self.0.store(moment.as_second(), Ordering::Relaxed);
    }

    pub fn clock(&self) -> Clock {
        let seconds = Arc::clone(&self.0);
        Arc::new(move || Timestamp::from_second(seconds.load(Ordering::Relaxed)).unwrap())
    }
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
}

pub async fn send(request: Request<Full<Bytes>>) -> Answer {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let response = client.request(request).await.unwrap();
    let (head, body) = response.into_parts();
    let bytes = body.collect().await.unwrap().to_bytes();
    Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: serde_json::from_slice(&bytes).unwrap_or_default(),
    }
}

pub async fn get(url: &str, token: Option<&str>) -> Answer {
    let mut request = Request::get(url);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    send(request.body(Full::default()).unwrap()).await
}

/// A carrier that is served, with its world and clock.
pub struct Carrier {
    pub world: Arc<World>,
    pub server: Server,
    pub clock: SetClock,
}

impl Carrier {
    pub async fn of(seed: u64, settings: &WorldSettings) -> Self {
        let world = Arc::new(World::new(seed, settings));
        let clock = SetClock::at(world.ends_at());
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = dcsa::serve(listener, Arc::clone(&world), clock.clock()).unwrap();
        Self {
            world,
            server,
            clock,
        }
    }

    pub async fn token(&self) -> String {
        let secrets: std::collections::HashMap<_, _> = self.world.secrets().into_iter().collect();
        let form = format!(
            "grant_type=client_credentials&client_id={}&client_secret={}",
            secrets["client_id"], secrets["client_secret"]
        );
        let request = Request::post(format!("{}/oauth2/token", self.server.base_url()))
            .header("content-type", "application/x-www-form-urlencoded")
            .body(Full::from(form))
            .unwrap();
        let answer = send(request).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.body["access_token"].as_str().unwrap().to_owned()
    }

    pub fn events_url(&self, query: &str) -> String {
        format!("{}/v2/events?{query}", self.server.base_url())
    }

    /// Every event that answers the query, over all pages, trying again where the carrier is in a mood.
    pub async fn all(&self, query: &str) -> Vec<Value> {
        let token = self.token().await;
        let mut url = Some(self.events_url(query));
        let mut events = Vec::new();
        while let Some(page) = url.take() {
            let mut answer = get(&page, Some(&token)).await;
            if matches!(answer.status, 429 | 500 | 502 | 503) {
                answer = get(&page, Some(&token)).await;
            }
            assert_eq!(answer.status, 200, "{page}: {}", answer.body);
            events.extend(answer.body.as_array().unwrap().iter().cloned());
            url = answer
                .headers
                .get("next-page")
                .map(|link| link.to_str().unwrap().to_owned());
        }
        events
    }
}
