//! Intake: from carriers' answers to stored reports, merged states, events and notifications.
//!
//! Ours is measured from the moment the background work begins until every container of every bill is there.
//! The bills are registered before, and one webhook is subscribed to every event, so that the outbox is
//! written; its receiver takes connections and never answers, so that the delivering half makes one
//! attempt and then stands still.

use anyhow::Result;
use clap::Args;
use domain::event::EventName;

use crate::carrier::{BOXES_PER_BILL, Carrier, EVENTS_PER_BOX, Load};
use crate::ceiling::{self, bare_store};
use crate::ground::{Ground, Grounds};
use crate::machine::Meter;
use crate::receiver::{Log, Receiver};
use crate::service::{Service, runtime};
use crate::table::{self, Line, Round};

/// What the design asks for in the end.
const TARGET: f64 = 0.60;

/// Bills taken in before: the measured ones come into a store that is not empty.
const WARM_BILLS: u32 = 100;

/// How much is taken in.
#[derive(Args)]
pub struct Options {
    /// Bills of lading, thirty events each.
    #[arg(long, default_value_t = 700)]
    bills: u32,
    /// Events of the bare store.
    #[arg(long, default_value_t = 20_000)]
    ceiling_events: u32,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let carrier = Carrier::open(WARM_BILLS + options.bills, Load::Voyage)?;
    println!(
        "{} bytes an event, {} events",
        carrier.event_bytes,
        events(options.bills)
    );
    let material = bare_store::Material::make(options.ceiling_events);
    let mut lines = Vec::new();
    for engine in grounds.engines() {
        let mut rounds = Vec::new();
        for _ in 0..grounds.rounds {
            let ground = grounds.fresh(*engine)?;
            let ceiling = ceiling::on_a_thread(|| bare_store::run(&ground, &material))?;
            drop(ground);
            let ours = ours(&grounds.fresh(*engine)?, &carrier, options.bills)?;
            println!("{}: bare store {ceiling}; ours {ours}", engine.name());
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
    table::print("intake", "events/s", &lines);
    Ok(())
}

fn ours(ground: &Ground, carrier: &Carrier, bills: u32) -> Result<table::Rate> {
    runtime()?.block_on(async {
        let receiver = Receiver::open(Log::Nothing)?;
        let service = Service::open(ground, carrier).await?;
        service.subscribe(receiver.url(), &EventName::ALL).await?;
        receiver.keep_waiting();
        service.request_all(0..WARM_BILLS).await?;
        let warming = service.work();
        service.wait_for_containers(WARM_BILLS).await?;
        receiver.answer();
        warming.finish().await?;
        ground.analyze()?;
        let all = WARM_BILLS + bills;
        service.request_all(WARM_BILLS..all).await?;
        receiver.keep_waiting();
        let meter = Meter::start(ground.server);
        let working = service.work();
        service.wait_for_containers(all).await?;
        let spent = meter.spent();
        receiver.answer();
        working.finish().await?;
        Ok(table::Rate::of(events(bills), spent))
    })
}

fn events(bills: u32) -> u32 {
    bills * BOXES_PER_BILL * EVENTS_PER_BOX
}
