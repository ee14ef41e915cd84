//! `quayside demo --truth N`: how much of what many feeds tell ends as it truly was.
//!
//! The simulator draws N journeys and writes what each feed sends about them: late, twice, corrected, against
//! each other, as a date only, or not at all. The messages go through the parsers and the domain as in service,
//! without HTTP and store between, one by one in the order of their arrival. Then each milestone that anybody
//! told is compared with what truly happened: its name, its place, its time as finely as the best report had it.
//!
//! Some mistakes are looked for after every single message, because nobody forgives them: an arrival before
//! anybody told it or where it was not, a return of an empty that was none, a last free day of another day, and
//! holds, fees and availability that are not those the terminal told last.

mod judge;
mod read;
mod yard;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::process::ExitCode;

use anyhow::{Result, bail};
use domain::event::EventName;
use indicatif::ProgressBar;
use simulator::feeds::{self, Case, Tally};
use sources::registry::Registry;

use crate::command::pipe::unless_closed;
use judge::{Verdict, judge};
use read::Readers;

/// Right of ten thousand, at the least.
const RIGHT_MIN: u64 = 9_990;
/// Mistakes that are printed one by one.
const SHOWN_MAX: usize = 40;

/// Runs it and prints the figure.
pub fn run(seed: u64, journeys: u64, only: Option<u64>) -> Result<ExitCode> {
    if journeys == 0 {
        bail!("--truth needs at least one journey");
    }
    let registry = Registry::load(&[])?;
    let readers = Readers::new(registry.gazetteer())?;
    let bar = ProgressBar::new(journeys);
    let mut sum = Sum::default();
    // Who has seen enough of it (`| head`) still gets the judgement, as the command's end.
    let mut out = io::stdout().lock();
    for index in (0..journeys).filter(|index| only.is_none_or(|only| only == *index)) {
        if let Some(case) = feeds::case(seed, index, &feeds::Feed::ALL) {
            if only.is_some() {
                unless_closed(show(&case, &mut out).map_err(Into::into))?;
            }
            sum.add(
                &case.tally,
                judge(&case, index, &readers, registry.gazetteer()),
            );
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    unless_closed(
        sum.print(seed, journeys, &readers, &mut out)
            .map_err(Into::into),
    )?;
    Ok(if sum.is_good() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn show(case: &Case, out: &mut impl Write) -> io::Result<()> {
    for message in &case.messages {
        let text = String::from_utf8_lossy(&message.bytes);
        writeln!(
            out,
            "{} {:?}: {}",
            message.received_at,
            message.feed,
            text.trim_end()
        )?;
    }
    for fact in &case.facts {
        writeln!(
            out,
            "true: {} {} {}",
            fact.event.as_str(),
            fact.place,
            fact.at
        )?;
    }
    Ok(())
}

/// Everything counted.
#[derive(Default)]
struct Sum {
    tally: Tally,
    messages: u64,
    told: u64,
    right: u64,
    false_arrivals: u64,
    false_returns: u64,
    free_days: u64,
    wrong_days: u64,
    cells: u64,
    wrong_cells: u64,
    untrue: u64,
    events: BTreeSet<EventName>,
    mistakes: Vec<String>,
}

impl Sum {
    fn add(&mut self, tally: &Tally, verdict: Verdict) {
        let Tally {
            reports,
            late,
            repeated,
            corrected,
            contradicting,
            missing,
            dated,
            taken_back,
        } = *tally;
        self.tally.reports += reports;
        self.tally.late += late;
        self.tally.repeated += repeated;
        self.tally.corrected += corrected;
        self.tally.contradicting += contradicting;
        self.tally.missing += missing;
        self.tally.dated += dated;
        self.tally.taken_back += taken_back;
        self.messages += verdict.messages;
        self.told += verdict.told;
        self.right += verdict.right;
        self.false_arrivals += verdict.false_arrivals;
        self.false_returns += verdict.false_returns;
        self.untrue += verdict.untrue;
        self.free_days += verdict.free_days;
        self.wrong_days += verdict.wrong_days;
        self.cells += verdict.cells;
        self.wrong_cells += verdict.wrong_cells;
        self.events.extend(verdict.events);
        self.mistakes.extend(verdict.mistakes);
    }

    fn is_good(&self) -> bool {
        self.right * 10_000 >= self.told * RIGHT_MIN
            && self.false_arrivals == 0
            && self.false_returns == 0
            && self.wrong_days == 0
            && self.wrong_cells == 0
    }

    fn print(
        &self,
        seed: u64,
        journeys: u64,
        readers: &Readers,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for mistake in self.mistakes.iter().take(SHOWN_MAX) {
            writeln!(out, "{mistake}")?;
        }
        if self.mistakes.len() > SHOWN_MAX {
            writeln!(out, "… and {} more", self.mistakes.len() - SHOWN_MAX)?;
        }
        let all = self.tally.reports;
        let share = |part: u32| percent(u64::from(part), u64::from(all));
        writeln!(
            out,
            "journeys       {journeys}, seed {seed}, {} messages of {}",
            self.messages,
            readers.names()
        )?;
        writeln!(
            out,
            "reports        {all}: {} late, {} repeated, {} corrected, {} contradicting, {} missing, {} dates only; {} told by mistake and taken back",
            share(self.tally.late),
            share(self.tally.repeated),
            share(self.tally.corrected),
            share(self.tally.contradicting),
            share(self.tally.missing),
            share(self.tally.dated),
            self.tally.taken_back,
        )?;
        writeln!(
            out,
            "milestones     {} told by at least one feed, {} right in name, place and time ({})",
            self.told,
            self.right,
            percent(self.right, self.told)
        )?;
        writeln!(
            out,
            "told untrue    {} milestones that stand in the end and never happened",
            self.untrue
        )?;
        writeln!(
            out,
            "false          {} arrivals, {} empty returns, at any moment",
            self.false_arrivals, self.false_returns
        )?;
        writeln!(
            out,
            "free days      {} looked at after a message, {} wrong",
            self.free_days, self.wrong_days
        )?;
        writeln!(
            out,
            "collection     {} holds, fees, availabilities, appointments and places looked at, {} wrong",
            self.cells, self.wrong_cells
        )?;
        let silent: Vec<&str> = EventName::ALL
            .into_iter()
            .filter(|event| is_of_containers(*event) && !self.events.contains(event))
            .map(EventName::as_str)
            .collect();
        writeln!(
            out,
            "event names    {}; never: {}",
            self.events.len(),
            silent.join(" ")
        )
    }
}

/// Whether a change of a container's state fires it; the rest concerns requests and shipments.
fn is_of_containers(event: EventName) -> bool {
    event.as_str().starts_with("container.") && event != EventName::ContainerCreated
}

#[expect(clippy::cast_precision_loss, reason = "a percentage for people")]
fn percent(part: u64, whole: u64) -> String {
    format!("{:.2} %", part as f64 * 100.0 / whole.max(1) as f64)
}
