//! Lines of NMEA 0183: `!AIVDM,2,1,3,A,payload,0*hh`, with what loggers write around them.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Heard;
use super::bits::{ARMOUR_CHARS_MAX, Bits};
use super::message::{self, Message};

/// Messages in parts that wait for the rest; the oldest gives way.
const WAITING_MAX: usize = 64;
/// Longer lines are none of a receiver.
pub(super) const LINE_BYTES_MAX: usize = 1_024;

/// Reads all lines.
pub(super) fn read(bytes: &[u8], heard: &mut Heard<'_>) {
    let mut parts = Parts::default();
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let place = format!("line {}", index + 1);
        if let Err(reason) = read_line(line, &place, &mut parts, heard) {
            heard.defect(&place, reason);
        }
    }
    for waiting in parts.0.values() {
        heard.defect(&waiting.place, "the other parts of this message never came");
    }
}

fn read_line(
    line: &[u8],
    place: &str,
    parts: &mut Parts,
    heard: &mut Heard<'_>,
) -> Result<(), &'static str> {
    let Sentence {
        before,
        body,
        behind,
    } = sentence(line)?;
    let at = time(before, behind);
    let Some(whole) = parts.add(body, at, place)? else {
        return Ok(());
    };
    let bits = Bits::of_armour(&whole.payload, whole.fill).ok_or("the payload is damaged")?;
    if bits.len() < 38 {
        return Err("the message is cut off");
    }
    match message::read(&bits).ok_or("the message is cut off")? {
        Message::Position(fix) => {
            let live = heard.profile.live.then_some(heard.received_at);
            let at = whole.at.or(live).ok_or(
                "a position has no time: lines need a tag block, or the profile says live = true",
            )?;
            heard.sighting(fix.at(at), place);
        }
        Message::Vessel { mmsi, imo, name } => heard.named(mmsi, imo, name, whole.at),
        Message::Other => {}
    }
    Ok(())
}

/// A sentence of AIS whose checksum fits, and what stands around it in its line.
pub(super) struct Sentence<'l> {
    /// Tag blocks, or what a logger wrote.
    pub(super) before: &'l [u8],
    /// Between the exclamation mark and the star.
    pub(super) body: &'l [u8],
    /// What a hub put behind the checksum.
    pub(super) behind: &'l [u8],
}

/// The sentence in a line; the error says what the line is instead.
pub(super) fn sentence(line: &[u8]) -> Result<Sentence<'_>, &'static str> {
    if line.len() > LINE_BYTES_MAX {
        return Err("the line is too long");
    }
    let start = line.iter().position(|byte| *byte == b'!');
    let (before, sentence) = line
        .split_at_checked(start.ok_or("there is no sentence that begins with an exclamation mark")?)
        .ok_or("there is no sentence")?;
    let star = sentence
        .iter()
        .position(|byte| *byte == b'*')
        .ok_or("there is no checksum")?;
    let (body, check) = sentence
        .split_at_checked(star)
        .ok_or("there is no checksum")?;
    let body = body.get(1..).unwrap_or_default();
    let talker = body.get(..2).unwrap_or_default();
    let kind = body.get(2..5).unwrap_or_default();
    let known = matches!(
        talker,
        b"AI" | b"AB" | b"BS" | b"AN" | b"AR" | b"AS" | b"AT" | b"AX" | b"SA"
    );
    if !known || !matches!(kind, b"VDM" | b"VDO") {
        return Err("this is no AIS sentence (!AIVDM)");
    }
    if Some(checksum(body)) != hex(check.get(1..3).unwrap_or_default()) {
        return Err("the checksum does not fit");
    }
    Ok(Sentence {
        before,
        body,
        behind: check.get(3..).unwrap_or_default(),
    })
}

/// Messages of which not all parts are here, by number of parts, sequence and channel.
#[derive(Default)]
struct Parts(BTreeMap<(u8, u8, u8), Waiting>);

#[derive(Default)]
struct Waiting {
    payload: Vec<u8>,
    next: u8,
    at: Option<Timestamp>,
    place: String,
    age: usize,
}

struct Whole {
    payload: Vec<u8>,
    fill: usize,
    at: Option<Timestamp>,
}

impl Parts {
    /// Adds a sentence; the message once it is whole.
    fn add(
        &mut self,
        body: &[u8],
        at: Option<Timestamp>,
        place: &str,
    ) -> Result<Option<Whole>, &'static str> {
        let fields: Vec<&[u8]> = body.split(|byte| *byte == b',').collect();
        let [_, count, index, sequence, channel, payload, fill, ..] = fields.as_slice() else {
            return Err("the sentence has too few fields");
        };
        let (Some(count), Some(index)) = (digit(count), digit(index)) else {
            return Err("the number of parts is no digit");
        };
        let fill = usize::from(digit(fill).ok_or("the number of fill bits is no digit")?);
        if count == 1 {
            let payload = payload.to_vec();
            return Ok(Some(Whole { payload, fill, at }));
        }
        let key = (
            count,
            sequence.first().copied().unwrap_or_default(),
            channel.first().copied().unwrap_or_default(),
        );
        if index == 1 {
            self.make_room();
            let age = self
                .0
                .values()
                .map(|waiting| waiting.age + 1)
                .max()
                .unwrap_or_default();
            let waiting = Waiting {
                payload: payload.to_vec(),
                next: 2,
                at,
                place: place.to_owned(),
                age,
            };
            let lost = self.0.insert(key, waiting);
            return match lost {
                Some(_) => Err("the message before with this sequence never got its other parts"),
                None => Ok(None),
            };
        }
        let fits = self.0.get(&key).is_some_and(|waiting| {
            waiting.next == index && waiting.payload.len() + payload.len() <= ARMOUR_CHARS_MAX
        });
        if !fits {
            self.0.remove(&key);
            return Err("a part of a message without the parts before it");
        }
        let mut waiting = self.0.remove(&key).unwrap_or_default();
        waiting.payload.extend_from_slice(payload);
        waiting.next = waiting.next.saturating_add(1);
        waiting.at = waiting.at.or(at);
        if index < count {
            self.0.insert(key, waiting);
            return Ok(None);
        }
        Ok(Some(Whole {
            payload: waiting.payload,
            fill,
            at: waiting.at,
        }))
    }

    fn make_room(&mut self) {
        if self.0.len() < WAITING_MAX {
            return;
        }
        let oldest = self.0.iter().min_by_key(|(_, waiting)| waiting.age);
        if let Some(key) = oldest.map(|(key, _)| *key) {
            self.0.remove(&key);
        }
    }
}

/// When a line was heard: from a tag block before it (`\c:1774000000*5A\`, seconds or milliseconds), a time that a
/// logger wrote before it, or the last field that a hub put behind it.
pub(super) fn time(before: &[u8], behind: &[u8]) -> Option<Timestamp> {
    let before = std::str::from_utf8(before).ok()?;
    let behind = std::str::from_utf8(behind).ok()?;
    let tagged = before
        .split('\\')
        .filter(|block| tag_fits(block))
        .find_map(|block| {
            let fields = block.split('*').next()?.split(',');
            fields
                .filter_map(|field| field.strip_prefix("c:"))
                .find_map(epoch)
        });
    let written = || {
        before
            .trim()
            .trim_end_matches([',', ';'])
            .parse::<Timestamp>()
            .ok()
    };
    let hub = || behind.rsplit(',').find_map(epoch);
    tagged.or_else(written).or_else(hub)
}

/// A tag block without a checksum is taken at its word; one with a wrong one is not.
fn tag_fits(block: &str) -> bool {
    match block.split_once('*') {
        Some((body, check)) => hex(check.as_bytes()) == Some(checksum(body.as_bytes())),
        None => true,
    }
}

fn epoch(text: &str) -> Option<Timestamp> {
    let number: i64 = text.trim().parse().ok()?;
    match text.trim().len() {
        10 => Timestamp::from_second(number).ok(),
        13 => Timestamp::from_millisecond(number).ok(),
        _ => None,
    }
}

pub(super) fn checksum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, byte| sum ^ byte)
}

fn hex(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text.get(..2)?).ok()?;
    u8::from_str_radix(text, 16).ok()
}

fn digit(text: &[u8]) -> Option<u8> {
    match text {
        [digit @ b'0'..=b'9'] => Some(digit - b'0'),
        _ => None,
    }
}
