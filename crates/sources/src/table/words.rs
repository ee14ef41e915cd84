//! The words of terminals: fees, yes and no. What names a hold is in [`hold_words`](crate::hold_words).
//!
//! Terminals write for people. What they write is read in capitals, and the first rule that fits decides.

use domain::container::{FeeKind, HoldName};

use super::paid;
use crate::hold_words::named_in;

/// The kind of a fee in a terminal's words.
pub(crate) fn fee_kind(text: &str) -> FeeKind {
    let text = text.to_uppercase();
    let words: Vec<&str> = words(&text).collect();
    let says = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    match () {
        () if says(&["TOTAL", "BALANCE", "AMOUNT DUE"]) => FeeKind::Total,
        () if says(&["DWELL"]) || words.contains(&"CDF") || words.contains(&"DWT") => {
            FeeKind::ExtendedDwellTime
        }
        () if says(&["DEMUR", "STORAGE", "DEMRG"]) || words.contains(&"4I") => FeeKind::Demurrage,
        () if says(&["EXAM", "VACIS", "XRAY", "X-RAY", "TAILGATE"]) => FeeKind::Exam,
        () => FeeKind::Other,
    }
}

/// What a text says about something that is either in force or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// In force.
    Hold,
    /// Announced.
    Pending,
    /// Not in force, or no longer.
    Released,
}

/// Words of a hold that is gone.
pub(super) const GONE: &[&str] = &[
    "RELEASED", "RELEASE", "CLEAR", "CLEARED", "OK", "NONE", "INACTIVE", "PAID",
];
/// The same with their denial in one word.
pub(super) const NOT_GONE: &[&str] = &["UNRELEASED", "UNCLEARED", "UNPAID"];
pub(super) const HELD: &[&str] = &["HOLD", "HELD", "ACTIVE", "ON", "HOLDS"];
const HOLDS: &[&str] = &["HOLD", "HOLDS", "HELD", "ONHOLD"];
/// What a hold waits for, as a thing: named alone it was given.
const RELEASES: &[&str] = &["RELEASE", "CLEAR"];
/// Words that deny what follows them.
pub(super) const DENIALS: &[&str] = &["NOT", "NO", "UN", "NON", "NEVER", "CANNOT"];
/// Words that say of a release behind them that it is still to come.
pub(super) const TO_COME: &[&str] = &[
    "TO",
    "UNTIL",
    "TILL",
    "TIL",
    "UNLESS",
    "BEFORE",
    "IF",
    "WHEN",
    "MUST",
    "NEED",
    "NEEDS",
    "REQUIRES",
    "WILL",
    "SHOULD",
    "SHALL",
    "EXPECTED",
    "EST",
    "ESTIMATED",
    "ANTICIPATED",
    "PLANNED",
    "WAITING",
    "MISSING",
    "LACKS",
    "LACKING",
];
/// Words that say of a release before them that it is not there.
pub(super) const LACKING: &[&str] = &[
    "REQUIRED",
    "REQ",
    "REQD",
    "NEEDED",
    "PENDING",
    "MISSING",
    "OUTSTANDING",
    "AWAITED",
    "DENIED",
    "REFUSED",
    "REJECTED",
    "DECLINED",
    "REVOKED",
    "RESCINDED",
    "WITHDRAWN",
    "CANCELLED",
    "CANCELED",
    "EXPIRED",
    "UPON",
    "AFTER",
    "ONCE",
    "WHEN",
    "SUBJECT",
    "TBD",
    "TBA",
];
/// Words that take back what was said before them of a release.
const TAKEN_BACK: &[&str] = &[
    "REVOKED",
    "RESCINDED",
    "WITHDRAWN",
    "CANCELLED",
    "CANCELED",
    "EXPIRED",
];
/// Words of a hold that is there again, whatever was said before them.
const AGAIN: &[&str] = &["REINSTATED", "REAPPLIED", "REIMPOSED", "REOPENED", "RESET"];
/// What may stand between a no and the hold that it denies, beside its name: `NO LONGER ON HOLD`, and not `NO PICKUP - CUSTOMS
/// HOLD`.
const BEFORE_A_HOLD: &[&str] = &[
    "A",
    "AN",
    "ANY",
    "US",
    "MORE",
    "LONGER",
    "CURRENT",
    "CURRENTLY",
    "ACTIVE",
    "OTHER",
    "OPEN",
    "FURTHER",
];
/// What may stand between a hold and the no that says there is none.
const OF_A_HOLD: &[&str] = &[
    "STATUS",
    "ACTIVE",
    "FLAG",
    "IND",
    "INDICATOR",
    "PLACED",
    "PRESENT",
    "APPLIED",
    "EXISTS",
    "REQUIRED",
    "NEEDED",
];
/// Words that say of a hold before them that it was taken away.
pub(super) const LIFTED: &[&str] = &[
    "LIFTED",
    "REMOVED",
    "DELETED",
    "CANCELLED",
    "CANCELED",
    "WITHDRAWN",
    "RESCINDED",
    "EXPIRED",
];
/// Words that may stand between a denial and what it denies.
const BETWEEN_MAX: usize = 2;

/// Words of a release that is none yet: something is still to come.
const PARTLY: &[&str] = &[
    "CONDITIONAL",
    "CONDITIONALLY",
    "PARTIAL",
    "PARTIALLY",
    "PROVISIONAL",
    "PROVISIONALLY",
    "HALF",
    "PART",
    "PARTLY",
    "DEPOSIT",
];
/// Behind these a payment counts for a time only: `PAID THRU 11/20`.
const FOR_A_TIME: &[&str] = &["THRU", "THROUGH", "UNTIL", "TILL", "TIL", "UP", "TO"];
/// For what a box is let go that is not yet released.
const EXAMS: &[&str] = &["EXAM", "EXAMINATION", "INSPECTION", "XRAY", "NII"];

/// Whether a text tells of a release that lets nobody collect the box: `CONDITIONAL RELEASE`, `RELEASED - CUSTOMS EXAM`, `PAID THRU
/// 11/20`, and not `RELEASED FROM EXAM`. Whether it is held then it does not say.
fn is_half_released(words: &[&str]) -> bool {
    let released = |word: &&str| matches!(*word, "RELEASED" | "RELEASE" | "CLEARED" | "PAID");
    let Some(last) = words.iter().rposition(released) else {
        return false;
    };
    let is_number = |word: &&&str| word.bytes().all(|byte| byte.is_ascii_digit());
    let behind = words.iter().skip(last + 1).skip_while(is_number);
    let behind: Vec<&str> = behind.copied().collect();
    let is_of_exam = |word: &&str| EXAMS.contains(word) || *word == "CES";
    let is_half = match behind.as_slice() {
        _ if words.get(last) == Some(&"PAID") => {
            behind.first().is_some_and(|word| FOR_A_TIME.contains(word))
        }
        ["FOR" | "TO" | "PENDING", purpose @ ..] => purpose.iter().take(3).any(is_of_exam),
        [
            "FROM" | "AFTER" | "OF" | "BY" | "VIA" | "POST" | "NO" | "WITHOUT",
            ..,
        ] => false,
        // What was done with the exam may stand behind it.
        [exam @ .., "HOLD" | "REQUIRED" | "SITE"] | exam => {
            exam.len() <= 3 && exam.last().is_some_and(is_of_exam)
        }
    };
    is_half || words.iter().any(|word| PARTLY.contains(word))
}

/// Whether what was said of a release, or of a hold that was lifted, is taken back behind it: `RELEASED - REVOKED 11/24`.
fn is_taken_back(words: &[&str]) -> bool {
    let released = |word: &&str| matches!(*word, "RELEASED" | "RELEASE" | "CLEARED" | "CLEAR");
    let is_behind = |of: &dyn Fn(&&str) -> bool, back: &[&str]| {
        let begins = words.iter().position(of);
        begins.is_some_and(|at| words.iter().skip(at + 1).any(|word| back.contains(word)))
    };
    let ended = |word: &&str| released(word) || LIFTED.contains(word);
    is_behind(&released, TAKEN_BACK) || is_behind(&ended, AGAIN)
}

/// What a text says about a hold; `None`: nothing that is known.
pub(crate) fn standing(text: &str) -> Option<Said> {
    let text = text
        .to_uppercase()
        .replace('\u{2019}', "'")
        .replace("N'T", " NOT");
    let words: Vec<&str> = words(&text).collect();
    let has = |any_of: &[&str]| any_of.iter().any(|word| words.contains(word));
    let waits = |at| is_release(&words, at) && is_lacking(&words, at);
    match () {
        () if (0..words.len()).any(waits) && has(&["PENDING"]) => Some(Said::Hold),
        () if has(&["PENDING", "SCHEDULED", "REQUESTED", "AWAITING"]) => Some(Said::Pending),
        () if has(NOT_GONE) || is_denied(&words, GONE, DENIALS) || is_yet_to_be(&words) => {
            Some(Said::Hold)
        }
        () if is_taken_back(&words) => Some(Said::Hold),
        () => match last_said(&words) {
            Some(Said::Released) if is_half_released(&words) => None,
            said => said.or_else(|| has(HELD).then_some(Said::Hold)),
        },
    }
}

/// Whether a release is one that can or shall be: `CAN BE RELEASED`.
fn is_yet_to_be(words: &[&str]) -> bool {
    let mut pairs = words.iter().zip(words.iter().skip(1));
    pairs.any(|(be, gone)| *be == "BE" && GONE.contains(gone))
}

/// What is said last of a hold or of its release: `RELEASED 3/1, ON HOLD 3/4` is held.
fn last_said(words: &[&str]) -> Option<Said> {
    let mut last: Option<(usize, Said)> = None;
    for (at, word) in words.iter().enumerate().filter(|(_, word)| is_about(word)) {
        let before = last.map(|(_, said)| said);
        let said = if HOLDS.contains(word) {
            let from = follows(words, at, &["FROM", "OF"], BETWEEN_MAX);
            let is_gone = before == Some(Said::Released) && from;
            if is_gone || is_lifted(words, at) || is_no_hold_at(words, at) {
                Said::Released
            } else {
                Said::Hold
            }
        } else if is_missing(words, at) || (before == Some(Said::Hold) && is_of_another(words, at))
        {
            Said::Hold
        } else if is_release(words, at) && follows(words, at, &["FOR"], words.len()) {
            // What it is held for, or let go for.
            before.unwrap_or(Said::Hold)
        } else {
            Said::Released
        };
        last = Some((at, said));
    }
    let (at, said) = last?;
    let behind = words.get(at + 1..).unwrap_or_default();
    let is_of_hold = words.get(at).is_some_and(|word| HOLDS.contains(word));
    let is_no = match behind {
        [no] => is_bare_no(no),
        [word, no] if is_of_hold => OF_A_HOLD.contains(word) && is_bare_no(no),
        // The no of `HOLD - EXAM: NO` is that of the exam.
        _ if is_of_hold => false,
        // `RELEASED BY CUSTOMS: NO`; a number is that of a fee or a date.
        [.., no] => behind.len() <= BETWEEN_MAX + 1 && matches!(*no, "NO" | "N" | "FALSE"),
        [] => false,
    };
    Some(match said {
        Said::Released if is_no => Said::Hold,
        Said::Hold if is_no => Said::Released,
        said => said,
    })
}

/// Whether a no before a hold denies it, and not something else: `NO LONGER ON HOLD`, `NO CUSTOMS HOLD`.
fn is_no_hold_at(words: &[&str], at: usize) -> bool {
    let before: Vec<&str> = words.iter().take(at).rev().copied().collect();
    let is_no = |word: &&str| DENIALS.contains(word);
    let Some(no) = before.iter().take(BETWEEN_MAX + 1).position(is_no) else {
        return false;
    };
    let between = before.iter().take(no).enumerate();
    let mut of_it = between.map(|(place, word)| match *word {
        // `NOT ON HOLD`, and not `NO, ON HOLD`.
        "ON" => matches!(before.get(place + 1), Some(&"NOT" | &"LONGER")),
        word => BEFORE_A_HOLD.contains(&word) || named_in(word).is_some(),
    });
    of_it.all(|is_of_it| is_of_it)
}

/// Whether what is released or paid at this place is something else than what is held before it: `CUSTOMS HOLD - FREIGHT RELEASED`.
/// Nobody pays a hold of the customs away.
fn is_of_another(words: &[&str], at: usize) -> bool {
    let is_hold = |word: &&str| HOLDS.contains(word);
    let Some(hold) = words.iter().take(at).rposition(is_hold) else {
        return false;
    };
    let named = |words: &[&str]| -> Vec<HoldName> {
        words.iter().filter_map(|word| named_in(word)).collect()
    };
    let held = named(words.get(..hold).unwrap_or_default());
    let released = named(words.get(hold + 1..at).unwrap_or_default());
    let is_paid = words.get(at) == Some(&"PAID");
    let is_of_authority =
        |name: &HoldName| matches!(name, HoldName::Customs | HoldName::Usda | HoldName::Vacis);
    (is_paid && held.iter().any(is_of_authority))
        || (!held.is_empty() && released.iter().any(|name| !held.contains(name)))
}

/// Whether a hold was taken away: `HOLD REMOVED`, `HOLD HAS BEEN LIFTED`. Where to a box was removed is no hold's end.
fn is_lifted(words: &[&str], at: usize) -> bool {
    let is_between =
        |word: &&&str| matches!(**word, "HAS" | "HAVE" | "BEEN" | "WAS" | "IS" | "NOW");
    let mut behind = words.iter().skip(at + 1).skip_while(is_between);
    behind.next().is_some_and(|word| LIFTED.contains(word))
        && !behind
            .next()
            .is_some_and(|word| matches!(*word, "TO" | "FROM") || is_bare_no(word))
}

fn is_about(word: &str) -> bool {
    GONE.contains(&word) || HOLDS.contains(&word)
}

fn is_release(words: &[&str], at: usize) -> bool {
    words.get(at).is_some_and(|word| RELEASES.contains(word))
}

/// Whether this word says that there is no release: `RELEASE REQUIRED`, or the last of `RELEASE: NONE`.
fn is_missing(words: &[&str], at: usize) -> bool {
    let is_none = words.get(at) == Some(&"NONE");
    let is_of_release = at.checked_sub(1).is_some_and(|at| is_release(words, at));
    (is_release(words, at) && is_lacking(words, at)) || (is_none && is_of_release)
}

/// Whether it is said behind a release that it is not there: `RELEASE STILL REQUIRED`, `RELEASE NOT RECEIVED`.
fn is_lacking(words: &[&str], at: usize) -> bool {
    // `FREIGHT RELEASE: NONE`.
    if matches!(words.get(at + 1), Some(&"NONE" | &"NIL")) {
        return true;
    }
    let behind = words.iter().skip(at + 1).take_while(|word| !is_about(word));
    let mut next = behind.clone();
    if matches!(next.next(), Some(&"NOT" | &"NEVER")) {
        return next.next().is_some_and(|word| !LACKING.contains(word));
    }
    let mut said = behind.take(BETWEEN_MAX + 1);
    let is_told = |word: &&str| LACKING.contains(word) || DENIALS.contains(word);
    said.find(|word| is_told(word))
        .is_some_and(|word| LACKING.contains(word))
}

/// Whether one of `any_of` stands before a word, with so many between them and nothing else of a hold.
fn follows(words: &[&str], at: usize, any_of: &[&str], between_max: usize) -> bool {
    // `NO FREIGHT OR CUSTOMS RELEASE`: what is joined counts as one.
    let is_joining = |place: usize, word: &&str| {
        matches!(*word, "OR" | "AND" | "NOR") || words.get(place + 1) == Some(&"OR")
    };
    let behind = words.iter().enumerate().take(at).rev();
    behind
        .filter(|(place, word)| any_of.contains(word) || !is_joining(*place, word))
        .map(|(_, word)| word)
        .take(between_max.saturating_add(1))
        .take_while(|word| !is_about(word))
        .any(|word| any_of.contains(word))
}

/// Whether one of these words stands shortly behind one of the denials, with nothing between them that is denied instead:
/// `NOT YET PAID` and `PAY TO CLEAR` deny, `NO HOLD, RELEASED` does not. What is still to come may be that of a hold:
/// `UNTIL HOLD RELEASED`.
pub(super) fn is_denied(words: &[&str], denied: &[&str], denials: &[&str]) -> bool {
    let is_to_come = |at: usize| {
        let behind = words.iter().take(at).rev().take(BETWEEN_MAX + 1);
        behind
            .take_while(|word| !GONE.contains(word))
            .any(|word| TO_COME.contains(word))
    };
    let each = words.iter().enumerate();
    each.filter(|(_, word)| denied.contains(word))
        .any(|(at, _)| follows(words, at, denials, BETWEEN_MAX) || is_to_come(at))
}

/// Whether this stands in place of an amount and says that there is none.
pub(crate) fn is_nothing_owed(text: &str) -> bool {
    matches!(
        text.to_uppercase().trim(),
        "PAID"
            | "WAIVED"
            | "NONE"
            | "NO"
            | "N"
            | "NIL"
            | "FALSE"
            | "NOT DUE"
            | "NONE DUE"
            | "NO CHARGE"
            | "NO CHARGES"
            | "NOT APPLICABLE"
    )
}

/// What is said of a fee without a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owed {
    /// It was paid, or there is none.
    Nothing,
    /// It does not apply.
    NotApplicable,
    /// How much is not known yet.
    NotPosted,
}

/// What stands behind the name of a fee; `None`: it is more of the name.
pub(crate) fn said_of_fee(text: &str) -> Option<Owed> {
    match text.to_uppercase().trim() {
        NOT_APPLICABLE | "NA" => Some(Owed::NotApplicable),
        upper if is_nothing_owed(upper) => Some(Owed::Nothing),
        upper if is_not_posted(upper) => Some(Owed::NotPosted),
        _ => None,
    }
}

/// Yes or no. Behind a no, a terminal may say why.
pub(crate) fn yes_no(text: &str) -> Option<bool> {
    let text = text.trim().to_uppercase();
    match text.as_str() {
        "Y" | "YES" | "TRUE" | "1" | "X" | "AVAILABLE" | "READY" => Some(true),
        bare if is_bare_no(bare) => Some(false),
        _ => denies_with_a_reason(&text).then_some(false),
    }
}

fn denies_with_a_reason(text: &str) -> bool {
    // `NO HOLDS` is no denial of anything but holds: a reason stands behind a dash, a comma or in brackets.
    let denials = ["NOT AVAILABLE", "UNAVAILABLE", "NOT READY", "NO"];
    let mut reasons = denials
        .iter()
        .filter_map(|denial| text.strip_prefix(denial));
    reasons.any(|reason| {
        let reason = reason.trim_start();
        reason.is_empty() || reason.starts_with(|c: char| c.is_ascii_punctuation())
    })
}

/// Whether a text speaks of the box as a whole: that it can be had, or not. That is no word on one of its holds.
pub(crate) fn is_of_availability(text: &str) -> bool {
    let text = text.to_uppercase();
    words(&text).any(|word| {
        matches!(
            word,
            "AVAILABLE" | "UNAVAILABLE" | "READY" | "AVAIL" | "NOTAVAIL"
        )
    })
}

/// Whether a text in a column of one fee says that there is none.
pub(crate) fn says_no_fee(text: &str) -> bool {
    let upper = text.to_uppercase();
    let words: Vec<&str> = words(&upper).collect();
    matches!(
        words.as_slice(),
        ["FREE" | "EXEMPT"]
            | ["NOTHING", "DUE" | "OWED"]
            | ["WITHIN", "FREE", "TIME"]
            | [
                "NO",
                "FEE" | "FEES" | "CHARGE" | "CHARGES" | "DEMURRAGE" | "STORAGE" | "EXAM"
            ]
            | [
                "NO",
                "FEE"
                    | "FEES"
                    | "CHARGE"
                    | "CHARGES"
                    | "DEMURRAGE"
                    | "STORAGE"
                    | "BALANCE"
                    | "PAYMENT"
                    | "AMOUNT"
                    | "MONEY"
                    | "MONIES"
                    | "SUM",
                "DUE" | "OWED" | "OWING" | "OUTSTANDING"
            ]
            | ["NOTHING" | "NONE" | "NO", "OUTSTANDING" | "OWING" | "OWED"]
            | ["NOT", "DUE" | "OWED" | "OWING"]
            | ["NOT", "DUE", "YET"]
            | ["NOT", "YET", "DUE"]
    )
}

/// Whether a text in a column of one fee speaks of a sum or of something to be paid, though it cannot be read.
pub(crate) fn speaks_of_a_fee(text: &str) -> bool {
    let upper = text.to_uppercase();
    let words: Vec<&str> = words(&upper).collect();
    let is_yes = |word: &&str| matches!(*word, "YES" | "Y" | "TRUE" | "UNPAID" | "PENDING");
    let is_due = |word: &&str| OPEN.contains(word);
    words.iter().any(is_yes)
        || paid::is_unpaid(text)
        || (words.iter().any(is_due) && !is_denied(&words, OPEN, DENIALS))
        || (upper.split_whitespace().any(is_sum) && !tells_free_time(text))
}

/// Whether a text is about the day until which nothing is owed, and no sum: `Free till 5 Dec`, and neither `Past LFD $450.00`
/// nor `450 until 11/30`.
pub(crate) fn tells_free_time(text: &str) -> bool {
    is_of_a_day(text) && !paid::has_sum(text)
}

/// Whether a text has a sum beside a day, where nobody knows what of it is owed by now: `450 until 11/30`, `March storage 450`.
pub(crate) fn is_sum_of_a_day(text: &str) -> bool {
    is_of_a_day(text) && paid::has_sum(text)
}

/// Whether a text is about a day, and has no number that is a sum by its sign or its cents.
fn is_of_a_day(text: &str) -> bool {
    let upper = text.to_uppercase();
    let mut told = words(&upper);
    let is_told =
        told.any(|word| matches!(word, "FREE" | "LFD" | "UNTIL" | "TILL") || is_month(word));
    is_told && !upper.split_whitespace().any(is_money)
}

/// Words for a sum that is to be paid.
const OPEN: &[&str] = &["DUE", "OWED", "OWING", "OUTSTANDING"];

/// Whether a word may be a sum. A date, a time of the day, or what has letters is none, unless it has a sign of money or cents.
pub(super) fn is_sum(word: &str) -> bool {
    let number = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '.'));
    let is_of_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    let is_plain = number.contains(|c: char| c.is_ascii_digit())
        && number.chars().all(is_of_number)
        && number.matches('.').count() <= 1;
    is_plain || is_money(word)
}

/// Whether a word is a sum with a sign of money before it, or with two digits of cents.
pub(super) fn is_money(word: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    if word.contains(['$', '\u{20ac}', '\u{a3}']) && word.contains(digit) {
        return true;
    }
    let number = word.trim_matches(|c| !digit(c));
    let cents = number.split_once('.').map(|(whole, behind)| {
        let end = behind.find(|c| !digit(c)).unwrap_or(behind.len());
        let (cents, rest) = behind.split_at(end);
        !whole.contains(['/', ':']) && cents.len() == 2 && !rest.starts_with('.')
    });
    cents.unwrap_or(false)
}

/// What a text in place of a yes or no says of the box; `None` where nobody can be sure.
pub(crate) fn pickup(text: &str) -> Option<bool> {
    let denied = || denies_pickup(text).then_some(false);
    yes_no(text).or_else(denied).or_else(|| lets_collect(text))
}

/// What stands behind a yes and takes nothing of it away: that there is a note, and how the box stands.
const BESIDE_YES: &[&[&str]] = &[
    &["SEE", "NOTE"],
    &["SEE", "NOTES"],
    &["WHEELED"],
    &["GROUNDED"],
];
/// What is done with a box that may leave.
const COLLECTED: &[&[&str]] = &[&["PICKUP"], &["PICK", "UP"], &["DELIVERY"], &["COLLECTION"]];

/// `READY FOR PICK UP`, `AVAILABLE FOR DELIVERY: NO`. Only what is said whole: `AVAILABLE SOON`, `AVAILABLE 12/01` and
/// `AVAILABLE*` are no word that it is.
fn lets_collect(text: &str) -> Option<bool> {
    let is_plain = |c: char| c.is_alphanumeric() || c.is_whitespace() || "-.,:=()".contains(c);
    if !text.chars().all(is_plain) {
        return None;
    }
    let text = text.to_uppercase();
    let told: Vec<&str> = words(&text).collect();
    match told.as_slice() {
        ["YES" | "Y", beside @ ..] if BESIDE_YES.contains(&beside) => Some(true),
        ["AVAIL"] | ["AVAILABLE" | "READY", "YES" | "Y"] => Some(true),
        [
            "AVAILABLE" | "AVAIL" | "READY" | "OK",
            "FOR" | "TO",
            purpose @ ..,
        ] => {
            let (asked, answer) = match purpose {
                [asked @ .., "NO" | "N"] => (asked, false),
                [asked @ .., "YES" | "Y"] | asked => (asked, true),
            };
            COLLECTED.contains(&asked).then_some(answer)
        }
        ["AVAILABLE" | "READY", "NO" | "N"] => Some(false),
        _ => None,
    }
}

/// Whether a text in place of a yes or no says that the box cannot be had, in other words than a no.
fn denies_pickup(text: &str) -> bool {
    let text = text.to_uppercase();
    let told: Vec<&str> = words(&text).collect();
    let is_of_hold = |word: &&str| [HOLDS, GONE, NOT_GONE].iter().any(|of| of.contains(word));
    let is_held = standing(&text) == Some(Said::Hold) && told.iter().any(is_of_hold);
    let is_not_yet = match told.as_slice() {
        ["UNAVAILABLE" | "NOTAVAIL" | "NOTAVAILABLE" | "NOTREADY", ..] => true,
        ["NO", "LONGER", word, ..] => matches!(*word, "AVAILABLE" | "AVAIL" | "READY"),
        ["NOT", "YET", word, ..] | ["NOT", word, ..] => matches!(
            *word,
            "AVAILABLE" | "AVAIL" | "READY" | "DISCHARGED" | "UNLOADED" | "ARRIVED" | "RELEASED"
        ),
        _ => false,
    };
    is_held || is_not_yet
}

/// Whether a text says that a list is empty.
pub(crate) fn is_none(text: &str) -> bool {
    matches!(
        text.to_uppercase().trim(),
        "NONE" | "NO HOLDS" | "NO HOLD" | "NO FEES" | "NO FEE" | "CLEAR" | "NIL" | "NONE DUE"
    )
}

/// Whether a text in place of an appointment says that there is none any more.
pub(crate) fn is_no_appointment(text: &str) -> bool {
    let text = text.to_uppercase();
    let text = text.trim();
    // `MISSED 11/27/2026 07:00`, and nothing else: a new one may be named behind it.
    let is_of_a_day = |behind: &str| {
        let is_apart = behind.starts_with(|c: char| c.is_whitespace() || c == ':');
        is_apart && is_date(behind.trim_start_matches([' ', ':']))
    };
    let mut behind = NO_APPOINTMENTS
        .iter()
        .filter_map(|none| text.strip_prefix(none));
    is_bare_no(text) || behind.any(|behind| behind.is_empty() || is_of_a_day(behind))
}

const NO_APPOINTMENTS: &[&str] = &[
    "CANCELLED",
    "CANCELED",
    "CANCEL",
    "NO APPOINTMENT",
    "NO APPT",
    "NOT SCHEDULED",
    "MISSED",
    "NO SHOW",
    "EXPIRED",
];

/// Whether a text is a no and nothing else.
pub(crate) fn is_bare_no(text: &str) -> bool {
    matches!(text.to_uppercase().trim(), "N" | "NO" | "FALSE" | "0")
}

/// Papers for which a hold waits: a no behind them does not say that there is none.
const PAPERS: [&str; 4] = ["OBL", "BOL", "BL", "MBL"];

/// What stands in place of a hold, or of whether there is one.
const NOT_APPLICABLE: &str = "N/A";

/// Whether a text names one hold and says right behind the name that it does not apply, or behind a colon that there is
/// none. Where a release, a date or whatever else of the hold does not apply, the hold may well be there.
pub(crate) fn has_none(text: &str, is_name: impl Fn(&str) -> bool) -> bool {
    let text = text.to_uppercase();
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let before = text
        .strip_suffix(NOT_APPLICABLE)
        .or_else(|| answered_no(text));
    let Some(before) = before else {
        return false;
    };
    let name = before.trim_end_matches(|c: char| !c.is_alphanumeric());
    let is_one = name.len() < before.len()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
    let mut named: Vec<&str> = words(name).collect();
    let says_hold = named.pop_if(|last| HOLDS.contains(last)).is_some();
    let last = named.last().copied();
    // `OBL: NO`, `SCANNED: NO` and `APPROVED BY CUSTOMS: NO` say that what the hold waits for is still to come.
    let is_answered = !text.ends_with(NOT_APPLICABLE);
    let is_awaited = |one: &str| PAPERS.contains(&one) || (one.ends_with("ED") && one != "DAMAGED");
    if is_answered && (named.len() > 1 || last.is_some_and(is_awaited)) {
        return false;
    }
    is_one && last.map_or(says_hold, is_name) && standing(&named.join(" ")).is_none()
}

/// A name with its colon or equals sign, where a no stands behind it and nothing else: `CUSTOMS: NO`, and not `CUSTOMS: NO
/// RELEASE YET`.
fn answered_no(text: &str) -> Option<&str> {
    let (name, answer) = text.rsplit_once([':', '='])?;
    let is_no = is_bare_no(answer) || is_none(answer);
    is_no.then(|| text.get(..=name.len())).flatten()
}

/// Whether a text is a date or `N/A`, which say of no hold that it is there.
pub(crate) fn is_no_hold(text: &str) -> bool {
    let text = text.to_uppercase();
    text.trim() == NOT_APPLICABLE || is_date(&text)
}

const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];

/// How many numbers a date without the name of its month has.
const DATE_NUMBERS: usize = 3;

/// Whether a text in capitals that has letters is nothing but a date. `7H` and `DECLARATION 12/26` are none.
fn is_date(text: &str) -> bool {
    let words = || {
        text.split(|c: char| !c.is_alphabetic())
            .filter(|word| !word.is_empty())
    };
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let numbers = numbers.filter(|number| !number.is_empty()).count();
    let months = words().filter(|word| is_month(word)).count();
    words().all(|word| is_month(word) || matches!(word, "AM" | "PM" | "T" | "Z"))
        && ((months == 1 && numbers > 0) || (months == 0 && numbers >= DATE_NUMBERS))
}

/// Whether a word in capitals is the name of a month.
pub(crate) fn is_month(word: &str) -> bool {
    let short = |month: &str| month.get(..3) == Some(word);
    word == "SEPT" || MONTHS.iter().any(|month| *month == word || short(month))
}

/// Whether a text says that an amount is not known yet.
pub(crate) fn is_not_posted(text: &str) -> bool {
    let text = text.to_uppercase();
    let mut words = words(&text);
    words.any(|word| {
        matches!(
            word,
            "PENDING" | "TBD" | "POSTED" | "CALCULATING" | "UNPOSTED"
        )
    }) || is_estimate(&text)
}

/// Whether a text says of an amount that it is only expected.
pub(crate) fn is_estimate(text: &str) -> bool {
    let text = text.to_uppercase();
    let mut words = words(&text);
    words.any(|word| {
        matches!(
            word,
            "ESTIMATED"
                | "ESTIMATE"
                | "EST"
                | "APPROX"
                | "APPROXIMATE"
                | "APPROXIMATELY"
                | "PROJECTED"
                | "EXPECTED"
        )
    })
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fees_by_the_first_rule_that_fits() {
        for (text, kind) in [
            ("Total demurrage", FeeKind::Total),
            ("Amount due", FeeKind::Total),
            ("CDF", FeeKind::ExtendedDwellTime),
            ("Extended dwell", FeeKind::ExtendedDwellTime),
            ("DWT", FeeKind::ExtendedDwellTime),
            ("Storage", FeeKind::Demurrage),
            ("4I", FeeKind::Demurrage),
            ("DEMRG", FeeKind::Demurrage),
            ("Tailgate", FeeKind::Exam),
            ("VACIS FEE", FeeKind::Exam),
            ("Reefer plug", FeeKind::Other),
        ] {
            assert_eq!(fee_kind(text), kind, "{text}");
        }
    }

    #[test]
    fn released_is_not_not_released() {
        for (text, said) in [
            ("RELEASED", Some(Said::Released)),
            ("Not released", Some(Said::Hold)),
            ("unreleased", Some(Said::Hold)),
            ("No hold", Some(Said::Released)),
            ("ON HOLD", Some(Said::Hold)),
            ("Active", Some(Said::Hold)),
            ("inactive", Some(Said::Released)),
            ("Exam scheduled", Some(Said::Pending)),
            ("awaiting release", Some(Said::Pending)),
            ("OK", Some(Said::Released)),
            ("NOT PAID", Some(Said::Hold)),
            ("Not yet fully paid", Some(Said::Hold)),
            ("unpaid", Some(Said::Hold)),
            ("Not OK", Some(Said::Hold)),
            ("DEMURRAGE NOT PAID", Some(Said::Hold)),
            ("TERMINAL - PAY TO CLEAR", Some(Said::Hold)),
            ("Hold until paid", Some(Said::Hold)),
            ("must be released", Some(Said::Hold)),
            ("will be released", Some(Said::Hold)),
            ("CAN BE RELEASED 12/01", Some(Said::Hold)),
            ("WILL RELEASE 12/01", Some(Said::Hold)),
            ("SHOULD CLEAR TODAY", Some(Said::Hold)),
            ("EXPECTED RELEASE 12/01", Some(Said::Hold)),
            ("OK TO BE PICKED UP - RELEASED", Some(Said::Released)),
            ("May be cleared today", Some(Said::Hold)),
            ("Has been released", Some(Said::Released)),
            ("NO HOLD, RELEASED", Some(Said::Released)),
            ("not on hold", Some(Said::Released)),
            ("PAID 11/19", Some(Said::Released)),
            ("see clerk", None),
        ] {
            assert_eq!(standing(text), said, "{text}");
        }
    }

    #[test]
    fn a_no_of_something_else_lifts_no_hold() {
        for text in [
            "NOT AVAILABLE - CUSTOMS HOLD",
            "NOT READY - USDA HOLD",
            "NO PICKUP - CUSTOMS HOLD",
            "CANNOT DELIVER: CUSTOMS HOLD",
            "NOT DISCHARGED, ON HOLD",
            "NO, ON HOLD",
        ] {
            assert_eq!(standing(text), Some(Said::Hold), "{text}");
        }
        for text in [
            "No longer on hold",
            "NO CUSTOMS HOLD",
            "No active holds",
            "NO US HOLD",
        ] {
            assert_eq!(standing(text), Some(Said::Released), "{text}");
        }
    }

    #[test]
    fn a_release_that_is_to_come_or_was_refused_is_none() {
        for text in [
            "CUSTOMS HOLD EST RELEASE 11/30",
            "ANTICIPATED RELEASE",
            "LINE HOLD - RELEASE UPON PAYMENT",
            "HOLD - RELEASE AFTER EXAM",
            "HOLD TIL RELEASED",
            "WAITING ON CUSTOMS RELEASE",
            "NEED CUSTOMS RELEASE",
            "MISSING FREIGHT RELEASE",
            "NO FREIGHT OR CUSTOMS RELEASE",
            "RELEASE REJECTED",
            "FREIGHT RELEASE: NONE",
            "HASN'T BEEN RELEASED",
            "ISN\u{2019}T CLEARED",
            "DON'T RELEASE",
            "FREIGHT RELEASED - REVOKED 11/24",
            "HOLD REMOVED 11/20 - REINSTATED 11/22",
        ] {
            assert_eq!(standing(text), Some(Said::Hold), "{text}");
        }
    }

    #[test]
    fn what_else_is_released_or_paid_in_part_lifts_no_hold() {
        for text in [
            "CUSTOMS HOLD - EXAM FEE PAID",
            "CUSTOMS HOLD FREIGHT RELEASED",
            "Customs hold (freight released)",
        ] {
            assert_eq!(standing(text), Some(Said::Hold), "{text}");
        }
        for text in [
            "PARTIALLY PAID",
            "HALF PAID",
            "DEPOSIT PAID",
            "PAID THRU 11/20",
            "DEMURRAGE HOLD - PAID THRU 11/20",
            "RELEASED FOR CUSTOMS EXAM",
            "RELEASED TO CUSTOMS EXAM",
            "RELEASED - INTENSIVE EXAM",
        ] {
            assert_eq!(standing(text), None, "{text}");
        }
        for text in [
            "CUSTOMS HOLD - CUSTOMS RELEASED",
            "DEMURRAGE HOLD - PAID 11/20",
            "HOLD RELEASED",
            "RELEASED FROM EXAM",
            "RELEASED AFTER CUSTOMS EXAM",
        ] {
            assert_eq!(standing(text), Some(Said::Released), "{text}");
        }
    }

    #[test]
    fn a_release_that_is_named_beside_a_hold_lifts_it_only_where_it_says_so() {
        for text in [
            "Freight Release: HOLD",
            "LINE RELEASE - HOLD",
            "Customs Release Status: Hold",
            "HOLD FOR CUSTOMS RELEASE",
            "HOLD FOR US CUSTOMS EXAM RELEASE",
            "CUSTOMS RELEASE REQUIRED",
            "CUSTOMS RELEASE STILL NEEDED",
            "RELEASE PENDING",
            "RELEASE FROM CUSTOMS REQUIRED",
            "REQUIRES CUSTOMS RELEASE",
            "FREIGHT RELEASE NOT RECEIVED",
            "FREIGHT RELEASED: NO",
            "CUSTOMS RELEASE: N",
            "CUSTOMS HOLD - EXAM: NO",
            "CUSTOMS RELEASE RECEIVED: NO",
            "RELEASED BY CUSTOMS: NO",
            "FREIGHT RELEASED BY LINE: N",
            "CLEARED FOR DELIVERY: NO",
            "OK FOR PICKUP: N",
            "CUSTOMS HOLD CANCELLED: NO",
            "CUSTOMS HOLD NOT REMOVED",
            "HOLD, REMOVED TO CES",
            "TERMINAL HOLD $125.0",
            "CBP HOLD (EXAM FEE 0)",
            "LINE RELEASE REVOKED",
            "RELEASED 3/1, ON HOLD 3/4",
            "FREIGHT RELEASED CUSTOMS HOLD",
            "NO FREIGHT HOLD, CUSTOMS HOLD",
            "DUE TO CUSTOMS HOLD",
            "NOT AVAILABLE DUE TO CUSTOMS HOLD",
            "NOT AVAILABLE UNTIL HOLD RELEASED",
            "HOLD UNTIL RELEASE",
            "MUST HOLD",
            "NOT RELEASED, PAID",
            "READY FOR RELEASE",
            "HELD - PAY TO CLEAR",
        ] {
            assert_eq!(standing(text), Some(Said::Hold), "{text}");
        }
        for text in [
            "HOLD RELEASED",
            "HOLD: RELEASED 3/4",
            "NO HOLD, RELEASED",
            "RELEASED, NO HOLD",
            "RELEASED FROM HOLD",
            "RELEASED FROM ALL HOLDS",
            "RELEASE OF THE CUSTOMS HOLD",
            "CUSTOMS HOLD CLEARED",
            "Customs: released",
            "RELEASED ON 03/14",
            "RELEASED FOR PICKUP",
            "CLEARED FOR RELEASE",
            "OK FOR RELEASE",
            "CLEAR, NO EXAM REQUIRED",
            "RELEASE NOT REQUIRED",
            "RELEASE REQUIRED - RELEASED 3/1",
            "ON HOLD 3/1, RELEASED 3/4",
            "LINE RELEASE NO 12345",
            "CUSTOMS HOLD: NO",
            "CUSTOMS HOLD ACTIVE: NO",
            "HOLD INDICATOR: N",
            "RELEASED, FEES DUE: 0",
            "CUSTOMS HOLD REMOVED",
            "1I CUSTOMS HOLD REMOVED 11/20",
            "HOLD HAS BEEN LIFTED",
            "FREIGHT RELEASE",
            "NO LONGER ON HOLD",
        ] {
            assert_eq!(standing(text), Some(Said::Released), "{text}");
        }
    }

    #[test]
    fn what_is_released_for_an_exam_or_in_part_is_not_released() {
        for text in [
            "Conditional Release",
            "CONDITIONALLY RELEASED",
            "PARTIAL RELEASE",
            "Released (partial)",
            "RELEASED - EXAM",
            "RELEASED 11/27 - EXAM",
            "RELEASED FOR EXAM",
            "RELEASED TO CES",
            "RELEASED - EXAM REQUIRED",
        ] {
            assert_eq!(standing(text), None, "{text}");
        }
        for text in [
            "RELEASED FROM EXAM",
            "EXAM RELEASED",
            "RELEASED, EXAM COMPLETED",
            "RELEASED, NO EXAM",
            "Released (Line)",
        ] {
            assert_eq!(standing(text), Some(Said::Released), "{text}");
        }
    }

    #[test]
    fn a_no_may_say_why() {
        for (text, said) in [
            ("no", Some(false)),
            ("No - Holds", Some(false)),
            ("NO (Not Discharged)", Some(false)),
            ("Not Available - Customs", Some(false)),
            ("not ready, 3 holds", Some(false)),
            ("NO HOLDS", None),
            ("November", None),
            ("Not available soon", None),
            ("N/A", None),
            ("maybe", None),
            ("Yes", Some(true)),
        ] {
            assert_eq!(yes_no(text), said, "{text}");
        }
    }

    #[test]
    fn that_a_box_cannot_be_had_is_said_in_many_words() {
        for text in [
            "Not available for pickup",
            "NOT YET AVAILABLE",
            "On hold",
            "CUSTOMS HOLD",
            "Not released",
            "not discharged",
            "Unavailable until Monday",
        ] {
            assert!(denies_pickup(text), "{text}");
        }
        for text in [
            "NO HOLDS",
            "NOT ON HOLD",
            "HOLD RELEASED",
            "NOT APPLICABLE",
            "ON VESSEL",
            "ACTIVE",
            "",
        ] {
            assert!(!denies_pickup(text), "{text}");
        }
    }
}
