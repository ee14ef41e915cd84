//! What is stored of one delivery cannot be read any more.

use domain::event::EventName;
use domain::ids::WebhookId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;

use crate::BOX;
use crate::ground::{Ground, on_postgres};
use crate::receiver::Receiver;

/// An account with a receiver that has refused the first try, so that the body is kept and comes up by a claim.
struct Told {
    receiver: Receiver,
    hook: WebhookId,
}

impl Told {
    async fn new(ground: &Ground, name: &str) -> Self {
        let account = ground.account(name).await;
        let receiver = Receiver::open(ground).await;
        let events = [EventName::TrackingRequestFailed];
        let hook = receiver.subscribe(ground, account, &events).await;
        receiver.refuses(503);
        ground.track(account, BOX, NumberKind::Container).await;
        ground.drain().await;
        assert_eq!(receiver.count(), 1);
        receiver.refuses(200);
        Self {
            receiver,
            hook: hook.webhook.id,
        }
    }
}

/// What happens to the row of a body.
#[derive(Clone, Copy)]
enum Row {
    IsDamaged,
    IsGone,
}

impl Row {
    /// With the id and the bytes as the engine spells them.
    fn statement(self, hook: &str, bad: &str) -> String {
        let of = format!(
            "where notification_id in (select id from notifications where webhook_id = {hook})"
        );
        match self {
            Self::IsDamaged => format!("update bodies set body = {bad} {of}"),
            Self::IsGone => format!("delete from bodies {of}"),
        }
    }
}

/// What stands there instead, in hexadecimal digits: what is read with the claim, and what is read by itself as it is sent.
fn damaged() -> [String; 2] {
    [2, 20_000].map(|bytes| format!("0f{}", "ff".repeat(bytes)))
}

async fn holds_up_no_other(ground: &Ground, happens: impl Fn(Row, WebhookId)) {
    let broken = Told::new(ground, "A").await;
    let good = [Told::new(ground, "B").await, Told::new(ground, "C").await];
    happens(Row::IsDamaged, broken.hook);
    ground.pass(SignedDuration::from_mins(5));
    ground.drain().await;
    let told = good.each_ref().map(|told| told.receiver.count());
    assert_eq!(told, [2, 2], "the others");
    assert_eq!(broken.receiver.count(), 1);

    happens(Row::IsGone, broken.hook);
    // At once, and when the lease of its claim would have run out.
    for minutes in [0, 5] {
        ground.pass(SignedDuration::from_mins(minutes));
        ground.drain().await;
        let looked_at = broken.receiver.count() - 1;
        assert_eq!(looked_at, 0, "it is looked at all the time: {minutes}");
    }
    ground.pass(SignedDuration::from_mins(6));
    ground.drain().await;
    assert_eq!(broken.receiver.count(), 2, "what can be read again is told");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_cannot_be_read_holds_up_no_other() {
    for digits in damaged() {
        let ground = Ground::new("[]").await;
        holds_up_no_other(&ground, |row, hook| {
            let hook = format!("x'{}'", hook.0.simple());
            ground.tamper(&row.statement(&hook, &format!("x'{digits}'")));
        })
        .await;
    }
}

#[test]
fn nor_does_it_on_postgres() {
    for digits in damaged() {
        on_postgres(async |ground, server| {
            holds_up_no_other(ground, |row, hook| {
                let bad = format!("'\\x{digits}'");
                let statement = row.statement(&format!("'{hook}'"), &bad);
                tokio::task::block_in_place(|| server.administer(&[&statement])).unwrap();
            })
            .await;
        });
    }
}
