//! Deliveries over days, with the clock set by hand and a receiver that keeps its own log.

use std::time::Duration;

use domain::event::EventName;
use domain::ids::{AccountId, NotificationId, WebhookId};
use domain::tracking_request::NumberKind;
use domain::webhook::{DeliveryStatus, RETRY_DELAYS};
use jiff::{SignedDuration, Timestamp};
use metrics_exporter_prometheus::PrometheusBuilder;
use store::Slice;
use store::notification::{Notification, NotificationFilter};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tracking::webhooks::{Opened, WebhookPatch, delete, rotate_secret, sign, update};
use wiremock::ResponseTemplate;

use crate::BOX;
use crate::ground::Ground;
use crate::receiver::{Arrival, Receiver, run, switch};

const DAY: SignedDuration = SignedDuration::from_hours(24);

/// A service whose carrier knows nothing, so that each container number that is tracked ends with one event.
pub struct World {
    pub ground: Ground,
    pub account: AccountId,
    pub receiver: Receiver,
    pub hook: Opened,
}

impl World {
    pub async fn new() -> Self {
        Self::on(Ground::new("[]").await).await
    }

    /// On this ground.
    pub async fn on(ground: Ground) -> Self {
        let account = ground.account("A").await;
        let receiver = Receiver::open(&ground).await;
        let events = [EventName::TrackingRequestFailed];
        let hook = receiver.subscribe(&ground, account, &events).await;
        Self {
            ground,
            account,
            receiver,
            hook,
        }
    }

    /// Something happens that the receiver is to be told, now.
    pub async fn news(&self) {
        self.ground
            .track(self.account, BOX, NumberKind::Container)
            .await;
        self.ground.drain().await;
    }

    pub fn in_days(&self, days: i64) -> Timestamp {
        self.ground.tracking().now() + DAY * i32::try_from(days).unwrap()
    }

    pub fn in_minutes(&self, minutes: i64) -> Timestamp {
        self.ground.tracking().now() + SignedDuration::from_mins(minutes)
    }

    pub async fn notifications(&self) -> Vec<Notification> {
        let account = self.account;
        let slice = Slice {
            offset: 0,
            limit: 100,
        };
        let read = self.ground.tracking().store().read(move |tx| {
            let filter = NotificationFilter::default();
            store::notification::page(&mut tx.account(account), &filter, slice)
        });
        read.await.unwrap().rows
    }

    pub async fn statuses(&self) -> Vec<DeliveryStatus> {
        let rows = self.notifications().await;
        rows.iter().map(|row| row.status).collect()
    }

    pub async fn attempts(&self, id: NotificationId) -> Vec<store::delivery::Attempt> {
        let account = self.account;
        let all = Slice {
            offset: 0,
            limit: 100,
        };
        let read = self
            .ground
            .tracking()
            .store()
            .read(move |tx| store::delivery::attempts(&mut tx.account(account), id, all));
        read.await.unwrap().rows
    }

    /// Whether the webhook is active, and why not.
    pub async fn state(&self) -> (bool, Option<String>) {
        let (account, id): (AccountId, WebhookId) = (self.account, self.hook.webhook.id);
        let read = self
            .ground
            .tracking()
            .store()
            .read(move |tx| store::webhook::find(&mut tx.account(account), id));
        let webhook = read.await.unwrap().unwrap();
        (webhook.active, webhook.disabled_reason)
    }
}

fn asks_for(status: u16, seconds: u32) -> ResponseTemplate {
    ResponseTemplate::new(status).insert_header("retry-after", seconds.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_is_tried_again_by_the_schedule_and_given_up_at_its_end() {
    let world = World::new().await;
    world.receiver.refuses(500);
    world.news().await;
    run(&world.ground, world.in_days(4)).await;
    let waits = world.receiver.waits();
    assert_eq!(waits.len(), RETRY_DELAYS.len());
    for (wait, step) in waits.iter().zip(RETRY_DELAYS) {
        let share = wait.as_secs_f64() / step.as_secs_f64();
        assert!((0.8..=1.2).contains(&share), "{wait} for a step of {step}");
    }
    let log = world.receiver.log();
    assert!(log.iter().all(|arrival| arrival.body == log[0].body));
    assert!(log.iter().all(|arrival| arrival.id() == log[0].id()));
    assert_eq!(world.statuses().await, [DeliveryStatus::Failed]);
    let attempts = world
        .attempts(log[0].id().parse().map(NotificationId).unwrap())
        .await;
    let seen: Vec<_> = attempts
        .iter()
        .map(|a| (a.number, a.started_at, a.status))
        .collect();
    let expected: Vec<_> = (1..).zip(&log).map(|(n, a)| (n, a.at, Some(500))).collect();
    assert_eq!(seen, expected, "every attempt is on record");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_asks_for_patience_within_reason() {
    let world = World::new().await;
    let hour = SignedDuration::from_hours(1);
    world.receiver.answers(asks_for(503, 1));
    world.news().await;
    // Nothing asks for less than a minute, nor for more than an hour while the steps are short.
    for (answer, least, most) in [
        (asks_for(503, 900), 60, 60),
        (asks_for(429, 999_999), 900, 900),
        (asks_for(500, 10), 3_600, 3_600),
        (ResponseTemplate::new(500), 8 * 60, 12 * 60),
    ] {
        let seen = world.receiver.count();
        world.receiver.answers(answer);
        while world.receiver.count() == seen {
            world.ground.pass(SignedDuration::from_secs(1));
            world.ground.drain().await;
        }
        let wait = world.receiver.waits().last().unwrap().as_secs();
        assert!(
            (least..=most + 1).contains(&wait),
            "{wait} s: {least} to {most}"
        );
    }
    // Late in the schedule twice the step is the most.
    world.receiver.answers(asks_for(503, 999_999));
    run(&world.ground, world.in_days(12)).await;
    let waits = world.receiver.waits();
    assert_eq!(waits.len(), RETRY_DELAYS.len());
    for (wait, step) in waits.iter().zip(RETRY_DELAYS).skip(5) {
        assert_eq!(*wait, (step * 2).max(hour), "for a step of {step}");
    }
}

/// The wait was for the receiver as it was.
#[tokio::test(flavor = "multi_thread")]
async fn what_waits_goes_out_when_the_webhook_is_switched_on_or_led_elsewhere() {
    let world = World::new().await;
    let (account, id) = (world.account, world.hook.webhook.id);
    let patch = async |patch: WebhookPatch| {
        let changed = update(world.ground.tracking(), account, id, patch).await;
        changed.unwrap().unwrap();
        world.ground.drain().await;
    };
    world.receiver.answers(asks_for(503, 900));
    world.news().await;
    assert_eq!(world.receiver.count(), 1);
    let events = vec![
        EventName::TrackingRequestFailed,
        EventName::ContainerUpdated,
    ];
    patch(WebhookPatch {
        events: Some(events),
        ..WebhookPatch::default()
    })
    .await;
    assert_eq!(world.receiver.count(), 1, "nothing else makes it sooner");
    switch(&world.ground, account, id, false).await;
    switch(&world.ground, account, id, true).await;
    world.ground.drain().await;
    assert_eq!(world.receiver.count(), 2, "switched on again");
    let other = Receiver::open(&world.ground).await;
    patch(WebhookPatch {
        url: Some(other.named("127.0.0.1")),
        ..WebhookPatch::default()
    })
    .await;
    assert_eq!((world.receiver.count(), other.count()), (2, 1));
    assert_eq!(world.statuses().await, [DeliveryStatus::Succeeded]);
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_refusals_in_a_row_end_a_delivery() {
    let world = World::new().await;
    world.receiver.refuses(404);
    world.news().await;
    run(&world.ground, world.in_days(1)).await;
    assert_eq!(world.receiver.count(), 8);
    assert_eq!(world.statuses().await, [DeliveryStatus::Failed]);
    assert_eq!(world.state().await, (true, None), "its endpoint goes on");

    // Another failure in between, and the row begins anew.
    world.news().await;
    for _ in 0..6 {
        let next = world.receiver.count() + 1;
        while world.receiver.count() < next {
            world.ground.pass(SignedDuration::from_mins(10));
            world.ground.drain().await;
        }
    }
    world.receiver.refuses(429);
    let next = world.receiver.count() + 1;
    while world.receiver.count() < next {
        world.ground.pass(SignedDuration::from_mins(30));
        world.ground.drain().await;
    }
    world.receiver.refuses(404);
    run(&world.ground, world.in_days(4)).await;
    assert_eq!(world.receiver.count(), 8 + 1 + RETRY_DELAYS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn gone_switches_the_webhook_off_and_holds_the_rest() {
    let world = World::new().await;
    world.receiver.refuses(500);
    world.news().await;
    world.news().await;
    assert_eq!(
        world.receiver.count(),
        2,
        "each request is a line of its own"
    );
    world.receiver.refuses(410);
    world.ground.pass(SignedDuration::from_secs(4));
    while world.receiver.count() == 2 {
        world.ground.pass(SignedDuration::from_millis(100));
        world.ground.drain().await;
    }
    let seen = world.receiver.count();
    let (active, reason) = world.state().await;
    assert!(!active);
    assert!(reason.unwrap().contains("410"));
    world.receiver.refuses(200);
    run(&world.ground, world.in_days(10)).await;
    assert_eq!(
        world.receiver.count(),
        seen,
        "nothing goes to one that is off"
    );

    switch(&world.ground, world.account, world.hook.webhook.id, true).await;
    world.ground.drain().await;
    assert_eq!(world.state().await, (true, None));
    let ended = [DeliveryStatus::Succeeded, DeliveryStatus::Failed];
    assert!(
        world
            .statuses()
            .await
            .iter()
            .all(|status| ended.contains(status))
    );
    let succeeded = world
        .statuses()
        .await
        .iter()
        .filter(|s| **s == ended[0])
        .count();
    assert_eq!(
        succeeded, 1,
        "what was open went out when it was on again, and what had been under way too"
    );
}

/// Answers each connection with this, which promises more, and ends there.
async fn breaking_off(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut piece = [0; 4_096];
            assert!(socket.read(&mut piece).await.unwrap() > 0);
            socket.write_all(answer.as_bytes()).await.unwrap();
            socket.shutdown().await.unwrap();
            // Closing with bytes unread would reset the connection, and take the answer along.
            while socket.read(&mut piece).await.is_ok_and(|read| read > 0) {}
        }
    });
    url
}

/// The head says 410, but the answer never ended: a failure like any other, which is tried again. What came of it
/// is on record beside the reason.
#[tokio::test(flavor = "multi_thread")]
async fn what_came_of_an_answer_that_breaks_off_is_on_record() {
    let world = World::new().await;
    let answer = "HTTP/1.1 410 Gone\r\ncontent-length: 1000\r\nx-seen: yes\r\n\r\nstack trace";
    world.sends_to(breaking_off(answer).await).await;
    world.news().await;
    let attempts = world.attempts(world.notifications().await[0].id).await;
    let [seen] = attempts.as_slice() else {
        panic!("{attempts:?}");
    };
    assert_eq!(
        (seen.status, seen.reason.as_deref()),
        (Some(410), Some("protocol"))
    );
    assert_eq!(seen.response_body, "stack trace");
    let headers = &seen.response_headers;
    assert!(headers.contains("x-seen: yes\n"), "{headers}");
    assert_eq!(world.statuses().await, [DeliveryStatus::Pending]);
    assert_eq!(world.state().await, (true, None));
}

/// Answers as many requests as this on its first connection, and resets every one on which a further one comes; answers
/// one on each connection behind it. What it was sent is told in the order in which it came.
async fn resetting(answered: usize) -> (String, mpsc::UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut left = answered;
        while let Ok((mut socket, _)) = listener.accept().await {
            let mut piece = vec![0; 64 * 1_024];
            while let Ok(read) = socket.read(&mut piece).await
                && read > 0
            {
                let heard = String::from_utf8_lossy(&piece[..read]).into_owned();
                tell.send(heard).unwrap();
                if left == 0 {
                    socket.set_zero_linger().unwrap();
                    break;
                }
                left -= 1;
                let fine = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                socket.write_all(fine).await.unwrap();
            }
            left = answered;
        }
    });
    (url, told)
}

impl World {
    async fn sends_to(&self, url: String) {
        let patch = WebhookPatch {
            url: Some(url),
            ..WebhookPatch::default()
        };
        let (tracking, webhook) = (self.ground.tracking(), self.hook.webhook.id);
        let changed = update(tracking, self.account, webhook, patch).await;
        assert!(changed.unwrap().is_some());
    }
}

/// Nobody failed: the receiver closed a connection that lay idle, and the request was on its way.
#[tokio::test]
async fn a_connection_that_is_closed_when_it_is_used_again_costs_no_attempt() {
    let world = World::new().await;
    let (url, mut told) = resetting(1).await;
    world.sends_to(url).await;
    world.news().await;
    world.news().await;
    let notifications = world.notifications().await;
    assert_eq!(notifications.len(), 2);
    for one in notifications {
        let attempts = world.attempts(one.id).await;
        let ends: Vec<_> = attempts
            .iter()
            .map(|attempt| (attempt.number, attempt.status, attempt.reason.as_deref()))
            .collect();
        assert_eq!(ends, [(1, Some(200), None)]);
    }
    let ended = DeliveryStatus::Succeeded;
    assert_eq!(world.statuses().await, [ended, ended]);
    let (first, broken, again) = (told.recv().await, told.recv().await, told.recv().await);
    assert_ne!(first, broken);
    assert_eq!(broken, again, "the same bytes and headers");
    assert!(told.try_recv().is_err());
}

/// One that breaks when it is new breaks because somebody wants it so.
#[tokio::test]
async fn a_new_connection_that_is_closed_is_an_attempt_that_failed() {
    let world = World::new().await;
    let (url, mut told) = resetting(0).await;
    world.sends_to(url).await;
    world.news().await;
    let attempts = world.attempts(world.notifications().await[0].id).await;
    let [failed] = attempts.as_slice() else {
        panic!("{attempts:?}");
    };
    assert_eq!(
        (failed.status, failed.reason.as_deref()),
        (None, Some("protocol"))
    );
    assert_eq!(world.statuses().await, [DeliveryStatus::Pending]);
    assert!(told.recv().await.is_some());
    assert!(told.try_recv().is_err(), "it was sent once");
}

/// One thread, so that its recorder hears what is counted here and nothing of other tests.
#[tokio::test]
async fn a_result_whose_delivery_is_gone_is_dropped_and_counted() {
    let recorder = PrometheusBuilder::new().build_recorder();
    let _counted = metrics::set_default_local_recorder(&recorder);
    let world = World::new().await;
    let told = || {
        let text = recorder.handle().render();
        let mut lines = text.lines().map(str::to_owned);
        lines.find(|line| line.starts_with("quayside_delivery_results_dropped_total "))
    };
    world.news().await;
    let none = "quayside_delivery_results_dropped_total 0";
    assert_eq!(told().as_deref(), Some(none));
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(3));
    world.receiver.answers(slow);
    let ended = async {
        while world.receiver.count() < 2 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        let (tracking, webhook) = (world.ground.tracking(), world.hook.webhook.id);
        assert!(delete(tracking, world.account, webhook).await.unwrap());
    };
    tokio::join!(world.news(), ended);
    let one = "quayside_delivery_results_dropped_total 1";
    assert_eq!(told().as_deref(), Some(one));
}

#[tokio::test(flavor = "multi_thread")]
async fn five_days_without_a_success_switch_the_webhook_off_and_nothing_is_lost() {
    let world = World::new().await;
    world.receiver.refuses(500);
    let began = world.ground.tracking().now();
    let mut told = 0;
    for hours in (0..5 * 24 + 12).step_by(6) {
        run(&world.ground, began + SignedDuration::from_hours(hours)).await;
        let (active, _) = world.state().await;
        assert_eq!(active, hours <= 5 * 24, "after {hours} h");
        if active {
            world.news().await;
            told += 1;
        }
    }
    assert!(world.receiver.count() > 20);
    let (_, reason) = world.state().await;
    assert!(
        reason.unwrap().contains("2026-04-06T00:00:00Z"),
        "since when"
    );
    let seen = world.receiver.count();
    run(&world.ground, world.in_days(10)).await;
    assert_eq!(world.receiver.count(), seen);

    world.receiver.refuses(200);
    switch(&world.ground, world.account, world.hook.webhook.id, true).await;
    run(&world.ground, world.in_days(1)).await;
    let statuses = world.statuses().await;
    let open = DeliveryStatus::Pending;
    assert!(!statuses.contains(&open), "{statuses:?}");
    let heard: std::collections::BTreeSet<String> =
        world.receiver.log().iter().map(Arrival::id).collect();
    assert_eq!(heard.len(), told, "each was tried, none was dropped");
    assert_eq!(world.state().await, (true, None), "with a clean record");
}

#[tokio::test(flavor = "multi_thread")]
async fn few_failures_do_not_switch_a_quiet_webhook_off() {
    let world = World::new().await;
    world.receiver.refuses(500);
    world.news().await;
    run(&world.ground, world.in_days(7)).await;
    assert_eq!(world.state().await, (true, None), "13 failures are too few");
    world.receiver.refuses(200);
    world.news().await;
    world.receiver.refuses(500);
    world.news().await;
    run(&world.ground, world.in_days(4)).await;
    assert_eq!(
        world.state().await,
        (true, None),
        "a success wipes the slate"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn for_a_day_after_a_rotation_both_secrets_verify_and_three_are_the_most() {
    let world = World::new().await;
    let rotate = async || {
        let id = world.hook.webhook.id;
        let rotated = rotate_secret(world.ground.tracking(), world.account, id).await;
        rotated.unwrap().unwrap().secret
    };
    let first = world.hook.secret.clone();
    world.news().await;
    assert_eq!(accepted(&last(&world), &[&first]), [true]);
    assert_eq!(
        last(&world).header("x-t49-webhook-signature-previous"),
        None
    );

    let second = rotate().await;
    world.news().await;
    assert_eq!(accepted(&last(&world), &[&second, &first]), [true, true]);
    assert_eq!(signatures(&last(&world)), 2);
    let newest = sign::reference(&second, &last(&world).body);
    assert_eq!(
        last(&world).header("x-t49-webhook-signature"),
        Some(newest.as_str())
    );
    let before = sign::reference(&first, &last(&world).body);
    let previous = last(&world);
    let previous = previous.header("x-t49-webhook-signature-previous");
    assert_eq!(previous, Some(before.as_str()));

    world.ground.pass(DAY - SignedDuration::from_secs(1));
    world.news().await;
    assert_eq!(accepted(&last(&world), &[&second, &first]), [true, true]);
    world.ground.pass(SignedDuration::from_secs(2));
    world.news().await;
    assert_eq!(accepted(&last(&world), &[&second, &first]), [true, false]);

    let secrets = [rotate().await, rotate().await, rotate().await];
    world.news().await;
    assert_eq!(signatures(&last(&world)), 3);
    let [a, b, c] = &secrets;
    assert_eq!(
        accepted(&last(&world), &[c, b, a, &second]),
        [true, true, true, false],
        "the oldest made room"
    );
}

fn last(world: &World) -> Arrival {
    world.receiver.log().pop().unwrap()
}

fn signatures(arrival: &Arrival) -> usize {
    arrival
        .header("webhook-signature")
        .unwrap()
        .split(' ')
        .count()
}

/// Whether receivers that hold one of these secrets each take the arrival for genuine, by both schemes alike.
fn accepted(arrival: &Arrival, secrets: &[&str]) -> Vec<bool> {
    let seconds = arrival
        .header("webhook-timestamp")
        .unwrap()
        .parse()
        .unwrap();
    let present = arrival.header("x-t49-webhook-signature").unwrap();
    let previous = arrival.header("x-t49-webhook-signature-previous");
    let verdicts = secrets.iter().map(|secret| {
        let signer = standardwebhooks::Webhook::new(secret).unwrap();
        let own = signer.sign(&arrival.id(), seconds, &arrival.body).unwrap();
        let mut listed = arrival.header("webhook-signature").unwrap().split(' ');
        let standard = listed.any(|one| one == own);
        let digest = sign::reference(secret, &arrival.body);
        let mut digests = previous.unwrap_or_default().split(' ').chain([present]);
        let reference = digests.any(|one| one == digest);
        assert_eq!(standard, reference);
        standard
    });
    verdicts.collect()
}
