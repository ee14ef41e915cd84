//! What parameters of lists mean to the store.

use domain::codes::{Scac, UnLocode};
use domain::custom_field::EntityKind;
use domain::ids::{CustomFieldDefinitionId, PartyId};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use jsonapi::error::ErrorItem;
use jsonapi::query::{Asked, Query, Value, plain};
use sources::registry::Registry;
use store::custom_field::definition;
use store::{Order, Range, Spans};

use crate::call::Reading;
use crate::failure::Failure;

/// Parties that a name may stand for in a filter.
const PARTIES_MAX: usize = 1_000;
/// The parameter under which custom fields are asked for.
pub(crate) const CUSTOM_FIELD: &str = "filter[custom_field]";

/// The ends of when a record was created.
pub(crate) const CREATED_BETWEEN: [&str; 2] =
    ["filter[created_at][start]", "filter[created_at][end]"];
/// The ends of when it last changed.
pub(crate) const UPDATED_BETWEEN: [&str; 2] =
    ["filter[updated_at][start]", "filter[updated_at][end]"];

/// The order asked for; the newest first when nothing is.
pub(crate) fn order(query: &Query) -> Order {
    query.sort.and_then(Order::parse).unwrap_or_default()
}

/// A text. A blank one, where that is allowed, asks for nothing.
pub(crate) fn text(query: &Query, name: &str) -> Option<String> {
    let text = query.value(name).and_then(Value::text);
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

/// True or false.
pub(crate) fn boolean(query: &Query, name: &str) -> Option<bool> {
    query.value(name).and_then(Value::boolean)
}

/// Words; none when nothing is asked.
pub(crate) fn words(query: &Query, name: &str) -> Vec<&'static str> {
    let words = query.value(name).and_then(Value::words);
    words.unwrap_or_default().to_vec()
}

/// Texts of a comma list; none when nothing is asked.
pub(crate) fn texts(query: &Query, name: &str) -> Vec<String> {
    let texts = query.value(name).and_then(Value::texts);
    texts.unwrap_or_default().to_vec()
}

/// A range of time by the names of its two ends.
pub(crate) fn range(query: &Query, [start, end]: [&str; 2]) -> Range {
    let moment = |name| query.value(name).and_then(Value::moment);
    (moment(start), moment(end))
}

/// What is left of this range by what else is asked of the same date under this name. Days are those of UTC.
pub(crate) fn dates((start, end): Range, query: &Query, name: &str, now: Timestamp) -> Asked {
    let today = now.to_zoned(TimeZone::UTC).date();
    let asked = query.value(name).and_then(Value::dates);
    let mut asked = asked.map(|dates| dates.asked(today)).unwrap_or_default();
    if start.is_some() || end.is_some() {
        asked.narrow(&[(start, end)]);
    }
    asked
}

/// What is asked of a date that every record has, under its name and those of its two ends. Days are those of UTC.
pub(crate) fn always(ends: [&str; 2], query: &Query, name: &str, now: Timestamp) -> Spans {
    let asked = dates(range(query, ends), query, name, now);
    match asked.present {
        Some(false) => Some(Vec::new()),
        Some(true) | None => asked.within,
    }
}

/// Whether those are asked for whose tracking stopped, or the others, under either name, where they do not gainsay each other.
pub(crate) fn tracking_stopped(query: &Query) -> Result<Option<bool>, Failure> {
    let stopped = boolean(query, "filter[tracking_stopped]");
    let name = "filter[actively_tracked]";
    let tracked = boolean(query, name);
    if tracked.is_some() && tracked == stopped {
        return Err(refused(
            name,
            "is the other way round than filter[tracking_stopped]",
        ));
    }
    Ok(stopped.or(tracked.map(|tracked| !tracked)))
}

/// A customer, when one is asked for, under either name.
pub(crate) fn customers(query: &Query, names: &[&str]) -> Option<Vec<PartyId>> {
    let asked: Vec<PartyId> = names
        .iter()
        .filter_map(|name| query.value(name).and_then(Value::id))
        .map(PartyId)
        .collect();
    let (first, others) = asked.split_first()?;
    // Both names with different parties: nobody is both.
    let same = others.iter().all(|other| other == first);
    Some(if same { vec![*first] } else { Vec::new() })
}

/// The parties that are customers and have this in their name, among those asked for otherwise. 400 where they are too many to
/// look for.
pub(crate) fn customers_named(
    reading: &mut Reading<'_>,
    name: Option<&str>,
    asked: Option<Vec<PartyId>>,
) -> Result<Option<Vec<PartyId>>, Failure> {
    let Some(name) = name else { return Ok(asked) };
    let mut named = store::party::named(&mut reading.account(), name)?;
    named.retain(|party| asked.as_ref().is_none_or(|asked| asked.contains(party)));
    let count = named.len();
    if count > PARTIES_MAX {
        let detail = format!(
            "the names of {count} parties contain this, and at most {PARTIES_MAX} can be looked for: give more of the name"
        );
        return Err(ErrorItem::parameter("filter[customer_name]".to_owned(), detail).into());
    }
    Ok(Some(named))
}

/// The custom fields asked for, by their definitions. 400 for one that such a record cannot have.
pub(crate) fn custom_fields(
    reading: &mut Reading<'_>,
    entity: EntityKind,
) -> Result<Vec<(CustomFieldDefinitionId, String)>, Failure> {
    let query = reading.query;
    let mut fields = Vec::new();
    for (slug, text) in query.named(CUSTOM_FIELD) {
        let found = definition::find_slug(&mut reading.account(), slug)?;
        let found = found.filter(|found| found.definition.entity == entity);
        let Some(found) = found else {
            let name = format!("{CUSTOM_FIELD}[{slug}]");
            let detail = format!("'{slug}' is no custom field of a {}", entity.as_str());
            return Err(ErrorItem::parameter(name, detail).into());
        };
        fields.push((found.id, found.plain(text)));
    }
    Ok(fields)
}

/// Shipping lines.
pub(crate) fn scacs(
    query: &Query,
    name: &'static str,
    registry: &Registry,
) -> Result<Vec<Scac>, Failure> {
    codes(query, name, |text| {
        let scac = Scac::parse(text).map_err(|why| why.to_string())?;
        Ok(main_code(scac, registry))
    })
}

/// The code under which records of a line are kept, whichever of its codes is given.
pub(crate) fn main_code(scac: Scac, registry: &Registry) -> Scac {
    registry.shipping_line(scac).map_or(scac, |line| line.scac)
}

/// UN/LOCODEs, each as records have it, whichever of its port's codes is given.
pub(crate) fn ports(
    query: &Query,
    name: &'static str,
    registry: &Registry,
) -> Result<Vec<UnLocode>, Failure> {
    codes(query, name, |text| {
        // What was stored before may have another form than codes have now, and is found as it is shown.
        let code = UnLocode::from_store(text).map_err(|why| why.to_string())?;
        Ok(registry.gazetteer().canonical(code))
    })
}

/// Ports as [`ports`] reads them, or in their place that there is one, or none: `@exists`, `@not_exists`.
pub(crate) fn ports_or_presence(
    query: &Query,
    name: &'static str,
    registry: &Registry,
) -> Result<(Vec<UnLocode>, Option<bool>), Failure> {
    match texts(query, name).as_slice() {
        [text] if text == "@exists" => Ok((Vec::new(), Some(true))),
        [text] if text == "@not_exists" => Ok((Vec::new(), Some(false))),
        _ => Ok((ports(query, name, registry)?, None)),
    }
}

/// What a comma list names, each read by this. 400 for one that it does not know.
pub(crate) fn codes<T>(
    query: &Query,
    name: &'static str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let called = query.called(name);
    let read = |text: &String| read(plain(text)).map_err(|why| refused(called, &why));
    texts(query, name).iter().map(read).collect()
}

/// 400 for a value that fits its parameter's form and means nothing.
pub(crate) fn refused(name: &str, why: &str) -> Failure {
    ErrorItem::parameter(name, format!("{name}: {why}")).into()
}
