//! What the matrix sends to each route: one file for each collection, one row for each operation. An operation
//! without a row fails every test of the matrix.

mod api_keys;
mod containers;
mod custom_field_definitions;
mod custom_fields;
mod document_schemas;
mod listeners;
mod me;
mod parties;
mod places;
mod search;
mod shipments;
mod shipping_lines;
mod sources;
mod tracking_requests;
mod webhook_notifications;
mod webhooks;

use api::{Body, Route};
use serde_json::{Value, json};

use crate::client::{Answer, Client};
use crate::planted::Planted;

/// A good call of one operation.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// What stands in the path, by the names of the route.
    pub segments: Vec<(&'static str, String)>,
    /// Whether what the path (or the list) names belongs to nobody and is the same for all accounts.
    pub shared: bool,
    /// The query, with its question mark.
    pub query: &'static str,
    /// The body.
    pub body: Option<Value>,
}

impl Row {
    /// A call without ids and body.
    pub fn bare() -> Self {
        Self::default()
    }

    /// A call of this record.
    pub fn of(id: impl ToString) -> Self {
        Self::bare().and("id", id)
    }

    /// With one more segment in the path.
    pub fn and(mut self, name: &'static str, value: impl ToString) -> Self {
        self.segments.push((name, value.to_string()));
        self
    }

    /// Of records that belong to nobody.
    pub fn shared(mut self) -> Self {
        self.shared = true;
        self
    }

    /// With this query.
    pub fn query(mut self, query: &'static str) -> Self {
        self.query = query;
        self
    }

    /// With these attributes in a resource of this type.
    pub fn attributes(self, kind: &str, attributes: Value) -> Self {
        self.body(json!({"data": {"type": kind, "attributes": attributes}}))
    }

    /// With this body.
    pub fn body(mut self, body: Value) -> Self {
        self.body = Some(body);
        self
    }

    /// The same with another first segment: what an unknown or foreign id looks like.
    pub fn with_id(&self, id: &str) -> Self {
        let mut changed = self.clone();
        if let Some((_, value)) = changed.segments.first_mut() {
            id.clone_into(value);
        }
        changed
    }

    pub fn path(&self, route: &Route) -> String {
        let named = self.segments.iter();
        let path = named.fold(route.path.to_owned(), |path, (name, value)| {
            path.replace(&format!("{{{name}}}"), value)
        });
        assert!(!path.contains('{'), "{path} lacks a segment in its row");
        format!("{path}{}", self.query)
    }

    /// Sends it.
    pub async fn call(&self, client: &Client, route: &Route) -> Answer {
        let taken = !matches!(route.operation.body, None | Some(Body::Nothing));
        assert_eq!(taken, self.body.is_some(), "{}", route.operation.name);
        let method = route.method.as_str();
        client
            .send(method, &self.path(route), self.body.as_ref())
            .await
    }
}

/// The row of the route's operation.
pub fn row(route: &Route, planted: &Planted) -> Row {
    let name = route.operation.name;
    let collections = [
        api_keys::row,
        containers::row,
        parties::row,
        places::row,
        search::row,
        custom_field_definitions::row,
        custom_fields::row,
        document_schemas::row,
        listeners::row,
        me::row,
        shipments::row,
        shipping_lines::row,
        sources::row,
        tracking_requests::row,
        webhook_notifications::row,
        webhooks::row,
    ];
    let found = collections.iter().find_map(|row| row(name, planted));
    found.unwrap_or_else(|| panic!("the operation {name} has no row: add one"))
}

/// The route's path with segments that name nothing.
pub fn nowhere(route: &Route) -> String {
    let parts = route.path.split('/').map(|part| match part {
        named if named.ends_with("id}") => uuid::Uuid::nil().to_string(),
        named if named.starts_with('{') => "nothing".into(),
        plain => plain.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}
