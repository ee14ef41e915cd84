//! Receivers of positions: each is listened to over one connection, which is opened again whenever it ends.
//!
//! What comes within a few seconds is kept as one message, like a file, and read by the same readers. A receiver has no
//! memory: what it sends while nobody listens is lost, so the connection is opened again after a second, and later each
//! time when it leads nowhere. How that goes stands in the source's row as with those that are asked, and a person can
//! pause it. Every node that works listens for itself; sightings are kept once.

use std::time::Duration;

use domain::source::{Budget, Failures, Trouble};
use sources::ais::{Lines, Receiver};
use sources::outbound::OutboundError;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::{Message, receive};
use crate::polling::{Came, Outcome, standing};
use crate::{Source, Tracking};

/// What comes in this time is one message.
const GATHERED_FOR: Duration = Duration::from_secs(5);
/// What is longer than this is a message at once.
const GATHERED_BYTES_MAX: usize = 64 * 1024;
/// Read from the line in one go.
const READ_BYTES_MAX: usize = 8 * 1024;
/// How long a connection may take to be opened.
const CONNECT_MAX: Duration = Duration::from_secs(10);
/// A line on which nothing comes for this long is dead.
const SILENCE_MAX: Duration = Duration::from_mins(5);
/// Wait before a connection is opened again; doubled each time it led nowhere.
const AGAIN_FIRST: Duration = Duration::from_secs(1);
/// The longest such wait.
const AGAIN_LONGEST: Duration = Duration::from_mins(5);
/// Real time between two looks whether a paused source may be listened to.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Listens to all receivers until told to stop.
pub(crate) async fn run(tracking: Tracking, stop: CancellationToken) {
    let mut listening = JoinSet::new();
    for source in tracking.sources() {
        let receiver = source
            .positions()
            .and_then(|positions| positions.receiver.clone());
        if let Some(receiver) = receiver {
            let ear = Ear {
                tracking: tracking.clone(),
                source: source.id().to_owned(),
                lines: Lines::new(receiver.every),
                receiver,
                forbidden: false,
            };
            listening.spawn(ear.listen(stop.clone()));
        }
    }
    listening.join_all().await;
}

/// One receiver that is listened to.
struct Ear {
    tracking: Tracking,
    source: String,
    receiver: Receiver,
    lines: Lines,
    /// That the guard forbids its address is said once, not at every try.
    forbidden: bool,
}

impl Ear {
    async fn listen(mut self, stop: CancellationToken) {
        let mut again = AGAIN_FIRST;
        while !stop.is_cancelled() {
            let pause = if self.may_listen().await {
                let ended = tokio::select! {
                    why = self.hear() => Some(why),
                    () = stop.cancelled() => None,
                };
                self.keep().await;
                if self.lines.heard() > 0 {
                    again = AGAIN_FIRST;
                }
                if let Some(why) = ended {
                    self.tell(&why).await;
                }
                let pause = again;
                again = (again * 2).min(AGAIN_LONGEST);
                pause
            } else {
                LOOK_EVERY
            };
            tokio::select! {
                () = sleep(pause) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    /// Whether nobody has paused it, and it has not failed too often lately.
    async fn may_listen(&self) -> bool {
        let (id, now) = (self.source.clone(), self.tracking.now());
        let known = self.tracking.store().read(store::source::all).await;
        known.is_ok_and(|mut all| {
            let standing = all.remove(&id).unwrap_or_default();
            standing.may_ask(Budget::default(), now).is_ok()
        })
    }

    /// Listens until the connection ends; why it did.
    async fn hear(&mut self) -> String {
        self.lines.connected();
        let Receiver { host, port, .. } = &self.receiver;
        let opened = self.tracking.outbound().open(host, *port, CONNECT_MAX);
        match opened.await {
            Ok(line) => {
                self.forbidden = false;
                self.hear_all(line).await
            }
            Err(error) => {
                self.tell_forbidden(&error);
                error.to_string()
            }
        }
    }

    /// Only a person can do something about an address that the settings forbid.
    fn tell_forbidden(&mut self, error: &OutboundError) {
        let settings = match error {
            OutboundError::BlockedAddress => "egress.allow_networks, egress.deny_networks",
            OutboundError::BlockedPort(_) => "egress.blocked_ports",
            _ => return,
        };
        if std::mem::replace(&mut self.forbidden, true) {
            return;
        }
        let Receiver { host, port, .. } = &self.receiver;
        tracing::error!(
            source = self.source,
            address = format!("{host}:{port}"),
            settings,
            "a receiver cannot be listened to: the settings do not let its address be called"
        );
    }

    async fn hear_all(&mut self, mut line: impl AsyncRead + Unpin) -> String {
        let mut buffer = vec![0; READ_BYTES_MAX];
        let mut due = Instant::now() + GATHERED_FOR;
        let mut greeted = false;
        loop {
            tokio::select! {
                read = timeout(SILENCE_MAX, line.read(&mut buffer)) => match read {
                    Ok(Ok(0)) => return "it closed the connection".into(),
                    Ok(Ok(count)) => {
                        let came = buffer.get(..count).unwrap_or_default();
                        self.lines.take(came, self.tracking.now());
                    }
                    Ok(Err(error)) => return format!("the connection broke: {}", error.kind()),
                    Err(_) => return format!("nothing came for {} seconds", SILENCE_MAX.as_secs()),
                },
                () = sleep_until(due), if self.lines.kept_bytes() > 0 => {}
            }
            if !greeted && self.lines.heard() > 0 {
                greeted = true;
                self.note(Came::Answer).await;
            }
            if self.lines.kept_bytes() >= GATHERED_BYTES_MAX || due <= Instant::now() {
                self.keep().await;
                due = Instant::now() + GATHERED_FOR;
            }
        }
    }

    /// Keeps what was gathered as one message.
    async fn keep(&mut self) {
        let Some(bytes) = self.lines.take_away() else {
            return;
        };
        let message = Message {
            source: self.source.clone(),
            account: None,
            content_type: "text/plain".into(),
            bytes,
        };
        if let Err(error) = receive(&self.tracking, message).await {
            tracing::warn!(source = self.source, %error, "positions could not be kept, and are lost");
        }
    }

    /// A connection that brought something and ended is opened again; one that brought nothing is trouble.
    async fn tell(&self, why: &str) {
        let (source, heard, rubbish) = (&self.source, self.lines.heard(), self.lines.rubbish());
        tracing::info!(source, why, heard, rubbish, "the line of a receiver ended");
        if heard > 0 {
            return;
        }
        let came = if rubbish > 0 {
            Came::unreadable("what it sends are no lines of AIS (!AIVDM); look at address and port")
        } else {
            Came::Failure {
                trouble: Trouble::Unreachable,
                why: why.to_owned(),
            }
        };
        self.note(came).await;
    }

    async fn note(&self, came: Came) {
        let outcome = Outcome {
            came,
            requests: 1,
            before: Failures::default(),
        };
        let Some(source) = self.tracking.source(&self.source) else {
            return;
        };
        if let Err(error) = standing::note(&self.tracking, source.login(), outcome).await {
            let source = Source::id(source);
            tracing::warn!(source, %error, "how a receiver does could not be noted");
        }
    }
}
