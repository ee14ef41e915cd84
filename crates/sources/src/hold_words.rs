//! What a hold is called, by everybody who writes of one: terminals in their tables, lines and railroads in EDI.
//!
//! They write for people. What they write is read in capitals, and the first rule that fits decides, so the order
//! of the tables is part of their meaning: `CUSTOMS X-RAY` is a scan, `LINE DEMURRAGE` a hold of the line. A hold
//! that is taken for another one is never cleared, so a short word counts only where it stands alone: `MET` is an
//! examination, `METAL` is cargo, and `DECLINED` has no line in it.

use domain::container::HoldName;

/// Words inside a hold's name, and codes that are a word of their own there, in the order in which they are tried.
const RULES: &[(HoldName, &[&str], &[&str])] = &[
    (
        HoldName::Vacis,
        &["VACIS", "X-RAY", "XRAY", "SCAN", "RADIATION"],
        &["NII", "RPM"],
    ),
    (
        HoldName::Usda,
        &["USDA", "AGRIC", "APHIS", "QUARANTINE"],
        &[],
    ),
    (
        HoldName::Tmf,
        &["PIERPASS", "TRAFFIC MITIGATION"],
        &["TMF", "TM"],
    ),
    (
        HoldName::Customs,
        &["CUSTOMS", "CBP", "USCS", "CBSA", "EXAM", "A-TCET"],
        &["CES", "MET", "PQ"],
    ),
    (
        HoldName::Freight,
        &["FREIGHT", "CARRIER", "STEAMSHIP"],
        &["LINE", "SSL", "OBL", "BOL", "FD"],
    ),
    (
        HoldName::Other,
        &["CLEAN TRUCK", "DEMURRAGE"],
        &[
            "CTF", "TERMINAL", "DWELL", "DAMAGE", "DAMAGED", "YARD", "CF", "TC",
        ],
    ),
];

/// The public name of the hold that a text names; none where it names none that is known.
pub(crate) fn named_in(text: &str) -> Option<HoldName> {
    let text = text.to_uppercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let fits = |(_, parts, codes): &&(HoldName, &[&str], &[&str])| {
        parts.iter().any(|part| text.contains(part))
            || codes.iter().any(|code| words.contains(code))
    };
    RULES.iter().find(fits).map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_by_the_first_rule_that_fits() {
        for (text, name) in [
            ("Customs X-Ray", Some(HoldName::Vacis)),
            ("CBP - NII exam", Some(HoldName::Vacis)),
            ("Agriculture", Some(HoldName::Usda)),
            ("TMF", Some(HoldName::Tmf)),
            ("TM", Some(HoldName::Tmf)),
            ("PierPass fee due", Some(HoldName::Tmf)),
            ("USCS HOLD", Some(HoldName::Customs)),
            ("CES", Some(HoldName::Customs)),
            ("MET", Some(HoldName::Customs)),
            ("PQ", Some(HoldName::Customs)),
            ("Line demurrage", Some(HoldName::Freight)),
            ("OBL not surrendered", Some(HoldName::Freight)),
            ("FD", Some(HoldName::Freight)),
            ("CTF", Some(HoldName::Other)),
            ("Terminal damage", Some(HoldName::Other)),
            ("Comet", None),
            ("SCRAP METAL", None),
            ("Declined", None),
            ("BOOK ONLINE", None),
            ("PROCESSING", None),
            ("VINEYARD", None),
            ("whatever", None),
        ] {
            assert_eq!(named_in(text), name, "{text}");
        }
    }
}
