//! Custom fields of an account: what may be kept, what is kept, and what waits to be.
//!
//! A value stands once for each record and definition, which an index guards, so that setting it twice changes
//! one row. Nothing here is rendered: what people see of a value changes with its definition's format and its
//! options' labels, which would make a new label rewrite every value.
//!
//! The records that have values are of three tables, so no foreign key leads to them; nothing removes such a
//! record but the removal of its account.

pub mod definition;
pub mod field;
pub mod option;
pub mod staged;
