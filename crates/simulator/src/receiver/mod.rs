//! r
#[derive(Clone,Debug)] pub struct Delivery; pub struct Receiver;
