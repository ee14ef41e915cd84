//! Settings: flags over environment over `quayside.toml` over defaults.
//!
//! A key of the environment is `QUAYSIDE_` and the name, `__` goes one table deeper
//! (`QUAYSIDE_EGRESS__ALLOW_HTTP`), and any of them with `_FILE` at its end names a file that holds the value:
//! that is how secrets are given. A key that means nothing stops the start with one line that names it: a
//! misspelt limit would otherwise be no limit.

mod check;
mod environment;
mod fault;
mod kinds;
mod redacted;
#[cfg(test)]
mod tests;
mod trust;

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use config::builder::DefaultState;
use config::{Config, ConfigBuilder, File, FileFormat};
use serde::{Deserialize, Serialize};

pub use check::{addresses, moment, networks, ports, proxy};
pub use environment::of_process;
use fault::{named, unlike};
use redacted::without_password;
pub use trust::trust;

/// Name of the file that is read from the working directory when no other is named.
pub const FILE_NAME: &str = "quayside.toml";
/// What is logged when nothing is said.
pub const LOG_DEFAULT: &str = "info";
/// Where profiles lie when no setting says otherwise.
pub const SOURCES_DIR_DEFAULT: &str = "./sources.d";
/// Longest attempt to deliver: a stop waits for it.
const ATTEMPT_SECONDS_MAX: u32 = 20;
/// Longest time that a notification is kept: ten years.
const KEEP_DAYS_MAX: u32 = 3_650;
/// Longest lease, a day: so long may pass before what a killed node had begun is taken up.
const LEASE_SECONDS_MAX: u32 = 86_400;
/// Most connections that may be let in; each is a file of the process.
const CONNECTIONS_MAX: u32 = 65_536;
/// Times that a message may be given to come in, in seconds. A slower line is given an hour; a shorter time than ten
/// seconds would refuse what comes at all.
const UPLOAD_SECONDS: RangeInclusive<u32> = 10..=3_600;
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
    /// 32 bytes in base64 of a further key that opens and seals nothing, while the main key is changed; empty for the file
    /// `main.key.also` beside `main.key`, where there is one.
    pub main_key_also: String,
    /// What is logged: `info`, or a filter such as `tracking=debug,info`.
    pub log: String,
    /// What our own calls may reach.
    pub egress: Egress,
    /// Connections of clients, and proxies before them.
    pub http: Http,
    /// When a node says that it can work.
    pub health: Health,
    /// Requests a minute for each account; 0 is no limit.
    pub rate_limits: RateLimits,
    /// What is told to those who receive deliveries.
    pub webhooks: Webhooks,
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
    /// Serve the API and do no background work.
    Api,
    /// Poll and deliver; the API and health are served beside it.
    Worker,
}

/// What our own calls may reach beyond public addresses over https.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Egress {
    /// Allow http.
    pub allow_http: bool,
    /// Networks opened, such as `10.1.0.0/16`.
    #[serde(deserialize_with = "environment::list")]
    pub allow_networks: Vec<String>,
    /// Networks closed, whatever else is said.
    #[serde(deserialize_with = "environment::list")]
    pub deny_networks: Vec<String>,
    /// Ports closed beside those that are closed in any case.
    #[serde(deserialize_with = "environment::list")]
    pub blocked_ports: Vec<String>,
    /// `http://user:password@host:port` of a proxy that everything outside goes by; empty for none.
    pub proxy: String,
    /// Whether the proxy is given names as they are, and refuses private addresses itself.
    pub proxy_resolves: bool,
}

/// Connections of clients, and proxies before them.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Http {
    /// Open connections at most: 1 to 65536.
    pub connections_max: u32,
    /// Open connections of one address at most: 1 to 65536.
    pub connections_per_address_max: u32,
    /// How long a message that is pushed or uploaded may take to come in: 10 to 3600.
    pub upload_seconds: u32,
    /// Networks of proxies in front that are believed whom they were called by.
    #[serde(deserialize_with = "environment::list")]
    pub trusted_proxies: Vec<String>,
}

/// When a node says that it can work.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Health {
    /// Free share of the disk of the embedded store, in percent, below which it is not ready: 0 to 99.
    pub disk_free_percent: u32,
}

/// Requests a minute.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RateLimits {
    /// Every other endpoint.
    pub default: u32,
    /// Creating tracking requests.
    pub create_tracking_request: u32,
    /// Inferring lines from numbers.
    pub infer_number: u32,
    /// Test sends to an endpoint.
    pub trigger: u32,
    /// Calls of `quayside listen`.
    pub listen: u32,
}

/// What is told to those who receive deliveries.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Webhooks {
    /// Addresses that deliveries come from, for receivers that let in only whom they know.
    #[serde(deserialize_with = "environment::list")]
    pub source_ips: Vec<String>,
    /// Since when, ISO 8601; empty for the start of the process.
    pub source_ips_since: String,
    /// How long one attempt may take, the body of the answer included: 1 to 20.
    pub attempt_seconds: u32,
    /// How long a notification is kept after its delivery ended, in days: 1 to 3650.
    pub keep_days: u32,
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
    /// The files that secrets came from, for whoever is told what is wrong with one.
    #[serde(skip)]
    pub secret_files: BTreeMap<String, BTreeMap<String, String>>,
    /// Ranks other than the usual: by profile id, then by group of values.
    pub trust: BTreeMap<String, BTreeMap<String, i64>>,
}

/// Background work.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Work {
    /// How long a claimed delivery belongs to its worker: 1 to 86400.
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
            main_key_also: String::new(),
            log: LOG_DEFAULT.into(),
            egress: Egress::default(),
            http: Http::default(),
            health: Health::default(),
            rate_limits: RateLimits::default(),
            webhooks: Webhooks::default(),
            metrics: Metrics::default(),
            sources: Sources::default(),
            work: Work::default(),
        }
    }
}

impl Default for Http {
    fn default() -> Self {
        Self {
            connections_max: 4_096,
            connections_per_address_max: 128,
            upload_seconds: 120,
            trusted_proxies: Vec::new(),
        }
    }
}

impl Default for Health {
    fn default() -> Self {
        Self {
            disk_free_percent: 5,
        }
    }
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            default: 100,
            create_tracking_request: 100,
            infer_number: 200,
            trigger: 10,
            listen: 6_000,
        }
    }
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            dir: PathBuf::from(SOURCES_DIR_DEFAULT),
            secrets: BTreeMap::new(),
            secret_files: BTreeMap::new(),
            trust: BTreeMap::new(),
        }
    }
}

impl Default for Webhooks {
    fn default() -> Self {
        Self {
            source_ips: Vec::new(),
            source_ips_since: String::new(),
            attempt_seconds: ATTEMPT_SECONDS_MAX,
            keep_days: 30,
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
    /// A value can be read and cannot be used.
    #[error("settings: {key}: {reason}")]
    Value {
        /// The key.
        key: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A rank cannot be given.
    #[error("settings: sources.trust.{place}: {reason}")]
    Trust {
        /// The source, and the group where it is about one: `usoak.lifts`.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A carrier's profile cannot be used.
    #[error("settings: sources.dir: {path}: {reason}")]
    Profile {
        /// The file.
        path: String,
        /// What is wrong, with the profile's key.
        reason: String,
    },
    /// A secret that a profile names is missing, or cannot be used.
    #[error("settings: sources.secrets.{id}.{name}{}: {reason}", from_file(.path.as_deref()))]
    Secret {
        /// The source.
        id: String,
        /// The secret.
        name: String,
        /// The file it came from.
        path: Option<String>,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// A file named by a `_FILE` variable cannot be read.
    #[error("settings: {variable} names {path}, which cannot be read")]
    SecretFile {
        /// The variable.
        variable: String,
        /// The path it names.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// The file of settings is there, or was named, and cannot be read.
    #[error("settings: {path} cannot be read: {reason}")]
    File {
        /// Its path.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A file named by a `_FILE` variable holds nothing.
    #[error(
        "settings: {variable} names {path}, which holds nothing: put the value there, or leave the variable out for the default"
    )]
    SecretFileEmpty {
        /// The variable.
        variable: String,
        /// The path it names.
        path: String,
    },
}

fn from_file(path: Option<&str>) -> String {
    path.map_or_else(String::new, |path| format!(" (from {path})"))
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
        // One that nobody named may be missing. What is there and cannot be read is not missing: by the defaults the node would
        // begin a store of its own.
        let is_missing = || {
            let about = path.symlink_metadata();
            about.is_err_and(|error| error.kind() == ErrorKind::NotFound)
        };
        let is_read = file.is_some() || !is_missing();
        // A name without its ending is found with it.
        let found = if is_missing() {
            path.with_extension("toml")
        } else {
            path.to_owned()
        };
        if is_read {
            let text = std::fs::read_to_string(found).map_err(|error| SettingsInvalid::File {
                path: path.display().to_string(),
                reason: error.to_string(),
            })?;
            kinds::check(&text, path)?;
        }
        let file = File::from(path).format(FileFormat::Toml).required(is_read);
        let environment: Vec<(String, String)> = environment.collect();
        let secret_files = environment::secret_files(&environment);
        let mut builder: ConfigBuilder<DefaultState> = Config::builder()
            .add_source(file)
            .add_source(environment::layer(environment.into_iter())?);
        for (key, value) in overrides {
            builder = builder
                .set_override_option(key, value)
                .map_err(|error| named(&error))?;
        }
        let config = builder.build().map_err(|error| named(&error))?;
        let read = config.clone().try_deserialize::<Self>();
        let read = read.map_err(|error| unlike(&error, &config))?;
        let mut settings = read.with_small_secret_names();
        settings.sources.secret_files = secret_files;
        check::check(&settings)?;
        Ok(settings)
    }

    /// The environment cannot tell capitals, so the names of secrets are small wherever they come from.
    fn with_small_secret_names(mut self) -> Self {
        let given = std::mem::take(&mut self.sources.secrets);
        for (source, named) in given {
            let named = named
                .into_iter()
                .map(|(name, secret)| (name.to_ascii_lowercase(), secret));
            let held = self.sources.secrets.entry(source.to_ascii_lowercase());
            held.or_default().extend(named);
        }
        self
    }

    /// Where clients reach the API.
    pub fn public_base_url(&self) -> String {
        if self.base_url.is_empty() {
            format!("http://{}/v2", self.listen)
        } else {
            self.base_url.trim_end_matches('/').to_owned()
        }
    }

    /// Whether clients are told an address that says "everywhere" and that none of them can call.
    pub fn links_lead_nowhere(&self) -> bool {
        self.base_url.is_empty() && self.listen.ip().is_unspecified()
    }

    /// Where this process listens: for the API, and for metrics where they are served.
    pub fn listeners(&self) -> Vec<SocketAddr> {
        let metrics = self.metrics.listen.parse().ok();
        std::iter::once(self.listen).chain(metrics).collect()
    }

    /// What is in force, also where nothing is set, with every secret replaced.
    pub fn shown(&self) -> Self {
        let mut shown = self.redacted();
        shown.base_url = self.public_base_url();
        if shown.main_key.is_empty() {
            let file = crate::wire::main_key::place(self);
            shown.main_key = format!("(in {file})");
        }
        if let Some(file) = crate::wire::main_key::also_file(self).filter(|file| file.exists()) {
            shown.main_key_also = format!("(in {})", file.display());
        }
        shown
    }

    /// The same with every secret replaced.
    fn redacted(&self) -> Self {
        let mut shown = self.clone();
        for key in [&mut shown.main_key, &mut shown.main_key_also] {
            if !key.is_empty() {
                SHOWN_INSTEAD.clone_into(key);
            }
        }
        shown.database = without_password(&shown.database);
        shown.egress.proxy = without_password(&shown.egress.proxy);
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
