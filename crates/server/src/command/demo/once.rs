//! `--once`: the world to its end as fast as it goes, and then the reckoning.

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result};
use indicatif::{ProgressBar, ProgressStyle};
use jiff::{SignedDuration, Timestamp, Unit};
use simulator::check::{self, Standing};

use super::line::Line;
use super::stage::Stage;

/// The clock moves at least this far at a time, so that watches that fall due together are asked together.
const STEP: SignedDuration = SignedDuration::from_mins(10);
/// After the world's end the service listens on for late corrections; past this it should be at rest.
const REST_AFTER: SignedDuration = SignedDuration::from_hours(24 * 30);
/// Real time in which the last deliveries must have come in.
const ARRIVAL_MAX: Duration = Duration::from_secs(10);

/// Runs it. The exit code is 1 when anything is missing, unverified or untrue.
pub async fn run(mut stage: Stage, json: bool) -> Result<ExitCode> {
    if json {
        println!("{}", super::live::opening(&stage));
    }
    let bar = progress(&stage);
    let mut printed = 0;
    loop {
        stage.register_due().await?;
        let due = tracking::work::drain(&stage.tracking).await?;
        printed = print_new(&stage, printed, json, &bar);
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
fn print_new(stage: &Stage, printed: usize, json: bool, bar: &ProgressBar) -> usize {
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
                line.pretty(std::io::stdout().is_terminal())
            }
        })
        .collect();
    lines.sort();
    bar.suspend(|| lines.iter().for_each(|line| println!("{line}")));
    printed + count
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
    wrong
        .iter()
        .for_each(|sentence| eprintln!("wrong: {sentence}"));
    let mut summary = check::summary(truth, &deliveries);
    summary.wrong = wrong.len();
    if json {
        eprintln!("{summary}")
    } else {
        println!("{summary}")
    }
    let unverified = summary.deliveries - summary.verified;
    Ok(ExitCode::from(u8::from(
        summary.wrong + unverified > 0 || summary.deliveries == 0,
    )))
}

/// What stands at the end, read over the API.
async fn standing(stage: &Stage) -> Result<Vec<Standing>> {
    let mut stands = Vec::new();
    let mut page = 1;
    loop {
        let path = format!("/containers?page[number]={page}&page[size]=100");
        let containers = stage.client.get(&path).await?;
        for container in containers["data"].as_array().into_iter().flatten() {
            stands.extend(events_of(stage, container).await?);
        }
        if containers["links"]["next"].is_null() {
            return Ok(stands);
        }
        page += 1;
    }
}

async fn events_of(stage: &Stage, container: &serde_json::Value) -> Result<Vec<Standing>> {
    let id = container["id"].as_str().unwrap_or_default();
    let number = container["attributes"]["number"]
        .as_str()
        .unwrap_or_default();
    let path = format!("/containers/{id}/transport_events?page[size]=100");
    let events = stage.client.get(&path).await?;
    let standing = events["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|event| &event["attributes"]);
    let standing = standing.filter(|attributes| attributes["invalidated_at"].is_null());
    Ok(standing
        .map(|attributes| Standing {
            container: number.to_owned(),
            event: attributes["event"].as_str().unwrap_or_default().to_owned(),
            at: attributes["timestamp"]
                .as_str()
                .and_then(|text| text.parse().ok()),
            place: attributes["location_locode"]
                .as_str()
                .map(ToOwned::to_owned),
        })
        .collect())
}

fn rounded_up(at: Timestamp) -> Timestamp {
    let step = STEP.as_secs();
    let over = at.as_second().rem_euclid(step);
    let whole = at.round(Unit::Second).unwrap_or(at);
    if over == 0 {
        whole
    } else {
        whole + SignedDuration::from_secs(step - over)
    }
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
