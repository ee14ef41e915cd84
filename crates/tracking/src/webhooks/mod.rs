//! Webhooks: who is told, what is sent, how it is signed, and what follows from the answer.
//!
//! Delivery is *at least once*, in order per endpoint and container. A delivery is claimed by lease, or [written as
//! claimed](express); the body is rendered in that transaction and stored before the first byte leaves; the result is
//! written under the claim's token, in one transaction with the results that came in meanwhile. A crash
//! between sending and writing sends again: same id, same bytes.

mod body;
pub(crate) mod deliver;
mod desk;
mod express;
mod forget;
mod listen;
mod redeliver;
pub(crate) mod replay;
pub(crate) mod restart;
mod secrets;
mod send;
pub mod sign;
mod subscription;
mod trigger;
mod unreadable;

pub use body::carried;
pub(crate) use body::{CONTAINERS_INCLUDED_MAX, Documents};
pub use deliver::RESULTS_DROPPED;
pub(crate) use express::{Dispatch, Express};
pub(crate) use forget::{forget_deleted, forget_ended};
pub(crate) use listen::retire_listeners;
pub use listen::{
    Came, FetchRefused, Fetched, Handed, ListenRefused, OpenedListener, TAKEN_MAX, Taken, Whose,
    open_listener, settle, take,
};
pub use redeliver::{
    COUNTED_MAX, Redelivered, ReplayRefused, UNDER_WAY_MAX, Window, redeliver, replay,
};
pub(crate) use secrets::open as open_secret;
#[cfg(test)]
pub(crate) use secrets::seal as seal_secret;
pub use secrets::{LIVE_MAX, OVERLAP, mask};
pub(crate) use secrets::{anew as secret_anew, retired_anew};
pub(crate) use subscription::headers_anew;
pub use subscription::{
    HeaderRefused, NewWebhook, Opened, WebhookPatch, WebhookRefused, create, delete, open,
    rotate_secret, update,
};
pub use trigger::{Tried, trigger};
pub use unreadable::PUT_OFF;
