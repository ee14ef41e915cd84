//! Custom fields: which values are accepted, how they are kept and what people see.

use domain::custom_field::{
    Choice, DataType, Definition, EntityKind, Refused, Rules, RulesRefused, Value, is_slug,
};
use proptest::prelude::*;

fn of(data_type: DataType) -> Definition {
    Definition {
        entity: EntityKind::Shipment,
        api_slug: "field".into(),
        display_name: "Field".into(),
        description: None,
        data_type,
        reference_type: Some("party".into()),
        rules: Rules::default(),
        default_format: None,
        default_value: Value::Null,
    }
}

fn shown_as(data_type: DataType, format: &str) -> Definition {
    let definition = Definition {
        default_format: Some(format.into()),
        ..of(data_type)
    };
    assert_eq!(definition.check_format(format), Ok(()), "{format}");
    definition
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn number(digits: &str) -> Value {
    Value::Number(digits.parse().unwrap())
}

fn reference(kind: &str, id: &str) -> Value {
    Value::Object(vec![
        ("id".into(), text(id)),
        ("more".into(), Value::Null),
        ("type".into(), text(kind)),
    ])
}

fn colours() -> Vec<Choice> {
    let choice = |value: &str, label: &str| Choice {
        value: value.into(),
        label: label.into(),
    };
    vec![choice("red", "Crimson"), choice("blue", "Navy")]
}

#[test]
fn values_are_kept_in_one_form_and_shown_in_another() {
    use DataType as T;
    let list = |items: &[&str]| Value::List(items.iter().map(|item| text(item)).collect());
    let rows: Vec<(Definition, Value, Value, Option<&str>)> = vec![
        (
            of(T::ShortText),
            text("  PO 7 "),
            text("PO 7"),
            Some("PO 7"),
        ),
        (of(T::ShortText), text(" "), Value::Null, None),
        (of(T::ShortText), Value::Null, Value::Null, None),
        (
            of(T::Number),
            number("1.500000"),
            number("1.5"),
            Some("1.5"),
        ),
        (
            of(T::Number),
            number("123456789012.123456"),
            number("123456789012.123456"),
            Some("123456789012.123456"),
        ),
        (
            shown_as(T::Number, "%.2f"),
            number("-0.005"),
            number("-0.005"),
            Some("-0.01"),
        ),
        (
            shown_as(T::Number, "$#,##0.00"),
            number("-1234567.5"),
            number("-1234567.5"),
            Some("-$1,234,567.50"),
        ),
        (
            shown_as(T::Number, "0 kg"),
            number("999.5"),
            number("999.5"),
            Some("1000 kg"),
        ),
        (
            shown_as(T::Number, "%d%%"),
            number("12.4"),
            number("12.4"),
            Some("12%"),
        ),
        (
            of(T::Date),
            text("2026-02-26"),
            text("2026-02-26"),
            Some("2026-02-26"),
        ),
        (
            of(T::Date),
            text("26 Feb 2026"),
            text("2026-02-26"),
            Some("2026-02-26"),
        ),
        (
            of(T::Date),
            text("20260226"),
            text("2026-02-26"),
            Some("2026-02-26"),
        ),
        (
            of(T::Date),
            text("2026-02-26T23:30:00-08:00"),
            text("2026-02-26"),
            Some("2026-02-26"),
        ),
        (
            of(T::Date),
            text("2026-02-26T00:30:00Z"),
            text("2026-02-26"),
            Some("2026-02-26"),
        ),
        (
            shown_as(T::Date, "DD/MM/YYYY"),
            text("02/03/2026"),
            text("2026-03-02"),
            Some("02/03/2026"),
        ),
        (
            shown_as(T::Date, "%m/%d/%Y"),
            text("02/03/2026"),
            text("2026-02-03"),
            Some("02/03/2026"),
        ),
        (
            shown_as(T::Date, "%m/%d/%Y"),
            text("2026-02-03"),
            text("2026-02-03"),
            Some("02/03/2026"),
        ),
        (
            of(T::DateTime),
            text("2026-02-26T05:00:00.9Z"),
            text("2026-02-26T05:00:00Z"),
            Some("2026-02-26 05:00:00"),
        ),
        (
            of(T::DateTime),
            text("2026-02-26T05:00:00-08:00"),
            text("2026-02-26T13:00:00Z"),
            Some("2026-02-26 13:00:00"),
        ),
        (
            of(T::DateTime),
            text("2026-02-26 05:00"),
            text("2026-02-26T05:00:00Z"),
            Some("2026-02-26 05:00:00"),
        ),
        (
            of(T::DateTime),
            text("2026-01-05T10:00:00-05:00[America/New_York]"),
            text("2026-01-05T15:00:00Z"),
            Some("2026-01-05 15:00:00"),
        ),
        (
            of(T::DateTime),
            text("9999-12-31T23:59:59Z"),
            text("9999-12-31T23:59:59Z"),
            Some("9999-12-31 23:59:59"),
        ),
        (
            shown_as(T::DateTime, "MM/DD/YYYY hh:mm A"),
            text("01/05/2026 10:30 PM"),
            text("2026-01-05T22:30:00Z"),
            Some("01/05/2026 10:30 PM"),
        ),
        (
            shown_as(T::DateTime, "hh:mm A, MM/DD/YYYY"),
            text("10:30 PM, 01/05/2026"),
            text("2026-01-05T22:30:00Z"),
            Some("10:30 PM, 01/05/2026"),
        ),
        (
            shown_as(T::DateTime, "DD [de] MMM YYYY [a las] HH:mm"),
            text("05 de Jan 2026 a las 15:30"),
            text("2026-01-05T15:30:00Z"),
            Some("05 de Jan 2026 a las 15:30"),
        ),
        (
            shown_as(T::DateTime, "DD/MM/YYYY hh:mm"),
            text("05/01/2026 15:30"),
            text("2026-01-05T15:30:00Z"),
            Some("05/01/2026 15:30"),
        ),
        (
            shown_as(T::Date, "yyyy-mm-dd"),
            text("2026-01-05"),
            text("2026-01-05"),
            Some("2026-01-05"),
        ),
        (
            shown_as(T::DateTime, "YYYY-MM-DD[T]HH:mm[ o'clock]"),
            text("2026-01-05T22:30:00Z"),
            text("2026-01-05T22:30:00Z"),
            Some("2026-01-05T22:30 o'clock"),
        ),
        (
            shown_as(T::Date, "M/D/YYYY"),
            text("1/5/2026"),
            text("2026-01-05"),
            Some("1/5/2026"),
        ),
        (
            shown_as(T::Date, "dddd, MMMM D YYYY"),
            text("2026-01-05"),
            text("2026-01-05"),
            Some("Monday, January 5 2026"),
        ),
        (
            shown_as(T::DateTime, "DD.MM.YYYY HH:mm"),
            text("26.02.2026 17:30"),
            text("2026-02-26T17:30:00Z"),
            Some("26.02.2026 17:30"),
        ),
        (
            shown_as(T::DateTime, "YYYY-MM-DD HH:MM"),
            text("2026-02-26 17:30"),
            text("2026-02-26T17:30:00Z"),
            Some("2026-02-26 17:30"),
        ),
        (
            of(T::Boolean),
            Value::Boolean(true),
            Value::Boolean(true),
            Some("Yes"),
        ),
        (
            of(T::Boolean),
            Value::Boolean(false),
            Value::Boolean(false),
            Some("No"),
        ),
        (of(T::Enum), text("red"), text("red"), Some("Crimson")),
        (
            of(T::EnumMulti),
            list(&["blue", "red"]),
            list(&["blue", "red"]),
            Some("Navy, Crimson"),
        ),
        (of(T::EnumMulti), list(&[]), list(&[]), None),
        (
            of(T::Reference),
            reference("party", "p-1"),
            Value::Object(vec![
                ("type".into(), text("party")),
                ("id".into(), text("p-1")),
            ]),
            None,
        ),
    ];
    for (definition, sent, kept, shown) in rows {
        let told = format!("{:?} {sent:?}", definition.data_type);
        let accepted = definition.accept(sent, &colours());
        assert_eq!(accepted, Ok(kept.clone()), "{told}");
        assert_eq!(
            definition.display(&kept, &colours()).as_deref(),
            shown,
            "{told}"
        );
        let again = definition.accept(kept.clone(), &colours());
        assert_eq!(again, Ok(kept), "what is kept is accepted: {told}");
    }
}

#[test]
fn numbers_keep_their_digits() {
    for (digits, kept) in [("-1.50", "-1.50"), ("15e-1", "1.5"), ("2E3", "2000")] {
        assert_eq!(Value::number(digits), Ok(number(kept)));
    }
    let long = format!("0.{}1", "0".repeat(40));
    for beyond in ["1e-40", "1e400", "1e9999999999", &"9".repeat(40), &long] {
        assert_eq!(Value::number(beyond), Err(Refused::TooPrecise), "{beyond}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    use DataType as T;
    let rows: Vec<(DataType, Value)> = vec![
        (T::ShortText, number("1")),
        (T::ShortText, text("two\nlines")),
        (T::ShortText, text(&"x".repeat(10_001))),
        (T::Number, text("1")),
        (T::Number, number("1000000000000")),
        (T::Number, number("0.0000001")),
        (T::Date, text("02/03/2026")),
        (T::Date, text("2026-02-30")),
        (T::Date, text("soon")),
        (T::Date, text("-0001-01-01")),
        (T::Date, number("20260226")),
        (T::DateTime, text("2026-02-26T25:00:00Z")),
        (T::DateTime, text("2026-01-05T10:00:00[America/New_York]")),
        (T::DateTime, text("05:00")),
        (T::Boolean, text("yes")),
        (T::Enum, text("green")),
        (T::Enum, text("Crimson")),
        (T::Enum, Value::List(vec![text("red")])),
        (T::EnumMulti, text("red")),
        (T::EnumMulti, Value::List(vec![text("red"), text("red")])),
        (T::EnumMulti, Value::List(vec![text("red"), number("1")])),
        (T::Reference, reference("shipment", "p-1")),
        (T::Reference, reference("party", " ")),
        (T::Reference, reference("zzz", "p-1")),
        (T::Reference, text("p-1")),
        (T::Boolean, Value::List(vec![])),
    ];
    for (data_type, sent) in rows {
        let refused = of(data_type).accept(sent.clone(), &colours());
        assert!(refused.is_err(), "{data_type:?} {sent:?}: {refused:?}");
    }
}

#[test]
fn demands_are_met() {
    let with = |data_type, rules: Rules| {
        assert_eq!(rules.check(data_type), Ok(()));
        Definition {
            rules,
            ..of(data_type)
        }
    };
    let required = with(
        DataType::EnumMulti,
        Rules {
            required: Some(true),
            ..Rules::default()
        },
    );
    for nothing in [Value::Null, text(" "), Value::List(vec![])] {
        assert_eq!(required.accept(nothing, &colours()), Err(Refused::Blank));
    }
    let text_rules = with(
        DataType::ShortText,
        Rules {
            pattern: Some("^[A-Z]{2}".into()),
            min_length: Some(3),
            max_length: Some(4),
            ..Rules::default()
        },
    );
    let judge = |sent: &str| text_rules.accept(text(sent), &[]);
    assert!(judge("PO7").is_ok() && judge("ÄÖPO").is_err());
    assert_eq!(judge("PO"), Err(Refused::TooShort(3)));
    assert_eq!(judge("PO123"), Err(Refused::TooLong(4)));
    assert!(matches!(judge("po7"), Err(Refused::Pattern(_))));
    let number_rules = with(
        DataType::Number,
        Rules {
            min: Some("-1".parse().unwrap()),
            max: Some("2.5".parse().unwrap()),
            ..Rules::default()
        },
    );
    for (sent, fits) in [
        ("-1", true),
        ("2.5", true),
        ("-1.01", false),
        ("2.51", false),
    ] {
        assert_eq!(
            number_rules.accept(number(sent), &[]).is_ok(),
            fits,
            "{sent}"
        );
    }
}

#[test]
fn bad_demands_and_formats_are_refused_when_they_are_made() {
    let pattern = |pattern: &str| Rules {
        pattern: Some(pattern.into()),
        ..Rules::default()
    };
    for bad in [
        "(",
        "(?=x)",
        r"(x)\1",
        "(((a{100}){100}){100}){100}",
        &"(".repeat(400),
        &"x".repeat(501),
    ] {
        let refused = pattern(bad).check(DataType::ShortText);
        assert!(refused.is_err(), "{bad}: {refused:?}");
    }
    assert!(matches!(
        pattern("x").check(DataType::Number),
        Err(RulesRefused::NotForType {
            rule: "pattern",
            ..
        })
    ));
    let crossed = Rules {
        min_length: Some(5),
        max_length: Some(4),
        ..Rules::default()
    };
    assert!(crossed.check(DataType::ShortText).is_err());
    for (data_type, format) in [
        (DataType::Number, "%s"),
        (DataType::Number, "0.0000000"),
        (DataType::Number, "0,0"),
        (DataType::Number, "kg"),
        (DataType::Date, "%Q"),
        (DataType::Date, "today"),
        (DataType::Date, "YYYY-DDD"),
        (DataType::Date, "DD/MM/YYYY DD"),
        (DataType::Date, "%-F"),
        (DataType::Date, "YYYY/Q"),
        (DataType::Date, "D. of MMM"),
        (DataType::Date, "%Y%"),
        (DataType::DateTime, &"%Y".repeat(40)),
    ] {
        let refused = of(data_type).check_format(format);
        assert!(refused.is_err(), "{data_type:?} {format}");
    }
}

#[test]
fn a_new_label_is_seen_and_an_option_that_is_gone_shows_its_string() {
    let definition = of(DataType::EnumMulti);
    let kept = Value::List(vec![text("red"), text("blue")]);
    let mut choices = colours();
    choices[0].label = "Scarlet".into();
    choices.pop();
    assert_eq!(
        definition.display(&kept, &choices).as_deref(),
        Some("Scarlet, blue")
    );
}

#[test]
fn slugs() {
    for good in ["po", "customer_ref", "A-1.b", &"x".repeat(64)] {
        assert!(is_slug(good), "{good}");
    }
    for bad in ["", " po", "po/7", "pö", "a b", &"x".repeat(65)] {
        assert!(!is_slug(bad), "{bad}");
    }
}

proptest! {
    /// Whatever text is sent to whatever type: no panic, and what is accepted is accepted again as it is kept.
    #[test]
    fn accepting_is_settled_by_the_first_time(sent in ".{0,40}", kind in 0usize..8, format in prop::option::of("[%#,0.YyMDdHms/: -]{0,10}")) {
        let definition = Definition { default_format: format, ..of(DataType::ALL[kind]) };
        if let Ok(kept) = definition.accept(text(&sent), &colours()) {
            let _ = definition.display(&kept, &colours());
            if definition.default_format.is_none() {
                prop_assert_eq!(definition.accept(kept.clone(), &colours()), Ok(kept));
            }
        }
    }
}
