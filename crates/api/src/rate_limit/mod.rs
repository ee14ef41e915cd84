//! How often an account may call, and an address may present refused keys.
//!
//! A minute rolls, see [`domain::rate`]. On one node it is counted in this process. Where nodes share a
//! database they share the minute: each takes room for a few calls at a time from the account's row
//! ([`leases::LEASES_PER_MINUTE`] times a minute at most), and lets calls through from that. Room that a node has
//! taken and not used is lost to the others, so with a few nodes a minute holds some calls less than its
//! limit, within five in a hundred, and never more than one such piece above it.

mod leases;

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::ids::AccountId;
use domain::rate::{Taken, WINDOW_SECONDS, Window};
use http::{HeaderMap, HeaderName, HeaderValue};
use tracking::Tracking;

use crate::failure::Failure;
use crate::operation::Bucket;
use crate::settings::RateLimits;
use leases::Leases;

/// Calls between two sweeps of windows in which nothing counts any more.
const CALLS_BETWEEN_SWEEPS: u32 = 4_096;

pub(crate) struct Limiters {
    limits: RateLimits,
    accounts: Windows<(AccountId, Bucket)>,
    leases: Leases,
    refused_keys: Windows<IpAddr>,
    calls: AtomicU32,
}

/// A counted call: what its account may still do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted {
    bucket: Bucket,
    limit: u32,
    taken: Taken,
}

impl Limiters {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            limits,
            accounts: Windows::default(),
            leases: Leases::default(),
            refused_keys: Windows::default(),
            calls: AtomicU32::new(0),
        }
    }

    /// Counts a call of this account; `None` where nothing is counted.
    pub(crate) async fn count(
        &self,
        tracking: &Tracking,
        account: AccountId,
        bucket: Bucket,
    ) -> Result<Option<Counted>, Failure> {
        let limit = self.limit(bucket);
        if limit == 0 {
            return Ok(None);
        }
        let now = second_now(tracking);
        self.sweep_now_and_then(now);
        let taken = if tracking.store().is_shared() {
            let key = (account, bucket);
            self.leases.take(tracking, key, now, limit).await?
        } else {
            self.accounts.take((account, bucket), now, limit)
        };
        Ok(Some(Counted {
            bucket,
            limit,
            taken,
        }))
    }

    /// Counts a refused key.
    pub(crate) fn count_refused_key(
        &self,
        tracking: &Tracking,
        from: Option<IpAddr>,
    ) -> Result<(), Failure> {
        let limit = self.limits.refused_keys_per_minute;
        let (Some(from), true) = (from, limit > 0) else {
            return Ok(());
        };
        let now = second_now(tracking);
        self.sweep_now_and_then(now);
        judge(self.refused_keys.take(network(from), now, limit), None)
    }

    fn limit(&self, bucket: Bucket) -> u32 {
        match bucket {
            Bucket::Default => self.limits.default_per_minute,
            Bucket::Create => self.limits.create_per_minute,
            Bucket::Infer => self.limits.infer_per_minute,
            Bucket::Refresh => self.limits.refresh_per_minute,
            Bucket::Trigger => self.limits.trigger_per_minute,
            Bucket::Listen => self.limits.listen_per_minute,
            Bucket::Messages => 0,
        }
    }

    fn sweep_now_and_then(&self, now: u64) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls % CALLS_BETWEEN_SWEEPS == CALLS_BETWEEN_SWEEPS - 1 {
            self.accounts.sweep(now);
            self.leases.sweep(now);
            self.refused_keys.sweep(now);
        }
    }
}

impl Counted {
    /// Refuses a call beyond the limit.
    pub(crate) fn judge(self) -> Result<(), Failure> {
        judge(self.taken, Some(self.bucket))
    }

    /// Tells the caller what is left, in the words of the IETF's draft.
    pub(crate) fn tell(self, headers: &mut HeaderMap) {
        let name = self.bucket.as_str();
        let policy = format!("\"{name}\";q={};w={WINDOW_SECONDS}", self.limit);
        let (left, frees_in) = (self.taken.left, self.taken.frees_in);
        let stands = format!("\"{name}\";r={left};t={frees_in}");
        for (header, value) in [("ratelimit-policy", policy), ("ratelimit", stands)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(header), value);
            }
        }
    }
}

fn judge(taken: Taken, bucket: Option<Bucket>) -> Result<(), Failure> {
    if taken.granted > 0 {
        return Ok(());
    }
    Err(Failure::Throttled {
        bucket,
        retry_after: Duration::from_secs(taken.frees_in),
    })
}

/// Windows of this process.
struct Windows<K>(Mutex<HashMap<K, Window>>);

impl<K> Default for Windows<K> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Hash + Eq> Windows<K> {
    fn take(&self, key: K, now: u64, limit: u32) -> Taken {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.entry(key).or_default().take(now, 1, limit)
    }

    fn sweep(&self, now: u64) {
        let mut windows = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        windows.retain(|_, window| !window.is_over(now));
    }
}

/// Calls come in real time, whatever the service's own clock shows. Nodes that share a minute agree on it.
fn second_now(tracking: &Tracking) -> u64 {
    u64::try_from(tracking.clock().real_now().as_second()).unwrap_or(0)
}

/// One household has one IPv4 address, or a whole /64 of IPv6.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let bits = v6.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(bits))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}
