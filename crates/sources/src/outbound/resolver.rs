//! Names to addresses. What comes out is judged by the connector, never here.
//!
//! A name is asked for in both families at once. There are name servers that never answer a question for the newer one (RFC
//! 4074, 4.1): where the older one has addresses, the newer one is waited for a moment longer only. What has addresses of the older
//! one is always reached by them, for many machines have no other way out.

use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::LookupIpStrategy;
use hickory_resolver::proto::rr::Name;

/// Where most systems keep who resolves names for them, and which names they know themselves.
const SETTINGS: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];
/// Bytes of each that are compared.
const SETTINGS_BYTES_MAX: u64 = 64 * 1024;
/// How much longer IPv6 is waited for when IPv4 has addresses.
const LATE_FAMILY_WAIT: Duration = Duration::from_millis(50);
/// Time between two looks at it.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// A resolver's answer on its way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, String>> + Send + 'a>>;

/// Something that finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`, in the order to try them; an error is words for a person.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a>;
}

/// The resolver that the operating system is set up to use.
///
/// Its settings are looked at again while names are asked for: a service that starts before the network is up, or sees
/// the name servers change, comes to know them without a restart.
pub struct SystemResolver(Mutex<Kept<BothFamilies>>);

impl SystemResolver {
    /// Reads the system's settings. A machine without any still runs, on addresses written as numbers; each
    /// name then fails with the reason, until there are some.
    pub fn new() -> Self {
        Self(Mutex::new(Kept::new(Instant::now(), settings(), make)))
    }

    fn current(&self) -> Result<BothFamilies, String> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.current(Instant::now(), settings, make)
    }
}

impl Default for SystemResolver {
    fn default() -> Self {
        Self::new()
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let families = self.current()?;
            // Names with underscores are no host names, and people have them all the same.
            let name = Name::from_str_relaxed(host).map_err(|e| e.to_string())?;
            let six = addresses(&families.six, name.clone());
            let four = addresses(&families.four, name);
            found_of(six, four).await
        })
    }
}

/// One that asks for each family of addresses.
#[derive(Clone)]
struct BothFamilies {
    six: TokioResolver,
    four: TokioResolver,
}

async fn addresses(resolver: &TokioResolver, name: Name) -> Found {
    let found = resolver.lookup_ip(name).await.map_err(|e| e.to_string())?;
    Ok(found.iter().collect())
}

/// What both families have, the first one's in front; of the first one, where the second has found something, only what comes
/// in a moment more.
async fn found_of(six: impl Future<Output = Found>, four: impl Future<Output = Found>) -> Found {
    let (mut six, mut four) = (std::pin::pin!(six), std::pin::pin!(four));
    let (six, four) = tokio::select! {
        found = &mut six => (Some(found), four.await),
        found = &mut four => {
            let has_found = found.as_ref().is_ok_and(|found| !found.is_empty());
            let late = if has_found {
                tokio::time::timeout(LATE_FAMILY_WAIT, six).await.ok()
            } else {
                Some(six.await)
            };
            (late, found)
        }
    };
    let mut all = Vec::new();
    let mut failure = None;
    for found in six.into_iter().chain([four]) {
        match found {
            Ok(addresses) => all.extend(addresses),
            Err(reason) => failure = Some(reason),
        }
    }
    match failure {
        Some(reason) if all.is_empty() => Err(reason),
        _ => Ok(all),
    }
}

/// The addresses of one family, or why there are none.
type Found = Result<Vec<IpAddr>, String>;

/// What shows that the settings changed; nothing where they are not kept in these files.
fn settings() -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for path in SETTINGS {
        let Ok(file) = File::open(path) else {
            continue;
        };
        file.take(SETTINGS_BYTES_MAX).read_to_end(&mut text).ok()?;
    }
    (!text.is_empty()).then_some(text)
}

fn make() -> Result<BothFamilies, String> {
    let of = |strategy| {
        let mut builder = TokioResolver::builder_tokio()?;
        builder.options_mut().ip_strategy = strategy;
        builder.build()
    };
    let both = || {
        Ok(BothFamilies {
            six: of(LookupIpStrategy::Ipv6Only)?,
            four: of(LookupIpStrategy::Ipv4Only)?,
        })
    };
    both().map_err(|e: hickory_resolver::net::NetError| {
        format!("the system's resolver settings cannot be read: {e}")
    })
}

/// Something made from the settings, and the settings that it was made from.
struct Kept<T> {
    settings: Option<Vec<u8>>,
    looked_at: Instant,
    made: Result<T, String>,
}

impl<T: Clone> Kept<T> {
    fn new(
        now: Instant,
        settings: Option<Vec<u8>>,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Self {
        let made = make();
        if let Err(reason) = &made {
            tracing::warn!(%reason, "names cannot be resolved");
        }
        Self {
            settings,
            looked_at: now,
            made,
        }
    }

    /// What is made from the settings of now, as of the last look.
    fn current(
        &mut self,
        now: Instant,
        settings: impl FnOnce() -> Option<Vec<u8>>,
        make: impl FnOnce() -> Result<T, String>,
    ) -> Result<T, String> {
        if now.saturating_duration_since(self.looked_at) >= LOOK_EVERY {
            self.looked_at = now;
            // Before it is made: what changes between the two is seen by the next look.
            let settings = settings();
            if self.made.is_err() || settings != self.settings {
                self.renew(settings, make());
            }
        }
        self.made.clone()
    }

    fn renew(&mut self, settings: Option<Vec<u8>>, made: Result<T, String>) {
        match made {
            Ok(made) => {
                tracing::info!("the system's resolver settings have changed and were read");
                self.settings = settings;
                self.made = Ok(made);
            }
            Err(reason) => {
                // A file may be looked at while it is written: what there was is used until the next look.
                if self.made.is_err() {
                    self.made = Err(reason);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(addresses: &[&str]) -> Found {
        let parsed = addresses.iter().map(|one| one.parse());
        parsed
            .collect::<Result<_, _>>()
            .map_err(|_| "a test names no address".into())
    }

    #[tokio::test]
    async fn of_a_family_that_nobody_answers_for_nobody_waits() {
        let at_once = |told: Found| std::future::ready(told);
        let soon = |told: Found| async {
            tokio::task::yield_now().await;
            told
        };
        let late = |told: Found| async {
            tokio::time::sleep(LATE_FAMILY_WAIT * 2).await;
            told
        };
        let never = std::future::pending::<Found>;
        let (six, four) = (found(&["2001:db8::1"]), found(&["192.0.2.1"]));
        let both = found(&["2001:db8::1", "192.0.2.1"]);
        assert_eq!(found_of(never(), at_once(four.clone())).await, four);
        assert_eq!(
            found_of(soon(six.clone()), at_once(four.clone())).await,
            both
        );
        // Many have no way out but by the older one.
        assert_eq!(
            found_of(at_once(six.clone()), late(four.clone())).await,
            both
        );
        let failed: Found = Err("no such name".into());
        assert_eq!(
            found_of(at_once(six.clone()), soon(failed.clone())).await,
            six
        );
        // One that has none, or fails, is no answer to go on with.
        for none in [found(&[]), failed.clone()] {
            assert_eq!(found_of(late(six.clone()), at_once(none)).await, six);
        }
        assert!(
            found_of(late(failed.clone()), at_once(failed))
                .await
                .is_err()
        );
        assert_eq!(
            found_of(at_once(found(&[])), soon(found(&[]))).await,
            found(&[])
        );
    }

    #[test]
    fn settings_that_come_or_change_after_the_start_are_used() {
        let start = Instant::now();
        let at = |looks: u32| start + LOOK_EVERY * looks;
        let missing = || Err("no name servers".to_owned());
        let mut kept: Kept<u8> = Kept::new(start, None, missing);
        let early = kept.current(start, || Some(vec![1]), || Ok(1));
        assert!(early.is_err(), "looked at a moment ago");
        assert!(kept.current(at(1), || None, missing).is_err());
        assert_eq!(kept.current(at(2), || Some(vec![1]), || Ok(1)), Ok(1));
        let same = kept.current(at(3), || Some(vec![1]), || Ok(9));
        assert_eq!(
            same,
            Ok(1),
            "not made anew, which would forget what it knows"
        );
        let halfway = kept.current(at(4), || Some(Vec::new()), missing);
        assert_eq!(halfway, Ok(1), "a file that is being written");
        assert_eq!(kept.current(at(5), || Some(vec![2]), || Ok(2)), Ok(2));
    }
}
