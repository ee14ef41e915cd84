//! What came of a question, and what it took.

use std::time::Duration;

use sources::ocean::dcsa::PullFailure;
use sources::outbound::counted;

/// A question takes as long as this, all its pages together: each may take its 30 seconds, but not every one of them.
const QUESTION_LIMIT: Duration = Duration::from_mins(5);

/// An answer or none.
#[derive(Debug)]
pub(crate) struct Pulled<Answer> {
    /// What was answered.
    pub(crate) answer: Result<Answer, PullFailure>,
    /// Requests that were sent for it, also where it failed.
    pub(crate) requests: u32,
}

impl<Answer> Pulled<Answer> {
    /// Of this question.
    pub(crate) async fn by(asking: impl Future<Output = Result<Answer, PullFailure>>) -> Self {
        Self::within(QUESTION_LIMIT, asking).await
    }

    async fn within(
        limit: Duration,
        asking: impl Future<Output = Result<Answer, PullFailure>>,
    ) -> Self {
        let (answer, requests) = counted(tokio::time::timeout(limit, asking)).await;
        let late = || format!("its answer did not end within {} seconds", limit.as_secs());
        Self {
            answer: answer.unwrap_or_else(|_| Err(PullFailure::Unreachable(late()))),
            requests,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_is_not_given_up_before_its_question_ends() {
        assert!(domain::source::TRIAL_LASTS > QUESTION_LIMIT.try_into().unwrap());
    }

    #[tokio::test]
    async fn an_answer_that_does_not_end_is_trouble() {
        let endless = std::future::pending::<Result<(), PullFailure>>();
        let pulled = Pulled::within(Duration::from_millis(10), endless).await;
        assert!(matches!(pulled.answer, Err(PullFailure::Unreachable(_))));
    }
}
