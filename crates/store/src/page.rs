//! Pages of lists, and the closed set of clauses that filter them.

use jiff::Timestamp;
use uuid::Uuid;

use crate::db::{Row, Value, padded, pieces, placeholders};
use crate::{AccountTx, Error};

/// Which part of a list: rows before it and rows in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Rows to leave out.
    pub offset: u64,
    /// Rows at most.
    pub limit: u32,
}

impl Slice {
    pub(crate) fn skipped(self) -> Value<'static> {
        Value::Int(i64::try_from(self.offset).unwrap_or(i64::MAX))
    }
}

/// Part of a list, and how long the whole is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows of the slice.
    pub rows: Vec<T>,
    /// Rows of the whole list.
    pub total: u64,
}

impl<T> Page<T> {
    pub(crate) fn new(rows: Vec<T>, total: Option<i64>) -> Self {
        let total = total
            .and_then(|total| u64::try_from(total).ok())
            .unwrap_or(0);
        Self { rows, total }
    }
}

/// A resource as the API serves it: rendered when it changed, copied when it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: Uuid,
    /// The resource object as JSON text.
    pub document: String,
    /// When it last changed.
    pub updated_at: Timestamp,
}

fn read_listed(row: &Row<'_>) -> Result<Listed, Error> {
    Ok(Listed {
        id: row.get("id")?,
        document: row.get("document")?,
        updated_at: row.get("updated_at")?,
    })
}

/// A page of documents of `table` by time of creation, newest first.
pub(crate) fn listed(
    a: &mut AccountTx,
    table: &'static str,
    clauses: &Clauses<'_>,
    slice: Slice,
) -> Result<Page<Listed>, Error> {
    let columns = format!("id, document, {} as updated_at", changed_at(table));
    clauses.page(a, table, &columns, slice, read_listed)
}

/// The documents of these rows of `table`, in the order of the ids.
pub(crate) fn documents(
    a: &mut AccountTx,
    table: &'static str,
    ids: impl Iterator<Item = Uuid>,
) -> Result<Vec<Listed>, Error> {
    let ids: Vec<Uuid> = ids.collect();
    let mut found = std::collections::HashMap::with_capacity(ids.len());
    let changed_at = changed_at(table);
    for piece in pieces(&ids) {
        let values: Vec<Value<'_>> = piece.iter().map(|id| Value::Id(*id)).collect();
        let places = placeholders(2, values.len());
        let rows = a.query(
            &format!(
                "select id, document, {changed_at} as updated_at from {table}
                 where account_id = $1 and id in ({places})"
            ),
            &values,
            read_listed,
        )?;
        found.extend(rows.into_iter().map(|row| (row.id, row)));
    }
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

/// Events change once at most: when they cease to stand.
fn changed_at(table: &str) -> &'static str {
    match table {
        "events" => "coalesce(invalidated_at, created_at)",
        _ => "updated_at",
    }
}

/// A text sought inside others: any letter case, no wildcards. As a pattern, and as it stands inside JSON.
pub(crate) struct Sought(String);

impl Sought {
    pub(crate) fn new(text: &str) -> Self {
        let quoted = serde_json::to_string(&text.to_lowercase()).unwrap_or_default();
        let inside = quoted
            .get(1..quoted.len().saturating_sub(1))
            .unwrap_or_default();
        let escaped = inside
            .replace('!', "!!")
            .replace('%', "!%")
            .replace('_', "!_");
        Self(format!("%{escaped}%"))
    }
}

/// What a list is filtered by. Column names come from code, never from a request, so the number of different
/// statements stays bounded.
pub(crate) struct Clauses<'v> {
    text: String,
    values: Vec<Value<'v>>,
}

impl<'v> Clauses<'v> {
    /// Every row of the account.
    pub(crate) fn new() -> Self {
        Self {
            text: "account_id = $1".into(),
            values: Vec::new(),
        }
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
    pub(crate) fn between(
        &mut self,
        column: &'static str,
        (from, until): (Option<Timestamp>, Option<Timestamp>),
    ) {
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

    /// One of the columns contains the text.
    pub(crate) fn contains(&mut self, columns: &[&'static str], sought: Option<&'v Sought>) {
        self.contains_or(columns, "", sought);
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
        let filter = &self.text;
        let total = a.query_one(
            &format!("select count(*) as total from {table} where {filter}"),
            &self.values,
            |row| row.get::<i64>("total"),
        )?;
        let mut values = self.values.clone();
        values.extend([slice.limit.into(), slice.skipped()]);
        let (limit, offset) = (values.len(), values.len() + 1);
        let rows = a.query(
            &format!(
                "select {columns} from {table} where {filter}
                 order by created_at desc, id desc limit ${limit} offset ${offset}"
            ),
            &values,
            read,
        )?;
        Ok(Page::new(rows, total))
    }
}
