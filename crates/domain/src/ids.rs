//! Identifiers: one type per kind of thing, so that a webhook's id cannot stand where a container's should.
//!
//! Rows we make carry UUID version 7; their bits come from an [`IdSource`] that the caller seeds, because
//! a use case may run twice and must then draw the same ids again. Reference data (ports, terminals,
//! shipping lines, vessels) carries UUID version 5 of its code: the same on every installation.

use jiff::Timestamp;
use sha2::{Digest, Sha256};
use uuid::Uuid;

macro_rules! id_kinds {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub Uuid);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self(id)
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    )+};
}

id_kinds! {
    /// A tenant.
    AccountId,
    /// The public id of an API key; not the key.
    ApiKeyId,
    /// A window of time of one webhook that is sent again.
    RedeliveryId,
    /// A request to track one number.
    TrackingRequestId,
    /// One number asked of one source, shared by every account that tracks it.
    WatchId,
    /// A payload as it was received.
    RawMessageId,
    /// One claim of one source.
    ReportId,
    /// A bill of lading or booking of one account.
    ShipmentId,
    /// One box on one journey of one account.
    ContainerId,
    /// A transport event or another event resource of one account.
    EventId,
    /// A subscription of one endpoint.
    WebhookId,
    /// One event for one webhook.
    NotificationId,
    /// A company that an account deals with.
    PartyId,
    /// What a custom field may be set on, and what it holds.
    CustomFieldDefinitionId,
    /// One choice of a definition.
    CustomFieldOptionId,
    /// One value of a custom field on one record.
    CustomFieldId,
    /// A person of an account.
    UserId,
    /// A row of reference data (port, terminal, shipping line, vessel).
    ReferenceId,
}

/// Namespace of the version 5 ids of reference data.
const REFERENCE_NAMESPACE: Uuid = Uuid::from_u128(0x6d0c_1d5e_41b7_4c0a_9f2d_7a54_9c1e_8a37);

impl ReferenceId {
    /// The id of the thing of `kind` (`port`, `terminal`, `shipping_line`, `vessel`, …) with this code.
    pub fn named(kind: &str, code: &str) -> Self {
        Self(Uuid::new_v5(
            &REFERENCE_NAMESPACE,
            format!("{kind}:{code}").as_bytes(),
        ))
    }
}

/// A stream of version 7 ids that is the same each time it is started from the same seed and time.
///
/// Ids of one source sort in the order they were drawn (a counter fills the 12 bits below the
/// millisecond and carries into it).
#[derive(Clone, Debug)]
pub struct IdSource {
    seed: [u8; 16],
    millisecond: u64,
    drawn: u64,
}

impl IdSource {
    /// `seed` must be fresh entropy for each use case; `now` is the time the ids will show.
    pub fn new(seed: [u8; 16], now: Timestamp) -> Self {
        Self {
            seed,
            millisecond: u64::try_from(now.as_millisecond()).unwrap_or(0),
            drawn: 0,
        }
    }

    /// The next id.
    pub fn draw<I: From<Uuid>>(&mut self) -> I {
        let digest = Sha256::new()
            .chain_update(self.seed)
            .chain_update(self.drawn.to_be_bytes())
            .finalize();
        let mut bytes = [0u8; 16];
        bytes
            .iter_mut()
            .zip(digest.iter())
            .for_each(|(to, from)| *to = *from);
        let millisecond = (self.millisecond + (self.drawn >> 12)).to_be_bytes();
        let counter = (self.drawn & 0x0fff).to_be_bytes();
        bytes[..6].copy_from_slice(&millisecond[2..]);
        bytes[6] = 0x70 | counter[6];
        bytes[7] = counter[7];
        bytes[8] = 0x80 | (bytes[8] & 0x3f);
        self.drawn += 1;
        I::from(Uuid::from_bytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_sort_as_drawn_and_repeat_for_the_same_seed() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        let mut source = IdSource::new([7; 16], now);
        let mut again = source.clone();
        let first: Vec<Uuid> = (0..10_000).map(|_| source.draw::<Uuid>()).collect();
        let second: Vec<Uuid> = (0..10_000).map(|_| again.draw::<Uuid>()).collect();
        assert_eq!(first, second);
        assert!(first.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(first.iter().all(|id| id.get_version_num() == 7));
        assert!(
            first
                .iter()
                .all(|id| id.get_variant() == uuid::Variant::RFC4122)
        );
    }
}
