//! Whose a secret is that the environment names with underscores.
//!
//! Ids of sources have dashes and dots, as `apm-terminals` has, and a shell exports no variable with one in its name. So
//! an underscore may stand for either, as long as it is clear who is meant. An id that is written as it is comes first.

use std::collections::{BTreeMap, BTreeSet};

use sources::Profile;

use super::credentials::owners;
use crate::config::{Settings, SettingsInvalid};

/// An id as a variable's name can have it, in small letters.
fn in_a_shell(id: &str) -> String {
    id.replace(['-', '.'], "_")
}

/// The variable that names the file of a secret.
pub(super) fn variable(owner: &str, name: &str) -> String {
    let owner = in_a_shell(owner);
    format!("QUAYSIDE_SOURCES__SECRETS__{owner}__{name}_FILE").to_uppercase()
}

/// The same settings, with each secret under the id of the source or login it is for. One that nobody is known for stays
/// as it is: its profile may come later.
pub(super) fn settled(
    settings: &Settings,
    profiles: &[Profile],
) -> Result<Settings, SettingsInvalid> {
    let owners: BTreeSet<String> = profiles.iter().flat_map(owners).collect();
    let mut settled = settings.clone();
    let sources = &mut settled.sources;
    for (written, secrets) in &settings.sources.secrets {
        if let Some(owner) = owner_of(written, secrets, &owners)? {
            rename(&mut sources.secrets, written, owner);
            rename(&mut sources.secret_files, written, owner);
        }
    }
    Ok(settled)
}

/// Who is meant by an id that nobody has to the letter; an error where two may be, lest one is asked with what the other
/// must not know.
fn owner_of<'o>(
    written: &str,
    secrets: &BTreeMap<String, String>,
    owners: &'o BTreeSet<String>,
) -> Result<Option<&'o String>, SettingsInvalid> {
    if owners.contains(written) {
        return Ok(None);
    }
    let meant = owners.iter().filter(|owner| in_a_shell(owner) == written);
    let meant: Vec<&String> = meant.collect();
    match meant.as_slice() {
        [] => Ok(None),
        [owner] => Ok(Some(owner)),
        [one, other, ..] => Err(SettingsInvalid::Secret {
            id: written.to_owned(),
            name: secrets.keys().next().cloned().unwrap_or_default(),
            path: None,
            reason: format!("may be meant for {one} or {other}; give one of them another id"),
        }),
    }
}

/// What stands under the right name already is what the file of settings says: the environment comes before it.
fn rename<V>(map: &mut BTreeMap<String, BTreeMap<String, V>>, written: &str, owner: &str) {
    if let Some(moved) = map.remove(written) {
        map.entry(owner.to_owned()).or_default().extend(moved);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profiles(ids: &[&str]) -> Vec<Profile> {
        let parsed = ids.iter().map(|id| {
            let text = format!("id = \"{id}\"\nprotocol = \"edi\"\n");
            Profile::parse(&text)
        });
        parsed.collect::<Result<_, _>>().unwrap()
    }

    fn given(variables: &[(&str, &str)]) -> Settings {
        let named = variables.iter().map(|(name, value)| {
            let name = format!("QUAYSIDE_SOURCES__SECRETS__{name}");
            (name, (*value).to_owned())
        });
        Settings::load(None, named, vec![]).unwrap()
    }

    #[test]
    fn an_underscore_stands_for_what_a_shell_cannot_export() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        std::fs::write(&path, "from a file\n").unwrap();
        let path = path.display().to_string();
        let settings = given(&[
            ("APM_TERMINALS__INBOUND", "a"),
            ("APM_TERMINALS__PUSH_FILE", &path),
            ("APM-TERMINALS__OTHER", "b"),
            ("PIER_4_EAST__INBOUND", "c"),
            ("NOBODY_HERE__INBOUND", "d"),
        ]);
        let known = profiles(&["APM-Terminals", "pier.4_east", "hub"]);
        let set = settled(&settings, &known).unwrap().sources;
        let of_terminal = &set.secrets["apm-terminals"];
        assert_eq!(of_terminal["inbound"], "a");
        assert_eq!(of_terminal["push"], "from a file");
        assert_eq!(of_terminal["other"], "b");
        assert_eq!(set.secret_files["apm-terminals"]["push"], path);
        assert_eq!(set.secrets["pier.4_east"]["inbound"], "c");
        assert!(!set.secrets.contains_key("apm_terminals"));
        assert!(set.secrets.contains_key("nobody_here"), "stays as it was");
    }

    #[test]
    fn nobody_gets_a_secret_that_may_be_somebody_elses() {
        let settings = given(&[("PIER_4_EAST__INBOUND", "c")]);
        let exact = profiles(&["pier-4-east", "pier_4_east"]);
        let set = settled(&settings, &exact).unwrap().sources.secrets;
        assert_eq!(set["pier_4_east"]["inbound"], "c");
        assert!(!set.contains_key("pier-4-east"));
        let either = profiles(&["pier-4_east", "pier_4-east"]);
        let refused = settled(&settings, &either).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "settings: sources.secrets.pier_4_east.inbound: may be meant for pier-4_east or pier_4-east; \
             give one of them another id"
        );
    }
}
