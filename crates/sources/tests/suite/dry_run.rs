//! What a file would change, before it does.

use domain::event::{Attribute, Change};
use domain::report::Report;
use domain::trust::Trust;
use sources::table::{Profile, parse};
use sources::{Parsed, dry_run};

use crate::told::{gazetteer, received_at};

const MAPPING: &str = "id = \"pier\"
protocol = \"terminal-table\"
terminal = \"USOAK-Z985\"
[columns]
container = \"Box\"
as_of = \"At\"
available = \"Free\"
holds = \"Holds\"
[holds]
complete = true
[moves]
vessel_discharged = \"Off\"
";

fn read(text: &str) -> Parsed {
    let profile = Profile::parse(MAPPING).unwrap();
    parse(&profile, text.as_bytes(), received_at(), &gazetteer())
}

fn reports(parsed: &Parsed) -> Vec<Report> {
    parsed
        .reports
        .iter()
        .map(|located| located.report.clone())
        .collect()
}

#[test]
fn a_dry_run_tells_what_would_change_and_only_that() {
    let first =
        read("Box,At,Free,Holds,Off\nQSDU1000014,2026-03-14T08:00,N,Customs,2026-03-12T10:00\n");
    assert_eq!(first.defects, []);
    let gazetteer = gazetteer();
    let new = dry_run(
        &first,
        |_| Vec::new(),
        &gazetteer,
        Trust::USUAL,
        received_at(),
    );
    assert!(!new[0].known && new[0].changes.len() >= 2, "{new:?}");

    let known = reports(&first);
    let again = dry_run(
        &first,
        |_| known.clone(),
        &gazetteer,
        Trust::USUAL,
        received_at(),
    );
    assert!(again[0].known && again[0].changes.is_empty(), "{again:?}");

    let next = read("Box,At,Free,Holds,Off\nQSDU1000014,2026-03-14T10:00,Y,NONE,\n");
    let foreseen = dry_run(
        &next,
        |_| known.clone(),
        &gazetteer,
        Trust::USUAL,
        received_at(),
    );
    let changed = |change: &Change| match change {
        Change::Updated(set) => set.iter().any(|a| matches!(a, Attribute::Holds(..))),
        _ => false,
    };
    assert!(foreseen[0].changes.iter().any(changed), "{foreseen:?}");

    let silent = read("Box,At,Free,Holds,Off\nQSDU1000014,2026-03-14T11:00,,,\n");
    assert_eq!(
        dry_run(
            &silent,
            |_| known.clone(),
            &gazetteer,
            Trust::USUAL,
            received_at()
        ),
        []
    );
}
