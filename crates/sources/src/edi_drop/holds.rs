//! Words to holds. The first group that has a word in the text wins.

use domain::container::HoldName;

/// Words, and the hold that they name.
const WORDS: &[(&[&str], HoldName)] = &[
    (
        &["VACIS", "NII", "X-RAY", "XRAY", "SCAN", "RADIATION", "RPM"],
        HoldName::Vacis,
    ),
    (&["USDA", "AGRIC", "APHIS", "QUARANTINE"], HoldName::Usda),
    (&["TMF", "PIERPASS", "TRAFFIC MITIGATION"], HoldName::Tmf),
    (
        &[
            "CUSTOMS", "CBP", "USCS", "CBSA", "CES", "EXAM", "MET", "A-TCET",
        ],
        HoldName::Customs,
    ),
    (
        &[
            "FREIGHT",
            "LINE",
            "CARRIER",
            "SSL",
            "STEAMSHIP",
            "OBL",
            "BOL",
        ],
        HoldName::Freight,
    ),
    (
        &[
            "CTF",
            "CLEAN TRUCK",
            "TERMINAL",
            "DEMURRAGE",
            "DWELL",
            "DAMAGE",
            "YARD",
        ],
        HoldName::Other,
    ),
];

/// Words this short also stand inside others (`CES` in `PROCESSING`): they must stand alone.
const SHORT_LETTERS_MAX: usize = 3;

/// The hold that a text names.
pub(super) fn named_in(text: &str) -> Option<HoldName> {
    let text = text.to_ascii_uppercase();
    let stands = |word: &str| {
        let short = word.len() <= SHORT_LETTERS_MAX;
        let mut alone = text.split(|c: char| !c.is_ascii_alphanumeric());
        text.contains(word) && (!short || alone.any(|part| part == word))
    };
    let mut groups = WORDS.iter();
    let found = groups.find(|(words, _)| words.iter().any(|word| stands(word)));
    found.map(|(_, name)| *name)
}
