//! The wiring: from settings to a service.

mod credentials;
pub mod lacks;
pub mod later;
pub mod main_key;
mod secret_owners;

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use domain::trust::Trust;
use jiff::SignedDuration;
use lacks::Lack;
use sources::ocean::dcsa::{Puller, Secrets};
use sources::outbound::{BLOCKED_PORTS, EgressSettings, Limits, Network, Outbound};
use sources::registry::Registry;
use sources::{Asker, Profile, Speaks};
use store::backup::is_unfinished;
use store::{Database, OpenError, Store};
use tracking::clock::{Clock, DatabaseClock, SystemClock};
use tracking::{Parts, Source, Tracking, trials};

use crate::config::{self, Egress, Settings, SettingsInvalid};
use crate::machine;

/// File of the embedded store in the data directory.
const STORE_FILE: &str = "quayside.db";

/// Reads the tables and the profiles, opens the store, and puts the service together. Starts nothing but, on a shared
/// database, the watch over its clock.
///
/// What can be refused without changing the store is refused before: once it has this version's schema the one before cannot
/// open it any more, and that is what somebody turns to whose start was refused.
pub async fn service(settings: &Settings) -> Result<Tracking> {
    let (store, configured) = own_store(settings).await?;
    let clock = clock(&store).await?;
    put_together(settings, store, configured, clock).await
}

/// The same as far as the store, for who goes no further.
pub async fn own_store(settings: &Settings) -> Result<(Store, Configured)> {
    let configured = configured(settings, profiles(&settings.sources.dir)?)?;
    Ok((open_own(settings).await?, configured))
}

/// Opens the store; one of an earlier schema is brought to this version's once the key is known to be its own.
async fn open_own(settings: &Settings) -> Result<Store> {
    match embedded(settings) {
        // To look at a file that may only be read leaves a log beside it that may only be read, too.
        Some(file) if is_there(&file)? => store::may_write(&file)?,
        Some(_) => {}
        None => {
            let mut wanted = store::Settings::new(database(settings)?);
            wanted.migrate = false;
            match Store::open(&wanted) {
                Err(OpenError::NotMigrated { .. }) => {}
                opened => return Ok(opened?),
            }
        }
    }
    main_key::foresee(settings).await?;
    open_store(settings)
}

/// The machine's clock, or the one that all nodes of a shared database can see.
async fn clock(store: &Store) -> Result<Arc<dyn Clock>> {
    let machine = Arc::new(SystemClock);
    if !store.is_shared() {
        return Ok(machine);
    }
    let name = machine::name().unwrap_or_else(|| "this machine".into());
    let started = DatabaseClock::start(machine, name, store).await;
    Ok(started.context("the database does not tell its time")?)
}

/// The same over parts that a caller brings (the demo: its own profile and clock).
pub async fn assemble(
    settings: &Settings,
    store: Store,
    profiles: Vec<Profile>,
    clock: Arc<dyn Clock>,
) -> Result<Tracking> {
    put_together(settings, store, configured(settings, profiles)?, clock).await
}

async fn put_together(
    settings: &Settings,
    store: Store,
    configured: Configured,
    clock: Arc<dyn Clock>,
) -> Result<Tracking> {
    let Configured {
        registry,
        sources,
        outbound,
        egress,
        trust,
        lacks,
    } = configured;
    lacks::warn(&lacks);
    // Last: a key is made only for a service that can start.
    let vault = main_key::open(settings, &store, clock.now()).await?;
    Ok(Tracking::new(Parts {
        store,
        registry,
        sources,
        outbound,
        egress,
        clock,
        vault,
        base_url: settings.public_base_url(),
        lease: lease(settings),
        attempt: Limits::DELIVERY.within(Duration::from_secs(
            settings.webhooks.attempt_seconds.into(),
        )),
        notifications_kept: SignedDuration::from_hours(24 * i64::from(settings.webhooks.keep_days)),
        trust,
    }))
}

/// How long a node holds what it has claimed.
fn lease(settings: &Settings) -> SignedDuration {
    SignedDuration::from_secs(i64::from(settings.work.lease_seconds.max(1)))
}

/// What the settings and the profiles come to.
pub struct Configured {
    registry: Registry,
    /// Each with its secrets.
    pub sources: Vec<Source>,
    pub outbound: Outbound,
    egress: EgressSettings,
    trust: Trust,
    /// What any of them cannot work without.
    pub lacks: Vec<Lack>,
}

/// Puts together what needs no store.
pub fn configured(settings: &Settings, profiles: Vec<Profile>) -> Result<Configured> {
    let lines: Vec<_> = profiles.iter().filter_map(Profile::shipping_line).collect();
    let registry = Registry::load(&lines)?;
    let lacks = lacks::of(settings, &profiles, registry.gazetteer())?;
    let settings = &secret_owners::settled(settings, &profiles)?;
    let egress = egress(&settings.egress, settings)?;
    let outbound = Outbound::new(egress.clone())?;
    let sources: Vec<Source> = profiles
        .into_iter()
        .map(|profile| source(settings, &outbound, profile))
        .collect::<Result<_>>()?;
    let ids: Vec<&str> = sources.iter().map(Source::id).collect();
    let trust = config::trust(&settings.sources, &ids)?;
    Ok(Configured {
        registry,
        sources,
        outbound,
        egress,
        trust,
        lacks,
    })
}

/// One source with its secrets.
fn source(settings: &Settings, outbound: &Outbound, profile: Profile) -> Result<Source> {
    let id = profile.id().to_ascii_lowercase();
    let secrets = credentials::secrets(settings, &profile);
    let doors = profile.doors.clone();
    let outbound = match credentials::identity(settings, &profile)? {
        Some(identity) => outbound.known_as(&identity),
        None => outbound.clone(),
    };
    let source = match &profile.speaks {
        Speaks::Ocean(profile) => {
            let named = Secrets::new(secrets.clone());
            let profile = profile.as_ref().clone();
            Source::new(Puller::new(outbound, profile, named))
        }
        Speaks::Table(table) => match table.asking.clone() {
            Some(asking) => {
                let named = Secrets::new(secrets.clone());
                Source::of_boxes(profile, Asker::new(outbound, asking, named))
            }
            None => Source::unasked(profile),
        },
        Speaks::Edi(_) | Speaks::Clm(_) | Speaks::Ais(_) => Source::unasked(profile),
    };
    let opened = source.with_doors(doors, &secrets);
    let opened = opened.map_err(|error| credentials::unusable_push(settings, &id, error));
    Ok(opened?)
}

/// Opens the store that the settings name; migrates it.
pub fn open_store(settings: &Settings) -> Result<Store> {
    let mut wanted = store::Settings::new(database(settings)?);
    wanted.begin = !was_begun(settings)?;
    Ok(Store::open(&wanted)?)
}

/// The store as it is, for who only looks at it, also beside a service that has it open. Nothing is made, migrated or changed.
pub fn look_at(settings: &Settings) -> Result<Store> {
    let Some(file) = embedded(settings) else {
        return Ok(Store::look_at(&settings.database)?);
    };
    begun(settings)?;
    let opened = Store::beside(&file);
    opened.with_context(|| format!("{} cannot be looked at", file.display()))
}

/// Whether there was a store in the data directory: what is no longer there must not be begun anew as if nothing had been. A
/// main key alone does not say so, since it may be given for a first start; with the lock of a store it does.
fn was_begun(settings: &Settings) -> Result<bool> {
    let Some(file) = embedded(settings) else {
        return Ok(false);
    };
    let lock = file.with_extension("db.lock");
    let has_key = !settings.main_key.is_empty() || is_there(&main_key::file(settings))?;
    Ok(has_key && is_there(&lock)?)
}

/// There is no store yet for what only looks at one, or works on what it holds.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} is not there: data_dir ({}) names another folder than the service's, or no store was begun; `quayside account create` \
     and `quayside serve` begin one",
    file.display(),
    folder.display()
)]
pub struct NoStore {
    file: PathBuf,
    folder: PathBuf,
}

/// Whether a store was begun: a command that is run in the wrong folder must not make an empty one and find all well in it.
pub fn begun(settings: &Settings) -> Result<()> {
    match embedded(settings) {
        // Who opens it finishes a restore that was cut off.
        Some(file) if !is_there(&file)? && !is_unfinished(&file) => Err(NoStore {
            file,
            folder: settings.data_dir.clone(),
        }
        .into()),
        _ => Ok(()),
    }
}

/// Whether a file is there; an error where this user may not know it, which names who may.
pub fn is_there(file: &Path) -> Result<bool> {
    file.try_exists().with_context(|| {
        let owner = file.ancestors().find_map(|path| path.metadata().ok());
        let owner = owner.map(|about| about.uid()).unwrap_or_default();
        format!(
            "{} cannot be reached: run the command as the user that the folder belongs to (uid {owner})",
            file.display()
        )
    })
}

/// The file of the embedded store; `None` where the settings name a database.
pub fn embedded(settings: &Settings) -> Option<PathBuf> {
    let is_embedded = settings.database.is_empty();
    is_embedded.then(|| settings.data_dir.join(STORE_FILE))
}

fn database(settings: &Settings) -> Result<Database> {
    if !settings.database.is_empty() {
        return Ok(Database::Postgres {
            url: settings.database.clone(),
        });
    }
    let folder = &settings.data_dir;
    store::make_folder(folder)
        .with_context(|| format!("data_dir {} cannot be made", folder.display()))?;
    Ok(Database::Sqlite {
        path: folder.join(STORE_FILE),
    })
}

/// Every profile of the folder, by file name.
pub fn profiles(folder: &Path) -> Result<Vec<Profile>> {
    let mut read: Vec<(PathBuf, Profile)> = Vec::new();
    for path in profile_paths(folder)? {
        let profile = profile(&path)?;
        if profile.id() == trials::ID {
            return Err(SettingsInvalid::Profile {
                path: path.display().to_string(),
                reason: format!(
                    "id {:?} is that of the line TEST, which is in the service: give the source another",
                    trials::ID
                ),
            }
            .into());
        }
        if let Some((other, _)) = read.iter().find(|(_, known)| known.id() == profile.id()) {
            return Err(SettingsInvalid::Profile {
                path: path.display().to_string(),
                reason: format!(
                    "id {:?} is that of {} too: give each source its own, what it says is known by it",
                    profile.id(),
                    other.display()
                ),
            }
            .into());
        }
        let alike = |(_, known): &&(_, Profile)| watch_one_folder(known, &profile);
        if let Some((other, _)) = read.iter().find(alike) {
            return Err(shares_folder(&path, other));
        }
        read.push((path, profile));
    }
    Ok(read.into_iter().map(|(_, profile)| profile).collect())
}

fn watch_one_folder(one: &Profile, other: &Profile) -> bool {
    let folder = watched(one);
    folder.is_some() && folder == watched(other)
}

fn shares_folder(path: &Path, other: &Path) -> anyhow::Error {
    let reason = format!(
        "drop.folder is that of {} too: give each source one of its own, it is chance who reads a file",
        other.display()
    );
    let path = path.display().to_string();
    SettingsInvalid::Profile { path, reason }.into()
}

/// The folder that a source watches, by one name however it was written.
fn watched(profile: &Profile) -> Option<PathBuf> {
    let folder = profile.doors.folder.as_deref()?;
    let found = folder.canonicalize();
    let found = found.or_else(|_| std::path::absolute(folder));
    Some(found.unwrap_or_else(|_| folder.to_owned()))
}

/// The folder that nobody named may be missing: no carriers. One that somebody named is mistyped, or not mounted, and
/// a service that asks no carrier must not look as if all were well.
fn profile_paths(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_missing = matches!(folder.try_exists(), Ok(false));
    if is_missing && folder == Path::new(config::SOURCES_DIR_DEFAULT) {
        return Ok(Vec::new());
    }
    let unreadable = |error: std::io::Error| SettingsInvalid::Value {
        key: "sources.dir",
        reason: format!("{} cannot be read: {error}", folder.display()),
    };
    let entries = std::fs::read_dir(folder).map_err(unreadable)?;
    let paths: Result<Vec<PathBuf>, std::io::Error> =
        entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(unreadable)?;
    // Editors keep names that begin with a dot beside what they edit.
    paths.retain(|path| {
        let name = path.file_name().map(std::ffi::OsStr::as_encoded_bytes);
        let is_aside = name.is_some_and(|name| name.starts_with(b"."));
        path.extension().is_some_and(|kind| kind == "toml") && !is_aside
    });
    paths.sort();
    Ok(paths)
}

fn profile(path: &Path) -> Result<Profile> {
    let refused = |reason: String| SettingsInvalid::Profile {
        path: path.display().to_string(),
        reason,
    };
    let text = std::fs::read_to_string(path).map_err(|error| refused(error.to_string()))?;
    Profile::check_filled_in(&text).map_err(|error| refused(error.to_string()))?;
    Ok(Profile::parse(&text).map_err(|error| refused(error.to_string()))?)
}

fn egress(set: &Egress, settings: &Settings) -> Result<EgressSettings> {
    let mut blocked_ports = BLOCKED_PORTS.to_vec();
    blocked_ports.extend(ports("egress.blocked_ports", &set.blocked_ports)?);
    Ok(EgressSettings {
        allow_networks: networks("egress.allow_networks", &set.allow_networks)?,
        deny_networks: networks("egress.deny_networks", &set.deny_networks)?,
        allow_http: set.allow_http,
        blocked_ports,
        own_addresses: settings.listeners(),
        proxy: config::proxy(set).map_err(|invalid| SettingsInvalid::Value {
            key: "egress.proxy",
            reason: invalid.to_string(),
        })?,
    })
}

fn networks(key: &'static str, texts: &[String]) -> Result<Vec<Network>, SettingsInvalid> {
    config::networks(texts).map_err(|reason| SettingsInvalid::Value { key, reason })
}

fn ports(key: &'static str, texts: &[String]) -> Result<Vec<u16>, SettingsInvalid> {
    config::ports(texts).map_err(|reason| SettingsInvalid::Value { key, reason })
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use sources::outbound::Refusal;

    use super::*;

    #[test]
    fn what_this_service_listens_on_is_reached_by_none_of_its_calls() {
        let mut settings = Settings::default();
        settings.metrics.listen = "127.0.0.1:9090".into();
        settings.egress.allow_networks = vec!["127.0.0.0/8".into()];
        let guard = egress(&settings.egress, &settings).unwrap();
        let judged = |port| guard.judge(SocketAddr::from(([127, 0, 0, 1], port)));
        assert_eq!(judged(settings.listen.port()), Err(Refusal::Own));
        assert_eq!(judged(9_090), Err(Refusal::Own));
        assert!(judged(9_091).is_ok());
    }

    #[test]
    fn ports_that_the_operator_blocks_are_blocked_beside_the_usual_ones() {
        let given = ("QUAYSIDE_EGRESS__BLOCKED_PORTS".into(), "8443, 9000".into());
        let settings = Settings::load(None, std::iter::once(given), vec![]).unwrap();
        let guard = egress(&settings.egress, &settings).unwrap();
        let judged = |port| guard.judge(SocketAddr::from(([8, 8, 8, 8], port)));
        for port in [22, 8_443, 9_000] {
            assert_eq!(judged(port), Err(Refusal::Port), "{port}");
        }
        assert!(judged(443).is_ok());
    }

    #[test]
    fn the_proxy_that_is_set_is_the_one_that_is_called() {
        let given = (
            "QUAYSIDE_EGRESS__PROXY".into(),
            "http://ada:lovelace@10.0.0.3:3128".into(),
        );
        let settings = Settings::load(None, std::iter::once(given), vec![]).unwrap();
        let guard = egress(&settings.egress, &settings).unwrap();
        let proxy = "http://ada:lovelace@10.0.0.3:3128".parse().unwrap();
        assert_eq!(guard.proxy, Some(proxy));
        let other = egress(&Egress::default(), &settings).unwrap();
        assert_eq!(other.proxy, None);
    }
}
