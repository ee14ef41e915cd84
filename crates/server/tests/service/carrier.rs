//! A carrier that exists nowhere: answers DCSA questions from a sample, and logs what it answered.

use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Makes the answer to a question about one number; `None` is "not known".
pub type Book = Arc<dyn Fn(&str) -> Option<Value> + Send + Sync>;

/// A running carrier.
pub struct Carrier {
    /// `http://127.0.0.1:port`
    pub base: String,
    answered: Arc<Mutex<BTreeSet<String>>>,
}

impl Carrier {
    /// Serves `book` on a port of its own until the test process ends.
    pub fn open(book: Book) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let answered = Arc::new(Mutex::new(BTreeSet::new()));
        let log = Arc::clone(&answered);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (book, log) = (Arc::clone(&book), Arc::clone(&log));
                std::thread::spawn(move || answer(stream, &book, &log));
            }
        });
        Self { base, answered }
    }

    /// Numbers that were answered with data.
    pub fn answered(&self) -> BTreeSet<String> {
        self.answered.lock().unwrap().clone()
    }
}

fn answer(mut stream: TcpStream, book: &Book, log: &Mutex<BTreeSet<String>>) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let first = lines.next().and_then(Result::ok).unwrap_or_default();
    for line in lines.by_ref().map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    let number = first
        .split(['?', '&', ' '])
        .find_map(|part| {
            part.strip_prefix("transportDocumentReference=")
                .or_else(|| part.strip_prefix("equipmentReference="))
        })
        .unwrap_or_default()
        .to_owned();
    let (status, body) = match book(&number) {
        Some(events) => ("200 OK", events),
        None => ("404 Not Found", json!({ "statusCode": 404, "errors": [] })),
    };
    let known = status.starts_with("200");
    let body = body.to_string();
    if known {
        // Before it is answered: nobody may know the answer sooner than this does.
        log.lock().unwrap().insert(number);
    }
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
}
