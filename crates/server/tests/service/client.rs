//! A plain HTTP/1.1 client on a socket: what stands between a test and the service is nothing of ours.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::Value;

/// Longest wait for a byte of an answer: a request ends after half a minute.
const ANSWER_MAX: Duration = Duration::from_mins(1);

/// What came back.
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// The body as JSON; null when it is none.
    pub body: Value,
}

/// One exchange. `Err` when the connection broke: the outcome is unknown then.
pub fn exchange(
    address: &str,
    method: &str,
    path: &str,
    key: Option<&str>,
    body: Option<&Value>,
) -> std::io::Result<Answer> {
    let authorization = key
        .map(|key| format!("Authorization: Token {key}\r\n"))
        .unwrap_or_default();
    send(address, method, path, &authorization, body)
}

/// One exchange with these header lines.
pub fn send(
    address: &str,
    method: &str,
    path: &str,
    lines: &str,
    body: Option<&Value>,
) -> std::io::Result<Answer> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    let text = body.map(ToString::to_string).unwrap_or_default();
    let typed = if body.is_some() {
        "Content-Type: application/json\r\n"
    } else {
        ""
    };
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{lines}{typed}Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    parse(&answer).ok_or_else(|| std::io::Error::other("the answer was cut off"))
}

/// The body of an answer as it came.
pub fn document(address: &str, path: &str, key: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Token {key}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let body = answer
        .split_once("\r\n\r\n")
        .map(|(_, body)| body.to_owned());
    body.ok_or_else(|| std::io::Error::other("the answer was cut off"))
}

/// Head and body of a plain GET.
pub fn text(address: &str, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_MAX))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

fn parse(answer: &[u8]) -> Option<Answer> {
    let text = std::str::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head
        .lines()
        .find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .map(str::to_owned)
        })
        .and_then(|value| value.trim().parse::<usize>().ok());
    let whole = length.is_none_or(|length| length == body.len());
    let body = serde_json::from_str(body).unwrap_or(Value::Null);
    whole.then_some(Answer { status, body })
}
