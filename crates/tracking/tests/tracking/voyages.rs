//! What a projection leaves for maps: which boxes a vessel carries, and which report stands behind an event.

use domain::codes::ImoNumber;
use domain::container::Vessel;
use domain::ids::{ContainerId, EventId};
use domain::tracking_request::NumberKind;
use jsonapi::linkage;
use jsonapi::resource::vessel;

use crate::ground::{Ground, LADEN};

#[tokio::test(flavor = "multi_thread")]
async fn a_vessel_leads_to_the_box_it_carries_and_an_event_to_its_report() {
    let ground = Ground::new(LADEN).await;
    let (account, other) = (ground.account("A").await, ground.account("B").await);
    let number = "NWLU0000425";
    ground.track(account, number, NumberKind::Container).await;
    ground.drain().await;
    let document = ground.container_document(account).await.to_string();
    let own = linkage::identity(&document).unwrap().id;
    let named = Vessel {
        imo: ImoNumber::parse("9321483"),
        name: None,
    };
    let ship = vessel::id(&named).unwrap();
    let store = ground.tracking().store();
    for (account, expected) in [(account, vec![ContainerId(own)]), (other, Vec::new())] {
        let carried = store
            .read(move |tx| store::vessel::carried(&mut tx.account(account), ship, 9))
            .await;
        let carried: Result<_, store::Error> = carried;
        assert_eq!(carried.unwrap(), expected);
    }
    let claims = linkage::targets(&document, "raw_events");
    let events: Vec<EventId> = linkage::targets(&document, "transport_events")
        .iter()
        .map(|event| EventId(event.id))
        .collect();
    let found: Result<_, store::Error> = store
        .read(move |tx| store::event::documents(&mut tx.account(account), &events))
        .await;
    let found = found.unwrap();
    assert!(!found.is_empty());
    for event in found {
        let source = linkage::targets(&event.document, "source_event");
        assert_eq!(source, claims, "{}", event.document);
    }
}
