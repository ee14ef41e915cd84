//! Quayside itself, wired as the server wires it, with one carrier, one account and one webhook.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use domain::account::{Permissions, Plan};
use domain::codes::{ContainerNumber, Scac};
use domain::event::EventName;
use domain::ids::{AccountId, ContainerId};
use domain::tracking_request::NumberKind;
use domain::trust::Trust;
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{Puller, Secrets};
use sources::outbound::{EgressSettings, Limits, Outbound};
use sources::registry::Registry;
use sources::{Profile, Speaks};
use store::container::Container;
use store::{Key, Settings, Slice, Store};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;
use tracking::clock::SystemClock;
use tracking::request::NewRequest;
use tracking::webhooks::{self, NewWebhook};
use tracking::{LEASE_DEFAULT, Parts, Source, Tracking, Vault, access, id_source};

use crate::carrier::{BOXES_PER_BILL, Carrier, LINE, PUSH_SECRET, bill_number};
use crate::ground::Ground;

/// Requests placed at once while a store is filled.
const PLACED_AT_ONCE: usize = 64;
/// Longest wait for anything to be finished.
const PATIENCE: Duration = Duration::from_mins(5);
/// Copies of containers written at once.
const COPIED_AT_ONCE: usize = 250;

/// A service over a fresh store.
pub struct Service {
    /// The use cases.
    pub tracking: Tracking,
    /// The account that asks and is told.
    pub account: AccountId,
}

/// Background work under way.
pub struct Working {
    stop: CancellationToken,
    work: JoinHandle<()>,
}

impl Working {
    /// Stops and waits for what has begun.
    pub async fn finish(self) -> Result<()> {
        self.stop.cancel();
        self.work.await.context("the background work panicked")
    }
}

impl Service {
    /// Opens the store and creates the account.
    pub async fn open(ground: &Ground, carrier: &Carrier) -> Result<Self> {
        let profile = Profile::parse(&carrier.profile())?;
        let doors = profile.doors.clone();
        let Speaks::Ocean(profile) = profile.speaks else {
            anyhow::bail!("the bench line speaks DCSA");
        };
        let line = profile.shipping_line().context("the profile has no line")?;
        let egress = EgressSettings {
            allow_networks: vec!["127.0.0.0/8".parse()?],
            allow_http: true,
            ..EgressSettings::default()
        };
        let outbound = Outbound::new(egress.clone())?;
        let puller = Puller::new(outbound.clone(), *profile, Secrets::default());
        let secrets = BTreeMap::from([("inbound".to_owned(), PUSH_SECRET.to_owned())]);
        let source = Source::new(puller).with_doors(doors, &secrets)?;
        let tracking = Tracking::new(Parts {
            store: Store::open(&Settings::new(ground.database.clone()))?,
            registry: Registry::load(&[line])?,
            sources: vec![source],
            outbound,
            egress,
            clock: Arc::new(SystemClock),
            vault: Vault::new(&[7; 32]),
            base_url: "http://127.0.0.1:8049/v2".into(),
            lease: LEASE_DEFAULT,
            attempt: Limits::DELIVERY,
            notifications_kept: tracking::NOTIFICATIONS_KEPT_DEFAULT,
            trust: Trust::default(),
        });
        let account = access::create_account(&tracking, "Bench", Plan::SelfHosted)
            .await?
            .id;
        Ok(Self { tracking, account })
    }

    /// A key for the API.
    pub async fn key(&self) -> Result<String> {
        let all = Permissions {
            show: true,
            update: true,
        };
        let (_, key) = access::create_key(&self.tracking, self.account, "bench", all).await?;
        Ok(key)
    }

    /// Subscribes `url` to these events.
    pub async fn subscribe(&self, url: String, events: &[EventName]) -> Result<()> {
        let wanted = NewWebhook {
            url,
            active: true,
            events: events.to_vec(),
            headers: Vec::new(),
        };
        webhooks::create(&self.tracking, self.account, wanted).await?;
        Ok(())
    }

    /// Asks for one bill to be tracked.
    pub fn request(&self, bill: u32) -> impl Future<Output = Result<()>> + Send + 'static {
        place(self.tracking.clone(), self.account, bill)
    }

    /// Asks for these bills to be tracked. Nobody asks the carrier until work begins.
    pub async fn request_all(&self, bills: Range<u32>) -> Result<()> {
        let mut placing = JoinSet::new();
        for bill in bills {
            if placing.len() >= PLACED_AT_ONCE {
                placing.join_next().await.transpose()?.transpose()?;
            }
            placing.spawn(self.request(bill));
        }
        while let Some(placed) = placing.join_next().await {
            placed??;
        }
        Ok(())
    }

    /// Begins the background work: asking, delivering, keeping house.
    pub fn work(&self) -> Working {
        let stop = CancellationToken::new();
        let work = tokio::spawn(tracking::work::run(self.tracking.clone(), stop.clone()));
        Working { stop, work }
    }

    /// Waits until every box of the bills `0..bills`, each of a whole voyage, is a container.
    pub async fn wait_for_containers(&self, bills: u32) -> Result<()> {
        self.wait_for_boxes(bills * BOXES_PER_BILL).await
    }

    /// Waits until so many boxes are containers.
    pub async fn wait_for_boxes(&self, wanted: u32) -> Result<()> {
        let account = self.account;
        let wanted = u64::from(wanted);
        let began = Instant::now();
        loop {
            let page = self.tracking.store().read(move |tx| {
                let first = Slice {
                    offset: 0,
                    limit: 1,
                };
                store::container::page(&mut tx.account(account), &<_>::default(), first)
            });
            let total = page.await?.total;
            if total >= wanted {
                return Ok(());
            }
            ensure!(began.elapsed() < PATIENCE, "{total} of {wanted} containers");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Adds copies of the account's containers, each older than the one before, until there are `rows`.
    pub async fn multiply(&self, rows: u32) -> Result<()> {
        let account = self.account;
        let models = self.containers().await?;
        let present = u32::try_from(models.len())?;
        let oldest = models.iter().map(|row| row.created_at).min();
        let oldest = oldest.context("there is nothing to copy")?;
        let models = Arc::new(models);
        let serials: Vec<u32> = (present..rows).collect();
        for serials in serials.chunks(COPIED_AT_ONCE) {
            let (models, serials) = (Arc::clone(&models), serials.to_vec());
            let ids = id_source(oldest);
            let writing = self
                .tracking
                .store()
                .write(Key::account(account), move |tx| {
                    let mut ids = ids.clone();
                    for serial in &serials {
                        let model = models.iter().cycle().nth(*serial as usize % models.len());
                        let Some(model) = model else { continue };
                        let created_at = oldest - SignedDuration::from_millis(i64::from(*serial));
                        let copy = copy_of(model, ids.draw(), *serial, created_at)?;
                        store::container::insert(&mut tx.account(account), &copy)?;
                    }
                    Ok::<_, store::Error>(())
                });
            writing.await?;
        }
        Ok(())
    }

    async fn containers(&self) -> Result<Vec<Container>> {
        let account = self.account;
        let read = self.tracking.store().read(move |tx| {
            let mut rows = Vec::new();
            for page in 0.. {
                let slice = Slice {
                    offset: page * 100,
                    limit: 100,
                };
                let mut a = tx.account(account);
                let page = store::container::page(&mut a, &<_>::default(), slice)?.rows;
                if page.is_empty() {
                    break;
                }
                for listed in page {
                    rows.extend(store::container::find(&mut a, ContainerId(listed.id))?);
                }
            }
            Ok::<_, store::Error>(rows)
        });
        Ok(read.await?)
    }

    /// Open deliveries.
    pub async fn open_deliveries(&self) -> Result<u64> {
        Ok(self
            .tracking
            .store()
            .read(store::delivery::open_count)
            .await?)
    }

    /// Waits until no delivery is open.
    pub async fn wait_until_told(&self) -> Result<()> {
        let began = Instant::now();
        loop {
            let open = self.open_deliveries().await?;
            if open == 0 {
                return Ok(());
            }
            ensure!(
                began.elapsed() < PATIENCE,
                "{open} deliveries are still open"
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// The same box under another id and number; nothing happens to it by time alone.
fn copy_of(
    model: &Container,
    id: ContainerId,
    serial: u32,
    created_at: Timestamp,
) -> Result<Container, store::Error> {
    let number = ContainerNumber::parse(&format!("BNDU{serial:06}"))
        .map_err(|error| store::Error::Refused(error.to_string()))?;
    let document = model
        .document
        .replacen(&model.id.0.to_string(), &id.0.to_string(), 1)
        .replacen(model.number.as_str(), number.as_str(), 1);
    Ok(Container {
        id,
        number,
        created_at,
        updated_at: created_at,
        next_due_at: None,
        document,
        ..model.clone()
    })
}

async fn place(tracking: Tracking, account: AccountId, bill: u32) -> Result<()> {
    let wanted = NewRequest {
        number: bill_number(bill),
        kind: NumberKind::BillOfLading,
        scac: Some(Scac::parse(LINE)?),
        auto_detect: false,
        ref_numbers: Vec::new(),
        tags: Vec::new(),
        staged: Vec::new(),
        customer: None,
    };
    tracking::request::create(&tracking, account, wanted).await?;
    Ok(())
}

/// The runtime that the server uses: a worker for each core.
pub fn runtime() -> Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?)
}
