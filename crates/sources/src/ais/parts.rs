//! Messages in more than one sentence, until all of it is here.
//!
//! Hubs mix what their receivers hear, so parts come in any order and messages stand in each other's way. A tag block may say
//! what belongs together (`g:`); else sequence and channel do, and these come again with every tenth message. Where two messages
//! wait under one name nobody knows whose a part is. What is read of any message stands in its first part, so that part
//! is read alone then, and nothing of one ship is put to another.

use super::Heard;
use super::clock::Clock;
use super::nmea::Sentence;

/// Messages that wait for the rest; the oldest gives way.
const WAITING_MAX: usize = 64;
/// A part that came before the first of its message is forgotten after so many others.
const EARLY_MAX: usize = 16;
const NEVER_CAME: &str = "the other parts of this message never came";

/// One sentence of a message.
pub(super) struct Part<'s> {
    name: Name,
    index: usize,
    payload: &'s [u8],
    fill: usize,
    at: Clock,
}

/// What tells a message from others that are under way.
#[derive(Clone, PartialEq, Eq)]
struct Name {
    count: usize,
    sequence: u8,
    channel: u8,
    group: Option<String>,
}

impl Name {
    fn is(&self, other: &Self) -> bool {
        let is_grouped = self.group.is_some() && other.group.is_some();
        let same = (self.count, self.sequence, self.channel);
        same == (other.count, other.sequence, other.channel)
            && (!is_grouped || self.group == other.group)
    }
}

impl<'s> Part<'s> {
    /// The fields of a sentence; the error says what is wrong with them.
    pub(super) fn read(sentence: &Sentence<'s>, at: Clock) -> Result<Self, &'static str> {
        let fields: Vec<&[u8]> = sentence.body.split(|byte| *byte == b',').collect();
        let [_, count, index, sequence, channel, payload, fill, ..] = fields.as_slice() else {
            return Err("the sentence has too few fields");
        };
        let (Some(count), Some(index)) = (digit(count), digit(index)) else {
            return Err("the number of parts is no digit");
        };
        let fill = digit(fill).ok_or("the number of fill bits is no digit")?;
        let index = index.checked_sub(1).filter(|index| *index < count);
        Ok(Self {
            index: index.ok_or("the sentence is none of the parts that it counts")?,
            name: Name {
                count,
                sequence: sequence.first().copied().unwrap_or_default(),
                channel: channel.first().copied().unwrap_or_default(),
                group: (count > 1).then(|| sentence.group()).flatten(),
            },
            payload: *payload,
            fill,
            at,
        })
    }
}

/// A message of which all that is read is here.
pub(super) struct Whole {
    pub(super) payload: Vec<u8>,
    pub(super) fill: usize,
    pub(super) at: Clock,
}

/// Messages of which not all parts are here, the oldest first.
#[derive(Default)]
pub(super) struct Parts {
    waiting: Vec<Waiting>,
    /// Parts so far.
    count: usize,
}

struct Waiting {
    name: Name,
    parts: Vec<Option<Vec<u8>>>,
    fill: usize,
    at: Clock,
    place: String,
    since: usize,
    /// Another message waited under the same name.
    in_doubt: bool,
}

impl Parts {
    /// Adds a sentence; the message once it is whole.
    pub(super) fn add(
        &mut self,
        part: &Part<'_>,
        place: &str,
        heard: &mut Heard<'_>,
    ) -> Result<Option<Whole>, &'static str> {
        if part.name.count == 1 {
            return Ok(Some(Whole {
                payload: part.payload.to_vec(),
                fill: part.fill,
                at: part.at,
            }));
        }
        self.count += 1;
        self.forget(heard);
        let mut same = self
            .waiting
            .iter()
            .filter(|waiting| waiting.name.is(&part.name));
        if same.any(|waiting| waiting.part(part.index) == Some(part.payload)) {
            return Ok(None); // heard by another receiver, too
        }
        let open = self
            .waiting
            .iter()
            .position(|waiting| waiting.name.is(&part.name) && waiting.part(part.index).is_none());
        let Some(open) = open else {
            self.begin(part, place);
            return Ok(None);
        };
        let Some(waiting) = self.waiting.get_mut(open) else {
            return Ok(None);
        };
        waiting.take(part);
        if !waiting.in_doubt && waiting.parts.iter().any(Option::is_none) {
            return Ok(None);
        }
        let whole = self.waiting.remove(open);
        whole
            .read()
            .map(Some)
            .ok_or("a part of a message without the first")
    }

    /// What still waits never came.
    pub(super) fn finish(self, heard: &mut Heard<'_>) {
        for waiting in self.waiting {
            heard.defect(&waiting.place, NEVER_CAME);
        }
    }

    fn begin(&mut self, part: &Part<'_>, place: &str) {
        let mut in_doubt = false;
        for other in &mut self.waiting {
            if other.name.is(&part.name) {
                (other.in_doubt, in_doubt) = (true, true);
            }
        }
        let mut waiting = Waiting {
            parts: vec![None; part.name.count],
            fill: 0,
            at: Clock::Silent,
            place: place.to_owned(),
            since: self.count,
            in_doubt,
            name: part.name.clone(),
        };
        waiting.take(part);
        self.waiting.push(waiting);
    }

    /// Gives up the oldest beyond what is remembered, and later parts whose first did not come soon.
    fn forget(&mut self, heard: &mut Heard<'_>) {
        let (count, room) = (self.count, WAITING_MAX - 1);
        let mut surplus = self.waiting.len().saturating_sub(room);
        self.waiting.retain(|waiting| {
            let is_early = waiting.part(0).is_none() && count - waiting.since > EARLY_MAX;
            let stays = surplus == 0 && !is_early;
            if !stays {
                surplus = surplus.saturating_sub(1);
                heard.defect(&waiting.place, NEVER_CAME);
            }
            stays
        });
    }
}

impl Waiting {
    fn part(&self, index: usize) -> Option<&[u8]> {
        self.parts.get(index)?.as_deref()
    }

    fn take(&mut self, part: &Part<'_>) {
        if let Some(place) = self.parts.get_mut(part.index) {
            *place = Some(part.payload.to_vec());
        }
        if part.index + 1 == self.parts.len() {
            self.fill = part.fill;
        }
        self.at = self.at.with(part.at);
    }

    fn read(self) -> Option<Whole> {
        let taken = if self.in_doubt { 1 } else { self.parts.len() };
        let fill = if self.in_doubt { 0 } else { self.fill };
        let parts: Option<Vec<Vec<u8>>> = self.parts.into_iter().take(taken).collect();
        Some(Whole {
            payload: parts?.concat(),
            fill,
            at: self.at,
        })
    }
}

fn digit(text: &[u8]) -> Option<usize> {
    match text {
        [digit @ b'0'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}
