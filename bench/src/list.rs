//! A list of 25 containers, read from the store for every answer: in short and in long accounts, on the first page
//! and on the last, and against a static body of the same bytes.
//!
//! The containers come from real intake, so their documents are what clients see; a long account is filled up with
//! copies of them. All sides are asked in the same way by the same driver, on a thread beside the two workers that
//! answer. Times of single answers are taken in turn, one connection each, so that a slow moment meets all alike.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use api::{RateLimits, Server, Settings};
use bytes::Bytes;
use clap::Args;
use store::Database;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::carrier::{BOXES_PER_BILL, Carrier, Load, VOYAGE, event};
use crate::ceiling::{bare_page, on_a_thread, static_body};
use crate::driver::Question;
use crate::ground::{Engine, Ground, Grounds};
use crate::machine::anonymous_megabytes;
use crate::service::{Service, Working, runtime};
use crate::start;
use crate::table::{self, Line, Round, median, quantile};

/// What the design asks for in the end.
const TARGET: f64 = 0.35;
/// On PostgreSQL the page itself is the limit: what the design asks for beside it.
const PAGE_TARGET: f64 = 0.60;
/// Rows of a page.
const PAGE: u32 = 25;
/// Containers that come from intake; more are copies.
const TAKEN_IN_MAX: u32 = 1_000;

/// How much is listed.
#[derive(Args)]
pub struct Options {
    /// Containers of each account, the short one first.
    #[arg(long, value_delimiter = ',', default_values_t = [1_000, 100_000])]
    rows: Vec<u32>,
    /// Answers of each kind whose time is taken.
    #[arg(long, default_value_t = 1_000)]
    reads: u32,
    /// Seconds of each run.
    #[arg(long, default_value_t = 3)]
    seconds: u64,
    /// The server, whose start and memory are measured; beside this program unless said otherwise.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Starts of the server.
    #[arg(long, default_value_t = 5)]
    starts: u32,
}

/// Measures and prints.
pub fn run(grounds: &Grounds, options: &Options) -> Result<()> {
    let mut lines = Vec::new();
    let mut told = Vec::new();
    for engine in grounds.engines() {
        let seen = measure(grounds, *engine, options)?;
        lines.push(line(engine.name(), "static", TARGET, seen.beside_static));
        if !seen.beside_page.is_empty() {
            lines.push(line(
                engine.name(),
                "bare page",
                PAGE_TARGET,
                seen.beside_page,
            ));
        }
        told.push(seen.told);
    }
    table::print("list of 25 containers", "requests/s", &lines);
    for told in told {
        println!("\n{told}");
    }
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

/// The same figures of ours beside each ceiling, and what was seen besides.
#[derive(Default)]
struct Seen {
    beside_static: Vec<Round>,
    beside_page: Vec<Round>,
    told: String,
}

fn measure(grounds: &Grounds, engine: Engine, options: &Options) -> Result<Seen> {
    let runtime = runtime()?;
    let mut accounts = Vec::new();
    for rows in &options.rows {
        let ground = grounds.fresh(engine)?;
        let bills = (*rows).min(TAKEN_IN_MAX).div_ceil(BOXES_PER_BILL);
        let carrier = Carrier::open(bills, Load::Voyage)?;
        let house = runtime.block_on(House::open(&ground, &carrier, bills, *rows))?;
        accounts.push((house, ground));
        println!("{}: {rows} containers are there", engine.name());
    }
    let (house, ground) = accounts.last().context("--rows names no account")?;
    let body = Bytes::from(runtime.block_on(house.page(1).once())?);
    let fixed = Question {
        address: runtime.block_on(static_body::serve(body.clone()))?,
        path: "/static".into(),
        key: None,
    };
    let mut seen = Seen::default();
    throughput(
        &mut seen,
        (house, ground),
        &fixed,
        body.len(),
        grounds.rounds,
        options,
    )?;
    let times = runtime.block_on(times(&accounts, &fixed, options))?;
    let mut grounds_left = Vec::new();
    let mut key = None;
    for (house, ground) in accounts {
        key = house.page(1).key;
        runtime.block_on(house.close())?;
        grounds_left.push(ground);
    }
    let ground = grounds_left.last().context("no account")?;
    seen.told = format!(
        "{}\n{times}{}",
        engine.name(),
        served(ground, key.as_deref(), options)?
    );
    Ok(seen)
}

/// Rounds of full load on the first page of the long account.
fn throughput(
    seen: &mut Seen,
    (house, ground): (&House, &Ground),
    fixed: &Question,
    body_bytes: usize,
    rounds: u32,
    options: &Options,
) -> Result<()> {
    println!(
        "a page of 25 out of {} containers is {body_bytes} bytes",
        house.rows
    );
    let span = Duration::from_secs(options.seconds);
    let bare = bare_page_of(ground, house.rows, body_bytes / PAGE as usize)?;
    for _ in 0..rounds {
        let (ceiling, page) = (fixed.repeat(span)?, house.page(1).repeat(span)?);
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
    Ok(())
}

/// Times of single answers, and how they compare with the first page of the first account.
async fn times(
    accounts: &[(House, Ground)],
    fixed: &Question,
    options: &Options,
) -> Result<String> {
    let mut names = vec!["static body".to_owned()];
    let mut questions = vec![fixed.clone()];
    for (house, _) in accounts {
        for page in house.pages() {
            names.push(format!("{} containers, page {page}", house.rows));
            questions.push(house.page(page));
        }
        names.push(format!("{} containers, one status", house.rows));
        questions.push(house.asking("&filter[current_status]=empty_returned"));
        names.push(format!("{} containers, port and line", house.rows));
        questions.push(house.asking("&filter[port_of_discharge]=USLAX&filter[scac]=MSCU,MAEU"));
    }
    let driving = tokio::task::spawn_blocking({
        let (questions, reads) = (questions.clone(), options.reads);
        move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(Question::in_turn(&questions, reads))
        }
    });
    let times = driving.await??;
    let first = times
        .get(1)
        .map_or(f64::NAN, |times| median(times.iter().copied()));
    let mut told = format!("p50 of {} answers (ms), of the first page\n", options.reads);
    for (name, times) in names.iter().zip(&times) {
        let p50 = median(times.iter().copied());
        let p99 = quantile(times.iter().copied(), 99);
        let ratio = p50 / first;
        writeln!(
            told,
            "  {name:<36} {p50:>8.3}  x {ratio:>6.2}  (p99 {p99:.3})"
        )?;
    }
    Ok(told)
}

/// The release binary on the long account's store: its start, and its memory under a load of lists.
fn served(ground: &Ground, key: Option<&str>, options: &Options) -> Result<String> {
    let binary = start::binary(options.binary.as_ref())?;
    let mut starts = Vec::new();
    for _ in 0..options.starts {
        starts.push(start::start(&binary, ground)?.milliseconds);
    }
    let started = start::start(&binary, ground)?;
    let rows = options.rows.last().copied().unwrap_or(1);
    let span = Duration::from_secs(options.seconds);
    for page in pages(rows) {
        let question = Question {
            address: started.address,
            path: path_of(page),
            key: key.map(ToOwned::to_owned),
        };
        question.repeat(span)?;
    }
    let worst = starts.iter().copied().fold(0.0, f64::max);
    Ok(format!(
        "serve on that store: first healthy answer after {:.0} ms (worst {worst:.0}); \
         anonymous memory after a load of lists {:.1} MB",
        median(starts),
        anonymous_megabytes(started.running.process())?
    ))
}

fn path_of(page: u32) -> String {
    format!("/v2/containers?page[size]={PAGE}&page[number]={page}")
}

/// The first page, one in the middle and the last.
fn pages(rows: u32) -> [u32; 3] {
    let last = rows.div_ceil(PAGE);
    [1, (last / 2).max(1), last]
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
    service: Service,
    working: Working,
    serving: JoinHandle<()>,
    stop: CancellationToken,
    rows: u32,
    question: Question,
}

impl House {
    /// Fills a store with the bills `0..bills`, and copies up to `rows` containers, and serves it.
    async fn open(ground: &Ground, carrier: &Carrier, bills: u32, rows: u32) -> Result<Self> {
        let service = Service::open(ground, carrier).await?;
        service.request_all(0..bills).await?;
        let working = service.work();
        service.wait_for_containers(bills).await?;
        service.multiply(rows).await?;
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
            path: path_of(1),
            key: Some(service.key().await?),
        };
        Ok(Self {
            service,
            working,
            serving,
            stop,
            rows: rows.max(bills * BOXES_PER_BILL),
            question,
        })
    }

    fn page(&self, page: u32) -> Question {
        Question {
            path: path_of(page),
            ..self.question.clone()
        }
    }

    fn asking(&self, filter: &str) -> Question {
        Question {
            path: path_of(1) + filter,
            ..self.question.clone()
        }
    }

    fn pages(&self) -> [u32; 3] {
        pages(self.rows)
    }

    async fn close(self) -> Result<()> {
        self.stop.cancel();
        self.serving.await?;
        self.working.finish().await?;
        drop(self.service);
        Ok(())
    }
}
