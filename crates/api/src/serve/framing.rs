//! Where the heads stand in what a client sends.
//!
//! hyper goes by one length of a body and drops the others before anybody sees them. A server in front of us that goes by
//! another one takes for a body what is a request here, so whoever gives two is refused, be they equal or not. Therefore the
//! lines are looked at as they come, which also tells whether a head has begun behind a request. What this cannot follow
//! hyper refuses.

use crate::head::HEAD_BYTES_MAX;

/// Follows the bytes of one connection.
#[derive(Debug, Default)]
pub(super) struct Framing {
    step: Step,
    /// The line so far, for steps that read it.
    line: Vec<u8>,
    line_bytes: usize,
    request_line_bytes: usize,
    /// Lengths that the head gives its body.
    lengths: u32,
    /// `None`: what a head says of it is no number.
    body_bytes: Option<u64>,
    is_chunked: bool,
    heads: u64,
    twofold: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Step {
    /// Between two requests.
    #[default]
    Between,
    RequestLine,
    Fields,
    /// So much of a body, or of a chunk with the end of its line.
    Body(u64),
    ChunkSize,
    Chunk(u64),
    Trailers,
    /// Nothing behind this is looked at.
    Lost,
}

impl Framing {
    /// Takes in what has come.
    pub(super) fn take(&mut self, mut bytes: &[u8]) {
        while let Some(first) = bytes.first() {
            bytes = match self.step {
                Step::Lost => return,
                Step::Between if matches!(first, b'\r' | b'\n') => rest(bytes, 1),
                Step::Between => {
                    self.begin(Step::RequestLine);
                    bytes
                }
                Step::Body(left) => self.skip(bytes, left, Step::Between, Step::Body),
                Step::Chunk(left) => self.skip(bytes, left, Step::ChunkSize, Step::Chunk),
                Step::RequestLine | Step::Fields | Step::ChunkSize | Step::Trailers => {
                    self.take_line(bytes)
                }
            };
        }
    }

    /// Whether a head has begun and not ended.
    pub(super) fn is_in_head(&self) -> bool {
        matches!(self.step, Step::RequestLine | Step::Fields)
    }

    /// Bytes of the last request line, as far as it has come.
    pub(super) fn request_line_bytes(&self) -> usize {
        match self.step {
            Step::RequestLine => self.line_bytes,
            _ => self.request_line_bytes,
        }
    }

    /// Which head, counted from 1, gave its body more than one length.
    pub(super) fn twofold(&self) -> Option<u64> {
        self.twofold
    }

    fn begin(&mut self, step: Step) {
        self.step = step;
        self.line.clear();
        self.line_bytes = 0;
    }

    fn skip<'b>(
        &mut self,
        bytes: &'b [u8],
        left: u64,
        then: Step,
        more: fn(u64) -> Step,
    ) -> &'b [u8] {
        let here = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let left = left.saturating_sub(here as u64);
        if left == 0 {
            self.begin(then);
        } else {
            self.step = more(left);
        }
        rest(bytes, here)
    }

    fn take_line<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let here = end.unwrap_or(bytes.len());
        let room = HEAD_BYTES_MAX.saturating_sub(self.line.len());
        self.line.extend(bytes.iter().take(here.min(room)));
        self.line_bytes = self.line_bytes.saturating_add(here);
        if end.is_none() {
            return &[];
        }
        let line = std::mem::take(&mut self.line);
        let whole = line.strip_suffix(b"\r");
        if whole.is_none() && matches!(self.step, Step::ChunkSize | Step::Trailers) {
            // hyper reads on behind such an end of a line: where the next head begins is not one place for everybody.
            self.twofold = Some(self.heads + 1);
            self.begin(Step::Lost);
            return &[];
        }
        self.end_line(whole.unwrap_or(&line));
        rest(bytes, here + 1)
    }

    fn end_line(&mut self, line: &[u8]) {
        match self.step {
            Step::RequestLine => {
                self.request_line_bytes = self.line_bytes;
                (self.lengths, self.body_bytes, self.is_chunked) = (0, Some(0), false);
                self.begin(Step::Fields);
            }
            Step::Fields if line.is_empty() => self.end_head(),
            Step::Fields => {
                self.field(line);
                self.begin(Step::Fields);
            }
            Step::ChunkSize => match chunk_bytes(line) {
                Some(0) => self.begin(Step::Trailers),
                // With the end of its line.
                Some(bytes) => self.begin(Step::Chunk(bytes.saturating_add(2))),
                None => self.begin(Step::Lost),
            },
            Step::Trailers if line.is_empty() => self.begin(Step::Between),
            Step::Trailers => self.begin(Step::Trailers),
            Step::Between | Step::Body(_) | Step::Chunk(_) | Step::Lost => {}
        }
    }

    fn end_head(&mut self) {
        self.heads += 1;
        let step = match (self.lengths, self.is_chunked, self.body_bytes) {
            (2.., _, _) => {
                self.twofold = Some(self.heads);
                Step::Lost
            }
            (_, true, _) => Step::ChunkSize,
            (_, false, Some(0)) => Step::Between,
            (_, false, Some(bytes)) => Step::Body(bytes),
            (_, false, None) => Step::Lost,
        };
        self.begin(step);
    }

    /// Notes what a field says of the length.
    fn field(&mut self, line: &[u8]) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return;
        };
        let (name, value) = line.split_at(colon);
        if name.eq_ignore_ascii_case(b"transfer-encoding") {
            (self.lengths, self.is_chunked) = (self.lengths + 1, true);
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let value = std::str::from_utf8(rest(value, 1)).unwrap_or_default();
            (self.lengths, self.body_bytes) = (self.lengths + 1, value.trim().parse().ok());
        }
    }
}

fn rest(bytes: &[u8], from: usize) -> &[u8] {
    bytes.get(from..).unwrap_or_default()
}

/// The hexadecimal number with which the line of a chunk begins.
fn chunk_bytes(line: &[u8]) -> Option<u64> {
    let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit());
    let text = std::str::from_utf8(rest(line, 0).get(..digits.count())?).ok()?;
    u64::from_str_radix(text, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    /// As a client may cut it: whole, and byte by byte.
    fn followed(text: &str) -> Framing {
        let (mut whole, mut cut) = (Framing::default(), Framing::default());
        whole.take(text.as_bytes());
        for byte in text.as_bytes() {
            cut.take(&[*byte]);
        }
        let told = |f: &Framing| (f.step, f.heads, f.twofold, f.request_line_bytes());
        assert_eq!(told(&whole), told(&cut), "{text}");
        whole
    }

    #[test]
    fn heads_are_found_behind_any_body() {
        let chunked = "POST / HTTP/1.1\r\ntransfer-Encoding: chunked\r\n\r\n\
             5;why=\"not\"\r\nGET /\r\n00\r\nTrailer: 1\r\n\r\n";
        let long = "POST / HTTP/1.1\r\nContent-Length:  \t7 \r\n\r\nGET / H";
        for before in [
            "",
            "\r\n\n",
            GET,
            chunked,
            long,
            "GET /\n\n",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
        ] {
            let heads = u64::from(!before.trim().is_empty());
            assert!(!followed(before).is_in_head(), "{before}");
            let behind = followed(&format!("{before}{GET}"));
            assert_eq!((behind.heads, behind.step), (heads + 1, Step::Between));
            assert!(followed(&format!("{before}GET / HT")).is_in_head());
            assert!(followed(&format!("{before}GET / HTTP/1.1\r\nHo")).is_in_head());
        }
        assert!(!followed("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nGET /").is_in_head());
    }

    #[test]
    fn two_lengths_are_seen_in_whatever_order_and_whichever_head() {
        let (coded, sized) = ("Transfer-Encoding: chunked\r\n", "CONTENT-LENGTH: 4\r\n");
        for (lines, twofold) in [
            (coded.to_owned(), false),
            (sized.to_owned(), false),
            (format!("{coded}{sized}"), true),
            (format!("{sized}{coded}"), true),
            (format!("{sized}X-A: 1\r\n{sized}"), true),
            (format!("{coded}{coded}"), true),
            (format!("{coded}Content-Length: 5, 5\r\n"), true),
            (format!("Content-Length: 0x5\r\n{coded}"), true),
            ("Content-Length: 5, 5\r\n".to_owned(), false),
        ] {
            let head = format!("POST / HTTP/1.1\r\n{lines}\r\n");
            assert_eq!(followed(&head).twofold(), twofold.then_some(1), "{lines}");
            let second = followed(&format!("{GET}{head}"));
            assert_eq!(second.twofold(), twofold.then_some(2), "{lines}");
        }
    }

    #[test]
    fn a_chunked_body_whose_lines_end_in_two_ways_hides_no_head() {
        let begun = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        for end in ["0\r\nX: \n\n", "0\n\n", "1\na\r\n0\r\n\r\n"] {
            let told = followed(&format!(
                "{begun}{end}POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"
            ));
            assert_eq!(told.twofold(), Some(2), "{end}");
        }
    }

    #[test]
    fn a_long_request_line_is_known_after_its_end() {
        let line = format!("GET /{} HTTP/1.1", "a".repeat(40_000));
        let begun = followed(&line);
        assert_eq!(begun.request_line_bytes(), line.len());
        let ended = followed(&format!("{line}\r\nHost: a\r\n\r\n"));
        assert!(ended.request_line_bytes() > 40_000);
    }
}
