//! Out by the operator's proxy: what it is asked for, what it is never asked for, and what its own words are taken for.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use http::StatusCode;
use rcgen::generate_simple_self_signed;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use sources::outbound::{
    Answer, EgressSettings, Outbound, OutboundError, Proxy, ProxyFailure, Resolve, Resolving,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::outbound::{Asleep, LIMITS, Scripted, Server, ok, open, post};

/// A public address that nobody calls: the proxy of a test leads elsewhere.
const FAR: &str = "93.184.216.34";
const ESTABLISHED: &str = "HTTP/1.1 200 Connection established\r\n\r\n";

/// The head of a request or an answer.
async fn head(tcp: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match tcp.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&head).into_owned()
}

/// A proxy that opens tunnels to `target`, whatever it is asked for, and keeps what it was asked.
async fn proxy_to(target: SocketAddr) -> Server {
    proxy_saying(target, ESTABLISHED).await
}

/// The same with an answer of its own.
async fn proxy_saying(target: SocketAddr, answer: &'static str) -> Server {
    Server::with(move |mut tcp, heard| async move {
        let asked = head(&mut tcp).await;
        heard.lock().unwrap().push_str(&asked);
        let mut far = TcpStream::connect(target).await.unwrap();
        tcp.write_all(answer.as_bytes()).await.ok();
        copy_bidirectional(&mut tcp, &mut far).await.ok();
    })
    .await
}

/// A proxy that answers so and opens nothing.
async fn refusing(answer: &str) -> Server {
    Server::answering(answer).await
}

fn proxy(server: &Server) -> Proxy {
    format!("http://{}", server.address).parse().unwrap()
}

/// Nothing is opened but the way through this proxy; it may be called over plain http.
fn by(server: &Server) -> EgressSettings {
    EgressSettings {
        allow_http: true,
        proxy: Some(proxy(server)),
        ..EgressSettings::default()
    }
}

/// The same, where the proxy resolves names.
fn by_name(server: &Server) -> EgressSettings {
    let mut settings = by(server);
    settings.proxy.as_mut().unwrap().resolves = true;
    settings
}

/// A resolver that knows nothing, as on a machine that cannot ask outside.
struct Nothing;
impl Resolve for Nothing {
    fn resolve<'a>(&'a self, _: &'a str) -> Resolving<'a> {
        Box::pin(async { Err("no such name".into()) })
    }
}

fn far() -> Arc<Scripted> {
    Scripted::new(&[&[FAR]])
}

async fn ask(
    settings: EgressSettings,
    resolver: Arc<dyn Resolve>,
    url: &str,
) -> Result<Answer, OutboundError> {
    let outbound = Outbound::with_resolver(settings, resolver).unwrap();
    outbound.send(post(url), LIMITS).await
}

fn failure(error: OutboundError) -> ProxyFailure {
    match error {
        OutboundError::Proxy(failure) => failure,
        other => panic!("{other:?} is not the proxy's failure"),
    }
}

#[tokio::test]
async fn a_tunnel_is_asked_for_by_the_judged_address_and_carries_the_request_as_it_is() {
    let target = Server::with(|mut tcp, heard| async move {
        loop {
            let asked = head(&mut tcp).await;
            if asked.is_empty() {
                break;
            }
            heard.lock().unwrap().push_str(&asked);
            tcp.read_exact(&mut [0; 2]).await.unwrap();
            tcp.write_all(&ok("", b"fine")).await.unwrap();
        }
    })
    .await;
    let proxy = proxy_to(target.address).await;
    let names = far();
    let outbound = Outbound::with_resolver(by(&proxy), names.clone()).unwrap();
    for _ in 0..3 {
        let url = "http://far.example:8080/hook?a=1";
        let answer = outbound.send(post(url), LIMITS).await.unwrap();
        assert_eq!(
            (answer.status, &answer.body[..]),
            (StatusCode::OK, &b"fine"[..])
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let asked = format!("CONNECT {FAR}:8080 HTTP/1.1\r\nhost: {FAR}:8080\r\n\r\n");
    assert_eq!(proxy.heard(), asked, "once: the tunnel is used again");
    assert_eq!(names.asked.load(Ordering::SeqCst), 1);
    let heard = target.heard();
    assert!(heard.starts_with("POST /hook?a=1 HTTP/1.1\r\n"), "{heard}");
    assert!(heard.contains("Host: far.example:8080\r\n"), "{heard}");
}

#[tokio::test]
async fn old_proxies_and_talkative_ones_are_understood() {
    for answer in [
        "HTTP/1.0 200 Connection established\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nproxy-agent: x\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n",
    ] {
        let target = Server::answering(ok("", b"fine")).await;
        let proxy = proxy_saying(target.address, answer).await;
        let answered = ask(by(&proxy), far(), "http://far.example/").await;
        assert_eq!(&answered.unwrap().body[..], b"fine", "{answer}");
        let asked = format!("CONNECT {FAR}:80 ");
        assert!(proxy.heard().starts_with(&asked), "{}", proxy.heard());
    }
}

/// Runs in a process of its own, which trusts the certificate that is made here.
#[tokio::test]
async fn inside_the_tunnel_the_certificate_is_the_targets_own() {
    let trusted = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("proxied.pem");
    if std::env::var_os("SSL_CERT_FILE").is_none_or(|set| set != trusted) {
        let mut run = std::process::Command::new(std::env::current_exe().unwrap());
        let name = "proxied::inside_the_tunnel_the_certificate_is_the_targets_own";
        run.args(["--exact", name]).env_remove("SSL_CERT_DIR");
        let output = run.env("SSL_CERT_FILE", trusted).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let passed = output.status.success() && said.contains("1 passed");
        assert!(passed, "{said}");
        return;
    }
    let pair = generate_simple_self_signed(vec!["far.example".to_owned()]).unwrap();
    std::fs::write(trusted, pair.cert.pem()).unwrap();
    let key = PrivateKeyDer::try_from(pair.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let settings = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![pair.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(settings));
    let target = Server::with(move |tcp, heard| {
        let acceptor = acceptor.clone();
        async move {
            let Ok(mut tls) = acceptor.accept(tcp).await else {
                return;
            };
            let named = tls.get_ref().1.server_name().map(ToOwned::to_owned);
            let mut buffer = [0; 4096];
            let read = tls.read(&mut buffer).await.unwrap();
            let asked = String::from_utf8_lossy(&buffer[..read]);
            let line = format!("{}: {asked}", named.unwrap_or_default());
            heard.lock().unwrap().push_str(&line);
            tls.write_all(&ok("", b"fine")).await.ok();
            tls.shutdown().await.ok();
        }
    })
    .await;
    let proxy = proxy_to(target.address).await;
    let answer = ask(by(&proxy), far(), "https://far.example/hook").await;
    assert_eq!(&answer.unwrap().body[..], b"fine");
    assert!(proxy.heard().starts_with(&format!("CONNECT {FAR}:443 ")));
    let heard = target.heard();
    assert!(
        heard.starts_with("far.example: POST /hook HTTP/1.1\r\n"),
        "{heard}"
    );
    let other = ask(by(&proxy), far(), "https://other.example/").await;
    let error = other.unwrap_err();
    assert!(matches!(error, OutboundError::Tls(_)), "{error:?}");
}

#[tokio::test]
async fn the_login_is_for_the_proxy_alone() {
    let target = Server::answering(ok("", b"fine")).await;
    let door = proxy_to(target.address).await;
    let mut settings = by(&door);
    let login = format!("http://ada:love%3Alace@{}", door.address);
    settings.proxy = Some(login.parse().unwrap());
    let shown = format!("{settings:?}");
    assert!(!shown.contains("love"), "{shown}");
    let outbound = Outbound::with_resolver(settings, far()).unwrap();
    let answer = outbound.send(post("http://far.example/"), LIMITS).await;
    assert_eq!(answer.unwrap().status, StatusCode::OK);
    let said = "proxy-authorization: Basic YWRhOmxvdmU6bGFjZQ==\r\n";
    assert!(door.heard().contains(said), "{}", door.heard());
    let heard = target.heard().to_lowercase();
    assert!(!heard.contains("proxy"), "{heard}");
}

#[tokio::test]
async fn a_refusal_of_the_proxy_is_never_an_answer_of_the_target() {
    for (status, code) in [
        (407, "proxy_refused"),
        (403, "proxy_refused"),
        (410, "proxy_refused"),
        (429, "proxy_refused"),
        (500, "proxy_refused"),
        (502, "proxy_connect"),
        (503, "proxy_connect"),
        (504, "proxy_connect"),
        (101, "proxy_refused"),
        (201, "proxy_refused"),
        (204, "proxy_refused"),
        (302, "proxy_refused"),
    ] {
        let answer =
            format!("HTTP/1.1 {status} No\r\nretry-after: 99\r\ncontent-length: 2\r\n\r\nno");
        let door = refusing(&answer).await;
        for url in ["http://far.example/", "https://far.example/"] {
            let error = ask(by(&door), far(), url).await.unwrap_err();
            assert_eq!(error.code(), code, "{status}");
            let said = format!("the proxy refused the tunnel with status {status}");
            assert_eq!(error.to_string(), said);
            let refused = ProxyFailure::Refused(StatusCode::from_u16(status).unwrap());
            assert_eq!(failure(error), refused);
        }
        assert_eq!(door.connections(), 2, "one each, and none is kept");
    }
}

#[tokio::test]
async fn a_proxy_that_is_away_is_told_from_a_target_that_is() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = by(&refusing("").await);
    let address = listener.local_addr().unwrap();
    settings.proxy = Some(format!("http://{address}").parse().unwrap());
    drop(listener);
    let error = ask(settings, far(), "http://far.example/")
        .await
        .unwrap_err();
    assert_eq!(error.code(), "proxy_unreachable");
    assert!(!error.to_string().contains("127"), "{error}");
    assert!(matches!(failure(error), ProxyFailure::Away(_)));

    let mut settings = by(&refusing("").await);
    settings.proxy = Some("http://proxy.corp:3128".parse().unwrap());
    let error = ask(settings, Arc::new(Nothing), &format!("http://{FAR}/")).await;
    assert!(matches!(failure(error.unwrap_err()), ProxyFailure::Away(_)));

    for noise in ["", "SSH-2.0-OpenSSH_9.9\r\n", "HTTP/1.1 2000 OK\r\n\r\n"] {
        let door = refusing(noise).await;
        let error = ask(by(&door), far(), "http://far.example/").await;
        let error = error.unwrap_err();
        assert_eq!(error.code(), "proxy_unreachable", "{noise:?}");
        assert!(matches!(failure(error), ProxyFailure::Broken(_)));
    }
}

#[tokio::test]
async fn a_silent_proxy_has_the_time_to_connect_and_no_more() {
    let door = Server::with(|mut tcp, heard| async move {
        let asked = head(&mut tcp).await;
        heard.lock().unwrap().push_str(&asked);
        // Until the other side has gone.
        if tcp.read(&mut [0; 1]).await.is_ok_and(|read| read == 0) {
            heard.lock().unwrap().push_str("closed");
        }
    })
    .await;
    for url in ["http://far.example/", "https://far.example/"] {
        let began = Instant::now();
        let error = ask(by(&door), far(), url).await.unwrap_err();
        let took = began.elapsed();
        assert_eq!(error.code(), "proxy_timeout");
        assert_eq!(failure(error), ProxyFailure::Silent);
        assert!(took >= LIMITS.connect && took < LIMITS.whole, "{took:?}");
    }
    let began = Instant::now();
    while !door.heard().ends_with("closed") {
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "{}",
            door.heard()
        );
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn where_a_proxy_opens_the_way_to_others_its_silence_is_the_targets() {
    let target =
        Server::answering("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .await;
    let far_away = target.address;
    let door = Server::with(move |mut tcp, _| async move {
        let asked = head(&mut tcp).await;
        if asked.contains(":8080") {
            let mut far = TcpStream::connect(far_away).await.unwrap();
            tcp.write_all(ESTABLISHED.as_bytes()).await.ok();
            copy_bidirectional(&mut tcp, &mut far).await.ok();
        } else {
            tcp.read_u8().await.ok();
        }
    })
    .await;
    let outbound = Outbound::with_resolver(by(&door), far()).unwrap();
    let ask = |url| outbound.send(post(url), LIMITS);
    ask("http://far.example:8080/").await.unwrap();
    let error = ask("http://silent.example/").await.unwrap_err();
    assert_eq!(error.code(), "proxy_connect");
    let failure = failure(error);
    assert_eq!(failure, ProxyFailure::Stalled);
    assert!(failure.is_of_target());
}

#[tokio::test]
async fn a_head_without_end_is_read_for_eight_kilobytes() {
    let door = Server::with(|mut tcp, heard| async move {
        head(&mut tcp).await;
        tcp.write_all(b"HTTP/1.1 200 OK\r\n").await.ok();
        // A line at a time: what counts is the whole head.
        for line in 0_usize.. {
            let line = format!("x-{line}: {}\r\n", "x".repeat(1_000));
            if tcp.write_all(line.as_bytes()).await.is_err() {
                break;
            }
            heard.lock().unwrap().push('.');
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
    let error = ask(by(&door), far(), "http://far.example/").await;
    let error = failure(error.unwrap_err());
    assert!(matches!(error, ProxyFailure::Broken(_)), "{error:?}");
    let lines = door.heard().len();
    assert!((8..=20).contains(&lines), "{lines} KB were written");
}

#[tokio::test]
async fn what_the_proxy_says_behind_its_answer_is_nobodys_answer() {
    let forged = "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n";
    let door = refusing(forged).await;
    for url in ["http://far.example/", "https://far.example/"] {
        let error = ask(by(&door), far(), url).await.unwrap_err();
        let error = failure(error);
        assert!(matches!(error, ProxyFailure::Broken(_)), "{error:?}");
    }
}

#[tokio::test]
async fn a_feed_that_speaks_first_loses_nothing() {
    let feed = Server::with(|mut tcp, _| async move {
        tcp.write_all(b"!AIVDM,2\r\n").await.unwrap();
    })
    .await;
    let door = Server::with(move |mut tcp, heard| async move {
        let asked = head(&mut tcp).await;
        heard.lock().unwrap().push_str(&asked);
        let mut far = TcpStream::connect(feed.address).await.unwrap();
        let early = "HTTP/1.1 200 OK\r\n\r\n!AIVDM,1\r\n";
        tcp.write_all(early.as_bytes()).await.unwrap();
        copy_bidirectional(&mut tcp, &mut far).await.ok();
    })
    .await;
    let outbound = Outbound::with_resolver(by(&door), far()).unwrap();
    let opened = outbound.open("ais.example", 10_110, LIMITS.connect).await;
    let mut text = String::new();
    opened.unwrap().read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "!AIVDM,1\r\n!AIVDM,2\r\n");
    assert!(door.heard().starts_with(&format!("CONNECT {FAR}:10110 ")));
}

#[tokio::test]
async fn what_the_guard_refuses_the_proxy_never_hears_of() {
    let door = proxy_to("127.0.0.1:1".parse().unwrap()).await;
    let own: SocketAddr = "93.184.216.34:8080".parse().unwrap();
    for mut settings in [by(&door), by_name(&door)] {
        settings.own_addresses = vec![own];
        settings.deny_networks = vec!["93.184.216.0/28".parse().unwrap()];
        for url in [
            "http://10.0.0.1/",
            "http://169.254.169.254/latest/meta-data",
            "http://[::1]/",
            "http://[::ffff:10.0.0.1]/",
            "http://93.184.216.3/",
            &format!("http://{own}/"),
            // The proxy itself, where it is dialled and no further.
            &format!("http://{}/", door.address),
        ] {
            let error = ask(settings.clone(), far(), url).await.unwrap_err();
            assert_eq!(error, OutboundError::BlockedAddress, "{url}");
        }
        let error = ask(settings.clone(), far(), "http://far.example:22/").await;
        assert_eq!(error.unwrap_err(), OutboundError::BlockedPort(22));
        let outbound = Outbound::with_resolver(settings.clone(), Arc::new(Nothing)).unwrap();
        let opened = outbound.open("far.example", 22, LIMITS.connect).await;
        assert!(opened.is_err());
        settings.allow_http = false;
        let error = ask(settings, far(), "http://far.example/").await;
        assert_eq!(error.unwrap_err(), OutboundError::Scheme("http".into()));
    }
    assert_eq!(door.connections(), 0);
}

#[tokio::test]
async fn only_addresses_that_passed_are_asked_for_each_in_its_turn() {
    let door = refusing("HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n").await;
    let names = Scripted::new(&[&["10.0.0.1", FAR, "127.0.0.1", "2606:2800:220:1::1"]]);
    let error = ask(by(&door), names, "http://far.example/").await;
    assert_eq!(error.unwrap_err().code(), "proxy_connect");
    let heard = door.heard();
    let asked = heard.lines().filter(|line| line.starts_with("CONNECT"));
    let expected = [
        format!("CONNECT {FAR}:80 HTTP/1.1"),
        "CONNECT [2606:2800:220:1::1]:80 HTTP/1.1".to_owned(),
    ];
    assert!(asked.eq(expected.iter()), "{heard}");

    let door = refusing("").await;
    let inside = Scripted::new(&[&["10.0.0.1"]]);
    let error = ask(by(&door), inside, "http://far.example/").await;
    assert_eq!(error.unwrap_err(), OutboundError::BlockedAddress);
    let error = ask(by(&door), Arc::new(Nothing), "http://far.example/").await;
    assert!(matches!(error.unwrap_err(), OutboundError::Resolve(_)));
    assert_eq!(door.connections(), 0, "no name is given to it");
}

#[tokio::test]
async fn what_lies_in_an_allowed_network_is_reached_straight() {
    let target = Server::answering(ok("connection: close\r\n", b"near")).await;
    let door = refusing("").await;
    let port = target.address.port();
    for settings in [by(&door), by_name(&door)] {
        let settings = EgressSettings {
            proxy: settings.proxy,
            ..open()
        };
        let near = Scripted::new(&[&[FAR, "127.0.0.1", "10.0.0.1"]]);
        for url in [
            format!("http://127.0.0.1:{port}/"),
            format!("http://near.example:{port}/"),
            format!("http://near:{port}/"),
        ] {
            let answer = ask(settings.clone(), near.clone(), &url).await;
            assert_eq!(&answer.unwrap().body[..], b"near", "{url}");
        }
    }
    assert_eq!(door.connections(), 0);
}

#[tokio::test]
async fn a_proxy_that_resolves_is_given_names_that_may_be_somebodys() {
    let target = Server::answering(ok("connection: close\r\n", b"far")).await;
    let door = proxy_to(target.address).await;
    let unknown: Arc<dyn Resolve> = Arc::new(Nothing);
    let known: Arc<dyn Resolve> = far();
    let asleep: Arc<dyn Resolve> = Arc::new(Asleep);
    for names in [&unknown, &known, &asleep] {
        let answer = ask(by_name(&door), Arc::clone(names), "http://Far.Example/").await;
        assert_eq!(&answer.unwrap().body[..], b"far");
    }
    let asked = "CONNECT far.example:80 HTTP/1.1\r\nhost: far.example:80\r\n\r\n";
    assert_eq!(door.heard(), asked.repeat(3));
    for literal in ["http://93.184.216.34/", "http://0x5db8d822/"] {
        let answer = ask(by_name(&door), Arc::clone(&unknown), literal).await;
        assert_eq!(&answer.unwrap().body[..], b"far");
        assert!(door.heard().ends_with(&format!("host: {FAR}:80\r\n\r\n")));
    }

    let heard = door.connections();
    for url in [
        "http://localhost/",
        "http://localhost./",
        "http://a.LOCALHOST/",
        "http://printer/",
        "http://metadata.google.internal/",
        "http://nas.local/",
        "http://0x7f.1/",
        "http://2130706433/",
        "http://127.1/",
        "http://127.0.0.1./",
    ] {
        let error = ask(by_name(&door), Arc::clone(&unknown), url).await;
        assert_eq!(error.unwrap_err(), OutboundError::BlockedAddress, "{url}");
    }
    for inside in [&["10.0.0.1"][..], &[FAR, "10.0.0.1"]] {
        let names = Scripted::new(&[inside]);
        let error = ask(by_name(&door), names, "http://far.example/").await;
        assert_eq!(error.unwrap_err(), OutboundError::BlockedAddress);
    }
    assert_eq!(door.connections(), heard, "it heard of none of them");
}
