//! The world is what it promises to be: without that no run against it proves anything.

mod asking;
mod carrier;
mod checking;
mod receiving;
mod worlds;
