//! The running service, on a real socket over a temporary SQLite store.

use std::net::SocketAddr;
use std::sync::Arc;

use api::{RateLimits, Settings};
use domain::account::{Feature, Permissions, Plan};
use domain::ids::AccountId;
use domain::trust::Trust;
use sources::ocean::dcsa::{Profile, Puller, Secrets};
use sources::outbound::{EgressSettings, Limits, Outbound, Resolve};
use sources::registry::Registry;
use store::{Database, Store};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracking::access::{create_account, create_key};
use tracking::account::{Change, change as change_account};
use tracking::clock::ManualClock;
use tracking::{LEASE_DEFAULT, NOTIFICATIONS_KEPT_DEFAULT, Parts, Source, Tracking, Vault};

use crate::client::{Answer, Client};
use crate::rail_data::RAILROAD;

pub const NOW: &str = "2026-03-01T12:00:00Z";
pub const BASE: &str = "https://quay.example/v2";

/// A service with one account, and a key of it.
pub struct House {
    pub tracking: Tracking,
    pub address: SocketAddr,
    pub account: AccountId,
    pub key: String,
    pub clock: Arc<ManualClock>,
    pub stop: CancellationToken,
    pub served: tokio::task::JoinHandle<()>,
    directory: TempDir,
}

/// Settings of tests: no waiting at the end, no limits that a table of calls would run into.
pub fn settings() -> Settings {
    Settings {
        rate_limits: RateLimits::NONE,
        drain_notice: std::time::Duration::ZERO,
        // Whatever disk they run on.
        free_percent_min: 0,
        ..Settings::default()
    }
}

impl House {
    pub async fn open() -> Self {
        Self::with(settings()).await
    }

    pub async fn with(settings: Settings) -> Self {
        let egress = EgressSettings::default();
        let outbound = Outbound::new(egress.clone()).unwrap();
        let railroad = sources::Profile::parse(RAILROAD).unwrap();
        let sources = vec![Source::unasked(railroad)];
        Self::calling(settings, egress, outbound, sources).await
    }

    /// One whose calls may reach this.
    pub async fn reaching(egress: EgressSettings) -> Self {
        let outbound = Outbound::new(egress.clone()).unwrap();
        Self::calling(settings(), egress, outbound, Vec::new()).await
    }

    /// One with a carrier of this profile.
    pub async fn asking(profile: &str) -> Self {
        let egress = EgressSettings::default();
        let outbound = Outbound::new(egress.clone()).unwrap();
        let profile = Profile::parse(profile).unwrap();
        let carrier = Puller::new(outbound.clone(), profile, Secrets::default());
        Self::calling(settings(), egress, outbound, vec![Source::new(carrier)]).await
    }

    /// One with sources of these profiles, whose messages come by themselves, and whose calls may reach this.
    pub async fn hearing(profiles: &[&str], egress: EgressSettings) -> Self {
        let outbound = Outbound::new(egress.clone()).unwrap();
        let sources = profiles.iter().map(|text| {
            let profile = sources::Profile::parse(text).unwrap();
            Source::unasked(profile)
        });
        Self::calling(settings(), egress, outbound, sources.collect()).await
    }

    /// One with these sources, under these bounds.
    pub async fn taking(settings: Settings, sources: Vec<Source>) -> Self {
        let egress = EgressSettings::default();
        let outbound = Outbound::new(egress.clone()).unwrap();
        Self::calling(settings, egress, outbound, sources).await
    }

    /// One over this database.
    pub async fn over(settings: Settings, database: Database) -> Self {
        let egress = EgressSettings::default();
        let outbound = Outbound::new(egress.clone()).unwrap();
        let directory = tempfile::tempdir().unwrap();
        Self::standing(settings, egress, outbound, Vec::new(), database, directory).await
    }

    /// One for which every name leads to what `resolver` says.
    pub async fn resolving(resolver: Arc<dyn Resolve>) -> Self {
        let egress = EgressSettings::default();
        let outbound = Outbound::with_resolver(egress.clone(), resolver).unwrap();
        Self::calling(settings(), egress, outbound, Vec::new()).await
    }

    async fn calling(
        settings: Settings,
        egress: EgressSettings,
        outbound: Outbound,
        sources: Vec<Source>,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("quayside.db");
        let database = Database::Sqlite { path };
        Self::standing(settings, egress, outbound, sources, database, directory).await
    }

    async fn standing(
        settings: Settings,
        egress: EgressSettings,
        outbound: Outbound,
        sources: Vec<Source>,
        database: Database,
        directory: TempDir,
    ) -> Self {
        let opened =
            tokio::task::spawn_blocking(move || Store::open(&store::Settings::new(database)));
        let clock = Arc::new(ManualClock::new(NOW.parse().unwrap()));
        let tracking = Tracking::new(Parts {
            store: opened.await.unwrap().unwrap(),
            registry: Registry::load(&[]).unwrap(),
            sources,
            outbound,
            egress,
            clock: Arc::clone(&clock) as Arc<dyn tracking::clock::Clock>,
            vault: Vault::new(&[7; 32]),
            base_url: BASE.into(),
            lease: LEASE_DEFAULT,
            attempt: Limits::DELIVERY,
            notifications_kept: NOTIFICATIONS_KEPT_DEFAULT,
            trust: Trust::default(),
        });
        let (account, key) = newcomer(&tracking, "first", Permissions::ALL).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let served = tokio::spawn(api::serve(
            listener,
            tracking.clone(),
            settings,
            stop.clone(),
        ));
        Self {
            tracking,
            address,
            account,
            key,
            clock,
            stop,
            served,
            directory,
        }
    }

    /// Changes the embedded store behind the service's back; how many rows.
    pub fn tamper(&self, statement: &str) -> usize {
        let file = self.directory.path().join("quayside.db");
        store::testing::tamper(&file, statement).unwrap()
    }

    pub fn client(&self) -> Client {
        Client::new(self.address).key(&self.key)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.client().get(path).await
    }

    /// Gives the account another plan, from now on.
    pub async fn plan(&self, plan: Plan) {
        let change = Change {
            plan: Some(plan),
            ..Change::default()
        };
        let changed = change_account(&self.tracking, self.account, change).await;
        changed.unwrap().unwrap();
    }

    /// Switches features of the account.
    pub async fn switch(&self, features: &[(Feature, bool)]) {
        let change = Change {
            features: features.to_vec(),
            ..Change::default()
        };
        let changed = change_account(&self.tracking, self.account, change).await;
        changed.unwrap().unwrap();
    }

    /// Another account, and a client with its key.
    pub async fn neighbour(&self) -> Client {
        let (_, key) = newcomer(&self.tracking, "second", Permissions::ALL).await;
        Client::new(self.address).key(&key)
    }

    /// A client of another account that has this feature off.
    pub async fn without(&self, feature: Feature) -> Client {
        let account = store::account::Account {
            id: tracking::id_source(self.tracking.now()).draw(),
            name: format!("without {}", feature.as_str()),
            plan: Plan::SelfHosted,
            features: vec![(feature.as_str().into(), false)],
            plan_since: self.tracking.now(),
            created_at: self.tracking.now(),
        };
        let row = account.clone();
        let key = store::Key::account(account.id);
        let writing = self.tracking.store();
        let written = writing.write(key, move |tx| store::account::insert(tx, &row));
        written.await.unwrap();
        let (_, key) = create_key(&self.tracking, account.id, "key", Permissions::ALL)
            .await
            .unwrap();
        Client::new(self.address).key(&key)
    }

    /// A client of the first account whose key may do only this.
    pub async fn limited(&self, permissions: Permissions) -> Client {
        let (_, key) = create_key(&self.tracking, self.account, "limited", permissions)
            .await
            .unwrap();
        Client::new(self.address).key(&key)
    }
}

async fn newcomer(
    tracking: &Tracking,
    name: &str,
    permissions: Permissions,
) -> (AccountId, String) {
    let account = create_account(tracking, name, Plan::SelfHosted)
        .await
        .unwrap();
    let change = Change {
        features: vec![(Feature::Sources, true)],
        ..Change::default()
    };
    let changed = change_account(tracking, account.id, change).await;
    changed.unwrap().unwrap();
    let (_, key) = create_key(tracking, account.id, "key", permissions)
        .await
        .unwrap();
    (account.id, key)
}
