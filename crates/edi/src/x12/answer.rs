//! A 997 that somebody sent us, read back.

use crate::Message;

/// What a partner says about a group that we sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Functional code of the group (AK101).
    pub functional_code: String,
    /// Its control number (AK102).
    pub control: String,
    /// `A` accepted, `E` accepted with errors, `P` in parts, `R` rejected; other letters exist (AK901).
    pub verdict: String,
    /// Sets that the group says it holds.
    pub included: Option<u32>,
    /// Sets that arrived.
    pub received: Option<u32>,
    /// Sets that were accepted.
    pub accepted: Option<u32>,
    /// Set by set, where the partner says it.
    pub sets: Vec<SetAnswer>,
}

/// What a partner says about one set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetAnswer {
    /// Code of the set (AK201).
    pub code: String,
    /// Its control number (AK202).
    pub control: String,
    /// `A`, `E`, `R` … (AK501); empty when the partner did not say.
    pub verdict: String,
    /// Codes of what is wrong (AK502 …).
    pub errors: Vec<String>,
}

/// Reads a 997 (or 999); `None` for every other set.
pub fn answer(message: &Message<'_>) -> Option<Answer> {
    let code = message.header.as_ref()?.text(1);
    if !matches!(code.as_ref(), "997" | "999") {
        return None;
    }
    let mut answer = Answer::default();
    for segment in &message.body {
        let text = |element: usize| segment.text(element).into_owned();
        match segment.tag() {
            "AK1" => (answer.functional_code, answer.control) = (text(1), text(2)),
            "AK2" => answer.sets.push(SetAnswer {
                code: text(1),
                control: text(2),
                ..SetAnswer::default()
            }),
            "AK5" | "IK5" => {
                if let Some(set) = answer.sets.last_mut() {
                    set.verdict = text(1);
                    set.errors = (2..=6).map(text).filter(|code| !code.is_empty()).collect();
                }
            }
            "AK9" => {
                answer.verdict = text(1);
                let [included, received, accepted] = [2, 3, 4].map(|n| text(n).parse().ok());
                (answer.included, answer.received, answer.accepted) =
                    (included, received, accepted);
            }
            _ => {}
        }
    }
    Some(answer)
}
