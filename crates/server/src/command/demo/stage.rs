//! The stage: the world, its carrier, the service, an account with a webhook, and the receiver behind it.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use domain::account::{Permissions, Plan};
use domain::event::EventName;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use simulator::speak::dcsa;
use simulator::{Bill, Receiver, World, WorldSettings};
use sources::ocean::dcsa::Profile;
use store::Scratch;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tracking::clock::{Clock, ManualClock, ScaledClock};
use tracking::{Tracking, access};

use super::Demo;
use crate::command::client::Client;
use crate::command::document::text;
use crate::command::serve::api_settings;
use crate::config::Settings;
use crate::wire;

/// A booking or bill is registered this long before the carrier knows it: it waits, as real ones do.
const REGISTERED_BEFORE: SignedDuration = SignedDuration::from_hours(20);
/// A bill whose boxes are not named yet waits for them, but no longer than this: after a week a request ends.
const WAITED_MAX: SignedDuration = SignedDuration::from_hours(24 * 5);
/// A container number that is not known ends its request, so it is registered after.
const CONTAINER_REGISTERED_AFTER: SignedDuration = SignedDuration::from_hours(2);
/// Virtual time that may lie between signing and receiving while a scaled clock races on.
const TOLERANCE: SignedDuration = SignedDuration::from_hours(24 * 7);

/// Everything around and in the service.
pub struct Stage {
    pub world: Arc<World>,
    pub tracking: Tracking,
    pub receiver: Receiver,
    pub client: Client,
    pub manual: Option<Arc<ManualClock>>,
    pub stop: CancellationToken,
    /// Bills that are still to be registered, the first due at the end.
    pub waiting: Vec<(Timestamp, Bill)>,
    carrier: dcsa::Server,
    /// A named database gets a schema for this run only.
    _schema: Option<Scratch>,
    folder: TempDir,
}

impl Stage {
    /// Builds it. The API answers when this returns; nothing is registered yet.
    pub async fn build(settings: Settings, demo: &Demo) -> Result<Self> {
        let world = Arc::new(World::new(demo.seed, &world_settings(demo)));
        let manual = demo
            .by_hand()
            .then(|| Arc::new(ManualClock::new(world.starts_at())));
        let clock: Arc<dyn Clock> = match &manual {
            Some(manual) => Arc::clone(manual) as Arc<dyn Clock>,
            None => Arc::new(ScaledClock::new(world.starts_at(), demo.speed)),
        };
        let told: simulator::Clock = {
            let clock = Arc::clone(&clock);
            Arc::new(move || clock.now())
        };
        let carrier_door = TcpListener::bind("127.0.0.1:0").await?;
        let carrier = dcsa::serve(carrier_door, Arc::clone(&world), Arc::clone(&told))?;
        let receiver = Receiver::bind("127.0.0.1:0", told).await?;
        if !demo.by_hand() {
            receiver.tolerate(TOLERANCE);
        }
        let folder = tempfile::tempdir().context("no temporary folder for the demo's store")?;
        let door = api_door(demo).await?;
        let address = door.local_addr()?;
        let mut settings = adjusted(settings, demo, &world, address, &folder);
        let schema = scratch(&mut settings)?;
        let profile = Profile::parse(&world.profile_toml(&carrier.base_url()))
            .map_err(|error| anyhow::anyhow!("the simulated carrier's profile: {error}"))?;
        let mut profiles = vec![profile.into()];
        if demo.events {
            profiles.extend(super::events::profiles(&world, &carrier.base_url())?);
        }
        let store = wire::open_store(&settings)?;
        let tracking = wire::assemble(&settings, store, profiles, clock).await?;
        let stop = CancellationToken::new();
        tokio::spawn(api::serve(
            door,
            tracking.clone(),
            api_settings(&settings),
            stop.clone(),
        ));
        let client = open_account(&tracking, &receiver, address).await?;
        let waiting = registrations(&world);
        Ok(Self {
            world,
            tracking,
            receiver,
            client,
            manual,
            stop,
            waiting,
            carrier,
            _schema: schema,
            folder,
        })
    }

    /// Registers every bill whose time has come.
    pub async fn register_due(&mut self) -> Result<()> {
        let now = self.tracking.now();
        while let Some((at, bill)) = self.waiting.pop() {
            if at > now {
                self.waiting.push((at, bill));
                break;
            }
            self.client.track(&bill, self.world.scac()).await?;
        }
        Ok(())
    }

    /// When the next bill is to be registered.
    pub fn next_registration(&self) -> Option<Timestamp> {
        self.waiting.last().map(|(at, _)| *at)
    }

    /// Takes it down; the temporary store goes with it.
    pub async fn end(self) {
        self.stop.cancel();
        self.receiver.stop().await;
        self.carrier.stop().await;
        if let Err(error) = self.folder.close() {
            tracing::debug!(%error, "the demo's temporary folder could not be removed");
        }
    }
}

/// The world of a run; where journeys of feeds are told, only its carrier is wanted, who knows no number.
fn world_settings(demo: &Demo) -> WorldSettings {
    let usual = WorldSettings::default();
    let bills = if demo.events { 0 } else { usual.bills };
    WorldSettings { bills, ..usual }
}

async fn api_door(demo: &Demo) -> Result<TcpListener> {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let usual = SocketAddr::from(([127, 0, 0, 1], 8049));
    let wanted = demo
        .listen
        .unwrap_or(if demo.by_hand() { any } else { usual });
    let door = TcpListener::bind(wanted).await;
    door.with_context(|| format!("listen {wanted} cannot be used; give another with --listen"))
}

/// A schema of this run's own in the database that the settings name, which point into it from now on.
fn scratch(settings: &mut Settings) -> Result<Option<Scratch>> {
    if settings.database.is_empty() {
        return Ok(None);
    }
    let moment = Timestamp::now().as_microsecond();
    let name = format!("quayside_demo_{}_{moment}", std::process::id());
    let scratch = Scratch::create(&settings.database, &name)?;
    scratch.url().clone_into(&mut settings.database);
    Ok(Some(scratch))
}

/// The operator's settings, with loopback opened, limits off, and a store of the demo's own unless a
/// database is named.
fn adjusted(
    mut settings: Settings,
    demo: &Demo,
    world: &World,
    address: SocketAddr,
    folder: &TempDir,
) -> Settings {
    settings.listen = address;
    settings.base_url = String::new();
    folder.path().clone_into(&mut settings.data_dir);
    settings.main_key = String::new();
    settings.main_key_also = String::new();
    settings.egress.allow_http = true;
    settings.egress.allow_networks = vec!["127.0.0.0/8".into()];
    settings.egress.deny_networks = Vec::new();
    settings.egress.proxy = String::new();
    // Whoever tries the demo beside his own settings has ranks for sources of his own.
    settings.sources.trust.clear();
    settings.rate_limits.default = 0;
    settings.rate_limits.create_tracking_request = 0;
    settings.rate_limits.infer_number = 0;
    settings.rate_limits.listen = 0;
    for source in ["larkspur", super::events::LINE] {
        let secrets = world.secrets().into_iter().collect();
        settings.sources.secrets.insert(source.into(), secrets);
    }
    if !demo.by_hand() {
        // A lease is virtual time too: it must outlast an attempt in real time.
        let scaled = f64::from(settings.work.lease_seconds) * demo.speed.max(1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "clamped"
        )]
        let seconds = scaled.clamp(1.0, f64::from(u32::MAX)) as u32;
        settings.work.lease_seconds = seconds;
    }
    settings
}

async fn open_account(
    tracking: &Tracking,
    receiver: &Receiver,
    address: SocketAddr,
) -> Result<Client> {
    let account = access::create_account(tracking, "Demo", Plan::SelfHosted).await?;
    let made = access::create_key(tracking, account.id, "demo", Permissions::ALL).await?;
    let client = Client::new(address, made.1)?;
    let events: Vec<&str> = EventName::ALL.iter().map(|event| event.as_str()).collect();
    let body = json!({ "data": { "type": "webhook", "attributes": {
        "url": receiver.url(), "events": events } } });
    let created = client.post("/webhooks", &body).await?;
    let secret = text(&created, "/data/attributes/secret").unwrap_or_default();
    ensure!(
        !secret.is_empty(),
        "the created webhook shows no secret: {created}"
    );
    receiver.set_secret(&secret);
    Ok(client)
}

/// When the carrier first says that something happened to a box of the bill; before that it may name no box.
fn first_word(world: &World, bill: &Bill) -> Option<Timestamp> {
    let boxes = bill
        .containers
        .iter()
        .filter_map(|number| world.truth().boxes.get(number));
    let milestones = boxes.flat_map(|told| &told.milestones);
    milestones
        .filter_map(|milestone| milestone.words.first_published())
        .min()
}

fn registrations(world: &World) -> Vec<(Timestamp, Bill)> {
    let mut waiting: Vec<(Timestamp, Bill)> = world
        .bills()
        .iter()
        .map(|bill| {
            let at = match bill.kind {
                NumberKind::Container => {
                    let named = first_word(world, bill).unwrap_or(bill.known_from);
                    named.max(bill.known_from) + CONTAINER_REGISTERED_AFTER
                }
                NumberKind::BillOfLading | NumberKind::Booking => {
                    let known = bill.known_from - REGISTERED_BEFORE;
                    first_word(world, bill).map_or(known, |first| known.max(first - WAITED_MAX))
                }
            };
            (at.max(world.starts_at()), bill.clone())
        })
        .collect();
    waiting.sort_by(|a, b| (b.0, &b.1.number).cmp(&(a.0, &a.1.number)));
    waiting
}
