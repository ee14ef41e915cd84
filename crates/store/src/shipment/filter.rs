//! What shipments are listed by.

use domain::codes::{Scac, UnLocode};
use domain::ids::PartyId;

use crate::page::{By, Clauses, Order, Range, Sought};

/// Which shipments to list; nothing set lists all, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShipmentFilter {
    /// Part of the number, a reference, or the number of one of its containers.
    pub q: Option<String>,
    /// Exactly this number.
    pub number: Option<String>,
    /// Only those whose tracking stopped, or only the others.
    pub tracking_stopped: Option<bool>,
    /// Of any of these lines; empty: any.
    pub scacs: Vec<Scac>,
    /// From any of these ports of lading; empty: any.
    pub ports_of_lading: Vec<UnLocode>,
    /// To any of these ports of discharge; empty: any.
    pub ports_of_discharge: Vec<UnLocode>,
    /// Expected at the port of discharge at or after, and at or before.
    pub pod_eta: Range,
    /// Arrived there at or after, and at or before.
    pub pod_ata: Range,
    /// Arrived there, or else expected, at or after, and at or before.
    pub arrival: Range,
    /// Created at or after, and at or before.
    pub created: Range,
    /// Changed at or after, and at or before.
    pub updated: Range,
    /// Of any of these customers; `Some` of none: no shipment at all.
    pub customers: Option<Vec<PartyId>>,
    /// With any of these tags, whatever the letter case; empty: any.
    pub tags: Vec<String>,
    /// With this reference, whatever the letter case.
    pub reference: Option<String>,
    /// In which order.
    pub order: Order,
}

/// The words of a filter, which its clauses borrow.
pub(super) struct Words<'f> {
    scacs: Vec<&'f str>,
    ports_of_lading: Vec<&'f str>,
    ports_of_discharge: Vec<&'f str>,
    q: Option<Sought>,
    tags: Vec<Sought>,
    reference: Option<Sought>,
}

impl ShipmentFilter {
    pub(super) fn words(&self) -> Words<'_> {
        Words {
            scacs: self.scacs.iter().map(Scac::as_str).collect(),
            ports_of_lading: self.ports_of_lading.iter().map(UnLocode::as_str).collect(),
            ports_of_discharge: self
                .ports_of_discharge
                .iter()
                .map(UnLocode::as_str)
                .collect(),
            q: self.q.as_deref().map(Sought::new),
            tags: self.tags.iter().map(|tag| Sought::whole(tag)).collect(),
            reference: self.reference.as_deref().map(Sought::whole),
        }
    }

    pub(super) fn clauses<'f>(&'f self, words: &'f Words<'f>) -> Clauses<'f> {
        let mut clauses = Clauses::new();
        clauses.equal("number", self.number.as_deref());
        if let Some(customers) = &self.customers {
            let ids: Vec<_> = customers.iter().map(|party| party.0).collect();
            clauses.any_id("customer_id in ($)", &ids);
        }
        clauses.absent("stopped_at", self.tracking_stopped.map(|stopped| !stopped));
        clauses.any_of("(scac || '')", &words.scacs);
        clauses.any_of("(pol || '')", &words.ports_of_lading);
        clauses.any_of("(pod || '')", &words.ports_of_discharge);
        self.ranges(&mut clauses);
        clauses.contains_any(&["tags"], &words.tags);
        clauses.contains(&["ref_numbers"], words.reference.as_ref());
        clauses.contains_or(
            &["number", "ref_numbers"],
            "exists (select 1 from containers c where c.account_id = shipments.account_id
                 and c.shipment_id = shipments.id and lower(c.number) like $ escape '!')",
            words.q.as_ref(),
        );
        clauses
    }

    fn ranges(&self, clauses: &mut Clauses<'_>) {
        let updated = if self.asks_only_its_order() {
            "updated_at"
        } else {
            "coalesce(updated_at, updated_at)"
        };
        clauses.between("created_at", self.created);
        clauses.between(updated, self.updated);
        clauses.between("pod_eta", self.pod_eta);
        clauses.between("pod_ata", self.pod_ata);
        clauses.between("coalesce(pod_ata, pod_eta)", self.arrival);
    }

    /// Whether nothing is asked beyond a range of what the list is ordered by.
    pub(super) fn asks_only_its_order(&self) -> bool {
        let mut only = Self {
            order: self.order,
            ..Self::default()
        };
        match self.order.by {
            By::CreatedAt => only.created = self.created,
            By::UpdatedAt => only.updated = self.updated,
            By::PickupLfd | By::Number => {}
        }
        *self == only
    }
}
