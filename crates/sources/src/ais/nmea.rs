//! Lines of NMEA 0183: `!AIVDM,2,1,3,A,payload,0*hh`, with what loggers write around them.

use jiff::civil::DateTime;
use jiff::tz::Offset;

use super::bits::Bits;
use super::clock::{self, Clock};
use super::message::{self, Message};
use super::parts::{Part, Parts};
use super::{Heard, Stamp};

/// Longer lines are none of a receiver.
pub(super) const LINE_BYTES_MAX: usize = 1_024;

/// Reads all lines.
pub(super) fn read(bytes: &[u8], heard: &mut Heard<'_>) {
    let mut parts = Parts::default();
    let mut ahead = Clock::Silent;
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if let Some(told) = time_of_next(line) {
            ahead = told;
            continue;
        }
        let place = format!("line {}", index + 1);
        read_line(line, ahead, &place, &mut parts, heard);
        ahead = Clock::Silent;
    }
    parts.finish(heard);
}

/// Reads the sentences that a decoder gives with what it made of them, and with the time at which it heard them.
pub(super) fn read_told(lines: &[&str], at: Clock, place: &str, heard: &mut Heard<'_>) {
    let mut parts = Parts::default();
    for line in lines {
        read_line(line.trim().as_bytes(), at, place, &mut parts, heard);
    }
    parts.finish(heard);
}

/// The time that a shore station writes into a line of its own, of the sentence in the next
/// (`$PGHP,1,2026,3,14,5,0,0,250,…*hh`, in UTC, the last of these thousandths); `None`: the line is no such one. As in a tag block
/// a time without a checksum is taken at its word, and one with a wrong one cannot be read.
pub(super) fn time_of_next(line: &[u8]) -> Option<Clock> {
    let body = line.strip_prefix(b"$PGHP,")?;
    let whole = String::from_utf8_lossy(line.get(1..)?);
    Some(if tag_fits(&whole) {
        time_in(body)
    } else {
        Clock::Unread
    })
}

fn time_in(body: &[u8]) -> Clock {
    let text = String::from_utf8_lossy(body);
    let fields = text.split([',', '*']).skip(1).take(6);
    let numbers: Option<Vec<i16>> = fields.map(|field| field.parse().ok()).collect();
    let Some([year, rest @ ..]) = numbers.as_deref() else {
        return Clock::Unread;
    };
    let rest: Vec<i8> = rest
        .iter()
        .filter_map(|one| i8::try_from(*one).ok())
        .collect();
    let [month, day, hour, minute, second] = rest.as_slice() else {
        return Clock::Unread;
    };
    let local = DateTime::new(*year, *month, *day, *hour, *minute, *second, 0);
    let at = local.and_then(|local| Offset::UTC.to_timestamp(local));
    at.map_or(Clock::Unread, Clock::At)
}

/// Whether there is a sentence anywhere.
pub(super) fn is_in(bytes: &[u8]) -> bool {
    bytes.windows(SENTENCE_START).any(starts)
}

/// A time that a sentence does not carry is its line's, and else `otherwise`.
fn read_line(line: &[u8], otherwise: Clock, place: &str, parts: &mut Parts, heard: &mut Heard<'_>) {
    let all = match sentences(line) {
        Ok(all) => all,
        Err(reason) => return heard.defect(place, reason),
    };
    let clocks = all.iter().flatten().map(Sentence::time);
    let of_line = clocks.fold(Clock::Silent, |line, one| line.or_else(|| one));
    for sentence in all {
        let read = sentence.and_then(|sentence| {
            let at = sentence.time().or_else(|| of_line).or_else(|| otherwise);
            read_sentence(&sentence, at, place, parts, heard)
        });
        if let Err(reason) = read {
            heard.defect(place, reason);
        }
    }
}

fn read_sentence(
    sentence: &Sentence<'_>,
    at: Clock,
    place: &str,
    parts: &mut Parts,
    heard: &mut Heard<'_>,
) -> Result<(), &'static str> {
    let part = Part::read(sentence, at)?;
    let Some(whole) = parts.add(&part, place, heard)? else {
        return Ok(());
    };
    let bits = Bits::of_armour(&whole.payload, whole.fill).ok_or("the payload is damaged")?;
    if bits.len() < 38 {
        return Err("the message is cut off");
    }
    match message::read(&bits).ok_or("the message is cut off")? {
        Message::Position(fix) => {
            let stamp = match whole.at {
                Clock::At(at) => Stamp::Told(at),
                Clock::Silent if heard.profile.live => Stamp::Receipt,
                Clock::Silent => {
                    return Err(
                        "a position has no time: lines need a tag block, or the profile says live = true",
                    );
                }
                Clock::Unread => return Err(clock::UNREAD),
            };
            heard.sighting(fix.at(stamp.at(heard.received_at)), stamp, place);
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

impl Sentence<'_> {
    /// When it was heard: from a tag block before it (`\c:1774000000*5A\`, seconds or milliseconds), a time that a logger wrote
    /// before it, or the first that a hub put behind it. Hubs put their own second one behind that.
    pub(super) fn time(&self) -> Clock {
        let before = String::from_utf8_lossy(self.before);
        let behind = String::from_utf8_lossy(self.behind);
        let blocks = before.split('\\').map(tagged);
        let tagged = blocks.fold(Clock::Silent, Clock::with);
        if let Clock::At(_) = tagged {
            return tagged;
        }
        let outside = before.split('\\').step_by(2).map(clock::find);
        let written = outside.fold(tagged, Clock::with);
        written.with(clock::find(&behind))
    }

    /// What binds the sentences of a message in their tag blocks: of `g:1-2-77` the 77.
    pub(super) fn group(&self) -> Option<String> {
        let before = String::from_utf8_lossy(self.before);
        let blocks = before.split('\\').filter(|block| tag_fits(block));
        let mut groups = blocks.filter_map(|block| {
            let mut fields = block.split('*').next()?.split(',');
            let group = fields.find_map(|field| field.strip_prefix("g:"))?;
            Some(group.rsplit('-').next()?.to_owned())
        });
        groups.next()
    }
}

/// How long a sentence is up to its kind: `!AIVDM`.
const SENTENCE_START: usize = 6;

fn starts(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'!', b'A'..=b'Z', b'A'..=b'Z', b'V', b'D', b'M' | b'O', ..]
    )
}

/// The sentences in a line, each for itself; the error says what the line is instead.
pub(super) fn sentences(
    line: &[u8],
) -> Result<Vec<Result<Sentence<'_>, &'static str>>, &'static str> {
    if line.len() > LINE_BYTES_MAX {
        return Err("the line is too long");
    }
    let windows = line.windows(SENTENCE_START).enumerate();
    let begins = windows.filter(|(_, window)| starts(window));
    let begins: Vec<usize> = begins.map(|(at, _)| at).collect();
    if begins.is_empty() {
        return Err(if line.contains(&b'!') {
            "this is no AIS sentence (!AIVDM)"
        } else {
            "there is no sentence that begins with an exclamation mark"
        });
    }
    let ends = begins.iter().skip(1).copied().chain([line.len()]);
    let first = begins.first().copied().unwrap_or_default();
    let mut before = line.get(..first).unwrap_or_default();
    let mut all = Vec::with_capacity(begins.len());
    for (begin, end) in begins.iter().zip(ends) {
        let text = line.get(*begin..end).unwrap_or_default();
        let around = sentence(text).map(|(body, behind)| {
            let behind_last = end == line.len();
            let (behind, next) = if behind_last {
                (behind, &b""[..])
            } else {
                parted(behind)
            };
            (
                Sentence {
                    before,
                    body,
                    behind,
                },
                next,
            )
        });
        before = around.as_ref().map_or(&b""[..], |(_, next)| *next);
        all.push(around.map(|(sentence, _)| sentence));
    }
    Ok(all)
}

/// What stands between two sentences of a line: a hub's fields behind the first, then what belongs to the second.
fn parted(between: &[u8]) -> (&[u8], &[u8]) {
    let tag = between.iter().position(|byte| *byte == b'\\');
    let of_first = if between.starts_with(b",") {
        between.len()
    } else {
        0
    };
    between.split_at(tag.unwrap_or(of_first))
}

/// What stands between the exclamation mark and the star, and what behind the checksum.
fn sentence(text: &[u8]) -> Result<(&[u8], &[u8]), &'static str> {
    let star = text.iter().position(|byte| *byte == b'*');
    let (body, check) = text
        .split_at_checked(star.ok_or("there is no checksum")?)
        .ok_or("there is no checksum")?;
    let body = body.get(1..).unwrap_or_default();
    let talker = body.get(..2).unwrap_or_default();
    let known = matches!(
        talker,
        b"AI" | b"AB" | b"BS" | b"AN" | b"AR" | b"AS" | b"AT" | b"AX" | b"SA"
    );
    if !known {
        return Err("this is no AIS sentence (!AIVDM)");
    }
    if Some(checksum(body)) != hex(check.get(1..3).unwrap_or_default()) {
        return Err("the checksum does not fit");
    }
    Ok((body, check.get(3..).unwrap_or_default()))
}

/// The time in a tag block. One without a checksum is taken at its word; in one with a wrong one, or where only the
/// satellite wrote a time in its own way (`T:`), a time stands and cannot be read.
fn tagged(block: &str) -> Clock {
    let fields = block.split('*').next().unwrap_or_default().split(',');
    let fits = tag_fits(block);
    let times = fields.map(|field| match field.strip_prefix("c:") {
        Some(time) if fits => clock::epoch(time.trim()).map_or(Clock::Unread, Clock::At),
        Some(_) => Clock::Unread,
        None if field.starts_with("T:") => Clock::Unread,
        None => Clock::Silent,
    });
    times.fold(Clock::Silent, Clock::with)
}

fn tag_fits(block: &str) -> bool {
    match block.split_once('*') {
        Some((body, check)) => hex(check.as_bytes()) == Some(checksum(body.as_bytes())),
        None => true,
    }
}

pub(super) fn checksum(body: &[u8]) -> u8 {
    body.iter().fold(0, |sum, byte| sum ^ byte)
}

fn hex(text: &[u8]) -> Option<u8> {
    let text = std::str::from_utf8(text.get(..2)?).ok()?;
    u8::from_str_radix(text, 16).ok()
}
