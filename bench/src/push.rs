//! Pushes: sixty-four carriers' pushes of one event each under way at once, answered when committed, each told to one
//! endpoint.
//!
//! Both sides are pushed the same bodies by the same driver, and send the same ones. The smallest sender keeps a message,
//! posts it and records the attempt. Ours keeps the message, reads it, merges it into the box it is about, and tells what changed.
//!
//! Every push is about a box that is tracked: its vessel has departed, where before it was known to be loaded.

use std::time::Duration;

use anyhow::Result;
use api::{RateLimits, Server, Settings};
use bytes::Bytes;
use clap::Args;
use domain::event::EventName;
use tokio_util::sync::CancellationToken;

use crate::carrier::{Carrier, Load, PUSH_SECRET, departure};
use crate::ceiling::sender::{self, Messages};
use crate::driver::Pushes;
use crate::ground::{Ground, Grounds};
use crate::machine::Meter;
use crate::receiver::{Log, Receiver};
use crate::service::{Service, runtime};
use crate::table::{self, Line, Rate, Round};

/// What the design asks for in the end.
const TARGET: f64 = 0.50;
/// Between two looks at the receiver.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// How much is pushed.
#[derive(Args)]
pub struct Options {
    /// Pushes, each about a box of its own.
    #[arg(long, default_value_t = 10_000)]
    pushes: u32,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let carrier = Carrier::open(options.pushes, Load::Loading)?;
    let bodies: Vec<Bytes> = (0..options.pushes).map(|n| departure(n).into()).collect();
    let mut lines = Vec::new();
    for engine in grounds.engines() {
        let mut rounds = Vec::new();
        for _ in 0..grounds.rounds {
            let (ours, sent) = ours(&grounds.fresh(*engine)?, &carrier, &bodies)?;
            let ceiling = sender::pushed(&grounds.fresh(*engine)?, &sent, &bodies)?;
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
    table::print("pushes, each told", "deliveries/s", &lines);
    Ok(())
}

fn ours(ground: &Ground, carrier: &Carrier, bodies: &[Bytes]) -> Result<(Rate, Messages)> {
    let count = u32::try_from(bodies.len())?;
    runtime()?.block_on(async {
        let receiver = Receiver::open(Log::Nothing)?;
        let service = Service::open(ground, carrier).await?;
        service.request_all(0..count).await?;
        let working = service.work();
        service.wait_for_boxes(count).await?;
        service
            .subscribe(receiver.url(), &[EventName::VesselDeparted])
            .await?;
        ground.analyze()?;
        let settings = Settings {
            rate_limits: RateLimits::NONE,
            drain_notice: Duration::ZERO,
            ..Settings::default()
        };
        let server = Server::bind(([127, 0, 0, 1], 0).into(), settings).await?;
        let address = server.address()?;
        let closing = CancellationToken::new();
        let serving = tokio::spawn(server.run(service.tracking.clone(), closing.clone()));
        let pushes = Pushes {
            address,
            path: "/inbound/bench".into(),
            headers: vec![("Authorization".into(), format!("Bearer {PUSH_SECRET}"))],
            bodies: bodies.to_vec(),
        };
        eprintln!("{count} pushes begin");
        let meter = Meter::start(ground.server);
        pushes.send().await?;
        while receiver.arrivals() < u64::from(count) {
            tokio::time::sleep(LOOK_EVERY).await;
        }
        service.wait_until_told().await?;
        let spent = meter.spent();
        closing.cancel();
        serving.await?;
        working.finish().await?;
        Ok((Rate::of(count, spent), Messages::new(receiver.samples())?))
    })
}
