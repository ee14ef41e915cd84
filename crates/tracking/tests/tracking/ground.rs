//! What the tests stand on.

use std::sync::Arc;

use domain::account::Plan;
use domain::ids::{AccountId, ContainerId, PartyId, TrackingRequestId};
use domain::tracking_request::NumberKind;
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{Profile, Puller, Secrets};
use sources::outbound::{EgressSettings, Limits, Outbound, Resolve, SystemResolver};
use sources::registry::Registry;
use store::container::ContainerFilter;
use store::testing::{PATIENCE, PgServer};
use store::tracking_request::TrackingRequest;
use store::{Database, Slice, Store};
use tempfile::TempDir;
use tracking::clock::{Clock, ManualClock};
use tracking::custom_fields::Staging;
use tracking::request::NewRequest;
use tracking::{
    LEASE_DEFAULT, NOTIFICATIONS_KEPT_DEFAULT, Parts, Source, Tracking, Vault, access, intake,
    request, work,
};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A box that left the quay aboard.
pub const LADEN: &str = r#"[{"eventID": "e-1", "eventCreatedDateTime": "2026-04-05T05:00:00Z",
    "eventType": "EQUIPMENT", "eventClassifierCode": "ACT", "eventDateTime": "2026-04-05T03:20:00+08:00",
    "equipmentEventTypeCode": "LOAD", "equipmentReference": "NWLU0000425", "emptyIndicatorCode": "LADEN",
    "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB",
        "vessel": {"vesselIMONumber": "9321483"}}}]"#;

const PROFILE: &str = r#"
id = "nowhere"
protocol = "dcsa-2"
scac = ["NWLX"]
[line]
name = "Nowhere Line"
[endpoint]
base = "BASE"
"#;

/// A hub that pushes what it hears, in the same language.
const PUSHER: &str = r#"
id = "hub"
protocol = "dcsa-2"
scac = ["NWLX"]
[endpoint]
base = "https://hub.invalid"
"#;

/// A service with one carrier, on a store and a clock of its own.
pub struct Ground {
    tracking: Tracking,
    clock: Arc<ManualClock>,
    carrier: MockServer,
    profile: String,
    notifications_kept: SignedDuration,
    lease: SignedDuration,
    folder: TempDir,
}

impl Ground {
    /// The carrier answers every question with `body`.
    pub async fn new(body: &str) -> Self {
        Self::built(body, "", Arc::new(SystemResolver::new()), this_machine()).await
    }

    /// The same, where names mean what `resolver` says.
    pub async fn resolving(body: &str, resolver: Arc<dyn Resolve>) -> Self {
        Self::built(body, "", resolver, this_machine()).await
    }

    /// The same, with these rules for what goes out.
    pub async fn behind(body: &str, resolver: Arc<dyn Resolve>, egress: EgressSettings) -> Self {
        Self::built(body, "", resolver, egress).await
    }

    /// The same with these keys at the end of the carrier's profile.
    pub async fn with(body: &str, keys: &str) -> Self {
        Self::built(body, keys, Arc::new(SystemResolver::new()), this_machine()).await
    }

    async fn built(
        body: &str,
        keys: &str,
        resolver: Arc<dyn Resolve>,
        egress: EgressSettings,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let carrier = MockServer::start().await;
        let start: Timestamp = "2026-04-06T00:00:00Z".parse().unwrap();
        let clock = Arc::new(ManualClock::new(start));
        let text = format!("{}{keys}", PROFILE.replace("BASE", &carrier.uri()));
        let profile = Profile::parse(&text).unwrap();
        let outbound = Outbound::with_resolver(egress.clone(), resolver).unwrap();
        let path = folder.path().join("store.db");
        let tracking = Tracking::new(Parts {
            store: Store::open(&store::Settings::new(Database::Sqlite { path })).unwrap(),
            registry: Registry::load(&[profile.shipping_line().unwrap()]).unwrap(),
            sources: vec![
                Source::new(Puller::new(outbound.clone(), profile, Secrets::default())),
                Source::unasked(sources::Profile::parse(PUSHER).unwrap()),
            ],
            outbound,
            egress,
            clock: Arc::clone(&clock) as Arc<dyn Clock>,
            vault: Vault::new(&[7; 32]),
            base_url: "http://127.0.0.1/v2".into(),
            lease: LEASE_DEFAULT,
            attempt: Limits::DELIVERY,
            notifications_kept: NOTIFICATIONS_KEPT_DEFAULT,
            trust: Trust::default(),
        });
        let ground = Self {
            tracking,
            clock,
            carrier,
            profile: text,
            notifications_kept: NOTIFICATIONS_KEPT_DEFAULT,
            lease: LEASE_DEFAULT,
            folder,
        };
        ground.answer(body).await;
        ground
    }

    /// From now on the carrier answers with `body`.
    pub async fn answer(&self, body: &str) {
        self.carrier.reset().await;
        let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
        Mock::given(any())
            .respond_with(answer)
            .mount(&self.carrier)
            .await;
    }

    /// The same, after so long.
    pub async fn answer_after(&self, span: std::time::Duration, body: &str) {
        self.carrier.reset().await;
        let answer = ResponseTemplate::new(200).set_body_raw(body, "application/json");
        Mock::given(any())
            .respond_with(answer.set_delay(span))
            .mount(&self.carrier)
            .await;
    }

    /// The hub pushes a message, and it is read.
    pub async fn push(&self, body: &str) -> intake::Accepted {
        let accepted = self.push_for(None, body).await;
        self.drain().await;
        accepted
    }

    /// The hub pushes a message, or an account uploads one; nobody has read it yet.
    pub async fn push_for(&self, account: Option<AccountId>, body: &str) -> intake::Accepted {
        let message = intake::Message {
            source: "hub".into(),
            account,
            content_type: "application/json".into(),
            bytes: body.as_bytes().to_vec(),
        };
        intake::receive(&self.tracking, message).await.unwrap()
    }

    /// From now on the carrier is out of order.
    pub async fn break_down(&self) {
        self.refuse(503, None).await;
    }

    /// From now on the carrier answers with this status, and this `Retry-After`.
    pub async fn refuse(&self, status: u16, retry_after: Option<&str>) {
        self.carrier.reset().await;
        let mut answer = ResponseTemplate::new(status);
        if let Some(wait) = retry_after {
            answer = answer.insert_header("Retry-After", wait);
        }
        Mock::given(any())
            .respond_with(answer)
            .mount(&self.carrier)
            .await;
    }

    /// From now on the carrier takes this long to answer.
    pub async fn hang(&self, span: std::time::Duration) {
        self.carrier.reset().await;
        let answer = ResponseTemplate::new(200).set_delay(span);
        Mock::given(any())
            .respond_with(answer)
            .mount(&self.carrier)
            .await;
    }

    /// How many questions the carrier was asked since its answer was set.
    pub async fn asked(&self) -> usize {
        self.carrier
            .received_requests()
            .await
            .unwrap_or_default()
            .len()
    }

    /// Somebody changes the store by another way.
    pub fn tamper(&self, statement: &str) {
        store::testing::tamper(&self.folder.path().join("store.db"), statement).unwrap();
    }

    pub async fn account(&self, name: &str) -> AccountId {
        access::create_account(&self.tracking, name, Plan::SelfHosted)
            .await
            .unwrap()
            .id
    }

    /// The carrier itself, for what else it is to answer.
    pub fn carrier(&self) -> &MockServer {
        &self.carrier
    }

    pub fn tracking(&self) -> &Tracking {
        &self.tracking
    }

    /// The same service after its carrier was taken out of the settings.
    pub fn without_carrier(&self) -> Tracking {
        self.reconfigured(Vec::new())
    }

    /// The same service with these keys at the end of the profiles of carrier and hub.
    pub fn read_by(&self, keys: &str) -> Tracking {
        let carrier = PROFILE.replace("BASE", "https://carrier.invalid");
        let profiles = [carrier.as_str(), PUSHER];
        let sources = profiles.map(|profile| {
            let profile = sources::Profile::parse(&format!("{profile}{keys}"));
            Source::unasked(profile.unwrap())
        });
        self.reconfigured(sources.into())
    }

    fn reconfigured(&self, sources: Vec<Source>) -> Tracking {
        self.assembled(self.tracking.store().clone(), sources, self.shown())
    }

    /// A node on another store, to which the hub pushes.
    pub fn node(&self, store: Store) -> Tracking {
        self.node_by(store, self.shown())
    }

    /// The same by a clock of its own.
    pub fn node_by(&self, store: Store, clock: Arc<dyn Clock>) -> Tracking {
        self.assembled(store, vec![hub()], clock)
    }

    /// The clock that is set by hand.
    fn shown(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as Arc<dyn Clock>
    }

    fn assembled(&self, store: Store, sources: Vec<Source>, clock: Arc<dyn Clock>) -> Tracking {
        let egress = this_machine();
        Tracking::new(Parts {
            store,
            registry: self.tracking.registry().clone(),
            sources,
            outbound: Outbound::new(egress.clone()).unwrap(),
            egress,
            clock,
            vault: Vault::new(&[7; 32]),
            base_url: "http://127.0.0.1/v2".into(),
            lease: self.lease,
            attempt: Limits::DELIVERY,
            notifications_kept: self.notifications_kept,
            trust: Trust::default(),
        })
    }

    /// The service stops and starts again, and keeps notifications for so long.
    pub fn start_again_keeping(&mut self, kept: SignedDuration) {
        self.notifications_kept = kept;
        self.start_again();
    }

    /// The service stops and starts again with leases of this length.
    pub fn start_again_leasing(&mut self, lease: SignedDuration) {
        self.lease = lease;
        self.start_again();
    }

    /// The service stops and starts again, on the same store, with the same carrier.
    pub fn start_again(&mut self) {
        self.start_again_with(Vec::new());
    }

    /// The same with these keys at the end of the carrier's profile from now on.
    pub fn start_again_asking_by(&mut self, keys: &str) {
        self.profile += keys;
        self.start_again();
    }

    /// The same with these sources beside it.
    pub fn start_again_with(&mut self, others: Vec<Source>) {
        let store = self.tracking.store().clone();
        self.start_again_on(store, others);
    }

    /// The same on another store.
    pub fn start_again_on(&mut self, store: Store, others: Vec<Source>) {
        self.tracking = self.asking_node(store, others);
    }

    /// A node on another store that asks the carrier.
    pub fn asking_node(&self, store: Store, others: Vec<Source>) -> Tracking {
        let profile = Profile::parse(&self.profile).unwrap();
        let outbound = Outbound::new(this_machine()).unwrap();
        let puller = Puller::new(outbound, profile, Secrets::default());
        let all = [Source::new(puller)].into_iter().chain(others);
        self.assembled(store, all.collect(), self.shown())
    }

    /// The service stops and starts again, on the same store; its carrier is gone.
    pub fn restart(&mut self) {
        self.tracking = self.without_carrier();
    }

    /// The same on another store.
    pub fn restart_on(&mut self, store: Store) {
        self.tracking = self.assembled(store, Vec::new(), self.shown());
    }

    /// The service stops and starts again, on the same store; the hub pushes, and nobody can be asked.
    pub fn restart_with_hub(&mut self) {
        self.tracking = self.read_by("");
    }

    /// The carrier's profile has another id from the next start on.
    pub fn rename_carrier(&mut self, id: &str) {
        let (was, is) = ("id = \"nowhere\"", format!("id = \"{id}\""));
        self.profile = self.profile.replace(was, &is);
    }

    pub async fn track(
        &self,
        account: AccountId,
        number: &str,
        kind: NumberKind,
    ) -> TrackingRequestId {
        self.order(account, wanted(number, kind)).await
    }

    /// Asks another line, or for the line to be found.
    pub async fn ask_for(
        &self,
        account: AccountId,
        number: &str,
        kind: NumberKind,
        scac: Option<domain::codes::Scac>,
    ) -> TrackingRequestId {
        let wanted = NewRequest {
            scac,
            auto_detect: scac.is_none(),
            ..wanted(number, kind)
        };
        self.order(account, wanted).await
    }

    /// With a customer.
    pub async fn track_for(
        &self,
        account: AccountId,
        number: &str,
        kind: NumberKind,
        customer: PartyId,
    ) -> TrackingRequestId {
        let wanted = NewRequest {
            customer: Some(customer),
            ..wanted(number, kind)
        };
        self.order(account, wanted).await
    }

    /// A bill, with custom fields for what does not exist yet.
    pub async fn track_with(
        &self,
        account: AccountId,
        number: &str,
        staged: Vec<Staging>,
    ) -> TrackingRequestId {
        let wanted = NewRequest {
            staged,
            ..wanted(number, NumberKind::BillOfLading)
        };
        self.order(account, wanted).await
    }

    async fn order(&self, account: AccountId, wanted: NewRequest) -> TrackingRequestId {
        let created = request::create(&self.tracking, account, wanted).await;
        created.unwrap().id
    }

    /// Does everything that is due now.
    pub async fn drain(&self) {
        work::drain(&self.tracking).await.unwrap();
    }

    /// Time passes.
    pub fn pass(&self, span: SignedDuration) {
        self.clock.advance_to(self.clock.now() + span);
    }

    pub async fn request(&self, account: AccountId, id: TrackingRequestId) -> TrackingRequest {
        self.find(account, id).await.unwrap()
    }

    pub async fn find(&self, account: AccountId, id: TrackingRequestId) -> Option<TrackingRequest> {
        let read = self
            .tracking
            .store()
            .read(move |tx| store::tracking_request::find(&mut tx.account(account), id));
        read.await.unwrap()
    }

    /// Container numbers of an account with the names of their standing milestones.
    pub async fn told(&self, account: AccountId) -> Vec<(String, Vec<String>)> {
        let page = self.tracking.store().read(move |tx| {
            let slice = Slice {
                offset: 0,
                limit: 50,
            };
            let all = ContainerFilter::default();
            let page = store::container::page(&mut tx.account(account), &all, slice)?;
            let ids = page.rows.iter().map(|row| ContainerId(row.id));
            let found = ids.map(|id| store::container::find(&mut tx.account(account), id));
            found.collect::<Result<Vec<_>, store::Error>>()
        });
        let rows = page.await.unwrap();
        let mut told: Vec<_> = rows
            .into_iter()
            .flatten()
            .map(|row| {
                let milestones = row.state.milestones.iter();
                let names = milestones.map(|m| m.slot.event.as_str().to_owned());
                (row.number.to_string(), names.collect())
            })
            .collect();
        told.sort();
        told
    }

    pub async fn containers(&self, account: AccountId) -> usize {
        self.documents(account).await.len()
    }

    /// The account's only container, as served, without the time its line was last asked.
    pub async fn container_document(&self, account: AccountId) -> serde_json::Value {
        let documents = self.documents(account).await;
        let mut document: serde_json::Value =
            serde_json::from_str(documents.first().unwrap()).unwrap();
        let attributes = document
            .pointer_mut("/attributes")
            .and_then(|a| a.as_object_mut());
        attributes
            .unwrap()
            .remove("shipment_last_tracking_request_at");
        document
    }

    async fn documents(&self, account: AccountId) -> Vec<String> {
        let read = self.tracking.store().read(move |tx| {
            let slice = Slice {
                offset: 0,
                limit: 10,
            };
            store::container::page(&mut tx.account(account), &ContainerFilter::default(), slice)
        });
        read.await
            .unwrap()
            .rows
            .into_iter()
            .map(|row| row.document)
            .collect()
    }
}

/// The hub, which pushes.
pub fn hub() -> Source {
    Source::unasked(sources::Profile::parse(PUSHER).unwrap())
}

/// Does something with a world on a PostgreSQL of its own.
pub fn on_postgres(work: impl AsyncFnOnce(&Ground, &PgServer)) {
    let server = PgServer::start().unwrap();
    let store = store_on(&server);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut ground = Ground::new("[]").await;
        ground.start_again_on(store, vec![hub()]);
        work(&ground, &server).await;
    });
}

/// The store of a server.
pub fn store_on(server: &PgServer) -> Store {
    let settings = store::Settings {
        patience: PATIENCE,
        ..store::Settings::new(Database::Postgres { url: server.url() })
    };
    Store::open(&settings).unwrap()
}

/// From now on who inserts such a row into this table fails as if the store had ended the statement for this reason.
pub fn ended_by_store(server: &PgServer, code: &str, table: &str, row: &str) {
    let statements = [
        &format!(
            "create or replace function ended() returns trigger language plpgsql as
             $$ begin raise exception 'ended' using errcode = '{code}'; end $$"
        ),
        &format!(
            "create trigger ended before insert on {table} for each row when ({row})
             execute function ended()"
        ),
    ];
    let statements = statements.map(String::as_str);
    tokio::task::block_in_place(|| server.administer(&statements)).unwrap();
}

/// Receivers and carriers of tests are on this machine.
pub fn this_machine() -> EgressSettings {
    EgressSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..EgressSettings::default()
    }
}

pub fn wanted(number: &str, kind: NumberKind) -> NewRequest {
    NewRequest {
        number: number.into(),
        kind,
        scac: Some(domain::codes::Scac::parse("NWLX").unwrap()),
        auto_detect: false,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        customer: None,
        staged: Vec::new(),
    }
}
