//! A use case on its way through a queue: its closure, what it answered, and the caller who waits.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tokio::sync::oneshot;

use super::{Key, Tx};
use crate::Error;

/// A queued use case.
pub(super) struct Job {
    pub(super) key: Key,
    /// Whether it is a read of one statement, most likely.
    pub(super) glance: bool,
    work: Box<dyn Work>,
}

/// How a run of a use case ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ran {
    /// It wants to be committed.
    Done,
    /// It failed; what it did must go.
    Refused,
}

trait Work: Send {
    fn run(&mut self, tx: &mut Tx) -> Ran;
    fn answer(self: Box<Self>, ended: Result<(), Error>);
    fn abandoned(&self) -> bool;
}

struct Waiting<T, E, F> {
    use_case: F,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl Job {
    pub(super) fn new<T, E, F>(key: Key, use_case: F) -> (Self, oneshot::Receiver<Result<T, E>>)
    where
        F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        E: From<Error> + Send + 'static,
        T: Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let work = Box::new(Waiting {
            use_case,
            result: None,
            reply,
        });
        let job = Self {
            key,
            glance: false,
            work,
        };
        (job, answer)
    }

    /// Runs the use case; `tx` is fresh before it and tells afterwards what it did.
    pub(super) fn run(&mut self, tx: &mut Tx) -> Ran {
        tx.fresh();
        let ran = self.work.run(tx);
        if ran == Ran::Done {
            tx.keep_afterwards();
        }
        ran
    }

    /// Gives the caller the result of the last run, once it is known whether it stands.
    pub(super) fn answer(self, ended: Result<(), Error>) {
        self.work.answer(ended);
    }

    /// Whether nobody waits for the answer any more. A use case that has begun is finished all the same.
    pub(super) fn abandoned(&self) -> bool {
        self.work.abandoned()
    }
}

impl<T, E, F> Work for Waiting<T, E, F>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
    E: From<Error> + Send + 'static,
    T: Send + 'static,
{
    fn run(&mut self, tx: &mut Tx) -> Ran {
        let result = guarded(&mut self.use_case, tx);
        let ran = if result.is_ok() {
            Ran::Done
        } else {
            Ran::Refused
        };
        self.result = Some(result);
        ran
    }

    fn answer(self: Box<Self>, ended: Result<(), Error>) {
        let Self {
            use_case,
            result,
            reply,
        } = *self;
        // Its caller may want back what it shares with it.
        drop(use_case);
        let not_run = || Err(Error::Unavailable("the use case was not run".into()).into());
        let result = match ended {
            Ok(()) => result.unwrap_or_else(not_run),
            Err(error) => Err(error.into()),
        };
        // The caller may have gone; what is committed stays.
        let _ = reply.send(result);
    }

    fn abandoned(&self) -> bool {
        self.reply.is_closed()
    }
}

/// Runs a use case so that neither a panic nor a swallowed error of a statement gets through.
pub(super) fn guarded<T, E, F>(use_case: &mut F, tx: &mut Tx) -> Result<T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E>,
    E: From<Error>,
{
    let ran = catch_unwind(AssertUnwindSafe(|| use_case(tx)));
    match ran {
        Ok(Ok(_)) if tx.failure().is_some() => Err(Error::Poisoned.into()),
        Ok(result) => result,
        Err(panic) => {
            let message = panic_message(panic.as_ref());
            tracing::error!(panic = %message, "a use case panicked");
            Err(Error::Panicked(message).into())
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "no message".into())
}
