//! The answer to a file: a 997 for each of its groups.
//!
//! It says that we read a set, not that we liked it. A set whose count or control number is wrong is accepted
//! with errors, because its data is used; only a set that cannot be used at all is rejected. The control
//! numbers of the answer are those of the question, so that one file always gets one answer.

use super::{Envelope, Outgoing, read};
use crate::{Flaw, Habits, Judgement, Message, Note, Segment, Syntax, Writer};

/// One group of the file.
struct Heard<'a> {
    interchange: Segment<'a>,
    group: Segment<'a>,
    sets: Vec<SetHeard>,
    flaws: Vec<Flaw>,
}

struct SetHeard {
    code: String,
    control: String,
    verdict: &'static str,
    error: &'static str,
}

/// Error codes that an AK9 has room for.
const GROUP_ERRORS_MAX: usize = 5;
/// Functional code of acknowledgements, which are never acknowledged.
const ACKNOWLEDGEMENTS: &str = "FA";

/// Answers the groups of a file; `None` when there is nothing to answer: no group, or only acknowledgements.
/// `date` (`YYYYMMDD`) and `time` (`HHMM`) stand in the answer's headers; `judge` says what became of a set.
pub fn acknowledge(
    bytes: &[u8],
    date: &str,
    time: &str,
    mut judge: impl FnMut(&Message<'_>) -> Judgement,
) -> Option<Vec<u8>> {
    let mut reader = read(bytes).ok()?;
    let mut heard: Vec<Heard<'_>> = Vec::new();
    for message in reader.by_ref() {
        let (Some(interchange), Some(group)) = (message.interchange, message.group) else {
            continue;
        };
        if group.text(1) == ACKNOWLEDGEMENTS {
            continue;
        }
        let set = SetHeard::of(&message, judge(&message));
        match heard.last_mut().filter(|last| last.group == group) {
            Some(last) => last.sets.push(set),
            None => heard.push(Heard {
                interchange,
                group,
                sets: vec![set],
                flaws: Vec::new(),
            }),
        }
    }
    assign(&mut heard, reader.notes());
    answer(&heard, date, time)
}

/// Notes about a group's trailer belong to the last group that began before them.
fn assign(heard: &mut [Heard<'_>], notes: &[Note]) {
    for note in notes {
        let about_group = match &note.flaw {
            Flaw::CountDiffers { tag, .. }
            | Flaw::ControlDiffers { tag, .. }
            | Flaw::NoTrailer(tag) => *tag == "GE",
            _ => false,
        };
        let mut before = heard.iter_mut().rev();
        let group = before.find(|heard| heard.group.place.offset < note.place.offset);
        if let Some(group) = group.filter(|_| about_group) {
            group.flaws.push(note.flaw.clone());
        }
    }
}

fn answer(heard: &[Heard<'_>], date: &str, time: &str) -> Option<Vec<u8>> {
    let mut outgoing: Option<Outgoing> = None;
    let mut interchange: Option<Segment<'_>> = None;
    let mut number = 0;
    for group in heard {
        let mut open = match outgoing.take() {
            None => Outgoing::begin(group.envelope(date, time), Syntax::X12, Habits::default()),
            Some(open) if interchange == Some(group.interchange) => open,
            Some(open) => {
                number = 0;
                open.then(group.envelope(date, time))
            }
        };
        number += 1;
        open.set("997", &format!("{number:04}"), |writer| group.write(writer));
        interchange = Some(group.interchange);
        outgoing = Some(open);
    }
    outgoing.map(Outgoing::finish)
}

impl Heard<'_> {
    /// Back to where it came from.
    fn envelope(&self, date: &str, time: &str) -> Envelope {
        let party = |qualifier: usize| {
            [qualifier, qualifier + 1].map(|element| self.interchange.text(element).into_owned())
        };
        let version = self.group.text(8);
        Envelope {
            sender: party(7),
            receiver: party(5),
            date: date.to_owned(),
            time: time.to_owned(),
            control: self.interchange.text(13).into_owned(),
            functional_code: ACKNOWLEDGEMENTS.to_owned(),
            version: if version.len() >= 6 {
                version.into_owned()
            } else {
                "004010".to_owned()
            },
        }
    }

    fn write(&self, writer: &mut Writer) {
        writer.segment("AK1", &[&self.group.text(1), &self.group.text(6)]);
        for set in &self.sets {
            writer.segment("AK2", &[&set.code, &set.control]);
            writer.segment("AK5", &[set.verdict, set.error]);
        }
        let received = self.sets.len();
        let rejected = self.sets.iter().filter(|set| set.verdict == "R").count();
        let noted = self.sets.iter().any(|set| set.verdict == "E") || !self.flaws.is_empty();
        let verdict = match rejected {
            0 if noted => "E",
            0 => "A",
            all if all == received => "R",
            _ => "P",
        };
        let told = self.flaws.iter().find_map(|flaw| match flaw {
            Flaw::CountDiffers { told, .. } => told.parse::<usize>().ok(),
            _ => None,
        });
        let counts =
            [told.unwrap_or(received), received, received - rejected].map(|n| n.to_string());
        let [included, received, accepted] = &counts;
        let mut elements = vec![verdict, included, received, accepted];
        for flaw in self.flaws.iter().take(GROUP_ERRORS_MAX) {
            elements.push(group_error(flaw));
        }
        writer.segment("AK9", &elements);
    }
}

impl SetHeard {
    fn of(message: &Message<'_>, judgement: Judgement) -> Self {
        let told = |element: usize| {
            let header = message.header.as_ref();
            header.map_or_else(String::new, |header| header.text(element).into_owned())
        };
        let control = told(2);
        let trailer = message.trailer.as_ref().map(|trailer| trailer.text(2));
        let noted = message
            .notes
            .iter()
            .map(|note| set_error(&note.flaw))
            .next();
        let (verdict, error) = match (judgement, noted) {
            (Judgement::Unsupported, _) => ("R", "1"),
            (Judgement::Unusable, noted) => ("R", noted.unwrap_or("5")),
            (Judgement::Usable, Some(error)) => ("E", error),
            (Judgement::Usable, None) => ("A", ""),
        };
        Self {
            code: told(1),
            control: if control.is_empty() {
                trailer.unwrap_or_default().into_owned()
            } else {
                control
            },
            verdict,
            error,
        }
    }
}

/// Element 718.
fn set_error(flaw: &Flaw) -> &'static str {
    match flaw {
        Flaw::NoTrailer(_) => "2",
        Flaw::ControlDiffers { .. } => "3",
        Flaw::CountDiffers { .. } => "4",
        _ => "5",
    }
}

/// Element 716.
fn group_error(flaw: &Flaw) -> &'static str {
    match flaw {
        Flaw::NoTrailer(_) => "3",
        Flaw::ControlDiffers { .. } => "4",
        _ => "5",
    }
}
