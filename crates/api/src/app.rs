//! What every request shares.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use domain::audit::Actor;
use domain::ids::ApiKeyId;
use jiff::Timestamp;
use tracking::Tracking;
use tracking::once::Sending;
use uuid::Uuid;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::health::Lack;
use crate::long_reads::LongReads;
use crate::once::AtWork;
use crate::rate_limit::Limiters;
use crate::references::References;
use crate::settings::Settings;
use crate::upload_room::UploadRooms;

/// The service behind the routes. Cheap to clone.
#[derive(Clone)]
pub(crate) struct App {
    /// The use cases; for a named request those that are done once.
    pub(crate) tracking: Tracking,
    inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) settings: Settings,
    pub(crate) limiters: Limiters,
    pub(crate) references: References,
    pub(crate) uploads: UploadRooms,
    pub(crate) long_reads: LongReads,
    pub(crate) at_work: AtWork,
    pub(crate) stopping: AtomicBool,
    /// When it was last looked whether this node can work, and what came of it.
    pub(crate) readiness: tokio::sync::Mutex<Option<(Instant, Result<(), Lack>)>>,
    /// When the store last was out of reach, or had no room, for a request.
    refused_at: Mutex<Option<Instant>>,
    /// When this process began to serve.
    pub(crate) started_at: Timestamp,
    request_prefix: u32,
    requests: AtomicU64,
}

impl std::ops::Deref for App {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

impl App {
    pub(crate) fn new(tracking: Tracking, settings: Settings) -> Self {
        let started_at = tracking.now();
        let started: Uuid = tracking::id_source(started_at).draw();
        let inner = Inner {
            limiters: Limiters::new(settings.rate_limits),
            references: References::of(tracking.registry()),
            uploads: UploadRooms::new(settings.uploads_bytes_max),
            long_reads: LongReads::new(settings.long_reads_max, settings.long_read_wait),
            stopping: AtomicBool::new(false),
            at_work: AtWork::default(),
            readiness: tokio::sync::Mutex::default(),
            refused_at: Mutex::default(),
            request_prefix: u32::try_from(started.as_u128() & 0xffff_ffff).unwrap_or(0),
            requests: AtomicU64::new(0),
            started_at,
            settings,
        };
        Self {
            tracking,
            inner: Arc::new(inner),
        }
    }

    /// The answer to a request that failed; that the store was away counts for whoever asks whether this node is ready.
    pub(crate) fn failed(&self, failure: Failure, request_id: &str) -> Answer {
        if matches!(failure, Failure::Store(store::Error::Unavailable(_))) {
            let mut refused_at = self
                .refused_at
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            *refused_at = Some(Instant::now());
        }
        failure.answer(request_id)
    }

    /// Whether the store was away for a request within that time.
    pub(crate) fn has_refused(&self, within: Duration) -> bool {
        let refused_at = self
            .refused_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        refused_at.is_some_and(|at| at.elapsed() < within)
    }

    /// The same for one named request.
    pub(crate) fn once(&self, sending: Arc<Sending>) -> Self {
        Self {
            tracking: self.tracking.once(sending),
            inner: Arc::clone(&self.inner),
        }
    }

    /// The same for nobody's named request: what it writes is no part of one.
    pub(crate) fn unnamed(&self) -> Self {
        Self {
            tracking: self.tracking.unnamed(),
            inner: Arc::clone(&self.inner),
        }
    }

    /// The same for a call with this key: what it changes was changed by its holder.
    pub(crate) fn by(&self, key: ApiKeyId) -> Self {
        Self {
            tracking: self.tracking.by(Actor::Key(key)),
            inner: Arc::clone(&self.inner),
        }
    }

    /// A name for one request, unique on this node: the start of the process and a count.
    pub(crate) fn request_id(&self) -> String {
        let count = self.requests.fetch_add(1, Ordering::Relaxed);
        format!("{:08x}-{count:x}", self.request_prefix)
    }
}
