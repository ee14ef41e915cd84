//! Tracking that an account stops and resumes, and that ends by itself.

use domain::event::EventName;
use domain::ids::{AccountId, ShipmentId, TrackingRequestId};
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::SignedDuration;
use store::Slice;
use store::notification::NotificationFilter;
use store::shipment::Shipment;
use tracking::shipment::ResumeRefused;
use tracking::webhooks::{NewWebhook, create};
use tracking::{shipment, webhooks, work};

use crate::BOX;
use crate::ground::{Ground, LADEN};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// The same box, discharged later.
pub const DISCHARGED: &str = r#"[{"eventID": "e-1", "eventCreatedDateTime": "2026-04-05T05:00:00Z",
    "eventType": "EQUIPMENT", "eventClassifierCode": "ACT", "eventDateTime": "2026-04-05T03:20:00+08:00",
    "equipmentEventTypeCode": "LOAD", "equipmentReference": "NWLU0000425", "emptyIndicatorCode": "LADEN",
    "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "CNNGB",
        "vessel": {"vesselIMONumber": "9321483"}}},
    {"eventID": "e-2", "eventCreatedDateTime": "2026-04-06T05:00:00Z",
    "eventType": "EQUIPMENT", "eventClassifierCode": "ACT", "eventDateTime": "2026-04-06T03:20:00-07:00",
    "equipmentEventTypeCode": "DISC", "equipmentReference": "NWLU0000425", "emptyIndicatorCode": "LADEN",
    "transportCall": {"modeOfTransport": "VESSEL", "UNLocationCode": "USLAX",
        "vessel": {"vesselIMONumber": "9321483"}}}]"#;

/// One account's request and what became of it.
struct Followed {
    account: AccountId,
    request: TrackingRequestId,
    shipment: ShipmentId,
}

async fn follow(ground: &Ground, name: &str) -> Followed {
    let account = ground.account(name).await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let row = ground.request(account, request).await;
    Followed {
        account,
        request,
        shipment: row.shipment.unwrap(),
    }
}

impl Followed {
    async fn stop(&self, ground: &Ground) -> Shipment {
        let stopped = shipment::stop_tracking(ground.tracking(), self.account, self.shipment);
        stopped.await.unwrap().unwrap()
    }

    async fn resume(&self, ground: &Ground) -> Shipment {
        let resumed = shipment::resume_tracking(ground.tracking(), self.account, self.shipment);
        resumed.await.unwrap().unwrap()
    }

    async fn status(&self, ground: &Ground) -> RequestStatus {
        let row = ground.request(self.account, self.request).await;
        row.progress.status
    }

    async fn shipment(&self, ground: &Ground) -> Shipment {
        let (account, id) = (self.account, self.shipment);
        let read = ground
            .tracking()
            .store()
            .read(move |tx| store::shipment::find(&mut tx.account(account), id));
        read.await.unwrap().unwrap()
    }

    async fn discharged(&self, ground: &Ground) -> bool {
        let document = ground.container_document(self.account).await;
        document
            .pointer("/attributes/pod_discharged_at")
            .is_some_and(|at| !at.is_null())
    }
}

async fn listen(ground: &Ground, account: AccountId) {
    let wanted = NewWebhook {
        url: "http://127.0.0.1:9/".into(),
        active: true,
        events: vec![EventName::TrackingRequestTrackingStopped],
        headers: Vec::new(),
    };
    let _: webhooks::Opened = create(ground.tracking(), account, wanted).await.unwrap();
}

async fn told(ground: &Ground, account: AccountId) -> u64 {
    let slice = Slice {
        offset: 0,
        limit: 1,
    };
    let read = ground.tracking().store().read(move |tx| {
        let filter = NotificationFilter::default();
        store::notification::page(&mut tx.account(account), &filter, slice)
    });
    read.await.unwrap().total
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_shipment_is_asked_about_no_more_until_it_is_resumed() {
    let ground = Ground::new(LADEN).await;
    let ours = follow(&ground, "A").await;
    listen(&ground, ours.account).await;
    let asked = ground.asked().await;
    let first = ours.stop(&ground).await;
    assert_eq!(ours.status(&ground).await, RequestStatus::TrackingStopped);
    assert_eq!(ours.stop(&ground).await, first, "stopped once");
    assert_eq!(told(&ground, ours.account).await, 1);
    ground.answer(DISCHARGED).await;
    ground.pass(DAY * 3);
    ground.drain().await;
    assert_eq!(ground.asked().await, 0, "since its answer was set");
    assert!(!ours.discharged(&ground).await);
    assert_eq!(asked, 1);

    let resumed = ours.resume(&ground).await;
    assert_eq!(resumed.stopped, None);
    assert_eq!(ours.status(&ground).await, RequestStatus::Succeeded);
    ground.drain().await;
    assert_eq!(ground.asked().await, 1, "at once");
    assert!(ours.discharged(&ground).await);
    ours.stop(&ground).await;
    assert_eq!(told(&ground, ours.account).await, 2, "each stop is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_account_stops_goes_on_for_the_other() {
    let ground = Ground::new(LADEN).await;
    let ours = follow(&ground, "A").await;
    let theirs = follow(&ground, "B").await;
    ours.stop(&ground).await;
    ground.answer(DISCHARGED).await;
    ground.pass(DAY);
    ground.drain().await;
    assert_eq!(ground.asked().await, 1);
    assert!(theirs.discharged(&ground).await);
    assert!(!ours.discharged(&ground).await, "it learns nothing more");
    assert_eq!(theirs.status(&ground).await, RequestStatus::Succeeded);
    ours.resume(&ground).await;
    assert!(
        ours.discharged(&ground).await,
        "it catches up before anybody is asked"
    );
    assert_eq!(ground.asked().await, 1);
    theirs.stop(&ground).await;
    ours.stop(&ground).await;
    ground.pass(DAY * 3);
    ground.drain().await;
    assert_eq!(ground.asked().await, 1, "nobody is left");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_number_that_is_tracked_anew_is_not_tracked_twice() {
    let ground = Ground::new(LADEN).await;
    let ours = follow(&ground, "A").await;
    ours.stop(&ground).await;
    let again = ground.track(ours.account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let refused = shipment::resume_tracking(ground.tracking(), ours.account, ours.shipment).await;
    assert!(
        matches!(refused, Err(ResumeRefused::FollowedElsewhere(by)) if by == again),
        "{refused:?}"
    );
    assert!(ours.shipment(&ground).await.stopped.is_some());
    assert_eq!(ours.status(&ground).await, RequestStatus::TrackingStopped);
    let newer = ground.request(ours.account, again).await;
    assert_eq!(newer.progress.status, RequestStatus::Succeeded);
    // Once the newer one is stopped the older one can go on.
    let stop = shipment::stop_tracking(ground.tracking(), ours.account, newer.shipment.unwrap());
    stop.await.unwrap();
    assert_eq!(ours.resume(&ground).await.stopped, None);
    assert_eq!(ours.status(&ground).await, RequestStatus::Succeeded);
    ground.answer(DISCHARGED).await;
    ground.pass(DAY);
    ground.drain().await;
    let asked = ground.asked().await;
    ground.pass(DAY);
    ground.drain().await;
    assert!(
        ground.asked().await > asked,
        "the resumed shipment is followed on"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_after_56_days_and_a_changed_reference_does_not_break_it() {
    let ground = Ground::new(LADEN).await;
    let ours = follow(&ground, "A").await;
    ground.pass(DAY * 40);
    let patch = shipment::ShipmentPatch {
        ref_numbers: Some(vec!["PO 1".into()]),
        ..shipment::ShipmentPatch::default()
    };
    let patched = shipment::update(ground.tracking(), ours.account, ours.shipment, patch);
    patched.await.unwrap();
    ground.drain().await;
    assert_eq!(ours.shipment(&ground).await.stopped, None);
    ground.pass(DAY * 17);
    ground.drain().await;
    let reason = |row: Shipment| row.stopped.map(|(_, reason)| reason);
    let ended = reason(ours.shipment(&ground).await);
    assert_eq!(ended.as_deref(), Some("no_updates_at_line"));
    assert_eq!(ours.status(&ground).await, RequestStatus::TrackingStopped);
    ours.resume(&ground).await;
    ground.pass(DAY * 55);
    ground.drain().await;
    assert_eq!(
        ours.shipment(&ground).await.stopped,
        None,
        "the window began anew"
    );
    ground.pass(DAY * 2);
    ground.drain().await;
    assert!(ours.shipment(&ground).await.stopped.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn time_passes_also_where_nobody_can_be_asked_any_more() {
    let ground = Ground::new(LADEN).await;
    let ours = follow(&ground, "A").await;
    let orphaned = ground.without_carrier();
    ground.pass(DAY * 57);
    work::drain(&orphaned).await.unwrap();
    let (_, reason) = ours.shipment(&ground).await.stopped.unwrap();
    assert_eq!(reason, "no_updates_at_line");
    ground.pass(DAY);
    ground.drain().await;
    assert_eq!(ground.asked().await, 1, "it rests");
}

/// What happened to the box.
pub fn one(id: &str, code: &str, day: &str, place: &str, empty: &str) -> String {
    let is_gate = ["GTIN", "GTOT"].contains(&code);
    let by = if is_gate { "TRUCK" } else { "VESSEL" };
    format!(
        r#"{{"eventID": "{id}", "eventCreatedDateTime": "{day}T20:00:00Z", "eventType": "EQUIPMENT",
            "eventClassifierCode": "ACT", "eventDateTime": "{day}T10:00:00Z",
            "equipmentEventTypeCode": "{code}", "equipmentReference": "{BOX}",
            "emptyIndicatorCode": "{empty}",
            "transportCall": {{"modeOfTransport": "{by}", "UNLocationCode": "{place}"}}}}"#
    )
}

/// What the line told whoever asked before is of another journey.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_that_is_asked_for_when_its_journey_is_over_is_followed_on_its_next() {
    let over = [
        one("e-1", "LOAD", "2026-02-20", "CNNGB", "LADEN"),
        one("e-2", "DISC", "2026-03-10", "USLAX", "LADEN"),
        one("e-3", "GTIN", "2026-03-20", "USLAX", "EMPTY"),
    ]
    .join(",");
    let ground = Ground::new(&format!("[{over}]")).await;
    let before = follow(&ground, "A").await;
    ground.pass(DAY * 8);
    ground.drain().await;
    assert!(before.shipment(&ground).await.stopped.is_some());
    ground.pass(DAY * 60);
    for is_told in [false, true] {
        let name = format!("told {is_told}");
        let next = [
            one("e-4", "GTOT", "2026-06-02", "CNNGB", "EMPTY"),
            one("e-5", "LOAD", "2026-06-08", "CNNGB", "LADEN"),
        ]
        .join(",");
        if is_told {
            ground.answer(&format!("[{over},{next}]")).await;
        }
        let account = ground.account(&name).await;
        let request = ground.track(account, BOX, NumberKind::Container).await;
        let status = ground.request(account, request).await.progress.status;
        assert_eq!(
            status,
            RequestStatus::Pending,
            "{name}: the line is heard first"
        );
        if is_told {
            ground.break_down().await;
            ground.drain().await;
            let status = ground.request(account, request).await.progress.status;
            assert_eq!(status, RequestStatus::Pending, "trouble says nothing");
            ground.answer(&format!("[{over},{next}]")).await;
            ground.pass(SignedDuration::from_mins(1));
        }
        ground.drain().await;
        let row = ground.request(account, request).await;
        assert_eq!(row.progress.status, RequestStatus::Succeeded, "{name}");
        ground.pass(DAY);
        ground.drain().await;
        let status = ground.request(account, request).await.progress.status;
        assert_eq!(status, RequestStatus::Succeeded, "{name}: it goes on");
        let document = ground.container_document(account).await;
        let loaded = &document["attributes"]["pol_vessel_loaded_at"];
        let day = if is_told { "2026-06-08" } else { "2026-02-20" };
        let is_of = loaded.as_str().is_some_and(|at| at.starts_with(day));
        assert!(is_of, "{name}: {loaded}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_told_after_a_return_that_was_heard_of_late_counts() {
    let loaded = one("e-1", "LOAD", "2026-02-20", "CNNGB", "LADEN");
    let returned = one("e-2", "GTIN", "2026-03-20", "USLAX", "EMPTY");
    let discharged = one("e-3", "DISC", "2026-03-10", "USLAX", "LADEN");
    let ground = Ground::new(&format!("[{loaded},{returned}]")).await;
    let ours = follow(&ground, "A").await;
    assert_eq!(ours.status(&ground).await, RequestStatus::Succeeded);
    assert!(!ours.discharged(&ground).await);
    ground
        .answer(&format!("[{loaded},{returned},{discharged}]"))
        .await;
    ground.pass(DAY * 3);
    ground.drain().await;
    assert!(ours.discharged(&ground).await);
    assert_eq!(ours.shipment(&ground).await.stopped, None);
    ground.pass(DAY * 5);
    ground.drain().await;
    let (_, reason) = ours.shipment(&ground).await.stopped.unwrap();
    assert_eq!(reason, "all_containers_terminated");
}
