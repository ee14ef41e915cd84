//! jsonapi
