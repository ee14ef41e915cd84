//! The house keeps its own rules: they are compared with the workspace as it is.

mod floors;
mod rules;
mod workspace;
