//! A configured source: how its messages are read, and how they come.
//!
//! Some are asked; others are not, and send or drop what they have to say. What comes either way is read by the
//! same profile.

mod later;
mod pulled;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use domain::codes::Scac;
use domain::place::{Gazetteer, Inside, Terminal};
use domain::source::Keeper;
use domain::tracking_request::NumberKind;
use http::HeaderMap;
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use sources::ocean::dcsa::push::{Receiver, SecretUnusable, SigningKeys, Subscriptions};
use sources::ocean::dcsa::{self, Payload, Polling, PullFailure, Puller, Push, Question};
use sources::{Asker, Doors, Inbound, Parsed, Profile, Speaks, Told, ais};
use store::watch::Watch;

use crate::trials;
pub(crate) use later::Later;
pub(crate) use pulled::Pulled;

/// Name of the secret that a carrier signs its pushes with.
pub const PUSH_SECRET: &str = "push";
/// Of the one before it, while the carrier changes over.
const PUSH_SECRET_BEFORE: &str = "push_previous";

/// One source.
pub struct Source {
    profile: Profile,
    door: Door,
    gate: Gate,
}

enum Door {
    /// A carrier that is asked over HTTP.
    Ocean(Box<Puller>),
    /// A terminal or railroad that is asked over HTTP, about many boxes at once.
    Boxes(Box<Asker>),
    /// The line `TEST`, in this process.
    Trials,
    /// Nobody is asked.
    Closed,
}

/// How a push is let in.
enum Gate {
    /// Not at all.
    Shut,
    /// By the proof that the profile names, under this secret.
    Proof(Inbound, SecretString),
    /// By the carrier's signature.
    Signature(Box<Receiver>),
}

/// What an answer says of a number; of several answers the last of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Says {
    /// Nothing: it is not known.
    Nothing,
    /// Something that cannot be read.
    Unreadable,
    /// A claim.
    Something,
}

/// What the head of a push says about its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadProof {
    /// It is the source, whatever the body is.
    Good,
    /// It is not, whatever the body is.
    Wrong,
    /// The body is part of the proof.
    NeedsBody,
}

impl Source {
    /// A carrier that is asked over HTTP.
    pub fn new(puller: Puller) -> Self {
        Self {
            profile: puller.profile().clone().into(),
            door: Door::Ocean(Box::new(puller)),
            gate: Gate::Shut,
        }
    }

    /// A terminal or railroad that is asked about boxes.
    pub fn of_boxes(profile: Profile, asker: Asker) -> Self {
        Self {
            profile,
            door: Door::Boxes(Box::new(asker)),
            gate: Gate::Shut,
        }
    }

    /// A source that is not asked: its messages come by themselves.
    pub fn unasked(profile: Profile) -> Self {
        Self {
            profile,
            door: Door::Closed,
            gate: Gate::Shut,
        }
    }

    /// With its doors open for messages that come by themselves: a folder needs no secret, a push does.
    pub fn with_doors(
        mut self,
        doors: Doors,
        secrets: &BTreeMap<String, String>,
    ) -> Result<Self, SecretUnusable> {
        let secret = |name: &str| secrets.get(name).cloned().map(SecretString::from);
        let push = self.push_rules_of_profile();
        if let Some(inbound) = &doors.inbound {
            if let Some(secret) = secret(&inbound.secret) {
                self.gate = Gate::Proof(inbound.clone(), secret);
            } else {
                let (source, secret) = (self.id(), &inbound.secret);
                tracing::warn!(
                    source,
                    secret,
                    "pushes are refused: there is no such secret"
                );
            }
        } else if let (Some(rules), Some(current)) = (push, secret(PUSH_SECRET)) {
            let previous = secret(PUSH_SECRET_BEFORE);
            let keys = SigningKeys::new(rules.secret, &current, previous.as_ref())?;
            let receiver = Receiver::by_hand(rules.clone(), self.id(), keys);
            self.gate = Gate::Signature(Box::new(receiver));
        }
        self.profile.doors = doors;
        Ok(self)
    }

    /// The line `TEST`.
    pub(crate) fn trials() -> Option<Self> {
        let profile = trials::profile()?.into();
        Some(Self {
            profile,
            door: Door::Trials,
            gate: Gate::Shut,
        })
    }

    /// Its id: names it in watches, raw messages and reports.
    pub fn id(&self) -> &str {
        self.profile.id()
    }

    /// The login it is asked with: budget, breaker and pause are the login's, and other sources may share it.
    pub fn login(&self) -> &str {
        self.profile.login()
    }

    /// What it speaks, as its file says it.
    pub fn protocol(&self) -> &'static str {
        self.profile.protocol()
    }

    /// Codes of the lines that it is asked for, the main one first.
    pub fn lines(&self) -> &[Scac] {
        self.asked().map_or(&[], |profile| &profile.scacs)
    }

    /// Whether it is the line `TEST`, which knows no real number.
    pub fn is_for_trials(&self) -> bool {
        matches!(self.door, Door::Trials)
    }

    /// How often it is asked; `None`: it is not.
    pub(crate) fn polling(&self) -> Option<&Polling> {
        match &self.door {
            Door::Boxes(asker) => Some(&asker.asking().polling),
            Door::Ocean(_) | Door::Trials | Door::Closed => {
                self.asked().map(|profile| &profile.polling)
            }
        }
    }

    /// How it is asked about many boxes at once; `None`: it is not.
    pub(crate) fn asker(&self) -> Option<&Asker> {
        match &self.door {
            Door::Boxes(asker) => Some(asker),
            Door::Ocean(_) | Door::Trials | Door::Closed => None,
        }
    }

    /// What these sources tell of boxes from inside a terminal.
    pub(crate) fn told_inside<'a>(
        sources: impl Iterator<Item = &'a Self>,
        terminal: &Terminal,
        gazetteer: &Gazetteer,
    ) -> BTreeSet<Inside> {
        sources
            .flat_map(|source| source.profile.tells_of(terminal, gazetteer))
            .collect()
    }

    /// Whose boxes it can be asked about.
    pub(crate) fn keeper(&self) -> Option<Keeper> {
        match (&self.profile.speaks, &self.door) {
            (Speaks::Table(profile), Door::Boxes(_)) => Some(profile.keeper()),
            _ => None,
        }
    }

    /// The main code of the line that is asked.
    pub(crate) fn scac(&self) -> Option<Scac> {
        self.asked().and_then(dcsa::Profile::scac)
    }

    /// Whether it answers for this line to numbers of this kind.
    pub fn answers(&self, scac: Scac, kind: NumberKind) -> bool {
        self.asked()
            .is_some_and(|profile| profile.scacs.contains(&scac) && profile.supports(kind))
    }

    /// How its carrier signs, as the profile says it.
    fn push_rules_of_profile(&self) -> Option<&Push> {
        match &self.profile.speaks {
            Speaks::Ocean(profile) => profile.push.as_ref(),
            Speaks::Edi(_) | Speaks::Table(_) | Speaks::Clm(_) | Speaks::Ais(_) => None,
        }
    }

    /// The interface of its subscriptions, where we keep one by ourselves.
    pub(crate) fn subscriptions(&self) -> Option<Subscriptions> {
        self.push_rules()?;
        match &self.door {
            Door::Ocean(puller) => Some(Subscriptions::of(puller)),
            Door::Boxes(_) | Door::Trials | Door::Closed => None,
        }
    }

    /// How its pushes are signed, where we subscribe by ourselves.
    pub(crate) fn push_rules(&self) -> Option<&Push> {
        let rules = self.asked()?.push.as_ref()?;
        rules.subscribe.then_some(rules)
    }

    /// Since when what the carrier wrote about a watched number is not known, where it is asked for that only: since it last
    /// told something new. Answers that say nothing prove nothing: a refusal, or a gateway that knows no path, is one too.
    pub(crate) fn unknown_since(&self, watch: &Watch) -> Option<Timestamp> {
        let Door::Ocean(puller) = &self.door else {
            return None;
        };
        watch
            .last_changed_at
            .filter(|_| puller.profile().endpoint.incremental.is_some())
    }

    /// Asks for what the carrier knows about a number: everything, or what it wrote `since`. An empty list is an answer, and
    /// nothing since then is none.
    pub(crate) async fn pull(
        &self,
        question: &Question,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Pulled<Vec<Payload>> {
        let asking = async {
            match &self.door {
                Door::Ocean(puller) => match puller.pull_since(question, since, now).await {
                    Err(PullFailure::NotFound) if since.is_some() => Ok(Vec::new()),
                    // It answered about the number before: it is the time that it does not like.
                    Err(PullFailure::InvalidNumber(_)) if since.is_some() => {
                        puller.pull(question, now).await
                    }
                    told => told,
                },
                Door::Trials => trials::answer(question),
                Door::Boxes(_) | Door::Closed => Err(PullFailure::NotFound),
            }
        };
        Pulled::by(Box::pin(asking)).await
    }

    /// How positions of vessels are read, where it tells such.
    pub(crate) fn positions(&self) -> Option<&ais::Profile> {
        match &self.profile.speaks {
            Speaks::Ais(profile) => Some(profile),
            Speaks::Ocean(_) | Speaks::Edi(_) | Speaks::Table(_) | Speaks::Clm(_) => None,
        }
    }

    /// Whether its messages may tell how things stand, and not as of when. A table with a column for that may leave it blank, or
    /// name a day.
    pub(crate) fn tells_as_of_receipt(&self) -> bool {
        match &self.profile.speaks {
            Speaks::Table(_) => true,
            Speaks::Ocean(_) | Speaks::Edi(_) | Speaks::Clm(_) | Speaks::Ais(_) => false,
        }
    }

    /// The folder that is watched for its files.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.profile.doors.folder.as_deref()
    }

    /// The folder into which answers to its files are written.
    pub(crate) fn answer_folder(&self) -> Option<&Path> {
        self.profile.doors.answers.as_deref()
    }

    /// The 997 or CONTRL that the sender of this file gets; `None` where none is due. `at` stands in its headers.
    pub fn acknowledge(
        &self,
        bytes: &[u8],
        at: Timestamp,
        gazetteer: &Gazetteer,
    ) -> Option<Vec<u8>> {
        match &self.profile.speaks {
            Speaks::Edi(profile) => sources::edi_drop::acknowledge(profile, bytes, at, gazetteer),
            Speaks::Ocean(_) | Speaks::Table(_) | Speaks::Clm(_) | Speaks::Ais(_) => None,
        }
    }

    /// What can be said of a push before its body is read.
    pub fn judge_head(&self, headers: &HeaderMap) -> HeadProof {
        let signed = self.push_rules_of_profile();
        if signed.is_some_and(|rules| Receiver::is_signed(rules, headers)) {
            return HeadProof::NeedsBody;
        }
        match &self.gate {
            Gate::Proof(inbound, secret) if inbound.is_in_head() => {
                if inbound.proves(headers, b"", secret.expose_secret()) {
                    HeadProof::Good
                } else {
                    HeadProof::Wrong
                }
            }
            Gate::Proof(inbound, _) if inbound.is_shown(headers) => HeadProof::NeedsBody,
            Gate::Proof(..) | Gate::Shut | Gate::Signature(_) => HeadProof::Wrong,
        }
    }

    /// Whether a push with these header fields and this body, as it came, is proved to be of this source.
    pub fn admits(&self, headers: &HeaderMap, body: &[u8]) -> bool {
        match &self.gate {
            Gate::Shut => false,
            Gate::Proof(inbound, secret) => inbound.proves(headers, body, secret.expose_secret()),
            Gate::Signature(receiver) => match receiver.verify(headers, body) {
                Ok(_) => true,
                Err(reason) => {
                    tracing::info!(source = self.id(), %reason, "a push is not the carrier's");
                    false
                }
            },
        }
    }

    /// Reads one of its messages.
    pub(crate) fn read(
        &self,
        told: Told,
        bytes: &[u8],
        at: Timestamp,
        gazetteer: &Gazetteer,
    ) -> Parsed {
        self.profile.read_as(told, bytes, at, gazetteer)
    }

    /// The same, some reports and defects at a time.
    pub(crate) fn read_in_parts(
        &self,
        told: Told,
        bytes: &[u8],
        at: Timestamp,
        gazetteer: &Gazetteer,
        give: &mut dyn FnMut(Parsed),
    ) {
        self.profile.read_in_parts(told, bytes, at, gazetteer, give);
    }

    /// What this answer says of the number that was asked about. That a line tells of a ship's calls without naming anything
    /// does not prove that the number is its own.
    pub(crate) fn says_of_a_number(
        &self,
        answer: &[u8],
        now: Timestamp,
        gazetteer: &Gazetteer,
    ) -> Says {
        let parsed = self.read(Told::Unasked, answer, now, gazetteer);
        if !parsed.reports.is_empty() {
            return Says::Something;
        }
        if parsed.envelope_broken || !parsed.defects.is_empty() {
            Says::Unreadable
        } else {
            Says::Nothing
        }
    }

    fn asked(&self) -> Option<&dcsa::Profile> {
        match (&self.profile.speaks, &self.door) {
            (_, Door::Closed | Door::Boxes(_))
            | (Speaks::Edi(_) | Speaks::Table(_) | Speaks::Clm(_) | Speaks::Ais(_), _) => None,
            (Speaks::Ocean(profile), _) => Some(profile),
        }
    }
}
