//! What containers are listed by.

use domain::codes::{ContainerNumber, EquipmentHeight, Scac, UnLocode};
use domain::container::{FeeKind, HoldName};
use domain::ids::{CustomFieldDefinitionId, PartyId, ShipmentId};

use super::kinds;
use crate::page::{By, Clauses, Order, Range, Spans};

/// Which containers to list; nothing set lists all, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContainerFilter {
    /// Exactly any of these numbers; `Some` of none: no container at all.
    pub numbers: Option<Vec<ContainerNumber>>,
    /// Any of these statuses; empty: any.
    pub statuses: Vec<String>,
    /// Of this shipment.
    pub shipment: Option<ShipmentId>,
    /// Of any of these lines; empty: any.
    pub scacs: Vec<Scac>,
    /// From any of these ports of lading; empty: any.
    pub ports_of_lading: Vec<UnLocode>,
    /// With a port of lading that is known, or without.
    pub has_port_of_lading: Option<bool>,
    /// To any of these ports of discharge; empty: any.
    pub ports_of_discharge: Vec<UnLocode>,
    /// With a port of discharge that is known, or without.
    pub has_port_of_discharge: Option<bool>,
    /// With a last free day then.
    pub pickup_lfd: Spans,
    /// With a last free day, or without.
    pub has_pickup_lfd: Option<bool>,
    /// Created then.
    pub created: Spans,
    /// Changed then.
    pub updated: Spans,
    /// Of any of these customers, its own or its shipment's; `Some` of none: no container at all.
    pub customers: Option<Vec<PartyId>>,
    /// Said to be free to collect, or said not to be.
    pub available: Option<bool>,
    /// With a hold that is shown, in force or announced, or without.
    pub has_holds: Option<bool>,
    /// Held by any of these, in force; empty: any.
    pub hold_names: Vec<HoldName>,
    /// With a fee that is owed, or without.
    pub has_fees: Option<bool>,
    /// With demurrage that is owed, or without.
    pub has_demurrage: Option<bool>,
    /// With a hold or a fee, or with neither.
    pub has_fees_or_holds: Option<bool>,
    /// Of any of these heights; empty: any.
    pub heights: Vec<EquipmentHeight>,
    /// Of shipments whose tracking stopped, or of the others.
    pub tracking_stopped: Option<bool>,
    /// With all of these custom fields, each with this value as plain text.
    pub custom_fields: Vec<(CustomFieldDefinitionId, String)>,
    /// In which order.
    pub order: Order,
}

/// The words of a filter, which its clauses borrow.
pub(super) struct Words<'f> {
    numbers: Option<Vec<&'f str>>,
    statuses: Vec<&'f str>,
    scacs: Vec<&'f str>,
    ports_of_lading: Vec<&'f str>,
    ports_of_discharge: Vec<&'f str>,
    heights: Vec<&'f str>,
}

impl ContainerFilter {
    pub(super) fn words(&self) -> Words<'_> {
        let numbers = self.numbers.as_ref();
        Words {
            numbers: numbers.map(|numbers| numbers.iter().map(ContainerNumber::as_str).collect()),
            statuses: self.statuses.iter().map(String::as_str).collect(),
            scacs: self.scacs.iter().map(Scac::as_str).collect(),
            ports_of_lading: self.ports_of_lading.iter().map(UnLocode::as_str).collect(),
            ports_of_discharge: self
                .ports_of_discharge
                .iter()
                .map(UnLocode::as_str)
                .collect(),
            heights: self.heights.iter().map(|one| one.as_str()).collect(),
        }
    }

    pub(super) fn clauses<'f>(&'f self, words: &'f Words<'f>) -> Clauses<'f> {
        let mut clauses = Clauses::new();
        match words.numbers.as_deref() {
            Some([]) => clauses.also(NOTHING),
            Some(numbers) => clauses.any_of("number", numbers),
            None => {}
        }
        clauses.equal("shipment_id", self.shipment);
        self.customers(&mut clauses);
        clauses.custom_fields(&self.custom_fields);
        let status = if self.asks_only_a_status() {
            "status"
        } else {
            "(status || '')"
        };
        clauses.any_of(status, &words.statuses);
        clauses.any_of("(scac || '')", &words.scacs);
        clauses.any_of("(pol || '')", &words.ports_of_lading);
        clauses.any_of("(pod || '')", &words.ports_of_discharge);
        let lacks = |has: Option<bool>| has.map(|has| !has);
        clauses.absent("(pol || '')", lacks(self.has_port_of_lading));
        clauses.absent("(pod || '')", lacks(self.has_port_of_discharge));
        clauses.any_of("(height || '')", &words.heights);
        clauses.equal("available", self.available);
        self.holds_and_fees(&mut clauses);
        self.ranges(&mut clauses);
        match self.tracking_stopped {
            Some(true) => clauses.also(STOPPED),
            Some(false) => clauses.also(NOT_STOPPED),
            None => {}
        }
        clauses
    }

    fn holds_and_fees(&self, clauses: &mut Clauses<'_>) {
        clauses.bits("holds", kinds::ANY, self.has_holds);
        let names = kinds::of_holds(self.hold_names.iter().copied());
        clauses.bits(
            "holds",
            names,
            (!self.hold_names.is_empty()).then_some(true),
        );
        clauses.bits("fees", kinds::ANY, self.has_fees);
        clauses.bits(
            "fees",
            kinds::of_fee(FeeKind::Demurrage),
            self.has_demurrage,
        );
        clauses.bits("(holds | fees)", kinds::ANY, self.has_fees_or_holds);
    }

    fn customers(&self, clauses: &mut Clauses<'_>) {
        if let Some(customers) = &self.customers {
            let ids: Vec<_> = customers.iter().map(|party| party.0).collect();
            clauses.any_id("customer_id in ($) or customer_id is null and shipment_id in (\
                select s.id from shipments s where s.account_id = {account} and s.customer_id in ($))", &ids);
        }
    }

    fn ranges(&self, clauses: &mut Clauses<'_>) {
        let walked = self.asks_only_its_order();
        let facet = |column, facet| if walked { column } else { facet };
        clauses.within_any("created_at", &self.created);
        clauses.within_any(
            facet("updated_at", "coalesce(updated_at, updated_at)"),
            &self.updated,
        );
        clauses.within_any(
            facet("pickup_lfd", "coalesce(pickup_lfd, pickup_lfd)"),
            &self.pickup_lfd,
        );
        let open = |(_, end): &Range| end.is_none();
        let may_be_none = self.pickup_lfd.iter().flatten().any(open);
        if may_be_none || self.has_pickup_lfd == Some(true) {
            clauses.also(HAS_LAST_FREE_DAY);
        }
        if self.has_pickup_lfd == Some(false) {
            clauses.also(NO_LAST_FREE_DAY);
        }
    }

    /// Whether nothing is asked beyond a range of what the list is ordered by.
    pub(super) fn asks_only_its_order(&self) -> bool {
        let mut only = Self {
            order: self.order,
            ..Self::default()
        };
        match self.order.by {
            By::CreatedAt => only.created.clone_from(&self.created),
            By::UpdatedAt => only.updated.clone_from(&self.updated),
            By::PickupLfd => only.pickup_lfd.clone_from(&self.pickup_lfd),
            By::Number => {}
        }
        *self == only
    }

    /// One status and nothing else, which has an index of its own.
    fn asks_only_a_status(&self) -> bool {
        let only = Self {
            statuses: self.statuses.clone(),
            ..Self::default()
        };
        self.statuses.len() == 1 && *self == only
    }
}

/// See the columns's default.
const HAS_LAST_FREE_DAY: &str = "pickup_lfd < '9999-12-30T00:00:00.000000Z'";
const NO_LAST_FREE_DAY: &str = "coalesce(pickup_lfd, pickup_lfd) = '9999-12-30T00:00:00.000000Z'";
const NOTHING: &str = "1 = 0";
const STOPPED: &str = "shipment_id in (select s.id from shipments s
    where s.account_id = $1 and s.stopped_at is not null)";
const NOT_STOPPED: &str = "shipment_id not in (select s.id from shipments s
    where s.account_id = $1 and s.stopped_at is not null)";
