//! Webhooks whose deliveries are fetched instead of sent: open one, take what is due, settle it.

pub(crate) mod open;
pub(crate) mod settle;
pub(crate) mod take;

use jsonapi::schema::Shape;

use crate::operation::Member;

/// Shown by whoever takes and settles.
pub(crate) const TURN: Member = Member::optional(
    "turn",
    Shape::Integer,
    "meta.turn of the opening. When another program has opened the listener since, the answer is 410; without a turn \
     nobody is told.",
);
