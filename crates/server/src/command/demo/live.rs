//! The demo to look at: the world runs on a fast clock, and every event is printed as it arrives.

use std::io::{IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use serde_json::{Value, json};

use super::line::Line;
use super::stage::Stage;
use crate::command::pipe;
use crate::command::serve::stopped_by_signal;
use crate::machine;

/// Real time between two looks at what is to be registered.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Runs it until the world has ended or a signal comes.
pub async fn run(mut stage: Stage, json: bool) -> Result<ExitCode> {
    if json {
        pipe::line(opening(&stage))?;
    } else {
        pipe::line(welcome(&stage))?;
    }
    let working = tokio::spawn(tracking::work::run(
        stage.tracking.clone(),
        stage.stop.clone(),
    ));
    let mut arrivals = stage.receiver.arrivals();
    let mut printed = 0;
    let mut stopped = std::pin::pin!(stopped_by_signal());
    while stage.tracking.now() < stage.world.ends_at() {
        stage.register_due().await?;
        tokio::select! {
            _ = arrivals.changed() => printed = print_new(&stage, printed, json),
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = &mut stopped => break,
        }
    }
    stage.stop.cancel();
    let _ = working.await;
    print_new(&stage, printed, json);
    stage.end().await;
    Ok(ExitCode::SUCCESS)
}

/// Where to look, as JSON.
pub fn opening(stage: &Stage) -> Value {
    let base = stage.client.base();
    json!({
        "base_url": base,
        "api_key": stage.client.key(),
        "dashboard_url": format!("{}/", base.trim_end_matches("/v2")),
    })
}

fn welcome(stage: &Stage) -> String {
    let base = stage.client.base();
    let key = stage.client.key();
    format!(
        "Quayside is tracking a simulated fleet. Look at it while it sails:\n\n  \
         curl -H 'Authorization: Token {key}' '{base}/containers?include=shipment'\n\n\
         Each line is a signed webhook; a receiver of the demo's own verified it (✓).\n\
         Times are the world's, in UTC. Ctrl-C ends it.\n"
    )
}

fn print_new(stage: &Stage, printed: usize, json: bool) -> usize {
    let fresh = stage.receiver.deliveries_after(printed);
    let mut out = std::io::stdout().lock();
    let (color, columns) = (out.is_terminal(), machine::columns());
    for delivery in fresh.iter().filter(|delivery| !delivery.repeat) {
        let line = Line::of(delivery);
        let text = if json {
            line.json()
        } else {
            line.pretty(color, columns)
        };
        // A reader that went away (`| head`) ends the demo's words, not its work.
        let _ = writeln!(out, "{text}");
    }
    printed + fresh.len()
}
