//! The words of terminals: fees, yes and no. What names a hold is in [`hold_words`](crate::hold_words).
//!
//! Terminals write for people. What they write is read in capitals, and the first rule that fits decides.

use domain::container::FeeKind;

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
const GONE: &[&str] = &[
    "RELEASED", "RELEASE", "CLEAR", "CLEARED", "OK", "NONE", "INACTIVE", "PAID",
];
/// The same with their denial in one word.
const NOT_GONE: &[&str] = &["UNRELEASED", "UNCLEARED", "UNPAID"];
const HELD: &[&str] = &["HOLD", "HELD", "ACTIVE", "ON", "HOLDS"];
const HOLDS: &[&str] = &["HOLD", "HOLDS", "HELD"];
/// Words that deny what follows them, or say that it is still to come.
const DENIALS: &[&str] = &[
    "NOT", "NO", "UN", "NON", "NEVER", "CANNOT", "TO", "UNTIL", "TILL", "UNLESS", "BEFORE", "IF",
    "WHEN", "MUST", "NEEDS",
];
/// Words that may stand between a denial and what it denies.
const BETWEEN_MAX: usize = 2;

/// What a text says about a hold; `None`: nothing that is known.
pub(crate) fn standing(text: &str) -> Option<Said> {
    let text = text.to_uppercase();
    let words: Vec<&str> = words(&text).collect();
    let has = |any_of: &[&str]| any_of.iter().any(|word| words.contains(word));
    match () {
        () if has(&["PENDING", "SCHEDULED", "REQUESTED", "AWAITING"]) => Some(Said::Pending),
        () if has(NOT_GONE) || is_denied(&words, GONE) => Some(Said::Hold),
        () if is_denied(&words, HOLDS) => Some(Said::Released),
        () if has(GONE) => Some(Said::Released),
        () if has(HELD) => Some(Said::Hold),
        () => None,
    }
}

/// Whether one of these words stands shortly behind a denial, with nothing between them that is denied instead:
/// `NOT YET PAID` and `PAY TO CLEAR` deny, `NO HOLD, RELEASED` does not.
fn is_denied(words: &[&str], denied: &[&str]) -> bool {
    let about = |word: &&str| GONE.contains(word) || HOLDS.contains(word);
    words.iter().enumerate().any(|(at, word)| {
        let behind = words.iter().take(at).rev();
        denied.contains(word)
            && behind
                .take(BETWEEN_MAX + 1)
                .take_while(|word| !about(word))
                .any(|word| DENIALS.contains(word))
    })
}

/// Whether a text says that something was paid.
pub(crate) fn is_paid(text: &str) -> bool {
    let text = text.to_uppercase();
    let words: Vec<&str> = words(&text).collect();
    words.contains(&"PAID") && !is_denied(&words, &["PAID"])
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

/// Whether a text says that a list is empty.
pub(crate) fn is_none(text: &str) -> bool {
    matches!(
        text.to_uppercase().trim(),
        "NONE" | "NO HOLDS" | "NO HOLD" | "NO FEES" | "NO FEE" | "CLEAR" | "NIL" | "NONE DUE"
    )
}

/// Whether a text is a no and nothing else.
pub(crate) fn is_bare_no(text: &str) -> bool {
    matches!(text.to_uppercase().trim(), "N" | "NO" | "FALSE" | "0")
}

/// What stands in place of a hold, or of whether there is one.
const NOT_APPLICABLE: &str = "N/A";

/// Whether a text names one hold and says right behind the name that it does not apply. Where a release, a date or
/// whatever else of the hold does not apply, the hold may well be there.
pub(crate) fn has_none(text: &str, is_name: impl Fn(&str) -> bool) -> bool {
    let text = text.to_uppercase();
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric());
    let Some(before) = text.strip_suffix(NOT_APPLICABLE) else {
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
    is_one && last.map_or(says_hold, is_name) && standing(&named.join(" ")).is_none()
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
    let is_month = |word: &str| {
        let short = |month: &str| month.get(..3) == Some(word);
        word == "SEPT" || MONTHS.iter().any(|month| *month == word || short(month))
    };
    let numbers = text.split(|c: char| !c.is_ascii_digit());
    let numbers = numbers.filter(|number| !number.is_empty()).count();
    let months = words().filter(|word| is_month(word)).count();
    words().all(|word| is_month(word) || matches!(word, "AM" | "PM" | "T" | "Z"))
        && ((months == 1 && numbers > 0) || (months == 0 && numbers >= DATE_NUMBERS))
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
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
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
            ("NO HOLD, RELEASED", Some(Said::Released)),
            ("not on hold", Some(Said::Released)),
            ("PAID 11/19", Some(Said::Released)),
            ("see clerk", None),
        ] {
            assert_eq!(standing(text), said, "{text}");
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
        assert!(
            is_paid("Demurrage PAID") && !is_paid("demurrage not paid") && !is_paid("Demurrage")
        );
    }
}
