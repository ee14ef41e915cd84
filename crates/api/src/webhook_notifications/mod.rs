//! What was told, to whom, and whether it arrived.

pub(crate) mod body;
pub(crate) mod examples;
pub(crate) mod get;
pub(crate) mod list;
pub(crate) mod logs;
pub(crate) mod redeliver;

use std::collections::HashMap;

use domain::ids::NotificationId;
use jsonapi::resource::webhook_notification::{View, render};
use store::notification::Notification;

use crate::call::Reading;
use crate::failure::Failure;

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
