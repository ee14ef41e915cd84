//! What was told, to whom, and whether it arrived.

pub(crate) mod get;
pub(crate) mod list;

use jsonapi::resource::webhook_notification::{View, render};
use store::notification::Notification;

fn text(row: &Notification) -> String {
    render(&View {
        id: row.id,
        event: row.event,
        status: row.status,
        created_at: row.created_at,
        webhook: row.webhook,
        reference_type: &row.reference_type,
        reference: row.reference,
        version: row.version,
    })
}
