//! The file of a mapping, key by key.

use std::collections::BTreeMap;

use domain::codes::{Scac, UnLocode};
use domain::container::{FeeKind, HoldName, LfdOwner};
use domain::report::SourceKind;
use jiff::tz::TimeZone;

use super::super::clock::{Clocks, Order, is_form};
use super::super::money;
use super::{Action, Events, Field, Flag, Form, FormKind, Home, ListRule, Profile, Slot, Words};
use crate::ProfileError;
use crate::asking;
use crate::section::Section;

type Result<T> = std::result::Result<T, ProfileError>;

/// Reads a mapping.
pub(super) fn read(text: &str) -> Result<Profile> {
    let mut top = Section::of_document(text)?;
    let rail = match top.required_text("protocol")?.as_str() {
        "terminal-table" => false,
        "rail-rest" => true,
        other => {
            let reason = format!("is terminal-table or rail-rest, not {other:?}");
            return Err(top.bad("protocol", &reason));
        }
    };
    let id = id(&mut top)?;
    let (kind, owner) = speaker(&mut top, rail)?;
    let home = home(&mut top)?;
    let railroad = top
        .text("railroad")?
        .map(|code| scac(&top, &code))
        .transpose()?;
    let mut addresses = Addresses::default();
    let form = form(top.table_or_empty("format")?)?;
    let (container, fields) = columns(top.required_table("columns")?, &mut addresses)?;
    let (holds, flags) = holds(top.table_or_empty("holds")?, &mut addresses)?;
    let money = fees(top.table_or_empty("fees")?, &mut addresses)?;
    let moves = actions(&mut top, "moves", &mut addresses)?;
    let estimates = actions(&mut top, "estimates", &mut addresses)?;
    let events = top
        .table("events")?
        .map(|t| events(t, &mut addresses))
        .transpose()?;
    let words = words(top.table_or_empty("words")?)?;
    let clocks = clocks(top.table_or_empty("times")?)?;
    let pounds = match top.text("mass")?.as_deref() {
        None | Some("kg") => false,
        Some("lb") => true,
        Some(other) => return Err(top.bad("mass", &format!("is kg or lb, not {other:?}"))),
    };
    let asking = asking::read(&mut top)?;
    if home.terminal.is_none() && home.port.is_none() && !rail && !names_places(&fields) {
        return Err(top.bad(
            "terminal",
            "is missing: without it, or port, or a column locode or splc, nobody knows where the boxes are",
        ));
    }
    top.finish()?;
    Ok(Profile {
        id,
        kind,
        owner,
        railroad,
        asking,
        home,
        form,
        addresses: addresses.0,
        container,
        fields,
        flags,
        amounts: money.amounts,
        moves,
        estimates,
        holds,
        fees: money.list,
        events,
        words,
        clocks,
        currency: money.currency,
        decimal_comma: money.decimal_comma,
        zero_is_unposted: money.zero_is_unposted,
        pounds,
    })
}

fn names_places(fields: &BTreeMap<Field, Slot>) -> bool {
    fields.contains_key(&Field::Locode) || fields.contains_key(&Field::Splc)
}

pub(crate) fn id(top: &mut Section) -> Result<String> {
    let id = top.required_text("id")?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if id.len() > 64 || !id.chars().all(plain) {
        return Err(top.bad(
            "id",
            "has at most 64 letters, digits, dashes, dots and underscores",
        ));
    }
    Ok(id)
}

fn speaker(top: &mut Section, rail: bool) -> Result<(SourceKind, LfdOwner)> {
    let usual = if rail { "railroad" } else { "terminal" };
    let said = top.text("speaker")?;
    match said.as_deref().unwrap_or(usual) {
        "terminal" => Ok((SourceKind::TerminalApi, LfdOwner::Terminal)),
        "railroad" => Ok((SourceKind::RailApi, LfdOwner::Rail)),
        "line" => Ok((SourceKind::CarrierApi, LfdOwner::Line)),
        other => {
            let reason = format!("is terminal, railroad or line, not {other:?}");
            Err(top.bad("speaker", &reason))
        }
    }
}

fn scac(table: &Section, code: &str) -> Result<Scac> {
    Scac::parse(code).map_err(|error| table.bad("railroad", &error.to_string()))
}

fn home(top: &mut Section) -> Result<Home> {
    let terminal = top.text("terminal")?;
    let port = top.text("port")?;
    let place = |key, code: &str| UnLocode::parse(code).map_err(|e| top.bad(key, &e.to_string()));
    let port = match (&terminal, port) {
        (Some(_), Some(_)) => return Err(top.bad("port", "is part of terminal; give one of them")),
        (Some(code), None) => {
            let first = code.split('-').next().unwrap_or_default();
            Some(place("terminal", first)?)
        }
        (None, Some(code)) => Some(place("port", &code)?),
        (None, None) => None,
    };
    let facility = top.text("facility")?;
    if facility.is_some() && (terminal.is_some() || port.is_none()) {
        return Err(top.bad("facility", "stands beside port"));
    }
    Ok(Home {
        terminal,
        port,
        facility,
    })
}

fn form(mut table: Section) -> Result<Form> {
    let kind = match table.text("kind")?.as_deref() {
        None => None,
        Some("csv") => Some(FormKind::Csv),
        Some("xlsx") => Some(FormKind::Xlsx),
        Some("json") => Some(FormKind::Json),
        Some(other) => {
            let reason = format!("is csv, xlsx or json, not {other:?}");
            return Err(table.bad("kind", &reason));
        }
    };
    let separator = match table.text("separator")?.as_deref() {
        None => None,
        Some("tab") => Some(b'\t'),
        Some(one) if one.len() == 1 && one.is_ascii() => one.bytes().next(),
        Some(_) => return Err(table.bad("separator", "is one character, or the word tab")),
    };
    let header = Some(table.number("header_row", 0, 0..=1000)?).filter(|row| *row > 0);
    let form = Form {
        kind,
        separator,
        header,
        sheet: table.text("sheet")?,
        records: table.text("records")?.unwrap_or_default(),
    };
    table.finish()?;
    Ok(form)
}

/// Every column or path once, in the order in which they are named.
#[derive(Default)]
struct Addresses(Vec<String>);

impl Addresses {
    fn slot(&mut self, address: String) -> Slot {
        let known = self.0.iter().position(|known| *known == address);
        Slot(known.unwrap_or_else(|| {
            self.0.push(address);
            self.0.len() - 1
        }))
    }
}

fn columns(
    mut table: Section,
    addresses: &mut Addresses,
) -> Result<(Vec<Slot>, BTreeMap<Field, Slot>)> {
    let parts = table.texts("container")?;
    if parts.is_empty() || parts.len() > 3 || parts.iter().any(|part| part.trim().is_empty()) {
        return Err(table.bad(
            "container",
            "is the column with the box's number, or a list of the columns with its parts",
        ));
    }
    let container = parts.into_iter().map(|part| addresses.slot(part)).collect();
    let mut fields = BTreeMap::new();
    for (key, field) in Field::ALL {
        if let Some(address) = table.text(key)? {
            fields.insert(field, addresses.slot(address));
        }
    }
    table.finish()?;
    Ok((container, fields))
}

fn list_rule(table: &mut Section, name: &str, between: &[&str]) -> Result<ListRule> {
    let member = |said: Option<String>, usual: &str| said.unwrap_or_else(|| usual.to_owned());
    let separators = table.texts("separator")?;
    let usual = || between.iter().map(|text| (*text).to_owned()).collect();
    Ok(ListRule {
        complete: table.flag("complete")?,
        separators: if separators.is_empty() {
            usual()
        } else {
            separators
        },
        name: member(table.text("name")?, name),
        status: member(table.text("status")?, "status"),
        description: String::new(),
        amount: String::new(),
        currency: String::new(),
        paid_at: String::new(),
    })
}

/// Columns or members that may tell of one hold.
const FLAG_PATHS_MAX: usize = 4;

fn holds(mut table: Section, addresses: &mut Addresses) -> Result<(ListRule, Vec<Flag>)> {
    let mut rule = list_rule(&mut table, "name", &[";", ",", "|", "/"])?;
    let description = table.text("description")?;
    rule.description = description.unwrap_or_else(|| "description".into());
    let mut flags = Vec::new();
    for (key, yes_releases) in [("flags", false), ("released", true)] {
        let Some(mut of) = table.table(key)? else {
            continue;
        };
        for (word, name) in HOLDS {
            let paths = of.texts(word)?;
            if paths.len() > FLAG_PATHS_MAX || paths.iter().any(|path| path.trim().is_empty()) {
                let reason = format!("is a column or path, or up to {FLAG_PATHS_MAX} of them");
                return Err(of.bad(word, &reason));
            }
            let slots: Vec<Slot> = paths.into_iter().map(|path| addresses.slot(path)).collect();
            if !slots.is_empty() {
                flags.push(Flag {
                    name,
                    word: word.to_owned(),
                    slots,
                    yes_releases,
                });
            }
        }
        of.finish()?;
    }
    table.finish()?;
    Ok((rule, flags))
}

struct Money {
    list: ListRule,
    amounts: Vec<(FeeKind, String, Slot)>,
    currency: Option<String>,
    decimal_comma: bool,
    zero_is_unposted: bool,
}

fn fees(mut table: Section, addresses: &mut Addresses) -> Result<Money> {
    let currency = table.text("currency")?;
    if currency.as_ref().is_some_and(|code| !money::is_code(code)) {
        return Err(table.bad("currency", "is three capital letters (ISO 4217)"));
    }
    let currency_member = table.text("currency_member")?;
    let mut list = list_rule(&mut table, "type", &[";", "|"])?;
    list.amount = table.text("amount")?.unwrap_or_else(|| "amount".into());
    list.currency = currency_member.unwrap_or_else(|| "currency".into());
    list.paid_at = table.text("paid_at")?.unwrap_or_default();
    let mut amounts = Vec::new();
    if let Some(mut of) = table.table("amounts")? {
        for (word, kind) in FEES {
            if let Some(address) = of.text(word)? {
                amounts.push((kind, word.to_owned(), addresses.slot(address)));
            }
        }
        of.finish()?;
    }
    let money = Money {
        list,
        amounts,
        currency,
        decimal_comma: table.flag("decimal_comma")?,
        zero_is_unposted: table.flag("zero_is_unposted")?,
    };
    table.finish()?;
    Ok(money)
}

const HOLDS: [(&str, HoldName); 6] = [
    ("freight", HoldName::Freight),
    ("customs", HoldName::Customs),
    ("usda", HoldName::Usda),
    ("vacis", HoldName::Vacis),
    ("tmf", HoldName::Tmf),
    ("other", HoldName::Other),
];

const FEES: [(&str, FeeKind); 5] = [
    ("demurrage", FeeKind::Demurrage),
    ("exam", FeeKind::Exam),
    ("extended_dwell_time", FeeKind::ExtendedDwellTime),
    ("other", FeeKind::Other),
    ("total", FeeKind::Total),
];

fn actions(
    top: &mut Section,
    key: &str,
    addresses: &mut Addresses,
) -> Result<Vec<(Action, String, Slot)>> {
    let Some(mut table) = top.table(key)? else {
        return Ok(Vec::new());
    };
    let mut found = Vec::new();
    for name in table.names() {
        let action = Action::named(&name);
        let Some(action @ Action::Move { .. }) = action else {
            let reason = format!("is no move; a move is one of {}", Action::NAMES);
            return Err(table.bad(&name, &reason));
        };
        let address = table.required_text(&name)?;
        found.push((action, name, addresses.slot(address)));
    }
    Ok(found)
}

/// In so many lists of a row happenings may stand.
const EVENT_LISTS_MAX: usize = 4;

fn events(mut table: Section, addresses: &mut Addresses) -> Result<Events> {
    let lists = table.texts("list")?;
    let is_empty = lists.iter().any(|list| list.trim().is_empty());
    if lists.is_empty() || lists.len() > EVENT_LISTS_MAX || is_empty {
        let reason = format!("is the path of the list, or up to {EVENT_LISTS_MAX} of them");
        return Err(table.bad("list", &reason));
    }
    for list in &lists {
        addresses.slot(list.clone());
    }
    let mut member = |key: &str| table.text(key).map(Option::unwrap_or_default);
    let mut events = Events {
        lists,
        code: member("code")?,
        at: member("at")?,
        splc: member("splc")?,
        locode: member("locode")?,
        facility: member("facility")?,
        city: member("city")?,
        state: member("state")?,
        classifier: member("classifier")?,
        railroad: member("railroad")?,
        estimated: Vec::new(),
        actual: Vec::new(),
    };
    events.estimated = capitals(table.texts("estimated")?);
    events.actual = capitals(table.texts("actual")?);
    for (key, said) in [("code", &events.code), ("at", &events.at)] {
        if said.is_empty() {
            return Err(table.bad(key, "is missing"));
        }
    }
    table.finish()?;
    Ok(events)
}

fn words(mut table: Section) -> Result<Words> {
    let words = Words {
        holds: named(&mut table, "holds", |name| {
            HOLDS
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, hold)| *hold)
        })?,
        fees: named(&mut table, "fees", |name| {
            FEES.iter()
                .find(|(known, _)| *known == name)
                .map(|(_, fee)| *fee)
        })?,
        status: named(&mut table, "status", Action::named)?,
        yes: capitals(table.texts("yes")?),
        no: capitals(table.texts("no")?),
        held: capitals(table.texts("held")?),
        pending: capitals(table.texts("pending")?),
        released: capitals(table.texts("released")?),
        paid: capitals(table.texts("paid")?),
        owed: capitals(table.texts("owed")?),
        none: capitals(table.texts("none")?),
    };
    table.finish()?;
    Ok(words)
}

fn named<T>(
    table: &mut Section,
    key: &str,
    known: impl Fn(&str) -> Option<T>,
) -> Result<BTreeMap<String, T>> {
    let Some(mut table) = table.table(key)? else {
        return Ok(BTreeMap::new());
    };
    let mut found = BTreeMap::new();
    for word in table.names() {
        let name = table.required_text(&word)?;
        let meaning = known(&name).ok_or_else(|| {
            let all = match key {
                "holds" => "freight, customs, usda, vacis, tmf or other",
                "fees" => "demurrage, exam, extended_dwell_time, other or total",
                _ => Action::NAMES,
            };
            table.bad(&word, &format!("is one of {all}, not {name:?}"))
        })?;
        found.insert(word.to_uppercase(), meaning);
    }
    Ok(found)
}

fn capitals(words: Vec<String>) -> Vec<String> {
    words
        .into_iter()
        .map(|word| word.trim().to_uppercase())
        .collect()
}

fn clocks(mut table: Section) -> Result<Clocks> {
    let order = match table.text("dates")?.as_deref() {
        None => None,
        Some("month-first") => Some(Order::MonthFirst),
        Some("day-first") => Some(Order::DayFirst),
        Some(other) => {
            let reason = format!("is month-first or day-first, not {other:?}");
            return Err(table.bad("dates", &reason));
        }
    };
    let formats = table.texts("formats")?;
    if let Some(form) = formats.iter().find(|form| !is_form(form)) {
        return Err(table.bad(
            "formats",
            &format!("{form:?} is no form of a date: one has at least %Y or %y, %m or %b, and %d"),
        ));
    }
    let zone = table.text("zone")?;
    let zone = zone.map(|name| {
        TimeZone::get(&name)
            .map_err(|_| table.bad("zone", &format!("{name:?} is no IANA time zone")))
    });
    let clocks = Clocks {
        formats,
        order,
        z_is_local: table.flag("z_is_local")?,
        midnight_is_day: table.flag("midnight_is_day")?,
        zone: zone.transpose()?,
    };
    table.finish()?;
    Ok(clocks)
}
