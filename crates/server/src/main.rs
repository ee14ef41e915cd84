//! quayside
fn main() {}
