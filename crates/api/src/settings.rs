//! Every bound of the HTTP face, with its default.

use std::net::IpAddr;
use std::thread::available_parallelism;
use std::time::Duration;

use jiff::Timestamp;
use sources::outbound::Network;

/// How requests are taken and how long they may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Calls of one account in a minute, by kind of call.
    pub rate_limits: RateLimits,
    /// Where deliveries come from, for receivers that let in only whom they know.
    pub webhook_sources: WebhookSources,
    /// Open connections at most.
    pub connections_max: usize,
    /// Open connections of one address at most; a trusted proxy's are counted in all only.
    pub connections_per_address_max: usize,
    /// Proxies in front that are believed whom they were called by.
    pub trusted_proxies: Vec<Network>,
    /// Time for a whole head, from its first byte.
    pub head_timeout: Duration,
    /// Time for a whole body.
    pub body_timeout: Duration,
    /// Time for a whole message that is pushed or uploaded.
    pub upload_timeout: Duration,
    /// Bytes of such messages that are held at once, of senders that are known and again of those that are not yet.
    pub uploads_bytes_max: usize,
    /// After this, a body must come at [`body_bytes_per_second_min`](Self::body_bytes_per_second_min).
    pub body_grace: Duration,
    /// Slowest body taken.
    pub body_bytes_per_second_min: u64,
    /// Longest body taken.
    pub body_bytes_max: usize,
    /// Reads at once of more than the first page of a list or one record as it is; an account has half of them.
    pub long_reads_max: usize,
    /// Time that such a read waits for its place.
    pub long_read_wait: Duration,
    /// Time for a handler.
    pub handler_timeout: Duration,
    /// Time without progress while an answer is written.
    pub write_timeout: Duration,
    /// Time a connection may stay open without a request.
    pub idle_timeout: Duration,
    /// Free share of the store's disk, in percent, below which the service is not ready.
    pub free_percent_min: u64,
    /// At shutdown: time between "not ready" and the end of accepting.
    pub drain_notice: Duration,
    /// At shutdown: time for requests that have begun.
    pub drain_timeout: Duration,
}

/// Addresses that deliveries come from, as the operator names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookSources {
    /// The addresses; none where nobody said.
    pub addresses: Vec<IpAddr>,
    /// Since when; `None` is the start of the process.
    pub since: Option<Timestamp>,
}

/// Calls of one account in a minute; 0 is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimits {
    /// Everything that has no bucket of its own.
    pub default_per_minute: u32,
    /// Creating tracking requests.
    pub create_per_minute: u32,
    /// Inferring carriers from numbers.
    pub infer_per_minute: u32,
    /// Refreshing containers.
    pub refresh_per_minute: u32,
    /// Test sends to an endpoint.
    pub trigger_per_minute: u32,
    /// Fetching deliveries and telling how they went: about two calls for each.
    pub listen_per_minute: u32,
    /// Refused keys from one address.
    pub refused_keys_per_minute: u32,
}

impl RateLimits {
    /// No limit on anything.
    pub const NONE: Self = Self {
        default_per_minute: 0,
        create_per_minute: 0,
        infer_per_minute: 0,
        refresh_per_minute: 0,
        trigger_per_minute: 0,
        listen_per_minute: 0,
        refused_keys_per_minute: 0,
    };
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            default_per_minute: 100,
            create_per_minute: 100,
            infer_per_minute: 200,
            refresh_per_minute: 10,
            trigger_per_minute: 10,
            listen_per_minute: 6_000,
            refused_keys_per_minute: 20,
        }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            rate_limits: RateLimits::default(),
            webhook_sources: WebhookSources::default(),
            connections_max: 4_096,
            connections_per_address_max: 128,
            trusted_proxies: Vec::new(),
            head_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            upload_timeout: Duration::from_mins(2),
            uploads_bytes_max: 64 * 1024 * 1024,
            body_grace: Duration::from_secs(5),
            body_bytes_per_second_min: 1_024,
            body_bytes_max: 256 * 1024,
            long_reads_max: 2 * available_parallelism().map_or(2, usize::from),
            long_read_wait: Duration::from_secs(20),
            handler_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            idle_timeout: Duration::from_secs(75),
            free_percent_min: 5,
            drain_notice: Duration::from_secs(2),
            drain_timeout: Duration::from_secs(25),
        }
    }
}
