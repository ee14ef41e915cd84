//! `quayside replay`: reads everything that was kept again, with the parsers and profiles of today.
//!
//! Where nothing became better nothing changes. It can be stopped with Ctrl-C, or by anything else, and goes on
//! where it stopped when it is run again. On PostgreSQL a service may run meanwhile.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use domain::audit::Actor;
use store::replay::Stage;
use tokio_util::sync::CancellationToken;

use super::pipe;
use super::progress;
use super::serve::Signals;
use crate::config::Settings;
use crate::wire;

/// Read everything that was kept again.
#[derive(Debug, Args)]
pub struct Replay {
    /// Begin anew, also when an earlier replay has not ended.
    #[arg(long)]
    anew: bool,
}

/// Runs it. Exit code 1: it was stopped before its end.
pub async fn run(settings: &Settings, replay: &Replay) -> Result<ExitCode> {
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    // Before the store is opened, which can take long.
    let mut signals = Signals::heard()?;
    tokio::spawn(async move {
        signals.stop().await;
        stopping.cancel();
    });
    let tracking = wire::service(settings).await?.by(Actor::Operator);
    let bar = progress::bar("{msg} {wide_bar} {pos}/{len}  {eta}");
    // Unknown when an earlier run had read them all.
    let mut read = None;
    let told = tracking::replay::replay(&tracking, replay.anew, &stop, |step| {
        if step.stage == Stage::Reading {
            read = Some(step.done);
        }
        match step.total {
            0 => bar.unset_length(),
            total => bar.set_length(total),
        }
        bar.set_position(step.done);
        bar.set_message(step.stage.as_str());
    });
    let ended = told.await?;
    bar.finish_and_clear();
    if ended.ended_at.is_none() {
        let (stage, done) = (ended.stage.as_str(), ended.done);
        let of = match ended.total {
            0 => String::new(),
            total => format!(" of {total}"),
        };
        pipe::line(format_args!(
            "stopped at {stage} {done}{of}; run it again to go on"
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    if ended.passed > 0 {
        pipe::line(format_args!(
            "messages that could not be read again: {}; they stand in quarantine, and what was read of them before stays",
            ended.passed
        ))?;
    }
    if ended.unshown > 0 {
        pipe::line(format_args!(
            "records that could not be brought up to date: {}; the log names them, and they stay as they were",
            ended.unshown
        ))?;
    }
    pipe::line(summary(read, ended.gone, ended.found))?;
    Ok(ExitCode::SUCCESS)
}

/// What it came to.
fn summary(messages: Option<u64>, gone: u64, found: u64) -> String {
    let read = match messages {
        Some(messages) => format!("messages read again: {messages}; "),
        None => String::new(),
    };
    if gone + found == 0 {
        return format!("{read}every reading is as it was");
    }
    format!("{read}readings taken back: {gone}, new ones: {found}")
}
