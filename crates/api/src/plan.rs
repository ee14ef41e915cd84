//! What a plan lets a caller see.
//!
//! *Tracking data* is what is known of the caller's freight: shipments, containers, and all that hangs below
//! them. An account whose plan does not read it may still ask for numbers to be tracked, see how those
//! requests fare and keep webhooks. So the operations that answer with tracking data are closed as a whole
//! ([`Gate::TrackingData`](crate::operation::Gate)), those that change such a record included, because they
//! answer with it; and where an open operation would bring tracking data along, it is left out when nobody
//! asked for it and refused when somebody did: an answer without what was asked for would read as if there
//! were nothing.

use domain::account::{self, Feature};
use jiff::Timestamp;
use jsonapi::query::Query;
use tracking::access::Caller;

use crate::failure::Failure;
use crate::operation::{Gate, Needs};

/// Types that are tracking data.
pub(crate) const TRACKING_DATA: &[&str] = &[
    "shipment",
    "container",
    "transport_event",
    "estimated_event",
    "container_updated_event",
    "container_created_event",
    "container_pod_terminal_changed_event",
    "raw_event",
    "route",
    "route_location",
];

/// Judges a call before anything of it is read.
pub(crate) fn admit(
    caller: &Caller,
    needs: Needs,
    gate: Gate,
    now: Timestamp,
) -> Result<(), Failure> {
    permit(caller, needs)?;
    match gate {
        Gate::Open => Ok(()),
        Gate::TrackingData => read(caller, now),
        Gate::Feature(feature) => {
            require(caller, feature)?;
            read(caller, now)
        }
    }
}

/// Refuses accounts that have this feature off.
pub(crate) fn require(caller: &Caller, feature: Feature) -> Result<(), Failure> {
    if account::enabled(&caller.features, feature) {
        Ok(())
    } else {
        Err(Failure::FeatureOff(feature))
    }
}

/// Whether resources of this type may be brought along.
pub(crate) fn may_include(
    caller: &Caller,
    kind: &str,
    query: &Query,
    now: Timestamp,
) -> Result<bool, Failure> {
    if !TRACKING_DATA.contains(&kind) || reads(caller, now) {
        Ok(true)
    } else if query.asks_include {
        Err(Failure::PlanDoesNotRead)
    } else {
        Ok(false)
    }
}

/// Whether the caller's plan reads tracking data.
pub(crate) fn reads(caller: &Caller, now: Timestamp) -> bool {
    caller.plan.reads(caller.plan_since, now)
}

fn read(caller: &Caller, now: Timestamp) -> Result<(), Failure> {
    if reads(caller, now) {
        Ok(())
    } else {
        Err(Failure::PlanDoesNotRead)
    }
}

fn permit(caller: &Caller, needs: Needs) -> Result<(), Failure> {
    let permitted = match needs {
        Needs::Show => caller.permissions.show,
        Needs::Update => caller.permissions.update,
    };
    if permitted {
        Ok(())
    } else {
        Err(Failure::NotPermitted(needs))
    }
}
