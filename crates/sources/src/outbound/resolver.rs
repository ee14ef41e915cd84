//! Names to addresses. What comes out is judged by the connector, never here.

use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;

/// Where most systems keep who resolves names for them.
const SETTINGS: &str = "/etc/resolv.conf";
/// Bytes of it that are compared.
const SETTINGS_BYTES_MAX: u64 = 64 * 1024;
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
pub struct SystemResolver(Mutex<Kept<TokioResolver>>);

impl SystemResolver {
    /// Reads the system's settings. A machine without any still runs, on addresses written as numbers; each
    /// name then fails with the reason, until there are some.
    pub fn new() -> Self {
        Self(Mutex::new(Kept::new(Instant::now(), settings(), make)))
    }

    fn current(&self) -> Result<TokioResolver, String> {
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
            let resolver = self.current()?;
            let found = resolver.lookup_ip(host).await.map_err(|e| e.to_string())?;
            Ok(found.iter().collect())
        })
    }
}

/// What shows that the settings changed; nothing where they are not kept in this file.
fn settings() -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let file = File::open(SETTINGS).ok()?;
    file.take(SETTINGS_BYTES_MAX).read_to_end(&mut text).ok()?;
    Some(text)
}

fn make() -> Result<TokioResolver, String> {
    TokioResolver::builder_tokio()
        .and_then(hickory_resolver::ResolverBuilder::build)
        .map_err(|e| format!("the system's resolver settings cannot be read: {e}"))
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
