//! The reference tables.

use std::collections::HashSet;

use domain::codes::{Scac, UnLocode};
use domain::place::TerminalKind;
use domain::tracking_request::NumberKind;
use sources::registry::{Registry, Tables};

use crate::told::profile;

fn scac(text: &str) -> Scac {
    Scac::parse(text).unwrap()
}

fn port(text: &str) -> UnLocode {
    UnLocode::parse(text).unwrap()
}

#[test]
fn the_tables_in_the_binary_are_sound() {
    let registry = Registry::load(&[]).unwrap();
    assert_eq!(registry.shipping_lines().count(), 38);
    let gazetteer = registry.gazetteer();
    assert!(gazetteer.ports().count() > 1_100);
    let ocean = gazetteer
        .terminals()
        .filter(|t| t.kind == TerminalKind::Ocean)
        .count();
    let rail = gazetteer
        .terminals()
        .filter(|t| t.kind == TerminalKind::Rail)
        .count();
    assert_eq!(ocean, 125);
    assert!(rail > 190, "{rail}");
    for terminal in gazetteer.terminals() {
        assert!(gazetteer.port(terminal.port).is_some(), "{}", terminal.code);
        assert!(
            terminal.code.starts_with(terminal.port.as_str()),
            "{}",
            terminal.code
        );
        assert!(!terminal.nickname.is_empty());
    }
    let mut codes = HashSet::new();
    for line in registry.shipping_lines() {
        assert!(codes.insert(line.scac), "{}", line.scac);
        assert!(!line.name.is_empty() && !line.short_name.is_empty());
    }
}

#[test]
fn places_are_found() {
    let registry = Registry::load(&[]).unwrap();
    let gazetteer = registry.gazetteer();
    assert_eq!(gazetteer.zone(port("DEHAM")), Some("Europe/Berlin"));
    // Of a place that no table has, where its country has one time.
    assert_eq!(gazetteer.zone(port("TRQQQ")), Some("Europe/Istanbul"));
    assert_eq!(gazetteer.zone(port("USQQQ")), None);
    assert_eq!(
        gazetteer.canonical(port("CNSGH")),
        gazetteer.canonical(port("CNSHA"))
    );
    // Codes of quays and of what a port was called before, by which lines name the port.
    for (code, main) in [
        ("AUPBT", "AUSYD"),
        ("CNTAG", "CNTAC"),
        ("EGPSE", "EGPSD"),
        ("PHMNN", "PHMNL"),
        ("REPDG", "RELPT"),
        ("TNTUN", "TNRDS"),
    ] {
        assert_eq!(gazetteer.canonical(port(code)), port(main), "{code}");
    }
    let seagirt = gazetteer.terminal_at(port("USBAL"), "smt").unwrap();
    assert_eq!(
        (seagirt.code.as_str(), seagirt.nickname.as_str()),
        ("USBAL-C324", "Seagirt")
    );
    assert_eq!(
        gazetteer.terminal("USOAK-STE-OAKLAND").unwrap().firms_code,
        None
    );
    let ramp = gazetteer
        .terminals()
        .find(|t| t.kind == TerminalKind::Rail && t.nickname == "Brampton");
    assert!(ramp.unwrap().name.ends_with(" Brampton"));
}

#[test]
fn an_alternative_code_means_the_main_line() {
    let registry = Registry::load(&[]).unwrap();
    let main = |code: &str| {
        registry
            .shipping_line(scac(code))
            .map(|line| line.scac.to_string())
    };
    assert_eq!(main("MEDU").as_deref(), Some("MSCU"));
    assert_eq!(main("MSCU").as_deref(), Some("MSCU"));
    assert_eq!(main("SEAL").as_deref(), Some("SEAU"));
    assert_eq!(main("QQQQ"), None);
    // Names that lines no longer bear, and old bills do.
    for (retired, line) in [
        ("SUDU", "MAEU"),
        ("MCPU", "MAEU"),
        ("UASU", "HLCU"),
        ("NYKS", "ONEY"),
        ("CHNJ", "COSU"),
        ("CNCU", "CMDU"),
    ] {
        assert_eq!(main(retired).as_deref(), Some(line), "{retired}");
    }
    let line = registry.shipping_line(scac("EGLV")).unwrap();
    assert!(line.supports(NumberKind::Container) && !line.supports(NumberKind::Booking));
}

#[test]
fn the_test_line_is_known_and_not_listed() {
    let registry = Registry::load(&[]).unwrap();
    let test = registry.shipping_line(scac("TEST")).unwrap();
    assert!(test.supports(NumberKind::BillOfLading) && test.supports(NumberKind::Booking));
    assert!(!test.supports(NumberKind::Container), "it knows no box");
    assert!(
        registry
            .shipping_lines()
            .all(|line| line.scac != scac("TEST"))
    );
}

#[test]
fn a_configured_line_joins_or_replaces() {
    let own = profile("[line]\nname = \"Quayside Demo Line\"")
        .shipping_line()
        .unwrap();
    let mut msc = own.clone();
    msc.scac = scac("MSCU");
    let registry = Registry::load(&[own, msc]).unwrap();
    assert_eq!(registry.shipping_lines().count(), 39);
    assert_eq!(
        registry.shipping_line(scac("QSDU")).unwrap().short_name,
        "Quayside Demo Line"
    );
    assert_eq!(
        registry.shipping_line(scac("MSCU")).unwrap().name,
        "Quayside Demo Line"
    );
}

#[test]
fn a_bad_row_is_named_by_file_and_line() {
    let append = |table: &str, row: &str| format!("{}\n{row}\n", table.trim_end());
    let lines = |table: &str| table.trim_end().lines().count() as u64 + 1;
    let built_in = Tables::BUILT_IN;
    let cases: [(&str, &str, &str); 21] = [
        ("carriers.csv", "M,X,X,,,true,true,true,,,,,,", "SCAC"),
        (
            "carriers.csv",
            "QSDU,X,X,,,yes,true,true,,,,,,",
            "bl_support",
        ),
        ("carriers.csv", "QSDU,,X,,,true,true,true,,,,,,", "name"),
        ("carriers.csv", "MSCU,X,X,,,true,true,true,,,,,,", "twice"),
        ("carriers.csv", "QSDU,X", "fields"),
        (
            "ports.csv",
            "DEHAM,Hamburg,DE,,1,1,Europe/Berlin,,",
            "twice",
        ),
        ("ports.csv", "DEQQQ,Q,FR,,1,1,Europe/Berlin,,", "not in FR"),
        ("ports.csv", "DEQQQ,Q,DE,,91,1,Europe/Berlin,,", "lat"),
        ("ports.csv", "DEQQQ,Q,DE,,1,1,Europe/Nowhere,,", "time zone"),
        (
            "ports.csv",
            "DEQQQ,Q,DE,,1,1,Europe/Berlin,CNSGH,",
            "no main code",
        ),
        (
            "ports.csv",
            "DEQQQ,Q,DE,,1,1,Europe/Berlin,,maybe",
            "inland",
        ),
        (
            "terminals.csv",
            "X,DEQQQ,,X,,Europe/Berlin,,DE,yes,",
            "not in the ports table",
        ),
        (
            "rail.csv",
            "yard,UPRR,X,,X,TX,US,USHOU,America/Chicago,,,",
            "kind",
        ),
        ("number_forms.csv", "ZZZZ,bill_of_lading,,99,50", "no table"),
        ("number_forms.csv", "MSCU,container,,9z,50", "mask"),
        ("number_forms.csv", "MSCU,bill,,99,50", "kind"),
        (
            "number_forms.csv",
            "MSCU,bill_of_lading,,99,95",
            "never sure",
        ),
        ("lessors.csv", "MSCU", "owner code of MSCU"),
        ("states.csv", "US,QQ,America/Nowhere,", "time zone"),
        ("countries.csv", "QQ,Q,America/Nowhere", "time zone"),
        ("states.csv", "US,QQ,America/Denver,maybe", "split"),
    ];
    for (file, row, reason) in cases {
        let table = match file {
            "carriers.csv" => built_in.carriers,
            "ports.csv" => built_in.ports,
            "terminals.csv" => built_in.terminals,
            "number_forms.csv" => built_in.number_forms,
            "lessors.csv" => built_in.lessors,
            "states.csv" => built_in.states,
            "countries.csv" => built_in.countries,
            _ => built_in.rail,
        };
        let text = append(table, row);
        let tables = match file {
            "carriers.csv" => Tables {
                carriers: &text,
                ..built_in
            },
            "ports.csv" => Tables {
                ports: &text,
                ..built_in
            },
            "terminals.csv" => Tables {
                terminals: &text,
                ..built_in
            },
            "number_forms.csv" => Tables {
                number_forms: &text,
                ..built_in
            },
            "lessors.csv" => Tables {
                lessors: &text,
                ..built_in
            },
            "states.csv" => Tables {
                states: &text,
                ..built_in
            },
            "countries.csv" => Tables {
                countries: &text,
                ..built_in
            },
            _ => Tables {
                rail: &text,
                ..built_in
            },
        };
        let error = Registry::read(&tables, &[]).unwrap_err();
        assert_eq!(
            (error.file.as_str(), error.line),
            (file, lines(table)),
            "{row}: {error}"
        );
        assert!(error.reason.contains(reason), "{row}: {error}");
    }
    let tables = Tables {
        ports: "unlocode,name\n",
        ..built_in
    };
    assert_eq!(Registry::read(&tables, &[]).unwrap_err().line, 1);
}

#[test]
fn ramps_lie_in_metropolitan_areas_and_seaports_do_not() {
    let registry = Registry::load(&[]).unwrap();
    let gazetteer = registry.gazetteer();
    let areas: Vec<_> = gazetteer.ports().filter(|p| p.is_metro_area()).collect();
    assert!(areas.len() > 60, "{}", areas.len());
    for (place, area) in [
        ("USCHI", Some("USCHI")),
        ("USEWI", Some("USCHI")),
        ("USJOT", Some("USCHI")),
        ("USKCK", Some("USMKC")),
        ("CABRP", Some("CATOR")),
        ("USLAX", None),
        ("USNYC", None),
        ("USXHE", None),
        ("DEHAM", None),
    ] {
        let found = gazetteer.metro_area(port(place)).map(|area| area.locode);
        assert_eq!(found, area.map(port), "{place}");
    }
    for port in gazetteer.ports() {
        let area = gazetteer.metro_area(port.locode);
        assert_eq!(area.is_some(), port.metro_area.is_some(), "{}", port.locode);
        assert!(area.is_none_or(|area| area.is_metro_area() && area.zone == port.zone));
        let marine = gazetteer
            .terminals_in(port.locode)
            .any(|terminal| terminal.kind == TerminalKind::Ocean);
        assert!(!(marine && port.metro_area.is_some()), "{}", port.locode);
        assert_ne!(
            gazetteer.country(port.locode.country()),
            port.locode.country()
        );
    }
    let msc = registry.shipping_line(scac("MSCU")).unwrap();
    assert_eq!(
        msc.not_provided.as_deref(),
        Some(&["seal_number".to_owned()][..])
    );
}

#[test]
fn a_wrong_harbour_town_is_refused_with_its_line() {
    for (row, reason) in [
        ("USXXX,San Pedro", "USXXX is not in the ports table"),
        ("USLAX,", "town is empty"),
        (
            "USLGB,Los Angeles",
            "Los Angeles is the name of a port there",
        ),
        ("USLAX,X\nUSLGB,x", "x is the name of a port there"),
    ] {
        let harbour_towns = format!("unlocode,town\n{row}\n");
        let tables = Tables {
            harbour_towns: &harbour_towns,
            ..Tables::BUILT_IN
        };
        let error = Registry::read(&tables, &[]).unwrap_err();
        assert_eq!(error.file, "harbour_towns.csv");
        let last = harbour_towns.lines().count();
        assert_eq!(error.line, u64::try_from(last).unwrap());
        assert_eq!(error.reason, reason);
    }
}

#[test]
fn a_wrong_metropolitan_area_is_refused_with_its_line() {
    for (metro, reason) in [
        (
            "unlocode,metro_area\nUSEWI,USCHI\n",
            "USCHI is no metropolitan area",
        ),
        (
            "unlocode,metro_area\nUSXXX,USXXX\n",
            "USXXX is not in the ports table",
        ),
    ] {
        let tables = Tables {
            metro,
            ..Tables::BUILT_IN
        };
        let error = Registry::read(&tables, &[]).unwrap_err();
        assert_eq!((error.file.as_str(), error.line), ("metro.csv", 2));
        assert_eq!(error.reason, reason);
    }
}
