//! `quayside demo`: a simulated fleet, tracked through the same doors as a real one.
//!
//! The demo builds everything around the service that the world would: a carrier that speaks DCSA over HTTP,
//! a receiver that verifies both signatures with code of its own, an account that registers its fleet by POST.
//! The service between them is the one that `serve` runs. `--once` sets the clock by hand from one due time to
//! the next, so that three simulated months pass as fast as the machine goes and a run repeats line by line.

mod events;
mod feeds;
mod line;
mod live;
mod once;
mod stage;
mod truth;

use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;

use crate::command::serve::stopped_by_signal;
use crate::config::Settings;
use stage::Stage;

/// Flags of `demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Which world; the same seed is the same world.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the API listens (default: 127.0.0.1:8049, with --once any free port).
    #[arg(long, value_name = "ADDR")]
    listen: Option<SocketAddr>,
    /// How many simulated seconds pass in one.
    #[arg(long, default_value_t = SPEED_DEFAULT, value_name = "X")]
    speed: f64,
    /// Run the world to its end as fast as it goes, then check everything.
    #[arg(long)]
    once: bool,
    /// Run journeys of every kind through the service and check that every event is delivered whole.
    #[arg(long, conflicts_with_all = ["once", "json", "truth"])]
    events: bool,
    /// Draw so many journeys with all kinds of feed and print how much of them is told rightly.
    #[arg(long, value_name = "N", conflicts_with_all = ["once", "json", "listen"])]
    truth: Option<u64>,
    /// Only this journey of them, with every message.
    #[arg(long, value_name = "I", requires = "truth")]
    journey: Option<u64>,
    /// Print JSON: one line with addresses and key, then one line an event.
    #[arg(long)]
    json: bool,
}

impl Demo {
    /// Whether the clock is set by hand, from one due time to the next.
    fn by_hand(&self) -> bool {
        self.once || self.events
    }
}

/// Two simulated hours a second: something happens all the time, and an ocean crossing takes two minutes.
const SPEED_DEFAULT: f64 = 7_200.0;

/// Runs it.
pub async fn run(settings: Settings, demo: Demo) -> Result<ExitCode> {
    if let Some(journeys) = demo.truth {
        return truth::run(demo.seed, journeys, demo.journey);
    }
    let stage = Stage::build(settings, &demo).await?;
    if demo.events {
        return events::run(stage, demo.seed).await;
    }
    if demo.once {
        tokio::select! {
            code = once::run(stage, demo.json) => code,
            // What was built for the run goes with it.
            signal = stopped_by_signal() => {
                signal?;
                bail!("stopped before the world ended")
            }
        }
    } else {
        live::run(stage, demo.json).await
    }
}
