//! The guard at the socket.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::Full;
use sources::outbound::{
    Answer, EgressSettings, Limits, Outbound, OutboundError, Resolve, Resolving, Stage,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

pub const LIMITS: Limits = Limits {
    connect: Duration::from_secs(2),
    head: Duration::from_secs(1),
    whole: Duration::from_secs(4),
    body_bytes_max: 64 * 1024,
    decode: false,
    repeatable: false,
    may_be_torn: false,
};

/// Loopback and plain http, as a demonstration opens them.
pub fn open() -> EgressSettings {
    EgressSettings {
        allow_networks: vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()],
        allow_http: true,
        ..EgressSettings::default()
    }
}

fn closed() -> EgressSettings {
    EgressSettings {
        allow_http: true,
        ..EgressSettings::default()
    }
}

pub fn post(url: &str) -> Request<Full<Bytes>> {
    Request::post(url)
        .body(Full::new(Bytes::from_static(b"{}")))
        .unwrap()
}

async fn ask(settings: EgressSettings, url: &str) -> Result<Answer, OutboundError> {
    Outbound::new(settings)
        .unwrap()
        .send(post(url), LIMITS)
        .await
}

/// A server that answers each connection's first request with these bytes, and counts connections.
pub struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    heard: Arc<Mutex<String>>,
}

impl Server {
    pub async fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::with(move |mut tcp, heard| {
            let bytes = bytes.clone();
            async move {
                let mut buffer = [0; 4096];
                let read = tcp.read(&mut buffer).await.unwrap_or(0);
                heard
                    .lock()
                    .unwrap()
                    .push_str(&String::from_utf8_lossy(&buffer[..read]));
                tcp.write_all(&bytes).await.ok();
                tcp.shutdown().await.ok();
            }
        })
        .await
    }

    pub async fn with<F, T>(serve: F) -> Self
    where
        F: Fn(TcpStream, Arc<Mutex<String>>) -> T + Send + Sync + 'static,
        T: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let heard = Arc::new(Mutex::new(String::new()));
        let (count, log) = (Arc::clone(&connections), Arc::clone(&heard));
        tokio::spawn(async move {
            while let Ok((tcp, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(tcp, Arc::clone(&log)));
            }
        });
        Self {
            address,
            connections,
            heard,
        }
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn heard(&self) -> String {
        self.heard.lock().unwrap().clone()
    }
}

pub fn ok(headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// A resolver that answers from a list, the last answer for ever, and counts the questions.
pub struct Scripted {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    pub asked: AtomicUsize,
}

impl Scripted {
    pub fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |addresses: &&[&str]| addresses.iter().map(|ip| ip.parse().unwrap()).collect();
        Arc::new(Self {
            answers: Mutex::new(answers.iter().rev().map(parse).collect()),
            asked: AtomicUsize::new(0),
        })
    }
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = if answers.len() > 1 {
            answers.pop()
        } else {
            answers.last().cloned()
        };
        Box::pin(async move { Ok(answer.unwrap_or_default()) })
    }
}

/// A resolver that never answers.
pub struct Asleep;
impl Resolve for Asleep {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn an_open_network_is_reached() {
    let server = Server::answering(ok("x-mark: 7\r\n", b"fine")).await;
    let answer = ask(open(), &server.url()).await.unwrap();
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!((&answer.body[..], answer.truncated), (&b"fine"[..], false));
    assert_eq!(answer.headers["x-mark"], "7");
    let heard = server.heard();
    assert!(heard.starts_with("POST /hook HTTP/1.1\r\n"), "{heard}");
    assert!(
        heard.contains(&format!("Host: {}\r\n", server.address)),
        "{heard}"
    );
    assert!(
        !heard.to_ascii_lowercase().contains("accept-encoding"),
        "nothing packed is asked for"
    );
}

#[tokio::test]
async fn literals_are_judged_without_a_resolver() {
    let server = Server::answering(ok("", b"never")).await;
    let port = server.address.port();
    let literals = [
        format!("http://127.0.0.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://[::ffff:7f00:1]:{port}/"),
        format!("http://[::1]:{port}/"),
        format!("http://0.0.0.0:{port}/"),
        format!("http://169.254.169.254:{port}/"),
        format!("http://10.0.0.1:{port}/"),
    ];
    for url in literals {
        let error = ask(closed(), &url).await.unwrap_err();
        assert_eq!(error, OutboundError::BlockedAddress, "{url}");
        assert_eq!(error.code(), "blocked_address");
        assert!(!error.to_string().contains("127"), "{error}");
    }
    assert_eq!(server.connections(), 0);
    let mapped = format!("http://[::ffff:127.0.0.1]:{port}/");
    assert!(
        ask(open(), &mapped).await.is_ok(),
        "an open address is open in either dress"
    );
}

#[tokio::test]
async fn a_name_is_judged_at_every_connect() {
    let server = Server::answering(ok("connection: close\r\n", b"one")).await;
    // First an address that is open, then one that is not: what a rebinding name does.
    let resolver = Scripted::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let outbound = Outbound::with_resolver(open(), resolver.clone()).unwrap();
    let url = format!("http://rebind.example:{}/", server.address.port());
    assert!(outbound.send(post(&url), LIMITS).await.is_ok());
    let second = outbound.send(post(&url), LIMITS).await.unwrap_err();
    assert_eq!(second, OutboundError::BlockedAddress);
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 2);
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn of_several_addresses_only_the_allowed_are_dialled() {
    let server = Server::answering(ok("", b"")).await;
    let url = format!("http://mixed.example:{}/", server.address.port());
    let mixed = Scripted::new(&[&["10.0.0.1", "169.254.169.254", "127.0.0.1"]]);
    assert!(
        Outbound::with_resolver(open(), mixed)
            .unwrap()
            .send(post(&url), LIMITS)
            .await
            .is_ok()
    );
    let inside = Scripted::new(&[&["127.0.0.1", "::1", "::ffff:127.0.0.1"]]);
    let error = Outbound::with_resolver(closed(), inside)
        .unwrap()
        .send(post(&url), LIMITS)
        .await;
    assert_eq!(error.unwrap_err(), OutboundError::BlockedAddress);
    let nobody = Scripted::new(&[&[]]);
    let error = Outbound::with_resolver(open(), nobody)
        .unwrap()
        .send(post(&url), LIMITS)
        .await;
    assert!(matches!(error.unwrap_err(), OutboundError::Resolve(_)));
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn many_addresses_of_one_family_do_not_hide_the_other() {
    let server = Server::answering(ok("", b"")).await;
    let url = format!("http://wide.example:{}/", server.address.port());
    // Nobody listens at the first eight: as on a machine that has no way by IPv6.
    let mut found = vec!["::1"; 8];
    found.push("127.0.0.1");
    let wide = Scripted::new(&[&found]);
    let outbound = Outbound::with_resolver(open(), wide).unwrap();
    assert!(outbound.send(post(&url), LIMITS).await.is_ok());
}

#[tokio::test]
async fn our_own_listener_is_not_reached_even_inside_an_open_network() {
    let server = Server::answering(ok("", b"")).await;
    for own in [
        server.address,
        SocketAddr::new("0.0.0.0".parse().unwrap(), server.address.port()),
    ] {
        let settings = EgressSettings {
            own_addresses: vec![own],
            ..open()
        };
        assert_eq!(
            ask(settings, &server.url()).await.unwrap_err(),
            OutboundError::BlockedAddress
        );
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn schemes_and_ports() {
    let server = Server::answering(ok("", b"")).await;
    let https_only = EgressSettings {
        allow_http: false,
        ..open()
    };
    let error = ask(https_only, &server.url()).await.unwrap_err();
    assert_eq!(error, OutboundError::Scheme("http".into()));
    let error = ask(open(), "ftp://127.0.0.1/").await.unwrap_err();
    assert_eq!(error, OutboundError::Scheme("ftp".into()));
    assert_eq!(
        ask(open(), "http://127.0.0.1:22/").await.unwrap_err(),
        OutboundError::BlockedPort(22)
    );
    let port = server.address.port();
    let more = EgressSettings {
        blocked_ports: vec![port],
        ..open()
    };
    assert_eq!(
        ask(more, &server.url()).await.unwrap_err(),
        OutboundError::BlockedPort(port)
    );
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn redirects_are_answers() {
    let target = Server::answering(ok("", b"secret")).await;
    for status in [301, 302, 303, 307, 308] {
        let redirect = format!(
            "HTTP/1.1 {status} Go\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n",
            target.url()
        );
        let server = Server::answering(redirect).await;
        let answer = ask(open(), &server.url()).await.unwrap();
        assert_eq!(answer.status.as_u16(), status);
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn no_more_of_a_body_is_read_than_agreed() {
    let server = Server::answering(ok("", &vec![b'x'; 200_000])).await;
    let limits = Limits {
        body_bytes_max: 1000,
        ..LIMITS
    };
    let outbound = Outbound::new(open()).unwrap();
    let answer = outbound.send(post(&server.url()), limits).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (1000, true));
    let exact = Server::answering(ok("", &[b'x'; 1000])).await;
    let answer = outbound.send(post(&exact.url()), limits).await.unwrap();
    assert_eq!((answer.body.len(), answer.truncated), (1000, false));
}

#[tokio::test]
async fn every_phase_has_its_limit() {
    let outbound = Outbound::new(open()).unwrap();
    let timed = |url: String, limits: Limits| {
        let outbound = outbound.clone();
        async move {
            let started = Instant::now();
            let error = outbound.send(post(&url), limits).await.unwrap_err();
            (error, started.elapsed())
        }
    };
    let silent = Server::with(|tcp, _| async move {
        tokio::time::sleep(Duration::from_secs(30)).await;
        drop(tcp);
    })
    .await;
    let (error, took) = timed(silent.url(), LIMITS).await;
    assert_eq!(error, OutboundError::Timeout(Stage::Head));
    assert!(took >= LIMITS.head && took < LIMITS.whole, "{took:?}");

    let secure = silent.url().replace("http:", "https:");
    let (error, took) = timed(secure, LIMITS).await;
    assert_eq!(error, OutboundError::Timeout(Stage::Tls));
    assert!(took >= LIMITS.connect && took < LIMITS.whole, "{took:?}");

    // A byte every so often passes every limit but the one over all.
    let dripping = Server::with(|mut tcp, _| async move {
        let asked = tcp.read(&mut [0; 4096]).await;
        assert!(asked.is_ok_and(|read| read > 0));
        tcp.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
            .await
            .ok();
        while tcp.write_all(b".").await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    let started = Instant::now();
    let unfinished = outbound.attempt(post(&dripping.url()), LIMITS).await;
    let (unfinished, took) = (unfinished.unwrap_err(), started.elapsed());
    assert_eq!(unfinished.error, OutboundError::Timeout(Stage::Whole));
    assert!(took >= LIMITS.whole && took < LIMITS.whole * 2, "{took:?}");
    let begun = unfinished.begun.unwrap();
    assert_eq!((begun.status, begun.truncated), (StatusCode::OK, true));
    assert_eq!(begun.headers["content-length"], "1000");
    assert!(begun.body.starts_with(b"...."), "{:?}", begun.body);

    // Resolving is part of connecting.
    let outbound = Outbound::with_resolver(open(), Arc::new(Asleep)).unwrap();
    let error = outbound
        .send(post("http://asleep.example/"), LIMITS)
        .await
        .unwrap_err();
    assert_eq!(error, OutboundError::Timeout(Stage::Connect));
}

/// A listener at this address whose queue is full: a connection to it is neither made nor refused. What fills
/// the queue is held as long as the listener is.
async fn full(address: &str) -> (TcpListener, Vec<TcpStream>) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(address.parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queued = Vec::new();
    let brief = Duration::from_millis(200);
    while let Ok(tcp) = tokio::time::timeout(brief, TcpStream::connect(address)).await {
        queued.push(tcp.unwrap());
    }
    (listener, queued)
}

#[tokio::test]
async fn the_only_address_of_a_name_has_the_whole_time_to_connect() {
    let (listener, _queued) = full("127.0.0.1:0").await;
    let outbound = Outbound::with_resolver(open(), Scripted::new(&[&["127.0.0.1"]])).unwrap();
    let port = listener.local_addr().unwrap().port();
    let limit = Duration::from_secs(1);
    let started = Instant::now();
    let error = outbound.open("one.example", port, limit).await.unwrap_err();
    assert_eq!(error, OutboundError::Timeout(Stage::Connect));
    assert!(started.elapsed() >= limit);
}

#[tokio::test]
async fn an_address_that_swallows_packets_leaves_time_for_the_next() {
    let (listener, _queued) = full("127.0.0.1:0").await;
    let port = listener.local_addr().unwrap().port();
    let beside = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let names = Scripted::new(&[&["127.0.0.1", "127.0.0.2"]]);
    let outbound = Outbound::with_resolver(open(), names).unwrap();
    let limit = Duration::from_secs(8);
    let started = Instant::now();
    let line = outbound.open("two.example", port, limit).await;
    let took = started.elapsed();
    let mut line = line.unwrap();
    beside
        .accept()
        .await
        .unwrap()
        .0
        .write_all(b"!")
        .await
        .unwrap();
    assert_eq!(line.read_u8().await.unwrap(), b'!');
    assert!(took >= limit / 2 && took < limit, "{took:?}");
}

#[tokio::test]
async fn nobody_there() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let error = ask(open(), &format!("http://{address}/"))
        .await
        .unwrap_err();
    assert!(matches!(error, OutboundError::Connect(_)), "{error:?}");
    let noise = Server::answering("SSH-2.0-OpenSSH_9.9\r\n").await;
    assert!(matches!(
        ask(open(), &noise.url()).await.unwrap_err(),
        OutboundError::Protocol(_)
    ));
    let secure = noise.url().replace("http:", "https:");
    assert!(matches!(
        ask(open(), &secure).await.unwrap_err(),
        OutboundError::Tls(_)
    ));
}

#[tokio::test]
async fn what_came_before_the_connection_broke_is_not_lost() {
    let outbound = Outbound::new(open()).unwrap();
    let head = "HTTP/1.1 503 Busy\r\ncontent-length: 10\r\nx-mark: 7\r\n\r\n";
    let server = Server::answering([head.as_bytes(), b"half"].concat()).await;
    let unfinished = outbound.attempt(post(&server.url()), LIMITS).await;
    let unfinished = unfinished.unwrap_err();
    assert!(matches!(unfinished.error, OutboundError::Protocol(_)));
    let begun = unfinished.begun.unwrap();
    assert_eq!(begun.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!((&begun.body[..], begun.truncated), (&b"half"[..], true));
    assert_eq!(begun.headers["x-mark"], "7");
    let cut = Server::answering(&b"HTTP/1.1 503 Bu"[..]).await;
    let unfinished = outbound.attempt(post(&cut.url()), LIMITS).await;
    assert!(unfinished.unwrap_err().begun.is_none());
}

/// Answers of status 1xx may come in any number before the one that counts.
#[tokio::test]
async fn no_more_is_read_before_an_answer_than_a_head_may_have() {
    let outbound = Outbound::new(open()).unwrap();
    let some = "HTTP/1.1 102 Processing\r\n\r\n".repeat(100);
    let answer = ok("", b"done");
    let server = Server::answering([some.as_bytes(), &answer].concat()).await;
    let told = outbound.send(post(&server.url()), LIMITS).await.unwrap();
    assert_eq!(
        (told.status, &told.body[..]),
        (StatusCode::OK, &b"done"[..])
    );
    for endless in [
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(100_000),
        format!("HTTP/1.1 200 OK\r\nx-long: {}\r\n", "x".repeat(2_000_000)),
    ] {
        let server = Server::answering([endless.as_bytes(), &answer].concat()).await;
        let refused = outbound.send(post(&server.url()), LIMITS).await;
        assert!(
            matches!(refused, Err(OutboundError::Protocol(_))),
            "{refused:?}"
        );
    }
}

/// A 408 for the idle connection may cross the request on its way.
#[tokio::test]
async fn what_ends_a_kept_connection_is_no_answer_to_the_next_request() {
    let server = Server::with(|mut tcp, heard| async move {
        let mut buffer = [0; 4096];
        let first = heard.lock().unwrap().is_empty();
        heard.lock().unwrap().push('x');
        let mut answers = if first {
            vec!["200 OK", "408 Request Timeout"].into_iter()
        } else {
            vec!["202 Accepted"].into_iter()
        };
        while tcp.read(&mut buffer).await.is_ok_and(|read| read > 0) {
            let Some(status) = answers.next() else { return };
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
            tcp.write_all(answer.as_bytes()).await.ok();
        }
    })
    .await;
    let outbound = Outbound::new(open()).unwrap();
    let limits = Limits {
        repeatable: true,
        ..LIMITS
    };
    for status in [StatusCode::OK, StatusCode::ACCEPTED] {
        let told = outbound.send(post(&server.url()), limits).await.unwrap();
        assert_eq!(told.status, status);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Over a new connection it is the receiver's answer.
    let refusing =
        Server::answering("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n").await;
    let told = outbound.send(post(&refusing.url()), limits).await.unwrap();
    assert_eq!(
        (told.status, refusing.connections()),
        (StatusCode::REQUEST_TIMEOUT, 1)
    );
}

#[tokio::test]
async fn connections_are_used_again() {
    let server = Server::with(|mut tcp, _| async move {
        let mut buffer = [0; 4096];
        while tcp.read(&mut buffer).await.is_ok_and(|read| read > 0) {
            tcp.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok")
                .await
                .ok();
        }
    })
    .await;
    let outbound = Outbound::new(open()).unwrap();
    for _ in 0..5 {
        outbound.send(post(&server.url()), LIMITS).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.connections(), 1);
}

async fn packed(encoder: &str, bytes: &[u8]) -> Vec<u8> {
    use async_compression::tokio::write::{GzipEncoder, ZlibEncoder};
    if encoder == "gzip" {
        let mut encoder = GzipEncoder::new(Vec::new());
        encoder.write_all(bytes).await.unwrap();
        encoder.shutdown().await.unwrap();
        return encoder.into_inner();
    }
    let mut encoder = ZlibEncoder::new(Vec::new());
    encoder.write_all(bytes).await.unwrap();
    encoder.shutdown().await.unwrap();
    encoder.into_inner()
}

#[tokio::test]
async fn packed_answers_are_unpacked_when_asked_for() {
    let text = "a line of an answer, again and again\n".repeat(500);
    let outbound = Outbound::new(open()).unwrap();
    let decode = Limits {
        decode: true,
        ..LIMITS
    };
    for encoder in ["gzip", "deflate"] {
        let body = packed(encoder, text.as_bytes()).await;
        let header = format!("content-encoding: {encoder}\r\n");
        let server = Server::answering(ok(&header, &body)).await;
        let answer = outbound.send(post(&server.url()), decode).await.unwrap();
        assert_eq!(answer.body, text.as_bytes(), "{encoder}");
        assert!(
            server
                .heard()
                .contains("Accept-Encoding: gzip, deflate\r\n")
        );
        let answer = outbound.send(post(&server.url()), LIMITS).await.unwrap();
        assert_eq!(answer.body, body, "{encoder} as it came when not asked for");
    }
    let plain = Server::answering(ok("content-encoding: identity\r\n", b"plain")).await;
    assert_eq!(
        &outbound
            .send(post(&plain.url()), decode)
            .await
            .unwrap()
            .body[..],
        b"plain"
    );
}

#[tokio::test]
async fn bombs_are_refused() {
    let outbound = Outbound::new(open()).unwrap();
    let decode = Limits {
        decode: true,
        ..LIMITS
    };
    let refused = |body: Vec<u8>, encoding: &'static str| {
        let outbound = outbound.clone();
        async move {
            let server =
                Server::answering(ok(&format!("content-encoding: {encoding}\r\n"), &body)).await;
            outbound
                .send(post(&server.url()), decode)
                .await
                .unwrap_err()
        }
    };
    let zeros = packed("gzip", &vec![0; 4_000_000]).await;
    assert!(
        zeros.len() < decode.body_bytes_max,
        "the wire limit is not what stops it"
    );
    assert!(matches!(
        refused(zeros, "gzip").await,
        OutboundError::Decode(_)
    ));
    // Random-looking text packs badly: within the ratio, but over four times the wire limit.
    let digits = (0..240_000u32).map(|n| n.wrapping_mul(2_654_435_761) >> 28);
    let long: String = digits
        .filter_map(|digit| char::from_digit(digit, 16))
        .collect();
    let many = packed("gzip", long.repeat(2).as_bytes()).await;
    assert!(matches!(
        refused(many, "gzip").await,
        OutboundError::Decode(_)
    ));
    assert!(matches!(
        refused(b"no gzip".to_vec(), "gzip").await,
        OutboundError::Decode(_)
    ));
    assert!(matches!(
        refused(b"??".to_vec(), "br").await,
        OutboundError::Decode(_)
    ));
    let cut = packed("gzip", b"a text that is cut").await;
    assert!(matches!(
        refused(cut[..cut.len() - 9].to_vec(), "gzip").await,
        OutboundError::Decode(_)
    ));
}

/// Runs the first test again in a process whose environment names a proxy for everything.
#[test]
fn a_proxy_in_the_environment_is_not_asked() {
    let proxy = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    proxy.set_nonblocking(true).unwrap();
    let address = format!("http://{}", proxy.local_addr().unwrap());
    let mut run = std::process::Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", "outbound::an_open_network_is_reached"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        run.env(name, &address).env(name.to_lowercase(), &address);
    }
    run.env_remove("NO_PROXY").env_remove("no_proxy");
    let output = run.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert!(proxy.accept().is_err(), "somebody called the proxy");
}
