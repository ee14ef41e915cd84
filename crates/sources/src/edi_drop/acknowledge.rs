//! The answer that the sender of a file gets.

use domain::place::Gazetteer;
use edi::edifact::Answered;
use edi::{Judgement, Message, edifact, x12};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::desk::Desk;
use super::parse::{Language, code_of_set, one, open, type_of_message};
use super::profile::{Acknowledge, Profile};

/// A 997 or CONTRL for a file; `None` when the profile wants none, nobody asked, or there is nothing to answer.
/// `at` stands in its headers, in UTC. One file always gets one answer.
pub fn acknowledge(
    profile: &Profile,
    bytes: &[u8],
    at: Timestamp,
    gazetteer: &Gazetteer,
) -> Option<Vec<u8>> {
    if profile.acknowledge == Acknowledge::Never {
        return None;
    }
    let desk = Desk::new(profile, at, gazetteer);
    let clock = at.to_zoned(TimeZone::UTC);
    let (date, time) = (
        clock.strftime("%Y%m%d").to_string(),
        clock.strftime("%H%M").to_string(),
    );
    let (language, _) = open(bytes).ok()?;
    match language {
        Language::X12 => x12::acknowledge(bytes, &date, &time, |message| {
            judge(language, message, &desk)
        }),
        Language::Edifact => {
            let answered = match profile.acknowledge {
                Acknowledge::Always => Answered::All,
                _ => Answered::Asking,
            };
            let short = date.get(2..).unwrap_or(&date);
            edifact::acknowledge(bytes, short, &time, answered, |message| {
                judge(language, message, &desk)
            })
        }
    }
}

fn judge(language: Language, message: &Message<'_>, desk: &Desk<'_>) -> Judgement {
    let supported = match language {
        Language::X12 => matches!(
            code_of_set(message).as_str(),
            "315" | "322" | "214" | "404" | "417" | "418" | "997" | "999"
        ),
        Language::Edifact => {
            matches!(
                type_of_message(message).as_str(),
                "IFTSTA" | "CODECO" | "COARRI" | "CONTRL"
            )
        }
    };
    if !supported {
        return Judgement::Unsupported;
    }
    let parsed = one(language, message, desk);
    let own_defects = parsed.defects.len() > message.notes.len();
    if parsed.reports.is_empty() && own_defects {
        Judgement::Unusable
    } else {
        Judgement::Usable
    }
}
