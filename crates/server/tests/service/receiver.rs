//! A webhook receiver that keeps its own log.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::tls;

/// What is answered to everything.
const RECEIVED: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// A running receiver.
pub struct Receiver {
    /// Where to send to.
    pub url: String,
    log: Arc<Mutex<Log>>,
}

/// What arrived.
#[derive(Default, Clone)]
pub struct Log {
    /// By notification id, what came first under it.
    pub told: BTreeMap<String, Told>,
    /// How many of these by event.
    by_event: BTreeMap<String, usize>,
    /// Arrivals, repeats included.
    pub arrivals: usize,
    /// Repeats whose bytes were not those of the first arrival.
    pub altered: usize,
    /// `webhook-id` headers that were not the id in the body.
    pub misnamed: usize,
    /// Container and version of each notification about a container, in the order of first arrivals.
    pub order: Vec<(String, i64)>,
}

/// One notification. Its body is not kept: a long run would fill the memory with them.
#[derive(Clone)]
pub struct Told {
    /// Name of the event.
    pub event: String,
    /// Number of the container it is about, or empty.
    pub number: String,
    digest: [u8; 32],
}

impl Told {
    /// Whether it came with this body.
    pub fn is(&self, body: &[u8]) -> bool {
        self.digest == <[u8; 32]>::from(Sha256::digest(body))
    }
}

impl Log {
    /// How many notifications came again.
    pub fn repeats(&self) -> usize {
        self.arrivals - self.told.len()
    }

    /// Containers that were told of an earlier version after a later one.
    pub fn overtaken(&self) -> Vec<String> {
        let mut newest: BTreeMap<&str, i64> = BTreeMap::new();
        let mut overtaken = Vec::new();
        for (container, version) in &self.order {
            let newest = newest.entry(container).or_insert(*version);
            if version < newest {
                overtaken.push(format!("{container}: {version} after {newest}"));
            }
            *newest = (*newest).max(*version);
        }
        overtaken
    }
}

impl Receiver {
    /// Listens on a port of its own until the test process ends.
    pub fn open() -> Self {
        Self::open_at("127.0.0.1:0")
    }

    /// The same at this address.
    pub fn open_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let log = Arc::clone(&shared);
                std::thread::spawn(move || receive(stream, &log));
            }
        });
        Self { url, log }
    }

    /// The same behind this certificate, on a port of its own.
    pub fn open_secured(certified: &tls::Certified) -> Self {
        let log = Arc::new(Mutex::new(Log::default()));
        let shared = Arc::clone(&log);
        let address = tls::serve(certified, move |mut stream| {
            let mut reader = BufReader::new(&mut stream);
            while let Some((id, body)) = read_one(&mut reader) {
                keep(&shared, id, &body);
                if reader.get_mut().write_all(RECEIVED).is_err() {
                    return;
                }
            }
        });
        let url = format!("https://{address}/hook");
        Self { url, log }
    }

    /// The log so far.
    pub fn log(&self) -> Log {
        self.log.lock().unwrap().clone()
    }

    /// How many notifications of this event came, each counted once.
    pub fn count(&self, event: &str) -> usize {
        let log = self.log.lock().unwrap();
        log.by_event.get(event).copied().unwrap_or_default()
    }
}

fn event_and_number(body: &Value) -> (String, String) {
    let included = body["included"].as_array().cloned().unwrap_or_default();
    let container = included
        .iter()
        .find(|resource| resource["type"] == "container");
    let number = container
        .and_then(|c| c["attributes"]["number"].as_str())
        .unwrap_or_default();
    let event = body["data"]["attributes"]["event"]
        .as_str()
        .unwrap_or_default();
    (event.to_owned(), number.to_owned())
}

/// Answers every delivery of a connection until the sender closes it.
fn receive(stream: TcpStream, log: &Mutex<Log>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut writer = stream;
    while let Some((id, body)) = read_one(&mut reader) {
        keep(log, id, &body);
        if writer.write_all(RECEIVED).is_err() {
            return;
        }
    }
}

/// Id and body of the next request.
pub fn read_one(reader: &mut impl BufRead) -> Option<(String, Vec<u8>)> {
    let (mut id, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.trim_end().to_ascii_lowercase();
        if lower.is_empty() {
            break;
        }
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if let Some(value) = lower.strip_prefix("webhook-id:") {
            value.trim().clone_into(&mut id);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((id, body))
}

fn keep(log: &Mutex<Log>, id: String, body: &[u8]) {
    let parsed: Value = serde_json::from_slice(body).unwrap_or_default();
    let mut log = log.lock().unwrap();
    log.arrivals += 1;
    if parsed["data"]["id"].as_str() != Some(id.as_str()) {
        log.misnamed += 1;
    }
    match log.told.get(&id) {
        Some(first) if !first.is(body) => log.altered += 1,
        Some(_) => {}
        None => {
            let (event, number) = event_and_number(&parsed);
            // News of a request has a line of its own, though it brings the containers along.
            if event.starts_with("container.") {
                let version = parsed["data"]["meta"]["version"]
                    .as_i64()
                    .unwrap_or_default();
                log.order.push((number.clone(), version));
            }
            *log.by_event.entry(event.clone()).or_default() += 1;
            let told = Told {
                event,
                number,
                digest: Sha256::digest(body).into(),
            };
            log.told.insert(id, told);
        }
    }
}
