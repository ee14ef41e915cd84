//! What was told, to whom, and whether it arrived.

pub(crate) mod body;
pub(crate) mod examples;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod redeliver;

use std::collections::HashMap;

use domain::ids::NotificationId;
use jsonapi::linkage;
use jsonapi::resource::webhook_notification::{View, render};
use store::notification::Notification;
use tracking::webhooks;

use crate::call::Reading;
use crate::failure::Failure;
use crate::plan;

/// The texts of these notifications, each with the attempts made so far.
fn texts(reading: &mut Reading<'_>, rows: &[Notification]) -> Result<Vec<String>, Failure> {
    let ids: Vec<NotificationId> = rows.iter().map(|row| row.id).collect();
    let mut attempts: HashMap<NotificationId, Vec<u32>> = HashMap::new();
    for (id, number) in store::delivery::attempt_numbers(&mut reading.account(), &ids)? {
        attempts.entry(id).or_default().push(number);
    }
    let made = |id| attempts.get(id).map_or(&[][..], Vec::as_slice);
    Ok(rows.iter().map(|row| text(row, made(&row.id))).collect())
}

/// What goes with the delivery of a notification; of it, to a plan that does not read tracking data, the request that it
/// is about.
fn carried(reading: &mut Reading<'_>, row: &Notification) -> Result<Vec<String>, Failure> {
    let account = reading.caller.account;
    let tracking = &reading.app.tracking;
    let mut carried = webhooks::carried(reading.tx, tracking, account, row)?;
    if !plan::reads(reading.caller, tracking.now()) {
        carried.retain(|text| {
            let about = linkage::identity(text).filter(|one| one.id == row.reference);
            about.is_some_and(|one| !plan::TRACKING_DATA.contains(&one.kind.as_str()))
        });
    }
    Ok(carried)
}

fn text(row: &Notification, attempts: &[u32]) -> String {
    render(&View {
        id: row.id,
        event: row.event,
        status: row.status,
        created_at: row.created_at,
        webhook: row.webhook,
        reference_type: &row.reference_type,
        reference: row.reference,
        version: row.version,
        attempts,
    })
}
