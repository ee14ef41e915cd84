//! `quayside listen`: this account's notifications on a laptop, without a tunnel.
//!
//! It asks a running service for what is due, hands each delivery to the program beside it with the headers and
//! bytes of a real one, and tells the service how that went. Where it stopped is known by the service alone:
//! what was taken and not settled is due again when its lease has run out. So it may be killed at any moment,
//! and so may the service and the program beside it; the same command goes on.
//!
//! While the program beside it does not take connections, nothing counts as a try: the delivery is given back
//! and a single one is tried from time to time until somebody answers.
//!
//! What the program has taken while the service could not be told, be it that it was away or that the account's minute was used up,
//! may be handed out once more when its lease has ended. The program does not get it again: the service is told what is known.

mod accepted;
mod desk;
mod forward;
mod screen;

use std::io::IsTerminal as _;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use domain::event::EventName;
use domain::listener::ListenerName;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::client::Client;
use super::serve::stopped_by_signal;
use super::track::key_of;
use crate::machine;
use accepted::Accepted;
use desk::{CallFailed, Desk, Taken};
use forward::{Forward, Handed};
use screen::{Done, Screen};

/// Receive this account's notifications here, without a tunnel.
#[derive(Debug, Args)]
pub struct Listen {
    /// Hand each delivery to this program: http://localhost:3000/hook. Without it they are only shown.
    #[arg(long, value_name = "URL", value_parser = address)]
    forward_to: Option<String>,
    /// The service. Its key is read from QUAYSIDE_API_KEY.
    #[arg(long, default_value = "http://127.0.0.1:8049", value_parser = address)]
    url: String,
    /// What this listener is called; the same name goes on where it stopped. The user and the machine, unless said.
    #[arg(long, value_parser = name)]
    name: Option<ListenerName>,
    /// Only these events, separated by commas; all of them unless said.
    #[arg(long, value_delimiter = ',', value_name = "EVENTS", value_parser = event)]
    events: Vec<EventName>,
    /// Make a new signing secret and show it; deliveries are signed with it from now on.
    #[arg(long)]
    new_secret: bool,
    /// One JSON object for each attempt.
    #[arg(long)]
    json: bool,
}

/// Deliveries in hand at once; of one container never more than one.
const IN_HAND_MAX: usize = 16;
/// How long one question waits at the service for something to be due.
const WAIT_SECONDS: u64 = 20;
/// Waits after the service, or the program beside us, was not there: the first, and the longest.
const AWAY_FIRST: Duration = Duration::from_millis(250);
const AWAY_MAX: Duration = Duration::from_secs(10);
/// After Ctrl-C, what has begun has this long to end.
const FINISH_MAX: Duration = Duration::from_secs(5);
/// How often a lease is prolonged in its time.
const RENEWALS_A_LEASE: u32 = 3;
/// How long a result is told again and again to a service that is away. Later its lease has run out anyway.
const SETTLE_MAX: Duration = Duration::from_mins(1);

/// Runs it until a signal.
pub async fn run(listen: Listen) -> Result<ExitCode> {
    let key = key_of(&listen.url)?;
    let base = listen.url.trim_end_matches('/').trim_end_matches("/v2");
    let client = Client::anywhere(format!("{base}/v2"), key)?;
    let forward = listen.forward_to.as_deref().map(Forward::to).transpose()?;
    let name = listen.name.clone().map_or_else(own_name, Ok)?;
    let terminal = std::io::stdout().is_terminal();
    let screen = Screen::new(listen.json, terminal, machine::columns());
    let (desk, opened) = Desk::open(client, &name, &listen.events, listen.new_secret).await?;
    screen.began(base, &name, listen.forward_to.as_deref(), &opened);
    let mut shift = Shift {
        desk,
        forward,
        screen,
        hands: JoinSet::new(),
        receiver: Absence::default(),
        service: Absence::default(),
        is_paused: false,
        accepted: Accepted::default(),
    };
    shift.work().await?;
    shift.finish().await;
    Ok(ExitCode::SUCCESS)
}

fn address(text: &str) -> Result<String, String> {
    forward::target(text).map(|_| text.to_owned())
}

fn name(text: &str) -> Result<ListenerName, String> {
    ListenerName::parse(text).ok_or_else(|| {
        format!("{text:?} is not made of 1 to 64 letters, digits, dots, hyphens and underscores")
    })
}

fn event(text: &str) -> Result<EventName, String> {
    EventName::parse(text)
        .ok_or_else(|| format!("there is no event {text:?}; `GET /v2/webhooks/events` lists them"))
}

/// The user and the machine.
fn own_name() -> Result<ListenerName> {
    let user = std::env::var("USER").unwrap_or_else(|_| "somebody".into());
    let machine = machine::name().unwrap_or_else(|| "laptop".into());
    ListenerName::of(&format!("{user}-{machine}"))
        .context("this machine has no name to listen under; say one with --name")
}

/// Somebody who should answer and, for now, does not.
#[derive(Default)]
struct Absence {
    wait: Option<Duration>,
    until: Option<Instant>,
}

impl Absence {
    /// Nobody there: wait longer than the last time. What is heard during a wait was asked before it, beside what began it, and
    /// makes it no longer. Whether this is news.
    fn noted(&mut self) -> bool {
        if self.until.is_some_and(|until| Instant::now() < until) {
            return false;
        }
        let before = self.wait;
        let wait = before.map_or(AWAY_FIRST, |wait| (wait * 2).min(AWAY_MAX));
        self.wait = Some(wait);
        self.until = Some(Instant::now() + wait);
        before.is_none()
    }

    /// Somebody answered. Whether this is news.
    fn ended(&mut self) -> bool {
        self.until = None;
        self.wait.take().is_some()
    }

    fn is_on(&self) -> bool {
        self.wait.is_some()
    }

    async fn over(&self) {
        if let Some(until) = self.until {
            tokio::time::sleep_until(until).await;
        }
    }
}

/// One run.
struct Shift {
    desk: Desk,
    forward: Option<Forward>,
    screen: Screen,
    hands: JoinSet<Ended>,
    receiver: Absence,
    service: Absence,
    /// Whether the listener is switched off at the service.
    is_paused: bool,
    accepted: Accepted,
}

/// An attempt and what the service made of it.
struct Ended {
    done: Done,
    settled: Result<(), CallFailed>,
    /// Whether it was taken before: of the program nothing is heard by that.
    is_known: bool,
}

impl Shift {
    /// Takes and hands over until a signal.
    async fn work(&mut self) -> Result<()> {
        let mut stopped = std::pin::pin!(stopped_by_signal());
        loop {
            let room = self.room();
            let asking = self.desk.clone();
            let (receiver, service) = (self.receiver.until, self.service.until);
            let mut taking = std::pin::pin!(async move {
                for until in [receiver, service].into_iter().flatten() {
                    tokio::time::sleep_until(until).await;
                }
                asking.take(room, WAIT_SECONDS).await
            });
            // A question under way is not thrown away: what its answer brings is leased to us.
            let taken = loop {
                tokio::select! {
                    taken = &mut taking, if room > 0 => break Some(taken),
                    Some(ended) = self.hands.join_next() => {
                        self.ended(ended)?;
                        if room == 0 {
                            break None;
                        }
                    }
                    signal = &mut stopped => return signal,
                }
            };
            match taken {
                Some(Ok(taken)) => {
                    if self.service.ended() {
                        self.screen.service_is_back();
                    }
                    self.paused(taken.is_paused);
                    for delivery in taken.deliveries {
                        self.hand_over(delivery);
                    }
                }
                Some(Err(CallFailed::Away(why))) => self.service_is_away(&why),
                Some(Err(CallFailed::Refused(why))) => bail!(why),
                None => {}
            }
        }
    }

    /// Says it when the listener was switched off, or on again.
    fn paused(&mut self, is_paused: bool) {
        if std::mem::replace(&mut self.is_paused, is_paused) == is_paused {
            return;
        }
        if is_paused {
            self.screen.listener_is_paused();
        } else {
            self.screen.listener_goes_on();
        }
    }

    /// How many more may be taken: one at a time while nobody takes them.
    fn room(&self) -> usize {
        let most = if self.receiver.is_on() {
            1
        } else {
            IN_HAND_MAX
        };
        most.saturating_sub(self.hands.len())
    }

    fn hand_over(&mut self, delivery: Taken) {
        let (desk, forward) = (self.desk.clone(), self.forward.clone());
        let accepted = self.accepted.clone();
        self.hands.spawn(async move {
            let known = accepted.of(&delivery);
            let is_known = known.is_some();
            let (handed, took) = if let Some(known) = known {
                known
            } else {
                let began = Instant::now();
                let handed = match &forward {
                    Some(forward) => held(&desk, &delivery, forward.send(&delivery)).await,
                    None => Handed::Shown,
                };
                (handed, began.elapsed())
            };
            accepted.keep(&delivery, &handed, took);
            let settled = settle(&desk, &delivery, &handed, took).await;
            if settled.as_ref().is_ok_and(|verdict| verdict.counted) {
                accepted.forget(&delivery);
            }
            let (verdict, settled) = match settled {
                Ok(verdict) => (verdict, Ok(())),
                Err(failed) => (desk::Settled::default(), Err(failed)),
            };
            let done = Done {
                delivery,
                handed,
                took,
                verdict,
            };
            Ended {
                done,
                settled,
                is_known,
            }
        });
    }

    fn ended(&mut self, ended: Result<Ended, tokio::task::JoinError>) -> Result<()> {
        let ended = ended.context("an attempt ended in a panic")?;
        let Ended {
            done,
            settled,
            is_known,
        } = ended;
        if let Handed::Away(why) = &done.handed {
            if self.receiver.noted() {
                self.screen.receiver_is_away(&why.to_string());
            }
        } else {
            if !is_known && self.receiver.ended() {
                self.screen.receiver_is_back();
            }
            self.screen.attempt(&done);
        }
        match settled {
            Ok(()) => Ok(()),
            Err(CallFailed::Away(why)) => {
                self.service_is_away(&why);
                Ok(())
            }
            Err(CallFailed::Refused(why)) => bail!(why),
        }
    }

    fn service_is_away(&mut self, why: &str) {
        if self.service.noted() {
            self.screen.service_is_away(why);
        }
    }

    /// What has begun is ended and settled, as far as it ends soon.
    async fn finish(&mut self) {
        let ending = async {
            while let Some(ended) = self.hands.join_next().await {
                if let Ok(Ended { done, .. }) = ended {
                    self.screen.attempt(&done);
                }
            }
        };
        let again = stopped_by_signal();
        tokio::select! {
            () = ending => {}
            () = tokio::time::sleep(FINISH_MAX) => {}
            _ = again => {}
        }
        self.screen.ended(self.hands.len());
    }
}

/// Waits for the end of an attempt; until then the delivery stays ours.
async fn held(desk: &Desk, delivery: &Taken, attempt: impl Future<Output = Handed>) -> Handed {
    let every = delivery.lease / RENEWALS_A_LEASE;
    let renewing = async {
        loop {
            tokio::time::sleep(every).await;
            // A delivery that is lost comes again; how this attempt ends is told in any case.
            let _ = desk.prolong(delivery).await;
        }
    };
    tokio::select! {
        handed = attempt => handed,
        never = renewing => never,
    }
}

/// Tells the service, again and again while it is away.
async fn settle(
    desk: &Desk,
    delivery: &Taken,
    handed: &Handed,
    took: Duration,
) -> Result<desk::Settled, CallFailed> {
    let mut absence = Absence::default();
    let until = Instant::now() + SETTLE_MAX;
    loop {
        match desk.settle(delivery, handed, took).await {
            Err(CallFailed::Away(_)) if Instant::now() < until => {
                absence.noted();
                absence.over().await;
            }
            settled => return settled,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_of_failures_is_one_and_the_next_waits_longer() {
        let mut absence = Absence::default();
        let began = Instant::now();
        assert!(absence.noted(), "it is news");
        assert!((0..15).all(|_| !absence.noted()));
        absence.over().await;
        assert_eq!(began.elapsed(), AWAY_FIRST);
        assert!(!absence.noted());
        absence.over().await;
        assert_eq!(began.elapsed(), AWAY_FIRST * 3);
    }
}
