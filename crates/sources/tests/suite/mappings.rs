//! Mappings and profiles are checked in full, with line, column and key.

use domain::codes::ContainerNumber;
use domain::place::Inside;
use sources::asking::Form;
use sources::{ais, rail, table, terminal};

const SOUND: &str = "id = \"pier\"
protocol = \"terminal-table\"
terminal = \"USOAK-Z985\"
[columns]
container = \"Box\"
";

fn fault(text: &str) -> String {
    table::Profile::parse(text).unwrap_err().to_string()
}

#[test]
fn a_bad_mapping_is_refused_with_line_column_and_key() {
    table::Profile::parse(SOUND).unwrap();
    let cases = [
        (
            "[columns]\nlfd = \"x\"",
            "line 6 (line 6, column 2): duplicate key",
        ),
        (
            "last_fre_day = \"x\"",
            "columns.last_fre_day (line 6, column 1): is not a key of a profile",
        ),
        (
            "available = 7",
            "columns.available (line 6, column 1): is a text that is not empty",
        ),
        (
            "[holds]\ncomplete = \"yes\"",
            "holds.complete (line 7, column 1): is true or false",
        ),
        (
            "[holds.flags]\nlien = \"Lien\"",
            "holds.flags.lien (line 7, column 1): is not a key of a profile",
        ),
        (
            "[moves]\nfull_uot = \"Out\"",
            "moves.full_uot (line 7, column 1): is no move",
        ),
        (
            "[moves]\navailable = \"Out\"",
            "moves.available (line 7, column 1): is no move",
        ),
        (
            "[words.holds]\n\"7H\" = \"frieght\"",
            "words.holds.7H (line 7, column 1): is one of freight,",
        ),
        (
            "[words.status]\nAV = \"free\"",
            "words.status.AV (line 7, column 1): is one of available,",
        ),
        (
            "[times]\nzone = \"America/Oakland\"",
            "times.zone (line 7, column 1): \"America/Oakland\" is no IANA time zone",
        ),
        (
            "[times]\nformats = [\"%H:%M\"]",
            "times.formats (line 7, column 1): \"%H:%M\" is no form of a date",
        ),
        (
            "[times]\ndates = \"us\"",
            "times.dates (line 7, column 1): is month-first or day-first",
        ),
        (
            "[fees]\ncurrency = \"usd\"",
            "fees.currency (line 7, column 1): is three capital letters",
        ),
        (
            "[fees]\ndescription = \"why\"",
            "fees.description (line 7, column 1): is not a key of a profile",
        ),
        (
            "[holds]\namount = \"due\"",
            "holds.amount (line 7, column 1): is not a key of a profile",
        ),
        (
            "[format]\nseparator = \"::\"",
            "format.separator (line 7, column 1): is one character",
        ),
        (
            "[format]\nkind = \"xls\"",
            "format.kind (line 7, column 1): is csv, xlsx or json",
        ),
        (
            "[endpoint]\npath = \"/x\"",
            "endpoint.base (line 6, column 2): is missing",
        ),
        (
            "[events]\nlist = \"e\"\ncode = \"c\"",
            "events.at (line 6, column 2): is missing",
        ),
        ("x = = 1", "line 6 (line 6, column 5): "),
    ];
    for (more, expected) in cases {
        let told = fault(&format!("{SOUND}{more}\n"));
        assert!(told.starts_with(expected), "{more}: {told}");
    }
    let without = SOUND.replace("terminal = \"USOAK-Z985\"\n", "");
    assert!(
        fault(&without).starts_with("terminal: is missing"),
        "{}",
        fault(&without)
    );
    let other = SOUND.replace("terminal-table", "dcsa-2");
    assert!(fault(&other).starts_with("protocol (line 2, column 1): "));
}

#[test]
fn other_profiles_are_checked_alike() {
    let clm = |more: &str| {
        let text = format!("id = \"a\"\nprotocol = \"clm\"\n{more}\n");
        rail::clm::Profile::parse(&text)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(clm(""), Ok(()));
    assert_eq!(clm("[columns]\nsight = \"3\"\ntrain = \"none\""), Ok(()));
    for columns in ["x", "0-3", "9-3", "1-9999", ""] {
        let told = clm(&format!("[columns]\nsight = \"{columns}\"")).unwrap_err();
        assert!(
            told.starts_with("columns.sight (line 4, column 1): "),
            "{told}"
        );
    }
    let ais = |more: &str| {
        let text = format!("id = \"a\"\nprotocol = \"ais\"\n{more}\n");
        ais::Profile::parse(&text)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(ais("live = true"), Ok(()));
    let quay =
        "[[quays]]\nterminal = \"USLAX-W185\"\nlatitude = 33.7\nlongitude = -118\nradius_km = ";
    assert_eq!(ais(&format!("{quay}1")), Ok(()));
    assert!(
        ais(&format!("{quay}50"))
            .unwrap_err()
            .starts_with("quays[0].radius_km (line 7, column 1): ")
    );
    assert!(
        ais("[vessels]\n1 = \"9321483\"")
            .unwrap_err()
            .starts_with("vessels.1 (line 4, column 1): ")
    );
    assert!(
        ais("[vessels]\n211987654 = \"9321480\"")
            .unwrap_err()
            .contains("no IMO number")
    );
}

fn boxes(count: u32) -> Vec<ContainerNumber> {
    let number = |index| ContainerNumber::parse(&format!("QSDU{:06}", 100_001 + index)).unwrap();
    (0..count).map(number).collect()
}

fn template(name: &str) -> table::Profile {
    let mut known = terminal::templates().iter().chain(rail::templates());
    let template = known.find(|template| template.name == name).unwrap();
    table::Profile::parse(template.text).unwrap()
}

#[test]
fn questions_name_as_many_boxes_as_one_may() {
    let now = crate::told::received_at();
    let apm = template("apm-terminals").asking.unwrap();
    let asked = apm.requests(&boxes(51), now);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].numbers.len(), 50);
    assert_eq!(
        asked[1].url.as_str(),
        "https://api.apmterminals.com/import-availability?facilityCode=USLAX&assetId=QSDU1000518"
    );
    assert_eq!((asked[1].method.as_str(), &asked[1].body), ("GET", &None));
    assert!(apm.auth.token.is_some());

    let up = template("up").asking.unwrap();
    let asked = up.requests(&boxes(2), now);
    assert_eq!(
        asked[0].url.as_str(),
        "https://customer.api.up.com/services/v2/shipments?equipment_id=QSDU100001%2CQSDU100002"
    );
    assert_eq!(asked[0].headers[0].0, "date");
    assert_eq!(asked[0].headers[0].1, "2026-03-15T12:00:00Z");

    let bnsf = template("bnsf").asking.unwrap();
    let asked = bnsf.requests(&boxes(1), now);
    assert_eq!(asked[0].method, "POST");
    assert_eq!(
        asked[0].url.as_str(),
        "https://api.bnsf.com:6443/v3/unit-details"
    );
    assert_eq!(
        asked[0].body.as_deref(),
        Some(r#"{"intermodalUnits":[{"equipmentInitial":"QSDU","equipmentNumber":"100001"}]}"#)
    );
    assert!(matches!(bnsf.form, Form::Units { .. }));
    assert_eq!(template("cn").asking.unwrap().batch_max, 100);
}

/// What a terminal is said to provide, by the columns and words of its mapping.
#[test]
fn a_mapping_tells_what_it_has_columns_for() {
    use Inside as I;
    let but = |left_out: &[Inside]| -> Vec<Inside> {
        let all = Inside::ALL.into_iter();
        all.filter(|one| !left_out.contains(one)).collect()
    };
    let told = |profile: &table::Profile| profile.tells().into_iter().collect::<Vec<_>>();
    let apm = but(&[I::LastFreeDay, I::Chassis]);
    assert_eq!(told(&template("apm-terminals")), apm);
    let sheet = but(&[I::FullOut, I::Chassis]);
    assert_eq!(told(&template("availability-sheet")), sheet);
    for (rest, expected) in [
        ("", vec![]),
        ("status = \"S\"", vec![I::Availability]),
        (
            "status = \"S\"\nstatus_at = \"T\"\n[words.status]\nOUT = \"full_out\"",
            vec![I::FullOut],
        ),
        ("[words.status]\nOUT = \"full_out\"", vec![]),
        ("[moves]\ngate_out = \"Out\"", vec![I::FullOut]),
        ("[moves]\nempty_out = \"Out\"", vec![]),
        ("[estimates]\nfull_out = \"Out\"", vec![]),
        ("storage_begins = \"S\"", vec![I::LastFreeDay]),
        ("[holds.released]\nfreight = \"F\"", vec![I::Holds]),
        ("[fees.amounts]\ntotal = \"Due\"", vec![I::Fees]),
        ("chassis = \"C\"", vec![I::Chassis]),
    ] {
        let profile = table::Profile::parse(&format!("{SOUND}{rest}")).unwrap();
        assert_eq!(told(&profile), expected, "{rest}");
    }
}
