//! How long a connection is used again.
//!
//! A name is resolved and judged when a connection is opened. The pool keeps whatever stays in use, so one to a
//! busy host would outlive every change of its name: an address that was taken out, or that the operator's own
//! resolver has closed since, would be called for days. So the client marks a connection that has grown old, and the
//! pool hands out no marked one. The mark is set at the end of an exchange, when the connection begins to lie idle:
//! idle for [`POOL_IDLE`] at most, it is at its last use no older than [`CONNECTION_AGE_MAX`].

use std::time::{Duration, Instant};

/// How long an unused connection is kept.
pub(super) const POOL_IDLE: Duration = Duration::from_secs(30);
/// No exchange begins on a connection that is older.
const CONNECTION_AGE_MAX: Duration = Duration::from_mins(1);
/// How old a connection may be at the end of an exchange and still be used again.
pub(super) const REUSED_UNTIL: Duration = CONNECTION_AGE_MAX.saturating_sub(POOL_IDLE);

/// When a connection was opened. The pool shows it with every answer that came over it.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenedAt(Instant);

impl OpenedAt {
    pub(super) fn now() -> Self {
        Self(Instant::now())
    }

    pub(super) fn age(self) -> Duration {
        self.0.elapsed()
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use bytes::Bytes;
    use http::Request;
    use http_body_util::Full;
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use crate::outbound::{EgressSettings, Limits, Outbound, Resolve, Resolving};

    /// Every name means this machine; counts the questions.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Resolve for Counting {
        fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
            self.0.fetch_add(1, Ordering::SeqCst);
            Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
        }
    }

    #[tokio::test]
    async fn an_old_connection_is_not_used_again_and_its_name_is_resolved_anew() {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_string("ok");
        Mock::given(any()).respond_with(answer).mount(&server).await;
        let url = format!("http://busy.example:{}/", server.address().port());
        let settings = EgressSettings {
            allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
            allow_http: true,
            ..EgressSettings::default()
        };
        let names = Arc::new(Counting::default());
        let resolver = Arc::clone(&names) as Arc<dyn Resolve>;
        let mut outbound = Outbound::with_resolver(settings, resolver).unwrap();
        let ask = async |outbound: &Outbound| {
            let request = Request::post(&url).body(Full::new(Bytes::new())).unwrap();
            outbound.send(request, Limits::DELIVERY).await.unwrap();
            names.0.load(Ordering::SeqCst)
        };
        assert_eq!(ask(&outbound).await, 1);
        assert_eq!(ask(&outbound).await, 1, "a young one is used again");
        outbound.reused_until = Duration::ZERO;
        assert_eq!(ask(&outbound).await, 1, "this use is its last");
        assert_eq!(ask(&outbound).await, 2);
        assert_eq!(ask(&outbound).await, 3);
    }
}
