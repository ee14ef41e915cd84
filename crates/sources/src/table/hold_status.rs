//! What the status of a hold in a list says: a plain word, or a bare yes or no.
//!
//! A word counts here where it is all that stands there. `EXPIRED` ends a hold, and says nothing good beside a free day; `CANCELLED`
//! ends a hold, and takes a release away. So these words are of the status alone, and those that end something are read only where
//! neither the member nor its hold is called a release. `COMPLETED` ends a hold, but an exam that is over ends none. A word that
//! nobody knows leaves the hold in force, and is told.
//!
//! A yes or no has no sense of its own: `"active": false` takes a hold away, and `"lifted": false` leaves it. So the member's name has to say what is asked. Where it does not
//! (`"state": false`), nobody knows, and a hold that vanishes costs more than one that is told once too often: it stays, and the
//! mapping is asked to say what its words mean.

use super::words::{self, Said};

/// What the member asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// Whether the hold is in force.
    InForce,
    /// Whether it is gone.
    Gone,
    /// Its name does not say.
    Unsaid,
}

/// What a word says that is all that stands in a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// This of its hold.
    Says(Said),
    /// Something that ends a hold as well as its release.
    Unclear,
    /// It is no plain word of a status: what it says, other texts say, too.
    Other,
}

/// Of what was asked for and is had: the hold need not be any more, and the release was given.
const DONE: &[&str] = &[
    "GRANTED",
    "APPROVED",
    "AUTHORISED",
    "AUTHORIZED",
    "PERMITTED",
    "SATISFIED",
    "FULFILLED",
    "COMPLETED",
    "COMPLETE",
    "DONE",
    "FINISHED",
    "PASSED",
];
/// The same where it is not asked for any more.
const GIVEN: &[&str] = &[
    "RESOLVED",
    "UNBLOCKED",
    "NOT REQUIRED",
    "NOT NEEDED",
    "NO LONGER REQUIRED",
    "NOT APPLICABLE",
];
/// Of what is over.
const OVER: &[&str] = &["CLOSED", "ENDED", "TERMINATED"];
/// Of a hold that is over, and of a release that is no more.
const ENDED: &[&str] = &[
    "OFF",
    "OFF HOLD",
    "VOID",
    "VOIDED",
    "REVOKED",
    "DEACTIVATED",
    "DISABLED",
    "INACTIVE",
    "NOT ACTIVE",
    "NO LONGER ACTIVE",
    "NOT IN FORCE",
];
/// What says of a hold that there is none, and of a release the same.
const NONE: &[&str] = &["NONE", "NIL"];
/// Of a hold in force, and of a release that is not there.
const AWAITED: &[&str] = &[
    "OPEN",
    "REQUIRED",
    "NEEDED",
    "MANDATORY",
    "OUTSTANDING",
    "UNRESOLVED",
    "UNSATISFIED",
    "INCOMPLETE",
    "DENIED",
    "REFUSED",
    "REJECTED",
    "FAILED",
    "NOT GRANTED",
    "NOT APPROVED",
    "NOT COMPLETE",
    "NOT COMPLETED",
    "NOT SATISFIED",
    "NOT RESOLVED",
];
/// Of a hold in force; of a release nobody knows.
const SET: &[&str] = &[
    "ACTIVE",
    "ON",
    "IMPOSED",
    "ISSUED",
    "SET",
    "STOPPED",
    "DETAINED",
    "REINSTATED",
    "REOPENED",
    "CURRENT",
    "EFFECTIVE",
    "IN FORCE",
    "IN EFFECT",
    "NOT LIFTED",
    "NOT REMOVED",
];
const ANNOUNCED: &[&str] = &["PLANNED", "ANNOUNCED"];

/// What a status is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A hold.
    Hold,
    /// What lets the box go.
    Release,
    /// For what the box is held, and may be held when it is over.
    Exam,
}

/// What the word says that is the whole of a status.
pub(super) fn word(status: &str, about: About) -> Word {
    let Some(plain) = plain(status) else {
        return Word::Other;
    };
    let is = |of: &[&[&str]]| of.iter().any(|words| words.contains(&plain.as_str()));
    let of_release = about == About::Release;
    match () {
        // It was looked at, or may be; what it was held for is another question.
        () if about == About::Exam && is(&[DONE, OVER]) => Word::Unclear,
        () if is(&[DONE, GIVEN]) => Word::Says(Said::Released),
        () if is(&[AWAITED]) => Word::Says(Said::Hold),
        () if is(&[ANNOUNCED]) => Word::Says(Said::Pending),
        () if of_release && is(&[OVER, ENDED, words::LIFTED, NONE, SET, IN_FORCE]) => Word::Unclear,
        () if is(&[OVER, ENDED, words::LIFTED]) => Word::Says(Said::Released),
        () if is(&[SET, IN_FORCE]) => Word::Says(Said::Hold),
        () => Word::Other,
    }
}

/// Whether a hold or a member is called by an exam: customs lets the box go when it has seen what was found, which may be days
/// after the exam.
pub(super) fn names_an_exam(name: &str) -> bool {
    let name = apart(name);
    let mut told = words::words(&name);
    EXAMS.iter().any(|part| name.contains(part))
        || told.any(|word| matches!(word, "CES" | "MET" | "NII" | "RPM" | "INTENSIVE"))
}

/// Parts of the words for an exam.
const EXAMS: &[&str] = &[
    "EXAM",
    "INSPECT",
    "VACIS",
    "XRAY",
    "X RAY",
    "SCAN",
    "TAILGATE",
    "RADIATION",
];

/// Whether a text is what some programs write where there is nothing, and people where there is no hold.
pub(super) fn is_none(text: &str) -> bool {
    plain(text).is_some_and(|plain| NONE.contains(&plain.as_str()))
}

/// Whether a text in the column of a release says that it was given, in a word that says the same of nothing else.
pub(super) fn is_granted(text: &str) -> bool {
    let granted = |plain: String| {
        matches!(
            plain.as_str(),
            "GRANTED" | "APPROVED" | "AUTHORISED" | "AUTHORIZED" | "PERMITTED"
        )
    };
    plain(text).is_some_and(granted)
}

/// Whether a hold or a member is called by what lets the box go, and not by the want of it: `RELEASE REQUIRED` is a hold.
pub(super) fn names_a_release(name: &str) -> bool {
    let name = apart(name);
    let is_wanting = matches!(words::standing(&name), Some(Said::Hold | Said::Pending));
    let mut told = words::words(&name);
    !is_wanting && told.any(|word| OF_A_RELEASE.iter().any(|part| word.contains(part)))
}

/// Parts of the words for what lets a box go, be they joined to others: `releasestatus`.
const OF_A_RELEASE: &[&str] = &[
    "RELEAS",
    "CLEARANCE",
    "CLEARED",
    "PERMISSION",
    "PERMIT",
    "APPROVAL",
    "AUTHORIZATION",
    "AUTHORISATION",
];

/// The words of a text in capitals, however they are joined; none where there are other signs between them (`CLOSED?`).
pub(super) fn plain(text: &str) -> Option<String> {
    let is_plain =
        |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | '-' | '.');
    let words = apart(text);
    let words: Vec<&str> = words::words(&words).collect();
    text.chars().all(is_plain).then(|| words.join(" "))
}

/// Words of a hold in force, beside those of every text.
const IN_FORCE: &[&str] = &["APPLIED", "PLACED", "BLOCKED", "BLOCKING", "ENABLED"];

/// What a member asks by its name, which is the last one of its path.
pub(super) fn asks(path: &str) -> Asks {
    let name = apart(path.rsplit('.').next().unwrap_or_default());
    let said = words::standing(&name).or_else(|| {
        // `lifted` and `removed` are words of a hold that stands before them.
        let of_a_hold = words::standing(&format!("HOLD {name}"));
        of_a_hold.filter(|said| *said == Said::Released)
    });
    let words: Vec<&str> = words::words(&name)
        .filter(|word| !QUESTION.contains(word))
        .collect();
    // A word more may turn it: `holdResolved`, `canBeReleased`.
    match said {
        Some(Said::Hold) if tells_of_a_hold(&words) => Asks::InForce,
        Some(Said::Released) if tells_of_its_end(&words) => Asks::Gone,
        None if !words.is_empty() && words.iter().all(|word| IN_FORCE.contains(word)) => {
            Asks::InForce
        }
        _ => Asks::Unsaid,
    }
}

/// What only makes a question of a name.
const QUESTION: &[&str] = &["IS", "HAS", "WAS", "BEEN"];

fn tells_of_a_hold(words: &[&str]) -> bool {
    let is_known = |word: &&str| words::HELD.contains(word) || IN_FORCE.contains(word);
    match words {
        ["NOT" | "UN", gone] => words::GONE.contains(gone),
        ["RELEASE" | "CLEAR" | "CLEARANCE", lacking] => words::LACKING.contains(lacking),
        [one] if words::NOT_GONE.contains(one) => true,
        _ => words.iter().all(is_known),
    }
}

fn tells_of_its_end(words: &[&str]) -> bool {
    let is_end = |word: &str| words::GONE.contains(&word) || words::LIFTED.contains(&word);
    words
        .iter()
        .all(|word| is_end(word) || words::HELD.contains(word))
}

/// The words of a name in capitals, as people write it: `onHold`, `is_active`, `HOLD-LIFTED`.
pub(super) fn apart(name: &str) -> String {
    let mut words = String::new();
    let mut was_small = false;
    for c in name.chars() {
        if was_small && c.is_uppercase() {
            words.push(' ');
        }
        was_small = c.is_lowercase();
        words.extend(
            c.to_uppercase()
                .map(|c| if c.is_alphanumeric() { c } else { ' ' }),
        );
    }
    words.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_member_says_what_it_asks() {
        for (name, asked) in [
            ("active", Asks::InForce),
            ("isActive", Asks::InForce),
            ("ON_HOLD", Asks::InForce),
            ("hold.held", Asks::InForce),
            ("isApplied", Asks::InForce),
            ("unreleased", Asks::InForce),
            ("notCleared", Asks::InForce),
            ("releaseRequired", Asks::InForce),
            ("lifted", Asks::Gone),
            ("isLifted", Asks::Gone),
            ("hold_removed", Asks::Gone),
            ("inactive", Asks::Gone),
            ("customs.released", Asks::Gone),
            ("status", Asks::Unsaid),
            ("state", Asks::Unsaid),
            ("pending", Asks::Unsaid),
            ("satisfied", Asks::Unsaid),
            ("holdResolved", Asks::Unsaid),
            ("holdAcknowledged", Asks::Unsaid),
            ("offHold", Asks::Unsaid),
            ("canBeReleased", Asks::Unsaid),
            ("willRelease", Asks::Unsaid),
            ("releasePending", Asks::InForce),
            ("hasBeenReleased", Asks::Gone),
            ("", Asks::Unsaid),
        ] {
            assert_eq!(asks(name), asked, "{name}");
        }
    }
}
