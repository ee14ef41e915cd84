//! A file of X12 on its way out: one interchange, one group, any number of sets.

use crate::{Habits, Syntax, Writer};

/// Who writes to whom about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Qualifier and id of the sender.
    pub sender: [String; 2],
    /// Qualifier and id of the receiver.
    pub receiver: [String; 2],
    /// `YYYYMMDD`.
    pub date: String,
    /// `HHMM`.
    pub time: String,
    /// Control number of interchange and group.
    pub control: String,
    /// Functional code of the group (GS01).
    pub functional_code: String,
    /// Version of the sets (`004010`).
    pub version: String,
}

/// A file that is being written.
#[derive(Clone, Debug)]
pub struct Outgoing {
    writer: Writer,
    envelope: Envelope,
    sets: usize,
}

impl Outgoing {
    /// Opens interchange and group.
    pub fn begin(envelope: Envelope, syntax: Syntax, habits: Habits) -> Self {
        let mut outgoing = Self {
            writer: Writer::new(syntax, habits),
            envelope,
            sets: 0,
        };
        if !habits.bare {
            outgoing.open();
        }
        outgoing
    }

    /// Goes on with another interchange behind what is written.
    #[must_use]
    pub fn then(mut self, envelope: Envelope) -> Self {
        self.close();
        self.envelope = envelope;
        self.sets = 0;
        self.open();
        self
    }

    /// A set: its code, its control number, its segments.
    pub fn set(&mut self, code: &str, control: &str, body: impl FnOnce(&mut Writer)) {
        let before = self.writer.written();
        self.writer.segment("ST", &[code, control]);
        body(&mut self.writer);
        let count = self.writer.count(self.writer.written() + 1 - before);
        self.writer.segment("SE", &[&count, control]);
        self.sets += 1;
    }

    /// Closes group and interchange.
    pub fn finish(mut self) -> Vec<u8> {
        self.close();
        self.writer.finish()
    }

    fn open(&mut self) {
        let Envelope {
            sender,
            receiver,
            date,
            time,
            control,
            functional_code,
            version,
        } = self.envelope.clone();
        let short_date = date.get(2..).unwrap_or(&date);
        let standard = "U".to_owned();
        let syntax = self.writer.syntax();
        let letter = |byte: u8| char::from(byte).to_string();
        let elements = [
            ("00".to_owned(), 2),
            (String::new(), 10),
            ("00".to_owned(), 2),
            (String::new(), 10),
            (sender[0].clone(), 2),
            (sender[1].clone(), 15),
            (receiver[0].clone(), 2),
            (receiver[1].clone(), 15),
            (short_date.to_owned(), 6),
            (time.clone(), 4),
            (syntax.repetition.map_or(standard, letter), 1),
            (version.get(..5).unwrap_or("00401").to_owned(), 5),
            (format!("{control:0>9}"), 9),
            ("0".to_owned(), 1),
            ("P".to_owned(), 1),
        ];
        self.header(&elements);
        self.writer.segment(
            "GS",
            &[
                &functional_code,
                &sender[1],
                &receiver[1],
                &date,
                &time,
                &control,
                "X",
                &version,
            ],
        );
    }

    /// The ISA: padded to its width, unless the sender trims; its last element is a separator.
    fn header(&mut self, elements: &[(String, usize)]) {
        let syntax = self.writer.syntax();
        let trimmed = self.writer.habits().trimmed;
        let mut isa = b"ISA".to_vec();
        for (value, width) in elements {
            isa.push(syntax.element);
            let plain: String = value
                .chars()
                .map(|c| if c.is_ascii() { c } else { '?' })
                .take(*width)
                .collect();
            let least = if trimmed { plain.len() } else { *width };
            isa.extend_from_slice(format!("{plain:<least$}").as_bytes());
        }
        isa.extend([syntax.element, syntax.component, syntax.terminator]);
        isa.extend_from_slice(self.writer.habits().line_end.as_bytes());
        self.writer.raw(&isa);
    }

    fn close(&mut self) {
        if self.writer.habits().bare {
            return;
        }
        let (sets, groups) = (self.writer.count(self.sets), self.writer.count(1));
        let control = &self.envelope.control;
        self.writer.segment("GE", &[&sets, control]);
        let control = format!("{control:0>9}");
        self.writer.segment("IEA", &[&groups, &control]);
    }
}
