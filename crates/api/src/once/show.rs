//! Answers made from what a use case returns, inside its transaction.
//!
//! One line for each kind of row that use cases return. What is made here must be what the handler makes
//! afterwards, byte for byte: a test compares them for every operation that can be named. A kind of row that
//! is not known here costs a second transaction and nothing else.

use std::any::Any;

use http::StatusCode;
use jsonapi::linkage;
use store::api_key::ApiKey;
use store::container::Container;
use store::party::Party;
use store::shipment::Shipment;
use store::tracking_request::TrackingRequest;
use store::webhook::Webhook;
use tracking::once::{Show, Shown};

use super::shown;
use crate::call::{Call, Rows};
use crate::operation::{Answers, Operation};
use crate::{address, api_keys, webhooks};

/// How answers of this call are made.
pub(super) fn out_of(operation: &'static Operation, call: &Call) -> Show {
    let call = call.clone();
    Box::new(move |returned| made(operation, &call, returned))
}

fn made(operation: &Operation, call: &Call, returned: &dyn Any) -> Option<Shown> {
    let plain = call.query.include.is_empty() && call.query.fields.is_empty();
    // The two moments at which a webhook's secret is shown.
    let created = matches!(operation.answers, Answers::Created(_));
    let in_full = created || operation.name == "rotate_webhook_secret";
    let text = text(call, in_full, returned).filter(|_| plain)?;
    let id = linkage::identity(&text)?.id;
    let rows = Rows {
        primary: vec![text],
        included: Vec::new(),
    };
    let answer = match operation.answers {
        Answers::One(_) => call.one(rows),
        Answers::Created(kind) => {
            let Some(collection) = kind.collection else {
                return Some(shown(&call.one(rows).created(&call.address)));
            };
            let path = format!("/v2/{collection}/{id}");
            let own = address::absolute(call.app.tracking.base_url(), &path);
            match kind.name {
                "party" => call.one_at(rows, &path).created(&own),
                _ => call.one(rows).created(&own),
            }
        }
        _ => return None,
    };
    (answer.status < StatusCode::BAD_REQUEST).then(|| shown(&answer))
}

fn text(call: &Call, in_full: bool, returned: &dyn Any) -> Option<String> {
    let webhook = |row: &Webhook| webhooks::text_after(call, row.clone(), in_full).ok();
    row::<TrackingRequest>(returned)
        .map(|row| row.document.clone())
        .or_else(|| row::<Shipment>(returned).map(|row| row.document.clone()))
        .or_else(|| row::<Container>(returned).map(|row| row.document.clone()))
        .or_else(|| row::<Party>(returned).map(|row| row.document.clone()))
        .or_else(|| row::<Webhook>(returned).and_then(webhook))
        .or_else(|| row::<(ApiKey, String)>(returned).map(|(row, key)| api_keys::shown(row, key)))
}

/// The row, whether the use case always returns one or sometimes.
fn row<T: 'static>(returned: &dyn Any) -> Option<&T> {
    let sometimes = || returned.downcast_ref::<Option<T>>()?.as_ref();
    returned.downcast_ref::<T>().or_else(sometimes)
}
