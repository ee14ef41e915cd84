//! What the status of a fee in a JSON list says of its payment.
//!
//! Only what says of the whole fee that nothing is owed settles it, and the usual words of an open one say nothing new. Every
//! other word may be either: the fee stays owed, and the mapping is asked to say what the word means (`[words] paid`, `owed`).

use super::hold_status;
use super::paid::{self, Of};
use super::words;

/// What a status says of its fee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nothing is owed of it.
    Settled,
    /// It is owed.
    Open,
    /// Nobody knows.
    Unclear,
}

/// Of which nothing is owed. `CLOSED`, `CREDITED` and `REFUNDED` are not said here: an invoice is closed for the next one,
/// and a part may be given back.
const SETTLED: &[&str] = &[
    "SETTLED",
    "EXEMPT",
    "EXEMPTED",
    "WRITTEN OFF",
    "PAID OFF",
    "FULLY PAID",
    "NO CHARGE",
    "NOT APPLICABLE",
];
/// The same of a fee, while a payment of which it is said was none.
const UNDONE: &[&str] = &["CANCELLED", "CANCELED", "VOID", "VOIDED"];
const OPEN: &[&str] = &[
    "UNPAID",
    "OPEN",
    "DUE",
    "PAST DUE",
    "OVERDUE",
    "OWED",
    "OWING",
    "OUTSTANDING",
    "PENDING",
    "BILLED",
    "INVOICED",
    "ACCRUING",
    "PAYMENT DUE",
    "PAYMENT REQUIRED",
    "PAYMENT PENDING",
];

/// What a status in the member of this path says, of a fee whose name is known or not.
pub(super) fn standing(path: &str, status: &str, of: Of) -> Standing {
    let plain = hold_status::plain(status).unwrap_or_default();
    let is = |words: &[&str]| words.contains(&plain.as_str());
    let of_a_payment = is_of_payments(path);
    match () {
        () if is(SETTLED) || paid::is_settled(status, of) => Standing::Settled,
        () if is(UNDONE) && !of_a_payment => Standing::Settled,
        () if is(OPEN) || paid::is_unpaid(status) => Standing::Open,
        () if asks_for_payment(path) => match words::yes_no(status) {
            Some(true) => Standing::Settled,
            Some(false) => Standing::Open,
            None => Standing::Unclear,
        },
        () => Standing::Unclear,
    }
}

/// Whether a member tells by its name how a payment or an invoice stands, and not how the fee does: `paymentStatus`. One that is void is
/// written anew.
fn is_of_payments(path: &str) -> bool {
    let name = hold_status::apart(path);
    words::words(&name).any(|word| {
        matches!(
            word,
            "PAYMENT"
                | "PAYMENTS"
                | "PAID"
                | "RECEIPT"
                | "TRANSACTION"
                | "INVOICE"
                | "INVOICES"
                | "BILL"
                | "BILLING"
        )
    })
}

/// Words that only make a question of a name, or say of what it is.
const BESIDE: &[&str] = &["IS", "HAS", "WAS", "BEEN", "FEE", "FEES", "CHARGE", "FLAG"];
/// Words of a time in a name.
const OF_TIMES: &[&str] = &[
    "AT",
    "ON",
    "DATE",
    "TIME",
    "DT",
    "DTTM",
    "DTM",
    "DATETIME",
    "TS",
    "TIMESTAMP",
];

/// Whether a member asks by its name whether the fee was paid: `paid`, `isPaid`, `fee_waived`, and not `paid_through`.
fn asks_for_payment(path: &str) -> bool {
    names_payment(path, BESIDE)
}

/// Whether a member tells by its name when the fee was paid: `fee_paid_dttm`, and not `paid_thru_date`.
pub(super) fn tells_when_paid(path: &str) -> bool {
    names_payment(path, &[BESIDE, OF_TIMES].concat())
}

/// Whether a name has a word of a payment, and else only these: one more may turn it.
fn names_payment(path: &str, beside: &[&str]) -> bool {
    let name = hold_status::apart(path.rsplit('.').next().unwrap_or_default());
    let is_payment = |word: &str| matches!(word, "PAID" | "WAIVED" | "SETTLED");
    let mut told = words::words(&name);
    words::words(&name).any(is_payment)
        && told.all(|word| is_payment(word) || beside.contains(&word))
}
