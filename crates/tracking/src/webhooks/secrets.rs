//! The secrets of a webhook: one signs, and those before it are still known for a day.
//!
//! A receiver cannot change its secret in the same moment as we do. So a rotation retires the secret that signed
//! until then, and for [`OVERLAP`] every delivery is signed with both: a receiver that holds either of them
//! verifies it. Who rotates again within that time has three secrets alive; a further one takes the place of the
//! oldest, which ends at once. The other way, refusing to rotate, would leave the owner of a leaked secret
//! without a remedy for a day.
//!
//! Retired secrets are sealed together in one value, each with its end. Nothing wakes up to remove them: what has
//! ended does not sign, and goes with the next rotation.

use domain::ids::{AccountId, WebhookId};
use jiff::{SignedDuration, Timestamp};
use store::webhook::{Retired, Webhook};

use super::sign::SECRET_PREFIX;
use crate::vault::{Vault, VaultError};

/// How long a secret goes on signing after its rotation.
pub const OVERLAP: SignedDuration = SignedDuration::from_hours(24);
/// Secrets that sign at once, the present one included.
pub const LIVE_MAX: usize = 3;

const KIND: &str = "webhook secret";
const RETIRED_KIND: &str = "retired webhook secrets";

/// What signs a delivery.
pub(super) struct Keyring {
    /// The present secret.
    pub(super) present: String,
    /// Those before it that still count, newest first.
    pub(super) retired: Vec<String>,
}

impl Keyring {
    /// All of them, the present one first.
    pub(super) fn all(&self) -> impl Iterator<Item = &str> {
        let present = std::iter::once(&self.present);
        present.chain(&self.retired).map(String::as_str)
    }
}

/// What is stored of a secret.
pub(crate) fn seal(vault: &Vault, account: AccountId, id: WebhookId, secret: &str) -> Vec<u8> {
    vault.seal(KIND, &place(account, id), secret.as_bytes())
}

/// What is stored of a secret, sealed with the key that seals now.
pub(crate) fn anew(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    vault.anew(KIND, &place(account, id), sealed)
}

/// The same of those that signed before it.
pub(crate) fn retired_anew(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    sealed: &[u8],
) -> Result<Vec<u8>, VaultError> {
    vault.anew(RETIRED_KIND, &place(account, id), sealed)
}

/// The present secret of a webhook.
pub(crate) fn open(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    sealed: &[u8],
) -> Result<String, VaultError> {
    let plain = vault.open(KIND, &place(account, id), sealed)?;
    String::from_utf8(plain).map_err(|_| VaultError::Sealed(KIND))
}

/// All secrets that sign at `now`.
pub(super) fn keyring(
    vault: &Vault,
    (account, id): (AccountId, WebhookId),
    sealed: &[u8],
    retired: Option<&Retired>,
    now: Timestamp,
) -> Result<Keyring, VaultError> {
    let live = open_retired(vault, account, id, retired, now)?;
    Ok(Keyring {
        present: open(vault, account, id, sealed)?,
        retired: live.into_iter().map(|(secret, _)| secret).collect(),
    })
}

/// Retires the present secret of a stored webhook, from `now`, in favour of another one.
pub(super) fn rotate(
    vault: &Vault,
    account: AccountId,
    row: &mut Webhook,
    secret: &str,
    now: Timestamp,
) -> Result<(), VaultError> {
    let until = now + OVERLAP;
    let mut retired = vec![(open(vault, account, row.id, &row.secret)?, until)];
    retired.extend(open_retired(
        vault,
        account,
        row.id,
        row.retired.as_ref(),
        now,
    )?);
    retired.truncate(LIVE_MAX - 1);
    row.retired = Some(Retired {
        sealed: seal_retired(vault, account, row.id, &retired),
        until,
    });
    row.secret = seal(vault, account, row.id, secret);
    Ok(())
}

/// What is shown of a secret after its first showing: `whsec_…` and the last four characters.
pub fn mask(secret: &str) -> String {
    let tail = secret
        .len()
        .checked_sub(4)
        .and_then(|from| secret.get(from..))
        .unwrap_or_default();
    format!("{SECRET_PREFIX}…{tail}")
}

fn place(account: AccountId, id: WebhookId) -> String {
    format!("{account}/{id}")
}

/// A secret and when it ceases to sign.
type Ending = (String, Timestamp);

fn seal_retired(vault: &Vault, account: AccountId, id: WebhookId, retired: &[Ending]) -> Vec<u8> {
    let rows = retired
        .iter()
        .map(|(secret, until)| (secret, until.as_microsecond()));
    let plain = serde_json::to_vec(&rows.collect::<Vec<_>>()).unwrap_or_default();
    vault.seal(RETIRED_KIND, &place(account, id), &plain)
}

/// Those that still sign at `now`, newest first.
fn open_retired(
    vault: &Vault,
    account: AccountId,
    id: WebhookId,
    retired: Option<&Retired>,
    now: Timestamp,
) -> Result<Vec<Ending>, VaultError> {
    let Some(retired) = retired.filter(|retired| retired.until > now) else {
        return Ok(Vec::new());
    };
    let plain = vault.open(RETIRED_KIND, &place(account, id), &retired.sealed)?;
    let rows: Vec<(String, i64)> =
        serde_json::from_slice(&plain).map_err(|_| VaultError::Sealed(RETIRED_KIND))?;
    let endings = rows.into_iter().filter_map(|(secret, until)| {
        let until = Timestamp::from_microsecond(until).ok()?;
        (until > now).then_some((secret, until))
    });
    Ok(endings.collect())
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    const START: Timestamp = Timestamp::UNIX_EPOCH;

    fn row(vault: &Vault, account: AccountId) -> Webhook {
        let id = WebhookId(Uuid::from_u128(2));
        Webhook {
            id,
            url: String::new(),
            active: true,
            events: Vec::new(),
            secret: seal(vault, account, id, "first"),
            retired: None,
            headers: Vec::new(),
            disabled_reason: None,
            created_at: START,
            updated_at: START,
        }
    }

    fn hours(count: i64) -> Timestamp {
        START + SignedDuration::from_hours(count)
    }

    #[test]
    fn a_secret_signs_for_a_day_after_its_rotation_and_three_sign_at_most() {
        let (vault, account) = (Vault::new(&[7; 32]), AccountId(Uuid::from_u128(1)));
        let mut webhook = row(&vault, account);
        let live = |webhook: &Webhook, now| -> Vec<String> {
            let (sealed, retired) = (&webhook.secret, webhook.retired.as_ref());
            let of = (account, webhook.id);
            let ring = keyring(&vault, of, sealed, retired, now).unwrap();
            ring.all().map(ToOwned::to_owned).collect()
        };
        assert_eq!(live(&webhook, hours(0)), ["first"]);
        rotate(&vault, account, &mut webhook, "second", hours(0)).unwrap();
        assert_eq!(live(&webhook, hours(23)), ["second", "first"]);
        assert_eq!(live(&webhook, hours(24)), ["second"]);
        rotate(&vault, account, &mut webhook, "third", hours(10)).unwrap();
        assert_eq!(live(&webhook, hours(10)), ["third", "second", "first"]);
        assert_eq!(live(&webhook, hours(24)), ["third", "second"]);
        rotate(&vault, account, &mut webhook, "fourth", hours(11)).unwrap();
        assert_eq!(
            live(&webhook, hours(11)),
            ["fourth", "third", "second"],
            "the oldest ends at once"
        );
        assert_eq!(live(&webhook, hours(34)), ["fourth", "third"]);
        assert_eq!(live(&webhook, hours(35)), ["fourth"]);
    }

    #[test]
    fn retired_secrets_open_for_their_webhook_only() {
        let (vault, account) = (Vault::new(&[7; 32]), AccountId(Uuid::from_u128(1)));
        let mut webhook = row(&vault, account);
        rotate(&vault, account, &mut webhook, "second", hours(0)).unwrap();
        let plain = b"first";
        let sealed = &webhook.retired.as_ref().unwrap().sealed;
        assert!(!sealed.windows(plain.len()).any(|bytes| bytes == plain));
        let other = (AccountId(Uuid::from_u128(9)), webhook.id);
        let own = seal(&vault, other.0, other.1, "own");
        let opened = keyring(&vault, other, &own, webhook.retired.as_ref(), hours(1));
        assert!(opened.is_err());
    }

    #[test]
    fn a_masked_secret_shows_four_characters() {
        assert_eq!(mask("whsec_abcdefgh"), "whsec_…efgh");
    }
}
