use serde_json::json;

use super::Row;
use crate::planted::Planted;

const KIND: &str = "webhook";

pub fn row(operation: &str, planted: &Planted) -> Option<Row> {
    Some(match operation {
        "create_webhook" => Row::bare().attributes(
            KIND,
            json!({"url": "https://hooks.example/other", "events": ["container.updated"]}),
        ),
        "list_webhooks" | "list_webhook_ips" => Row::bare(),
        "list_webhook_redeliveries"
        | "get_webhook"
        | "delete_webhook"
        | "rotate_webhook_secret" => Row::of(planted.webhook),
        "list_webhook_events" => Row::bare().shared(),
        "trigger_webhook" => Row::bare().body(json!({
            "url": "https://10.0.0.1/in", "event": "container.updated",
        })),
        "redeliver_webhook" => Row::of(planted.webhook).body(json!({
            "from": "2026-02-01T00:00:00Z", "to": "2026-03-02T00:00:00Z",
        })),
        "update_webhook" => Row::of(planted.webhook).attributes(KIND, json!({"active": false})),
        _ => return None,
    })
}
