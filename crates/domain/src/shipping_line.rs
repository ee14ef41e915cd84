//! Shipping lines: who carries, and which kinds of number they answer to.

use crate::codes::Scac;
use crate::tracking_request::NumberKind;

/// An ocean carrier (VOCC).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippingLine {
    /// Its main code.
    pub scac: Scac,
    /// Full name.
    pub name: String,
    /// What people call it.
    pub short_name: String,
    /// Other codes that mean the same line.
    pub alternative_scacs: Vec<Scac>,
    /// Whether it answers to bills of lading.
    pub bill_of_lading_support: bool,
    /// Whether it answers to booking numbers.
    pub booking_support: bool,
    /// Whether it answers to container numbers.
    pub container_support: bool,
    /// Prefixes its bills of lading begin with.
    pub bill_of_lading_prefixes: Vec<String>,
    /// Prefixes of the containers it owns (who owns a box need not carry it).
    pub container_owner_prefixes: Vec<String>,
    /// What it is known not to report, by attribute of a container (`seal_number`); `None` when nothing is
    /// known of its habits.
    pub not_provided: Option<Vec<String>>,
}

impl ShippingLine {
    /// Whether the line answers to numbers of this kind.
    pub fn supports(&self, kind: NumberKind) -> bool {
        match kind {
            NumberKind::BillOfLading => self.bill_of_lading_support,
            NumberKind::Booking => self.booking_support,
            NumberKind::Container => self.container_support,
        }
    }
}
