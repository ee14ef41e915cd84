//! Segments to messages: the envelope, taken as it is.
//!
//! The rule for everything missing is the same: what comes next tells that it is missing. A header inside an
//! open message closes it; segments outside a message make one without a header; the end of the file closes
//! what is open. Each costs a note.

use crate::envelope::{Dialect, GROUP, INTERCHANGE, MESSAGE, Part};
use crate::segments::{Next, Segments};
use crate::{Broken, Flaw, Note, Place, Segment, Syntax};

/// Segments of one message.
pub const SEGMENTS_PER_MESSAGE_MAX: usize = 200_000;
/// Notes about one file.
pub const NOTES_MAX: usize = 1_000;

/// One message (X12: transaction set) with the envelope around it.
#[derive(Clone, Debug, Default)]
pub struct Message<'a> {
    /// Header of the interchange.
    pub interchange: Option<Segment<'a>>,
    /// Header of the group.
    pub group: Option<Segment<'a>>,
    /// Header of the message; none when it is lost.
    pub header: Option<Segment<'a>>,
    /// What stands between header and trailer.
    pub body: Vec<Segment<'a>>,
    /// Trailer of the message.
    pub trailer: Option<Segment<'a>>,
    /// What is odd about it.
    pub notes: Vec<Note>,
}

impl Message<'_> {
    /// Where it begins.
    pub fn place(&self) -> Place {
        let first = self.header.as_ref().or(self.body.first());
        first.map(|segment| segment.place).unwrap_or_default()
    }
}

/// Messages of a file, one after the other.
#[derive(Debug)]
pub struct Reader<'a> {
    dialect: &'static Dialect,
    segments: Segments<'a>,
    open: Option<Message<'a>>,
    outer: [Option<Outer<'a>>; 2],
    notes: Vec<Note>,
    ended: bool,
}

/// An open interchange or group and how many of the next level it held.
#[derive(Clone, Copy, Debug)]
struct Outer<'a> {
    header: Segment<'a>,
    held: usize,
    /// Messages that stand in it outside any group: some trailers count these.
    messages: usize,
}

impl<'a> Reader<'a> {
    /// Finds the separators; fails when there are none, and then nothing can be read.
    pub fn open(bytes: &'a [u8], dialect: &'static Dialect) -> Result<Self, Broken> {
        Ok(Self {
            dialect,
            segments: Segments::open(bytes, dialect)?,
            open: None,
            outer: [None; 2],
            notes: Vec::new(),
            ended: false,
        })
    }

    /// What is odd about the file outside its messages; complete when the last message was read.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// The separators in force.
    pub fn syntax(&self) -> Syntax {
        self.segments.syntax()
    }

    fn note(&mut self, place: Place, flaw: Flaw) {
        if self.notes.len() < NOTES_MAX {
            self.notes.push(Note { place, flaw });
        }
    }

    /// Takes one segment; gives the message that it ends.
    fn take(&mut self, segment: Segment<'a>) -> Option<Message<'a>> {
        match self.dialect.part(segment.tag()) {
            Part::Header(MESSAGE) => {
                let before = self.close_unended();
                self.begin(Some(segment));
                before
            }
            Part::Trailer(MESSAGE) => self.end_message(segment),
            Part::Header(level) => {
                let before = self.close_unended();
                self.open_outer(level, segment);
                before
            }
            Part::Trailer(level) => {
                let before = self.close_unended();
                self.close_outer(level, Ok(segment));
                before
            }
            Part::Body => {
                self.keep(segment);
                None
            }
        }
    }

    fn begin(&mut self, header: Option<Segment<'a>>) {
        for outer in self.outer.iter_mut().flatten() {
            outer.messages += 1;
        }
        let header_of = |outer: &Option<Outer<'a>>| outer.as_ref().map(|outer| outer.header);
        let [interchange, group] = &self.outer;
        self.open = Some(Message {
            interchange: header_of(interchange),
            group: header_of(group),
            header,
            ..Message::default()
        });
    }

    fn keep(&mut self, segment: Segment<'a>) {
        if self.open.is_none() {
            self.begin(None);
            let missing = Flaw::NoHeader(self.names(MESSAGE).0);
            self.about_message(segment.place, missing);
        }
        let Some(open) = &mut self.open else { return };
        if open.body.len() < SEGMENTS_PER_MESSAGE_MAX {
            open.body.push(segment);
        } else if open.body.len() == SEGMENTS_PER_MESSAGE_MAX {
            let many = Flaw::TooManySegments(SEGMENTS_PER_MESSAGE_MAX);
            if open.notes.last().is_none_or(|note| note.flaw != many) {
                self.about_message(segment.place, many);
            }
        }
    }

    fn about_message(&mut self, place: Place, flaw: Flaw) {
        if let Some(open) = &mut self.open
            && open.notes.len() < NOTES_MAX
        {
            open.notes.push(Note { place, flaw });
        }
    }

    fn names(&self, level: usize) -> (&'static str, &'static str, usize) {
        let level = self.dialect.levels.get(level);
        level.map_or(("", "", 0), |l| (l.header, l.trailer, l.control))
    }

    fn end_message(&mut self, trailer: Segment<'a>) -> Option<Message<'a>> {
        let (_, tag, control) = self.names(MESSAGE);
        let Some(mut message) = self.open.take() else {
            self.note(trailer.place, Flaw::NothingToClose(tag));
            return None;
        };
        let counted = message.body.len() + 1 + usize::from(message.header.is_some());
        let header = message.header.as_ref();
        let flaws = flaws(tag, counted, header.map(|h| h.text(control)), &trailer);
        let place = trailer.place;
        message
            .notes
            .extend(flaws.into_iter().map(|flaw| Note { place, flaw }));
        message.trailer = Some(trailer);
        Some(message)
    }

    /// Closes a message that has no trailer.
    fn close_unended(&mut self) -> Option<Message<'a>> {
        let place = self.open.is_some().then(|| self.segments.place())?;
        let tag = self.names(MESSAGE).1;
        self.about_message(place, Flaw::NoTrailer(tag));
        self.open.take()
    }

    fn open_outer(&mut self, level: usize, header: Segment<'a>) {
        for open in (level..MESSAGE).rev() {
            self.close_outer(open, Err(header.place));
        }
        if level == GROUP
            && let Some(Some(interchange)) = self.outer.get_mut(INTERCHANGE)
        {
            interchange.held += 1;
        }
        if let Some(slot) = self.outer.get_mut(level) {
            *slot = Some(Outer {
                header,
                held: 0,
                messages: 0,
            });
        }
    }

    /// Closes a level by its trailer, or because of what stands at a place.
    fn close_outer(&mut self, level: usize, by: Result<Segment<'a>, Place>) {
        let (_, tag, control) = self.names(level);
        if level == INTERCHANGE && by.is_ok() {
            let place = by.map_or_else(|place| place, |segment| segment.place);
            self.close_outer(GROUP, Err(place));
        }
        let open = self.outer.get_mut(level).and_then(Option::take);
        match (open, by) {
            (None, Err(_)) => {}
            (None, Ok(trailer)) => self.note(trailer.place, Flaw::NothingToClose(tag)),
            (Some(_), Err(place)) => self.note(place, Flaw::NoTrailer(tag)),
            (Some(open), Ok(trailer)) => {
                let counted = if open.held > 0 {
                    open.held
                } else {
                    open.messages
                };
                let told = open.header.text(control);
                for flaw in flaws(tag, counted, Some(told), &trailer) {
                    self.note(trailer.place, flaw);
                }
            }
        }
    }

    fn finish(&mut self) -> Option<Message<'a>> {
        self.ended = true;
        let last = self.close_unended();
        let place = self.segments.place();
        self.close_outer(GROUP, Err(place));
        self.close_outer(INTERCHANGE, Err(place));
        last
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Message<'a>;

    fn next(&mut self) -> Option<Message<'a>> {
        while !self.ended {
            match self.segments.next() {
                Some(Next::Segment(segment)) => {
                    if let Some(message) = self.take(segment) {
                        return Some(message);
                    }
                }
                Some(Next::Odd(place, flaw)) if self.open.is_some() => {
                    self.about_message(place, flaw);
                }
                Some(Next::Odd(place, flaw)) => self.note(place, flaw),
                None => return self.finish(),
            }
        }
        None
    }
}

/// What a trailer says that is not so.
fn flaws(
    tag: &'static str,
    counted: usize,
    header: Option<std::borrow::Cow<'_, str>>,
    trailer: &Segment<'_>,
) -> Vec<Flaw> {
    let (count, control) = (trailer.text(1), trailer.text(2));
    let mut flaws = Vec::new();
    if count.parse() != Ok(counted) {
        flaws.push(Flaw::CountDiffers {
            tag,
            told: count.into_owned(),
            counted,
        });
    }
    // One side may fill it up with zeros.
    let same = |header: &str| header.trim_start_matches('0') == control.trim_start_matches('0');
    if let Some(header) = header.filter(|header| !same(header)) {
        flaws.push(Flaw::ControlDiffers {
            tag,
            header: header.into_owned(),
            trailer: control.into_owned(),
        });
    }
    flaws
}
