//! Which shipping line does a number belong to, and what kind of number is it?
//!
//! A number says less than it seems to, so every guess carries how far it can be trusted:
//!
//! 1. **A bill's prefix** is the strongest sign: lines begin their bills with their own code, and only theirs.
//! 2. **The form of the rest** confirms it, or, where a line numbers its bills without letters, is all there is.
//!    A bare row of digits fits several lines; the longer the list of those it could be, the less it says.
//! 3. **The owner code of a box** names who owns it. Lines carry each other's boxes and hire from lessors, so a
//!    line's code is a hint and a lessor's says nothing.
//! 4. **What the account tracked before** under the same first characters: a shipper books with few lines.
//!
//! Confidence is in whole percent, so that bands are exact. Nothing here guarantees that the line knows the
//! number; only asking does. A wrong check digit does not end the search, but then no line is chosen: the typing
//! error may as well be in the owner code.

mod form;
mod history;

use crate::codes::{ContainerNumber, Scac};
use crate::shipping_line::ShippingLine;
use crate::tracking_request::NumberKind;

pub use form::{InvalidMask, Mask, NumberForm};
pub use history::{Tracked, history_prefix};

/// From here on a line is chosen without asking anybody, in percent.
pub const AUTO_SELECT_PERCENT: u8 = 95;
/// From here on a line is worth proposing, in percent.
pub const CONFIRM_PERCENT: u8 = 70;
/// Candidates in an answer.
pub const CANDIDATES_MAX: usize = 5;
/// Characters of a number, without spaces and marks: EDI's longest reference.
pub const NUMBER_CHARS_MAX: usize = 35;
/// Characters of the shortest number that a line gives.
const NUMBER_CHARS_MIN: usize = 5;

/// A bill that begins with a line's prefix, when the rest is of no form we know.
const PREFIX_PERCENT: u8 = 96;
/// The same when we know the line's forms and the rest fits none.
const PREFIX_ALONE_PERCENT: u8 = 85;
/// A box of the line's own.
const OWNER_PERCENT: u8 = 80;
/// The most that a number with a wrong check digit is worth.
const MISTYPED_PERCENT: u8 = 75;

/// What we know about numbers without asking.
#[derive(Clone, Debug, Default)]
pub struct Clues {
    /// The lines, with the prefixes of their bills and boxes.
    pub lines: Vec<ShippingLine>,
    /// Forms that lines give their numbers.
    pub forms: Vec<NumberForm>,
    /// Owner codes of lessors: their boxes sail with everybody.
    pub lessors: Vec<String>,
}

/// A line that the number may belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The line.
    pub scac: Scac,
    /// How far to trust it, in percent.
    pub percent: u8,
}

/// What is to be made of the candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The first one can be taken.
    AutoSelect,
    /// Somebody should look at them.
    NeedsConfirmation,
    /// None is good enough.
    NoPrediction,
}

impl Decision {
    /// Every decision.
    pub const ALL: [Self; 3] = [
        Self::AutoSelect,
        Self::NeedsConfirmation,
        Self::NoPrediction,
    ];

    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AutoSelect => "auto_select",
            Self::NeedsConfirmation => "needs_confirmation",
            Self::NoPrediction => "no_prediction",
        }
    }
}

/// What a number tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inference {
    /// What kind of number it is.
    pub kind: NumberKind,
    /// The number in capitals, without spaces and marks; a missing check digit is added.
    pub number: String,
    /// Whether it is a good number; `None`: its form says nothing.
    pub is_valid: Option<bool>,
    /// Whether the check digit fits; `None` when there is none.
    pub check_digit_fits: Option<bool>,
    /// A sentence about what is odd.
    pub reason: Option<String>,
    /// What to make of the candidates.
    pub decision: Decision,
    /// Lines, best first.
    pub candidates: Vec<Candidate>,
}

impl Inference {
    /// The line that can be taken without asking anybody.
    pub fn selected(&self) -> Option<Candidate> {
        let best = self.candidates.first().copied();
        best.filter(|_| self.decision == Decision::AutoSelect)
    }

    /// Without lines that do not answer to numbers of this kind: whoever takes one is refused. One that the number points
    /// to all the same leaves a doubt, so it keeps another from being chosen.
    #[must_use]
    pub fn of_lines_that_answer(mut self, lines: &[ShippingLine]) -> Self {
        let kind = self.kind;
        let answers = |one: &Candidate| {
            let mut known = lines.iter().filter(|line| line.scac == one.scac);
            known.all(|line| line.supports(kind))
        };
        let (kept, left): (Vec<_>, Vec<_>) = self.candidates.into_iter().partition(answers);
        self.candidates = kept;
        if let Some(first) = left.first() {
            let best = self.candidates.first().map_or(0, |one| one.percent);
            self.decision = match self.decision {
                _ if best < CONFIRM_PERCENT => Decision::NoPrediction,
                Decision::AutoSelect if first.percent < CONFIRM_PERCENT => Decision::AutoSelect,
                _ => Decision::NeedsConfirmation,
            };
            let why = || format!("{} does not answer to numbers of this kind.", first.scac);
            self.reason = self.reason.or_else(|| Some(why()));
        }
        self
    }
}

/// Why a text is no number that a line could have given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotANumber {
    /// Too few or too many characters.
    #[error("a number has {NUMBER_CHARS_MIN} to {NUMBER_CHARS_MAX} characters")]
    Length,
    /// Something other than letters, digits, spaces, dashes, dots and slashes.
    #[error("a number has letters and digits only")]
    Characters,
    /// Letters only.
    #[error("a number has digits in it")]
    NoDigits,
}

/// Judges a number as somebody typed it. `history` is what the account tracked under the same first characters.
pub fn infer(text: &str, clues: &Clues, history: &[Tracked]) -> Result<Inference, NotANumber> {
    let number = compact(text)?;
    match ContainerNumber::from_feed(&number) {
        Ok((parsed, fits)) => {
            let gap = |c: char| c.is_whitespace() || matches!(c, '.' | '/');
            let written = Written {
                chars: number.len(),
                is_gapped: ContainerNumber::from_feed(&text.replace(gap, "-")).is_err(),
            };
            Ok(of_box(parsed, &written, fits, clues, history))
        }
        Err(_) => Ok(of_paper(number, clues, history)),
    }
}

/// The number in capitals, without spaces and marks.
pub fn compact(text: &str) -> Result<String, NotANumber> {
    let marks = |c: char| c.is_whitespace() || matches!(c, '-' | '.' | '/');
    let kept = text.chars().filter(|c| !marks(*c));
    let number: String = kept.take(NUMBER_CHARS_MAX + 1).collect();
    if !number.chars().all(|c| c.is_ascii_alphanumeric()) {
        return Err(NotANumber::Characters);
    }
    if !(NUMBER_CHARS_MIN..=NUMBER_CHARS_MAX).contains(&number.len()) {
        return Err(NotANumber::Length);
    }
    if !number.contains(|c: char| c.is_ascii_digit()) {
        return Err(NotANumber::NoDigits);
    }
    Ok(number.to_ascii_uppercase())
}

/// How a box's number was written.
struct Written {
    /// Characters, without marks.
    chars: usize,
    /// Whether there is a gap where no part of it ends.
    is_gapped: bool,
}

fn of_box(
    parsed: ContainerNumber,
    written: &Written,
    fits: bool,
    clues: &Clues,
    history: &[Tracked],
) -> Inference {
    let owner = parsed.owner_prefix();
    let owners = clues.lines.iter().filter(|line| {
        let mut codes = line.container_owner_prefixes.iter();
        codes.any(|code| code == owner)
    });
    let mut candidates: Vec<Candidate> = owners
        .map(|line| Candidate {
            scac: line.scac,
            percent: OWNER_PERCENT,
        })
        .collect();
    history::weigh(&mut candidates, parsed.as_str(), true, history);
    let given = written.chars == parsed.as_str().len();
    // A digit that is lost in the gap would make another box of what is completed; a check digit would have told.
    let is_damaged = !given && written.is_gapped;
    if !fits || is_damaged {
        for candidate in &mut candidates {
            candidate.percent = candidate.percent.min(MISTYPED_PERCENT);
        }
    }
    let reason = if !fits {
        Some("The check digit does not fit the number.".to_owned())
    } else if is_damaged {
        Some("A digit may be missing in the gap: there is no check digit to tell.".to_owned())
    } else if !given {
        Some("The check digit was missing and is computed.".to_owned())
    } else if clues.lessors.iter().any(|lessor| lessor == owner) {
        Some(format!(
            "{owner} is a lessor's code: its boxes sail with many lines."
        ))
    } else {
        None
    };
    concluded(Inference {
        kind: NumberKind::Container,
        number: parsed.to_string(),
        is_valid: Some(fits && !is_damaged),
        check_digit_fits: given.then_some(fits),
        reason,
        decision: Decision::NoPrediction,
        candidates,
    })
}

fn of_paper(number: String, clues: &Clues, history: &[Tracked]) -> Inference {
    let fitting: Vec<&NumberForm> = clues.forms.iter().filter(|f| f.fits(&number)).collect();
    let mut candidates: Vec<Candidate> = fitting
        .iter()
        .map(|form| Candidate {
            scac: form.scac,
            percent: form.percent,
        })
        .collect();
    for line in &clues.lines {
        if !candidates.iter().any(|one| one.scac == line.scac) {
            candidates.extend(by_prefix(line, &number, clues));
        }
    }
    let best = fitting.iter().max_by_key(|form| form.percent);
    let kind = best.map_or(NumberKind::BillOfLading, |form| form.kind);
    let is_valid = best
        .filter(|form| form.percent >= AUTO_SELECT_PERCENT)
        .map(|_| true);
    history::weigh(&mut candidates, &number, false, history);
    concluded(Inference {
        kind,
        number,
        is_valid,
        check_digit_fits: None,
        reason: None,
        decision: Decision::NoPrediction,
        candidates,
    })
}

/// A line whose bills begin as this number does.
fn by_prefix(line: &ShippingLine, number: &str, clues: &Clues) -> Option<Candidate> {
    let codes = line.alternative_scacs.iter().chain([&line.scac]);
    let begins = |prefix: &str| number.len() > prefix.len() && number.starts_with(prefix);
    let bills = line.bill_of_lading_prefixes.iter();
    let percent = if bills.map(String::as_str).any(begins) {
        let mut known = clues.forms.iter().filter(|form| form.scac == line.scac);
        if known.any(|form| !form.prefix.is_empty() && number.starts_with(&form.prefix)) {
            PREFIX_ALONE_PERCENT
        } else {
            PREFIX_PERCENT
        }
    } else if codes.map(Scac::as_str).any(begins) {
        PREFIX_ALONE_PERCENT
    } else {
        return None;
    };
    Some(Candidate {
        scac: line.scac,
        percent,
    })
}

/// Best first, few, and what to make of them. Two good ones are a choice that is not ours.
fn concluded(mut inference: Inference) -> Inference {
    let candidates = &mut inference.candidates;
    candidates.sort_by(|a, b| b.percent.cmp(&a.percent).then(a.scac.cmp(&b.scac)));
    let mut seen = Vec::new();
    candidates.retain(|one| {
        !seen.contains(&one.scac) && {
            seen.push(one.scac);
            true
        }
    });
    candidates.truncate(CANDIDATES_MAX);
    let mut ranked = candidates.iter().map(|one| one.percent);
    let (best, next) = (ranked.next().unwrap_or(0), ranked.next().unwrap_or(0));
    inference.decision = if best >= AUTO_SELECT_PERCENT && next < CONFIRM_PERCENT {
        Decision::AutoSelect
    } else if best >= CONFIRM_PERCENT {
        Decision::NeedsConfirmation
    } else {
        Decision::NoPrediction
    };
    inference
}
