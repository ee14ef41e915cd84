use super::Row;
use crate::planted::Planted;

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "list_webhook_notifications" => Row::bare(),
        "get_webhook_notification_example" => Row::bare().query("?event=container.created"),
        "list_webhook_notification_logs"
        | "get_webhook_notification_body"
        | "redeliver_webhook_notification"
        | "get_webhook_notification" => Row::of(planted.notification),
        _ => return None,
    })
}
