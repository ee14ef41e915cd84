//! The moods of the interface: now and then it has no time, now and then it falls over.
//!
//! Never twice in a row for the same question, so patience always wins.

use std::collections::HashMap;
use std::sync::Mutex;

use axum::http::StatusCode;

use super::error::Refusal;
use crate::dice::Dice;
use crate::mischief::Mischief;

/// Remembers how often each question was asked.
pub(super) struct Trouble {
    seed: u64,
    rates: Mischief,
    asked: Mutex<HashMap<String, u64>>,
}

impl Trouble {
    pub(super) fn new(seed: u64, rates: Mischief) -> Self {
        Self {
            seed,
            rates,
            asked: Mutex::default(),
        }
    }

    pub(super) fn befalls(&self, question: &str) -> Result<(), Refusal> {
        let times = self.count(question);
        if times > 0 && self.mood(question, times - 1).is_some() {
            return Ok(());
        }
        self.mood(question, times).map_or(Ok(()), Err)
    }

    fn count(&self, question: &str) -> u64 {
        let mut asked = self
            .asked
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        let count = asked.entry(question.to_owned()).or_default();
        *count += 1;
        *count - 1
    }

    fn mood(&self, question: &str, times: u64) -> Option<Refusal> {
        let mut dice = Dice::about(self.seed, &format!("mood {question} {times}"));
        if dice.per_mille(self.rates.throttled) {
            let mut refusal = Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too many requests");
            refusal.wait = Some(dice.between(20, 90));
            return Some(refusal);
        }
        dice.per_mille(self.rates.failing).then(|| {
            let among = [
                StatusCode::INTERNAL_SERVER_ERROR,
                StatusCode::BAD_GATEWAY,
                StatusCode::SERVICE_UNAVAILABLE,
            ];
            let status = dice
                .pick(&among)
                .copied()
                .unwrap_or(StatusCode::BAD_GATEWAY);
            Refusal::new(status, "the tracking system is out of order")
        })
    }
}
