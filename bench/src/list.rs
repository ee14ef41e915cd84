//! A list of 25 containers, read from the store for every answer, against a static body of the same bytes.
//!
//! The containers come from real intake, so their documents are what clients see. Both sides are asked in the
//! same way by the same driver, on a thread beside the two workers that answer.

use std::time::Duration;

use anyhow::{Result, ensure};
use api::{RateLimits, Server, Settings};
use bytes::Bytes;
use clap::Args;
use store::Database;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::carrier::{BOXES_PER_BILL, Carrier, Load, VOYAGE, event};
use crate::ceiling::{bare_page, on_a_thread, static_body};
use crate::driver::Question;
use crate::ground::{Ground, Grounds};
use crate::service::{Service, Working, runtime};
use crate::table::{self, Line, Round};

/// What the design asks for in the end.
const TARGET: f64 = 0.35;
/// On PostgreSQL the page itself is the limit: what the design asks for beside it.
const PAGE_TARGET: f64 = 0.60;
/// What is listed.
const PATH: &str = "/v2/containers?page%5Bsize%5D=25";

/// How much is listed.
#[derive(Args)]
pub struct Options {
    /// Containers of the account.
    #[arg(long, default_value_t = 1_000)]
    containers: u32,
    /// Seconds of each run.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let mut lines = Vec::new();
    for engine in grounds.engines() {
        let seen = measure(&grounds.fresh(*engine)?, options, grounds.rounds)?;
        lines.push(line(engine.name(), "static", TARGET, seen.beside_static));
        if !seen.beside_page.is_empty() {
            lines.push(line(
                engine.name(),
                "bare page",
                PAGE_TARGET,
                seen.beside_page,
            ));
        }
    }
    table::print("list of 25 containers", "requests/s", &lines);
    Ok(())
}

fn line(engine: &str, ceiling: &str, target: f64, rounds: Vec<Round>) -> Line {
    let name = format!("{engine} / {ceiling}");
    Line {
        name,
        rounds,
        target,
    }
}

/// The same figures of ours beside each ceiling.
#[derive(Default)]
struct Seen {
    beside_static: Vec<Round>,
    beside_page: Vec<Round>,
}

fn measure(ground: &Ground, options: &Options, rounds: u32) -> Result<Seen> {
    let bills = options.containers.div_ceil(BOXES_PER_BILL);
    let carrier = Carrier::open(bills, Load::Voyage)?;
    let span = Duration::from_secs(options.seconds);
    let runtime = runtime()?;
    let (house, ours) = runtime.block_on(House::open(ground, &carrier, bills))?;
    let body = Bytes::from(runtime.block_on(ours.once())?);
    let containers = bills * BOXES_PER_BILL;
    println!(
        "a page of 25 out of {containers} containers is {} bytes",
        body.len()
    );
    let bare = bare_page_of(ground, containers, body.len() / 25)?;
    let address = runtime.block_on(static_body::serve(body))?;
    let fixed = Question {
        address,
        path: "/static".into(),
        key: None,
    };
    let mut seen = Seen::default();
    for _ in 0..rounds {
        let (ceiling, page) = (fixed.repeat(span)?, ours.repeat(span)?);
        ensure!(
            ceiling.body_bytes == page.body_bytes,
            "the bodies differ in length"
        );
        println!(
            "  static {:.0}/s; ours {:.0}/s",
            ceiling.per_second, page.per_second
        );
        let ours = page.per_second;
        seen.beside_static.push(Round {
            ceiling: ceiling.per_second,
            ours,
        });
        if let Some(url) = &bare {
            let ceiling = on_a_thread(|| bare_page::run(url, span))?;
            println!("  bare page {ceiling:.0}/s");
            seen.beside_page.push(Round { ceiling, ours });
        }
    }
    runtime.block_on(house.close())?;
    Ok(seen)
}

/// On PostgreSQL: a table with as many documents of this length.
fn bare_page_of(ground: &Ground, rows: u32, length: usize) -> Result<Option<String>> {
    let Database::Postgres { url } = &ground.database else {
        return Ok(None);
    };
    // Text like a document's, so that it is stored as one is.
    let document = event(1, "BNCU0000017", &VOYAGE[2]).repeat(4);
    let document: String = document.chars().take(length).collect();
    on_a_thread(|| bare_page::fill(url, rows, &document))?;
    Ok(Some(url.clone()))
}

/// The whole service: the store, the background work and the HTTP server.
struct House {
    _service: Service,
    working: Working,
    serving: JoinHandle<()>,
    stop: CancellationToken,
}

impl House {
    /// Fills a store with the bills `0..bills` and serves it; the question asks for its first page.
    async fn open(ground: &Ground, carrier: &Carrier, bills: u32) -> Result<(Self, Question)> {
        let service = Service::open(ground, carrier).await?;
        service.request_all(0..bills).await?;
        let working = service.work();
        service.wait_for_containers(bills).await?;
        ground.analyze()?;
        let settings = Settings {
            rate_limits: RateLimits::NONE,
            drain_notice: Duration::ZERO,
            ..Settings::default()
        };
        let server = Server::bind(([127, 0, 0, 1], 0).into(), settings).await?;
        let address = server.address()?;
        let stop = CancellationToken::new();
        let serving = tokio::spawn(server.run(service.tracking.clone(), stop.clone()));
        let question = Question {
            address,
            path: PATH.into(),
            key: Some(service.key().await?),
        };
        Ok((
            Self {
                _service: service,
                working,
                serving,
                stop,
            },
            question,
        ))
    }

    async fn close(self) -> Result<()> {
        self.stop.cancel();
        self.serving.await?;
        self.working.finish().await
    }
}
