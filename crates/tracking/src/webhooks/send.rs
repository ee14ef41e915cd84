//! What every call to an endpoint has, be it a delivery or a test: the request, and what is kept of the answer.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::Full;
use sources::outbound::{UrlRefused, target};

/// Who calls.
pub(super) const SENDER: &str = concat!("Quayside/", env!("CARGO_PKG_VERSION"));

/// A POST of this text to an address as somebody wrote it: what is stored and shown stays in their letters, so it is
/// here that it becomes what a request can carry.
pub(super) fn post(
    url: &str,
    headers: HeaderMap,
    text: String,
) -> Result<Request<Full<Bytes>>, UrlRefused> {
    let target = target(url)?;
    let mut request = Request::new(Full::new(Bytes::from(text)));
    *request.method_mut() = Method::POST;
    *request.uri_mut() = target;
    *request.headers_mut() = headers;
    Ok(request)
}

/// Sets a header; one that cannot be sent is left out.
pub(super) fn put(headers: &mut HeaderMap, name: &str, value: &str) {
    let parsed = (
        HeaderName::from_bytes(name.as_bytes()),
        HeaderValue::from_str(value),
    );
    if let (Ok(name), Ok(value)) = parsed {
        headers.insert(name, value);
    }
}

/// What is kept of an answer: text of at most `bytes_max` bytes, control characters escaped.
pub(super) fn readable(bytes: &[u8], bytes_max: usize) -> String {
    let begun = bytes.get(..bytes_max).unwrap_or(bytes);
    let mut text = String::with_capacity(begun.len());
    for letter in String::from_utf8_lossy(begun).chars() {
        let before = text.len();
        if letter.is_control() && letter != '\n' {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
        // What is not whole is left out: half an escape means something else.
        if text.len() > bytes_max {
            text.truncate(before);
            break;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_kept_readable() {
        assert_eq!(readable(b"ok\x00\x1b[2J", 100), "ok\\u{0}\\u{1b}[2J");
        assert_eq!(readable(&[b'x'; 5_000], 2_048).len(), 2_048);
        let escapes = readable(&[0x1b; 1_536], 2_048);
        assert_eq!(
            escapes,
            "\\u{1b}".repeat(341),
            "2,046 bytes, and no half of one"
        );
        assert_eq!(readable(&[0xff; 1_000], 2_048).len(), 2_046);
    }
}
