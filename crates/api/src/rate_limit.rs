//! How often an account may call, and an address may present refused keys.
//!
//! Each bucket lets a minute's worth through at once and refills evenly, so a caller that was stopped can go
//! on after `Retry-After` instead of waiting for a window to turn. State is kept in this process.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::ids::AccountId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::failure::Failure;
use crate::operation::Bucket;
use crate::settings::RateLimits;

/// Calls between two sweeps of keys that have not been seen for a while.
const CALLS_BETWEEN_SWEEPS: u32 = 4_096;

type Keyed<K> = Option<DefaultKeyedRateLimiter<K>>;

pub(crate) struct Limiters {
    default: Keyed<AccountId>,
    create: Keyed<AccountId>,
    infer: Keyed<AccountId>,
    refresh: Keyed<AccountId>,
    trigger: Keyed<AccountId>,
    refused_keys: Keyed<IpAddr>,
    calls: AtomicU32,
}

impl Limiters {
    pub(crate) fn new(limits: RateLimits) -> Self {
        Self {
            default: limiter(limits.default_per_minute),
            create: limiter(limits.create_per_minute),
            infer: limiter(limits.infer_per_minute),
            refresh: limiter(limits.refresh_per_minute),
            trigger: limiter(limits.trigger_per_minute),
            refused_keys: limiter(limits.refused_keys_per_minute),
            calls: AtomicU32::new(0),
        }
    }

    /// Counts a call of this account.
    pub(crate) fn count(&self, account: AccountId, bucket: Bucket) -> Result<(), Failure> {
        self.sweep_now_and_then();
        let limiter = match bucket {
            Bucket::Default => &self.default,
            Bucket::Create => &self.create,
            Bucket::Infer => &self.infer,
            Bucket::Refresh => &self.refresh,
            Bucket::Trigger => &self.trigger,
        };
        check(limiter.as_ref(), &account, Some(bucket))
    }

    /// Counts a refused key.
    pub(crate) fn count_refused_key(&self, from: Option<IpAddr>) -> Result<(), Failure> {
        self.sweep_now_and_then();
        from.map_or(Ok(()), |from| {
            check(self.refused_keys.as_ref(), &network(from), None)
        })
    }

    fn sweep_now_and_then(&self) {
        let calls = self.calls.fetch_add(1, Ordering::Relaxed);
        if calls % CALLS_BETWEEN_SWEEPS != CALLS_BETWEEN_SWEEPS - 1 {
            return;
        }
        let of_accounts = [
            &self.default,
            &self.create,
            &self.infer,
            &self.refresh,
            &self.trigger,
        ];
        for limiter in of_accounts.into_iter().flatten() {
            limiter.retain_recent();
        }
        if let Some(limiter) = &self.refused_keys {
            limiter.retain_recent();
        }
    }
}

fn limiter<K: std::hash::Hash + Eq + Clone>(per_minute: u32) -> Keyed<K> {
    NonZeroU32::new(per_minute).map(|calls| RateLimiter::keyed(Quota::per_minute(calls)))
}

fn check<K: std::hash::Hash + Eq + Clone>(
    limiter: Option<&DefaultKeyedRateLimiter<K>>,
    key: &K,
    bucket: Option<Bucket>,
) -> Result<(), Failure> {
    let Some(limiter) = limiter else {
        return Ok(());
    };
    limiter
        .check_key(key)
        .map_err(|not_until| Failure::Throttled {
            bucket,
            retry_after: not_until.wait_time_from(DefaultClock::default().now()),
        })
}

/// One household has one IPv4 address, or a whole /64 of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let bits = v6.to_bits() & !u128::from(u64::MAX);
            IpAddr::V6(Ipv6Addr::from_bits(bits))
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}
