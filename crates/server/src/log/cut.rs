//! What is longer than a line of a log should be.
//!
//! A word of somebody else, such as an address or an answer, goes into a field as it came, and may have megabytes. So what
//! is long is cut before it waits to be written, with how much was left out behind it: in JSON each text for itself, so that
//! a line stays an object with all its fields; on a terminal the line.

use std::borrow::Cow;
use std::io;

use serde_json::Value;
use tracing_appender::non_blocking::NonBlocking;
use tracing_subscriber::fmt::MakeWriter;

/// Longest text of a field, and longest line on a terminal.
const TEXT_BYTES_MAX: usize = 8 * 1024;
/// Ends what colours a line on a terminal; nothing to who reads it elsewhere.
const PLAIN: &str = "\u{1b}[0m";

/// Writes lines, each bounded.
#[derive(Clone)]
pub struct Cut {
    lines: NonBlocking,
    is_json: bool,
}

impl Cut {
    /// Lines are JSON objects, or are read by a person.
    pub fn new(lines: NonBlocking, is_json: bool) -> Self {
        Self { lines, is_json }
    }
}

impl<'a> MakeWriter<'a> for Cut {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

/// Each write is one whole line: so the layer above does it.
impl io::Write for Cut {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if line.len() <= TEXT_BYTES_MAX {
            self.lines.write_all(line)?;
        } else {
            let shorter = shorter(line, self.is_json);
            self.lines.write_all(shorter.as_bytes())?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.lines.flush()
    }
}

fn shorter(line: &[u8], is_json: bool) -> String {
    let object = is_json.then(|| serde_json::from_slice(line).ok()).flatten();
    if let Some(mut object) = object {
        cut_texts(&mut object);
        return format!("{object}\n");
    }
    let text = String::from_utf8_lossy(line);
    match cut(text.trim_end()) {
        Cow::Borrowed(whole) => format!("{whole}\n"),
        Cow::Owned(shorter) => format!("{shorter}{PLAIN}\n"),
    }
}

/// Cuts every text in it. The log nests as deep as its spans, and a field holds no object.
fn cut_texts(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shorter) = cut(text) {
                *text = shorter;
            }
        }
        Value::Array(each) => each.iter_mut().for_each(cut_texts),
        Value::Object(fields) => fields.values_mut().for_each(cut_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn cut(text: &str) -> Cow<'_, str> {
    let kept = text.get(..text.floor_char_boundary(TEXT_BYTES_MAX));
    let kept = kept.unwrap_or_default();
    match text.len() - kept.len() {
        0 => Cow::Borrowed(text),
        left_out => Cow::Owned(format!("{kept}… ({left_out} bytes left out)")),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    use tracing_appender::non_blocking::NonBlockingBuilder;
    use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};

    use super::*;

    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Vec<u8>>>);

    impl Write for Written {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// What the log says of an event with this text.
    fn logged(text: &str, is_json: bool) -> String {
        let written = Written::default();
        let (lines, guard) = NonBlockingBuilder::default().finish(written.clone());
        let layer = tracing_subscriber::fmt::layer().with_writer(Cut::new(lines, is_json));
        let layer = if is_json {
            layer.json().boxed()
        } else {
            layer.boxed()
        };
        tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
            let _of = tracing::info_span!("asking", text).entered();
            tracing::warn!(%text, short = "as it is", "a carrier said something");
        });
        drop(guard);
        String::from_utf8(written.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn a_long_field_is_cut_and_the_line_stays_an_object() {
        let long = "ä".repeat(TEXT_BYTES_MAX);
        let line: Value = serde_json::from_str(&logged(&long, true)).unwrap();
        let half = "ä".repeat(TEXT_BYTES_MAX / 2);
        let told = format!("{half}… (8192 bytes left out)");
        assert_eq!(line["fields"]["text"], told);
        assert_eq!(line["span"]["text"], told);
        assert_eq!(line["fields"]["short"], "as it is");
        assert_eq!(line["fields"]["message"], "a carrier said something");
        assert_eq!(line["level"], "WARN");
    }

    #[test]
    fn a_long_line_on_a_terminal_is_cut() {
        let line = logged(&"x".repeat(3 * TEXT_BYTES_MAX), false);
        assert!(line.len() < TEXT_BYTES_MAX + 100, "{}", line.len());
        assert!(line.ends_with(" bytes left out)\u{1b}[0m\n"), "{line}");
        assert_eq!(line.lines().count(), 1);
    }

    #[test]
    fn what_is_not_too_long_stays_as_it_is() {
        let text = "x".repeat(TEXT_BYTES_MAX);
        let line: Value = serde_json::from_str(&logged(&text, true)).unwrap();
        assert_eq!(line["fields"]["text"], text);
        assert!(!logged("short", false).contains("left out"));
    }
}
