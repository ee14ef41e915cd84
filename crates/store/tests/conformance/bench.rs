//! An open store on an empty database, and rows to put into it.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};

use domain::account::Plan;
use domain::codes::{ContainerNumber, Scac};
use domain::container::ContainerState;
use domain::event::EventName;
use domain::ids::{AccountId, ShipmentId, WebhookId};
use domain::shipment::ShipmentState;
use domain::tracking_request::{NumberKind, Progress, RequestStatus};
use domain::webhook::DeliveryStatus;
use jiff::{SignedDuration, Timestamp};
use store::account::{self, Account};
use store::container::Container;
use store::notification::{Notification, OrderKey};
use store::party::Party;
use store::shipment::Shipment;
use store::testing::{PATIENCE, PgServer};
use store::tracking_request::TrackingRequest;
use store::watch::{Leasing, Watch};
use store::webhook::{self, Webhook};
use store::{Database, Error, Key, Settings, Store, Tx};
use tempfile::TempDir;
use uuid::Uuid;

/// A store under test. Fields are dropped in this order: the store before its database.
pub struct Bench {
    pub store: Store,
    pub settings: Settings,
    pub server: Option<PgServer>,
    directory: Option<TempDir>,
}

impl Bench {
    pub fn sqlite() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("test.db");
        Self::open(
            Settings::new(Database::Sqlite { path }),
            None,
            Some(directory),
        )
    }

    pub fn postgres() -> Self {
        let server = PgServer::start().unwrap();
        let url = server.url();
        let settings = Settings {
            patience: PATIENCE,
            ..Settings::new(Database::Postgres { url })
        };
        Self::open(settings, Some(server), None)
    }

    fn open(settings: Settings, server: Option<PgServer>, directory: Option<TempDir>) -> Self {
        Self {
            store: Store::open(&settings).unwrap(),
            settings,
            server,
            directory,
        }
    }

    /// The store, and what must outlive it.
    pub fn into_parts(self) -> (Store, Option<TempDir>) {
        (self.store, self.directory)
    }

    /// How many rows a table has, asked of the engine by a side door.
    pub fn rows_of(&self, table: &str) -> i64 {
        let count = format!("select count(*) from {table}");
        match &self.settings.database {
            Database::Sqlite { path } => rusqlite::Connection::open(path)
                .unwrap()
                .query_row(&count, [], |row| row.get(0))
                .unwrap(),
            Database::Postgres { url } => {
                let url = url.clone();
                let asked = std::thread::spawn(move || {
                    let mut door = postgres::Client::connect(&url, postgres::NoTls).unwrap();
                    door.query_one(&count, &[]).unwrap().get(0)
                });
                asked.join().unwrap()
            }
        }
    }

    /// Changes rows by a side door, as somebody would who has the database and not the program.
    pub fn tamper(&self, statements: &str) {
        match &self.settings.database {
            Database::Sqlite { path } => {
                let door = rusqlite::Connection::open(path).unwrap();
                door.execute_batch(statements).unwrap();
            }
            Database::Postgres { .. } => {
                let server = self.server.as_ref().unwrap();
                server.administer(&[statements]).unwrap();
            }
        }
    }

    /// An id as it is written in a statement.
    pub fn literal(&self, id: Uuid) -> String {
        match &self.settings.database {
            Database::Sqlite { .. } => format!("x'{}'", id.simple()),
            Database::Postgres { .. } => format!("'{id}'::uuid"),
        }
    }

    pub async fn write<T: Send + 'static>(
        &self,
        use_case: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.store.write(any_key(), use_case).await.unwrap()
    }

    pub async fn read<T: Send + 'static>(
        &self,
        query: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
    ) -> T {
        self.store.read(query).await.unwrap()
    }

    /// An account that is stored.
    pub async fn account(&self) -> AccountId {
        let row = account_row();
        let id = row.id;
        self.write(move |tx| account::insert(tx, &row)).await;
        id
    }

    /// A webhook of the account that is stored and hears everything.
    pub async fn webhook(&self, account: AccountId) -> WebhookId {
        let row = webhook_row();
        let id = row.id;
        self.write(move |tx| webhook::insert(&mut tx.account(account), &row))
            .await;
        id
    }

    /// A shipment of the account that is stored.
    pub async fn shipment(&self, account: AccountId) -> ShipmentId {
        let row = shipment_row();
        let id = row.id;
        self.write(move |tx| store::shipment::insert(&mut tx.account(account), &row))
            .await;
        id
    }
}

/// Runs a promise to its end on a runtime like the server's.
pub fn prove(bench: &Bench, promise: impl AsyncFnOnce(&Bench)) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(promise(bench));
}

/// Begins work in the order of the calls: what a future does before it first waits is done here and now.
pub fn begin<T: Send + 'static>(
    work: impl Future<Output = T> + Send + 'static,
) -> tokio::task::JoinHandle<T> {
    let mut work: Pin<Box<dyn Future<Output = T> + Send>> = Box::pin(work);
    match work.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(done) => tokio::spawn(std::future::ready(done)),
        Poll::Pending => tokio::spawn(work),
    }
}

/// What a random run begins with: printed, and taken from `QUAYSIDE_TEST_SEED` to repeat a run.
pub fn seed() -> u64 {
    let given = std::env::var("QUAYSIDE_TEST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let seed = given.unwrap_or(u64::from(time.subsec_nanos()));
    println!("QUAYSIDE_TEST_SEED={seed}");
    seed
}

/// A number that no other row of this process has.
pub fn number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A fresh id; later ones are greater.
pub fn id<I: From<Uuid>>() -> I {
    let high = u128::from(number()) << 80;
    I::from(Uuid::from_u128(high | 0x7000_8000_0000_0000_0000))
}

/// The time that many seconds after the beginning of the tests' time.
pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000).unwrap() + SignedDuration::from_secs(seconds)
}

pub fn any_key() -> Key {
    Key::account(id())
}

pub fn account_row() -> Account {
    Account {
        id: id(),
        name: format!("account {}", number()),
        plan: Plan::SelfHosted,
        plan_since: at(0),
        features: vec![("routing".into(), true), ("parties".into(), false)],
        created_at: at(0),
    }
}

pub fn party_row() -> Party {
    Party {
        id: id(),
        company_name: format!("Company {}", number()),
        customer: None,
        created_at: at(0),
        updated_at: at(0),
        told_until: None,
        document: r#"{"type":"party"}"#.into(),
    }
}

pub fn webhook_row() -> Webhook {
    Webhook {
        id: id(),
        url: "https://example.com/hook".into(),
        active: true,
        events: EventName::ALL.to_vec(),
        secret: vec![0, 1, 2, 255],
        retired: None,
        headers: Vec::new(),
        disabled_reason: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

pub fn shipment_row() -> Shipment {
    let number = format!("BL{}", number());
    Shipment {
        id: id(),
        normalized_number: number.trim_start_matches("BL").into(),
        number,
        scac: Scac::parse("MSCU").unwrap(),
        kind: NumberKind::BillOfLading,
        state: ShipmentState::default(),
        ref_numbers: vec!["PO 7".into()],
        tags: Vec::new(),
        created_at: at(0),
        updated_at: at(1),
        version: 1,
        line_attempted_at: None,
        line_succeeded_at: None,
        stopped: None,
        resumed_at: None,
        customer: None,
        custom_fields: Vec::new(),
        document: r#"{"type":"shipment"}"#.into(),
    }
}

pub fn container_row(shipment: ShipmentId) -> Container {
    let number = ContainerNumber::parse(&format!("MSCU{:06}", number() % 1_000_000)).unwrap();
    Container {
        id: id(),
        shipment,
        number,
        state: ContainerState::unknown(number),
        ref_numbers: Vec::new(),
        created_at: at(0),
        updated_at: at(0),
        version: 1,
        next_due_at: None,
        customer: None,
        custom_fields: Vec::new(),
        document: r#"{"type":"container"}"#.into(),
    }
}

pub fn request_row() -> TrackingRequest {
    TrackingRequest {
        id: id(),
        number: format!("BL{}", number()),
        scac: Some(Scac::parse("MSCU").unwrap()),
        auto_detect: false,
        progress: Progress {
            kind: NumberKind::BillOfLading,
            status: RequestStatus::Pending,
            failed_reason: None,
            is_retrying: false,
            retry_count: 0,
            created_at: at(0),
        },
        watch: None,
        docket: None,
        shipment: None,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        updated_at: at(0),
        version: 1,
        customer: None,
        custom_fields: Vec::new(),
        document: r#"{"type":"tracking_request"}"#.into(),
    }
}

/// What somebody leases of a source, from when until when.
pub fn leasing(source: &str, (now, until): (i64, i64), owner: Uuid) -> Leasing<'_> {
    Leasing {
        source,
        now: at(now),
        until: at(until),
        owner,
    }
}

pub fn watch_row() -> Watch {
    Watch {
        id: id(),
        source: "MSCU".into(),
        kind: NumberKind::BillOfLading,
        number: format!("BL{}", number()),
        created_at: at(0),
        next_poll_at: Some(at(0)),
        failures: 0,
        last_attempted_at: None,
        last_succeeded_at: None,
        last_changed_at: None,
        claim_token: 0,
        asked_by: None,
    }
}

/// The notification `sequence` of the line (`webhook`, `key`).
pub fn notification_row(webhook: WebhookId, key: Uuid, sequence: i64) -> (Notification, OrderKey) {
    let notification = Notification {
        id: id(),
        webhook,
        event: EventName::VesselArrived,
        reference_type: "transport_event".into(),
        reference: id(),
        container: Some(key.into()),
        shipment: None,
        tracking_request: None,
        version: sequence,
        created_at: at(0),
        status: DeliveryStatus::Pending,
    };
    (notification, OrderKey { key, sequence })
}
