//! How towns are spelled, and which spellings are of one town.
//!
//! Railroads, truckers and lines write `ST LOUIS`, `St. Louis`, `STLOUIS` and `SAINT LOUIS`, cut names to nine letters with their
//! blanks (`LOS ANGEL`) or without (`LOSANGELE`), and put the state behind the town (`HOUSTON, TX`). Nothing else is guessed: a
//! name that is spelled wrong names no town.

use crate::country_codes;

/// Names in the rail trade have this many letters at most.
const CUT_LETTERS: usize = 9;

/// Words of names that are cut short, and what they are short for.
const SHORT: &[(&str, &str)] = &[
    ("ST", "SAINT"),
    ("STE", "SAINTE"),
    ("FT", "FORT"),
    ("MT", "MOUNT"),
];

/// States, districts and territories, and provinces, as they stand behind a town.
const STATES: &[(&str, &[&str])] = &[
    (
        "US",
        &[
            "AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID",
            "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO", "MS", "MT", "NC",
            "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR", "PA", "PR", "RI", "SC",
            "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY",
        ],
    ),
    (
        "CA",
        &[
            "AB", "BC", "MB", "NB", "NL", "NS", "NT", "ON", "PE", "QC", "SK", "YT",
        ],
    ),
];

/// What counts as a state or region of a country and has a country's code of its own (ISO 3166-2).
const TERRITORIES: &[(&str, &[&str])] = &[
    ("CN", &["HK", "MO", "TW"]),
    (
        "FR",
        &[
            "BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "WF", "YT",
        ],
    ),
    ("NL", &["AW", "CW", "SX"]),
    ("US", &["AS", "GU", "MP", "PR", "VI"]),
];

fn is_territory(code: &str, country: &str) -> bool {
    let mut of = TERRITORIES.iter();
    of.any(|(of, codes)| *of == country && codes.contains(&code))
}

/// Words of the trade that stand behind names as states do: company, container terminal, distribution centre, Los Angeles, empty.
const NO_STATES_BEHIND_A_BLANK: &[&str] = &["CO", "CT", "DC", "LA", "MT"];

/// What has one of these words in its name is no town, so that no state stands behind it.
const FACILITIES: &[&str] = &["DEPOT", "GATE", "ICTF", "PORT", "RAMP", "TERMINAL", "YARD"];

/// A town as somebody wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Town {
    /// Its words in capitals, with the usual ones cut short and written out.
    spelled: [Vec<String>; 2],
    /// The state that stands behind it, or beside it.
    pub(crate) state: String,
    pub(crate) country: String,
    /// The state is the last word of the name, without a comma before it: it may be another word of two letters.
    pub(crate) state_may_be_a_word: bool,
}

impl Town {
    /// A town with the state and country that are told beside it, or nothing. What stands behind it counts where nothing does;
    /// where they speak against each other, there is no such town.
    pub(crate) fn read(text: &str, state: &str, country: &str) -> Option<Self> {
        let upper = text.to_uppercase();
        let mut parts: Vec<&str> = upper.split(',').map(str::trim).collect();
        parts.retain(|part| !part.is_empty());
        let (told_state, told_country) = (self::state(state), country_codes::country(country));
        let behind = Behind::take(&mut parts, &told_state, &told_country);
        let told_or = |told: String, behind| if told.is_empty() { behind } else { told };
        let country = told_or(told_country, behind.country);
        // Abroad the codes of states are many, and two of them may be of one.
        let has_states = country.is_empty() || has_states(&country);
        if has_states && differ(&told_state, &behind.state) {
            return None;
        }
        let name = parts.join(" ");
        let words = words(&name);
        (!words.is_empty()).then_some(())?;
        Some(Self {
            spelled: spelled(&words),
            state_may_be_a_word: told_state.is_empty() && behind.is_last_word,
            state: told_or(told_state, behind.state),
            country,
        })
    }

    /// Whether the word behind its name may be its state, where no table has such a town there.
    pub(crate) fn may_lie_in_its_state(&self) -> bool {
        let [short, _] = &self.spelled;
        let is_facility = short.iter().any(|word| FACILITIES.contains(&word.as_str()));
        !self.state_may_be_a_word
            || !(is_facility || NO_STATES_BEHIND_A_BLANK.contains(&self.state.as_str()))
    }

    /// Its names without blanks, by which lists are searched.
    pub(crate) fn keys(&self) -> impl Iterator<Item = String> + '_ {
        let [short, long] = &self.spelled;
        let other = Some(long).filter(|long| *long != short);
        std::iter::once(short)
            .chain(other)
            .map(|words| words.concat())
    }

    /// Whether both are spellings of one name.
    pub(crate) fn is_named_like(&self, other: &Self) -> bool {
        self.keys().any(|key| other.keys().any(|own| own == key))
    }

    /// Whether this is the name of another that was cut, with its blanks or without.
    pub(crate) fn is_cut_from(&self, whole: &Self) -> bool {
        let begins = |with: &str| {
            let cut = self.spelled.iter().map(|words| words.join(with));
            let mut cut = cut.filter(|cut| cut.chars().count() == CUT_LETTERS);
            cut.any(|cut| {
                let mut whole = whole.spelled.iter().map(|words| words.join(with));
                whole.any(|whole| whole.starts_with(&cut))
            })
        };
        begins("") || begins(" ")
    }
}

/// Whether two texts are names of one town, of which this is told beside either. What is written the same is one, be it read or
/// not.
pub(crate) fn is_one(one: &str, other: &str, state: &str, country: &str) -> bool {
    let (one, other) = (one.trim(), other.trim());
    if !one.is_empty() && one.eq_ignore_ascii_case(other) {
        return true;
    }
    let read = |text| Town::read(text, state, country);
    read(one).zip(read(other)).is_some_and(|(one, other)| {
        one.is_named_like(&other)
            && !differ(&one.state, &other.state)
            && !differ(&one.country, &other.country)
    })
}

/// A state by the code it has now: Quebec was PQ.
pub(crate) fn state(code: &str) -> String {
    match code.trim().to_uppercase() {
        code if code == "PQ" => "QC".to_owned(),
        code => code,
    }
}

/// A town with the state that stands behind it; its country may be told beside it.
pub(crate) fn with_state_behind(text: &str, country: &str) -> Option<Town> {
    Town::read(text, "", country).filter(|town| !town.state.is_empty())
}

/// State and country in the codes of the tables.
pub(crate) fn codes(state: &str, country: &str) -> (String, String) {
    let (state, country) = (self::state(state), country_codes::country(country));
    if is_territory(&state, &country) {
        return (String::new(), state);
    }
    (state, country)
}

/// Whether what is said to lie in a country may lie in the one of this code.
pub(crate) fn may_lie_in(country: &str, state: &str, code: &str) -> bool {
    let is_of_it = || state.is_empty() && is_territory(code, country);
    country.len() != 2 || country == code || is_of_it()
}

/// The country of a place in North America of which nobody names it: that of its state or province, else the United States.
/// Mexico, too, has an `NL`.
pub(crate) fn country_beside(state: &str, country: &str) -> String {
    let country = country_codes::country(country);
    let state = self::state(state);
    if !country.is_empty() {
        return country;
    }
    let of_state = country_of(&state, "").filter(|_| state != "NL");
    of_state.unwrap_or("US").to_owned()
}

/// Whether two words are told that are not the same.
pub(crate) fn differ(one: &str, other: &str) -> bool {
    !one.is_empty() && !other.is_empty() && !one.eq_ignore_ascii_case(other)
}

/// State and country that stand behind a town.
#[derive(Default)]
struct Behind {
    state: String,
    country: String,
    /// A blank sets the state apart, and no comma.
    is_last_word: bool,
}

impl Behind {
    /// Takes them from the parts of a text that commas set apart, and the state where a blank does. A word is the country that is
    /// told, or one where none is. One that may be either is a state then: most who write so are in North America.
    fn take(parts: &mut Vec<&str>, state: &str, country: &str) -> Self {
        let mut behind = Self::default();
        if let [_, .., last] = parts.as_slice()
            && let Some(code) = country_behind(last, parts.len(), country)
        {
            behind.country = code;
            parts.pop();
        }
        let country = if country.is_empty() {
            behind.country.clone()
        } else {
            country.to_owned()
        };
        let is_listed = |word: &str| country_of(&self::state(word), &country).is_some();
        let is_short = |word: &str| matches!(word.len(), 2 | 3) && is_letters(word);
        let is_foreign = !country.is_empty() && !has_states(&country);
        if let [_, .., last] = parts.as_slice()
            && (is_listed(last) || (is_foreign && is_short(last)))
        {
            behind.state = self::state(last);
            parts.pop();
        } else if let [only] = parts.as_slice()
            && let Some((town, word)) = only.rsplit_once(' ')
            && (self::state(word) == state
                || (state.is_empty() && !country.is_empty() && is_listed(word)))
        {
            behind.state = self::state(word);
            behind.is_last_word = true;
            *parts = vec![town.trim()];
        }
        behind
    }
}

/// The country that the last of some parts is.
fn country_behind(part: &str, parts: usize, told: &str) -> Option<String> {
    let code = country_codes::country(part);
    if !told.is_empty() {
        return (code == told).then_some(code);
    }
    let is_state = country_of(&state(part), "").is_some();
    let is_code = match part.len() {
        2 => is_letters(part) && (parts > 2 || !is_state),
        3 => code.len() == 2,
        _ => false,
    };
    is_code.then_some(code)
}

fn is_letters(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether the states of a country are known by their codes.
fn has_states(country: &str) -> bool {
    STATES.iter().any(|(of, _)| *of == country)
}

/// The country in which a code is one of a state, if it may be that one.
fn country_of(state: &str, country: &str) -> Option<&'static str> {
    let mut lists = STATES
        .iter()
        .filter(|(of, _)| country.is_empty() || *of == country);
    lists
        .find(|(_, codes)| codes.contains(&state))
        .map(|(of, _)| *of)
}

fn words(text: &str) -> Vec<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter(|word| !word.is_empty()).collect()
}

/// With the usual words cut short, and written out. The last word is a name.
fn spelled(words: &[&str]) -> [Vec<String>; 2] {
    let each = |say: &dyn Fn(&str) -> String| {
        let last = words.len().saturating_sub(1);
        let words = words.iter().enumerate();
        let say = |(at, word): (usize, &&str)| {
            if at < last {
                say(word)
            } else {
                (*word).to_owned()
            }
        };
        words.map(say).collect()
    };
    let short = |word: &str| {
        let row = SHORT.iter().find(|(_, long)| *long == word);
        row.map_or(word, |(short, _)| short).to_owned()
    };
    let long = |word: &str| {
        let row = SHORT.iter().find(|(short, _)| *short == word);
        row.map_or(word, |(_, long)| long).to_owned()
    };
    [each(&short), each(&long)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn town(text: &str) -> Town {
        Town::read(text, "", "").unwrap()
    }

    #[test]
    fn spellings_of_one_town() {
        for (one, other) in [
            ("ST. LOUIS", "Saint Louis"),
            ("STLOUIS", "Saint Louis"),
            ("SAINTLOUIS", "St Louis"),
            ("FT WORTH", "FORT WORTH"),
            ("MT. VERNON", "Mount Vernon"),
            ("PORT-AU-PRINCE", "Port au Prince"),
        ] {
            assert!(town(one).is_named_like(&town(other)), "{one}");
        }
        for (one, other) in [
            ("SAINT JOHN", "Saint John's"),
            ("ST", "SAINT"),
            ("OLD FT", "OLD FORT"),
        ] {
            assert!(!town(one).is_named_like(&town(other)), "{one}");
        }
    }

    #[test]
    fn names_cut_to_nine_letters_with_their_blanks_or_without() {
        for (cut, whole) in [
            ("LOS ANGEL", "Los Angeles"),
            ("LOSANGELE", "Los Angeles"),
            ("KANSAS CI", "Kansas City"),
            ("EAST ST L", "East Saint Louis"),
            ("EASTSTLOU", "East Saint Louis"),
            ("SAINT LOU", "St. Louis"),
        ] {
            assert!(town(cut).is_cut_from(&town(whole)), "{cut}");
        }
        for (cut, whole) in [("LOS ANG", "Los Angeles"), ("KANSAS", "Kansas City")] {
            assert!(!town(cut).is_cut_from(&town(whole)), "{cut}");
        }
    }

    #[test]
    fn what_stands_behind_a_town() {
        let read = |text: &str, state: &str, country: &str| {
            let town = Town::read(text, state, country)?;
            Some(format!(
                "{}/{}/{}",
                town.keys().next()?,
                town.state,
                town.country
            ))
        };
        for (text, state, country, told) in [
            ("HOUSTON, TX", "", "", "HOUSTON/TX/"),
            ("HOUSTON, TX, US", "", "", "HOUSTON/TX/US"),
            ("HOUSTON, TX, USA", "", "", "HOUSTON/TX/US"),
            ("HOUSTON TX", "TX", "US", "HOUSTON/TX/US"),
            ("HOUSTON TX", "", "US", "HOUSTON/TX/US"),
            ("HOUSTON TX", "", "", "HOUSTONTX//"),
            ("SALT LAKE CITY", "UT", "US", "SALTLAKECITY/UT/US"),
            ("SANTOS, BR", "", "", "SANTOS//BR"),
            ("CARTAGENA, CO", "", "CO", "CARTAGENA//CO"),
            ("VANCOUVER, CA", "", "CA", "VANCOUVER//CA"),
            ("LOS ANGELES, CA", "", "", "LOSANGELES/CA/"),
            ("MONTREAL, PQ, CA", "", "", "MONTREAL/QC/CA"),
            ("MONTREAL", "PQ", "CA", "MONTREAL/QC/CA"),
            ("HOUSTON, TX", "", "USA", "HOUSTON/TX/US"),
            ("HOUSTON, TX, US", "TX", "USA", "HOUSTON/TX/US"),
            ("TORONTO, ON, CAN", "", "", "TORONTO/ON/CA"),
            ("VERACRUZ, VE", "", "MX", "VERACRUZ/VE/MX"),
            ("VERACRUZ, VE", "VER", "MEX", "VERACRUZ/VER/MX"),
            ("CHENNAI, TN", "", "IN", "CHENNAI/TN/IN"),
            ("CHENNAI, TN, IN", "", "IN", "CHENNAI/TN/IN"),
            ("SYDNEY, NSW", "", "AUS", "SYDNEY/NSW/AU"),
        ] {
            assert_eq!(read(text, state, country).as_deref(), Some(told), "{text}");
        }
        for (text, may_be_a_word, may_be_a_state) in [
            ("LIMON, CO", false, true),
            ("HAZLETON PA", true, true),
            ("SMITH TRUCKING CO", true, false),
            ("TRAPAC LA, US", true, false),
            ("JOLIET RAMP IL", true, false),
            ("JOLIET RAMP, IL", false, true),
        ] {
            let town = with_state_behind(text, "US").unwrap();
            assert_eq!(town.state_may_be_a_word, may_be_a_word, "{text}");
            assert_eq!(town.may_lie_in_its_state(), may_be_a_state, "{text}");
        }
        assert_eq!(with_state_behind("HAZLETON PA", ""), None);
        assert_eq!(read("HOUSTON, TX", "MN", "US"), None);
        assert_eq!(read(" , ", "", ""), None);
        assert!(is_one("HOUSTON, TX", "houston, tx", "MN", "US"));
        assert!(!is_one("", "", "", ""));
    }
}
