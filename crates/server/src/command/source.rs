//! `quayside source list`, `source pause ID`, `source resume ID`: how the sources are doing, and leaving one alone. A
//! running service tells the same at `GET /v2/sources`.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use domain::audit::Actor;
use jiff::Timestamp;
use tracking::source_state::{self, SourceState};

use super::quarantine::{self, Quarantine};
use super::{columns, pipe};
use crate::config::Settings;
use crate::wire;

/// What can be done with sources.
#[derive(Debug, Subcommand)]
pub enum SourceCommand {
    /// List sources, one a line: id, protocol, state, last success, lag in seconds, errors by class, unmapped
    /// reports, messages in quarantine, how often something of a message could not be used, and where that was last.
    List,
    /// Leave a source alone until it is resumed.
    Pause(Pause),
    /// Ask a paused or broken source again.
    Resume {
        /// Its id.
        id: String,
    },
    /// Show what could not be read of a source, one message a line, the newest first: id, when it came, why.
    Quarantine(Quarantine),
}

/// Leave a source alone.
#[derive(Debug, Args)]
pub struct Pause {
    /// Its id.
    id: String,
    /// Why, for whoever asks later.
    #[arg(long, default_value = "")]
    reason: String,
}

/// Runs it.
pub async fn run(settings: &Settings, command: SourceCommand) -> Result<()> {
    let tracking = wire::service(settings).await?.by(Actor::Operator);
    let (id, known) = match command {
        SourceCommand::List => return list(&tracking).await,
        SourceCommand::Quarantine(wanted) => return quarantine::run(&tracking, wanted).await,
        SourceCommand::Pause(Pause { id, reason }) => {
            let known = source_state::pause(&tracking, &id, &reason).await?;
            (id, known)
        }
        SourceCommand::Resume { id } => {
            let known = source_state::resume(&tracking, &id).await?;
            (id, known)
        }
    };
    if !known {
        bail!("there is no source {id:?} in sources.dir");
    }
    pipe::line(id)
}

async fn list(tracking: &tracking::Tracking) -> Result<()> {
    let (shared, now) = (tracking.clone(), tracking.now());
    let reading = tracking.store().read(move |tx| {
        let states = source_state::all(tx, &shared, now)?;
        let rows = states.iter().map(|state| row(state, now));
        Ok::<_, store::Error>(rows.collect::<Vec<_>>())
    });
    let headings = [
        "ID",
        "PROTOCOL",
        "STATE",
        "LAST SUCCESS",
        "LAG (S)",
        "ERRORS",
        "UNMAPPED",
        "QUARANTINE",
        "DEFECTS",
        "LAST DEFECT",
    ];
    columns::print(&headings, &reading.await?)
}

fn row(state: &SourceState<'_>, now: Timestamp) -> Vec<String> {
    let standing = &state.standing;
    let met = standing.troubles.iter();
    let errors: Vec<String> = met
        .map(|(class, tally)| format!("{}={}", class.as_str(), tally.count))
        .collect();
    let last = standing.last_success();
    vec![
        state.source.id().to_owned(),
        state.source.protocol().to_owned(),
        state.condition(now).as_str().to_owned(),
        last.map_or("-".to_owned(), |at| format!("{at:.0}")),
        state.lag_seconds(now).to_string(),
        if errors.is_empty() {
            "-".to_owned()
        } else {
            errors.join(",")
        },
        state.backlog.unmapped.to_string(),
        state.backlog.quarantined.to_string(),
        state.backlog.defects.to_string(),
        state.defects.first().map_or("-".to_owned(), |last| {
            format!("{:.0} {}", last.last_at, last.place)
        }),
    ]
}
