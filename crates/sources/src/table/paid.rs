//! What a terminal says of the payment of a fee: that it was paid or waived, wholly or in part, or is still to be.
//!
//! Who reads "nothing owed" sends a truck. So a fee is settled only where all that stands there is understood: the name of the
//! fee, its one sum, the word for paid beside them, and by whom, how and when. A day, a name or a word more may tell that
//! only a part was paid, another fee, or until a day that is over by now. Then what is owed is not known.
//!
//! Tried before: a list of words that deny. People always find one more.

use domain::container::FeeKind;

use super::money::{self, OTHER_FEES};
use super::whom::{BY, whom};
use super::words::{self, DENIALS, fee_kind, is_denied, is_money, is_month, is_sum};

/// Words of a fee that was settled.
pub(super) const SETTLED: &[&str] = &["PAID", "WAIVED"];
/// Words that say of a payment behind them that there is none.
const NOT_ONE: &[&str] = &[
    "NOTHING", "NONE", "ZERO", "NIL", "ONCE", "AFTER", "BE", "GET",
];

/// Whether a text says that something was paid, or need not be.
pub(super) fn is_paid(text: &str) -> bool {
    let upper = text.to_uppercase();
    let told: Vec<&str> = words::words(&upper).collect();
    names_payment(&told) && !denies_payment(&told)
}

/// Whether a text says that something was not paid.
pub(super) fn is_unpaid(text: &str) -> bool {
    let upper = text.to_uppercase();
    let told: Vec<&str> = words::words(&upper).collect();
    denies_payment(&told)
}

/// Whether a text is about a payment, be it that there was none.
pub(super) fn is_of_payment(text: &str) -> bool {
    let upper = text.to_uppercase();
    let told: Vec<&str> = words::words(&upper).collect();
    names_payment(&told)
}

fn names_payment(told: &[&str]) -> bool {
    told.iter().any(|word| SETTLED.contains(word))
}

/// `PAID: NO` denies; `PAID - N/A` ends with another word.
fn denies_payment(told: &[&str]) -> bool {
    let is_answered_no =
        matches!(told, [.., settled, "NO" | "N" | "FALSE"] if SETTLED.contains(settled));
    let denials: Vec<&str> = [DENIALS, NOT_ONE].concat();
    is_answered_no || is_denied(told, SETTLED, &denials)
}

/// Where a text about one fee stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// In the column of the fee, or beside its name: it says no name, or this one's.
    Column(FeeKind),
    /// In a list: it says the name, which may be any.
    List,
}

/// Whether a text says that a fee was paid, and nothing else: `$450.00 PAID 11/20/2026`, `WAIVED PER LINE`.
pub(super) fn is_settled(text: &str, of: Of) -> bool {
    let upper = text.to_uppercase();
    let tokens = tokens(&upper);
    let at = tokens.iter().position(Token::is_settled);
    let (Some(paid), true) = (at, is_paid(&upper) && !words::is_not_posted(&upper)) else {
        return false;
    };
    let mut sums = tokens
        .iter()
        .enumerate()
        .filter(|(at, _)| is_a_sum(&tokens, *at));
    let sum = sums.next().map(|(at, _)| at);
    let first = sum.map_or(paid, |sum| sum.min(paid));
    let (name, rest) = tokens.split_at(first);
    let beside = rest.get(1..paid - first).unwrap_or_default();
    let behind = tokens.get(paid + 1..).unwrap_or_default();
    sums.next().is_none()
        && tokens.len() < TOKENS_MAX
        && !names_a_span(&upper)
        && days_named(&upper) < 2
        && !tokens.iter().any(is_of_a_part)
        && !(0..tokens.len()).any(|at| is_left_over(&tokens, at))
        && is_of_one_fee(&tokens, of)
        && is_name(name, of)
        && is_beside(name, beside, of)
        && says_how(behind)
}

/// Whether it is about the days from one to another: `PAID 11/20 - 11/25`.
fn names_a_span(text: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    [" - ", " \u{2013} "].iter().any(|dash| {
        let mut parts = text.split(dash).peekable();
        std::iter::from_fn(|| Some((parts.next()?, *parts.peek()?)))
            .any(|(from, until)| from.ends_with(is_digit) && until.starts_with(is_digit))
    })
}

/// How many days a text names: from one to another is a span, however it is written (`PAID NOV 20 - NOV 25`, `PAID 11/20 11/25`).
fn days_named(text: &str) -> usize {
    let is_day = |word: &&str| {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric());
        let mut parts = word.split(['/', '-', '.']);
        let is_number = |part: &str| {
            matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        let of_numbers = parts.clone().filter(|part| is_number(part)).count();
        is_month(word)
            || parts.any(is_month)
            || (of_numbers >= 2 && !word.contains('.') || of_numbers >= 3)
    };
    text.split_whitespace()
        .flat_map(|word| word.split(['(', ')', ',', ';', '\u{2013}', '\u{2014}']))
        .filter(is_day)
        .count()
}

/// One word, number or sign of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    Sum(&'t str),
    /// A date, a part of one, or a time of the day.
    Date,
    Sign(char),
    /// Digits that are neither.
    Odd,
}

impl Token<'_> {
    fn is_settled(&self) -> bool {
        matches!(self, Self::Word(word) if SETTLED.contains(word))
    }

    fn is_filler(&self) -> bool {
        match self {
            Self::Word(word) => FILLERS.contains(word) || money::is_code(word),
            Self::Sign(_) => true,
            Self::Sum(_) | Self::Date | Self::Odd => false,
        }
    }

    fn is_nothing(&self) -> bool {
        match self {
            Self::Word(word) => NOTHINGS.contains(word),
            Self::Sum(sum) => is_zero(sum),
            Self::Date | Self::Sign(_) | Self::Odd => false,
        }
    }

    fn is_left(&self) -> bool {
        matches!(self, Self::Word(word) if LEFT_OVER.contains(word))
    }
}

/// Words that say nothing more beside a name, a sum and that it was paid.
const FILLERS: &[&str] = &[
    "IS", "WAS", "WERE", "ARE", "HAS", "HAVE", "BEEN", "ALREADY", "FULLY", "FULL", "IN", "ALL",
    "THE", "US",
];
/// Words of any fee's name.
pub(super) const OF_FEES: &[&str] = &["FEE", "FEES", "CHARGE", "CHARGES", "COST", "COSTS"];
/// What is still owed where it stands beside something that was paid, unless that is denied: `PAID, NO BALANCE DUE`.
pub(super) const LEFT_OVER: &[&str] = &[
    "DUE",
    "OWED",
    "OWING",
    "OUTSTANDING",
    "BALANCE",
    "UNPAID",
    "ACCRUING",
];
pub(super) const NOTHINGS: &[&str] = &["NO", "NOT", "NOTHING", "NONE", "ZERO", "NIL"];
/// What tells in the name of a fee that only a part of it was paid or waived, or only until a day.
pub(super) const PARTS: &[&str] = &[
    "PARTIAL",
    "PARTIALLY",
    "PARTLY",
    "PART",
    "PORTION",
    "HALF",
    "QUARTER",
    "SOME",
    "ONLY",
    "LESS",
    "DEPOSIT",
    "REST",
    "REMAINING",
    "REMAINDER",
    "OF",
    "TIER",
    "TIERS",
    "LEVEL",
    "PERIOD",
    "PERIODS",
    "PHASE",
    "STEP",
    "ZONE",
    "DAY",
    "DAYS",
    "WEEK",
    "WEEKS",
    "WEEKEND",
    "HOUR",
    "HOURS",
    "HRS",
    "FIRST",
    "SECOND",
    "THIRD",
    "FOURTH",
    "INITIAL",
    "INSTALLMENT",
    "INSTALLMENTS",
    "INSTALMENT",
    "INSTALMENTS",
    "EXCEPT",
    "BUT",
    "UNTIL",
    "TILL",
    "THRU",
    "THROUGH",
    "UP",
    "TO",
    "SINCE",
    "FROM",
    "BEFORE",
    "AFTER",
    "IF",
    "TOWARD",
    "TOWARDS",
    "AGAINST",
];

fn is_of_a_part(token: &Token<'_>) -> bool {
    match token {
        Token::Word(word) => PARTS.contains(word),
        // `50% PAID`, `PAID?`, `PAID + $50.00`.
        Token::Sign(sign) => !",;:.()[]-=/#'\"$\u{20ac}\u{a3}\u{2013}\u{2014}".contains(*sign),
        Token::Odd => true,
        Token::Sum(_) | Token::Date => false,
    }
}

/// Whether a token is a sum, and not the nothing of `0 DUE`.
fn is_a_sum(tokens: &[Token<'_>], at: usize) -> bool {
    let is_due = tokens.get(at + 1).is_some_and(Token::is_left);
    matches!(tokens.get(at), Some(Token::Sum(sum)) if !(is_zero(sum) && is_due))
}

fn is_zero(sum: &str) -> bool {
    !sum.contains(|c: char| matches!(c, '1'..='9'))
}

/// Whether something is said to be left, or the sum that was paid is none.
fn is_left_over(tokens: &[Token<'_>], at: usize) -> bool {
    let mut before = tokens.iter().take(at).rev().take(2);
    let is_zero = matches!(tokens.get(at), Some(Token::Sum(sum)) if is_zero(sum));
    let is_left = tokens.get(at).is_some_and(Token::is_left);
    (is_left && !before.any(Token::is_nothing)) || (is_zero && is_a_sum(tokens, at))
}

/// The kind of fee that a word names by itself.
fn kind_named(token: &Token<'_>) -> Option<FeeKind> {
    let Token::Word(word) = token else {
        return None;
    };
    match fee_kind(word) {
        FeeKind::Total => None,
        FeeKind::Other => OTHER_FEES.contains(word).then_some(FeeKind::Other),
        kind => Some(kind),
    }
}

/// Whether all names are of one kind of fee, in the column of a fee of its.
fn is_of_one_fee(tokens: &[Token<'_>], of: Of) -> bool {
    let mut kinds = tokens.iter().filter_map(kind_named);
    let own = match of {
        Of::Column(kind) => Some(kind),
        Of::List => kinds.next(),
    };
    kinds.all(|kind| own == Some(kind))
}

/// Words of the names of fees that have no kind of their own.
pub(super) const NAMES: &[&str] = &[
    "ADMIN",
    "ADMINISTRATION",
    "ADMINISTRATIVE",
    "APPOINTMENT",
    "BOND",
    "BUNKER",
    "CHASSIS",
    "CLEAN",
    "CLEANING",
    "CONGESTION",
    "CONTAINER",
    "CONVENIENCE",
    "CUSTOMS",
    "DELIVERY",
    "DETENTION",
    "DOC",
    "DOCUMENTATION",
    "DRAYAGE",
    "DWELL",
    "EMPTY",
    "ENERGY",
    "ENVIRONMENTAL",
    "EQUIPMENT",
    "EXTENDED",
    "FACILITY",
    "FLIP",
    "FREIGHT",
    "FUEL",
    "FUMIGATION",
    "GATE",
    "GENSET",
    "HANDLING",
    "HARBOR",
    "HARBOUR",
    "HAZ",
    "HAZARDOUS",
    "HAZMAT",
    "IMPORT",
    "INFRASTRUCTURE",
    "INSPECTION",
    "LATE",
    "LIFT",
    "LINE",
    "MAINTENANCE",
    "MITIGATION",
    "MISC",
    "MISCELLANEOUS",
    "MONITORING",
    "MOVE",
    "NIGHT",
    "OVERSIZE",
    "OVERTIME",
    "OVERWEIGHT",
    "PASS",
    "PIER",
    "PLUG",
    "PORT",
    "POWER",
    "RAIL",
    "RAMP",
    "REEFER",
    "SCALE",
    "SCAN",
    "SECURITY",
    "SERVICE",
    "TERMINAL",
    "THC",
    "TRAFFIC",
    "TRUCK",
    "WASH",
    "WEIGHING",
    "WHARFAGE",
    "YARD",
];

/// Whether this is the name of a fee, and of one: `STORAGE FEE:`, and not `DEMURRAGE, CHASSIS`.
fn is_name(tokens: &[Token<'_>], of: Of) -> bool {
    let from = tokens.iter().position(|token| !token.is_filler());
    let to = tokens.iter().rposition(|token| !token.is_filler());
    let told = match (from, to) {
        (Some(from), Some(to)) => tokens.get(from..=to).unwrap_or_default(),
        _ => &[],
    };
    told.iter().all(|token| match (token, of) {
        (Token::Word(word), Of::Column(kind)) if kind != FeeKind::Other => {
            // `TOTAL PAID` may be all that was paid so far.
            (fee_kind(word) == kind && kind != FeeKind::Total)
                || OF_FEES.contains(word)
                || FILLERS.contains(word)
        }
        // In a list any fee may stand, but no word that nobody knows: `SHORT PAID`, `LAST PAID`, `REQUEST WAIVED`.
        (Token::Word(word), _) => {
            let kind = fee_kind(word);
            !matches!(kind, FeeKind::Total | FeeKind::Other)
                || OTHER_FEES.contains(word)
                || OF_FEES.contains(word)
                || NAMES.contains(word)
                || FILLERS.contains(word)
        }
        (Token::Sum(_) | Token::Date | Token::Sign(_) | Token::Odd, _) => false,
    })
}

/// What stands between a sum and that it was paid: nothing, or the name of the fee right behind the sum where none stands
/// before it. `$450.00 (EXAM PAID)` and `$450.00, TMF PAID` are about two.
fn is_beside(name: &[Token<'_>], between: &[Token<'_>], of: Of) -> bool {
    let has_name = name.iter().any(|token| !token.is_filler());
    let is_apart = matches!(between.first(), Some(Token::Sign(_)));
    between.iter().all(Token::is_filler) || (!has_name && !is_apart && is_name(between, of))
}

/// Ways to pay that need no word before them, and that it was so.
const WAYS: &[&str] = &[
    "ONLINE",
    "CASH",
    "CHECK",
    "CHEQUE",
    "CARD",
    "ACH",
    "WIRE",
    "EFT",
    "RECEIPT",
    "REF",
    "CONFIRMED",
    "AM",
    "PM",
    "YES",
    "Y",
    "TRUE",
];
/// Whether what stands behind that it was paid tells by whom, how and when, or that nothing is left.
fn says_how(mut rest: &[Token<'_>]) -> bool {
    while let Some((token, behind)) = rest.split_first() {
        rest = behind;
        let is_fine = match token {
            Token::Word(word) if BY.contains(word) => match whom(&words_of(behind)) {
                0 => false,
                words => {
                    rest = behind.get(words..).unwrap_or_default();
                    true
                }
            },
            Token::Word("ON") => matches!(behind.first(), Some(Token::Date)),
            Token::Word(word) => {
                SETTLED.contains(word) || WAYS.contains(word) || token.is_left() || token.is_filler()
                    // Of what is left: asked above whether it is denied.
                    || (token.is_nothing() && behind.iter().take(2).any(Token::is_left))
                    || (OF_FEES.contains(word) && behind.first().is_some_and(Token::is_left))
            }
            Token::Sum(_) | Token::Date | Token::Sign(_) => true,
            Token::Odd => false,
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// The words that stand there before a number or a sign.
fn words_of<'t>(tokens: &[Token<'t>]) -> Vec<&'t str> {
    let words = tokens.iter().map_while(|token| match token {
        Token::Word(word) => Some(*word),
        Token::Sum(_) | Token::Date | Token::Sign(_) | Token::Odd => None,
    });
    words.collect()
}

/// Whether a text has a number that is no date, and may be a sum. Beside `FREE` a small one counts days: `5 FREE DAYS`.
pub(super) fn has_sum(text: &str) -> bool {
    let upper = text.to_uppercase();
    let tokens = tokens(&upper);
    let is_free = tokens.contains(&Token::Word("FREE"));
    tokens.iter().any(|token| match token {
        Token::Sum(sum) => is_money(sum) || !is_free || sum.len() > DAYS_DIGITS_MAX,
        Token::Word(_) | Token::Date | Token::Sign(_) | Token::Odd => false,
    })
}

const DAYS_DIGITS_MAX: usize = 2;

/// A text with more is a remark of which nobody can be sure.
const TOKENS_MAX: usize = 60;

/// The first tokens of a text in capitals.
fn tokens(upper: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = upper.trim_start();
    while let (Some(first), true) = (rest.chars().next(), tokens.len() < TOKENS_MAX) {
        let length = match token_length(rest) {
            0 => first.len_utf8(),
            length => length,
        };
        let (token, behind) = rest.split_at(length);
        tokens.push(token_of(token, first));
        rest = behind.trim_start();
    }
    join_dates(&mut tokens);
    tokens
}

/// How long a word or a number is: signs are of a number between its digits, and a dash of a word between its letters.
fn token_length(text: &str) -> usize {
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    let mut before = None;
    while let Some((at, c)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        let is_between = |is: fn(&char) -> bool| {
            before.as_ref().is_some_and(is) && next.as_ref().is_some_and(is)
        };
        let is_part = c.is_alphanumeric()
            || (before.is_none() && money::is_sign(c))
            || (matches!(c, '.' | ',' | '/' | ':' | '-') && is_between(char::is_ascii_digit))
            // `X-RAY`, and not `DEMURRAGE-PAID`.
            || (c == '-' && end == 1 && is_between(|c| c.is_alphabetic()));
        if !is_part {
            break;
        }
        end = at + c.len_utf8();
        before = Some(c);
    }
    end
}

fn token_of(text: &str, first: char) -> Token<'_> {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    // `USD450.00`
    let code = text.get(..3).filter(|code| money::is_code(code));
    let number = code
        .and_then(|code| text.strip_prefix(code))
        .unwrap_or(text);
    let is_number = number.starts_with(|c: char| c.is_ascii_digit() || money::is_sign(c));
    match () {
        () if !has_digit && first.is_alphabetic() => Token::Word(text),
        () if !has_digit => Token::Sign(first),
        () if is_date_or_time(text) => Token::Date,
        () if is_number && is_sum(number) && !number.contains(['/', ':', '-']) => {
            Token::Sum(number)
        }
        // The code of a fee, `4I`.
        () if text.len() == 2 && !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Token::Word(text)
        }
        () => Token::Odd,
    }
}

/// Whether a text is a date or a time in numbers. One point stands before cents.
fn is_date_or_time(text: &str) -> bool {
    let is_numbers = |text: &str, sign: char, most: usize| {
        let parts = text.split(sign);
        (2..=most).contains(&parts.clone().count())
            && parts.into_iter().all(|part| {
                matches!(part.len(), 1 | 2 | 4) && part.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let ends = ["AM", "PM", "Z"];
    let bare = ends.iter().find_map(|end| text.strip_suffix(end));
    let text = bare.unwrap_or(text);
    let is_compact = text.len() == 8 && text.starts_with("20");
    if is_compact && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return true;
    }
    let (day, time) = text.split_once('T').unwrap_or((text, ""));
    let is_time = time.is_empty() || is_numbers(time, ':', 3);
    let is_dotted = is_numbers(day, '.', 3) && day.matches('.').count() == 2;
    is_time && (is_dotted || ['/', '-', ':'].iter().any(|sign| is_numbers(day, *sign, 3)))
}

/// Makes dates of a month, the day beside it and the year beside both, and of four digits behind a date its time:
/// `NOV 20, 2026`, `20-NOV-26`, `5 DEC`, `12/05/2026 1600`.
fn join_dates(tokens: &mut [Token<'_>]) {
    for at in 0..tokens.len() {
        let is_named = matches!(tokens.get(at), Some(Token::Word(word)) if is_month(word));
        let days = [before(tokens, at), behind(tokens, at)];
        let mut days = days.into_iter().flatten();
        let day =
            days.find(|place| number(tokens, *place).is_some_and(|day| (1..=31).contains(&day)));
        let (true, Some(day)) = (is_named, day) else {
            continue;
        };
        let years = [before(tokens, at.min(day)), behind(tokens, at.max(day))];
        let year = years
            .into_iter()
            .flatten()
            .find(|place| is_year(tokens, *place));
        for place in [Some(at), Some(day), year].into_iter().flatten() {
            make_date(tokens, place);
        }
    }
    for at in 1..tokens.len() {
        let is_behind_date = matches!(tokens.get(at - 1), Some(Token::Date));
        let is_clock = matches!(tokens.get(at), Some(Token::Sum(sum)) if sum.len() == 4)
            && number(tokens, at).is_some_and(|clock| clock < 2400 && clock % 100 < 60);
        if is_behind_date && is_clock {
            make_date(tokens, at);
        }
    }
}

fn make_date(tokens: &mut [Token<'_>], at: usize) {
    if let Some(token) = tokens.get_mut(at) {
        *token = Token::Date;
    }
}

/// The number at a place, where it is one without signs.
fn number(tokens: &[Token<'_>], at: usize) -> Option<u16> {
    match tokens.get(at) {
        Some(Token::Sum(sum)) => sum.parse().ok(),
        _ => None,
    }
}

/// A year, or two digits of one behind a dash or a stroke.
fn is_year(tokens: &[Token<'_>], at: usize) -> bool {
    let sign = at.checked_sub(1).and_then(|at| tokens.get(at));
    let is_joined = matches!(sign, Some(Token::Sign('-' | '/' | '\'')));
    number(tokens, at).is_some_and(|year| (1900..2100).contains(&year) || (is_joined && year < 100))
}

fn is_gap(token: &Token<'_>) -> bool {
    matches!(token, Token::Sign('-' | ',' | '.' | '/' | '\''))
}

/// The place before one, and the one behind it, with nothing but signs of a date between them.
fn before(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    tokens.get(..at)?.iter().rposition(|token| !is_gap(token))
}

fn behind(tokens: &[Token<'_>], at: usize) -> Option<usize> {
    let gap = tokens
        .get(at + 1..)?
        .iter()
        .position(|token| !is_gap(token))?;
    Some(at + 1 + gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paid_and_not_paid() {
        assert!(
            is_paid("Demurrage PAID") && !is_paid("demurrage not paid") && !is_paid("Demurrage")
        );
        assert!(is_unpaid("Paid: No") && !is_paid("Paid: No") && !is_unpaid("Paid - N/A"));
        assert!(is_unpaid("may be paid") && is_unpaid("Nothing paid") && is_of_payment("not paid"));
    }

    #[test]
    fn a_number_of_a_date_is_no_sum() {
        for text in [
            "12/05/2026 1600",
            "12.01.2026",
            "5 Dec",
            "Dec 5th",
            "20-Nov-26",
            "2026-Mar-28",
            "Nov 25, 2026 10:30 AM",
            "20261201",
            "2026-12-01T10:30:00Z",
            "5 free days",
        ] {
            assert!(!has_sum(text), "{text}");
        }
        for text in [
            "450",
            "450 Nov 5",
            "Nov 450",
            "May 450",
            "450 free",
            "45 until 11/30",
        ] {
            assert!(has_sum(text), "{text}");
        }
    }
}
