//! The one place where randomness is drawn: seeds of ids, secrets and keys.

use domain::ids::IdSource;
use jiff::Timestamp;

/// Fresh random bytes of the operating system.
///
/// # Panics
/// When the operating system has no entropy to give: nothing here may go on with a guessed secret.
pub(crate) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0u8; N];
    #[expect(
        clippy::expect_used,
        reason = "without entropy no secret may be made; there is no fallback"
    )]
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    bytes
}

/// A fresh stream of ids for one use case that happens at `now`.
pub fn id_source(now: Timestamp) -> IdSource {
    IdSource::new(random_bytes(), now)
}
