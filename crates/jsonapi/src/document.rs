//! Answers: one resource or a list, with links, meta and `included`.
//!
//! Rows are resource texts and are copied as they are. A link that does not apply is left out, never null:
//! a null link breaks one of the clients that exist. Links are built from the configured base address.

use serde::Serialize;

use crate::wire::text;

/// One resource. `address` is the absolute request URL; `included` is written where something was to be included, though
/// there may be nothing (JSON:API wants an empty list then).
pub fn single(resource: &str, included: Option<&[String]>, address: &str) -> String {
    let size = size_of_all(included.unwrap_or_default());
    let mut out = String::with_capacity(resource.len() + size + 256);
    out.push_str("{\"data\":");
    out.push_str(resource);
    push_included(&mut out, included);
    out.push_str(",\"links\":{\"self\":");
    out.push_str(&text(&address));
    out.push_str("}}");
    out
}

/// One resource, or a list of one page's kind, with `meta.provenance` (see [`provenance`](crate::provenance)).
pub fn explained(mut document: String, provenance: &str) -> String {
    // A list has `meta` already, and has it last.
    let listed = document.ends_with("}}}") && document.starts_with("{\"data\":[");
    document.truncate(document.len() - if listed { 2 } else { 1 });
    document.push_str(if listed { "," } else { ",\"meta\":{" });
    document.push_str("\"provenance\":");
    document.push_str(provenance);
    document.push_str("}}");
    document
}

/// One resource, with `meta.turn`: the number of whoever opened it, to be shown later.
pub fn with_turn(mut document: String, turn: i64) -> String {
    document.truncate(document.len() - 1);
    document.push_str(",\"meta\":{\"turn\":");
    document.push_str(&turn.to_string());
    document.push_str("}}");
    document
}

/// Where a list stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// From 1.
    pub number: u64,
    /// Rows on a full page.
    pub size: u64,
    /// Rows over all pages.
    pub total: u64,
}

impl Page {
    /// The last page; 1 when there are no rows.
    pub fn last(self) -> u64 {
        self.total.div_ceil(self.size.max(1)).max(1)
    }

    fn next(self) -> Option<u64> {
        (self.number < self.last()).then(|| self.number + 1)
    }

    fn previous(self) -> Option<u64> {
        (self.number > 1).then(|| (self.number - 1).min(self.last()))
    }
}

/// The address of a list.
#[derive(Clone, Copy, Debug)]
pub struct Address<'a> {
    /// Absolute, without query: `https://host/v2/shipments`.
    pub path: &'a str,
    /// The query as it came.
    pub query: &'a str,
    /// The query without `page[number]`, to which other pages append theirs.
    pub unnumbered: &'a str,
}

impl Address<'_> {
    fn own(&self) -> String {
        match self.query {
            "" => self.path.to_owned(),
            query => format!("{}?{query}", self.path),
        }
    }

    fn page(&self, number: u64) -> String {
        let rest = match self.unnumbered {
            "" => String::new(),
            rest => format!("&{rest}"),
        };
        format!("{}?page[number]={number}{rest}", self.path)
    }
}

/// A page of a list.
pub fn list<T: AsRef<str>>(
    rows: &[T],
    included: Option<&[String]>,
    address: Address<'_>,
    page: Page,
) -> String {
    let mut out = whole(rows, included);
    out.pop();
    out.push_str(",\"links\":");
    out.push_str(&text(&Links::of(address, page)));
    out.push_str(",\"meta\":");
    out.push_str(&text(&Meta::of(rows.len(), page)));
    out.push('}');
    out
}

/// A list that is never cut into pages and has neither links nor meta.
pub fn whole<T: AsRef<str>>(rows: &[T], included: Option<&[String]>) -> String {
    let size = size_of_all(rows) + size_of_all(included.unwrap_or_default());
    let mut out = String::with_capacity(size + 1024);
    out.push_str("{\"data\":[");
    push_rows(&mut out, rows);
    out.push(']');
    push_included(&mut out, included);
    out.push('}');
    out
}

/// A list that is always one page: links to itself, no meta.
pub fn short<T: AsRef<str>>(rows: &[T], included: Option<&[String]>, address: &str) -> String {
    let mut out = whole(rows, included);
    out.pop();
    let own = text(&address);
    out.push_str(",\"links\":{\"self\":");
    out.push_str(&own);
    out.push_str(",\"current\":");
    out.push_str(&own);
    out.push_str("}}");
    out
}

fn push_included(out: &mut String, included: Option<&[String]>) {
    if let Some(included) = included {
        out.push_str(",\"included\":[");
        push_rows(out, included);
        out.push(']');
    }
}

fn push_rows<T: AsRef<str>>(out: &mut String, rows: &[T]) {
    for (place, row) in rows.iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        out.push_str(row.as_ref());
    }
}

fn size_of_all<T: AsRef<str>>(rows: &[T]) -> usize {
    rows.iter().map(|row| row.as_ref().len() + 1).sum()
}

#[derive(Serialize)]
struct Links {
    #[serde(rename = "self")]
    own: String,
    current: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    first: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<String>,
}

impl Links {
    fn of(address: Address<'_>, page: Page) -> Self {
        Self {
            own: address.own(),
            current: address.page(page.number),
            first: page.previous().map(|_| address.page(1)),
            prev: page.previous().map(|number| address.page(number)),
            next: page.next().map(|number| address.page(number)),
            last: page.next().map(|_| address.page(page.last())),
        }
    }
}

#[derive(Serialize)]
struct Meta {
    size: usize,
    total: u64,
    pagination: Pagination,
}

impl Meta {
    fn of(rows: usize, page: Page) -> Self {
        Self {
            size: rows,
            total: page.total,
            pagination: Pagination {
                current: page.number,
                prev: page.previous(),
                next: page.next(),
                last: page.next().map(|_| page.last()),
                records: page.total,
            },
        }
    }
}

#[derive(Serialize)]
struct Pagination {
    current: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    prev: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last: Option<u64>,
    records: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links_and_meta(number: u64, size: u64, total: u64) -> String {
        let query = format!("page[number]={number}&page[size]={size}");
        let unnumbered = format!("page[size]={size}");
        let address = Address {
            path: "https://quay.example/v2/shipments",
            query: &query,
            unnumbered: &unnumbered,
        };
        let text = list::<&str>(
            &[],
            None,
            address,
            Page {
                number,
                size,
                total,
            },
        );
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    }

    #[test]
    fn first_middle_last_only_empty_and_beyond() {
        let told: Vec<String> = [
            (1, 2, 5),
            (2, 2, 5),
            (3, 2, 5),
            (1, 2, 2),
            (1, 2, 0),
            (9, 2, 5),
        ]
        .into_iter()
        .map(|(number, size, total)| {
            format!(
                "page {number} of {total}/{size}\n{}",
                links_and_meta(number, size, total)
            )
        })
        .collect();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn provenance_stands_in_the_meta_of_one_and_of_many() {
        let one = explained(single("{}", None, "https://quay.example"), r#"{"a":1}"#);
        let address = Address {
            path: "https://quay.example",
            query: "",
            unnumbered: "",
        };
        let page = Page {
            number: 1,
            size: 30,
            total: 1,
        };
        let many = explained(list(&["{}"], None, address, page), r#"{"a":1}"#);
        for text in [one, many] {
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            assert_eq!(value["meta"]["provenance"]["a"], 1, "{text}");
        }
    }

    #[test]
    fn a_list_is_a_copy() {
        let address = Address {
            path: "https://quay.example/v2/ports",
            query: "",
            unnumbered: "",
        };
        let page = Page {
            number: 1,
            size: 30,
            total: 2,
        };
        let text = list(
            &[r#"{"b":1.10,"a":2}"#, "{}"],
            Some(&["{\"c\":3}".into()]),
            address,
            page,
        );
        assert!(text.starts_with(r#"{"data":[{"b":1.10,"a":2},{}],"included":[{"c":3}],"links":"#));
    }
}
