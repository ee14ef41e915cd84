//! Values to segments.
//!
//! EDIFACT releases a separator inside a value; X12 cannot, so there a space takes its place, which is what
//! the standard's users agreed on. Empty elements and components at the end are left out.

use crate::Syntax;

/// What a sender does its own way. The default is what the standards want.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent habits, each seen in files of real senders"
)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Habits {
    /// Written behind each terminator: nothing, `"\n"` or `"\r\n"`.
    pub line_end: &'static str,
    /// The file begins with a byte-order mark.
    pub byte_order_mark: bool,
    /// The elements of an ISA are not padded.
    pub trimmed: bool,
    /// There is no interchange around the messages.
    pub bare: bool,
    /// Trailers count one too many.
    pub miscounted: bool,
    /// The file begins with a UNA though its separators are the usual ones.
    pub declared: bool,
}

/// Writes segments.
#[derive(Clone, Debug)]
pub struct Writer {
    out: Vec<u8>,
    syntax: Syntax,
    habits: Habits,
    written: usize,
}

impl Writer {
    /// An empty file.
    pub fn new(syntax: Syntax, habits: Habits) -> Self {
        let mark: &[u8] = if habits.byte_order_mark {
            b"\xef\xbb\xbf"
        } else {
            b""
        };
        Self {
            out: mark.to_vec(),
            syntax,
            habits,
            written: 0,
        }
    }

    /// A segment of plain elements.
    pub fn segment(&mut self, tag: &str, elements: &[&str]) {
        self.out.extend_from_slice(tag.as_bytes());
        for element in up_to_last(elements, |element| !element.is_empty()) {
            self.out.push(self.syntax.element);
            self.value(element);
        }
        self.end();
    }

    /// A segment of elements that have components.
    pub fn composite(&mut self, tag: &str, elements: &[&[&str]]) {
        self.out.extend_from_slice(tag.as_bytes());
        let filled = |components: &&[&str]| components.iter().any(|c| !c.is_empty());
        for components in up_to_last(elements, filled) {
            self.out.push(self.syntax.element);
            let told = up_to_last(components, |component| !component.is_empty());
            for (index, component) in told.iter().enumerate() {
                if index > 0 {
                    self.out.push(self.syntax.component);
                }
                self.value(component);
            }
        }
        self.end();
    }

    /// Bytes as they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
    }

    /// Segments written so far.
    pub fn written(&self) -> usize {
        self.written
    }

    /// Its separators.
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// Its habits.
    pub fn habits(&self) -> Habits {
        self.habits
    }

    /// A count as this sender writes it.
    pub fn count(&self, count: usize) -> String {
        (count + usize::from(self.habits.miscounted)).to_string()
    }

    /// The file.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    /// Ends a segment.
    fn end(&mut self) {
        self.out.push(self.syntax.terminator);
        self.out.extend_from_slice(self.habits.line_end.as_bytes());
        self.written += 1;
    }

    fn value(&mut self, value: &str) {
        for &byte in value.as_bytes() {
            match self.syntax.release {
                _ if !self.syntax.is_special(byte) => self.out.push(byte),
                Some(release) => self.out.extend([release, byte]),
                None => self.out.push(b' '),
            }
        }
    }
}

fn up_to_last<T>(values: &[T], counts: impl Fn(&T) -> bool) -> &[T] {
    let end = values.iter().rposition(counts).map_or(0, |last| last + 1);
    values.get(..end).unwrap_or_default()
}
