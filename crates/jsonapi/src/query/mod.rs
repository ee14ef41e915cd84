//! The query string, read against closed lists.
//!
//! A parameter that is not on the list, a value that does not fit and a name that appears twice are each one
//! fault with the exact name the caller wrote, all of them at once. Nothing of the text ever reaches SQL: a
//! filter is a name of ours with a typed value.

mod dates;
mod decode;
mod include;
mod value;

pub use dates::{Asked, Dates, Span};
pub use include::{Include, aliases};
pub use value::{Holds, Parameter, TEXT_CHARS_MAX, TEXTS_MAX, Value, names_a_second, plain};

use crate::error::ErrorItem;
use crate::schema::Type;
use decode::Pair;

/// Rows on a page at most; a larger wish is cut to this.
pub const PAGE_SIZE_MAX: u64 = 100;
/// Rows on a page when nothing is asked and the operation has no wish of its own.
pub const PAGE_SIZE_DEFAULT: u64 = 30;
/// Parameters of one request at most.
pub const PARAMETERS_MAX: usize = 64;
/// What clients add so that no cache answers in our place; it says nothing.
const CACHE_BUSTER: &str = "_";

/// What an operation understands.
#[derive(Debug)]
pub struct Rules {
    /// The type of its rows; `None` where it answers no resource (nothing can be included or cut then).
    pub resource: Option<&'static Type>,
    /// Paths included when the caller asks for none.
    pub include_by_default: &'static [&'static str],
    /// Filters and other parameters, by their whole name (`filter[created_at][start]`).
    pub parameters: &'static [Parameter],
    /// Accepted values of `sort`, the default first. Empty: `sort` is unknown.
    pub sorts: &'static [&'static str],
    /// What `sort` means, for the reference.
    pub sort_about: &'static str,
    /// Whether the list comes in pages.
    pub paged: bool,
    /// Whether it comes whole to who asks for a page all the same: the first is all of it, and there is no other.
    pub whole: bool,
    /// Rows on a page when nothing is asked.
    pub page_size: u64,
}

impl Rules {
    /// Nothing at all is understood.
    pub const NONE: Self = Self {
        resource: None,
        include_by_default: &[],
        parameters: &[],
        sorts: &[],
        sort_about: "The order.",
        paged: false,
        whole: false,
        page_size: PAGE_SIZE_DEFAULT,
    };

    /// `include` and `fields` of this type.
    pub const fn of(resource: &'static Type) -> Self {
        Self {
            resource: Some(resource),
            ..Self::NONE
        }
    }
}

/// A query string that fits its rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// What to put into `included`.
    pub include: Vec<Include>,
    /// Whether that was asked for, and is not what the operation includes by itself.
    pub asks_include: bool,
    /// Fields to keep, by type.
    pub fields: Vec<(&'static str, Vec<String>)>,
    /// The order asked for; `None`: the first of the rules.
    pub sort: Option<&'static str>,
    /// From 1.
    pub page_number: u64,
    /// 1 to [`PAGE_SIZE_MAX`].
    pub page_size: u64,
    /// As it came.
    pub raw: String,
    /// Without `page[number]`, brackets written as such.
    pub unnumbered: String,
    values: Vec<Given>,
}

/// A value under its parameter.
#[derive(Clone, Debug, PartialEq)]
struct Given {
    name: &'static str,
    /// What the caller calls it.
    called: String,
    value: Value,
}

impl Query {
    /// Reads `raw` (what stands behind the question mark).
    pub fn parse(raw: &str, rules: &Rules) -> Result<Self, Vec<ErrorItem>> {
        let mut pairs = decode::pairs(raw)?;
        pairs.retain(|pair| pair.name != CACHE_BUSTER);
        let mut reading = Reading {
            rules,
            query: Self::empty(raw, rules),
            faults: Vec::new(),
        };
        for (place, pair) in pairs.iter().enumerate() {
            let mut earlier = pairs.iter().take(place);
            if earlier.any(|other| reading.is_same(&other.name, &pair.name)) {
                reading.repeated(&pairs, pair);
            } else {
                reading.take(&pair.name, &given(&pairs, pair));
            }
        }
        reading.finish(&pairs)
    }

    /// Whether no more is asked for than the first page as it is, or one record by itself.
    pub fn is_plain(&self) -> bool {
        self.include.is_empty()
            && self.page_number == 1
            && self.sort.is_none()
            && self.values.is_empty()
    }

    /// Rows before the page.
    pub fn offset(&self) -> u64 {
        (self.page_number.saturating_sub(1)).saturating_mul(self.page_size)
    }

    /// The value of a parameter of the rules.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.given(name).map(|given| &given.value)
    }

    /// What the caller calls this parameter, which may have several names.
    pub fn called<'q>(&'q self, name: &'q str) -> &'q str {
        self.given(name).map_or(name, |given| &given.called)
    }

    fn given(&self, name: &str) -> Option<&Given> {
        self.values.iter().find(|given| given.name == name)
    }

    /// The values of a parameter under names of the caller's own.
    pub fn named(&self, name: &str) -> impl Iterator<Item = (&str, &str)> {
        let values = self.values.iter().filter(move |given| given.name == name);
        values.filter_map(|given| match &given.value {
            Value::Named(own, text) => Some((own.as_str(), text.as_str())),
            _ => None,
        })
    }

    /// The fields to keep of a type; `None` keeps all.
    pub fn fields_of(&self, kind: &str) -> Option<&[String]> {
        self.fields
            .iter()
            .find(|(known, _)| *known == kind)
            .map(|(_, fields)| fields.as_slice())
    }

    fn empty(raw: &str, rules: &Rules) -> Self {
        Self {
            page_number: 1,
            page_size: rules.page_size,
            raw: raw.to_owned(),
            ..Self::default()
        }
    }
}

struct Reading<'a> {
    rules: &'a Rules,
    query: Query,
    faults: Vec<ErrorItem>,
}

impl Reading<'_> {
    fn take(&mut self, name: &str, given: &[&str]) {
        if let Some(parameter) = self.parameter(name) {
            if parameter.is_filter() && given.iter().all(|text| text.trim().is_empty()) {
                return;
            }
            match parameter.read(name, given) {
                Ok(value) => self.query.values.push(Given {
                    name: parameter.name,
                    called: name.to_owned(),
                    value,
                }),
                Err(why) => self.fault(name, &why),
            }
            return;
        }
        let value = given.first().copied().unwrap_or_default();
        match (name, self.rules.resource) {
            ("include", Some(resource)) => {
                self.query.asks_include = true;
                match include::read(value, resource) {
                    Ok(include) => self.query.include = include,
                    Err(why) => self.faults.extend(why),
                }
            }
            ("sort", _) if !self.rules.sorts.is_empty() => self.sort(value),
            ("page[number]", _) if self.rules.paged || self.rules.whole => {
                self.page_number(value);
            }
            ("page[size]", _) if self.rules.paged || self.rules.whole => {
                self.page_size(value);
            }
            (_, Some(_)) if name.starts_with("fields[") => self.fields(name, value),
            _ => self.unknown(name),
        }
    }

    /// The parameter of this name, if it is one of the rules.
    fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        let mut parameters = self.rules.parameters.iter();
        parameters.find(|parameter| parameter.is_called(name))
    }

    /// Whether both are names of one thing.
    fn is_same(&self, one: &str, other: &str) -> bool {
        let known = [one, other].map(|name| self.parameter(name));
        match known {
            [Some(one), Some(other)] if !matches!(one.holds, Holds::Named) => {
                one.name == other.name
            }
            _ => one == other,
        }
    }

    fn unknown(&mut self, name: &str) {
        let bare = name.strip_suffix("[]").unwrap_or_default();
        if self.is_list(bare) {
            let why =
                format!("is not known here; {bare} holds all its values, with commas between");
            self.fault(name, &why);
        } else {
            self.fault(name, "is not known here");
        }
    }

    fn repeated(&mut self, pairs: &[Pair], pair: &Pair) {
        let name = pair.name.as_str();
        let mut same = pairs.iter().filter(|other| self.is_same(&other.name, name));
        let is_whole = same.all(|other| other.name == name);
        if is_list_in_parts(name) && (is_whole || self.parameter(name).is_none()) {
            // Read, or told, with the first.
            return;
        }
        if self.is_list(name) {
            self.fault(
                name,
                "is given more than once; it holds all its values, with commas between",
            );
        } else {
            self.fault(name, "is given more than once");
        }
    }

    fn is_list(&self, name: &str) -> bool {
        let mut known = self.rules.parameters.iter();
        (name == "include" && self.rules.resource.is_some())
            || known.any(|parameter| parameter.is_called(name) && parameter.holds.is_list())
    }

    fn sort(&mut self, value: &str) {
        self.query.sort = self.rules.sorts.iter().copied().find(|one| *one == value);
        if self.query.sort.is_none() {
            let known = self.rules.sorts.join(", ");
            self.fault("sort", &format!("must be one of: {known}"));
        }
    }

    fn page_number(&mut self, value: &str) {
        match value.parse::<u32>() {
            Ok(number) if number >= 1 && is_digits(value) => {
                self.query.page_number = u64::from(number);
            }
            _ => self.fault(
                "page[number]",
                "must be a whole number from 1 to 4294967295",
            ),
        }
    }

    fn page_size(&mut self, value: &str) {
        let size = value.parse::<u64>().unwrap_or(PAGE_SIZE_MAX);
        if is_digits(value) && size >= 1 {
            self.query.page_size = size.min(PAGE_SIZE_MAX);
        } else {
            self.fault("page[size]", "must be a whole number from 1");
        }
    }

    fn fields(&mut self, name: &str, value: &str) {
        let kind = name
            .strip_prefix("fields[")
            .and_then(|rest| rest.strip_suffix(']'))
            .and_then(crate::resource::named);
        let Some(kind) = kind else {
            return self.fault(name, "names no resource type");
        };
        let fields: Vec<String> = names(value).map(str::to_owned).collect();
        let known =
            |field: &String| kind.attribute(field).is_some() || kind.relationship(field).is_some();
        if let Some(unknown) = fields.iter().find(|field| !known(field)) {
            return self.fault(
                name,
                &format!("names '{unknown}', which a {} has not", kind.name),
            );
        }
        self.query.fields.push((kind.name, fields));
    }

    fn fault(&mut self, name: &str, why: &str) {
        self.faults
            .push(ErrorItem::parameter(name, format!("{name} {why}")));
    }

    fn finish(mut self, pairs: &[Pair]) -> Result<Query, Vec<ErrorItem>> {
        if !self.query.asks_include
            && let Some(resource) = self.rules.resource
        {
            let paths = self.rules.include_by_default.join(",");
            self.query.include = include::read(&paths, resource).unwrap_or_default();
        }
        self.query.unnumbered = pairs
            .iter()
            .filter(|pair| pair.name != "page[number]")
            .map(Pair::print)
            .collect::<Vec<_>>()
            .join("&");
        if self.faults.is_empty() {
            Ok(self.query)
        } else {
            Err(self.faults)
        }
    }
}

/// What stands under the name of this pair: of a list of which each value stands by itself, all of them.
fn given<'p>(pairs: &'p [Pair], first: &'p Pair) -> Vec<&'p str> {
    if !is_list_in_parts(&first.name) {
        return vec![&first.value];
    }
    let same = pairs.iter().filter(|pair| pair.name == first.name);
    same.map(|pair| pair.value.as_str()).collect()
}

fn is_list_in_parts(name: &str) -> bool {
    name.ends_with("[]")
}

fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests;
