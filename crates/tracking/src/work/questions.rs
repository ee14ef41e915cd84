//! Questions under way on this node, each with the source whose place it takes.
//!
//! The place is given back however a question ends. One that panicked used to keep it until the next start, and after as many
//! as a source has places nobody asked that source any more.

use std::collections::HashMap;

use tokio::task::{Id, JoinError, JoinSet};

use crate::polling::Busy;

#[derive(Default)]
pub(super) struct Questions {
    under_way: JoinSet<()>,
    sources: HashMap<Id, String>,
    busy: Busy,
}

impl Questions {
    /// How many places of each source are taken.
    pub(super) fn busy(&self) -> &Busy {
        &self.busy
    }

    pub(super) fn begin(
        &mut self,
        source: String,
        asking: impl Future<Output = ()> + Send + 'static,
    ) {
        *self.busy.entry(source.clone()).or_default() += 1;
        let asking = self.under_way.spawn(asking);
        self.sources.insert(asking.id(), source);
    }

    /// Gives back the places of all that have ended.
    pub(super) fn make_room(&mut self) {
        while let Some(ended) = self.under_way.try_join_next_with_id() {
            self.ended(ended);
        }
    }

    /// Waits until one ends; `false` where there is none.
    pub(super) async fn one_ends(&mut self) -> bool {
        let ended = self.under_way.join_next_with_id().await;
        let is_one = ended.is_some();
        if let Some(ended) = ended {
            self.ended(ended);
        }
        is_one
    }

    fn ended(&mut self, ended: Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => id,
            Err(panicked) => panicked.id(),
        };
        let Some(source) = self.sources.remove(&id) else {
            return;
        };
        if let Some(under_way) = self.busy.get_mut(&source) {
            *under_way = under_way.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_question_that_panics_gives_its_place_back() {
        let mut questions = Questions::default();
        questions.begin("line".into(), async { panic!("planted") });
        questions.begin("other".into(), std::future::pending());
        assert_eq!(questions.busy()["line"], 1);
        assert!(questions.one_ends().await);
        let busy = questions.busy();
        assert_eq!((busy["line"], busy["other"]), (0, 1));
    }
}
