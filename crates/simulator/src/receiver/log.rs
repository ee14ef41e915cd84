//! The receiver's own record on disk: what is answered was written and synced before.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::Delivery;

#[derive(Debug)]
pub(super) struct Log(File);

impl Log {
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map(Self)
    }

    pub(super) fn append(&mut self, delivery: &Delivery) -> std::io::Result<()> {
        let faults: Vec<String> = delivery.faults.iter().map(ToString::to_string).collect();
        let line = json!({
            "notification_id": delivery.notification_id,
            "event": delivery.event,
            "received_at": delivery.received_at.to_string(),
            "verified": delivery.verified,
            "faults": faults,
            "repeat": delivery.repeat,
            "answered": delivery.answered,
            "body": delivery.body,
        });
        self.0.write_all(format!("{line}\n").as_bytes())?;
        self.0.sync_data()
    }
}
