//! `quayside rekey`: another main key, for one that was seen by somebody or is as old as a rule allows.
//!
//! Where the key is a file in the data directory of an embedded store, the files are changed here, and what the key before
//! has sealed is sealed anew: at once, or by the service when it runs. Where the key is a setting, nobody but its owner can
//! change it: then a new key is printed with what to do. How the change itself goes stands at the head of
//! `tracking::main_key`.

use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Args;
use store::{OpenError, Store};
use tokio_util::sync::CancellationToken;
use tracking::MainKey;
use tracking::clock::{Clock as _, SystemClock};
use tracking::main_key::{self, FilesRefused, Round, Stage};

use super::serve::Signals;
use super::{pipe, progress};
use crate::config::Settings;
use crate::wire;

/// Change the main key.
#[derive(Debug, Args)]
pub struct Rekey {
    /// Print how far a change is; change nothing.
    #[arg(long)]
    status: bool,
}

/// What is to be done where the key is a setting, on standard error beside the new key.
const STEPS: [&str; 4] = [
    "this key is shown once: keep it, apart from the data. Each step on every node before the next, one node after the other:",
    "1. main_key stays, main_key_also is the new key; restart",
    "2. main_key is the new key, main_key_also the one before; restart. What that one has sealed is sealed anew",
    "3. when the log and `quayside rekey --status` say that the one before is no longer needed: take main_key_also away; restart",
];

/// Runs it. Exit code 1: it was stopped before its end, or a change is under way already.
pub async fn run(settings: &Settings, wanted: &Rekey) -> Result<ExitCode> {
    if wanted.status {
        let stage = wire::main_key::stage(settings, &wire::look_at(settings)?).await?;
        pipe::line(told(settings, stage))?;
        return Ok(ExitCode::SUCCESS);
    }
    // Before the store is opened, which can take long.
    let mut signals = Signals::heard()?;
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    tokio::spawn(async move {
        signals.stop().await;
        stopping.cancel();
    });
    // Who opens it brings it to this version's schema.
    wire::main_key::foresee(settings).await?;
    let own = own(settings)?;
    let looked_at = own.clone().map_or_else(|| wire::look_at(settings), Ok)?;
    let stage = wire::main_key::stage(settings, &looked_at).await?;
    match (stage, wire::main_key::also_file(settings)) {
        (Stage::Alone, Some(also)) if wire::embedded(settings).is_some() => {
            let main = wire::main_key::file(settings);
            main_key::change_files(&main, &also).map_err(|refusal| explained(settings, refusal))?;
            crate::log::say(format_args!(
                "a new main key is in {}, the one before in {}: back the new one up, apart from the data",
                main.display(),
                also.display()
            ));
        }
        (Stage::Alone, _) => {
            pipe::line(MainKey::draw())?;
            for step in STEPS {
                crate::log::say(format_args!("{step}"));
            }
            return Ok(ExitCode::SUCCESS);
        }
        // One that was stopped goes on.
        (Stage::UnderWay(_), _) if own.is_some() => {}
        _ => bail!("no other change is begun: {}", told(settings, stage)),
    }
    let Some(store) = own else {
        crate::log::say(format_args!(
            "restart the service: it seals anew what the key before has sealed, and its log says when {} is no longer needed",
            wire::main_key::also_place(settings)
        ));
        return Ok(ExitCode::SUCCESS);
    };
    seal_anew(settings, &store, &stop).await
}

async fn seal_anew(
    settings: &Settings,
    store: &Store,
    stop: &CancellationToken,
) -> Result<ExitCode> {
    let now = SystemClock.now();
    let vault = wire::main_key::open(settings, store, now).await?;
    let bar = progress::bar("sealing anew {pos}  {elapsed}");
    let sealing = main_key::advance(store, &vault, now, stop, |count| bar.set_position(count));
    let round = sealing.await?;
    bar.finish_and_clear();
    if let Round::Stopped(count) = round {
        pipe::line(format_args!(
            "stopped after {count} values; run it again, or start the service, to go on"
        ))?;
        return Ok(ExitCode::FAILURE);
    }
    if let Round::Over(count, lost) = round {
        pipe::line(format_args!(
            "sealed anew: {count}, opened by no key: {lost}"
        ))?;
    }
    let stage = wire::main_key::stage(settings, store).await?;
    crate::log::say(format_args!("{}", told(settings, stage)));
    Ok(ExitCode::SUCCESS)
}

/// How far a change is, and what is to be done.
pub fn told(settings: &Settings, stage: Stage) -> String {
    let also = wire::main_key::also_place(settings);
    match stage {
        Stage::Alone => "no change: there is one main key".into(),
        Stage::Prepared => {
            format!("prepared: no node seals with the key in {also} yet")
        }
        Stage::UnderWay(left) => {
            format!(
                "under way: {left} values are sealed with the older key; the service seals them anew"
            )
        }
        Stage::Over => format!(
            "done: nothing is sealed with the key in {also} any more: take it away, and keep it only as long as backups from \
             before the change"
        ),
    }
}

/// The embedded store, when no service has it open.
fn own(settings: &Settings) -> Result<Option<Store>> {
    if wire::embedded(settings).is_none() {
        return Ok(None);
    }
    match wire::open_store(settings) {
        Ok(store) => Ok(Some(store)),
        Err(error) => match error.downcast_ref::<OpenError>() {
            Some(OpenError::InUse { .. }) => Ok(None),
            _ => Err(error),
        },
    }
}

fn explained(settings: &Settings, refusal: FilesRefused) -> anyhow::Error {
    match refusal {
        FilesRefused::UnderWay => anyhow::anyhow!(
            "{} holds another key already: `quayside rekey --status` says what it is for",
            wire::main_key::also_place(settings)
        ),
        other => other.into(),
    }
}
