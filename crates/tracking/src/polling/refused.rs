//! Container numbers that a line refuses though their check digit is right.
//!
//! Of a bill or a booking only its line can say that the number's form is wrong. A container number we have proved, so there
//! are two readings of a 400 or 422: the line says so of boxes that it does not know, or the profile asks as the line does not
//! want to be asked, and every number is refused. Taken for the first, one wrong parameter would end all requests of an import, for
//! good and without a word about the source. So it counts as the first only where the line has told something about a box since it
//! refused one before; else the number is asked about again, and the source shows that it refuses. It closes no source: what it says
//! to one number it may not say to the next.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use domain::codes::ContainerNumber;
use domain::tracking_request::NumberKind;
use sources::ocean::dcsa::{PullFailure, Question};

use crate::source::Pulled;
use crate::{Source, Tracking};

/// The sources that told something about a box since this start, and refused none since.
#[derive(Debug, Default)]
pub(crate) struct Proofs(Mutex<BTreeSet<String>>);

impl Proofs {
    /// An answer to this question told something.
    pub(crate) fn told(&self, source: &Source, question: &Question) {
        if question.kind == NumberKind::Container {
            self.lock().insert(source.id().to_owned());
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why it seems to be the profile, where an answer refuses a sound container number and nothing shows that it is the number.
pub(super) fn of_profile<Answer>(
    tracking: &Tracking,
    source: &Source,
    question: &Question,
    pulled: &Pulled<Answer>,
) -> Option<String> {
    let Err(PullFailure::InvalidNumber(status)) = &pulled.answer else {
        return None;
    };
    let is_sound =
        question.kind == NumberKind::Container && ContainerNumber::parse(&question.number).is_ok();
    let is_proved = is_sound && tracking.proofs().lock().remove(source.id());
    (is_sound && !is_proved).then(|| {
        format!("it refuses container numbers whose check digit is right: it answers {status}")
    })
}
