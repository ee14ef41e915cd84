use super::value::Holds;
use super::*;
use crate::resource::{shipment, tracking_request};

const SHIPMENTS: Rules = Rules {
    parameters: &[
        Parameter::new("q", Holds::Text, "").or(&["filter[sought]"]),
        Parameter::new("filter[day]", Holds::Dates, ""),
        Parameter::new("filter[tracking_stopped]", Holds::Boolean, ""),
        Parameter::new("filter[created_at][start]", Holds::Moment, ""),
        Parameter::new(
            "filter[status]",
            Holds::Words(|| vec!["new", "on_ship"]),
            "",
        ),
        Parameter::new("filter[webhook]", Holds::Id, ""),
        Parameter::new("filter[scac]", Holds::Texts, ""),
        Parameter::new("filter[custom_field]", Holds::Named, ""),
        Parameter::new("filter[created_at][end]", Holds::Until, ""),
    ],
    sorts: &["-created_at", "created_at"],
    paged: true,
    ..Rules::of(&shipment::TYPE)
};

fn refused(raw: &str) -> Vec<String> {
    let Err(faults) = Query::parse(raw, &SHIPMENTS) else {
        panic!("{raw} was accepted")
    };
    assert!(faults.iter().all(|fault| fault.status == 400));
    faults
        .into_iter()
        .map(|fault| match fault.source {
            Some(crate::error::Source::Parameter(name)) => name,
            other => panic!("{raw}: {other:?}"),
        })
        .collect()
}

fn read(raw: &str) -> Query {
    Query::parse(raw, &SHIPMENTS).unwrap_or_else(|faults| panic!("{raw}: {faults:?}"))
}

#[test]
fn pages() {
    for (raw, number, size) in [
        ("", 1, 30),
        ("page[number]=3", 3, 30),
        ("page%5Bnumber%5D=3&page%5Bsize%5D=7", 3, 7),
        ("page[size]=100", 1, 100),
        ("page[size]=101", 1, 100),
        ("page[size]=99999999999999999999999", 1, 100),
        ("&&page[size]=1&", 1, 1),
    ] {
        let query = read(raw);
        assert_eq!(
            (query.page_number, query.page_size),
            (number, size),
            "{raw}"
        );
    }
    assert_eq!(
        read("page[number]=4294967295&page[size]=100").offset(),
        429_496_729_400
    );
}

#[test]
fn the_exact_name_is_refused() {
    for (raw, names) in [
        ("page[number]=0", vec!["page[number]"]),
        ("page[number]=-1", vec!["page[number]"]),
        ("page[number]=+1", vec!["page[number]"]),
        ("page[number]=99999999999999999999", vec!["page[number]"]),
        ("page[size]=0", vec!["page[size]"]),
        ("page[size]=", vec!["page[size]"]),
        ("page[size]=ten", vec!["page[size]"]),
        ("page[sise]=10", vec!["page[sise]"]),
        ("page=1", vec!["page"]),
        ("filter[nonsense]=1", vec!["filter[nonsense]"]),
        ("filter%5Bnonsense%5D=1", vec!["filter[nonsense]"]),
        (
            "filter[tracking_stopped]=maybe",
            vec!["filter[tracking_stopped]"],
        ),
        (
            "filter[created_at][start]=yesterday",
            vec!["filter[created_at][start]"],
        ),
        ("filter[status]=lost", vec!["filter[status]"]),
        ("filter[webhook]=12", vec!["filter[webhook]"]),
        ("filter[scac]=,%20,", vec!["filter[scac]"]),
        ("filter[custom_field]=a", vec!["filter[custom_field]"]),
        ("filter[custom_field][]=a", vec!["filter[custom_field][]"]),
        (
            "filter[custom_field][a][b]=a",
            vec!["filter[custom_field][a][b]"],
        ),
        (
            "filter[custom_field][a]=1&filter[custom_field][a]=2",
            vec!["filter[custom_field][a]"],
        ),
        (
            "filter[created_at][end]=never",
            vec!["filter[created_at][end]"],
        ),
        ("q=", vec!["q"]),
        ("q=a&q=b", vec!["q"]),
        ("sort=weight", vec!["sort"]),
        ("include=cargo", vec!["include"]),
        ("include=containers.cargo", vec!["include"]),
        (
            "include=containers.shipment.containers.shipment.containers",
            vec!["include"],
        ),
        ("include=cargo,boxes", vec!["include", "include"]),
        ("fields[boat]=name", vec!["fields[boat]"]),
        ("fields[container]=colour", vec!["fields[container]"]),
        ("fields[container=number", vec!["fields[container"]),
        (
            "utm_source=x&page[size]=0",
            vec!["utm_source", "page[size]"],
        ),
        ("q=%zz", vec!["q"]),
        ("q=%e2%82", vec!["q"]),
        ("q=a%00b", vec!["q"]),
        ("q=%", vec!["q"]),
    ] {
        assert_eq!(refused(raw), names, "{raw}");
    }
}

#[test]
fn values_are_typed() {
    let query = read(
        "q=+MAEU+123&filter[tracking_stopped]=true&filter[status]=on_ship,new\
         &filter[created_at][start]=2026-01-02T03:04:05+02:00",
    );
    assert_eq!(query.value("q").and_then(Value::text), Some("MAEU 123"));
    assert_eq!(
        query
            .value("filter[tracking_stopped]")
            .and_then(Value::boolean),
        Some(true)
    );
    assert_eq!(
        query.value("filter[status]").and_then(Value::words),
        Some(&["on_ship", "new"][..])
    );
    let start = query
        .value("filter[created_at][start]")
        .and_then(Value::moment);
    assert_eq!(start, "2026-01-02T01:04:05Z".parse().ok());
    let day = read("filter[created_at][start]=2026-01-02");
    let start = day
        .value("filter[created_at][start]")
        .and_then(Value::moment);
    assert_eq!(start, "2026-01-02T00:00:00Z".parse().ok());
}

#[test]
fn lists_are_cut_at_commas_and_the_order_is_kept() {
    let query = read("filter[scac]=MSCU,%20maeu,&sort=created_at");
    let texts = query.value("filter[scac]").and_then(Value::texts);
    assert_eq!(texts, Some(&["MSCU".to_owned(), "maeu".to_owned()][..]));
    assert_eq!(query.sort, Some("created_at"));
    assert_eq!(read("").sort, None);
    let many = vec!["a"; TEXTS_MAX + 1].join(",");
    assert_eq!(refused(&format!("filter[scac]={many}")), ["filter[scac]"]);
}

#[test]
fn a_list_may_come_in_parts() {
    for raw in [
        "filter[scac][]=MSCU&filter[scac][]=MAEU",
        "filter%5Bscac%5D%5B%5D=MSCU&page[size]=1&filter[scac][]=MAEU",
        "filter[scac][]=MSCU,MAEU",
    ] {
        let query = read(raw);
        let texts = query.value("filter[scac]").and_then(Value::texts);
        assert_eq!(
            texts,
            Some(&["MSCU".to_owned(), "MAEU".to_owned()][..]),
            "{raw}"
        );
        assert_eq!(query.called("filter[scac]"), "filter[scac][]");
    }
    assert_eq!(
        refused("filter[scac][]=MSCU&filter[scac]=MAEU"),
        ["filter[scac]"]
    );
    assert_eq!(
        refused("filter[status][]=new&filter[status][]=lost"),
        ["filter[status][]"]
    );
    let many = vec!["filter[scac][]=a,a"; TEXTS_MAX / 2 + 1].join("&");
    assert_eq!(refused(&many), ["filter[scac][]"]);
}

#[test]
fn who_writes_a_list_in_another_way_is_told_how_it_is_written() {
    let told = |raw: &str| -> Vec<String> {
        let faults = Query::parse(raw, &SHIPMENTS).unwrap_err();
        faults.into_iter().map(|fault| fault.detail).collect()
    };
    assert_eq!(
        told("filter[status]=new&filter[status]=on_ship"),
        ["filter[status] is given more than once; it holds all its values, with commas between"]
    );
    assert_eq!(
        told("include[]=containers&include[]=pod_terminal"),
        ["include[] is not known here; include holds all its values, with commas between"]
    );
    // What holds one value is no list however it is written.
    assert_eq!(told("q[]=a"), ["q[] is not known here"]);
    assert_eq!(told("q=a&q=b"), ["q is given more than once"]);
}

#[test]
fn a_parameter_may_have_two_names() {
    let query = read("filter[sought]=a");
    assert_eq!(query.value("q").and_then(Value::text), Some("a"));
    assert_eq!(query.called("q"), "filter[sought]");
    assert_eq!(refused("filter[sought]=a&q=a"), ["q"]);
}

fn on_the_fourth(raw: &str) -> Asked {
    let query = read(raw);
    let dates = query.value("filter[day]").and_then(Value::dates);
    dates.unwrap().asked(jiff::civil::date(2026, 1, 4))
}

fn days(first: &str, last: &str) -> Span {
    let at = |text: String| Some(text.parse().unwrap());
    (
        at(format!("{first}T00:00:00Z")),
        at(format!("{last}T23:59:59.999999Z")),
    )
}

#[test]
fn what_a_date_must_be() {
    let (second, third) = ("2026-01-02", "2026-01-03");
    let (first_of, last_of) = (days(second, second).0, days(third, third).1);
    for (given, within) in [
        ("2026-01-02", vec![days(second, second)]),
        ("=2026-01-02", vec![days(second, second)]),
        (">=2026-01-02", vec![(first_of, None)]),
        (">2026-01-01", vec![(first_of, None)]),
        ("<=2026-01-03", vec![(None, last_of)]),
        ("=<=2026-01-03", vec![(None, last_of)]),
        ("<2026-01-04", vec![(None, last_of)]),
        (">=2026-01-02,<=2026-01-03", vec![(first_of, last_of)]),
        (
            ">=2026-01-02,<2026-01-04,>=2026-01-01",
            vec![(first_of, last_of)],
        ),
        (">=2026-01-03,<=2026-01-02", vec![]),
        ("2026-01-02,2026-01-03", vec![days(second, third)]),
        (
            "2026-01-09,=2026-01-02,2026-01-09",
            vec![days(second, second), days("2026-01-09", "2026-01-09")],
        ),
        ("today", vec![days("2026-01-04", "2026-01-04")]),
        ("2.days.ago", vec![days(second, second)]),
        (">=2.days.ago,<today", vec![(first_of, last_of)]),
        (
            "0.days.ago,30.days.from_now",
            vec![
                days("2026-01-04", "2026-01-04"),
                days("2026-02-03", "2026-02-03"),
            ],
        ),
    ] {
        let asked = on_the_fourth(&format!("filter[day]={given}"));
        assert_eq!(asked.within, Some(within), "{given}");
        assert_eq!(asked.present, None, "{given}");
    }
    for bad in [
        "yesterday",
        "Today",
        "tomorrow",
        "days.ago",
        "-1.days.ago",
        "%2B1.days.ago",
        "99999.days.ago",
        "99999999999.days.from_now",
        "2.days",
        "1.day.ago",
        "2.weeks.ago",
        ">=",
        "=",
        "==2026-01-02",
        ">=soon",
        "=>@exists",
        "@exist",
        "@exists,2026-01-02",
        "@exists,@not_exists",
        "<=2026-01-03,2026-01-02",
        "~2026-01-02",
        "!=2026-01-02",
        ",",
    ] {
        for name in ["filter[day]", "filter[day][]"] {
            assert_eq!(refused(&format!("{name}={bad}")), [name], "{bad}");
        }
    }
    let many = vec!["2026-01-02"; TEXTS_MAX + 1].join(",");
    assert_eq!(refused(&format!("filter[day]={many}")), ["filter[day]"]);
}

#[test]
fn all_that_is_asked_of_a_date_holds() {
    let (second, third) = ("2026-01-02", "2026-01-03");
    for (given, within) in [
        (
            vec![">=2026-01-02", ">=2026-01-01", "<=2026-01-03"],
            vec![days(second, third)],
        ),
        (
            vec!["2026-01-02,2026-01-05", "<today"],
            vec![days(second, second)],
        ),
        (vec!["2026-01-02", "2026-01-03"], vec![]),
        (
            vec![
                "2026-01-02,2026-01-03,2026-01-06",
                "2026-01-03,2026-01-06,2026-01-08",
            ],
            vec![days(third, third), days("2026-01-06", "2026-01-06")],
        ),
        (vec!["", "2026-01-02", ""], vec![days(second, second)]),
    ] {
        let raw: Vec<String> = given
            .iter()
            .map(|one| format!("filter[day][]={one}"))
            .collect();
        let asked = on_the_fourth(&raw.join("&"));
        assert_eq!(asked.within, Some(within), "{given:?}");
    }
    let of = |raw: &str| {
        let asked = on_the_fourth(raw);
        (asked.present, asked.within)
    };
    assert_eq!(of("filter[day]=@exists"), (Some(true), None));
    assert_eq!(of("filter[day][]=@not_exists"), (Some(false), None));
    let both = "filter[day][]=@exists&filter[day][]=@not_exists";
    assert_eq!(of(both).1, Some(vec![]));
    let bound = "filter[day][]=@exists&filter[day][]=<=2026-01-03";
    assert_eq!(
        of(bound),
        (Some(true), Some(vec![(None, days(third, third).1)]))
    );
    let mut few = on_the_fourth("filter[day]=2026-01-01,2026-01-03");
    few.narrow(&[(days(second, second).0, None)]);
    assert_eq!(few.within, Some(vec![days(third, third)]));
}

#[test]
fn a_filter_that_nobody_filled_in_asks_nothing() {
    for blank in [
        "filter[status]=",
        "filter[status]",
        "filter[status]=%20",
        "filter[status][]=",
        "filter[status][]=&filter[status][]=+",
        "filter[day]=",
        "filter[day][]=",
        "filter[tracking_stopped]=",
        "filter[webhook]=",
        "filter[created_at][start]=",
        "filter[scac]=",
        "filter[custom_field][a]=",
    ] {
        let query = read(blank);
        assert!(query.is_plain(), "{blank}");
    }
    let query = read("filter[scac][]=&filter[scac][]=MSCU&filter[status]=");
    let texts = query.value("filter[scac]").and_then(Value::texts);
    assert_eq!(texts, Some(&["MSCU".to_owned()][..]));
}

#[test]
fn a_word_may_have_an_equals_sign_before_it() {
    let query = read("filter[status]==on_ship,%3Dnew");
    let words = query.value("filter[status]").and_then(Value::words);
    assert_eq!(words, Some(&["on_ship", "new"][..]));
    assert_eq!(refused("filter[status]===new"), ["filter[status]"]);
    assert_eq!(refused("filter[status]=!new"), ["filter[status]"]);
}

#[test]
fn what_keeps_caches_from_answering_says_nothing() {
    let query = read("_=1763&q=a&_=1764");
    assert_eq!(query.value("q").and_then(Value::text), Some("a"));
    assert_eq!(query.unnumbered, "q=a");
    assert_eq!(refused("__=1"), ["__"]);
    assert_eq!(refused("_[]=1"), ["_[]"]);
}

#[test]
fn a_parameter_can_be_under_names_of_the_callers_own() {
    let query = read("filter[custom_field][po]=4711&filter[custom_field][eta%20note]=%20late");
    let named: Vec<_> = query.named("filter[custom_field]").collect();
    assert_eq!(named, [("po", "4711"), ("eta note", "late")]);
}

#[test]
fn a_date_or_a_second_that_ends_a_range_lasts_to_its_end() {
    for (given, expected) in [
        ("2026-01-02", "2026-01-02T23:59:59.999999Z"),
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.999999Z"),
        ("2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05.999999Z"),
        ("2026-01-02T03:04:05.000Z", "2026-01-02T03:04:05Z"),
        ("2026-01-02T03:04:05.25Z", "2026-01-02T03:04:05.25Z"),
        ("9999-12-31", "9999-12-30T22:00:00.999999999Z"),
        ("9999-12-31T00:00:00Z", "9999-12-30T22:00:00.999999999Z"),
        ("0000-01-01", "0000-01-01T23:59:59.999999Z"),
        ("2026-01-02T03:04:05%2B00:00", "2026-01-02T03:04:05.999999Z"),
        ("2026-01-02T04:00:00-08:00", "2026-01-02T12:00:00.999999Z"),
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05.999999Z"),
        ("2026-01-02T03:04:05.25", "2026-01-02T03:04:05.25Z"),
        ("2026-01-02+03:04:05", "2026-01-02T03:04:05.999999Z"),
        ("2026-01-02%2003:04:05-08:00", "2026-01-02T11:04:05.999999Z"),
    ] {
        let query = read(&format!("filter[created_at][end]={given}"));
        let end = query
            .value("filter[created_at][end]")
            .and_then(Value::moment);
        assert_eq!(end, expected.parse().ok(), "{given}");
    }
}

#[test]
fn a_time_without_an_offset_is_one_of_utc() {
    for (given, expected) in [
        ("2026-01-02T03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02+03:04:05", "2026-01-02T03:04:05Z"),
        ("2026-01-02%2003:04", "2026-01-02T03:04:00Z"),
        ("2026-01-02%2003:04:05+02:00", "2026-01-02T01:04:05Z"),
        ("2026-01-02%2003:04:05.5Z", "2026-01-02T03:04:05.5Z"),
        ("2026-01-02", "2026-01-02T00:00:00Z"),
    ] {
        let query = read(&format!("filter[created_at][start]={given}"));
        let start = query
            .value("filter[created_at][start]")
            .and_then(Value::moment);
        assert_eq!(start, expected.parse().ok(), "{given}");
    }
    for given in [
        "2026-01-02T03:04:05[Europe/Berlin]",
        "2026-01-02[Europe/Berlin]",
        "2026-01-02T25:04:05",
    ] {
        for parameter in ["filter[created_at][start]", "filter[created_at][end]"] {
            assert_eq!(refused(&format!("{parameter}={given}")), [parameter]);
        }
    }
}

#[test]
fn a_text_is_measured_with_what_stands_around_it() {
    let most = "x".repeat(value::TEXT_CHARS_MAX - 1);
    read(&format!("q=+{most}"));
    assert_eq!(refused(&format!("q=+{most}+")), ["q"]);
}

#[test]
fn a_moment_that_no_store_could_keep_is_refused() {
    for given in [
        "-000001-12-31",
        "-000001-12-31T23:59:59.5Z",
        "-009999-01-01",
    ] {
        for parameter in ["filter[created_at][start]", "filter[created_at][end]"] {
            assert_eq!(refused(&format!("{parameter}={given}")), [parameter]);
        }
    }
}

#[test]
fn paths_become_one_tree() {
    let query = read("include=containers.pod_terminal,containers,port_of_lading");
    let names: Vec<_> = query.include.iter().map(|i| i.relationship).collect();
    assert_eq!(names, ["containers", "port_of_lading"]);
    assert_eq!(query.include[0].then[0].relationship, "pod_terminal");
}

#[test]
fn a_path_may_have_another_name() {
    let rules = Rules::of(&tracking_request::TYPE);
    let of = |raw: &str| {
        Query::parse(&format!("include={raw}"), &rules)
            .unwrap()
            .include
    };
    assert_eq!(of("shipment"), of("tracked_object"));
    assert_eq!(of("container"), of("tracked_object.containers"));
    assert_eq!(
        of("shipment.pol_terminal,container.shipment"),
        of("tracked_object.port_of_lading_terminal,tracked_object.containers.shipment")
    );
    assert!(Query::parse("include=containers", &rules).is_err());
    assert!(Query::parse("include=tracked_object.shipment", &rules).is_err());
}

#[test]
fn the_default_is_included_unless_something_is_asked() {
    let rules = Rules {
        include_by_default: &["tracked_object"],
        ..Rules::of(&tracking_request::TYPE)
    };
    let of = |raw| Query::parse(raw, &rules).unwrap().include;
    assert_eq!(of("")[0].relationship, "tracked_object");
    assert!(of("include=").is_empty());
    assert_eq!(of("include=customer")[0].relationship, "customer");
    let deep = of("include=tracked_object.containers");
    assert_eq!(deep[0].then[0].relationship, "containers");
}

#[test]
fn other_pages_keep_the_rest_of_the_query() {
    let query = read("q=a%26b&page%5Bnumber%5D=2&page%5Bsize%5D=5");
    assert_eq!(query.unnumbered, "q=a%26b&page[size]=5");
    assert_eq!(query.raw, "q=a%26b&page%5Bnumber%5D=2&page%5Bsize%5D=5");
}

#[test]
fn sparse_fields_are_of_declared_names() {
    let query = read("fields[container]=number,pod_terminal&fields[shipment]=");
    assert_eq!(query.fields_of("container").unwrap().len(), 2);
    assert_eq!(query.fields_of("shipment"), Some(&[][..]));
    assert_eq!(query.fields_of("port"), None);
}
