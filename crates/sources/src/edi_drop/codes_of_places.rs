//! Places by other codes than UN/LOCODE: US census schedules D and K, and the railroads' SPLC.
//!
//! The schedules hold thousands of ports; here are the ones that boxes go through. A code that is missing costs
//! nothing where the message names the place as well.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::codes::UnLocode;

/// Schedule D: US ports.
const SCHEDULE_D: &[(&str, &str)] = &[
    ("1001", "USNYC"),
    ("1401", "USORF"),
    ("1601", "USCHS"),
    ("1703", "USSAV"),
    ("2704", "USLAX"),
    ("2709", "USLGB"),
    ("2811", "USOAK"),
    ("3001", "USSEA"),
    ("3002", "USTIW"),
    ("4601", "USNYC"),
    ("5301", "USHOU"),
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
