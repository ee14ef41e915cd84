//! Good endpoints among hostile ones: what the good ones notice.
//!
//! A few times a second a bill's loading is told to 200 endpoints that answer, first alone, then with 50 more that
//! hang, redirect, send ten megabytes, take eight seconds or fail. Time runs from the carrier's answer to the
//! arrival, for the good ones only. All endpoints are of one account, which is the hardest case: its share of places is
//! the smallest. What is measured is the release binary, so that its memory is its own: carrier, receivers and driver
//! are in this process.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::Result;
use bytes::Bytes;
use clap::Args;
use domain::event::EventName;
use tokio::task::JoinSet;

use crate::carrier::{Carrier, LINE, Load, bill_number};
use crate::driver::post;
use crate::ground::{Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::receiver::{Log, Receiver, hostile};
use crate::service::{Service, runtime};
use crate::start;
use crate::table::quantile;

/// How many, how fast and how long.
#[derive(Args)]
pub struct Options {
    /// Endpoints that answer.
    #[arg(long, default_value_t = 200)]
    good: u32,
    /// Endpoints that do not.
    #[arg(long, default_value_t = 50)]
    hostile: u32,
    /// Bills in a second; each is told to every endpoint.
    #[arg(long, default_value_t = 2)]
    rate: u32,
    /// Seconds.
    #[arg(long, default_value_t = 30)]
    seconds: u32,
    /// The server; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<PathBuf>,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    println!(
        "\nfrom the carrier's answer to {} good webhooks (ms), {} bills a second",
        options.good, options.rate
    );
    println!("|            | hostile | told  | p50    | p99    | MB above idle |");
    println!("|------------|---------|-------|--------|--------|---------------|");
    for engine in grounds.engines() {
        for hostile in [0, options.hostile] {
            let seen = measure(&grounds.fresh(*engine)?, options, hostile)?;
            println!(
                "| {:<10} | {hostile:>7} | {:>5} | {:>6.1} | {:>6.1} | {:>13.1} |",
                engine.name(),
                seen.times.len(),
                quantile(seen.times.iter().copied(), 50),
                quantile(seen.times.iter().copied(), 99),
                seen.megabytes,
            );
        }
    }
    Ok(())
}

struct Seen {
    times: Vec<f64>,
    megabytes: f64,
}

fn measure(ground: &Ground, options: &Options, bad: u32) -> Result<Seen> {
    let bills = options.rate * options.seconds;
    let carrier = Carrier::open(bills, Load::Loading)?;
    let receiver = Receiver::open(Log::Bills)?;
    let key = runtime()?.block_on(furnish(ground, &carrier, &receiver, (options.good, bad)))?;
    let sources = ground.folder().join("sources.d");
    std::fs::create_dir(&sources)?;
    std::fs::write(sources.join("bench.toml"), carrier.profile())?;
    let started = start::start(&start::binary(options.binary.as_ref())?, ground)?;
    std::thread::sleep(REST);
    let process = started.running.process();
    let idle = anonymous_megabytes(process)?;
    let mut most = idle;
    runtime()?.block_on(async {
        let mut beat = tokio::time::interval(Duration::from_secs(1) / options.rate);
        let mut asking = JoinSet::new();
        for bill in 0..bills {
            beat.tick().await;
            let (address, key) = (started.address, key.clone());
            asking.spawn(async move { post(address, REQUESTS, &key, request(bill)).await });
            most = most.max(anonymous_megabytes(process)?);
        }
        while let Some(asked) = asking.join_next().await {
            asked??;
        }
        let wanted = u64::from(bills) * u64::from(options.good);
        let began = Instant::now();
        while receiver.arrivals() < wanted && began.elapsed() < PATIENCE {
            tokio::time::sleep(LOOK_EVERY).await;
            most = most.max(anonymous_megabytes(process)?);
        }
        Ok(Seen {
            times: times(&carrier.answered(), &receiver),
            megabytes: most - idle,
        })
    })
}

/// Makes the account with its webhooks; a key of it.
async fn furnish(
    ground: &Ground,
    carrier: &Carrier,
    receiver: &Receiver,
    (good, bad): (u32, u32),
) -> Result<String> {
    let service = Service::open(ground, carrier).await?;
    let trap = hostile()?;
    let loaded = [EventName::VesselLoaded];
    for n in 0..good {
        let url = format!("{}/{n}", receiver.url());
        service.subscribe(url, &loaded).await?;
    }
    for n in 0..bad {
        let url = format!("http://{trap}/{n}");
        service.subscribe(url, &loaded).await?;
    }
    service.key().await
}

fn request(bill: u32) -> Bytes {
    let number = bill_number(bill);
    let wanted = serde_json::json!({"data": {"type": "tracking_request", "attributes":
        {"request_type": "bill_of_lading", "request_number": number, "scac": LINE}}});
    wanted.to_string().into()
}

/// Where bills are asked for.
const REQUESTS: &str = "/v2/tracking_requests";
/// From the first healthy answer to the look at the memory of a server at rest.
const REST: Duration = Duration::from_secs(2);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// What has not arrived by then counts as lost.
const PATIENCE: Duration = Duration::from_mins(1);

fn times(answered: &HashMap<u32, Instant>, receiver: &Receiver) -> Vec<f64> {
    let arrivals = receiver.bills();
    let times = arrivals.iter().filter_map(|(bill, arrived)| {
        Some(arrived.duration_since(*answered.get(bill)?).as_secs_f64() * 1_000.0)
    });
    times.collect()
}
