//! The whole service, seen from outside: the real binary, real sockets, witnesses that keep their own log.

mod carrier;
mod client;
mod commands;
mod kill;
mod nowhere;
mod receiver;
mod service;
