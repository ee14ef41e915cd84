//! `--once`: the world to its end as fast as it goes, and then the reckoning.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use simulator::check::{self, Standing};

use super::line::Line;
use super::stage::Stage;
use crate::command::document::{at, list, text};
use crate::command::pipe;
use crate::machine;

/// The clock moves at least this far at a time, so that watches that fall due together are asked together.
const STEP: SignedDuration = SignedDuration::from_mins(10);
/// After the world's end the service listens on for late corrections; past this it should be at rest.
const REST_AFTER: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Real time in which the last deliveries must have come in.
const ARRIVAL_MAX: Duration = Duration::from_secs(10);

/// Runs it. The exit code is 1 when anything is missing, unverified or untrue.
pub async fn run(mut stage: Stage, json: bool) -> Result<ExitCode> {
    if json {
        pipe::line(super::live::opening(&stage))?;
    }
    let bar = progress(&stage);
    let mut printed = 0;
    loop {
        stage.register_due().await?;
        let due = tracking::work::drain(&stage.tracking).await?;
        printed = print_new(&stage, printed, json, &bar)?;
        let now = stage.tracking.now();
        let next = [due, stage.next_registration()].into_iter().flatten().min();
        let Some(next) = next.filter(|_| now < stage.world.ends_at() + REST_AFTER) else {
            break;
        };
        let next = rounded_up(next.max(now + SignedDuration::from_secs(1)));
        stage
            .manual
            .as_ref()
            .context("--once has a clock set by hand")?
            .advance_to(next);
        bar.set_position(days(&stage, next));
    }
    bar.finish_and_clear();
    let code = reckon(&stage, json).await?;
    stage.end().await;
    Ok(code)
}

/// Prints what arrived since the last step, sorted: deliveries of different boxes race each other.
fn print_new(stage: &Stage, printed: usize, json: bool, bar: &ProgressBar) -> Result<usize> {
    let fresh = stage.receiver.deliveries_after(printed);
    let count = fresh.len();
    let lines = fresh
        .iter()
        .filter(|delivery| !delivery.repeat)
        .map(Line::of);
    let mut lines: Vec<String> = lines
        .map(|line| {
            if json {
                line.json()
            } else {
                line.pretty(std::io::stdout().is_terminal(), machine::columns())
            }
        })
        .collect();
    lines.sort();
    bar.suspend(|| lines.iter().try_for_each(pipe::line))?;
    Ok(printed + count)
}

async fn reckon(stage: &Stage, json: bool) -> Result<ExitCode> {
    let truth = stage.world.truth();
    let deliveries = stage.receiver.deliveries();
    let mut wrong = check::contradictions(truth, &deliveries);
    wrong.extend(check::standing(truth, &standing(stage).await?));
    let open = stage
        .tracking
        .store()
        .read(store::delivery::open_count)
        .await?;
    if open > 0 {
        wrong.push(format!(
            "{open} deliveries are still open after {ARRIVAL_MAX:?} of rest"
        ));
    }
    for sentence in &wrong {
        pipe::note(format_args!("wrong: {sentence}"));
    }
    let mut summary = check::summary(truth, &deliveries);
    summary.wrong = wrong.len();
    if json {
        pipe::note(summary);
    } else {
        pipe::line(summary)?;
    }
    let unverified = summary.deliveries - summary.verified;
    Ok(ExitCode::from(u8::from(
        summary.wrong + unverified > 0 || summary.deliveries == 0,
    )))
}

/// What stands at the end, read over the API.
async fn standing(stage: &Stage) -> Result<Vec<Standing>> {
    let mut stands = Vec::new();
    for page in 1_u32.. {
        let path = format!("/containers?page[number]={page}&page[size]=100");
        let containers = stage.client.get(&path).await?;
        for container in list(&containers, "/data") {
            stands.extend(events_of(stage, container).await?);
        }
        if at(&containers, "/links/next").is_null() {
            break;
        }
    }
    Ok(stands)
}

async fn events_of(stage: &Stage, container: &Value) -> Result<Vec<Standing>> {
    let id = text(container, "/id").unwrap_or_default();
    let number = text(container, "/attributes/number").unwrap_or_default();
    let path = format!("/containers/{id}/transport_events?page[size]=100");
    let events = stage.client.get(&path).await?;
    let standing = list(&events, "/data")
        .iter()
        .filter(|event| at(event, "/attributes/invalidated_at").is_null());
    Ok(standing.map(|event| stand(&number, event)).collect())
}

fn stand(container: &str, event: &Value) -> Standing {
    Standing {
        container: container.to_owned(),
        event: text(event, "/attributes/event").unwrap_or_default(),
        at: text(event, "/attributes/timestamp").and_then(|text| text.parse().ok()),
        place: text(event, "/attributes/location_locode"),
    }
}

fn rounded_up(at: Timestamp) -> Timestamp {
    let step = STEP.as_secs();
    let steps = at.as_second().div_euclid(step) + 1;
    Timestamp::from_second(steps * step).unwrap_or(at)
}

fn progress(stage: &Stage) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(days(stage, stage.world.ends_at()));
    let style = ProgressStyle::with_template("{bar:40} day {pos} of {len}, {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar
}

fn days(stage: &Stage, at: Timestamp) -> u64 {
    u64::try_from(at.duration_since(stage.world.starts_at()).as_hours() / 24).unwrap_or(0)
}
