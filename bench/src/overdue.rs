//! A start with deliveries that are long due, as after a night without network: when the service is ready, how much
//! memory it takes until all are told, and whether each container's came in order.
//!
//! The outbox is filled by real intake while the receiver keeps everyone waiting. Then the release binary is started
//! on that store, and the receiver answers.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use clap::Args;
use domain::event::EventName;

use crate::carrier::{Carrier, Load};
use crate::ground::{Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::receiver::{Log, Receiver};
use crate::service::{Service, runtime};
use crate::start;

/// Between two looks at the memory and at the receiver.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Longest wait for the last delivery.
const PATIENCE: Duration = Duration::from_mins(10);

/// How much is overdue.
#[derive(Args)]
pub struct Options {
    /// Bills of lading whose events wait to be told, some thirty deliveries each.
    #[arg(long, default_value_t = 3_450)]
    bills: u32,
    /// The server; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<std::path::PathBuf>,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    println!("\na start with overdue deliveries");
    println!(
        "| {:<10} | overdue | ready (ms) | most memory (MB) | told in (s) | boxes out of order |",
        ""
    );
    println!(
        "|------------|---------|------------|------------------|-------------|--------------------|"
    );
    for engine in grounds.engines() {
        let seen = measure(&grounds.fresh(*engine)?, options)?;
        println!(
            "| {:<10} | {:>7} | {:>10.0} | {:>16.1} | {:>11.1} | {:>18} |",
            engine.name(),
            seen.overdue,
            seen.ready,
            seen.megabytes,
            seen.seconds,
            seen.disordered,
        );
    }
    Ok(())
}

struct Seen {
    overdue: u64,
    ready: f64,
    megabytes: f64,
    seconds: f64,
    disordered: usize,
}

fn measure(ground: &Ground, options: &Options) -> Result<Seen> {
    let receiver = Receiver::open(Log::Order)?;
    let overdue = fill(ground, &receiver, options.bills)?;
    let before = receiver.arrivals();
    let began = Instant::now();
    let started = start::start(&start::binary(options.binary.as_ref())?, ground)?;
    let mut megabytes = 0.0_f64;
    while receiver.arrivals() < before + overdue {
        megabytes = megabytes.max(anonymous_megabytes(started.running.process())?);
        let arrived = receiver.arrivals() - before;
        ensure!(began.elapsed() < PATIENCE, "{arrived} of {overdue} arrived");
        std::thread::sleep(LOOK_EVERY);
    }
    Ok(Seen {
        overdue,
        ready: started.milliseconds,
        megabytes,
        seconds: began.elapsed().as_secs_f64(),
        disordered: receiver.out_of_order()?,
    })
}

/// Fills the outbox; how many deliveries are open when the work has stopped.
fn fill(ground: &Ground, receiver: &Receiver, bills: u32) -> Result<u64> {
    let carrier = Carrier::open(bills, Load::Voyage)?;
    let overdue = runtime()?.block_on(async {
        let service = Service::open(ground, &carrier).await?;
        service.subscribe(receiver.url(), &EventName::ALL).await?;
        service.request_all(0..bills).await?;
        receiver.keep_waiting();
        let filling = service.work();
        service.wait_for_containers(bills).await?;
        receiver.answer();
        filling.finish().await?;
        service.open_deliveries().await
    })?;
    ground.analyze()?;
    Ok(overdue)
}
