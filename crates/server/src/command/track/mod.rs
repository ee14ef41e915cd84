//! `quayside track NUMBER`: asks for a number to be tracked and prints what becomes of it, an event a line.
//!
//! It talks HTTP like everybody else. Without `--url` it runs the service itself, on a port of its own, over the
//! store that the settings name, with a key that lives as long as the command; with `--url` it asks a service that
//! is running. On a terminal it goes on until Ctrl-C or until the request has ended; in a pipe it ends as soon as
//! the request is settled, so that a script can wait for it.

mod timeline;
mod words;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;
use domain::account::{Permissions, Plan};
use domain::audit::Actor;
use domain::infer;
use domain::tracking_request::NumberKind;
use http::Method;
use serde_json::{Value, json};
use sources::registry::Registry;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracking::{Tracking, access};

use super::account;
use super::client::{Client, said, unexpected};
use super::document::{at, list, text};
use super::pipe;
use super::serve::{api_settings, stopped_by_signal};
use crate::config::Settings;
use crate::wire;
use timeline::Timeline;

/// Track a number and watch its timeline grow.
#[derive(Debug, Args)]
pub struct Track {
    /// A bill of lading, a booking or a container number.
    number: String,
    /// The shipping line; found from the number when it is not given.
    #[arg(long)]
    scac: Option<String>,
    /// bill_of_lading, booking_number or container; told by the number's form when it is not given.
    #[arg(long = "type", value_name = "TYPE", value_parser = kind)]
    kind: Option<NumberKind>,
    /// Name or id of the account; needed when the store has several.
    #[arg(long, conflicts_with = "url")]
    account: Option<String>,
    /// Ask a running service: http://127.0.0.1:8049. Its key is read from QUAYSIDE_API_KEY.
    #[arg(long)]
    url: Option<String>,
}

/// Where the key for `--url` is.
pub const KEY_VARIABLE: &str = "QUAYSIDE_API_KEY";
/// Between two looks. Two calls a second would use up the account's rate.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The same while the first answer is awaited, and how many such looks there are.
const FIRST_LOOKS_EVERY: Duration = Duration::from_millis(250);
const FIRST_LOOKS: u32 = 20;
/// How long a service that has answered may be away, and go on answering with what passes.
const AWAY_MAX: Duration = Duration::from_mins(5);
/// Account of a store that has none.
const FIRST_ACCOUNT: &str = "quayside track";

/// The key of the service at this address. An empty one would be told of as one that the service does not know.
pub fn key_of(service: &str) -> Result<String> {
    let must = || format!("{KEY_VARIABLE} must hold a key of the service at {service}");
    let key = std::env::var(KEY_VARIABLE).with_context(must)?;
    if key.trim().is_empty() {
        bail!("{KEY_VARIABLE} is empty: it must hold a key of the service at {service}");
    }
    Ok(key)
}

/// Runs it.
pub async fn run(settings: Settings, track: Track) -> Result<ExitCode> {
    if let Some(url) = &track.url {
        let key = key_of(url)?;
        let base = url.trim_end_matches('/').trim_end_matches("/v2");
        let client = Client::anywhere(format!("{base}/v2"), key)?;
        return follow(&client, &track).await;
    }
    let tracking = wire::service(&settings).await?;
    let door = TcpListener::bind("127.0.0.1:0").await?;
    let address = door.local_addr()?;
    let stop = CancellationToken::new();
    let serving = tokio::spawn(api::serve(
        door,
        tracking.clone(),
        api_settings(&settings),
        stop.clone(),
    ));
    let working = tokio::spawn(tracking::work::run(tracking.clone(), stop.clone()));
    let done = with_key(&tracking.by(Actor::Operator), address, &track).await;
    stop.cancel();
    let _ = tokio::join!(serving, working);
    done
}

/// With a key for this one command.
async fn with_key(
    tracking: &Tracking,
    address: std::net::SocketAddr,
    track: &Track,
) -> Result<ExitCode> {
    let account = account_of(tracking, track.account.as_deref()).await?;
    let (key, shown) =
        access::create_key(tracking, account, "quayside track", Permissions::ALL).await?;
    let done = follow(&Client::new(address, shown)?, track).await;
    access::delete_key(tracking, account, key.id).await?;
    done
}

async fn account_of(tracking: &Tracking, wanted: Option<&str>) -> Result<domain::ids::AccountId> {
    if let Some(wanted) = wanted {
        return Ok(account::find(tracking.store(), wanted).await?.id);
    }
    let known = tracking.store().read(store::account::list).await?;
    match known.as_slice() {
        [] => Ok(
            access::create_account(tracking, FIRST_ACCOUNT, Plan::SelfHosted)
                .await?
                .id,
        ),
        [only] => Ok(only.id),
        several => bail!(
            "there are {} accounts: name one with --account",
            several.len()
        ),
    }
}

/// Creates the request and prints its story. 0: it stands; 1: it failed.
async fn follow(client: &Client, track: &Track) -> Result<ExitCode> {
    let id = request(client, track).await?;
    let path =
        format!("/tracking_requests/{id}?include=tracked_object.containers.transport_events");
    let lasting = std::io::stdout().is_terminal();
    let mut timeline = Timeline::new(lasting);
    let mut stopped = std::pin::pin!(stopped_by_signal());
    for look in 0.. {
        // The service may ask to wait, up to minutes: Ctrl-C is heard meanwhile.
        let seen = tokio::select! {
            seen = seen(client, &path) => seen?,
            _ = &mut stopped => break,
        };
        timeline.show(&seen);
        let status = text(&seen, "/data/attributes/status").unwrap_or_default();
        match status.as_str() {
            "failed" => return Ok(ExitCode::FAILURE),
            "tracking_stopped" => break,
            "succeeded" | "awaiting_manifest" if !lasting => break,
            _ => {}
        }
        let pause = if look < FIRST_LOOKS {
            FIRST_LOOKS_EVERY
        } else {
            LOOK_EVERY
        };
        if look == FIRST_LOOKS {
            timeline.explain_wait(&status);
        }
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = &mut stopped => break,
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// What stands now. The service may be started anew meanwhile, or have too much to do: then it is asked again, and its user
/// knows why nothing moves.
async fn seen(client: &Client, path: &str) -> Result<Value> {
    let (began, mut pause) = (Instant::now(), FIRST_LOOKS_EVERY);
    loop {
        let why = match client.send(Method::GET, path, String::new()).await {
            Ok((200, document)) => return Ok(document),
            Ok((status, document)) if !passes(status) => {
                return Err(unexpected(path, status, &document));
            }
            Ok((status, document)) => unexpected(path, status, &document),
            Err(error) => error,
        };
        if began.elapsed() > AWAY_MAX {
            return Err(why.context("the service has been away for five minutes"));
        }
        if pause == FIRST_LOOKS_EVERY {
            pipe::note(format_args!(
                "quayside: the service is away ({why}); asking again until it answers"
            ));
        }
        tokio::time::sleep(pause).await;
        pause = (2 * pause).min(LOOK_EVERY);
    }
}

/// Whether the same question may be answered some other time.
fn passes(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500..=599)
}

/// The new request, or the open one that is there already.
async fn request(client: &Client, track: &Track) -> Result<String> {
    let kind = track.kind.unwrap_or_else(|| guessed(&track.number));
    let mut attributes = json!({
        "request_type": kind.as_str(), "request_number": track.number,
        "auto_detect_vocc_scac": track.scac.is_none(),
    });
    if let (Some(scac), Some(members)) = (&track.scac, attributes.as_object_mut()) {
        members.insert("scac".into(), scac.as_str().into());
    }
    let body = json!({"data": {"type": "tracking_request", "attributes": attributes}});
    let (status, answer) = client
        .send(Method::POST, "/tracking_requests", body.to_string())
        .await?;
    if status == 201 {
        return text(&answer, "/data/id").context("the new request has no id");
    }
    let faults = list(&answer, "/errors");
    let open = |fault: &Value| {
        let duplicate = at(fault, "/code") == "duplicate";
        text(fault, "/meta/tracking_request_id").filter(|_| duplicate)
    };
    if let Some(open) = faults.iter().find_map(open) {
        return Ok(open);
    }
    bail!(
        "{}",
        said(&answer).unwrap_or_else(|| format!("the service answered {status}"))
    )
}

/// What kind of number it looks like.
fn guessed(number: &str) -> NumberKind {
    let told = Registry::load(&[])
        .ok()
        .and_then(|registry| infer::infer(number, registry.clues(), &[]).ok());
    told.map_or(NumberKind::BillOfLading, |told| told.kind)
}

fn kind(text: &str) -> Result<NumberKind, String> {
    NumberKind::parse(text)
        .ok_or_else(|| format!("{text:?} is none of bill_of_lading, booking_number and container"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// A service that answers each call with the next of these, and who calls it.
    async fn answering(answers: Vec<&'static str>) -> Client {
        let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = door.local_addr().unwrap();
        tokio::spawn(async move {
            for answer in answers {
                let (mut caller, _) = door.accept().await.unwrap();
                let _ = caller.read(&mut [0; 4_096]).await;
                let head = "Content-Length: 2\r\nConnection: close\r\n\r\n{}";
                let answer = if answer.is_empty() {
                    String::new()
                } else {
                    format!("HTTP/1.1 {answer}\r\n{head}")
                };
                let _ = caller.write_all(answer.as_bytes()).await;
            }
        });
        Client::new(address, "key".into()).unwrap()
    }

    #[tokio::test]
    async fn a_service_that_is_started_anew_is_asked_again() {
        let client = answering(vec!["503 Service Unavailable", "", "200 OK"]).await;
        assert_eq!(seen(&client, "/one").await.unwrap(), json!({}));
    }

    #[tokio::test]
    async fn a_no_is_told_at_once() {
        let client = answering(vec!["404 Not Found", "200 OK"]).await;
        let told = seen(&client, "/one").await.unwrap_err().to_string();
        assert!(told.starts_with("/one answered 404"), "{told}");
    }
}
