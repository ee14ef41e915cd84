//! Load: on a read, thirty-two connections that stay open, each asking again as soon as it is answered; of pushes,
//! sixty-four, each handing in the next body.
//!
//! The driver runs on a thread of its own and reads answers by hand (head, `Content-Length`, body), so that
//! it costs as little as a load generator can.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, ensure};
use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// Connections kept busy.
const CONNECTIONS: u32 = 32;
/// Pushes under way at once.
const PUSHES_IN_FLIGHT: u32 = 64;
/// Longest head read.
const HEAD_BYTES_MAX: usize = 16 * 1_024;

/// What is asked.
#[derive(Clone)]
pub struct Question {
    /// Whom.
    pub address: SocketAddr,
    /// Path and query.
    pub path: String,
    /// The key of the API, when one is needed.
    pub key: Option<String>,
}

/// What a run saw.
#[derive(Clone, Copy, Debug)]
pub struct Answered {
    /// Answers a second.
    pub per_second: f64,
    /// Length of a body.
    pub body_bytes: usize,
}

impl Question {
    fn text(&self) -> String {
        let key = self
            .key
            .as_ref()
            .map(|key| format!("Authorization: Token {key}\r\n"));
        let (path, address) = (&self.path, self.address);
        format!(
            "GET {path} HTTP/1.1\r\nHost: {address}\r\n{}\r\n",
            key.unwrap_or_default()
        )
    }

    /// One answer's body.
    pub async fn once(&self) -> Result<Vec<u8>> {
        let mut connection = Connection::open(self.address).await?;
        let length = connection.ask(self.text().as_bytes()).await?;
        Ok(connection
            .buffer
            .split_off(connection.buffer.len() - length))
    }

    /// Asks all of these in turn, `times` each, on a connection of its own for each; the milliseconds of every answer.
    pub async fn in_turn(questions: &[Self], times: u32) -> Result<Vec<Vec<f64>>> {
        let mut asking = Vec::new();
        for question in questions {
            asking.push((question.text(), Connection::open(question.address).await?));
        }
        let mut times_of = vec![Vec::new(); questions.len()];
        for _ in 0..times {
            for ((text, connection), times) in asking.iter_mut().zip(&mut times_of) {
                let began = Instant::now();
                connection.ask(text.as_bytes()).await?;
                times.push(began.elapsed().as_secs_f64() * 1_000.0);
            }
        }
        Ok(times_of)
    }

    /// Asks for `span` on all connections.
    pub fn repeat(&self, span: Duration) -> Result<Answered> {
        let question = self.clone();
        let driving = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(drive(question, span))
        });
        driving.join().map_err(|_| anyhow!("the driver panicked"))?
    }
}

async fn drive(question: Question, span: Duration) -> Result<Answered> {
    let text: Arc<str> = question.text().into();
    let stop = Arc::new(AtomicBool::new(false));
    let count = Arc::new(AtomicU32::new(0));
    let mut asking = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut connection = Connection::open(question.address).await?;
        let (text, stop, count) = (Arc::clone(&text), Arc::clone(&stop), Arc::clone(&count));
        asking.spawn(async move {
            let mut length = 0;
            while !stop.load(Ordering::Relaxed) {
                length = connection.ask(text.as_bytes()).await?;
                count.fetch_add(1, Ordering::Relaxed);
            }
            Ok::<usize, anyhow::Error>(length)
        });
    }
    let began = Instant::now();
    tokio::time::sleep(span).await;
    let (counted, took) = (count.load(Ordering::Relaxed), began.elapsed());
    stop.store(true, Ordering::Relaxed);
    let mut body_bytes = 0;
    while let Some(ended) = asking.join_next().await {
        body_bytes = ended??;
    }
    Ok(Answered {
        per_second: f64::from(counted) / took.as_secs_f64(),
        body_bytes,
    })
}

/// Bodies to be handed in, each once.
pub struct Pushes {
    /// Where.
    pub address: SocketAddr,
    /// At which path.
    pub path: String,
    /// Header fields of every push.
    pub headers: Vec<(String, String)>,
    /// The bodies.
    pub bodies: Vec<Bytes>,
}

impl Pushes {
    /// Hands them in over sixty-four connections; an answer other than 2xx is an error.
    pub async fn send(self) -> Result<()> {
        let pushing = tokio::task::spawn_blocking(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(self.push_all())
        });
        pushing.await?
    }

    async fn push_all(self) -> Result<()> {
        let pushes = Arc::new(self);
        let next = Arc::new(AtomicUsize::new(0));
        let mut pushing = JoinSet::new();
        for _ in 0..PUSHES_IN_FLIGHT {
            let mut connection = Connection::open(pushes.address).await?;
            let (pushes, next) = (Arc::clone(&pushes), Arc::clone(&next));
            pushing.spawn(async move {
                while let Some(body) = pushes.bodies.get(next.fetch_add(1, Ordering::Relaxed)) {
                    connection.ask(&pushes.text(body)).await?;
                }
                Ok::<_, anyhow::Error>(())
            });
        }
        while let Some(ended) = pushing.join_next().await {
            ended??;
        }
        Ok(())
    }

    fn text(&self, body: &Bytes) -> Vec<u8> {
        let (path, address, length) = (&self.path, self.address, body.len());
        let mut text = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n"
        );
        for (name, value) in &self.headers {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text.push_str("\r\n");
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }
}

/// Hands in one document on a connection of its own; an answer other than 2xx is an error.
pub async fn post(address: SocketAddr, path: &str, key: &str, body: Bytes) -> Result<()> {
    let one = Pushes {
        address,
        path: path.to_owned(),
        headers: vec![("Authorization".into(), format!("Token {key}"))],
        bodies: Vec::new(),
    };
    let mut connection = Connection::open(address).await?;
    connection.ask(&one.text(&body)).await?;
    Ok(())
}

struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: Vec::with_capacity(128 * 1_024),
        })
    }

    /// Sends the question and reads the whole answer; returns the length of its body.
    async fn ask(&mut self, question: &[u8]) -> Result<usize> {
        self.stream.write_all(question).await?;
        self.buffer.clear();
        let head = loop {
            self.read_more().await?;
            if let Some(end) = find(&self.buffer, b"\r\n\r\n") {
                break end + 4;
            }
            ensure!(self.buffer.len() < HEAD_BYTES_MAX, "the head does not end");
        };
        let length = body_length(self.buffer.get(..head).unwrap_or_default())?;
        while self.buffer.len() < head + length {
            self.read_more().await?;
        }
        Ok(length)
    }

    async fn read_more(&mut self) -> Result<()> {
        let read = self.stream.read_buf(&mut self.buffer).await?;
        ensure!(read > 0, "the connection ended inside an answer");
        Ok(())
    }
}

fn body_length(head: &[u8]) -> Result<usize> {
    let head = std::str::from_utf8(head)?;
    if head.starts_with("HTTP/1.1 204") {
        return Ok(0);
    }
    ensure!(
        head.starts_with("HTTP/1.1 20"),
        "{}",
        head.lines().next().unwrap_or_default()
    );
    let mut lengths = head.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length")
            .then(|| value.trim().parse().ok())?
    });
    lengths.next().context("the answer has no Content-Length")
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    text.windows(wanted.len())
        .position(|window| window == wanted)
}
