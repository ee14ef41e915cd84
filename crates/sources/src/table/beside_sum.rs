//! What may stand beside a sum, so that it is owed: `$450.00 DUE`, `STORAGE CHARGES 450.00`, `450.00 USD NOT YET PAID`.
//!
//! A word more may say that it was given back (`450.00 CR`), is one of each day (`$125.00 A DAY`), or comes later (`INVOICE TO
//! FOLLOW`), and people always find one more. So the words that leave a sum what it is are known here; beside any other
//! the fee is told without its sum. Nothing is what was paid: beside a zero fewer words are understood.

use domain::container::FeeKind;

use super::mapping::Profile;
use super::money::{self, COUNTED, OTHER_FEES, UNITS};
use super::paid::{self, NAMES, OF_FEES};
use super::words::{self, fee_kind};

/// Words of what is to be paid, of which there may be nothing: `0 DUE`.
const OF_DEBTS: &[&str] = &[
    "DUE",
    "PAST",
    "OVERDUE",
    "OWED",
    "OWING",
    "OUTSTANDING",
    "PAYABLE",
    "BALANCE",
    "TOTAL",
    "SUBTOTAL",
    "AMOUNT",
    "AMT",
    "SUM",
    "NET",
    "CURRENT",
    "CURRENTLY",
    "NOW",
    "TODAY",
    "IS",
    "ARE",
    "THE",
    "IN",
    "ALL",
];
/// Names of money besides its codes.
const MONEY: &[&str] = &[
    "US", "USA", "CAN", "CDN", "RMB", "NTD", "DOLLAR", "DOLLARS", "EURO", "EUROS",
];
/// Words of the names of fees beside those under which they are paid.
const OF_NAMES: &[&str] = &[
    "DIEM",
    "PER",
    "PEAK",
    "SEASON",
    "SURCHARGE",
    "SURCHARGES",
    "RENTAL",
    "RENT",
    "USAGE",
    "SPLIT",
    "WASHING",
    "TAX",
    "GST",
    "HST",
    "VAT",
    "LEVY",
    "TOLL",
    "AND",
    "FOR",
];
/// What else leaves a sum what it is: that it is open, and who pays it when and where.
const OF_OPEN_SUMS: &[&str] = &[
    "YES",
    "Y",
    "UNPAID",
    "OPEN",
    "ACCRUED",
    "BILLED",
    "INVOICED",
    "CHARGED",
    "ASSESSED",
    "LFD",
    "INCL",
    "INCLUDING",
    "INCREASE",
    "MAY",
    "CAN",
    "WILL",
    "MUST",
    "SHALL",
    "SHOULD",
    "HAS",
    "HAVE",
    "BEEN",
    "YET",
    "PAY",
    "PAYMENT",
    "PAID",
    "WAIVED",
    "REQUIRED",
    "BY",
    "TO",
    "AT",
    "BEFORE",
    "PRIOR",
    "DATE",
    "PICKUP",
    "GATE",
    "ONLINE",
    "OFFICE",
    "CASHIER",
    "CARRIER",
    "CONSIGNEE",
    "CUSTOMER",
    "IMPORTER",
    "BROKER",
    "TRUCKER",
    "SHIPPER",
];
/// What denies that it was paid, and may deny more: `NOT PAID`, and not `NOT DUE`.
const DENIALS: &[&str] = &["NOT", "NO", "NEVER", "CANNOT", "NOTHING", "NONE"];

/// Whether a sum is owed with these words beside it; `text` in capitals.
pub(super) fn leave_it(text: &str, profile: &Profile) -> bool {
    let (is_of_payment, is_unpaid) = (paid::is_of_payment(text), paid::is_unpaid(text));
    all_known(text, |word| {
        is_of_a_debt(text, word, profile)
            || OF_OPEN_SUMS.contains(&word)
            // `WILL BE PAID`, and not `WILL BE CHARGED`.
            || (word == "BE" && is_of_payment)
            || (is_unpaid && DENIALS.contains(&word))
    })
}

/// Whether nothing is owed with these words beside a zero; `text` in capitals.
pub(super) fn leave_nothing(text: &str, profile: &Profile) -> bool {
    all_known(text, |word| is_of_a_debt(text, word, profile))
}

/// Whether a text is the name of a fee of which a list may say that there is nothing to pay: `Demurrage 3 days`, and not
/// `Demurrage, invoice to follow`.
pub(super) fn names_a_fee(text: &str, profile: &Profile) -> bool {
    let upper = text.to_uppercase();
    let is_count = |word: &str| COUNTED.contains(&word) || UNITS.contains(&word);
    all_known(&upper, |word| {
        is_of_a_debt(&upper, word, profile) || is_count(word)
    })
}

/// Whether all words of a text are known, be they joined to a number: `450.00USD`.
fn all_known(text: &str, is_known: impl Fn(&str) -> bool) -> bool {
    let is_fine = |word: &str| {
        let letters = word.trim_matches(|c: char| c.is_ascii_digit());
        letters.is_empty() || is_known(word) || is_known(letters)
    };
    words::words(text).all(is_fine)
}

/// Whether a word names money, a fee or a debt, and says nothing more.
fn is_of_a_debt(text: &str, word: &str, profile: &Profile) -> bool {
    let lists = [OF_DEBTS, MONEY, OF_NAMES, OF_FEES, NAMES, OTHER_FEES];
    let own = || {
        let mut names = profile.words.fees.keys();
        names.any(|name| words::words(name).any(|part| part == word))
    };
    lists.iter().any(|list| list.contains(&word))
        || fee_kind(word) != FeeKind::Other
        || money::names_money(text, word)
        || own()
}
