//! Quays that were set right: what was told of a stop stands where it is by now.

use domain::event::EventName;
use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use store::Slice;
use store::container::ContainerFilter;
use tracking::Source;

use crate::ground::{Ground, hub};
use crate::sightings::{
    RECEIVER, aboard, alongside, arriving, bound, claims, hear, moored_there, read_again, seen_at,
    word,
};

/// The terminals at which the account's box is alongside, and how many claims are on record about it.
async fn alongside_at(ground: &Ground, account: AccountId) -> (Vec<String>, usize) {
    let read = ground.tracking().store().read(move |tx| {
        let slice = Slice {
            offset: 0,
            limit: 1,
        };
        let a = &mut tx.account(account);
        let page = store::container::page(a, &ContainerFilter::default(), slice)?;
        let id = domain::ids::ContainerId(page.rows[0].id);
        store::container::find(a, id)
    });
    let state = read.await.unwrap().unwrap().state;
    let berthed = state.milestones.iter();
    let berthed = berthed.filter(|milestone| milestone.slot.event == EventName::VesselBerthed);
    let terminals = berthed.filter_map(|milestone| milestone.terminal.clone());
    let told = claims(&ground.container_document(account).await);
    (terminals.collect(), told)
}

/// The receiver, by whose table that quay is this terminal's.
fn receiver(terminal: &str) -> Vec<Source> {
    let profile = RECEIVER.replace("USLAX-W185", terminal);
    let receiver = sources::Profile::parse(&profile).unwrap();
    vec![hub(), Source::unasked(receiver)]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_whose_quay_was_set_right_stands_there_alone() {
    // Read again, and heard on: the second time the ship lies there still.
    for replays in [true, false] {
        let (mut ground, account) = arriving().await;
        hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
        let alone = |terminal: &str| (vec![terminal.to_owned()], 3);
        assert_eq!(alongside_at(&ground, account).await, alone("USLAX-W185"));
        for (terminal, hour) in [("USLAX-Y258", 11), ("USLAX-W185", 12)] {
            ground.start_again_with(receiver(terminal));
            if replays {
                read_again(&ground).await;
            } else {
                hear(ground.tracking(), seen_at(&format!("{hour}:06"), None)).await;
            }
            let told = alongside_at(&ground, account).await;
            assert_eq!(told, alone(terminal), "replays: {replays}");
        }
        // And a box of which it becomes known later that it is aboard.
        let (other, second) = ("CSQU3054383", ground.account("B").await);
        let said = serde_json::Value::from(vec![aboard(other), bound(other)]);
        ground.answer(&said.to_string()).await;
        ground.track(second, other, NumberKind::Container).await;
        ground.drain().await;
        assert_eq!(alongside_at(&ground, second).await, alone("USLAX-W185"));
    }
}

/// A replay keeps the stop where it is by now long before the box is told of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_box_lets_go_of_a_moved_stop_only_for_the_one_it_is_told_of() {
    let (mut ground, account) = arriving().await;
    ground.start_again_with(receiver("USLAX-W185"));
    hear(ground.tracking(), alongside(211_987_655, "9321483", 5)).await;
    let alone = |terminal: &str| (vec![terminal.to_owned()], 3);
    assert_eq!(alongside_at(&ground, account).await, alone("USLAX-W185"));
    let ship = domain::container::Vessel {
        imo: domain::codes::ImoNumber::parse("9321483"),
        name: None,
    };
    let vessel = jsonapi::resource::vessel::id(&ship).unwrap();
    let moving = ground
        .tracking()
        .store()
        .write(store::Key::stops(vessel), move |tx| {
            let mut kept =
                store::vessel::stop::kept(tx, vessel, account, jiff::Timestamp::UNIX_EPOCH)?;
            for stop in &mut kept {
                stop.report.place.name = Some("The quay beside it".into());
            }
            let oldest = jiff::Timestamp::UNIX_EPOCH;
            store::vessel::stop::keep(tx, vessel, &kept, oldest, domain::vessel::is_moved)
        });
    moving.await.unwrap();
    let more = serde_json::Value::from(vec![aboard(crate::BOX)]);
    ground.push(&more.to_string()).await;
    ground.drain().await;
    assert_eq!(alongside_at(&ground, account).await, alone("USLAX-W185"));
}

/// A radio tells its ship all the time, so what it said last is newer than what is read again.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_is_set_right_though_its_radio_told_its_ship_since() {
    let (mut ground, account) = arriving().await;
    let radio = 211_987_655;
    hear(ground.tracking(), word(radio, "9321483", 18)).await;
    hear(ground.tracking(), moored_there(radio)).await;
    ground.pass(jiff::SignedDuration::from_hours(5 * 24));
    hear(ground.tracking(), word(radio, "9321483", 21)).await;
    let alone = |terminal: &str| (vec![terminal.to_owned()], 3);
    assert_eq!(alongside_at(&ground, account).await, alone("USLAX-W185"));
    ground.start_again_with(receiver("USLAX-Y258"));
    read_again(&ground).await;
    assert_eq!(alongside_at(&ground, account).await, alone("USLAX-Y258"));
}
