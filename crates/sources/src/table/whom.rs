//! By whom and in which way a fee was paid or waived: `PAID BY CREDIT CARD`, `WAIVED PER LINE`, `PAID VIA EMODAL`.
//!
//! Behind the name of who paid may stand that the payment failed, and people always find one more word for it (`PAID BY CHECK NSF`).
//! So who pays fees and how it is done are known here, and nothing counts behind a way to pay. One name that nobody knows may
//! stand where it is the last word, and looks like none of what became of a payment.

use domain::container::FeeKind;

use super::paid::{LEFT_OVER, NAMES, NOTHINGS, OF_FEES, PARTS, SETTLED};
use super::words::{fee_kind, is_month};

/// Words before who paid or waived it, or how it was paid.
pub(super) const BY: &[&str] = &["BY", "PER", "VIA", "WITH", "USING"];

/// Who pays and waives fees, and through whom: words of their names, those of the lines among them.
const PAYERS: &[&str] = &[
    "AGENT",
    "APM",
    "BCO",
    "BROKER",
    "CARGO",
    "CARRIER",
    "CGM",
    "CMA",
    "CO",
    "COMPANY",
    "CONSIGNEE",
    "CORP",
    "COSCO",
    "CUSTOMER",
    "CUSTOMS",
    "DRAYAGE",
    "DRAYMAN",
    "DRIVER",
    "EMODAL",
    "EVERGREEN",
    "EXPORTER",
    "FORWARDER",
    "FREIGHT",
    "HAPAG",
    "HMM",
    "IMPORTER",
    "INC",
    "LINE",
    "LINES",
    "LLC",
    "LLOYD",
    "LOGISTICS",
    "LTD",
    "MAERSK",
    "MANAGER",
    "MATSON",
    "MING",
    "MOTOR",
    "MSC",
    "NVO",
    "NVOCC",
    "OCEAN",
    "ONE",
    "OOCL",
    "OWNER",
    "PAYCARGO",
    "PAYPAL",
    "PORT",
    "SHIPPER",
    "SHIPPING",
    "SSL",
    "STEAMSHIP",
    "TERMINAL",
    "TERMINALS",
    "TRANSPORT",
    "TRUCKER",
    "TRUCKING",
    "VENDOR",
    "WEBSITE",
    "YANG",
    "ZIM",
];
/// What says more of a way to pay before it, and the ways.
const KINDS: &[&str] = &[
    "BANK",
    "BUSINESS",
    "CASHIER",
    "CASHIERS",
    "CERTIFIED",
    "COMPANY",
    "CORPORATE",
    "CREDIT",
    "DEBIT",
    "ELECTRONIC",
    "MONEY",
    "PERSONAL",
];
const WAYS: &[&str] = &[
    "ACH", "AMEX", "CARD", "CASH", "CHECK", "CHEQUE", "CC", "DRAFT", "EFT", "ONLINE", "ORDER",
    "RECEIPT", "TRANSFER", "VISA", "WIRE", "ZELLE",
];
/// What may stand right behind a way, and is still of it: `ACH PAYMENT`.
const OF_WAYS: &[&str] = &["PAYMENT", "TRANSFER"];

/// What says behind `BY` that it was not paid after all, or not yet, or who is to pay where.
const UNDONE: &[&str] = &[
    "APPEAL",
    "APPROVAL",
    "AT",
    "AUDIT",
    "CHARGEBACK",
    "CLAIM",
    "CONFIRM",
    "CREDIT",
    "DEBIT",
    "DELIVERY",
    "DISPUTE",
    "ERROR",
    "ESTIMATE",
    "GATE",
    "HOLD",
    "MISTAKE",
    "NSF",
    "PICKUP",
    "QUOTE",
    "REFUND",
    "REFUSAL",
    "REQUEST",
    "REVERSAL",
    "REVIEW",
    "UNDER",
    "UPON",
    "VOID",
    "WHEN",
    "WITHDRAWAL",
];
/// How what was done with a payment ends: `BOUNCED`, `PENDING`, `AUTHORIZATION`, `ARRANGEMENT`.
const ENDS: &[&str] = &["ED", "ING", "ION", "MENT"];
/// What may stand behind `BY` and is a time.
const TIMES: &[&str] = &[
    "MON",
    "MONDAY",
    "TUE",
    "TUESDAY",
    "WED",
    "WEDNESDAY",
    "THU",
    "THURSDAY",
    "FRI",
    "FRIDAY",
    "SAT",
    "SATURDAY",
    "SUN",
    "SUNDAY",
    "TODAY",
    "TONIGHT",
    "TOMORROW",
    "NOON",
    "MIDNIGHT",
    "END",
    "CLOSE",
    "LFD",
    "NOW",
    "THEN",
    "AND",
    "EOD",
    "COB",
    "EOB",
    "TUES",
    "WEDS",
    "THUR",
    "THURS",
    "TMRW",
    "NEXT",
    // Each day's.
    "DIEM",
];

/// How many of the words behind `BY`, up to the next number or sign, name somebody or a way to pay.
pub(super) fn whom(words: &[&str]) -> usize {
    let payers = count(words, PAYERS);
    let behind = words.get(payers..).unwrap_or_default();
    let kinds = count(behind, KINDS);
    if let [way, more @ ..] = behind.get(kinds..).unwrap_or_default()
        && WAYS.contains(way)
    {
        let is_more = more.first().is_some_and(|word| OF_WAYS.contains(word));
        return payers + kinds + 1 + usize::from(is_more);
    }
    match words {
        _ if payers > 0 => payers,
        // `SMITH TRUCKING`, or a name that is the last word but for a way and a day.
        [name, more @ ..] if is_name(name) => match count(more, PAYERS) {
            0 if more.first().is_none_or(|next| LEADS_ON.contains(next)) => 1,
            0 => 0,
            payers => 1 + payers,
        },
        _ => 0,
    }
}

/// Words behind a name that begin what is read by itself.
const LEADS_ON: &[&str] = &["BY", "VIA", "WITH", "USING", "ON", "IN"];

/// How many words there are from the beginning that are all among these.
fn count(words: &[&str], of: &[&str]) -> usize {
    words.iter().take_while(|word| of.contains(word)).count()
}

/// Whether a word that nobody knows may be somebody's name.
fn is_name(word: &str) -> bool {
    let lists = [
        BY, SETTLED, TIMES, UNDONE, LEFT_OVER, NOTHINGS, PARTS, NAMES, OF_FEES,
    ];
    let is_known = lists.iter().any(|list| list.contains(&word));
    let is_of_fee = fee_kind(word) != FeeKind::Other;
    let is_plain = word.len() > 1 && word.chars().all(char::is_alphabetic);
    is_plain
        && !is_known
        && !is_of_fee
        && !is_month(word)
        && !ENDS.iter().any(|end| word.ends_with(end))
}
