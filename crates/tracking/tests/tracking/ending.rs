//! When tracking ends by itself of what no line is asked about: messages come, or none does.

use domain::ids::{AccountId, ContainerId, ShipmentId, TrackingRequestId};
use domain::tracking_request::{NumberKind, RequestStatus};
use jiff::{SignedDuration, Timestamp};
use store::Key;
use store::container::Container;
use store::shipment::Shipment;
use tokio_util::sync::CancellationToken;
use tracking::source_state;
use tracking::work::look_through;
use uuid::Uuid;

use crate::BOX;
use crate::filing::{BILL, loaded, message};
use crate::ground::{Ground, LADEN};
use crate::stopping::{DISCHARGED, one};

const DAY: SignedDuration = SignedDuration::from_hours(24);
const OTHER_BOX: &str = "CSQU3054383";

/// A shipment of an account that follows nothing else.
struct Followed {
    account: AccountId,
    request: TrackingRequestId,
    shipment: ShipmentId,
}

/// A service that asks nobody, and what opened with this message.
async fn pushed(ground: &mut Ground, number: &str, kind: NumberKind, body: &str) -> Followed {
    ground.restart_with_hub();
    let account = ground.account("A").await;
    let request = ground.track(account, number, kind).await;
    ground.push(body).await;
    let row = ground.request(account, request).await;
    Followed {
        account,
        request,
        shipment: row.shipment.unwrap(),
    }
}

impl Followed {
    async fn shipment(&self, ground: &Ground) -> Shipment {
        let (account, id) = (self.account, self.shipment);
        let read = ground
            .tracking()
            .store()
            .read(move |tx| store::shipment::find(&mut tx.account(account), id));
        read.await.unwrap().unwrap()
    }

    /// Why its tracking has stopped.
    async fn ended(&self, ground: &Ground) -> Option<String> {
        self.shipment(ground)
            .await
            .stopped
            .map(|(_, reason)| reason)
    }

    /// The moments for which its containers wait.
    async fn waits_for(&self, ground: &Ground) -> Vec<Timestamp> {
        let (account, id) = (self.account, self.shipment);
        let read = ground
            .tracking()
            .store()
            .read(move |tx| store::container::of_shipment(&mut tx.account(account), id));
        let rows: Result<Vec<Container>, store::Error> = read.await;
        let rows = rows.unwrap().into_iter();
        rows.filter_map(|row| row.next_due_at).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn silence_ends_a_shipment_about_which_nobody_is_asked() {
    let mut ground = Ground::new("[]").await;
    let ours = pushed(&mut ground, BOX, NumberKind::Container, LADEN).await;
    ground.pass(DAY * 40);
    ground.push(DISCHARGED).await;
    ground.pass(DAY * 17);
    ground.drain().await;
    assert_eq!(ours.ended(&ground).await, None, "there was news");
    ground.pass(DAY * 38);
    ground.drain().await;
    assert_eq!(ours.ended(&ground).await, None);
    ground.pass(DAY * 2);
    ground.drain().await;
    let ended = ours.ended(&ground).await;
    assert_eq!(ended.as_deref(), Some("no_updates_at_line"));
    let row = ground.request(ours.account, ours.request).await;
    assert_eq!(row.progress.status, RequestStatus::TrackingStopped);
    ground.drain().await;
    assert_eq!(
        ours.waits_for(&ground).await,
        [],
        "nothing is left to wait for"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_return_ends_it_a_week_later_though_nothing_more_comes() {
    let mut ground = Ground::new("[]").await;
    let moves = [
        one("e-1", "LOAD", "2026-02-20", "CNNGB", "LADEN"),
        one("e-2", "DISC", "2026-03-10", "USLAX", "LADEN"),
        one("e-3", "GTOT", "2026-03-20", "USLAX", "LADEN"),
    ]
    .join(",");
    let body = format!("[{moves}]");
    let ours = pushed(&mut ground, BOX, NumberKind::Container, &body).await;
    let returned = one("e-4", "GTIN", "2026-04-05", "USLAX", "EMPTY");
    ground.push(&format!("[{returned}]")).await;
    ground.pass(DAY * 6);
    ground.drain().await;
    assert_eq!(ours.ended(&ground).await, None);
    ground.pass(DAY * 2);
    ground.drain().await;
    let ended = ours.ended(&ground).await;
    assert_eq!(ended.as_deref(), Some("all_containers_terminated"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_box_of_a_bill_waits_for_its_end_and_each_message_moves_that() {
    let mut ground = Ground::new("[]").await;
    let at = "2026-04-05T05:00:00Z";
    let both = [
        loaded(BOX, at, &[("TRD", BILL)]),
        loaded(OTHER_BOX, at, &[("TRD", BILL)]),
    ];
    let body = message(&both);
    let ours = pushed(&mut ground, BILL, NumberKind::BillOfLading, &body).await;
    let first = ours.waits_for(&ground).await;
    assert_eq!(first, [ground.tracking().now() + DAY * 56]);
    ground.pass(DAY * 10);
    ground.push(DISCHARGED).await;
    let then = ours.waits_for(&ground).await;
    assert_eq!(then, [ground.tracking().now() + DAY * 56]);
}

/// All that was said is gone, as when it is read again by a parser that makes nothing of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_shipment_of_which_nothing_is_said_any_more_ends_too() {
    let mut ground = Ground::new("[]").await;
    let ours = pushed(&mut ground, BOX, NumberKind::Container, LADEN).await;
    ground.tamper("delete from filed_reports");
    ground.pass(DAY * 30);
    let (account, now) = (ours.account, ground.tracking().now());
    let pulling = ground
        .tracking()
        .store()
        .write(Key::account(account), move |tx| {
            store::container::pull_due(&mut tx.account(account), now, ContainerId(Uuid::nil()), 1)
        });
    let pulled: Result<Option<ContainerId>, store::Error> = pulling.await;
    assert!(pulled.unwrap().is_some());
    ground.drain().await;
    assert_eq!(ours.ended(&ground).await, None);
    assert_eq!(
        ours.waits_for(&ground).await,
        [now + DAY * 26],
        "not due again and again"
    );
    ground.pass(DAY * 26);
    ground.drain().await;
    let ended = ours.ended(&ground).await;
    assert_eq!(ended.as_deref(), Some("no_updates_at_line"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_stored_without_its_end_is_found_at_a_start() {
    let mut ground = Ground::new("[]").await;
    let ours = pushed(&mut ground, BOX, NumberKind::Container, LADEN).await;
    let start = async |ground: &Ground| {
        ground.tamper("update containers set next_due_at = null");
        look_through(ground.tracking().clone(), CancellationToken::new()).await;
    };
    let begun = ground.tracking().now();
    ground.pass(DAY * 20);
    start(&ground).await;
    assert_eq!(ours.waits_for(&ground).await, [begun + DAY * 56]);
    ground.pass(DAY * 40);
    start(&ground).await;
    let ended = ours.ended(&ground).await;
    assert_eq!(ended.as_deref(), Some("no_updates_at_line"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_asked_is_heard_before_its_shipment_ends() {
    let ground = Ground::new(LADEN).await;
    let account = ground.account("A").await;
    let request = ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    let row = ground.request(account, request).await;
    let ours = Followed {
        account,
        request,
        shipment: row.shipment.unwrap(),
    };
    source_state::pause(ground.tracking(), "nowhere", "new contract")
        .await
        .unwrap();
    ground.pass(DAY * 60);
    ground.drain().await;
    look_through(ground.tracking().clone(), CancellationToken::new()).await;
    assert_eq!(ours.ended(&ground).await, None, "it was not asked");
    ground.answer(DISCHARGED).await;
    source_state::resume(ground.tracking(), "nowhere")
        .await
        .unwrap();
    ground.drain().await;
    assert_eq!(ours.ended(&ground).await, None, "it had news");
}
