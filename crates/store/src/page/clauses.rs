//! The closed set of clauses that filter lists.

use uuid::Uuid;

use super::{Listing, Page, Range, Slice};
use crate::db::{Row, Value, padded, placeholders};
use crate::{AccountTx, Error};

const EVERY_ROW: &str = "account_id = $1";

/// A text sought inside others: any letter case, no wildcards. As a pattern, and as it stands inside JSON.
pub(crate) struct Sought(String);

impl Sought {
    pub(crate) fn new(text: &str) -> Self {
        let quoted = serde_json::to_string(&text.to_lowercase()).unwrap_or_default();
        let inside = quoted
            .get(1..quoted.len().saturating_sub(1))
            .unwrap_or_default();
        Self(format!("%{}%", escaped(inside)))
    }

    /// A whole text of a list of texts.
    pub(crate) fn whole(text: &str) -> Self {
        let quoted = serde_json::to_string(&text.to_lowercase()).unwrap_or_default();
        Self(format!("%{}%", escaped(&quoted)))
    }

    /// A text that others begin with.
    pub(crate) fn beginning(text: &str) -> Self {
        Self(format!("{}%", escaped(&text.to_lowercase())))
    }
}

fn escaped(text: &str) -> String {
    text.replace('!', "!!")
        .replace('%', "!%")
        .replace('_', "!_")
}

/// What a list is filtered by. Column names come from code, never from a request, so the number of different
/// statements stays bounded.
pub(crate) struct Clauses<'v> {
    pub(super) text: String,
    pub(super) values: Vec<Value<'v>>,
}

impl<'v> Clauses<'v> {
    /// Every row of the account.
    pub(crate) fn new() -> Self {
        Self {
            text: EVERY_ROW.into(),
            values: Vec::new(),
        }
    }

    /// Whether every row is let through.
    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty() && self.text == EVERY_ROW
    }

    /// `$1` is the account.
    fn bind(&mut self, value: Value<'v>) -> usize {
        self.values.push(value);
        self.values.len() + 1
    }

    fn and(&mut self, clause: &str) {
        self.text.push_str(" and ");
        self.text.push_str(clause);
    }

    pub(crate) fn equal(&mut self, column: &'static str, value: Option<impl Into<Value<'v>>>) {
        if let Some(value) = value {
            let number = self.bind(value.into());
            self.and(&format!("{column} = ${number}"));
        }
    }

    /// One of `values`; none given means any.
    pub(crate) fn any_of(&mut self, column: &'static str, values: &[&'v str]) {
        if values.is_empty() {
            return;
        }
        let first = self.values.len() + 2;
        let values = padded(values.iter().map(|value| Value::Text(value)).collect());
        let places = placeholders(first, values.len());
        self.values.extend(values);
        self.and(&format!("{column} in ({places})"));
    }

    /// At or after the first, at or before the second.
    pub(crate) fn between(&mut self, column: &'static str, (from, until): Range) {
        for (comparison, at) in [(">=", from), ("<=", until)] {
            if let Some(at) = at {
                let number = self.bind(at.into());
                self.and(&format!("{column} {comparison} ${number}"));
            }
        }
    }

    /// Whether the column is null.
    pub(crate) fn absent(&mut self, column: &'static str, absent: Option<bool>) {
        match absent {
            Some(true) => self.and(&format!("{column} is null")),
            Some(false) => self.and(&format!("{column} is not null")),
            None => {}
        }
    }

    /// A condition without values of its own; `$1` is the account.
    pub(crate) fn also(&mut self, condition: &'static str) {
        self.and(condition);
    }

    /// A condition on any of these ids, which stand in it as `$`, and the account as `{account}`. No ids: no row.
    pub(crate) fn any_id(&mut self, condition: &'static str, ids: &[Uuid]) {
        if ids.is_empty() {
            return self.and("1 = 0");
        }
        let first = self.values.len() + 2;
        let values = padded(ids.iter().map(|id| Value::Id(*id)).collect());
        let places = placeholders(first, values.len());
        self.values.extend(values);
        let condition = condition.replace('$', &places).replace("{account}", "$1");
        self.and(&format!("({condition})"));
    }

    /// One of the columns contains the text.
    pub(crate) fn contains(&mut self, columns: &[&'static str], sought: Option<&'v Sought>) {
        self.contains_or(columns, "", sought);
    }

    /// One of the columns contains one of the texts; none given means any.
    pub(crate) fn contains_any(&mut self, columns: &[&'static str], sought: &'v [Sought]) {
        if sought.is_empty() {
            return;
        }
        let values = sought.iter().map(|Sought(pattern)| Value::Text(pattern));
        let first = self.values.len() + 2;
        let values = padded(values.collect());
        let numbers = first..first + values.len();
        let ways: Vec<String> = numbers
            .flat_map(|number| columns.iter().map(move |column| (column, number)))
            .map(|(column, number)| format!("lower({column}) like ${number} escape '!'"))
            .collect();
        self.values.extend(values);
        self.and(&format!("({})", ways.join(" or ")));
    }

    /// One of the columns contains the text, or `otherwise` holds, where `$` stands for the pattern.
    pub(crate) fn contains_or(
        &mut self,
        columns: &[&'static str],
        otherwise: &'static str,
        sought: Option<&'v Sought>,
    ) {
        let Some(Sought(pattern)) = sought else {
            return;
        };
        let number = self.bind(pattern.into());
        let mut ways: Vec<String> = columns
            .iter()
            .map(|column| format!("lower({column}) like ${number} escape '!'"))
            .collect();
        if !otherwise.is_empty() {
            ways.push(otherwise.replace('$', &format!("${number}")));
        }
        self.and(&format!("({})", ways.join(" or ")));
    }

    /// The page of `table` that these clauses leave, newest first.
    pub(crate) fn page<T>(
        &self,
        a: &mut AccountTx,
        table: &'static str,
        columns: &str,
        slice: Slice,
        read: impl FnMut(&Row<'_>) -> Result<T, Error>,
    ) -> Result<Page<T>, Error> {
        Listing::of(table, self).page(a, columns, slice, read)
    }
}
