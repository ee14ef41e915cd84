//! The use cases: everything that changes what Quayside holds true or sends away.
//!
//! A fact travels one way through this floor:
//!
//! ```text
//! request ─► watch ─► polling ─► intake ─► projection ─► outbox ─► deliver
//!            (due)    (the raw   (reports)  (state, events,  (signed POST,
//!                      answer)               notifications)   attempt)
//! ```
//!
//! Each arrow that ends in the store is one transaction, and each of them may run twice: ids and time are
//! captured before it starts. Nothing here waits for the network inside a transaction. Reads go straight
//! from the API to the store; every write passes through here.

pub mod access;
pub mod account;
pub mod audit;
mod base62;
pub mod clock;
pub mod container;
pub mod custom_fields;
pub mod document_schemas;
mod entropy;
mod heard;
pub mod intake;
pub mod main_key;
pub mod once;
mod outbox;
pub mod parties;
mod polling;
mod projection;
pub mod rates;
pub mod refresh;
pub mod replay;
pub mod request;
pub mod restore;
pub mod shipment;
mod source;
pub mod source_state;
pub mod subscribing;
pub mod trials;
mod vault;
pub mod vessels;
pub mod webhooks;
pub mod work;

use std::collections::BTreeSet;
use std::sync::Arc;

use domain::audit::Actor;
use domain::codes::Scac;
use domain::place::{Gazetteer, Inside, Terminal};
use domain::tracking_request::NumberKind;
use domain::trust::Trust;
use jiff::SignedDuration;
use sources::outbound::{EgressSettings, Limits, Outbound};
use sources::registry::Registry;
use store::{Store, Tx};

use clock::{Clock, SystemClock};
pub use entropy::id_source;
pub use main_key::{Keys, MainKey};
pub use source::{HeadProof, PUSH_SECRET, Source};
pub use vault::{Vault, VaultError};

/// What this floor is made of. Cheap to clone; every clone is the same service.
#[derive(Clone)]
pub struct Tracking {
    inner: Arc<Inner>,
    store: Store,
    /// Who changes what is changed through it.
    actor: Actor,
}

/// What the wiring hands over.
pub struct Parts {
    /// The store.
    pub store: Store,
    /// Shipping lines and places.
    pub registry: Registry,
    /// The configured sources.
    pub sources: Vec<Source>,
    /// The one outgoing client.
    pub outbound: Outbound,
    /// What the outgoing client may reach.
    pub egress: EgressSettings,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Seals secrets and digests keys.
    pub vault: Vault,
    /// Where clients reach us, with `/v2` at its end: links in deliveries are built from it.
    pub base_url: String,
    /// How long a claimed delivery belongs to its worker ([`LEASE_DEFAULT`]); a claimed watch belongs to it
    /// six times as long, since a question has many pages.
    pub lease: SignedDuration,
    /// What one attempt to deliver may cost ([`Limits::DELIVERY`]).
    pub attempt: Limits,
    /// How long a notification is kept after its delivery ended ([`NOTIFICATIONS_KEPT_DEFAULT`]).
    pub notifications_kept: SignedDuration,
    /// Who is believed otherwise than by the kind of his feed.
    pub trust: Trust,
}

/// Lease of a claimed delivery: longer than the longest attempt (20 s).
pub const LEASE_DEFAULT: SignedDuration = SignedDuration::from_secs(30);

/// Time for which the notifications of deliveries that ended are kept: 30 days.
pub const NOTIFICATIONS_KEPT_DEFAULT: SignedDuration = SignedDuration::from_hours(30 * 24);

/// Why a source is not taken up before the next start.
#[derive(Debug, thiserror::Error)]
pub enum NotTakenUp {
    /// It is none that is asked about boxes.
    #[error(
        "only terminals and railroads with an endpoint are taken up while the service runs; start it again"
    )]
    NotAsked,
    /// There is one with this id.
    #[error("there is a source with this id; what changed counts after the next start")]
    Known,
    /// No place is left.
    #[error("too many sources came since the start; start the service again")]
    Full,
}

struct Inner {
    parts: Parts,
    later: source::Later,
    nudges: work::Nudges,
    hands: intake::Hands,
    reception: intake::Reception,
    express: webhooks::Express,
    heard: heard::Heard,
    asking_turns: polling::Turns,
    proofs: polling::Proofs,
    key_uses: access::KeyUses,
    known_keys: access::KnownKeys,
}

impl Tracking {
    /// Puts the parts together. Starts nothing.
    pub fn new(mut parts: Parts) -> Self {
        // Last, so that a configured carrier with the same code is asked before it.
        parts.sources.extend(Source::trials());
        let inner = Inner {
            parts,
            later: source::Later::default(),
            nudges: work::Nudges::default(),
            hands: intake::Hands::default(),
            reception: intake::Reception::default(),
            express: webhooks::Express::default(),
            heard: heard::Heard::default(),
            asking_turns: polling::Turns::default(),
            proofs: polling::Proofs::default(),
            key_uses: access::KeyUses::default(),
            known_keys: access::KnownKeys::default(),
        };
        Self {
            store: inner.parts.store.clone(),
            inner: Arc::new(inner),
            actor: Actor::Quayside,
        }
    }

    /// The same service for one named request: what is written through it is done once.
    #[must_use]
    pub fn once(&self, sending: Arc<once::Sending>) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            store: self.store.around(sending),
            actor: self.actor,
        }
    }

    /// The same service, whatever named request it works for: what is written through it is no part of that, for it is
    /// somebody else's as well, or may be written again without harm.
    #[must_use]
    pub fn unnamed(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            store: self.inner.parts.store.clone(),
            actor: self.actor,
        }
    }

    /// The store; callers above read from it and never write.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Shipping lines and places.
    pub fn registry(&self) -> &Registry {
        &self.inner.parts.registry
    }

    /// Ports and terminals.
    pub fn gazetteer(&self) -> &Gazetteer {
        self.inner.parts.registry.gazetteer()
    }

    /// Who is believed otherwise than by the kind of his feed.
    pub fn trust(&self) -> &Trust {
        &self.inner.parts.trust
    }

    /// The configured sources, those that came later behind the others.
    pub fn sources(&self) -> impl Iterator<Item = &Source> {
        let inner = &self.inner;
        inner.parts.sources.iter().chain(inner.later.iter())
    }

    /// What the configured sources of this terminal tell of boxes in it.
    pub fn told_inside(&self, terminal: &Terminal) -> BTreeSet<Inside> {
        Source::told_inside(self.sources(), terminal, self.gazetteer())
    }

    /// Takes up a terminal or railroad that was configured while the service runs, and asks it about the boxes that are
    /// known already. What else a source may be is taken up at a start only.
    pub fn take_up(&self, source: Source) -> Result<(), NotTakenUp> {
        if source.keeper().is_none() {
            return Err(NotTakenUp::NotAsked);
        }
        if self.source(source.id()).is_some() {
            return Err(NotTakenUp::Known);
        }
        if !self.inner.later.add(source) {
            return Err(NotTakenUp::Full);
        }
        self.nudges().look();
        Ok(())
    }

    /// The source with this id.
    pub fn source(&self, id: &str) -> Option<&Source> {
        self.sources().find(|source| source.id() == id)
    }

    /// The login of the source with this id; a source that is not configured has its own.
    pub(crate) fn login_of<'a>(&'a self, source: &'a str) -> &'a str {
        self.source(source).map_or(source, Source::login)
    }

    /// How many sources share this login.
    pub(crate) fn sharers(&self, login: &str) -> u32 {
        let sharing = self.sources().filter(|source| source.login() == login);
        let count = sharing.count();
        u32::try_from(count).unwrap_or(u32::MAX).max(1)
    }

    /// The carrier that answers for this line to numbers of this kind.
    pub(crate) fn source_for(&self, scac: Scac, kind: NumberKind) -> Option<&Source> {
        self.sources().find(|source| source.answers(scac, kind))
    }

    /// The time.
    pub fn clock(&self) -> &dyn Clock {
        self.inner.parts.clock.as_ref()
    }

    /// The time now.
    pub fn now(&self) -> jiff::Timestamp {
        self.inner.parts.clock.now()
    }

    /// Where clients reach us, with `/v2` at its end.
    pub fn base_url(&self) -> &str {
        &self.inner.parts.base_url
    }

    /// What the outgoing client may reach.
    pub fn egress(&self) -> &EgressSettings {
        &self.inner.parts.egress
    }

    /// How long a claimed delivery belongs to its worker.
    pub fn delivery_lease(&self) -> SignedDuration {
        self.inner.parts.lease
    }

    /// What one attempt to deliver may cost.
    pub(crate) fn attempt_limits(&self) -> Limits {
        self.inner.parts.attempt
    }

    /// Notifications whose delivery ended before this moment may be forgotten.
    pub(crate) fn notifications_kept_since(&self) -> jiff::Timestamp {
        let kept = self.inner.parts.notifications_kept;
        self.now().checked_sub(kept).unwrap_or(jiff::Timestamp::MIN)
    }

    /// Real time between two renewals of leases: a third of the lease.
    pub(crate) fn lease_renewal(&self) -> std::time::Duration {
        let third = self.inner.parts.lease / 3;
        std::time::Duration::try_from(third).unwrap_or(std::time::Duration::from_secs(10))
    }

    /// Until when a message belongs to the node that takes it into its hands now, unless it is renewed.
    pub(crate) fn message_lease(&self) -> jiff::Timestamp {
        self.now() + self.inner.parts.lease
    }

    /// How long a claimed watch belongs to its worker.
    pub(crate) fn watch_lease(&self) -> SignedDuration {
        self.inner.parts.lease * 6
    }

    /// The one outgoing client.
    pub fn outbound(&self) -> &Outbound {
        &self.inner.parts.outbound
    }

    /// By how much this machine's clock is ahead of the time by which the service goes, where that is a shared database's.
    pub fn clock_ahead(&self) -> Option<SignedDuration> {
        let is_shared = self.store().is_shared();
        let clock = &self.inner.parts.clock;
        is_shared.then(|| SystemClock.now().duration_since(clock.real_now()))
    }

    /// Whether the store still has our main key.
    pub fn main_key_opens(&self, tx: &mut Tx) -> Result<bool, store::Error> {
        main_key::still_belongs(self.vault(), tx)
    }

    pub(crate) fn vault(&self) -> &Vault {
        &self.inner.parts.vault
    }

    pub(crate) fn hands(&self) -> &intake::Hands {
        &self.inner.hands
    }

    pub(crate) fn reception(&self) -> &intake::Reception {
        &self.inner.reception
    }

    pub(crate) fn express(&self) -> &webhooks::Express {
        &self.inner.express
    }

    pub(crate) fn nudges(&self) -> &work::Nudges {
        &self.inner.nudges
    }

    pub(crate) fn heard(&self) -> &heard::Heard {
        &self.inner.heard
    }

    pub(crate) fn asking_turns(&self) -> &polling::Turns {
        &self.inner.asking_turns
    }

    pub(crate) fn proofs(&self) -> &polling::Proofs {
        &self.inner.proofs
    }

    pub(crate) fn known_keys(&self) -> &access::KnownKeys {
        &self.inner.known_keys
    }

    pub(crate) fn key_uses(&self) -> &access::KeyUses {
        &self.inner.key_uses
    }
}
