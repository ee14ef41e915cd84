//! The keys of an account, managed with a key that may change things.
//!
//! Who manages keys holds the account: so all of these need `update`, the list too, and no key hands out a
//! permission that it lacks itself. A key may delete itself; that is how a key that leaked is put out at once
//! by whoever holds it. The operator's commands make the next one.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;

use jsonapi::resource::api_key::{View, render};
use store::api_key::ApiKey;
use tracking::access::mask;

/// Masked.
fn text(row: &ApiKey) -> String {
    shown(row, &mask(row))
}

/// With this in the key's place.
fn shown(row: &ApiKey, key: &str) -> String {
    render(&View {
        id: row.id,
        name: &row.name,
        permissions: row.permissions,
        key,
        last_used_at: row.last_used_at,
        created_at: row.created_at,
    })
}
