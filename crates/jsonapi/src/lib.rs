//! How domain values look on the wire, over HTTP and in webhooks. Nobody else writes JSON:API by hand.
//!
//! Four things live here, all of them pure text in and text out; none knows an HTTP server:
//!
//! 1. [`resource`]: one file per resource type. Each declares its attributes and relationships once
//!    ([`schema`]) and renders a view of domain values into the complete resource object, as text. That
//!    text is what the store keeps, so that serving a list is a copy.
//! 2. [`document`] puts resource texts into an answer with links, meta and `included`; [`error`] does the
//!    same for what went wrong.
//! 3. [`query`] reads the query string against closed lists and names exactly what it refuses.
//! 4. [`read`] reads a request body strictly and collects every fault in it before it gives up.
//!
//! 5. [`provenance`] says in `meta`, when asked, who said each value of a container.
//!
//! [`example`] shows each of them once, of a sample world.

pub mod document;
pub mod error;
pub mod example;
pub mod linkage;
pub mod map;
pub mod provenance;
pub mod query;
pub mod read;
pub mod resource;
pub mod schema;
mod wire;
