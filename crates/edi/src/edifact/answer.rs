//! A CONTRL that somebody sent us, read back.

use crate::Message;

/// What a partner did with an interchange or message (element 0083).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// 7 and above it in the list: taken.
    Acknowledged,
    /// 8: it arrived, more is not said.
    Received,
    /// 4: not taken.
    Rejected,
    /// Anything else.
    #[default]
    Unknown,
}

/// What a partner says about an interchange that we sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Its control reference.
    pub control: String,
    /// Our id, as it read it.
    pub sender: String,
    /// Its own id.
    pub receiver: String,
    /// What it did.
    pub action: Action,
    /// Code of what is wrong (0085).
    pub error: String,
    /// Message by message, where the partner says it.
    pub messages: Vec<MessageAnswer>,
}

/// What a partner says about one message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageAnswer {
    /// Its reference.
    pub reference: String,
    /// Its type (`IFTSTA`).
    pub kind: String,
    /// What it did.
    pub action: Action,
    /// Code of what is wrong (0085).
    pub error: String,
}

/// Reads a CONTRL; `None` for every other message.
pub fn answer(message: &Message<'_>) -> Option<Answer> {
    if message.header.as_ref()?.component(2, 1) != "CONTRL" {
        return None;
    }
    let mut answer = Answer::default();
    for segment in &message.body {
        let text = |element: usize| segment.component(element, 1).into_owned();
        if segment.is("UCI") {
            (answer.control, answer.sender, answer.receiver) = (text(1), text(2), text(3));
            (answer.action, answer.error) = (action(&text(4)), text(5));
        } else if segment.is("UCM") {
            answer.messages.push(MessageAnswer {
                reference: text(1),
                kind: text(2),
                action: action(&text(3)),
                error: text(4),
            });
        }
    }
    Some(answer)
}

fn action(code: &str) -> Action {
    match code {
        "7" => Action::Acknowledged,
        "8" => Action::Received,
        "4" => Action::Rejected,
        _ => Action::Unknown,
    }
}
