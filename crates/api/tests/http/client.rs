//! A client that hides nothing: what it sends is what stands in the test, and a fault of the service's HTTP
//! is not repaired on the way. Every answer to a whole request is held against the description.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::contract;

/// Sends single requests.
#[derive(Clone)]
pub struct Client {
    address: SocketAddr,
    headers: Vec<(String, String)>,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Client {
    pub fn new(address: SocketAddr) -> Self {
        Self {
            address,
            headers: Vec::new(),
        }
    }

    pub fn key(self, key: &str) -> Self {
        self.header("Authorization", &format!("Token {key}"))
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, None).await
    }

    /// HEAD, whose answer tells a length and has no body.
    pub async fn send_head(&self, path: &str) -> Answer {
        self.send("HEAD", path, None).await
    }

    /// With a JSON body.
    pub async fn send(&self, method: &str, path: &str, body: Option<&Value>) -> Answer {
        match body {
            None => self.send_bytes(method, path, None, b"").await,
            Some(body) => {
                let bytes = body.to_string().into_bytes();
                let media = Some("application/json");
                self.send_bytes(method, path, media, &bytes).await
            }
        }
    }

    pub async fn send_bytes(
        &self,
        method: &str,
        path: &str,
        media: Option<&str>,
        body: &[u8],
    ) -> Answer {
        let known = [("Host", "quay.example"), ("Connection", "close")];
        let own = self
            .headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()));
        let length = body.len().to_string();
        let length = (!body.is_empty()).then_some(("Content-Length", length.as_str()));
        let media = media.map(|media| ("Content-Type", media));
        let lines: Vec<String> = known
            .into_iter()
            .chain(own)
            .chain(media)
            .chain(length)
            .map(|(name, value)| format!("{name}: {value}\r\n"))
            .collect();
        let head = format!("{method} {path} HTTP/1.1\r\n{}\r\n", lines.concat());
        let answer = exchange(self.address, &[head.as_bytes(), body].concat()).await;
        contract::check(method, path, &answer);
        answer
    }
}

/// Writes these bytes and reads until the service closes.
pub async fn exchange(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The service may answer and close before it has read everything.
    let _ = stream.write_all(bytes).await;
    read(&mut stream).await
}

/// Reads until the service closes; status 0 when it says nothing.
pub async fn read(stream: &mut TcpStream) -> Answer {
    let mut text = Vec::new();
    let read = stream.read_to_end(&mut text);
    let read = tokio::time::timeout(std::time::Duration::from_mins(1), read);
    read.await
        .expect("the service neither answers nor closes")
        .ok();
    Answer::parse(&String::from_utf8_lossy(&text))
}

impl Answer {
    pub fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1));
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .collect();
        let mut answer = Self {
            status: status.and_then(|status| status.parse().ok()).unwrap_or(0),
            headers,
            body: body.to_owned(),
        };
        let length = answer.header("content-length");
        if let Some(length) = length.filter(|_| !answer.body.is_empty()) {
            assert_eq!(length.parse().ok(), Some(answer.body.len()), "{text}");
        }
        if answer.header("transfer-encoding").is_some() {
            answer.body.clear();
        }
        answer
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|why| panic!("{why}: {self:?}"))
    }

    /// The answer is an `errors` document of this status; the items' sources and details.
    pub fn faults(&self, status: u16) -> Vec<String> {
        assert_eq!(self.status, status, "{}", self.body);
        assert_eq!(
            self.header("content-type"),
            Some("application/vnd.api+json")
        );
        let items = self.json()["errors"].as_array().cloned().unwrap();
        assert!(!items.is_empty());
        let told = |item: &Value| {
            assert_eq!(item["status"], status.to_string());
            assert!(item["title"].is_string() && item["meta"]["request_id"].is_string());
            let source = &item["source"];
            let place = source["pointer"].as_str().or(source["parameter"].as_str());
            let detail = item["detail"].as_str().unwrap();
            place.map_or(detail.to_owned(), |place| format!("{place}: {detail}"))
        };
        items.iter().map(told).collect()
    }

    /// Types and ids of `included`.
    pub fn included(&self) -> Vec<(String, String)> {
        let included = self.json()["included"].as_array().cloned();
        included
            .unwrap_or_default()
            .iter()
            .map(|one| {
                let text = |name: &str| one[name].as_str().unwrap().to_owned();
                (text("type"), text("id"))
            })
            .collect()
    }

    /// Ids of a list.
    pub fn ids(&self) -> Vec<String> {
        assert_eq!(self.status, 200, "{}", self.body);
        let rows = self.json()["data"].as_array().cloned().unwrap();
        rows.iter()
            .map(|row| row["id"].as_str().unwrap().to_owned())
            .collect()
    }
}
