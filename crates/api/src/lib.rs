//! The HTTP face: what a request goes through before it is answered.
//!
//! ```text
//! serve (own accept loop: connections, timers, head limits)
//!   └► router (every route on one screen)
//!        └► call: key ─► rate ─► permission ─► body ─► query ─► handler ─► answer
//!                                                        │
//!                          tracking (writes) or store (reads, one snapshot)
//! ```
//!
//! Each operation is one file, `<resource>/<verb>.rs`, and declares itself in an [`Operation`]: what the query
//! may say, what a body holds, what comes back. The checks, the OpenAPI document and the tests all read that
//! declaration, so an operation cannot be served without being documented and tested. Errors become statuses
//! in `failure` and nowhere else.

mod address;
mod answer;
mod api_keys;
mod app;
mod authenticate;
mod body;
mod call;
mod containers;
mod custom_field_definitions;
mod custom_field_options;
mod custom_fields;
mod docs;
mod document_schemas;
mod failure;
mod filters;
mod head;
mod health;
mod home;
mod inbound;
mod include;
mod listeners;
mod long_reads;
mod me;
mod metro_areas;
mod once;
mod openapi;
mod operation;
mod panics;
mod parties;
mod path;
mod plan;
mod ports;
mod rate_limit;
mod references;
mod router;
mod search;
mod serve;
mod settings;
mod shipments;
mod shipping_lines;
mod sources;
mod terminals;
mod tracking_requests;
mod upload_room;
mod vessels;
mod webhook_notifications;
mod webhooks;

pub use operation::{Answers, Body, Bucket, Gate, Linked, Member, Method, Needs, Operation};
pub use panics::PANICS;
pub use router::{ROUTES, Route, openapi, router};
pub use serve::{Server, serve, serve_page};
pub use settings::{RateLimits, Settings, WebhookSources};
