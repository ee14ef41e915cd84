//! The whole service, seen from outside: the real binary, real sockets, witnesses that keep their own log.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

mod audit;
mod backups;
mod carrier;
mod checks;
mod client;
mod commands;
mod faults;
mod hostile;
mod listen;
mod main_key;
mod memory;
mod mutual;
mod nodes;
mod nowhere;
mod readme;
mod receiver;
mod receiving;
mod rekey;
mod replaying;
mod service;
mod terminals;
mod tls;
mod truth;
mod unasked;
