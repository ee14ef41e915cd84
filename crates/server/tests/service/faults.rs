//! Nothing accepted is lost, nothing told out of order, by kill -9 and by processes that stand still.
//!
//! Requests are registered at every process while serving processes are killed, or stopped for up to three leases and
//! let go again, one process on SQLite and two on one PostgreSQL. The witnesses are outside: the driver knows which
//! requests were answered with 201, the carrier knows what it answered, the receiver knows what it was told, and in
//! which order. At the end every accepted request must have its shipment, every report of the carrier must be
//! there, and every event must have been told, each under one id with one body.
//!
//! `KILLS` and `PAUSES` set how many there are (10 each), `SEED` the moments of them. The driver holds back while
//! too much is untold, so that settling takes as long after a thousand faults as after ten.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use store::testing::PgServer;

use crate::carrier::Carrier;
use crate::client::Answer;
use crate::receiver::Receiver;
use crate::service::Service;

/// Boxes on one bill.
const BOXES: u32 = 2;
/// Longest time after the last start in which everything must be in place. An attempt that stood still with its
/// process has timed out, and is made again after a minute, or two and a half when it was struck twice.
const SETTLE_MAX: Duration = Duration::from_mins(5);
/// Milestones that may wait to be told before the driver holds back.
const UNTOLD_MAX: usize = 4_000;
/// How the names of milestones begin.
const MILESTONE: &str = "container.transport.";
/// Faults between two lines of progress.
const FAULTS_A_LINE: u64 = 10;
/// The lease of the processes under test ([`Service`] sets it).
const LEASE_MILLIS: u64 = 2_000;

#[test]
fn one_process_on_sqlite() {
    let carrier = carrier();
    let node = Service::install(&profile(&carrier.base));
    survive("SQLite", &carrier, vec![node]);
}

#[test]
fn two_processes_on_one_postgresql() {
    let server = PgServer::start().unwrap();
    let carrier = carrier();
    let database = [("QUAYSIDE_DATABASE", server.url())];
    let first = Service::install_with(&profile(&carrier.base), &database);
    let second = first.another_node();
    survive("PostgreSQL", &carrier, vec![first, second]);
}

pub fn carrier() -> Carrier {
    Carrier::open(Arc::new(|number| bill_index(number).map(events_of_bill)))
}

fn survive(engine: &str, carrier: &Carrier, mut nodes: Vec<Service>) {
    let (kills, pauses) = (setting("KILLS", 10), setting("PAUSES", 10));
    let seed = setting("SEED", 1);
    let mut dice = Dice(seed);
    eprintln!("{engine}: KILLS={kills} PAUSES={pauses} SEED={seed}");
    let receiver = Receiver::open();
    nodes.iter_mut().for_each(Service::start);
    nodes[0].subscribe(&receiver.url);
    let began = Instant::now();
    let mut drivers = Driver::one_for_each(nodes.len());
    let (mut kills_left, mut pauses_left) = (kills, pauses);
    while kills_left + pauses_left > 0 {
        let victim = usize::try_from(dice.below(nodes.len() as u64)).unwrap();
        if dice.below(kills_left + pauses_left) < kills_left {
            kills_left -= 1;
            let moment = Duration::from_millis(60 + dice.below(400));
            let killer = nodes[victim].kill_after(moment);
            register_while(&mut drivers, &nodes, victim, &receiver, &killer);
            killer.join().unwrap();
            nodes[victim].start();
        } else {
            pauses_left -= 1;
            let span = Duration::from_millis(LEASE_MILLIS / 10 + dice.below(3 * LEASE_MILLIS));
            let pause = nodes[victim].pause_for(span);
            register_while(&mut drivers, &nodes, victim, &receiver, &pause);
            pause.join().unwrap();
        }
        let done = kills + pauses - kills_left - pauses_left;
        if done.is_multiple_of(FAULTS_A_LINE) {
            let accepted: usize = drivers.iter().map(Driver::accepted).sum();
            let backlog = backlog(accepted, &receiver);
            let seconds = began.elapsed().as_secs();
            eprintln!(
                "{engine}: {done} faults, {accepted} requests accepted, {backlog} milestones untold, {seconds} s"
            );
        }
    }
    let faults_ended = began.elapsed().as_secs();
    let driver = Driver::together(drivers);
    settle(&nodes[0], &driver, &receiver);
    judge(&nodes[0], &driver, carrier, &receiver);
    let log = receiver.log();
    eprintln!(
        "{engine}: KILLS={kills} PAUSES={pauses} SEED={seed}: {} accepted, {} unknown, {} arrivals, {} repeats, \
         nothing lost; faults {faults_ended} s, all {} s",
        driver.accepted.len(),
        driver.unknown,
        log.arrivals,
        log.repeats(),
        began.elapsed().as_secs(),
    );
}

/// Registers bills at every node at once until the fault of one is over: the others go on meanwhile.
fn register_while(
    drivers: &mut [Driver],
    nodes: &[Service],
    struck: usize,
    receiver: &Receiver,
    fault: &JoinHandle<()>,
) {
    let accepted: usize = drivers.iter().map(Driver::accepted).sum();
    std::thread::scope(|scope| {
        for (place, driver) in drivers.iter_mut().enumerate() {
            let others = accepted - driver.accepted();
            let has_room = move |mine: usize| backlog(others + mine, receiver) <= UNTOLD_MAX;
            scope.spawn(move || {
                driver.register_while(&nodes[place], place == struck, fault, has_room);
            });
        }
    });
}

/// About how many milestones the receiver has not heard of: those of bills that may exist are not told apart.
fn backlog(accepted: usize, receiver: &Receiver) -> usize {
    let names = expected_events();
    let told = names
        .iter()
        .map(|name| receiver.count(&format!("{MILESTONE}{name}")));
    (accepted * names.len() * BOXES as usize).saturating_sub(told.sum())
}

/// Registers bills one after the other and keeps its own log.
pub struct Driver {
    next: u32,
    /// From one of its bills to the next: as many as there are drivers.
    step: u32,
    /// Request id by bill number, for answers seen as 201.
    accepted: BTreeMap<String, String>,
    /// Requests whose answer was not seen: they may exist or not.
    unknown: usize,
}

impl Default for Driver {
    fn default() -> Self {
        Self {
            next: 0,
            step: 1,
            accepted: BTreeMap::new(),
            unknown: 0,
        }
    }
}

impl Driver {
    /// Drivers that share the bills.
    fn one_for_each(nodes: usize) -> Vec<Self> {
        let step = u32::try_from(nodes).unwrap();
        let driver = |next| Self {
            next,
            step,
            ..Self::default()
        };
        (0..step).map(driver).collect()
    }

    /// The log of all of them.
    fn together(drivers: Vec<Self>) -> Self {
        let mut all = Self::default();
        for driver in drivers {
            all.accepted.extend(driver.accepted);
            all.unknown += driver.unknown;
        }
        all
    }

    fn next_bill(&mut self) -> String {
        let number = bill_number(self.next);
        self.next += self.step;
        number
    }

    /// Registers bills for this long at a node that nobody touches.
    pub fn register_for(&mut self, node: &Service, span: Duration) {
        let began = Instant::now();
        while began.elapsed() < span {
            let number = self.next_bill();
            let answer = node.track(&number, "NWLX").unwrap();
            self.note(number, &answer);
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Milestones of accepted bills that the receiver has not heard of.
    fn untold(&self, receiver: &Receiver) -> usize {
        let boxes = self.accepted.keys().filter_map(|bill| bill_index(bill));
        let boxes = boxes.flat_map(|bill| (0..BOXES).map(move |place| bill * BOXES + place));
        let boxes: BTreeSet<String> = boxes.map(box_number).collect();
        let log = receiver.log();
        let told = log.told.values();
        let told = told.filter(|told| is_milestone(&told.event) && boxes.contains(&told.number));
        (boxes.len() * expected_events().len()).saturating_sub(told.count())
    }

    /// How many were accepted.
    pub fn accepted(&self) -> usize {
        self.accepted.len()
    }

    /// What came of registering a bill.
    fn note(&mut self, number: String, answer: &Answer) {
        // What a node that stands still has locked makes the other one give up in time.
        if answer.status == 503 {
            self.unknown += 1;
            return;
        }
        assert_eq!(answer.status, 201, "{}", answer.body);
        let id = answer.body["data"]["id"].as_str().unwrap().to_owned();
        self.accepted.insert(number, id);
    }

    /// Registers bills at a node until the fault is over, which may be another node's: an answer may break off in
    /// the middle at the one that is struck.
    fn register_while(
        &mut self,
        node: &Service,
        is_struck: bool,
        fault: &JoinHandle<()>,
        has_room: impl Fn(usize) -> bool,
    ) {
        while !fault.is_finished() {
            std::thread::sleep(Duration::from_millis(20));
            if !has_room(self.accepted.len()) {
                continue;
            }
            let number = self.next_bill();
            match node.track(&number, "NWLX") {
                Ok(answer) => self.note(number, &answer),
                Err(error) => {
                    assert!(is_struck, "a node that nobody touched: {error}");
                    self.unknown += 1;
                }
            }
        }
    }
}

/// Waits until every accepted request succeeded and every event it must cause has arrived.
pub fn settle(service: &Service, driver: &Driver, receiver: &Receiver) {
    let began = Instant::now();
    let mut waiting: Vec<&String> = driver.accepted.values().collect();
    loop {
        waiting.retain(|id| !succeeded(service, id));
        let untold = driver.untold(receiver);
        if waiting.is_empty() && untold == 0 {
            return;
        }
        assert!(
            began.elapsed() < SETTLE_MAX,
            "{} requests without a shipment, {untold} milestones untold",
            waiting.len()
        );
        std::thread::sleep(Duration::from_millis(250));
    }
}

fn succeeded(service: &Service, id: &str) -> bool {
    let answer = service
        .call("GET", &format!("/v2/tracking_requests/{id}"), None)
        .unwrap();
    assert_eq!(
        answer.status, 200,
        "an accepted request is gone: {}",
        answer.body
    );
    answer.body["data"]["attributes"]["status"] == "succeeded"
}

pub fn judge(service: &Service, driver: &Driver, carrier: &Carrier, receiver: &Receiver) {
    let log = receiver.log();
    assert_eq!(log.altered, 0, "a repeat had other bytes");
    assert_eq!(log.misnamed, 0, "webhook-id was not the id in the body");
    let overtaken = log.overtaken();
    assert!(overtaken.is_empty(), "told out of order: {overtaken:?}");
    let answered = carrier.answered();
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for notification in log.told.values() {
        let (event, number) = (notification.event.clone(), notification.number.clone());
        told.entry(number).or_default().push(event);
    }
    for (number, request) in &driver.accepted {
        assert!(answered.contains(number), "{number} was never asked about");
        let path = format!("/v2/tracking_requests/{request}?include=tracked_object.containers");
        let tracked = service.call("GET", &path, None).unwrap().body;
        let containers: Vec<&Value> = tracked["included"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|resource| resource["type"] == "container")
            .collect();
        assert_eq!(containers.len(), BOXES as usize, "{number}: {tracked}");
        for container in containers {
            judge_container(service, container, &told);
        }
    }
}

fn judge_container(service: &Service, container: &Value, told: &BTreeMap<String, Vec<String>>) {
    let number = container["attributes"]["number"].as_str().unwrap();
    let id = container["id"].as_str().unwrap();
    let raw = service
        .call("GET", &format!("/v2/containers/{id}/raw_events"), None)
        .unwrap();
    let reports = raw.body["data"].as_array().unwrap().len();
    assert_eq!(
        reports,
        expected_events().len(),
        "{number}: reports lost or doubled"
    );
    let events: Vec<&String> = told
        .get(number)
        .into_iter()
        .flatten()
        .filter(|event| is_milestone(event))
        .collect();
    let once: BTreeSet<&String> = events.iter().copied().collect();
    assert_eq!(
        events.len(),
        once.len(),
        "{number}: told twice under two ids: {events:?}"
    );
    let expected: BTreeSet<String> = expected_events()
        .iter()
        .map(|event| format!("{MILESTONE}{event}"))
        .collect();
    assert_eq!(
        once.into_iter().cloned().collect::<BTreeSet<_>>(),
        expected,
        "{number}"
    );
}

fn is_milestone(event: &str) -> bool {
    event
        .strip_prefix(MILESTONE)
        .is_some_and(|name| expected_events().contains(&name))
}

fn expected_events() -> [&'static str; 7] {
    [
        "empty_out",
        "full_in",
        "vessel_loaded",
        "vessel_departed",
        "vessel_arrived",
        "vessel_discharged",
        "full_out",
    ]
}

/// One bill: each box with seven actual events.
fn events_of_bill(bill: u32) -> Value {
    let events =
        (0..BOXES).flat_map(|place| events_of_box(bill, &box_number(bill * BOXES + place)));
    Value::Array(events.collect())
}

fn events_of_box(bill: u32, number: &str) -> Vec<Value> {
    let equipment = |code: &str, empty: &str, at: &str, place: &str, mode: &str| {
        json!({ "eventType": "EQUIPMENT", "equipmentEventTypeCode": code, "equipmentReference": number,
            "emptyIndicatorCode": empty, "eventDateTime": at, "transportCall": call(place, mode) })
    };
    let transport = |code: &str, at: &str, place: &str| {
        json!({ "eventType": "TRANSPORT", "transportEventTypeCode": code, "eventDateTime": at,
            "references": [{ "referenceType": "EQ", "referenceValue": number }],
            "transportCall": call(place, "VESSEL") })
    };
    let mut events = vec![
        equipment(
            "GTOT",
            "EMPTY",
            "2026-04-01T09:10:00+08:00",
            "CNNGB",
            "TRUCK",
        ),
        equipment(
            "GTIN",
            "LADEN",
            "2026-04-03T17:45:00+08:00",
            "CNNGB",
            "TRUCK",
        ),
        equipment(
            "LOAD",
            "LADEN",
            "2026-04-05T03:20:00+08:00",
            "CNNGB",
            "VESSEL",
        ),
        transport("DEPA", "2026-04-05T12:00:00+08:00", "CNNGB"),
        transport("ARRI", "2026-04-22T06:00:00-07:00", "USOAK"),
        equipment(
            "DISC",
            "LADEN",
            "2026-04-23T10:00:00-07:00",
            "USOAK",
            "VESSEL",
        ),
        equipment(
            "GTOT",
            "LADEN",
            "2026-04-25T11:30:00-07:00",
            "USOAK",
            "TRUCK",
        ),
    ];
    for (index, event) in events.iter_mut().enumerate() {
        event["eventID"] = json!(format!("{number}-{index}"));
        event["eventClassifierCode"] = json!("ACT");
        event["eventCreatedDateTime"] = json!("2026-04-26T00:00:00Z");
        event["documentReferences"] = json!([
            { "documentReferenceType": "TRD", "documentReferenceValue": bill_number(bill) }
        ]);
    }
    events
}

fn call(place: &str, mode: &str) -> Value {
    json!({ "modeOfTransport": mode, "UNLocationCode": place, "facilityTypeCode": "POTE",
        "exportVoyageNumber": "012E", "importVoyageNumber": "012E",
        "vessel": { "vesselIMONumber": "9321483", "vesselName": "NOWHERE DAWN" } })
}

pub fn bill_number(index: u32) -> String {
    format!("NWLX{index:06}")
}

fn bill_index(number: &str) -> Option<u32> {
    number.strip_prefix("NWLX")?.parse().ok()
}

fn box_number(index: u32) -> String {
    let number = format!("NWLU{index:06}");
    domain::codes::ContainerNumber::parse(&number)
        .unwrap()
        .to_string()
}

pub fn profile(base: &str) -> String {
    include_str!("nowhere/profile.toml").replace("https://api.nowhere.example", base)
}

pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(default)
}

/// A small generator (splitmix64): the moments of the kills repeat with the seed.
pub struct Dice(pub u64);

impl Dice {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed ^ (mixed >> 27)) % bound
    }
}
