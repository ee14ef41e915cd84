//! The closed set of clauses that filter lists.

use domain::ids::CustomFieldDefinitionId;
use uuid::Uuid;

use super::{Listing, Page, Range, Slice, Spans};
use crate::db::{Row, Value, padded, placeholders};
use crate::terms::Stretch;
use crate::{AccountTx, Error};

const EVERY_ROW: &str = "account_id = $1";
/// The same in words that no index has.
const FOUND_OTHERWISE: &str = "coalesce(account_id, account_id) = $1";

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

    /// Rows of the account that are found by what is said of them, and not along a list of all its rows: they are few.
    pub(crate) fn of_few() -> Self {
        Self {
            text: FOUND_OTHERWISE.into(),
            values: Vec::new(),
        }
    }

    /// As it stands in a statement, and how many parameters that has.
    #[cfg(test)]
    pub(crate) fn text(&self) -> (&str, usize) {
        (&self.text, self.values.len() + 1)
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

    /// One of two columns of the table, each with a value of its own; no value means any. Two looks, each along its index:
    /// for both at once PostgreSQL goes through all rows of the account.
    pub(crate) fn either(
        &mut self,
        table: &str,
        [first, second]: [&'static str; 2],
        values: Option<[&'v str; 2]>,
    ) {
        if let Some(values) = values {
            let [one, other] = values.map(|value| self.bind(value.into()));
            self.and(&format!(
                "id in (select id from {table} where account_id = $1 and {first} = ${one}
                     union all select id from {table} where account_id = $1 and {second} = ${other})"
            ));
        }
    }

    /// With any of these bits in the column, or with none of them.
    pub(crate) fn bits(&mut self, column: &'static str, bits: i64, any: Option<bool>) {
        if let Some(any) = any {
            let number = self.bind(bits.into());
            let comparison = if any { "<>" } else { "=" };
            self.and(&format!("({column} & ${number}) {comparison} 0"));
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

    /// Within any of these. None of them: no row.
    pub(crate) fn within_any(&mut self, column: &'static str, spans: &Spans) {
        let Some(spans) = spans else { return };
        let Some(last) = spans.last() else {
            return self.and("1 = 0");
        };
        // Padded as lists of values are, so that there are few statements.
        let size = spans.len().next_power_of_two();
        let padded = spans.iter().chain(std::iter::repeat(last)).take(size);
        let ways: Vec<String> = padded.map(|span| self.within(column, *span)).collect();
        self.and(&format!("({})", ways.join(" or ")));
    }

    fn within(&mut self, column: &'static str, (from, until): Range) -> String {
        let ends = [(">=", from), ("<=", until)].into_iter();
        let ends = ends.filter_map(|(comparison, at)| Some((comparison, at?)));
        let ends: Vec<String> = ends
            .map(|(comparison, at)| format!("{column} {comparison} ${}", self.bind(at.into())))
            .collect();
        if ends.is_empty() {
            "1 = 1".into()
        } else {
            ends.join(" and ")
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

    /// With all of these custom fields, each with this value as plain text.
    pub(crate) fn custom_fields(&mut self, fields: &'v [(CustomFieldDefinitionId, String)]) {
        for (definition, plain) in fields {
            let (definition, plain) = (self.bind((*definition).into()), self.bind(plain.into()));
            self.and(&format!(
                "id in (select f.entity_id from custom_fields f where f.account_id = $1
                     and f.definition_id = ${definition} and f.plain = ${plain})"
            ));
        }
    }

    /// Found by a term in any of these stretches, which stand in the condition as `{from}` and `{before}`, and the
    /// account as `{account}`. None of them: no row.
    pub(crate) fn found_by(&mut self, condition: &'static str, stretches: &'v [Stretch]) {
        let mut ways = Vec::with_capacity(stretches.len());
        for stretch in stretches {
            let from = self.bind((&stretch.from).into());
            let before = self.bind((&stretch.before).into());
            let condition = condition
                .replace("{from}", &format!("${from}"))
                .replace("{before}", &format!("${before}"));
            ways.push(condition.replace("{account}", "$1"));
        }
        if ways.is_empty() {
            self.and("1 = 0");
        } else {
            self.and(&format!("({})", ways.join(" or ")));
        }
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
