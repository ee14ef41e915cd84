//! `quayside`: container tracking on your own machine.

mod command;
mod config;
mod log;
mod machine;
mod metrics;
mod wire;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use config::{Overrides, Role, Settings, SettingsInvalid};
use store::OpenError;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Exit codes, as in `docs/operating.md`.
mod exit {
    /// Something went wrong while working.
    pub const FAILED: u8 = 1;
    /// A flag or argument is wrong, as clap says it.
    pub const WRONG_USE: u8 = 2;
    /// The database file cannot be trusted: as the store itself ends the process when it finds that.
    pub const STORE: u8 = 70;
    /// The settings cannot be used (EX_CONFIG).
    pub const SETTINGS: u8 = 78;
}

/// A command that the settings leave nothing to do for; the sentence says what does it instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct WrongUse(&'static str);

/// Container tracking on your own machine.
#[derive(Debug, Parser)]
#[command(name = "quayside", version, about, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command that opens a store.
#[derive(Debug, Args)]
struct Common {
    /// File with settings (default: quayside.toml here, when there is one).
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Where the embedded store lives; not of the demo, which makes its own.
    #[arg(long, global = true, value_name = "DIR")]
    data_dir: Option<String>,
    /// postgres://…, instead of the embedded store.
    #[arg(long, global = true, value_name = "URL")]
    database: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve the API and do the work.
    Serve {
        /// Where to listen.
        #[arg(long, value_name = "ADDR")]
        listen: Option<String>,
        /// What this node does.
        #[arg(long)]
        role: Option<Role>,
    },
    /// Watch a simulated fleet become shipments, containers, events and signed deliveries.
    Demo(command::demo::Demo),
    /// Accounts.
    #[command(subcommand)]
    Account(command::account::AccountCommand),
    /// API keys.
    #[command(subcommand)]
    Key(command::key::KeyCommand),
    /// Who changed what, and whether the record of it is whole.
    #[command(subcommand)]
    Audit(command::audit::AuditCommand),
    /// Track a number and watch its timeline grow.
    Track(command::track::Track),
    /// Receive this account's notifications here, without a tunnel.
    Listen(command::listen::Listen),
    /// Sources: how they are doing, pausing and resuming.
    #[command(subcommand)]
    Source(command::source::SourceCommand),
    /// Schemas of documents.
    #[command(subcommand)]
    DocumentSchema(command::document_schema::DocumentSchemaCommand),
    /// Read carriers' messages without a server and without a store.
    Parse(command::parse::Parse),
    /// Take in files of a source.
    Import(command::import::Import),
    /// Read everything that was kept again.
    Replay(command::replay::Replay),
    /// Change the main key, while the service runs or not.
    Rekey(command::rekey::Rekey),
    /// Bring the store to this version's schema.
    Migrate,
    /// Look whether settings, sources, store, main key and disk are in order; changes nothing. Exit code 1: something is bad.
    Check(command::check::Check),
    /// Copy the embedded store into a new file, while the service runs.
    Backup(command::backup::Backup),
    /// Put a copy in the place of the embedded store, which is set aside.
    Restore(command::restore::Restore),
    /// Settings.
    #[command(subcommand)]
    Config(ConfigCommand),
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print the settings in force, secrets replaced.
    Show,
}

/// Flags of every command are not weighed against a command by clap. The demo does not take the operator's folder: its
/// clock and its fleet are made up, and what they leave behind would be served as if it had happened.
fn judged(cli: Cli) -> Result<Cli, clap::Error> {
    if matches!(cli.command, Command::Demo(_)) && cli.common.data_dir.is_some() {
        return Err(Cli::command().error(ErrorKind::ArgumentConflict, DEMO_HAS_ITS_OWN));
    }
    Ok(cli)
}

const DEMO_HAS_ITS_OWN: &str =
    "demo keeps its world in a folder of its own, which goes with it: leave --data-dir out";

fn main() -> ExitCode {
    let cli = judged(Cli::parse()).unwrap_or_else(|error| error.exit());
    match start(cli) {
        Ok(code) => code,
        Err(error) => {
            // One line: what, where, why. The alternate form joins the causes.
            log::say(format_args!("quayside: {error:#}"));
            ExitCode::from(if error.downcast_ref::<SettingsInvalid>().is_some() {
                exit::SETTINGS
            } else if error.downcast_ref::<WrongUse>().is_some() {
                exit::WRONG_USE
            } else if let Some(OpenError::Gone { .. } | OpenError::Emptied { .. }) =
                error.downcast_ref::<OpenError>()
            {
                exit::STORE
            } else {
                exit::FAILED
            })
        }
    }
}

fn start(cli: Cli) -> anyhow::Result<ExitCode> {
    let settings = Settings::load(
        cli.common.config.as_deref(),
        config::of_process()?
            .into_iter()
            .filter(|(name, _)| name != command::track::KEY_VARIABLE),
        overrides(&cli.common, &cli.command),
    )?;
    let _log = log::begin(&filter(&settings, &cli.command));
    if works_on_what_is_there(&cli.command) {
        wire::begun(&settings)?;
    }
    match cli.command {
        Command::Parse(parse) => command::parse::run(&parse).map(|()| ExitCode::SUCCESS),
        Command::Config(ConfigCommand::Show) => {
            command::config_show::run(&settings).map(|()| ExitCode::SUCCESS)
        }
        other => {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()?;
            let done = runtime.block_on(serve_or_ask(settings, other));
            runtime.shutdown_timeout(std::time::Duration::from_secs(1));
            done
        }
    }
}

/// Whether a command has nothing to do in an empty store.
fn works_on_what_is_there(command: &Command) -> bool {
    use command::account::AccountCommand as A;
    matches!(
        command,
        Command::Account(A::List | A::Set(_))
            | Command::Key(_)
            | Command::Audit(_)
            | Command::Source(_)
            | Command::DocumentSchema(_)
            | Command::Import(_)
            | Command::Replay(_)
            | Command::Rekey(_)
    )
}

async fn serve_or_ask(settings: Settings, command: Command) -> anyhow::Result<ExitCode> {
    let serving = matches!(command, Command::Serve { .. });
    let follows = matches!(command, Command::Track(_));
    let done = run(settings, command).await;
    done.map_err(|error| match error.downcast_ref::<OpenError>() {
        Some(OpenError::InUse { .. }) if follows => error.context(TRACK_THROUGH_THE_SERVICE),
        Some(OpenError::InUse { .. }) if !serving => error.context(ASK_THE_SERVICE),
        _ => error,
    })
}

/// The embedded store belongs to one process at a time.
const ASK_THE_SERVICE: &str = "a running service has this store open: ask it over HTTP with a key, or stop \
                               it and repeat the command";

const TRACK_THROUGH_THE_SERVICE: &str = "a running service has this store open: track through it, with \
     --url http://127.0.0.1:8049 and a key of it in QUAYSIDE_API_KEY";

async fn run(settings: Settings, command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Serve { .. } => command::serve::run(settings).await?,
        Command::Demo(demo) => return command::demo::run(settings, demo).await,
        Command::Track(track) => return command::track::run(settings, track).await,
        Command::Listen(listen) => return command::listen::run(listen).await,
        Command::Replay(replay) => return command::replay::run(&settings, &replay).await,
        Command::Rekey(rekey) => return command::rekey::run(&settings, &rekey).await,
        Command::Audit(audit) => return command::audit::run(&settings, audit).await,
        Command::Check(check) => return command::check::run(&settings, &check).await,
        Command::Backup(backup) => command::backup::run(&settings, &backup).await?,
        Command::Restore(restore) => command::restore::run(&settings, &restore).await?,
        Command::Import(import) => command::import::run(&settings, import).await?,
        Command::Account(account) => command::account::run(&settings, account).await?,
        Command::Key(key) => command::key::run(&settings, key).await?,
        Command::Source(source) => command::source::run(&settings, source).await?,
        Command::DocumentSchema(schema) => command::document_schema::run(&settings, schema).await?,
        Command::Migrate => command::migrate::run(&settings).await?,
        Command::Parse(_) | Command::Config(_) => {}
    }
    Ok(ExitCode::SUCCESS)
}

fn overrides(common: &Common, command: &Command) -> Overrides {
    let mut flags = vec![
        ("data_dir", common.data_dir.clone()),
        ("database", common.database.clone()),
    ];
    if let Command::Serve { listen, role } = command {
        flags.push(("listen", listen.clone()));
        flags.push(("role", role.map(|role| format!("{role:?}").to_lowercase())));
    }
    flags
}

/// The demo's carrier misbehaves on purpose, and `track`, `listen` and `check` tell their story themselves: there warnings are
/// heard only when they are asked for.
fn filter(settings: &Settings, command: &Command) -> String {
    let quiet = matches!(
        command,
        Command::Demo(_) | Command::Track(_) | Command::Listen(_) | Command::Check(_)
    ) && settings.log == config::LOG_DEFAULT;
    let asked = if quiet { "error" } else { &settings.log };
    // What each migration does is told by its own crate at length; the last word stays the operator's.
    format!("refinery_core=warn,{asked}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_for_the_demo_is_refused_as_a_wrong_flag() {
        let typed = |words: &[&str]| {
            let words = ["quayside"].iter().chain(words);
            Cli::try_parse_from(words).and_then(judged)
        };
        for words in [
            &["demo", "--data-dir", "x"][..],
            &["--data-dir", "x", "demo", "--once"],
        ] {
            let refused = typed(words).unwrap_err();
            assert_eq!(refused.exit_code(), 2);
            let line = refused.to_string();
            assert!(
                line.contains("--data-dir") && line.contains("demo"),
                "{line}"
            );
        }
        assert!(typed(&["demo", "--once"]).is_ok());
        assert!(typed(&["serve", "--data-dir", "x"]).is_ok());
    }
}
