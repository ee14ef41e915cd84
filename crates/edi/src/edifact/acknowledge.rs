//! The answer to a file: a CONTRL for each of its interchanges.
//!
//! CONTRL knows no "accepted with errors": a message whose count is wrong is acknowledged, as its data is
//! used. Only a message that cannot be used is rejected, with the reason of the code list 0085.

use super::{Envelope, Outgoing, read};
use crate::{Habits, Judgement, Message, Segment, Syntax, Writer};

/// Which interchanges are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// Those that ask for it (element 0031).
    Asking,
    /// All.
    All,
}

/// One interchange of the file: its header, and its messages with reference, type and judgement.
struct Heard<'a> {
    header: Segment<'a>,
    messages: Vec<(Segment<'a>, Judgement)>,
}

/// Answers the interchanges of a file; `None` when there is nothing to answer. `date` (`YYMMDD`) and `time`
/// (`HHMM`) stand in the answer's header; `judge` says what became of a message.
pub fn acknowledge(
    bytes: &[u8],
    date: &str,
    time: &str,
    answered: Answered,
    mut judge: impl FnMut(&Message<'_>) -> Judgement,
) -> Option<Vec<u8>> {
    let mut heard: Vec<Heard<'_>> = Vec::new();
    for message in read(bytes).ok()? {
        let (Some(interchange), Some(header)) = (message.interchange, message.header) else {
            continue;
        };
        let asked = answered == Answered::All || interchange.text(9) == "1";
        if header.component(2, 1) == "CONTRL" || !asked {
            continue;
        }
        let judged = (header, judge(&message));
        match heard.last_mut().filter(|last| last.header == interchange) {
            Some(last) => last.messages.push(judged),
            None => heard.push(Heard {
                header: interchange,
                messages: vec![judged],
            }),
        }
    }
    let mut heard = heard.iter();
    let first = heard.next()?;
    let begin = Outgoing::begin(
        first.envelope(date, time),
        Syntax::EDIFACT,
        Habits::default(),
    );
    let all = heard.fold(first.answered(begin), |outgoing, next| {
        next.answered(outgoing.then(next.envelope(date, time)))
    });
    Some(all.finish())
}

impl Heard<'_> {
    /// Back to where it came from.
    fn envelope(&self, date: &str, time: &str) -> Envelope {
        let party = |element: usize| {
            [1, 2].map(|component| self.header.component(element, component).into_owned())
        };
        Envelope {
            sender: party(3),
            receiver: party(2),
            date: date.to_owned(),
            time: time.to_owned(),
            control: self.header.text(5).into_owned(),
            asks_for_answer: false,
        }
    }

    fn answered(&self, mut outgoing: Outgoing) -> Outgoing {
        outgoing.message("1", &["CONTRL", "D", "3", "UN"], |writer| {
            self.write(writer);
        });
        outgoing
    }

    fn write(&self, writer: &mut Writer) {
        let usable = |(_, judgement): &(Segment<'_>, Judgement)| *judgement == Judgement::Usable;
        let none = !self.messages.iter().any(usable);
        composites(
            writer,
            "UCI",
            &[
                vec![self.header.text(5).into_owned()],
                components(&self.header, 2),
                components(&self.header, 3),
                vec![action(!none).to_owned()],
            ],
        );
        for (header, judgement) in &self.messages {
            let error = match judgement {
                Judgement::Usable => "",
                Judgement::Unusable => "12",
                Judgement::Unsupported => "14",
            };
            composites(
                writer,
                "UCM",
                &[
                    vec![header.text(1).into_owned()],
                    components(header, 2),
                    vec![action(*judgement == Judgement::Usable).to_owned()],
                    vec![error.to_owned()],
                ],
            );
        }
    }
}

/// Element 0083.
fn action(usable: bool) -> &'static str {
    if usable { "7" } else { "4" }
}

fn components(segment: &Segment<'_>, element: usize) -> Vec<String> {
    let components = segment.element(element).components();
    components.map(std::borrow::Cow::into_owned).collect()
}

fn composites(writer: &mut Writer, tag: &str, elements: &[Vec<String>]) {
    let borrowed: Vec<Vec<&str>> = elements
        .iter()
        .map(|components| components.iter().map(String::as_str).collect())
        .collect();
    let slices: Vec<&[&str]> = borrowed.iter().map(Vec::as_slice).collect();
    writer.composite(tag, &slices);
}
