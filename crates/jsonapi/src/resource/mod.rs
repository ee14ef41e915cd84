//! One file per resource type: what it consists of, the view it is made from, and its text.

pub mod account;
pub mod api_key;
pub mod container;
pub mod container_created_event;
pub mod container_pod_terminal_changed_event;
pub mod container_updated_event;
pub mod credential;
pub mod custom_field;
pub mod custom_field_definition;
pub mod custom_field_option;
pub mod document_schema;
pub mod estimated_event;
pub mod infer_number_results;
pub mod metro_area;
pub mod party;
pub mod port;
pub mod raw_event;
mod rescheduled;
pub use rescheduled::rescheduled;
pub mod route;
pub mod search_result;
pub mod shipment;
pub mod shipping_line;
pub mod terminal;
pub mod tracking_request;
pub mod transport_event;
pub mod user;
pub mod vessel;
pub mod webhook;
pub mod webhook_event_category;
pub mod webhook_notification;
pub mod webhook_notification_log;

pub(crate) mod place;
pub use place::render_site;
pub(crate) mod source;
pub mod source_state;

use crate::schema::Type;

/// Every type that is served.
pub const TYPES: &[&Type] = &[
    &tracking_request::TYPE,
    &shipment::TYPE,
    &container::TYPE,
    &transport_event::TYPE,
    &estimated_event::TYPE,
    &container_updated_event::TYPE,
    &container_created_event::TYPE,
    &container_pod_terminal_changed_event::TYPE,
    &raw_event::TYPE,
    &port::TYPE,
    &metro_area::TYPE,
    &terminal::TYPE,
    &terminal::RAIL_TYPE,
    &vessel::TYPE,
    &route::TYPE,
    &route::LOCATION_TYPE,
    &shipping_line::TYPE,
    &infer_number_results::TYPE,
    &search_result::TYPE,
    &custom_field_definition::TYPE,
    &custom_field_option::TYPE,
    &custom_field::TYPE,
    &party::TYPE,
    &account::TYPE,
    &user::TYPE,
    &webhook::TYPE,
    &webhook_notification::TYPE,
    &webhook_notification_log::TYPE,
    &webhook_event_category::TYPE,
    &api_key::TYPE,
    &credential::TYPE,
    &document_schema::TYPE,
    &source_state::TYPE,
];

/// The type of this name.
pub fn named(name: &str) -> Option<&'static Type> {
    TYPES.iter().copied().find(|t| t.name == name)
}

#[cfg(test)]
pub(crate) mod tests;

#[cfg(test)]
pub(crate) use tests::check;
