//! What carriers send by themselves: who sent it, and how they are asked to.
//!
//! A push is a message like an answer to a question: once it is known who sent it, [`parse`](super::parse)
//! reads it. Here are the three parts around that, none of which knows a server or a store:
//!
//! * [`Receiver`] tells whether a message comes from the carrier: it looks up the secret by the subscription that
//!   the message names, and compares signatures in constant time. While a secret is being replaced there are
//!   two, and either will do.
//! * [`Subscriptions`] creates, renews and removes subscriptions, and replaces their secret. A carrier never gives
//!   a secret back, so whoever calls must have stored it before.
//! * [`feedback`] is what version 3 wants for an answer.
//!
//! What a server does with them: answer `HEAD` and `GET` with 204 (carriers try the address when it is
//! registered); for `POST` read at most [`PUSH_BYTES_MAX`], [`Receiver::verify`], store, answer 204 (version 3:
//! 200 with the feedback), and read the message after that. A message whose signature is wrong is answered 401
//! and not stored: anybody could fill the store.

mod feedback;
mod receiver;
mod subscriptions;

pub use feedback::feedback;
pub use receiver::{PUSH_BYTES_MAX, PushRefused, Receiver, SecretUnusable, SigningKeys, Verified};
pub use subscriptions::{Subscription, SubscriptionFailure, SubscriptionWish, Subscriptions};
