//! Names to addresses. What comes out is judged by the connector, never here.

use std::net::IpAddr;
use std::pin::Pin;

use hickory_resolver::TokioResolver;

/// A resolver's answer on its way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, String>> + Send + 'a>>;

/// Something that finds the addresses of a name.
pub trait Resolve: Send + Sync {
    /// All addresses of `host`, in the order to try them; an error is words for a person.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a>;
}

/// The resolver that the operating system is set up to use.
pub struct SystemResolver(Result<TokioResolver, String>);

impl SystemResolver {
    /// Reads the system's settings. A machine without any still runs, on addresses written as numbers; each
    /// name then fails with the reason.
    pub fn new() -> Self {
        let resolver = TokioResolver::builder_tokio()
            .and_then(hickory_resolver::ResolverBuilder::build)
            .map_err(|e| format!("the system's resolver settings cannot be read: {e}"));
        if let Err(reason) = &resolver {
            tracing::warn!(%reason, "names cannot be resolved");
        }
        Self(resolver)
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
            let resolver = self.0.as_ref().map_err(Clone::clone)?;
            let found = resolver.lookup_ip(host).await.map_err(|e| e.to_string())?;
            Ok(found.iter().collect())
        })
    }
}
