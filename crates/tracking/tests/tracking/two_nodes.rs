//! Two nodes of one PostgreSQL at the same row: neither takes back what the other has changed, or has taken up.

use std::sync::mpsc;

use domain::account::Plan;
use domain::codes::Scac;
use domain::custom_field::{DataType, Definition, EntityKind, Rules, Value};
use domain::event::EventName;
use domain::ids::{AccountId, RawMessageId, TrackingRequestId, WatchId};
use domain::tracking_request::{NumberKind, RequestStatus};
use domain::webhook::WEBHOOKS_MAX;
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};
use store::custom_field::{definition, option};
use store::docket::{self, Number};
use store::raw_message::{self, Others};
use store::testing::{PATIENCE, PgServer};
use store::tracking_request::TrackingRequest;
use store::watch::{self, Settled};
use store::webhook::{self, Webhook};
use store::{
    Database, Error, Key, Settings, Store, Tx, account, document_schema, party, shipment,
    tracking_request,
};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::custom_fields::{
    DefinitionPatch, NewOption, OptionPatch, add_option, change_option, define, redefine,
};
use tracking::document_schemas::{NewSchema, SchemaRefused, Standing, add};
use tracking::parties::{NewParty, PartyPatch, create, update};
use tracking::request::{self, NewRequest, RequestPatch};
use tracking::shipment::stop_tracking;
use tracking::webhooks::{self, NewWebhook, WebhookPatch, WebhookRefused, Window};
use tracking::{LEASE_DEFAULT, Tracking, access, id_source, intake, work};

use crate::BOX;
use crate::ground::{Ground, LADEN, hub};
use crate::stopping::DISCHARGED;

/// Fails where one was met.
const NO_DEADLOCKS: &str = "do $$ begin
    perform pg_stat_clear_snapshot();
    if (select deadlocks from pg_stat_database where datname = current_database()) > 0
    then raise exception 'there were deadlocks'; end if; end $$";

struct Nodes {
    ground: Ground,
    server: PgServer,
    /// Holds the row at first.
    holder: Store,
    one: Tracking,
    other: Tracking,
    account: AccountId,
}

/// Runs a proof on a runtime like the server's. The driver connects outside of it.
fn prove(proof: impl AsyncFnOnce(&Nodes)) {
    let server = PgServer::start().unwrap();
    let settings = Settings {
        patience: PATIENCE,
        ..Settings::new(Database::Postgres { url: server.url() })
    };
    let stores = [(); 3].map(|()| Store::open(&settings).unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let ground = Ground::new(LADEN).await;
        let [holder, one, other] = stores.clone();
        let (one, other) = (ground.node(one), ground.node(other));
        let account = access::create_account(&one, "A", Plan::SelfHosted).await;
        let nodes = Nodes {
            ground,
            server,
            holder,
            one,
            other,
            account: account.unwrap().id,
        };
        proof(&nodes).await;
    });
}

impl Nodes {
    /// What `hold` takes is held until the sender is dropped.
    fn held(
        &self,
        mut hold: impl FnMut(&mut Tx) -> Result<(), Error> + Send + 'static,
    ) -> (mpsc::Sender<()>, JoinHandle<()>) {
        let ((held, is_held), (let_go, may_go)) = (mpsc::channel(), mpsc::channel::<()>());
        let holder = self.holder.clone();
        let holding = tokio::spawn(async move {
            let held: Result<(), Error> = holder
                .write(Key::sightings(), move |tx| {
                    hold(tx)?;
                    let _ = held.send(());
                    // Until the other end is dropped.
                    let _ = may_go.recv();
                    Ok(())
                })
                .await;
            held.unwrap();
        });
        is_held.recv().unwrap();
        (let_go, holding)
    }

    /// A node on the same store as this one, which can ask the line too.
    fn asking(&self, node: &Tracking) -> Tracking {
        let store = node.store().clone();
        self.ground.asking_node(store, vec![hub()])
    }

    /// The first account asks for the box, and the line can be asked: the watch.
    async fn watched(&self, node: &Tracking) -> WatchId {
        let asked = request::create(node, self.account, wanted_box()).await;
        asked.unwrap().watch.unwrap()
    }

    /// A second account.
    async fn second(&self) -> AccountId {
        let account = access::create_account(&self.one, "B", Plan::SelfHosted).await;
        account.unwrap().id
    }

    /// Somebody joins a watch while whoever settled the answer, which ended all who followed it, has not committed yet; when
    /// the number is asked about next.
    async fn joined_at_the_end<A: Send + 'static>(
        &self,
        id: WatchId,
        joining: impl Future<Output = A> + Send + 'static,
    ) -> (A, Option<Timestamp>) {
        let now = self.one.now();
        let rests = Settled {
            next_poll_at: None,
            failures: 0,
            attempted_at: now,
            succeeded_at: Some(now),
            changed_at: None,
        };
        let (let_go, holding) = self.held(move |tx| {
            watch::lock(tx, id)?;
            let token = watch::find(tx, id)?.unwrap().claim_token;
            watch::settle(tx, id, token, &rests).map(drop)
        });
        let joining = tokio::spawn(joining);
        self.server.until_waiting(1).unwrap();
        drop(let_go);
        holding.await.unwrap();
        let joined = joining.await.unwrap();
        let found = self.holder.read(move |tx| watch::find(tx, id)).await;
        let found: Result<_, Error> = found;
        (joined, found.unwrap().unwrap().next_poll_at)
    }

    /// Both begin while `hold` holds the row, the first before the second, and go on when it is let go.
    async fn together<A: Send + 'static, B: Send + 'static>(
        &self,
        hold: impl FnMut(&mut Tx) -> Result<(), Error> + Send + 'static,
        first: impl Future<Output = A> + Send + 'static,
        second: impl Future<Output = B> + Send + 'static,
    ) -> (A, B) {
        let (let_go, holding) = self.held(hold);
        let first = tokio::spawn(first);
        self.server.until_waiting(1).unwrap();
        let second = tokio::spawn(second);
        self.server.until_waiting(2).unwrap();
        drop(let_go);
        holding.await.unwrap();
        (first.await.unwrap(), second.await.unwrap())
    }
}

fn choice() -> Definition {
    Definition {
        entity: EntityKind::Shipment,
        api_slug: "urgency".into(),
        display_name: "Urgency".into(),
        description: None,
        data_type: DataType::Enum,
        reference_type: None,
        rules: Rules::default(),
        default_format: None,
        default_value: Value::Null,
    }
}

#[test]
fn a_definition_keeps_what_both_have_changed() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let id = define(&nodes.one, account, choice()).await.unwrap().id;
        let named = DefinitionPatch {
            display_name: Some("How urgent".into()),
            ..<_>::default()
        };
        let described = DefinitionPatch {
            description: Some(Some("who waits for it".into())),
            ..<_>::default()
        };
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let hold = move |tx: &mut Tx| {
            let a = &mut tx.account(account);
            let row = definition::find(a, id)?.unwrap();
            definition::update(a, &row).map(|_| ())
        };
        let (first, second) = nodes
            .together(
                hold,
                async move { redefine(&one, account, id, named).await },
                async move { redefine(&other, account, id, described).await },
            )
            .await;
        assert!(first.unwrap().is_some() && second.unwrap().is_some());
        let store = nodes.one.store();
        let row = store.read(move |tx| definition::find(&mut tx.account(account), id));
        let row: Result<_, Error> = row.await;
        let row = row.unwrap().unwrap().definition;
        assert_eq!(
            (row.display_name.as_str(), row.description.as_deref()),
            ("How urgent", Some("who waits for it"))
        );
    });
}

#[test]
fn an_option_keeps_what_both_have_changed() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let of = define(&nodes.one, account, choice()).await.unwrap().id;
        let wanted = NewOption {
            label: "High".into(),
            value: "high".into(),
            position: None,
        };
        let made = add_option(&nodes.one, account, of, wanted).await;
        let id = made.unwrap().unwrap().id;
        let labelled = OptionPatch {
            label: Some("Today".into()),
            ..<_>::default()
        };
        let placed = OptionPatch {
            position: Some(Some(7)),
            ..<_>::default()
        };
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let hold = move |tx: &mut Tx| {
            let a = &mut tx.account(account);
            let row = option::find(a, of, id)?.unwrap();
            option::update(a, &row).map(|_| ())
        };
        let (first, second) = nodes
            .together(
                hold,
                async move { change_option(&one, account, of, id, labelled).await },
                async move { change_option(&other, account, of, id, placed).await },
            )
            .await;
        assert!(first.unwrap().is_some() && second.unwrap().is_some());
        let store = nodes.one.store();
        let row = store.read(move |tx| option::find(&mut tx.account(account), of, id));
        let row: Result<_, Error> = row.await;
        let row = row.unwrap().unwrap();
        assert_eq!((row.label.as_str(), row.position), ("Today", Some(7)));
    });
}

#[test]
fn a_party_keeps_what_both_have_changed() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let wanted = NewParty {
            company_name: "Acme".into(),
            customer: None,
        };
        let id = create(&nodes.one, account, wanted).await.unwrap().id;
        let named = PartyPatch {
            company_name: Some("Acme Trading".into()),
            customer: None,
        };
        let called = PartyPatch {
            company_name: None,
            customer: Some(Some("ACME".into())),
        };
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let hold = move |tx: &mut Tx| {
            let a = &mut tx.account(account);
            let row = party::find(a, id)?.unwrap();
            party::update(a, &row).map(|_| ())
        };
        let (first, second) = nodes
            .together(
                hold,
                async move { update(&one, account, id, named).await },
                async move { update(&other, account, id, called).await },
            )
            .await;
        assert!(first.unwrap().is_some() && second.unwrap().is_some());
        let store = nodes.one.store();
        let row = store.read(move |tx| party::find(&mut tx.account(account), id));
        let row: Result<_, Error> = row.await;
        let row = row.unwrap().unwrap();
        assert_eq!(
            (row.company_name.as_str(), row.customer.as_deref()),
            ("Acme Trading", Some("ACME"))
        );
    });
}

/// One place is left for two that come together.
#[test]
fn no_two_nodes_make_the_last_webhook_of_an_account() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let wanted = NewWebhook {
            url: "http://127.0.0.1:9/".into(),
            active: true,
            events: vec![EventName::ContainerCreated],
            headers: Vec::new(),
        };
        let made = webhooks::create(&nodes.one, account, wanted.clone()).await;
        let made = made.unwrap().webhook;
        let mut ids = id_source(made.created_at);
        let others: Vec<Webhook> = (2..WEBHOOKS_MAX)
            .map(|_| Webhook {
                id: ids.draw(),
                ..made.clone()
            })
            .collect();
        let written = nodes.one.store().write(Key::account(account), move |tx| {
            let a = &mut tx.account(account);
            others.iter().try_for_each(|row| webhook::insert(a, row))
        });
        let written: Result<(), Error> = written.await;
        written.unwrap();
        let hold = move |tx: &mut Tx| account::lock(tx, account).map(|_| ());
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let (mine, theirs) = (wanted.clone(), wanted);
        let (first, second) = nodes
            .together(
                hold,
                async move { webhooks::create(&one, account, mine).await },
                async move { webhooks::create(&other, account, theirs).await },
            )
            .await;
        assert!(first.is_ok(), "the last place: {first:?}");
        assert!(matches!(second, Err(WebhookRefused::TooMany)), "{second:?}");
        let counted = nodes.other.store();
        let counted = counted.read(move |tx| webhook::count(&mut tx.account(account)));
        let counted: Result<u32, Error> = counted.await;
        assert_eq!(counted.unwrap(), WEBHOOKS_MAX);
    });
}

fn notice(standing: Standing, text: &str) -> NewSchema {
    NewSchema {
        document_type: "notice".into(),
        version: date(2026, 1, 5),
        label: None,
        standing,
        bytes: text.into(),
    }
}

async fn loaded(store: &Store) -> Option<document_schema::DocumentSchema> {
    let found: Result<_, Error> = store
        .read(|tx| document_schema::find(tx, "notice", date(2026, 1, 5)))
        .await;
    found.unwrap()
}

#[test]
fn a_schema_of_documents_stays_in_the_record_of_what_was_in_force() {
    prove(async |nodes: &Nodes| {
        add(&nodes.one, notice(Standing::Draft, "{}"))
            .await
            .unwrap();
        let row = loaded(&nodes.holder).await.unwrap();
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let (first, second) = nodes
            .together(
                move |tx| document_schema::put(tx, &row).map(|_| ()),
                async move { add(&one, notice(Standing::Current, "{}")).await },
                async move { add(&other, notice(Standing::Kept, "{}")).await },
            )
            .await;
        assert!(first.is_ok() && second.is_ok());
        let row = loaded(&nodes.holder).await.unwrap();
        // Whichever came first: a node that waits for a lock for long gives way and comes again.
        assert_eq!(row.active_at, Some(nodes.one.now()));
    });
}

#[test]
fn a_schema_that_another_node_has_loaded_with_another_content_is_refused() {
    prove(async |nodes: &Nodes| {
        let row = document_schema::DocumentSchema {
            document_type: "notice".into(),
            version: date(2026, 1, 5),
            label: "Notice".into(),
            description: None,
            payload: r#"{"type":"object"}"#.into(),
            current: false,
            draft: true,
            active_at: None,
            created_at: nodes.one.now(),
            updated_at: nodes.one.now(),
        };
        let (one, other) = (nodes.one.clone(), nodes.other.clone());
        let (same, another) = nodes
            .together(
                move |tx| document_schema::put(tx, &row).map(|_| ()),
                async move { add(&one, notice(Standing::Kept, r#"{"type":"object"}"#)).await },
                async move { add(&other, notice(Standing::Kept, "{}")).await },
            )
            .await;
        assert!(same.is_ok(), "{same:?}");
        let refused =
            matches!(&another, Err(SchemaRefused::OtherContent(id)) if id == "notice@2026-01-05");
        assert!(refused, "{another:?}");
    });
}

/// The hub pushes to the first node; the last digit makes it another message.
async fn push(nodes: &Nodes, digit: &str) -> RawMessageId {
    let message = intake::Message {
        source: "hub".into(),
        account: None,
        content_type: "application/json".into(),
        bytes: LADEN.replace("e-1", &format!("e-{digit}")).into(),
    };
    let accepted = intake::receive(&nodes.one, message).await.unwrap();
    let intake::Accepted::Fresh(id) = accepted else {
        panic!("the first time it is news")
    };
    id
}

/// Waits until nothing is left to read, in whoever's hands.
async fn until_read(nodes: &Nodes) {
    let much_later = nodes.other.now() + SignedDuration::from_hours(24);
    loop {
        let look = move |tx: &mut Tx| {
            let others = Others {
                answered_before: much_later,
                busy_sources: &[],
                known_sources: None,
                turns: None,
                before: None,
            };
            raw_message::any_waits(tx, much_later, others)
        };
        let waits: Result<bool, Error> = nodes.other.store().read(look).await;
        if !waits.unwrap() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Everything that the second node finds to read; it takes it up.
async fn taken_up(nodes: &Nodes) -> Vec<RawMessageId> {
    let now = nodes.other.now();
    let until = now + SignedDuration::from_mins(3);
    let mut all = Vec::new();
    loop {
        let claiming = nodes.other.store().write(Key::sightings(), move |tx| {
            let others = Others {
                answered_before: now,
                busy_sources: &[],
                known_sources: None,
                turns: None,
                before: None,
            };
            raw_message::claim(tx, now, until, others)
        });
        let claimed: Result<Vec<raw_message::Claimed>, Error> = claiming.await;
        let claimed = claimed.unwrap();
        if claimed.is_empty() {
            return all;
        }
        all.extend(claimed.into_iter().map(|one| one.message.id));
    }
}

/// Holds the docket of the box, which every message of the hub is filed under.
fn the_box(now: Timestamp) -> impl FnMut(&mut Tx) -> Result<(), Error> + Send + 'static {
    let number = Number {
        kind: NumberKind::Container,
        number: BOX.into(),
    };
    move |tx| {
        let numbers = std::slice::from_ref(&number);
        docket::hold(tx, None, numbers, &mut id_source(now), now).map(|_| ())
    }
}

/// The first node reads a message, and does not come to its end; it has the next one in hand.
struct Busy {
    stop: CancellationToken,
    working: JoinHandle<()>,
    let_go: mpsc::Sender<()>,
    holding: JoinHandle<()>,
    in_hand: RawMessageId,
}

impl Busy {
    async fn with_one_in_hand(nodes: &Nodes) -> Self {
        let hold = the_box(nodes.one.now());
        let stop = CancellationToken::new();
        let working = tokio::spawn(work::run(nodes.one.clone(), stop.clone()));
        // When one is read, somebody reads here: what comes from then on is leased as it comes.
        push(nodes, "0").await;
        until_read(nodes).await;
        let (let_go, holding) = nodes.held(hold);
        push(nodes, "1").await;
        // It is being read; what comes now stays in hand.
        nodes.server.until_waiting(1).unwrap();
        let in_hand = push(nodes, "2").await;
        Self {
            stop,
            working,
            let_go,
            holding,
            in_hand,
        }
    }

    /// The first node stops.
    async fn end(self) {
        self.stop.cancel();
        drop(self.let_go);
        self.holding.await.unwrap();
        self.working.await.unwrap();
    }
}

/// Waits until no lease ends before then.
async fn until_renewed(nodes: &Nodes, then: Timestamp) {
    loop {
        let look = move |tx: &mut Tx| {
            let others = Others {
                answered_before: then,
                busy_sources: &[],
                known_sources: None,
                turns: None,
                before: None,
            };
            raw_message::any_waits(tx, then, others)
        };
        let ends: Result<bool, Error> = nodes.other.store().read(look).await;
        if !ends.unwrap() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[test]
fn what_a_killed_node_had_in_hand_is_taken_up_after_one_lease() {
    prove(async |nodes: &Nodes| {
        let busy = Busy::with_one_in_hand(nodes).await;
        busy.working.abort();
        drop(busy.let_go);
        busy.holding.await.unwrap();
        nodes
            .ground
            .pass(LEASE_DEFAULT - SignedDuration::from_secs(1));
        assert_eq!(taken_up(nodes).await, [], "it may still live");
        nodes.ground.pass(SignedDuration::from_secs(1));
        assert!(taken_up(nodes).await.contains(&busy.in_hand));
    });
}

#[test]
fn what_waits_in_hand_for_longer_than_a_lease_stays_there() {
    prove(async |nodes: &Nodes| {
        let busy = Busy::with_one_in_hand(nodes).await;
        for _ in 0..3 {
            nodes.ground.pass(LEASE_DEFAULT * 2 / 3);
            until_renewed(nodes, nodes.other.now() + LEASE_DEFAULT / 2).await;
        }
        assert_eq!(taken_up(nodes).await, [], "the first node lives");
        busy.end().await;
    });
}

#[test]
fn what_is_in_hand_at_a_stop_is_given_back() {
    prove(async |nodes: &Nodes| {
        let busy = Busy::with_one_in_hand(nodes).await;
        assert_eq!(taken_up(nodes).await, []);
        let in_hand = busy.in_hand;
        busy.end().await;
        assert_eq!(taken_up(nodes).await, [in_hand]);
    });
}

#[test]
fn what_another_node_has_taken_up_meanwhile_is_not_given_back_at_a_stop() {
    prove(async |nodes: &Nodes| {
        let busy = Busy::with_one_in_hand(nodes).await;
        // As if it had stood still.
        nodes.ground.pass(LEASE_DEFAULT);
        let taken = taken_up(nodes).await;
        assert!(taken.contains(&busy.in_hand), "the lease has run out");
        busy.end().await;
        let left = taken_up(nodes).await;
        assert_eq!(left, [], "it is in the hands of the second node");
    });
}

#[test]
fn what_could_not_be_read_through_no_fault_of_its_own_is_taken_up_after_one_lease() {
    prove(async |nodes: &Nodes| {
        let (let_go, holding) = nodes.held(the_box(nodes.one.now()));
        let pushed = push(nodes, "1").await;
        // Until the store's patience has ended.
        intake::settle(&nodes.one).await.unwrap_err();
        drop(let_go);
        holding.await.unwrap();
        assert_eq!(taken_up(nodes).await, [], "not at once");
        nodes.ground.pass(LEASE_DEFAULT);
        assert_eq!(taken_up(nodes).await, [pushed]);
    });
}

/// News of a box is decided while its webhook is off, by who came before that and had to wait.
#[test]
fn what_was_decided_while_a_webhook_was_off_is_of_that_time() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let wanted = NewWebhook {
            url: "http://127.0.0.1:9/".into(),
            active: true,
            events: EventName::ALL.to_vec(),
            headers: Vec::new(),
        };
        let hook = webhooks::create(&nodes.one, account, wanted).await;
        let hook = hook.unwrap().webhook.id;
        let asked = request::create(&nodes.one, account, wanted_box()).await;
        let asked = asked.unwrap().id;
        push(nodes, "1").await;
        intake::settle(&nodes.one).await.unwrap();
        let found = nodes
            .one
            .store()
            .read(move |tx| tracking_request::find(&mut tx.account(account), asked));
        let found: Result<_, Error> = found.await;
        let shipment = found.unwrap().unwrap().shipment.unwrap();
        let message = intake::Message {
            source: "hub".into(),
            account: None,
            content_type: "application/json".into(),
            bytes: DISCHARGED.into(),
        };
        intake::receive(&nodes.one, message).await.unwrap();
        let (let_go, holding) =
            nodes.held(move |tx| shipment::lock(&mut tx.account(account), shipment).map(|_| ()));
        let one = nodes.one.clone();
        let reading = tokio::spawn(async move { intake::settle(&one).await });
        nodes.server.until_waiting(1).unwrap();
        nodes.ground.pass(SignedDuration::from_mins(1));
        let off_since = nodes.other.now();
        let off = WebhookPatch {
            active: Some(false),
            ..WebhookPatch::default()
        };
        let switched = webhooks::update(&nodes.other, account, hook, off).await;
        assert!(!switched.unwrap().unwrap().webhook.active);
        drop(let_go);
        holding.await.unwrap();
        reading.await.unwrap().unwrap();
        nodes.ground.pass(SignedDuration::from_mins(1));
        let missed = Window {
            from: off_since,
            until: nodes.other.now(),
            events: vec![EventName::VesselDischarged],
            statuses: Vec::new(),
            missed: true,
        };
        let asked = webhooks::replay(&nodes.other, account, hook, missed).await;
        assert_eq!(asked.unwrap().unwrap().counted, 1);
    });
}

/// The account changes its request on one node while the other does this with what came of it. Only the hub tells of the box:
/// the request has no watch.
async fn changed_meanwhile<A: Send + 'static>(
    nodes: &Nodes,
    request: TrackingRequestId,
    meanwhile: impl Future<Output = A> + Send + 'static,
) -> (TrackingRequest, A) {
    let account = nodes.account;
    let wanted = NewParty {
        company_name: "Acme".into(),
        customer: None,
    };
    let party = create(&nodes.one, account, wanted).await.unwrap().id;
    let change = RequestPatch {
        tags: vec![vec!["spring".into()]],
        customer: Some(Some(party)),
        ..RequestPatch::default()
    };
    let one = nodes.one.clone();
    let (changed, came) = nodes
        .together(
            // Between the look at the request and the change to it the customer is looked up.
            move |tx| party::lock(&mut tx.account(account), party).map(|_| ()),
            async move { request::update(&one, account, request, change).await },
            meanwhile,
        )
        .await;
    assert!(changed.unwrap().is_some());
    let found = nodes.other.store();
    let found = found.read(move |tx| tracking_request::find(&mut tx.account(account), request));
    let found: Result<_, Error> = found.await;
    let found = found.unwrap().unwrap();
    assert_eq!(
        (&found.tags[..], found.customer),
        (&["spring".to_owned()][..], Some(party))
    );
    (found, came)
}

#[test]
fn a_request_that_is_changed_while_its_shipment_opens_keeps_both() {
    prove(async |nodes: &Nodes| {
        let asked = request::create(&nodes.one, nodes.account, wanted_box()).await;
        let asked = asked.unwrap();
        assert_eq!(asked.watch, None);
        push(nodes, "1").await;
        let other = nodes.other.clone();
        let settling = async move { intake::settle(&other).await };
        let (found, settled) = changed_meanwhile(nodes, asked.id, settling).await;
        settled.unwrap();
        assert_eq!(found.progress.status, RequestStatus::Succeeded);
        assert!(found.shipment.is_some());
    });
}

#[test]
fn a_request_that_is_changed_while_its_shipment_stops_keeps_both() {
    prove(async |nodes: &Nodes| {
        let account = nodes.account;
        let asked = request::create(&nodes.one, account, wanted_box()).await;
        let asked = asked.unwrap().id;
        push(nodes, "1").await;
        intake::settle(&nodes.one).await.unwrap();
        let found = nodes.one.store();
        let found = found.read(move |tx| tracking_request::find(&mut tx.account(account), asked));
        let found: Result<_, Error> = found.await;
        let shipment = found.unwrap().unwrap().shipment.unwrap();
        let other = nodes.other.clone();
        let stopping = async move { stop_tracking(&other, account, shipment).await };
        let (found, stopped) = changed_meanwhile(nodes, asked, stopping).await;
        assert!(stopped.unwrap().unwrap().stopped.is_some());
        assert_eq!(found.progress.status, RequestStatus::TrackingStopped);
    });
}

#[test]
fn who_asks_for_a_number_that_is_let_rest_at_this_moment_has_it_asked_about() {
    prove(async |nodes: &Nodes| {
        let one = nodes.asking(&nodes.one);
        let (watch, second) = (nodes.watched(&one).await, nodes.second().await);
        let joining = async move { request::create(&one, second, wanted_box()).await };
        let (joined, asked_at) = nodes.joined_at_the_end(watch, joining).await;
        assert_eq!(joined.unwrap().watch, Some(watch));
        assert!(asked_at.is_some(), "nobody would ever be asked");
    });
}

/// A request that was made before its line could be asked is looked at after a start.
#[test]
fn who_is_given_a_watch_that_is_let_rest_at_this_moment_has_it_asked_about() {
    prove(async |nodes: &Nodes| {
        let one = nodes.asking(&nodes.one);
        let (watch, second) = (nodes.watched(&one).await, nodes.second().await);
        let unasked = request::create(&nodes.other, second, wanted_box()).await;
        let unasked = unasked.unwrap();
        assert_eq!(unasked.watch, None);
        let joining = async move { work::look_through(one, CancellationToken::new()).await };
        let ((), asked_at) = nodes.joined_at_the_end(watch, joining).await;
        let found = nodes.holder.read(move |tx| {
            let mut a = tx.account(second);
            tracking_request::find(&mut a, unasked.id)
        });
        let found: Result<_, Error> = found.await;
        assert_eq!(found.unwrap().unwrap().watch, Some(watch));
        assert!(asked_at.is_some(), "nobody would ever be asked");
    });
}

/// Who settles the answer holds the watch and opens a shipment under the docket of the number.
#[test]
fn who_asks_for_a_number_while_its_answer_is_settled_is_not_waited_for_in_a_circle() {
    prove(async |nodes: &Nodes| {
        let (one, other) = (nodes.asking(&nodes.one), nodes.asking(&nodes.other));
        nodes.watched(&one).await;
        let second = nodes.second().await;
        let span = std::time::Duration::from_secs(1);
        nodes.ground.answer_after(span, LADEN).await;
        let settling = tokio::spawn(async move { work::drain(&one).await });
        // The number is claimed, and its answer on its way.
        while nodes.ground.asked().await == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        let (created, settled) = nodes
            .together(
                the_box(nodes.one.now()),
                async move { request::create(&other, second, wanted_box()).await },
                settling,
            )
            .await;
        created.unwrap();
        settled.unwrap().unwrap();
        nodes.server.administer(&[NO_DEADLOCKS]).unwrap();
    });
}

fn wanted_box() -> NewRequest {
    NewRequest {
        number: BOX.into(),
        kind: NumberKind::Container,
        scac: Some(Scac::parse("NWLX").unwrap()),
        auto_detect: false,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        customer: None,
        staged: Vec::new(),
    }
}
