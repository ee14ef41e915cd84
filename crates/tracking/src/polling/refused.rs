//! Container numbers that a line refuses though their check digit is right.
//!
//! Of a bill or a booking only its line can say that the number's form is wrong. A container number we have proved, so there
//! are two readings of a 400 or 422: the line says so of boxes that it does not know, or the profile asks as the line does not
//! want to be asked, and every number is refused. Taken for the first, one wrong parameter would end all requests of an import, for
//! good and without a word about the source. So it counts as the first only where the line has told something about a box lately;
//! else the number is asked about again, and the source shows what was refused. It closes no source: what it says to one number it
//! may not say to the next.

use domain::codes::ContainerNumber;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use sources::ocean::dcsa::{PullFailure, Question};

use crate::source::Pulled;
use crate::{Source, Tracking};

/// A line that told something about a box within this time is asked as it wants to be.
const LATELY: SignedDuration = SignedDuration::from_hours(24);

/// Why it seems to be the profile, where an answer refuses a sound container number and does not prove itself otherwise.
pub(crate) async fn of_profile<Answer>(
    tracking: &Tracking,
    source: &Source,
    question: &Question,
    pulled: &Pulled<Answer>,
    now: Timestamp,
) -> Result<Option<String>, store::Error> {
    let Err(PullFailure::InvalidNumber(said)) = &pulled.answer else {
        return Ok(None);
    };
    let is_sound =
        question.kind == NumberKind::Container && ContainerNumber::parse(&question.number).is_ok();
    if !is_sound {
        return Ok(None);
    }
    let (id, since) = (source.id().to_owned(), now - LATELY);
    let told = tracking
        .store()
        .read(move |tx| store::watch::any_told(tx, &id, NumberKind::Container, since))
        .await?;
    let why = format!("it refuses a container number whose check digit is right: {said}");
    Ok((!told).then_some(why))
}
