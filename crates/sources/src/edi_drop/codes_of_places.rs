//! Places by other codes than UN/LOCODE: US census schedules D and K, and the railroads' SPLC.
//!
//! The schedules hold thousands of ports; here are the ones that boxes go through. A code that is missing costs
//! nothing where the message names the place as well.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::codes::UnLocode;

/// Schedule D: US ports of entry, those on the sea and the large ones inland.
const SCHEDULE_D: &[(&str, &str)] = &[
    ("0401", "USBOS"),
    ("0403", "USORH"),
    ("0901", "USBUF"),
    ("0906", "USSYR"),
    ("1001", "USNYC"),
    ("1101", "USPHL"),
    ("1103", "USILG"),
    ("1104", "USPIT"),
    ("1109", "USHAR"),
    ("1303", "USBAL"),
    ("1401", "USORF"),
    ("1410", "USFRR"),
    ("1501", "USILM"),
    ("1512", "USCLT"),
    ("1601", "USCHS"),
    ("1703", "USSAV"),
    ("1704", "USATL"),
    ("1801", "USTPA"),
    ("1803", "USJAX"),
    ("1808", "USORL"),
    ("1901", "USMOB"),
    ("1902", "USGPT"),
    ("1904", "USBHM"),
    ("1910", "USHSV"),
    ("2002", "USMSY"),
    ("2004", "USBTR"),
    ("2006", "USMEM"),
    ("2007", "USBNA"),
    ("2104", "USBPT"),
    ("2301", "USBRO"),
    ("2304", "USLRD"),
    ("2402", "USELP"),
    ("2407", "USABQ"),
    ("2408", "USSXT"),
    ("2501", "USSAN"),
    ("2605", "USPHX"),
    ("2609", "USTUZ"),
    ("2704", "USLAX"),
    ("2709", "USLGB"),
    ("2713", "USNTD"),
    ("2722", "USLAS"),
    ("2810", "USSCK"),
    ("2811", "USOAK"),
    ("2904", "USPDX"),
    ("3001", "USSEA"),
    ("3002", "USTIW"),
    ("3022", "USGEG"),
    ("3126", "USANC"),
    ("3201", "USHNL"),
    ("3303", "USSLC"),
    ("3307", "USDEN"),
    ("3501", "USMES"),
    ("3601", "USDLH"),
    ("3701", "USMKE"),
    ("3801", "USDET"),
    ("3901", "USCHI"),
    ("3903", "USOMA"),
    ("4101", "USCLE"),
    ("4102", "USCVG"),
    ("4103", "USCMH"),
    ("4105", "USTOL"),
    ("4110", "USIND"),
    ("4115", "USLUI"),
    ("4501", "USMKC"),
    ("4503", "USSTL"),
    ("4601", "USNYC"),
    ("4908", "PRPSE"),
    ("4909", "PRSJU"),
    ("5201", "USMIA"),
    ("5203", "USPEF"),
    ("5204", "USPBI"),
    ("5301", "USHOU"),
    ("5311", "USFPO"),
    ("5312", "USCRP"),
    ("5501", "USDAL"),
    ("5507", "USSAT"),
];

/// Schedule K: ports abroad.
const SCHEDULE_K: &[(&str, &str)] = &[
    ("01822", "CAMTR"),
    ("12493", "CAVAN"),
    ("42157", "NLRTM"),
    ("47507", "ITNAP"),
    ("50801", "ILHFA"),
    ("55976", "SGSIN"),
    ("57035", "CNSHA"),
    ("58023", "KRPUS"),
    ("58201", "HKHKG"),
    ("60267", "AUSYD"),
];

/// Ramps by their SPLC, from the table of ramps.
static SPLC: LazyLock<BTreeMap<String, UnLocode>> = LazyLock::new(|| {
    let table = include_bytes!("../../data/rail.csv");
    let mut rows = csv::Reader::from_reader(table.as_slice());
    let headers = rows.headers().cloned().unwrap_or_default();
    let column = |name: &str| headers.iter().position(|header| header == name);
    let (Some(splc), Some(locode)) = (column("splc"), column("unlocode")) else {
        return BTreeMap::new();
    };
    let ramp = |row: csv::StringRecord| {
        let splc = row.get(splc).filter(|code| !code.is_empty())?;
        Some((long(splc), UnLocode::parse(row.get(locode)?).ok()?))
    };
    rows.records().flatten().filter_map(ramp).collect()
});

/// The place that a code means in the list its qualifier names.
pub(super) fn find(qualifier: &str, code: &str) -> Option<UnLocode> {
    let listed = |list: &[(&str, &str)]| {
        let row = list.iter().find(|(known, _)| *known == code);
        row.and_then(|(_, locode)| UnLocode::parse(locode).ok())
    };
    match qualifier {
        "D" => listed(SCHEDULE_D),
        "K" => listed(SCHEDULE_K),
        "SL" => SPLC.get(&long(code)).copied(),
        _ => None,
    }
}

/// Six digits name a station, nine a track in it.
fn long(splc: &str) -> String {
    format!("{:0<9}", splc.trim())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::registry::Registry;

    #[test]
    fn every_code_of_a_schedule_stands_once_and_means_a_place_of_the_tables() {
        let registry = Registry::load(&[]).unwrap();
        for (list, digits) in [(SCHEDULE_D, 4), (SCHEDULE_K, 5)] {
            let codes: BTreeSet<&str> = list.iter().map(|(code, _)| *code).collect();
            assert_eq!(codes.len(), list.len());
            for (code, place) in list {
                assert_eq!(code.len(), digits, "{code}");
                let place = UnLocode::parse(place).unwrap();
                assert!(registry.gazetteer().port(place).is_some(), "{code} {place}");
            }
        }
    }

    #[test]
    fn ports_of_entry_by_their_numbers() {
        for (code, place) in [
            ("0401", "USBOS"),
            ("1803", "USJAX"),
            ("2002", "USMSY"),
            ("3201", "USHNL"),
            ("3901", "USCHI"),
            ("4909", "PRSJU"),
        ] {
            let found = find("D", code).map(|place| place.to_string());
            assert_eq!(found.as_deref(), Some(place), "{code}");
        }
    }
}
