//! How many requests a question took: its pages, those for a token, and what had to be sent again. Who sets a budget counts
//! all of them, whatever came of them.

use std::cell::Cell;

tokio::task_local! {
    /// Requests of the question that this task asks. They are made far below whoever asks it, and not all that fail come
    /// back to him.
    static SENT: Cell<u32>;
}

/// Asks, and counts the requests that it took.
pub async fn counted<Asking: Future>(asking: Asking) -> (Asking::Output, u32) {
    let counting = async {
        let answer = asking.await;
        (answer, SENT.with(Cell::get))
    };
    SENT.scope(Cell::new(0), counting).await
}

/// A request is sent.
pub(super) fn another() {
    // Nobody counts those that belong to no question.
    let _ = SENT.try_with(|sent| sent.set(sent.get().saturating_add(1)));
}
