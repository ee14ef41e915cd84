//! Lines as they come off a wire, before they are a message.
//!
//! A receiver sends without end, and everything that is kept is kept for good. So only sentences whose checksum fits
//! are taken, only kinds that are read, and of each radio one position in a while: a vessel that lies still for an hour
//! need not be written down six hundred times. Each line gets the time at which it came, unless it brings one, so that
//! it says the same whenever it is read again; one whose time is not understood is none.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::bits::Bits;
use super::clock::Clock;
use super::nmea::{LINE_BYTES_MAX, Sentence, checksum, sentences, time_of_next};

/// Radios whose last position is remembered; beyond it those that fell silent are forgotten.
const RADIOS_MAX: usize = 20_000;
/// Messages in parts that are under way.
const PARTS_MAX: usize = 64;

/// Lines of one receiver.
#[derive(Debug)]
pub struct Lines {
    every: SignedDuration,
    rest: Vec<u8>,
    /// The line under way is too long: nothing is taken until it ends.
    skipping: bool,
    kept: Vec<u8>,
    /// When a radio was last taken at its word, for positions and for names.
    radios: BTreeMap<(u32, Says), Timestamp>,
    /// What is known of the message with this sequence and channel.
    parts: BTreeMap<(Vec<u8>, Vec<u8>), Begun>,
    /// The time that a line of its own has told of the next.
    ahead: Clock,
    heard: u64,
    rubbish: u64,
}

/// A message in parts of which the first came.
#[derive(Clone, Copy, Debug)]
struct Begun {
    wanted: bool,
    /// The time that was told with it, until the last part came.
    told: Clock,
}

/// What a message is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Says {
    Where,
    Who,
}

impl Lines {
    /// For a receiver of which one position of each radio is kept in this time; zero keeps all.
    pub fn new(every: Duration) -> Self {
        Self {
            every: SignedDuration::try_from(every).unwrap_or(SignedDuration::ZERO),
            rest: Vec::new(),
            skipping: false,
            kept: Vec::new(),
            radios: BTreeMap::new(),
            parts: BTreeMap::new(),
            ahead: Clock::Silent,
            heard: 0,
            rubbish: 0,
        }
    }

    /// A new connection: what the one before left unfinished will not be finished.
    pub fn connected(&mut self) {
        self.rest.clear();
        self.parts.clear();
        (self.skipping, self.heard, self.rubbish) = (false, 0, 0);
        self.ahead = Clock::Silent;
    }

    /// Takes what came at `at`, in pieces of any size.
    pub fn take(&mut self, bytes: &[u8], at: Timestamp) {
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.skipping && self.rest.len() + piece.len() > LINE_BYTES_MAX {
                self.rest.clear();
                self.skipping = true;
                self.ahead = Clock::Silent;
                self.rubbish += 1;
            }
            if !self.skipping {
                self.rest.extend_from_slice(piece);
            }
            if piece.ends_with(b"\n") {
                self.skipping = false;
                let line = std::mem::take(&mut self.rest);
                self.line(line.trim_ascii(), at);
            }
        }
    }

    /// How many bytes are kept and not taken away yet.
    pub fn kept_bytes(&self) -> usize {
        self.kept.len()
    }

    /// What is kept, as one message; nothing where nothing is.
    pub fn take_away(&mut self) -> Option<Vec<u8>> {
        (!self.kept.is_empty()).then(|| std::mem::take(&mut self.kept))
    }

    /// Sentences of this connection, whether they were kept or not.
    pub fn heard(&self) -> u64 {
        self.heard
    }

    /// Lines of this connection that were none.
    pub fn rubbish(&self) -> u64 {
        self.rubbish
    }

    fn line(&mut self, line: &[u8], at: Timestamp) {
        if line.is_empty() || line.starts_with(b"#") {
            return;
        }
        if let Some(told) = time_of_next(line) {
            self.ahead = told;
            return;
        }
        let ahead = std::mem::replace(&mut self.ahead, Clock::Silent);
        let all: Vec<Sentence<'_>> = sentences(line).into_iter().flatten().flatten().collect();
        let times = all.iter().map(Sentence::time);
        let own = times.fold(Clock::Silent, Clock::with);
        let at_line = own.or_else(|| ahead);
        if all.is_empty() || at_line == Clock::Unread {
            self.rubbish += 1;
            return;
        }
        self.heard += 1;
        let (mut is_wanted, mut begun) = (false, Clock::Silent);
        for sentence in &all {
            if let Some(message) = self.message(sentence, at_line, at) {
                is_wanted |= message.wanted;
                begun = begun.with(message.told);
            }
        }
        if !is_wanted {
            return;
        }
        if own == Clock::Silent {
            let at = match ahead.or_else(|| begun) {
                Clock::At(told) => told,
                Clock::Silent | Clock::Unread => at,
            };
            let tag = format!("c:{}", at.as_second());
            let tag = format!("\\{tag}*{:02X}\\", checksum(tag.as_bytes()));
            self.kept.extend_from_slice(tag.as_bytes());
        }
        self.kept.extend_from_slice(line);
        self.kept.push(b'\n');
    }

    /// Only the first part of a message says whose it is, and mostly when it was heard; the others go with it.
    fn message(&mut self, sentence: &Sentence<'_>, told: Clock, at: Timestamp) -> Option<Begun> {
        let mut fields = sentence.body.split(|byte| *byte == b',').skip(1);
        let (count, index) = (fields.next()?, fields.next()?);
        let (sequence, channel) = (fields.next()?, fields.next()?);
        let (payload, fill) = (fields.next()?, fields.next()?);
        let message = (sequence.to_vec(), channel.to_vec());
        if index != b"1" {
            let begun = self.parts.get_mut(&message)?;
            let known = *begun;
            if index == count {
                // Its name comes again with every tenth message.
                begun.told = Clock::Silent;
            }
            return Some(known);
        }
        let fill = match (count, fill) {
            (b"1", [digit @ b'0'..=b'5']) => usize::from(digit - b'0'),
            _ => 0,
        };
        let bits = Bits::of_armour(payload, fill)?;
        let wanted = match says(bits.number(0, 6)?) {
            Some(says) => self.is_due((bits.number(8, 30)?, says), at),
            None => false,
        };
        let begun = Begun { wanted, told };
        if count != b"1" {
            if self.parts.len() >= PARTS_MAX {
                self.parts.clear();
            }
            self.parts.insert(message, begun);
        }
        Some(begun)
    }

    fn is_due(&mut self, radio: (u32, Says), at: Timestamp) -> bool {
        let last = self.radios.get(&radio);
        if last.is_some_and(|last| at.duration_since(*last) < self.every) {
            return false;
        }
        if self.radios.len() >= RADIOS_MAX {
            let every = self.every;
            self.radios
                .retain(|_, last| at.duration_since(*last) < every);
        }
        self.radios.insert(radio, at);
        true
    }
}

/// What messages of this kind are about; `None`: they are not read.
fn says(kind: u32) -> Option<Says> {
    match kind {
        1..=3 | 18 | 19 | 27 => Some(Says::Where),
        5 | 24 => Some(Says::Who),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: &str = "!AIVDM,1,1,,A,15M:Ih5P00GRcAPCCMs3Q?vt0000,0*17";
    const WHO: [&str; 2] = [
        "!AIVDM,2,1,3,A,55M:Ih02?LbU5<C40015DTEB0P588uE800000017000004000N5Dk0F0,0*16",
        "!AIVDM,2,2,3,A,000000000000000,2*27",
    ];

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_773_460_800 + second).unwrap()
    }

    fn kept(lines: &mut Lines) -> Vec<String> {
        let kept = String::from_utf8(lines.take_away().unwrap_or_default()).unwrap();
        kept.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_line_that_dribbles_is_one_line_and_gets_the_time_at_which_it_ended() {
        let mut lines = Lines::new(Duration::ZERO);
        for (second, byte) in format!("{HERE}\r\n").bytes().enumerate() {
            lines.take(&[byte], at(i64::try_from(second).unwrap()));
        }
        let told = kept(&mut lines);
        let ended = at(i64::try_from(HERE.len()).unwrap() + 1).as_second();
        assert_eq!(told.len(), 1);
        assert!(told[0].starts_with(&format!("\\c:{ended}*")), "{told:?}");
        assert!(told[0].ends_with(HERE), "{told:?}");
        lines.take(HERE.as_bytes(), at(99));
        assert_eq!(kept(&mut lines), [""; 0], "its end has not come");
        lines.connected();
        lines.take(b"\n", at(100));
        assert_eq!(kept(&mut lines), [""; 0], "and never will");
    }

    #[test]
    fn what_is_no_line_is_counted_and_left_out_and_memory_is_bounded() {
        let mut lines = Lines::new(Duration::ZERO);
        for _ in 0..1_000 {
            lines.take(&[b'x'; 4096], at(0));
        }
        assert!(lines.rest.len() <= LINE_BYTES_MAX);
        let wrong = HERE.replace("*17", "*18");
        lines.take(
            format!("\nHTTP/1.1 400 Bad Request\n{wrong}\n{HERE}\n").as_bytes(),
            at(0),
        );
        assert_eq!((lines.rubbish(), lines.heard()), (3, 1));
        assert_eq!(kept(&mut lines).len(), 1);
    }

    #[test]
    fn of_each_radio_one_position_is_kept_in_a_while_and_names_come_whole() {
        let mut lines = Lines::new(Duration::from_mins(1));
        for second in [0, 10, 59, 61] {
            lines.take(
                format!("{HERE}\n{}\n{}\n", WHO[0], WHO[1]).as_bytes(),
                at(second),
            );
        }
        let told = kept(&mut lines);
        assert_eq!(told.iter().filter(|line| line.ends_with(HERE)).count(), 2);
        for part in WHO {
            assert_eq!(
                told.iter().filter(|line| line.ends_with(part)).count(),
                2,
                "{part}"
            );
        }
        assert_eq!(lines.heard(), 12);
    }

    #[test]
    fn a_line_with_a_time_of_its_own_keeps_it() {
        let mut lines = Lines::new(Duration::ZERO);
        let dated = format!("\\c:1773460800*51\\{HERE}");
        let hub = format!("{HERE},1773468600");
        lines.take(format!("{hub}\n").as_bytes(), at(0));
        assert_eq!(kept(&mut lines), [hub]);
        lines.take(format!("{dated}\n").as_bytes(), at(0));
        assert_eq!(kept(&mut lines), [dated.as_str()]);
        let torn = dated.replace("c:1773", "c:1774");
        lines.take(format!("{torn}\n").as_bytes(), at(0));
        assert_eq!(kept(&mut lines), [""; 0], "its time is not to be had");
    }

    #[test]
    fn a_line_whose_time_is_not_understood_is_none_and_one_from_a_log_is_of_its_time() {
        let mut lines = Lines::new(Duration::ZERO);
        let logged = format!("[2026-03-14 05:00:00.141] {HERE}");
        lines.take(format!("{logged}\n").as_bytes(), at(0));
        assert_eq!(kept(&mut lines), [logged]);
        lines.take(format!("14/03/2026 05:00 {HERE}\n").as_bytes(), at(0));
        assert_eq!(kept(&mut lines), [""; 0]);
        assert_eq!((lines.rubbish(), lines.heard()), (1, 1));
        // The time of a line of its own is of the next one, and of no other.
        let told = "$PGHP,1,2026,3,14,5,0,0,250,338,2,,1,09*12";
        let unread = "$PGHP,1,2026,13,14,5,0,0,250,338,2,,1,09*23";
        lines.take(format!("{told}\n{HERE}\n{HERE}\n").as_bytes(), at(90_000));
        let (before, now) = (1_773_464_400, 1_773_460_800 + 90_000);
        let each = kept(&mut lines);
        assert!(each[0].starts_with(&format!("\\c:{before}*")), "{each:?}");
        assert!(each[1].starts_with(&format!("\\c:{now}*")), "{each:?}");
        lines.take(format!("{unread}\n{HERE}\n").as_bytes(), at(90_000));
        assert_eq!(kept(&mut lines), [""; 0]);
        let both = format!("{HERE}{HERE}");
        lines.take(format!("{both}\n").as_bytes(), at(90_001));
        assert!(kept(&mut lines)[0].ends_with(&both));
    }

    /// Found by a reviewer: the first part had its time, and the second that of its coming.
    #[test]
    fn all_parts_of_a_message_are_of_the_time_of_its_first() {
        let told = "$PGHP,1,2026,3,14,5,0,0,250,338,2,,1,09*12";
        let mut tag = "c:1773464400".to_owned();
        tag = format!("\\{tag}*{:02X}\\", checksum(tag.as_bytes()));
        for first in [
            format!("{told}\n{}\n", WHO[0]),
            format!("{tag}{}\n", WHO[0]),
            format!("{},1773464400\n", WHO[0]),
        ] {
            let mut lines = Lines::new(Duration::ZERO);
            lines.take(first.as_bytes(), at(90_000));
            // Another radio is heard in between.
            let rest = format!("{HERE}\n{}\n{}\n", WHO[1], WHO[1]);
            lines.take(rest.as_bytes(), at(90_001));
            let each = kept(&mut lines);
            let now = format!("\\c:{}*", at(90_001).as_second());
            assert!(each[1].starts_with(&now), "{each:?}");
            assert_eq!(each[2], format!("{tag}{}", WHO[1]), "{first}");
            // The same again is nobody's second part, and of no time that was told.
            assert!(each[3].starts_with(&now), "{each:?}");
        }
        let mut lines = Lines::new(Duration::ZERO);
        let own = format!("{told}\n{}\n{},1773464401\n", WHO[0], WHO[1]);
        lines.take(own.as_bytes(), at(90_000));
        assert_eq!(kept(&mut lines)[1], format!("{},1773464401", WHO[1]));
        let torn = told.replace("3,14,5", "3,12,5");
        lines.take(format!("{torn}\n{HERE}\n").as_bytes(), at(90_000));
        assert_eq!(kept(&mut lines), [""; 0], "its time is not to be had");
    }
}
