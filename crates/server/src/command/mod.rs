//! The commands, one file each.

pub mod account;
pub mod audit;
pub mod backup;
pub mod check;
pub mod client;
pub mod columns;
pub mod config_show;
pub mod demo;
pub mod document;
pub mod document_schema;
pub mod import;
pub mod key;
pub mod listen;
pub mod migrate;
pub mod parse;
pub mod pipe;
pub mod progress;
mod quarantine;
pub mod rekey;
pub mod replay;
pub mod restore;
pub mod serve;
pub mod source;
pub mod told;
pub mod track;
