//! A file of EDIFACT on its way out: one interchange, any number of messages.

use crate::{Habits, Syntax, Writer};

/// Who writes to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The sender's id and, where it has one, its qualifier.
    pub sender: [String; 2],
    /// The receiver's.
    pub receiver: [String; 2],
    /// `YYMMDD`.
    pub date: String,
    /// `HHMM`.
    pub time: String,
    /// Control reference of the interchange.
    pub control: String,
    /// Whether a CONTRL is asked for (element 0031).
    pub asks_for_answer: bool,
}

/// A file that is being written.
#[derive(Clone, Debug)]
pub struct Outgoing {
    writer: Writer,
    envelope: Envelope,
    messages: usize,
}

impl Outgoing {
    /// Opens the interchange.
    pub fn begin(envelope: Envelope, syntax: Syntax, habits: Habits) -> Self {
        let mut outgoing = Self {
            writer: Writer::new(syntax, habits),
            envelope,
            messages: 0,
        };
        outgoing.open();
        outgoing
    }

    /// Goes on with another interchange behind what is written.
    #[must_use]
    pub fn then(mut self, envelope: Envelope) -> Self {
        self.close();
        self.envelope = envelope;
        self.messages = 0;
        self.open();
        self
    }

    /// A message: its reference, its type (`["IFTSTA", "D", "99B", "UN"]`), its segments.
    pub fn message(&mut self, reference: &str, kind: &[&str], body: impl FnOnce(&mut Writer)) {
        let before = self.writer.written();
        self.writer.composite("UNH", &[&[reference], kind]);
        body(&mut self.writer);
        let count = self.writer.count(self.writer.written() + 1 - before);
        self.writer.segment("UNT", &[&count, reference]);
        self.messages += 1;
    }

    /// Closes the interchange.
    pub fn finish(mut self) -> Vec<u8> {
        self.close();
        self.writer.finish()
    }

    fn open(&mut self) {
        let (syntax, habits) = (self.writer.syntax(), self.writer.habits());
        let usual = syntax == Syntax::EDIFACT || syntax == Syntax::EDIFACT_B;
        if habits.declared || !usual {
            self.declare(syntax, habits);
        }
        if habits.bare {
            return;
        }
        let level = if syntax == Syntax::EDIFACT_B {
            "UNOB"
        } else {
            "UNOA"
        };
        let Envelope {
            sender,
            receiver,
            date,
            time,
            control,
            asks_for_answer,
        } = &self.envelope;
        let ask = if *asks_for_answer { "1" } else { "" };
        self.writer.composite(
            "UNB",
            &[
                &[level, "2"],
                &[&sender[0], &sender[1]],
                &[&receiver[0], &receiver[1]],
                &[date, time],
                &[control],
                &[],
                &[],
                &[],
                &[ask],
            ],
        );
    }

    fn declare(&mut self, syntax: Syntax, habits: Habits) {
        let Syntax {
            element,
            component,
            repetition,
            release,
            terminator,
        } = syntax;
        let (release, repetition) = (release.unwrap_or(b' '), repetition.unwrap_or(b' '));
        self.writer.raw(b"UNA");
        self.writer
            .raw(&[component, element, b'.', release, repetition, terminator]);
        self.writer.raw(habits.line_end.as_bytes());
    }

    fn close(&mut self) {
        if self.writer.habits().bare {
            return;
        }
        let count = self.writer.count(self.messages);
        self.writer
            .segment("UNZ", &[&count, &self.envelope.control]);
    }
}
