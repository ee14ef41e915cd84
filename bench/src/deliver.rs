//! Deliveries: what waits in the outbox until it is sent, answered and recorded.
//!
//! The outbox is filled by real intake, while the receiver keeps everyone waiting; then the work is stopped
//! and the receiver answers. Ours is measured from the moment the work begins again until no delivery is
//! open: claimed and rendered durably before the attempt, recorded durably after it, in order per container.

use anyhow::Result;
use clap::Args;
use domain::event::EventName;

use crate::carrier::{Carrier, Load};
use crate::ceiling::sender::{self, Messages};
use crate::ground::{Ground, Grounds};
use crate::machine::Meter;
use crate::receiver::{Log, Receiver};
use crate::service::{Service, runtime};
use crate::table::{self, Line, Rate, Round};

/// What the design asks for in the end.
const TARGET: f64 = 0.50;

/// How much is delivered.
#[derive(Args)]
pub struct Options {
    /// Bills of lading whose events are told, some thirty deliveries each.
    #[arg(long, default_value_t = 600)]
    bills: u32,
    /// Messages of the smallest sender.
    #[arg(long, default_value_t = 20_000)]
    ceiling_messages: u32,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let carrier = Carrier::open(options.bills, Load::Voyage)?;
    let mut lines = Vec::new();
    for engine in grounds.engines() {
        let mut rounds = Vec::new();
        for _ in 0..grounds.rounds {
            let (ours, sent) = ours(&grounds.fresh(*engine)?, &carrier, options.bills)?;
            let ceiling = sender::run(&grounds.fresh(*engine)?, &sent, options.ceiling_messages)?;
            println!("{}: smallest sender {ceiling}; ours {ours}", engine.name());
            rounds.push(Round {
                ceiling: ceiling.per_second,
                ours: ours.per_second,
            });
        }
        lines.push(Line {
            name: engine.name().into(),
            rounds,
            target: TARGET,
        });
    }
    table::print("deliveries", "deliveries/s", &lines);
    Ok(())
}

fn ours(ground: &Ground, carrier: &Carrier, bills: u32) -> Result<(Rate, Messages)> {
    runtime()?.block_on(async {
        let receiver = Receiver::open(Log::Nothing)?;
        let service = Service::open(ground, carrier).await?;
        service.subscribe(receiver.url(), &EventName::ALL).await?;
        service.request_all(0..bills).await?;
        receiver.keep_waiting();
        let filling = service.work();
        service.wait_for_containers(bills).await?;
        receiver.answer();
        filling.finish().await?;
        ground.analyze()?;
        let waiting = service.open_deliveries().await?;
        let (arrivals, bytes) = (receiver.arrivals(), receiver.bytes());
        let meter = Meter::start(ground.server);
        let working = service.work();
        service.wait_until_told().await?;
        let spent = meter.spent();
        working.finish().await?;
        let arrived = receiver.arrivals() - arrivals;
        let length = (receiver.bytes() - bytes) / arrived.max(1);
        println!("  {waiting} waited, {arrived} arrived, {length} bytes each");
        let rate = Rate::of(u32::try_from(waiting)?, spent);
        Ok((rate, Messages::new(receiver.samples())?))
    })
}
