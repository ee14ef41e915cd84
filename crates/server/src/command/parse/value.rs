//! What a report says beside that something happened, as JSON.

use domain::container::{Fee, Hold};
use domain::report::{Value as Said, Withdrawal};
use serde_json::{Value, json};

use super::report::lower;

/// The value of a report. An operator who looks at a mapping sees by it whether the day, the sum and the hold are those of the file.
pub fn json(said: &Said) -> Value {
    match said {
        Said::Hold(one) | Said::HoldOfItsOwn(one) => json!({ "hold": hold(one) }),
        Said::Release(name, text) => json!({ "released": name.map(|n| lower(&n)), "text": text }),
        Said::Lifted(name, text) => json!({ "released": lower(name), "text": text }),
        Said::Holds(all) => json!({ "holds": all.iter().map(hold).collect::<Vec<_>>() }),
        Said::Fee(one) => json!({ "fee": fee(one) }),
        Said::Fees(all) => json!({ "fees": all.iter().map(fee).collect::<Vec<_>>() }),
        Said::LastFreeDay(owner, day) => json!({
            "last_free_day": day.date.to_string(),
            "of": lower(owner),
            "zone": day.zone,
        }),
        Said::Appointment(at) => json!({ "appointment": at.to_string() }),
        Said::NoAppointment => json!({ "appointment": null }),
        Said::AvailabilityUnclear => json!({ "available": null }),
        Said::YardLocation(place) => json!({ "yard_location": place }),
        Said::Chassis(number) => json!({ "chassis": number }),
        Said::BookingCancelled => json!({ "booking": "cancelled" }),
        Said::BookingConfirmed => json!({ "booking": "confirmed" }),
        Said::LoadCancelled => json!({ "load": "cancelled" }),
        Said::Withdraws(what) => withdrawal(what),
    }
}

fn hold(hold: &Hold) -> Value {
    json!({
        "name": lower(&hold.name),
        "status": lower(&hold.status),
        "description": hold.description,
    })
}

/// An amount that is not posted is `null`.
fn fee(fee: &Fee) -> Value {
    json!({
        "type": lower(&fee.kind),
        "amount": fee.amount.map(|amount| amount.to_string()),
        "currency_code": fee.currency,
    })
}

fn withdrawal(what: &Withdrawal) -> Value {
    json!({ "withdraws": {
        "reference": what.reference,
        "date": what.date.map(|date| date.to_string()),
        "original": what.original,
        "replaced": what.replaced,
    }})
}
