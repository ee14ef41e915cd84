//! How far long work is: on a terminal only, and on standard error.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use store::backup::Step;

/// Between two signs of life of work that does not say how far it is.
const TICK: Duration = Duration::from_millis(200);

/// A line that is drawn by this template.
pub fn bar(template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(0).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// One for a store that is copied and looked at.
pub fn of_bytes() -> ProgressBar {
    let bar = bar("{msg} {wide_bar} {bytes}/{total_bytes}  {elapsed}");
    bar.enable_steady_tick(TICK);
    bar
}

/// One for work that does not say how far it is.
pub fn of_time(doing: &'static str) -> ProgressBar {
    let bar = bar("{msg}  {elapsed}");
    bar.set_message(doing);
    bar.enable_steady_tick(TICK);
    bar
}

/// Draws a step.
pub fn show(bar: &ProgressBar, step: Step) {
    match step {
        Step::Copying(done, all) => {
            bar.set_message("copying");
            bar.set_length(all);
            bar.set_position(done);
        }
        Step::Checking => bar.set_message("checking"),
    }
}
