//! Settings: flags over environment over `quayside.toml` over defaults.
//!
//! A key of the environment is `QUAYSIDE_` and the name, `__` goes one table deeper
//! (`QUAYSIDE_EGRESS__ALLOW_HTTP`), and any of them with `_FILE` at its end names a file that holds the value:
//! that is how secrets are given. A key that means nothing stops the start with one line that names it: a
//! misspelt limit would otherwise be no limit.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use config::builder::DefaultState;
use config::{Config, ConfigBuilder, Environment, File, FileFormat};
use serde::{Deserialize, Serialize};

/// Name of the file that is read from the working directory when no other is named.
pub const FILE_NAME: &str = "quayside.toml";
const PREFIX: &str = "QUAYSIDE_";
const SHOWN_INSTEAD: &str = "(set)";

/// Everything that can be set.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where the embedded store, the lock and the main key live.
    pub data_dir: PathBuf,
    /// `postgres://…`; empty for the embedded store.
    pub database: String,
    /// What this node does.
    pub role: Role,
    /// Where clients reach the API, with `/v2`; built from `listen` when empty.
    pub base_url: String,
    /// 32 bytes in base64 that seal secrets; empty for the file `main.key` in the data directory.
    pub main_key: String,
    /// What is logged: `info`, or a filter such as `tracking=debug,info`.
    pub log: String,
    /// What our own calls may reach.
    pub egress: Egress,
    /// Requests a minute for each account; 0 is no limit.
    pub rate_limits: RateLimits,
    /// Metrics, on a listener of their own.
    pub metrics: Metrics,
    /// The carriers.
    pub sources: Sources,
    /// Background work.
    pub work: Work,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Serve the API and do the work.
    All,
    /// Serve the API only.
    Api,
    /// Do the work only; health is served.
    Worker,
}

/// What our own calls may reach beyond public addresses over https.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Egress {
    /// Allow http.
    pub allow_http: bool,
    /// Networks opened, such as `10.1.0.0/16`.
    pub allow_networks: Vec<String>,
    /// Networks closed, whatever else is said.
    pub deny_networks: Vec<String>,
}

/// Requests a minute.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimits {
    /// Every other endpoint.
    pub default: u32,
    /// Creating tracking requests.
    pub create_tracking_request: u32,
}

/// Metrics.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Where they are served; empty for nowhere.
    pub listen: String,
}

/// The carriers.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sources {
    /// Folder with one profile (`*.toml`) for each carrier.
    pub dir: PathBuf,
    /// Secrets that profiles name: by profile id, then by name.
    pub secrets: BTreeMap<String, BTreeMap<String, String>>,
}

/// Background work.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Work {
    /// How long a claimed delivery belongs to its worker.
    pub lease_seconds: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8049)),
            data_dir: PathBuf::from("./data"),
            database: String::new(),
            role: Role::All,
            base_url: String::new(),
            main_key: String::new(),
            log: "info".into(),
            egress: Egress::default(),
            rate_limits: RateLimits::default(),
            metrics: Metrics::default(),
            sources: Sources::default(),
            work: Work { lease_seconds: 30 },
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            default: 100,
            create_tracking_request: 100,
        }
    }
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            dir: PathBuf::from("./sources.d"),
            secrets: BTreeMap::new(),
        }
    }
}

impl Default for Work {
    fn default() -> Self {
        Self { lease_seconds: 30 }
    }
}

/// Why the settings cannot be used: one line that names the key.
#[derive(Debug, thiserror::Error)]
pub enum SettingsInvalid {
    /// A key or a value is wrong.
    #[error("settings: {0}")]
    Key(String),
    /// A file named by a `_FILE` variable cannot be read.
    #[error("settings: {variable} names {path}, which cannot be read: {source}")]
    SecretFile {
        /// The variable.
        variable: String,
        /// The path it names.
        path: String,
        /// Why.
        source: std::io::Error,
    },
}

/// Flags that stand above everything else; `None` leaves the key alone.
pub type Overrides = Vec<(&'static str, Option<String>)>;

impl Settings {
    /// Reads them from `environment`, the file and the flags.
    pub fn load(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
        overrides: Overrides,
    ) -> Result<Self, SettingsInvalid> {
        let path = file.unwrap_or_else(|| Path::new(FILE_NAME));
        let file = File::from(path)
            .format(FileFormat::Toml)
            .required(file.is_some());
        let variables = variables(environment)?;
        let mut builder: ConfigBuilder<DefaultState> = Config::builder()
            .add_source(file)
            .add_source(by_environment(variables));
        for (key, value) in overrides {
            builder = builder
                .set_override_option(key, value)
                .map_err(|error| named(&error))?;
        }
        let config = builder.build().map_err(|error| named(&error))?;
        config.try_deserialize().map_err(|error| named(&error))
    }

    /// Where clients reach the API.
    pub fn public_base_url(&self) -> String {
        if self.base_url.is_empty() {
            format!("http://{}/v2", self.listen)
        } else {
            self.base_url.trim_end_matches('/').to_owned()
        }
    }

    /// The same with every secret replaced.
    pub fn redacted(&self) -> Self {
        let mut shown = self.clone();
        if !shown.main_key.is_empty() {
            SHOWN_INSTEAD.clone_into(&mut shown.main_key);
        }
        shown.database = without_password(&shown.database);
        for secret in shown
            .sources
            .secrets
            .values_mut()
            .flat_map(BTreeMap::values_mut)
        {
            SHOWN_INSTEAD.clone_into(secret);
        }
        shown
    }
}

/// Variables of ours, with those that name a file replaced by what the file holds.
fn variables(
    environment: impl Iterator<Item = (String, String)>,
) -> Result<config::Map<String, String>, SettingsInvalid> {
    let mut found = config::Map::new();
    for (name, value) in environment.filter(|(name, _)| name.starts_with(PREFIX)) {
        match name.strip_suffix("_FILE") {
            Some(plain) => {
                let held = std::fs::read_to_string(&value).map_err(|source| {
                    SettingsInvalid::SecretFile {
                        variable: name.clone(),
                        path: value,
                        source,
                    }
                })?;
                found.insert(plain.to_owned(), held.trim_end().to_owned());
            }
            None => {
                found.insert(name, value);
            }
        }
    }
    Ok(found)
}

fn by_environment(variables: config::Map<String, String>) -> Environment {
    Environment::with_prefix("QUAYSIDE")
        .prefix_separator("_")
        .separator("__")
        .try_parsing(true)
        .list_separator(",")
        .with_list_parse_key("egress.allow_networks")
        .with_list_parse_key("egress.deny_networks")
        .source(Some(variables))
}

fn named(error: &config::ConfigError) -> SettingsInvalid {
    SettingsInvalid::Key(error.to_string().replace('\n', " "))
}

fn without_password(url: &str) -> String {
    match url
        .split_once("://")
        .map(|(scheme, rest)| (scheme, rest.rsplit_once('@')))
    {
        Some((scheme, Some((_, host)))) => format!("{scheme}://{SHOWN_INSTEAD}@{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(variables: &[(&str, &str)], overrides: Overrides) -> Result<Settings, SettingsInvalid> {
        let variables: Vec<(String, String)> = variables
            .iter()
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect();
        Settings::load(None, variables.into_iter(), overrides)
    }

    #[test]
    fn flags_stand_over_the_environment_and_that_over_defaults() {
        let plain = load(&[], vec![]).unwrap();
        assert_eq!(plain.listen.port(), 8049);
        let environment = [
            ("QUAYSIDE_LISTEN", "127.0.0.1:1"),
            ("QUAYSIDE_EGRESS__ALLOW_HTTP", "true"),
            ("QUAYSIDE_EGRESS__ALLOW_NETWORKS", "127.0.0.0/8,10.0.0.0/8"),
            ("QUAYSIDE_SOURCES__SECRETS__MAERSK__CLIENT_ID", "abc"),
            ("OTHER", "x"),
        ];
        let set = load(&environment, vec![("listen", Some("127.0.0.1:2".into()))]).unwrap();
        assert_eq!(set.listen.port(), 2);
        assert!(set.egress.allow_http);
        assert_eq!(set.egress.allow_networks, ["127.0.0.0/8", "10.0.0.0/8"]);
        assert_eq!(set.sources.secrets["maersk"]["client_id"], "abc");
    }

    #[test]
    fn a_key_that_means_nothing_is_named() {
        let error = load(&[("QUAYSIDE_EGRESS__ALOW_HTTP", "true")], vec![]).unwrap_err();
        assert!(error.to_string().contains("alow_http"), "{error}");
        let error = load(&[("QUAYSIDE_LISTEN", "here")], vec![]).unwrap_err();
        assert!(error.to_string().contains("listen"), "{error}");
        assert!(!error.to_string().contains('\n'));
    }

    #[test]
    fn secrets_come_from_files_and_are_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "hidden\n").unwrap();
        let path = path.display().to_string();
        let set = load(&[("QUAYSIDE_MAIN_KEY_FILE", &path)], vec![]).unwrap();
        assert_eq!(set.main_key, "hidden");
        assert_eq!(set.redacted().main_key, SHOWN_INSTEAD);
        let missing = load(&[("QUAYSIDE_MAIN_KEY_FILE", "/nowhere/key")], vec![]).unwrap_err();
        assert!(
            missing.to_string().contains("QUAYSIDE_MAIN_KEY_FILE"),
            "{missing}"
        );
        assert_eq!(
            without_password("postgres://a:b@host/db"),
            "postgres://(set)@host/db"
        );
    }
}
