//! Rounds, their medians, and the table that is printed.

use crate::machine::Spent;

/// Figures of one round, per second.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    /// What the ceiling did.
    pub ceiling: f64,
    /// What we did.
    pub ours: f64,
}

/// What one measurement did, and what it cost.
#[derive(Clone, Copy, Debug)]
pub struct Rate {
    /// Things a second.
    pub per_second: f64,
    /// Seconds of processor for a thousand of them, the database server's included.
    pub cpu_per_thousand: f64,
}

impl Rate {
    /// `count` things at this cost.
    pub fn of(count: u32, spent: Spent) -> Self {
        Self {
            per_second: f64::from(count) / spent.seconds,
            cpu_per_thousand: spent.cpu * 1_000.0 / f64::from(count),
        }
    }
}

impl std::fmt::Display for Rate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:.0}/s, {:.3} cpu s per 1,000",
            self.per_second, self.cpu_per_thousand
        )
    }
}

/// A line of the table: one engine's rounds.
pub struct Line {
    /// What is measured.
    pub name: String,
    /// Its rounds.
    pub rounds: Vec<Round>,
    /// The ratio the design asks for in the end.
    pub target: f64,
}

/// Prints the lines under a heading.
pub fn print(heading: &str, unit: &str, lines: &[Line]) {
    println!("\n{heading} ({unit}; medians, and the ratio of each round)");
    println!(
        "| {:<24} | {:>9} | {:>9} | {:>6} | {:<22} | {:>7} | {:>6} |",
        "", "ceiling", "ours", "ratio", "rounds", "1/3 bar", "target"
    );
    println!(
        "|{}|",
        [
            "-".repeat(26),
            "-".repeat(11),
            "-".repeat(11),
            "-".repeat(8),
            "-".repeat(24),
            "-".repeat(9),
            "-".repeat(8)
        ]
        .join("|")
    );
    for line in lines {
        line.print();
    }
}

impl Line {
    fn print(&self) {
        let ratios: Vec<f64> = self
            .rounds
            .iter()
            .map(|round| round.ours / round.ceiling)
            .collect();
        let each: Vec<String> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
        println!(
            "| {:<24} | {:>9.0} | {:>9.0} | {:>6.2} | {:<22} | {:>7.2} | {:>6.2} |",
            self.name,
            median(self.rounds.iter().map(|round| round.ceiling)),
            median(self.rounds.iter().map(|round| round.ours)),
            median(ratios),
            each.join(" "),
            self.target / 3.0,
            self.target,
        );
    }
}

/// The middle value; of an even count the upper one of the two.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    quantile(values, 50)
}

/// The value below which `percent` of the values lie.
pub fn quantile(values: impl IntoIterator<Item = f64>, percent: usize) -> f64 {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let values = || (1..=100).map(f64::from);
        assert!((quantile(values(), 99) - 100.0).abs() < f64::EPSILON);
        assert!((median([3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median([]).is_nan());
    }
}
