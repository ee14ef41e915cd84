//! What an account tracked before, as a sign for what it tracks now.

use super::{AUTO_SELECT_PERCENT, Candidate, compact};
use crate::codes::{ContainerNumber, Scac};

/// A number that an account tracked with success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tracked {
    /// The number.
    pub number: String,
    /// The line that knew it.
    pub scac: Scac,
}

/// First characters that two numbers must share to tell about each other.
const PREFIX_CHARS: usize = 4;
/// The most that the past alone is worth, in percent.
const HISTORY_ALONE_PERCENT: u8 = 80;
/// The same bill at the same line, in percent.
const SAME_NUMBER_PERCENT: u8 = 99;

/// The first characters under which an account's history counts for a number.
pub fn history_prefix(number: &str) -> &str {
    number.get(..PREFIX_CHARS).unwrap_or(number)
}

/// Raises lines that the account tracked numbers like this one with, and adds those that nothing else named.
///
/// Of `n` like numbers, `own` with one line, its doubt is divided by `1 + own · own / n`: one is a hint, three
/// of three make a good guess good enough, three of ten do not. A line that only the past speaks for stays below
/// the band that needs no question.
pub(super) fn weigh(
    candidates: &mut Vec<Candidate>,
    number: &str,
    is_box: bool,
    history: &[Tracked],
) {
    let like: Vec<&Tracked> = history.iter().filter(|one| is_like(one, number)).collect();
    let mut lines: Vec<Scac> = like.iter().map(|one| one.scac).collect();
    lines.sort_unstable();
    lines.dedup();
    for scac in lines {
        let own: Vec<&&Tracked> = like.iter().filter(|one| one.scac == scac).collect();
        let same = !is_box && own.iter().any(|one| spelt(one) == number);
        let known = candidates.iter_mut().find(|one| one.scac == scac);
        let base = known.as_ref().map_or(0, |one| one.percent);
        let most = match base {
            0 => HISTORY_ALONE_PERCENT,
            _ => SAME_NUMBER_PERCENT,
        };
        let raised = raised(base, own.len(), like.len()).min(most).max(base);
        let percent = if same { SAME_NUMBER_PERCENT } else { raised };
        match known {
            Some(candidate) => candidate.percent = percent,
            None => candidates.push(Candidate { scac, percent }),
        }
    }
}

/// Whole percent, rounded down: a band is reached or not.
fn raised(base: u8, own: usize, all: usize) -> u8 {
    let (own, all) = (own.min(1_000), all.clamp(1, 1_000));
    let doubt = usize::from(100 - base.min(100));
    let left = (doubt * all).div_ceil(all + own * own);
    u8::try_from(100 - left.min(100)).unwrap_or(0)
}

/// Of the same form: letters and digits at the same places, and the first of them equal.
fn is_like(one: &Tracked, number: &str) -> bool {
    let other = spelt(one);
    history_prefix(&other) == history_prefix(number)
        && other.len() == number.len()
        && other
            .chars()
            .zip(number.chars())
            .all(|(a, b)| a.is_ascii_digit() == b.is_ascii_digit())
}

fn spelt(one: &Tracked) -> String {
    ContainerNumber::from_feed(&one.number)
        .map(|(parsed, _)| parsed.to_string())
        .or_else(|_| compact(&one.number))
        .unwrap_or_default()
}

const _: () = assert!(HISTORY_ALONE_PERCENT < AUTO_SELECT_PERCENT);
