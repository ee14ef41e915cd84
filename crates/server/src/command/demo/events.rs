//! `--events`: whether every public event leaves the house whole.
//!
//! One journey of each kind, told by every kind of feed, goes through the service as it runs: requests over its
//! API, messages through its intake, the clock set by hand, and at the end of the road a receiver that keeps its
//! own log. The line is asked too and knows nothing: all it has to say it sends. What the receiver was told is
//! then held against the list of events and of what belongs to each.

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use domain::codes::ContainerNumber;
use domain::place::Gazetteer;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use simulator::feeds::{self, Case, Feed, SCENARIOS};
use simulator::{Bill, World, check};
use sources::Profile;
use sources::registry::Registry;
use tracking::intake::{Message, receive};

use super::feeds::profile;
use super::stage::Stage;
use crate::command::pipe;

/// The line of the journeys.
pub const LINE: &str = "heron";
const SCAC: &str = "HRNS";
/// The clock moves at least this far at a time.
const STEP: SignedDuration = SignedDuration::from_mins(30);
/// A booking is registered this long before anybody says a word.
const REGISTERED_BEFORE: SignedDuration = SignedDuration::from_hours(5);
/// The second box of a bill is named this long after all is said about the first.
const JOINS_AFTER: SignedDuration = SignedDuration::from_hours(3);

/// What speaks in the journeys, and the line as somebody who can be asked.
pub fn profiles(world: &World, carrier: &str) -> Result<Vec<Profile>> {
    let registry = Registry::load(&[])?;
    let others = told().into_iter().filter(|feed| *feed != Feed::Line);
    let mut profiles: Vec<Profile> = others
        .map(|feed| profile(feed, registry.gazetteer()))
        .collect::<Result<_>>()?;
    let asked = world
        .profile_toml(carrier)
        .replace("larkspur", LINE)
        .replace("Larkspur", "Heron")
        .replace(world.scac(), SCAC)
        .replace(
            "[polling]",
            "[polling]\nin_transit_minutes = 10080\nnear_arrival_minutes = 10080",
        );
    let line = Profile::parse(&asked);
    profiles.push(line.map_err(|error| anyhow::anyhow!("the line's profile: {error}"))?);
    Ok(profiles)
}

/// The feeds: all, but for the line's second interface.
fn told() -> Vec<Feed> {
    let mut feeds = Feed::ALL.to_vec();
    feeds.retain(|feed| *feed != Feed::LineNext);
    feeds
}

/// Something that happens around the service.
enum Step {
    /// A number is registered.
    Track(NumberKind, String),
    /// A message comes in.
    Told(Feed, Vec<u8>),
}

/// Runs it. The exit code is 1 when an event was not delivered, or not whole.
pub async fn run(stage: Stage, seed: u64) -> Result<ExitCode> {
    let registry = Registry::load(&[])?;
    let mut steps = script(seed, &stage)?;
    let count = steps.len();
    let manual = stage
        .manual
        .as_ref()
        .context("--events has a clock set by hand")?;
    steps.reverse();
    while let Some((at, _)) = steps.last() {
        manual.advance_to((*at).max(stage.tracking.now()));
        let until = stage.tracking.now() + STEP;
        while let Some((_, step)) = steps.pop_if(|(at, _)| *at <= until) {
            take(&stage, step, registry.gazetteer()).await?;
        }
        manual.advance_to(until);
        tracking::work::drain(&stage.tracking).await?;
    }
    let deliveries = stage.receiver.deliveries();
    let gaps = check::gaps(&deliveries);
    for gap in &gaps {
        pipe::line(format_args!("gap: {gap}"))?;
    }
    let names: std::collections::BTreeSet<&str> = deliveries
        .iter()
        .map(|delivery| delivery.event.as_str())
        .collect();
    pipe::line(format_args!(
        "{count} requests and messages, {} deliveries, {} different events, {} gaps, seed {seed}",
        deliveries.len(),
        names.len(),
        gaps.len()
    ))?;
    stage.end().await;
    Ok(ExitCode::from(u8::from(!gaps.is_empty())))
}

async fn take(stage: &Stage, step: Step, gazetteer: &Gazetteer) -> Result<()> {
    match step {
        Step::Track(kind, number) => {
            let bill = Bill {
                number,
                kind,
                containers: Vec::new(),
                known_from: stage.tracking.now(),
            };
            stage.client.track(&bill, SCAC).await
        }
        Step::Told(feed, bytes) => {
            let source = profile(feed, gazetteer)?.id().to_owned();
            let message = Message {
                source,
                account: None,
                content_type: String::new(),
                bytes,
            };
            receive(&stage.tracking, message).await?;
            Ok(())
        }
    }
}

/// Everything that happens, in its order: one journey of each kind, a number that nobody knows, and a box that
/// joins a bill.
fn script(seed: u64, stage: &Stage) -> Result<Vec<(Timestamp, Step)>> {
    let mut steps = Vec::new();
    let mut joins = None;
    let nobody = ContainerNumber::parse("HRNU999999")?.to_string();
    let begins = stage.world.starts_at();
    steps.push((begins, Step::Track(NumberKind::Container, nobody)));
    for index in 0..u64::try_from(SCENARIOS.len())? {
        let case = feeds::case(seed, index, &told()).context("a journey cannot be drawn")?;
        let Some(first) = case.messages.first().map(|message| message.received_at) else {
            continue;
        };
        let at = (first - REGISTERED_BEFORE).max(begins);
        let booking = case.booking.clone();
        steps.push((at, Step::Track(NumberKind::Booking, booking)));
        joins = joins.or_else(|| joining(&case));
        let messages = case.messages.into_iter();
        steps.extend(messages.map(|m| (m.received_at, Step::Told(m.feed, m.bytes))));
    }
    steps.extend(joins);
    steps.sort_by_key(|(at, _)| *at);
    Ok(steps)
}

/// The line names a second box under the same booking, in the words it had for the first.
fn joining(case: &Case) -> Option<(Timestamp, Step)> {
    let last = case.messages.last()?.received_at;
    let mut line = case.messages.iter().filter(|m| m.feed == Feed::Line);
    let other = ContainerNumber::parse("HRNU888888").ok()?.to_string();
    let number = case.number.to_string();
    let text = line.rfind(|m| String::from_utf8_lossy(&m.bytes).contains("equipmentReference"))?;
    let text = String::from_utf8_lossy(&text.bytes).replace(&number, &other);
    let bytes = text
        .replace("\"eventID\":\"", "\"eventID\":\"second-")
        .into_bytes();
    Some((last + JOINS_AFTER, Step::Told(Feed::Line, bytes)))
}
