//! Boxes, and what happened to them.

pub(crate) mod claims;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod map_geojson;
pub(crate) mod provenance;
pub(crate) mod raw_events;
pub(crate) mod refresh;
pub(crate) mod route;
pub(crate) mod transport_events;
pub(crate) mod update;
pub(crate) mod way;
