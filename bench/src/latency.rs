//! From the carrier's answer to the webhook at a steady rate, beside the disk's sync in the same seconds.
//!
//! A hundred times a second a bill is asked for; the carrier answers with one loading, and one webhook tells
//! of it. What lies between is three durable commits (the raw answer; its effect; the claim with the body),
//! so three syncs are the floor of this path. Time runs from the carrier's answer to the delivery's arrival.

use std::time::Duration;

use anyhow::Result;
use clap::Args;
use domain::event::EventName;
use tokio::task::JoinSet;

use crate::carrier::{Carrier, Load};
use crate::ground::{Ground, Grounds};
use crate::machine::{Meter, SyncProbe};
use crate::receiver::{Log, Receiver};
use crate::service::{Service, runtime};
use crate::table::quantile;

/// Pause between two syncs of the probe: seldom enough not to be the load itself.
const PROBE_PAUSE: Duration = Duration::from_millis(20);

/// How fast and how long.
#[derive(Args)]
pub struct Options {
    /// Bills in a second.
    #[arg(long, default_value_t = 100)]
    rate: u32,
    /// Seconds.
    #[arg(long, default_value_t = 20)]
    seconds: u32,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    println!(
        "\nfrom the carrier's answer to the webhook, {} a second (ms)",
        options.rate
    );
    println!(
        "| {:<10} | told | p50    | p99    | sync p50 | sync p99 | cpu s/1,000 |",
        ""
    );
    println!("|------------|------|--------|--------|----------|----------|-------------|");
    for engine in grounds.engines() {
        for _ in 0..grounds.rounds {
            let seen = measure(&grounds.fresh(*engine)?, options)?;
            println!(
                "| {:<10} | {:>4} | {:>6.2} | {:>6.2} | {:>8.2} | {:>8.2} | {:>11.2} |",
                engine.name(),
                seen.times.len(),
                quantile(seen.times.iter().copied(), 50),
                quantile(seen.times.iter().copied(), 99),
                quantile(seen.syncs.iter().copied(), 50),
                quantile(seen.syncs.iter().copied(), 99),
                seen.cpu_per_thousand,
            );
        }
    }
    Ok(())
}

struct Seen {
    times: Vec<f64>,
    syncs: Vec<f64>,
    cpu_per_thousand: f64,
}

fn measure(ground: &Ground, options: &Options) -> Result<Seen> {
    let bills = options.rate * options.seconds;
    let carrier = Carrier::open(bills, Load::Loading)?;
    let receiver = Receiver::open(Log::Bills)?;
    runtime()?.block_on(async {
        let service = Service::open(ground, &carrier).await?;
        service
            .subscribe(receiver.url(), &[EventName::VesselLoaded])
            .await?;
        let working = service.work();
        let probe = SyncProbe::start(ground.folder(), PROBE_PAUSE)?;
        let meter = Meter::start(ground.server);
        let mut beat = tokio::time::interval(Duration::from_secs(1) / options.rate);
        let mut asking = JoinSet::new();
        for bill in 0..bills {
            beat.tick().await;
            asking.spawn(service.request(bill));
        }
        while let Some(asked) = asking.join_next().await {
            asked??;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
        service.wait_until_told().await?;
        let spent = meter.spent();
        let syncs = probe.finish()?;
        working.finish().await?;
        Ok(Seen {
            times: times(&carrier, &receiver),
            syncs,
            cpu_per_thousand: spent.cpu * 1_000.0 / f64::from(bills),
        })
    })
}

fn times(carrier: &Carrier, receiver: &Receiver) -> Vec<f64> {
    let answered = carrier.answered();
    let arrivals = receiver.bills();
    let times = arrivals.iter().filter_map(|(bill, arrived)| {
        Some(arrived.duration_since(*answered.get(bill)?).as_secs_f64() * 1_000.0)
    });
    times.collect()
}
