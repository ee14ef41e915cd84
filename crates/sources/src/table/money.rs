//! Amounts as terminals write them: `$1,234.50`, `USD 80`, `1.234,50`, `TBD`, and what money they are in.

use domain::container::FeeKind;
use rust_decimal::Decimal;

use super::beside_sum;
use super::cell::Cell;
use super::mapping::Profile;
use super::paid;
use super::words;

/// An amount that is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Amount {
    /// Its kind is known, the sum is not yet.
    NotPosted,
    /// The sum, and its money where the text names it.
    Posted(Decimal, Option<Money>),
}

/// Money as a text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Money {
    /// By a code of ISO 4217, or by a sign that only one has.
    Code(&'static str),
    /// By a sign that many have.
    Dollars,
}

/// Larger sums are mistakes.
const AMOUNT_MAX: Decimal = Decimal::from_parts(100_000_000, 0, 0, false, 0);

/// No money has more digits behind its point, and most have these.
const MONEY_DIGITS: u32 = 3;
const CENTS_DIGITS: u32 = 2;

/// Reads what a cell says of a fee of a kind; `None` when it is no amount, or stands beside words that may make it another one.
pub(super) fn amount(cell: &Cell, kind: FeeKind, profile: &Profile) -> Option<Amount> {
    let text = cell.text()?;
    let upper = text.to_uppercase();
    // `$120.00 PAID` is no more owed than `PAID`, by whatever and on whichever day.
    let nothing =
        words::is_nothing_owed(&upper) || paid::is_settled(&upper, paid::Of::Column(kind));
    let is_open = words::is_not_posted(&text) || is_no_sum(&text) || paid::is_paid(&text);
    let is_open = is_open || words::is_sum_of_a_day(&text);
    if !nothing && is_open {
        return Some(Amount::NotPosted);
    }
    if !nothing && words::tells_free_time(&text) {
        return None;
    }
    let found = if nothing {
        Decimal::ZERO
    } else {
        // A number of a spreadsheet or of JSON is no text of the source, and has a point.
        let is_comma = profile.decimal_comma && !matches!(cell, Cell::Number(_));
        digits(&upper, is_comma)?
    };
    let is_understood = if found.is_zero() {
        nothing || beside_sum::leave_nothing(&upper, profile)
    } else {
        beside_sum::leave_it(&upper, profile)
    };
    if !is_understood {
        return None;
    }
    // Spreadsheets reckon in binary: 1250.3999999999999 is what somebody wrote as 1250.40.
    let is_reckoned = matches!(cell, Cell::Number(_)) && found.scale() > MONEY_DIGITS;
    let found = if is_reckoned {
        found.round_dp(CENTS_DIGITS)
    } else {
        found
    };
    let posted = Decimal::ZERO <= found && found <= AMOUNT_MAX;
    // `NOT PAID: 0` is what was paid.
    let is_unposted = profile.zero_is_unposted || paid::is_of_payment(&text);
    match () {
        () if !posted => None,
        () if found.is_zero() && is_unposted && !nothing => Some(Amount::NotPosted),
        () => Some(Amount::Posted(found, beside(&upper))),
    }
}

/// Whether a cell has one sum, whatever stands beside it, and is not about days that cost nothing.
pub(super) fn has_a_sum(cell: &Cell, profile: &Profile) -> bool {
    let text = cell.text().unwrap_or_default();
    let sum = digits(&text.to_uppercase(), profile.decimal_comma);
    sum.is_some() && !words::tells_free_time(&text)
}

/// Digits with their groups; letters and signs of money only before and behind them. Each group has three digits, and
/// none stands behind the point: else the sign is another one's point, and the sum a hundred times what is owed. A blank sets groups
/// apart only where no word stands before the number: that of `NOV 25 450.00` is of the day.
pub(super) fn digits(text: &str, is_comma: bool) -> Option<Decimal> {
    let (group, point) = if is_comma { ('.', ',') } else { (',', '.') };
    let around = |c: char| c.is_ascii_alphabetic() || c.is_whitespace() || is_sign(c);
    let number = text.trim_matches(around);
    let (whole, fraction) = number.split_once(point).unwrap_or((number, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let behind = text.trim_start_matches(around);
    let before = text.strip_suffix(behind).unwrap_or_default();
    let is_first = is_before_a_number(before);
    let is_between = |c: char| c == group || (is_first && c.is_whitespace());
    let mut groups = whole.split(is_between);
    let first = groups.next()?;
    let is_grouped = whole.contains(is_between);
    let sound = are_digits(first)
        && (!is_grouped || (1..=3).contains(&first.len()))
        && groups.all(|group| group.len() == 3 && are_digits(group))
        && are_digits(fraction)
        && !(first.is_empty() && fraction.is_empty());
    let whole = whole.replace(is_between, "");
    let point = if fraction.is_empty() { "" } else { "." };
    sound.then(|| format!("0{whole}{point}{fraction}").parse().ok())?
}

/// Whether what stands before a number is nothing or money, so that the number begins there.
fn is_before_a_number(before: &str) -> bool {
    let before = before.trim_end();
    let word = before.rsplit(|c: char| !c.is_ascii_alphabetic());
    let word = word.into_iter().next().unwrap_or_default();
    before.is_empty() || before.ends_with(is_sign) || is_plain_code(word)
}

/// Whether the sum behind the name of a fee is set apart by a blank, and nobody says that both numbers are one: `Storage 2 450.00`.
pub(super) fn runs_on(sum: &str) -> bool {
    let is_of_sum = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, '.' | ',');
    let end = sum.find(|c| !is_of_sum(c)).unwrap_or(sum.len());
    let (sum, _) = sum.split_at(end);
    sum.trim_end_matches(|c: char| !c.is_ascii_digit())
        .contains(char::is_whitespace)
}

/// Words before a number that counts, and behind one.
pub(super) const COUNTED: &[&str] = &[
    "TIER", "LEVEL", "PERIOD", "PHASE", "STEP", "ZONE", "DAY", "DAYS", "LINE",
];
pub(super) const UNITS: &[&str] = &["DAY", "DAYS", "HOUR", "HOURS", "HRS"];

/// Where the amount begins in a text that names a fee before it: `tier 1` and `3 days` are of the name.
pub(super) fn place_in(text: &str) -> Option<usize> {
    let is_amount = |c: char| c.is_ascii_digit() || is_sign(c);
    let word = |text: &str| {
        let letters = text.trim_matches(|c: char| !c.is_ascii_alphabetic());
        letters.to_uppercase()
    };
    let mut at = text.find(is_amount)?;
    loop {
        let (before, behind) = text.split_at_checked(at)?;
        let number = behind.split_whitespace().next().unwrap_or_default();
        let rest = behind.strip_prefix(number).unwrap_or_default();
        let counts = number.len() <= 2
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && (COUNTED.contains(
                &word(before.split_whitespace().next_back().unwrap_or_default()).as_str(),
            ) || UNITS
                .contains(&word(rest.split_whitespace().next().unwrap_or_default()).as_str()));
        if !counts && !is_code_of_fee(number) {
            return Some(begins(text, at));
        }
        at += number.len() + rest.find(is_amount)?;
    }
}

/// A code such as `4I`, which is the name of a fee: a digit and a letter.
fn is_code_of_fee(word: &str) -> bool {
    matches!(word.as_bytes(), [digit, letter] if digit.is_ascii_digit() && letter.is_ascii_alphabetic())
}

/// What stands behind a sum that has no name before it: `$450.00 Demurrage`. Where more numbers stand there, nobody knows what
/// is whose.
pub(super) fn name_behind(amount: &str) -> &str {
    let is_digit = |c: char| c.is_ascii_digit();
    let from = amount.find(is_digit).unwrap_or(amount.len());
    let (_, sum) = amount.split_at(from);
    let is_of_sum = |c: char| is_digit(c) || c.is_whitespace() || matches!(c, '.' | ',');
    let end = sum.find(|c| !is_of_sum(c)).unwrap_or(sum.len());
    let (_, behind) = sum.split_at(end);
    if behind.contains(is_digit) {
        ""
    } else {
        behind
    }
}

/// Whether the sum at `at` has a sign of its own, or a dash that may be one: a credit is nothing that is owed.
pub(super) fn may_be_negative(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    before.ends_with(['-', '−', '–', '('])
}

/// Words of a text whose number is no sum that is owed: what it costs each day, what is given back, and what is none any more.
const NO_SUMS: &[&str] = &[
    "PER",
    "EACH",
    "EVERY",
    "DAILY",
    "RATE",
    "CR",
    "CREDIT",
    "CREDITS",
    "CREDITED",
    "REFUND",
    "REFUNDS",
    "REFUNDED",
    "REIMBURSED",
    "REBATE",
    "REVERSAL",
    "REVERSED",
    "DISCOUNT",
    "DEDUCTION",
    "ADJUSTMENT",
    "LESS",
    "DEPOSIT",
    "WAIVER",
    "VOID",
    "VOIDED",
    "CANCELLED",
    "CANCELED",
    "EXEMPT",
    "EXEMPTED",
    "SETTLED",
    "PD",
    "PREPAID",
    "RECEIVED",
];
/// What a payment is that is still to be made: `Payment due $450.00`, and not `Payment $450.00`.
const TO_PAY: &[&str] = &[
    "DUE",
    "OWED",
    "OWING",
    "OUTSTANDING",
    "REQUIRED",
    "NEEDED",
    "PENDING",
];

/// Whether the number of a text may be another one than the sum that is owed.
pub(super) fn is_no_sum(text: &str) -> bool {
    let upper = text.to_uppercase();
    let told: Vec<&str> = words::words(&upper).collect();
    let is_to_pay = told.iter().any(|word| TO_PAY.contains(word));
    let is_of_another = told.iter().enumerate().any(|(at, word)| {
        let next = told.get(at + 1).copied();
        match *word {
            // A fee.
            "PER" => next != Some("DIEM"),
            "A" => next == Some("DAY"),
            "PAYMENT" | "PAYMENTS" | "PMT" => !is_to_pay && !paid::is_unpaid(&upper),
            word => NO_SUMS.contains(&word),
        }
    });
    // `3 days @ $125.00` is a rate.
    is_of_another || text.contains('@') || words::is_estimate(text)
}

/// What stands between charges besides the separators of the mapping.
const BETWEEN: [&str; 2] = [", ", " / "];

/// Charges that only commas or strokes set apart: `Demurrage $450.00, Exam $300.00`. `None` unless each part is a fee that we
/// know and a sum that cannot be anything else, and no two are of one kind but exams, or what two owe that are named: a comma
/// stands in sums, dates and remarks as well, and half a remark makes a wrong sum.
pub(super) fn charges_in<'t>(text: &'t str, profile: &Profile) -> Option<Vec<&'t str>> {
    let mut each = BETWEEN.iter();
    each.find_map(|between| charges_between(text, between, profile))
}

/// Whose charge it is, where two are of one kind.
const OWNERS: [&str; 3] = ["LINE ", "CARRIER ", "TERMINAL "];

fn charges_between<'t>(text: &'t str, between: &str, profile: &Profile) -> Option<Vec<&'t str>> {
    let parts: Vec<&str> = text.split(between).map(str::trim).collect();
    let names = parts.iter().map(|part| name_of_charge(part, profile));
    let names: Vec<String> = names.collect::<Option<_>>()?;
    let mut told: Vec<(FeeKind, Option<String>)> = Vec::new();
    for name in names {
        let kind = kind_of_charge(&name, profile)?;
        // Two exams are two by their names, and what is no kind of ours is by its name.
        let by_name = matches!(kind, FeeKind::Exam | FeeKind::Other)
            || OWNERS.iter().any(|owner| name.starts_with(owner));
        let about = (kind, by_name.then_some(name));
        let is_part = |(other, whose): &(FeeKind, Option<String>)| {
            *other == kind && (whose.is_none() || about.1.is_none())
        };
        if told.contains(&about) || told.iter().any(is_part) {
            return None;
        }
        told.push(about);
    }
    (told.len() > 1).then_some(parts)
}

/// What a fee is called that has no kind of its own.
pub(super) const OTHER_FEES: &[&str] = &["TMF", "CTF", "PIERPASS"];

fn kind_of_charge(name: &str, profile: &Profile) -> Option<FeeKind> {
    if let Some(kind) = profile.words.fees.get(name) {
        return Some(*kind);
    }
    match words::fee_kind(name) {
        FeeKind::Total => None,
        FeeKind::Other => OTHER_FEES.contains(&name).then_some(FeeKind::Other),
        kind => Some(kind),
    }
}

/// Words of one fee at most.
const NAME_WORDS_MAX: usize = 3;
/// What a sum may be besides a fee.
const NO_FEES: &[&str] = &[
    "PAID",
    "UNPAID",
    "WAIVED",
    "CREDIT",
    "LESS",
    "DISCOUNT",
    "DEPOSIT",
    "REFUND",
    "OF",
    "EACH",
    "PER",
    "RATE",
    "DAY",
    "DAYS",
    "DAILY",
    "THROUGH",
    "THRU",
    "UNTIL",
    "TO",
    "FROM",
    "AFTER",
    "THEN",
    "BALANCE",
    "TOTAL",
    "DUE",
    "INCL",
    "INCLUDING",
    "PLUS",
    "AND",
    "OR",
    "NO",
    "NOT",
    "MIN",
    "MAX",
    "ALSO",
    "NOW",
    "WAS",
    "NEW",
    "OLD",
];

/// The name of a charge that says nothing but its name and its sum, in capitals.
fn name_of_charge(part: &str, profile: &Profile) -> Option<String> {
    let at = place_in(part)?;
    let (name, sum) = part.split_at_checked(at)?;
    if may_be_negative(part, at) || is_no_sum(part) || runs_on(sum) {
        return None;
    }
    let name = name.trim().trim_end_matches([':', '=', '-']).trim_end();
    let name = name.to_uppercase();
    let mut words = name.split(|c: char| c.is_whitespace() || c == '-');
    let is_plain = |c: char| c.is_ascii_alphabetic() || c.is_whitespace() || c == '-';
    let is_name = name.chars().all(is_plain)
        && (1..=NAME_WORDS_MAX).contains(&words.clone().count())
        && !words.any(|word| word.is_empty() || NO_FEES.contains(&word));
    let amount = amount(&Cell::of_text(sum), FeeKind::Other, profile);
    let is_sum = matches!(amount, Some(Amount::Posted(posted, _)) if !posted.is_zero())
        && sum.ends_with(|c: char| c.is_ascii_digit())
        && sum.contains(|c: char| is_sign(c) || c == '.' || c.is_ascii_alphabetic());
    (is_name && is_sum).then_some(name)
}

/// Where an amount begins that has its first digit or sign at `at`: with the money that is named before it.
fn begins(text: &str, at: usize) -> usize {
    let (before, behind) = text.split_at_checked(at).unwrap_or((text, ""));
    let named = before.trim_end();
    let word = named.rsplit(|c: char| !c.is_ascii_alphabetic());
    let word = word.into_iter().next().unwrap_or_default();
    let upper = word.to_uppercase();
    let is_of_sign =
        named.len() == before.len() && behind.starts_with('$') && of_sign(&upper).is_some();
    let is_ruled_out = behind.starts_with('$') && !DOLLARS.contains(&upper.as_str());
    let is_name = WORDS.contains(&upper.as_str()) || is_ruled_out;
    if is_of_sign || (is_code(&upper) && !is_name) {
        named.len() - word.len()
    } else {
        at
    }
}

/// Whether this is a sign of money.
pub(super) fn is_sign(c: char) -> bool {
    matches!(c, '$' | '€' | '£')
}

/// The money that is named right beside the number. Other letters are words: `$80.00 DUE`.
fn beside(upper: &str) -> Option<Money> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (before, behind) = match (upper.find(is_digit), upper.rfind(is_digit)) {
        (Some(first), Some(last)) => (upper.get(..first)?, upper.get(last + 1..)?),
        _ => (upper, ""),
    };
    let is_letter = |c: char| c.is_ascii_alphabetic();
    let words = [
        before
            .rsplit(|c| !is_letter(c))
            .find(|word| !word.is_empty()),
        behind
            .split(|c| !is_letter(c))
            .find(|word| !word.is_empty()),
    ];
    let mut codes = words
        .into_iter()
        .flatten()
        .filter(|word| !WORDS.contains(word));
    // A sign beside a code of another money: the letters are a word.
    let fits = |word: &str| !upper.contains('$') || DOLLARS.contains(&word);
    let of_code = |word: &str| match word {
        "CDN" => Some(Money::Code("CAD")),
        _ => code(word).filter(|_| fits(word)),
    };
    codes.find_map(of_code).or_else(|| by_sign(upper))
}

/// The money that a column or member for it names.
pub(super) fn named(text: &str) -> Option<Money> {
    let upper = text.trim().to_uppercase();
    let mut words = upper
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty());
    words.find_map(by_word).or_else(|| by_sign(&upper))
}

/// What people write where a code should stand.
fn by_word(upper: &str) -> Option<Money> {
    match upper {
        "RMB" => Some(Money::Code("CNY")),
        "NTD" => Some(Money::Code("TWD")),
        "CDN" | "CAN" => Some(Money::Code("CAD")),
        "US" | "USA" => Some(Money::Code("USD")),
        "EURO" | "EUROS" => Some(Money::Code("EUR")),
        "DOLLAR" | "DOLLARS" => Some(Money::Dollars),
        _ => code(upper),
    }
}

/// Letters before a `$`, and whose dollar or real they say it is.
const OF_SIGN: [(&str, &str); 11] = [
    ("US", "USD"),
    ("USD", "USD"),
    ("CA", "CAD"),
    ("C", "CAD"),
    ("CDN", "CAD"),
    ("AU", "AUD"),
    ("A", "AUD"),
    ("NZ", "NZD"),
    ("HK", "HKD"),
    ("NT", "TWD"),
    ("R", "BRL"),
];

fn of_sign(letters: &str) -> Option<&'static str> {
    let found = OF_SIGN.iter().find(|(known, _)| *known == letters);
    found.map(|(_, code)| *code)
}

/// Letters before a `$` that are nobody's sign are a word: `FEE$80`.
fn by_sign(upper: &str) -> Option<Money> {
    if let Some((before, _)) = upper.split_once('$') {
        let letters = before.rsplit(|c: char| !c.is_ascii_alphabetic()).next();
        let code = letters.and_then(of_sign);
        return Some(code.map_or(Money::Dollars, Money::Code));
    }
    match () {
        () if upper.contains('€') => Some(Money::Code("EUR")),
        () if upper.contains('£') => Some(Money::Code("GBP")),
        () => None,
    }
}

fn code(upper: &str) -> Option<Money> {
    let mut codes = CODES.split_ascii_whitespace();
    codes.find(|code| *code == upper).map(Money::Code)
}

/// Whether letters are a code of money, and no word.
fn is_plain_code(upper: &str) -> bool {
    is_code(upper) && !WORDS.contains(&upper)
}

/// Whether a word of a text names money: by its code, or by the letters of a sign (`HK$80`).
pub(super) fn names_money(text: &str, word: &str) -> bool {
    let is_of_sign = of_sign(word).is_some() && text.contains(&format!("{word}$"));
    is_plain_code(word) || is_of_sign
}

/// Whether this is a code of ISO 4217.
pub(super) fn is_code(text: &str) -> bool {
    code(text).is_some()
}

/// The code of what a text names, where `usual` is the money of the source. A `$` is the dollar of the source.
pub(super) fn settled(said: Option<Money>, usual: Option<&str>) -> Option<String> {
    let usual = usual.map(str::to_owned);
    match said {
        None => usual,
        Some(Money::Code(code)) => Some(code.to_owned()),
        Some(Money::Dollars) => usual.filter(|code| DOLLARS.contains(&code.as_str())),
    }
}

/// Whose sign is `$`.
const DOLLARS: [&str; 31] = [
    "BRL", "NAD", "LRD", "BND", "SBD", "CUP", "NIO", "USD", "CAD", "AUD", "NZD", "SGD", "HKD",
    "TWD", "BSD", "BBD", "BZD", "BMD", "KYD", "XCD", "FJD", "GYD", "JMD", "TTD", "SRD", "MXN",
    "ARS", "CLP", "COP", "UYU", "DOP",
];
/// Codes that are words as well: `80.00 ALL IN`, `80.00 PEN` for what is pending, `CDF 100.00` for a container dwell fee.
const WORDS: [&str; 4] = ["ALL", "PEN", "TOP", "CDF"];
const CODES: &str = "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD \
    CAD CDF CHF CLP CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD \
    HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL \
    MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD \
    RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD \
    UYU UZS VES VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW ZWG";

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, is_comma: bool) -> Option<String> {
        digits(&text.to_uppercase(), is_comma).map(|sum| sum.normalize().to_string())
    }

    #[test]
    fn a_group_has_three_digits_and_stands_before_the_point() {
        for (text, is_comma, sum) in [
            ("125", false, Some("125")),
            ("$1,234.50", false, Some("1234.5")),
            ("$ 1 234.50 due", false, Some("1234.5")),
            ("1,234,567", false, Some("1234567")),
            (".50", false, Some("0.5")),
            ("1.234,50 EUR", true, Some("1234.5")),
            ("125,00", true, Some("125")),
            ("1 234,5", true, Some("1234.5")),
            // Another one's point.
            ("125,00", false, None),
            ("1.234,50", false, None),
            ("1,23,456", false, None),
            ("1234,567", false, None),
            (",125", false, None),
            ("120.5", true, None),
            ("1,234.50", true, None),
            ("3 80.00", false, None),
            ("1.2.3", false, None),
            ("-5", false, None),
            ("$", false, None),
        ] {
            assert_eq!(read(text, is_comma).as_deref(), sum, "{text} {is_comma}");
        }
    }

    #[test]
    fn money_is_what_the_standard_or_a_sign_names() {
        let usual = |text: &str, usual| settled(beside(&text.to_uppercase()), Some(usual));
        for (text, code) in [
            ("$80.00 DUE", "CAD"),
            ("80.00 TMF", "CAD"),
            ("80.00 all in", "CAD"),
            ("80.00 USD due", "USD"),
            ("due eur 80.00", "EUR"),
            ("US$80", "USD"),
            ("C$80", "CAD"),
            ("€80", "EUR"),
            ("R$ 80,00", "BRL"),
            ("HK$80", "HKD"),
            ("FEE$80", "CAD"),
            ("80", "CAD"),
        ] {
            assert_eq!(usual(text, "CAD").as_deref(), Some(code), "{text}");
        }
        assert_eq!(usual("$80", "EUR"), None, "nobody says whose dollars");
        for (text, code) in [
            ("usd", "USD"),
            (" US$ ", "USD"),
            ("$", "CAD"),
            ("PEN", "PEN"),
        ] {
            assert_eq!(
                settled(named(text), Some("CAD")).as_deref(),
                Some(code),
                "{text}"
            );
        }
        assert_eq!(usual("$80", "NAD").as_deref(), Some("NAD"));
        assert_eq!(named("DUE"), None);
        for (text, code) in [
            ("RMB", "CNY"),
            ("CDN", "CAD"),
            ("CDN$", "CAD"),
            ("CAD $", "CAD"),
            ("USD$", "USD"),
            ("US Dollars", "USD"),
            ("Euro", "EUR"),
        ] {
            assert_eq!(named(text), Some(Money::Code(code)), "{text}");
        }
        assert_eq!(named("PESOS"), None);
        assert_eq!(usual("80.00 CDN", "USD").as_deref(), Some("CAD"));
        assert_eq!(usual("FEE$80", "EUR"), None);
    }
}
