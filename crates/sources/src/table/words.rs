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

/// What a text says about a hold; `None`: nothing that is known.
pub(crate) fn standing(text: &str) -> Option<Said> {
    let text = text.to_uppercase();
    let words: Vec<&str> = words(&text).collect();
    let has = |any_of: &[&str]| any_of.iter().any(|word| words.contains(word));
    match () {
        () if has(&["PENDING", "SCHEDULED", "REQUESTED", "AWAITING"]) => Some(Said::Pending),
        () if has(&["NOT", "NO", "UN"]) && has(&["RELEASED", "RELEASE", "CLEARED", "CLEAR"]) => {
            Some(Said::Hold)
        }
        () if has(&["UNRELEASED"]) => Some(Said::Hold),
        () if has(&["NO", "NOT"]) && has(&["HOLD", "HOLDS", "HELD"]) => Some(Said::Released),
        () if has(&[
            "RELEASED", "RELEASE", "CLEAR", "CLEARED", "OK", "NONE", "INACTIVE", "PAID",
        ]) =>
        {
            Some(Said::Released)
        }
        () if has(&["HOLD", "HELD", "ACTIVE", "ON", "HOLDS"]) => Some(Said::Hold),
        () => None,
    }
}

/// Yes or no.
pub(crate) fn yes_no(text: &str) -> Option<bool> {
    match text.to_uppercase().as_str() {
        "Y" | "YES" | "TRUE" | "1" | "X" | "AVAILABLE" | "READY" => Some(true),
        "N" | "NO" | "FALSE" | "0" | "NOT AVAILABLE" | "UNAVAILABLE" | "NOT READY" => Some(false),
        _ => None,
    }
}

/// Whether a text says that a list is empty.
pub(crate) fn is_none(text: &str) -> bool {
    matches!(
        text.to_uppercase().trim(),
        "NONE" | "NO HOLDS" | "NO HOLD" | "NO FEES" | "NO FEE" | "CLEAR" | "NIL" | "NONE DUE"
    )
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
            ("see clerk", None),
        ] {
            assert_eq!(standing(text), said, "{text}");
        }
        assert_eq!(yes_no("no"), Some(false));
        assert_eq!(yes_no("maybe"), None);
    }
}
