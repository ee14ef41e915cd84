//! How senders of EDI get their envelopes wrong: other separators, line ends, marks, padding, counts.

use edi::{Habits, Syntax};
use jiff::Timestamp;

use super::super::{Condition, Feed};
use crate::dice::Dice;

/// The habit of whoever wrote a file at this moment: the same for the same file sent again.
pub(super) fn of(issued_at: Timestamp, usual: Syntax) -> (Syntax, Habits) {
    let mut habits = Habits::default();
    let mut syntax = usual;
    match draw(issued_at) {
        0 => habits.line_end = "\n",
        1 => habits.line_end = "\r\n",
        2 => habits.byte_order_mark = true,
        3 => habits.trimmed = true,
        4 => habits.declared = true,
        5 => habits.miscounted = true,
        6 if usual == Syntax::X12 => syntax.element = b'|',
        7 if usual == Syntax::X12 => syntax.terminator = b'\n',
        _ => {}
    }
    (syntax, habits)
}

/// A wrong count is worth a word to who reads it, and nothing more.
pub(in super::super) fn condition(feed: Feed, issued_at: Timestamp) -> Condition {
    let edi = matches!(
        feed,
        Feed::Quay | Feed::Gate | Feed::Hub | Feed::Forwarder | Feed::Ramp | Feed::Trucker
    );
    if edi && draw(issued_at) == 5 {
        Condition::Damaged
    } else {
        Condition::Sound
    }
}

/// One file of two has a habit.
fn draw(issued_at: Timestamp) -> i64 {
    Dice::about(0, &format!("habit at {issued_at}")).between(0, 15)
}
