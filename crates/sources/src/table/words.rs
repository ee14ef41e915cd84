//! The words of terminals: holds, fees, yes and no.
//!
//! Terminals write for people. What they write is read in capitals, and the first rule that fits decides, so the
//! order of the tables is part of their meaning: `CUSTOMS X-RAY` is a scan, `LINE DEMURRAGE` a hold of the line.

use domain::container::{FeeKind, HoldName};

/// Words inside a hold's name, in the order in which they are tried.
const HOLDS: &[(&[&str], HoldName)] = &[
    (
        &["VACIS", "X-RAY", "XRAY", "SCAN", "RADIATION"],
        HoldName::Vacis,
    ),
    (&["USDA", "AGRIC", "APHIS", "QUARANTINE"], HoldName::Usda),
    (&["PIERPASS", "TRAFFIC MITIGATION"], HoldName::Tmf),
    (
        &["CUSTOMS", "CBP", "USCS", "CBSA", "EXAM", "A-TCET"],
        HoldName::Customs,
    ),
    (&["FREIGHT", "CARRIER", "STEAMSHIP"], HoldName::Freight),
];

/// The same as words of their own: short ones stand inside too many others (`COMET`, `BOLT`).
const HOLD_CODES: &[(&[&str], HoldName)] = &[
    (&["NII", "RPM"], HoldName::Vacis),
    (&["TMF", "TM"], HoldName::Tmf),
    (&["CES", "MET", "PQ"], HoldName::Customs),
    (&["LINE", "SSL", "OBL", "BOL", "FD"], HoldName::Freight),
];

/// The public name of a hold in a terminal's words.
pub(crate) fn hold_name(text: &str) -> HoldName {
    let text = text.to_uppercase();
    let words: Vec<&str> = words(&text).collect();
    // The two tables are one: a code stands behind the words of its own name.
    for name in [
        HoldName::Vacis,
        HoldName::Usda,
        HoldName::Tmf,
        HoldName::Customs,
        HoldName::Freight,
    ] {
        let inside = HOLDS
            .iter()
            .any(|(parts, of)| *of == name && parts.iter().any(|part| text.contains(part)));
        let whole = HOLD_CODES
            .iter()
            .any(|(codes, of)| *of == name && codes.iter().any(|code| words.contains(code)));
        if inside || whole {
            return name;
        }
    }
    HoldName::Other
}

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
    fn holds_by_the_first_rule_that_fits() {
        for (text, name) in [
            ("Customs X-Ray", HoldName::Vacis),
            ("CBP - NII exam", HoldName::Vacis),
            ("Agriculture", HoldName::Usda),
            ("TMF", HoldName::Tmf),
            ("TM", HoldName::Tmf),
            ("PierPass fee due", HoldName::Tmf),
            ("USCS HOLD", HoldName::Customs),
            ("CES", HoldName::Customs),
            ("MET", HoldName::Customs),
            ("PQ", HoldName::Customs),
            ("Line demurrage", HoldName::Freight),
            ("OBL not surrendered", HoldName::Freight),
            ("FD", HoldName::Freight),
            ("CTF", HoldName::Other),
            ("Terminal damage", HoldName::Other),
            ("Comet", HoldName::Other),
            ("Declined", HoldName::Other),
            ("whatever", HoldName::Other),
        ] {
            assert_eq!(hold_name(text), name, "{text}");
        }
    }

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
