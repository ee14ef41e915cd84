//! What a source proves with who we are.
//!
//! Secrets are set for a login, which is the profile's own id unless it names another: several profiles may be asked
//! with one. What stands under a profile's own id counts beside and above its login's.

use std::collections::BTreeMap;

use sources::Profile;
use sources::ocean::dcsa::push::SecretUnusable;
use sources::outbound::{Identity, IdentityUnusable};

use tracking::PUSH_SECRET;

use super::secret_owners::variable;
use crate::config::{Settings, SettingsInvalid};

/// The secrets of a source, by name.
pub(super) fn secrets(settings: &Settings, profile: &Profile) -> BTreeMap<String, String> {
    let [login, id] = owners(profile);
    let given = |owner: &str| settings.sources.secrets.get(owner).into_iter().flatten();
    let both = given(&login).chain(given(&id));
    both.map(|(name, secret)| (name.clone(), secret.clone()))
        .collect()
}

/// The certificate that it wants to see of us, if any.
pub(super) fn identity(
    settings: &Settings,
    profile: &Profile,
) -> Result<Option<Identity>, SettingsInvalid> {
    let Some(rule) = profile.auth().and_then(|auth| auth.certificate.as_ref()) else {
        return Ok(None);
    };
    let [login, id] = owners(profile);
    let (secrets, files) = (secrets(settings, profile), &settings.sources.secret_files);
    let file = |owner: &str, name: &str| files.get(owner)?.get(name).cloned();
    let refused = |name: &str, reason: String| SettingsInvalid::Secret {
        id: login.clone(),
        name: name.to_owned(),
        path: file(&id, name).or_else(|| file(&login, name)),
        reason,
    };
    let secret = |name: &str| {
        secrets.get(name).ok_or_else(|| {
            let variable = variable(&login, name);
            refused(name, format!("is missing; name its PEM file in {variable}"))
        })
    };
    let (certificate, key) = (secret(&rule.certificate)?, secret(&rule.key)?);
    let identity = Identity::from_pem(certificate, key).map_err(|error| {
        let name = match error {
            IdentityUnusable::Certificate => &rule.certificate,
            IdentityUnusable::Key | IdentityUnusable::KeyKind(_) | IdentityUnusable::Mismatch => {
                &rule.key
            }
        };
        refused(name, error.to_string())
    });
    identity.map(Some)
}

/// Which sources are asked with the same secrets as one before and do not know it, with that one: each would use the whole
/// budget.
pub(super) fn twins<'p>(
    settings: &Settings,
    profiles: &'p [Profile],
) -> Vec<(&'p Profile, &'p Profile)> {
    let mut firsts: BTreeMap<BTreeMap<String, String>, &Profile> = BTreeMap::new();
    let mut twins = Vec::new();
    for profile in profiles.iter().filter(|profile| profile.auth().is_some()) {
        let held = secrets(settings, profile);
        if held.is_empty() {
            continue;
        }
        let first = *firsts.entry(held).or_insert(profile);
        if first.login() != profile.login() {
            twins.push((profile, first));
        }
    }
    twins
}

/// The secret that pushes of a source are to be proved by cannot be.
pub(super) fn unusable_push(
    settings: &Settings,
    id: &str,
    error: SecretUnusable,
) -> SettingsInvalid {
    let files = settings.sources.secret_files.get(id);
    SettingsInvalid::Secret {
        id: id.to_owned(),
        name: PUSH_SECRET.to_owned(),
        path: files.and_then(|files| files.get(PUSH_SECRET)).cloned(),
        reason: error.to_string(),
    }
}

/// Whose secrets a profile is asked with: its login's and its own.
pub(super) fn owners(profile: &Profile) -> [String; 2] {
    [profile.login(), profile.id()].map(str::to_ascii_lowercase)
}
