//! Chance that repeats: every draw is named, so one draw more in one place changes nothing in another.

use jiff::SignedDuration;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha12Rng;

/// A stream of draws about one thing.
pub(crate) struct Dice(ChaCha12Rng);

impl Dice {
    /// The stream about `subject` in the world of `seed`.
    pub(crate) fn about(seed: u64, subject: &str) -> Self {
        Self(ChaCha12Rng::seed_from_u64(
            seed.rotate_left(32) ^ named(subject),
        ))
    }

    /// A whole number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high.max(low))
    }

    /// As [`between`](Self::between), in minutes.
    pub(crate) fn minutes(&mut self, low: i64, high: i64) -> SignedDuration {
        SignedDuration::from_mins(self.between(low, high))
    }

    /// Whether something with this rate (of a thousand) happens.
    pub(crate) fn per_mille(&mut self, rate: u32) -> bool {
        self.0.random_range(0..1000) < rate
    }

    /// One of several; `None` of none.
    pub(crate) fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        let last = among.len().checked_sub(1)?;
        among.get(self.0.random_range(0..=last))
    }

    /// So many decimal digits.
    pub(crate) fn digits(&mut self, count: usize) -> String {
        (0..count)
            .map(|_| char::from(b'0' + self.0.random_range(0..10u8)))
            .collect()
    }

    /// The text of a version 4 UUID.
    pub(crate) fn uuid(&mut self) -> String {
        uuid::Builder::from_random_bytes(self.0.random())
            .into_uuid()
            .to_string()
    }

    /// Any number: a sort key that shuffles.
    pub(crate) fn any(&mut self) -> u64 {
        self.0.random()
    }
}

/// FNV-1a: the same on every machine and in every release, which the standard hasher does not promise.
pub(crate) fn named(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
