//! Asking a carrier.

use std::time::Duration;

use domain::tracking_request::NumberKind;
use jiff::Timestamp;
use sources::ocean::dcsa::{Payload, Profile, PullFailure, Puller, Question, Secrets};
use sources::outbound::{EgressSettings, Outbound, counted};
use wiremock::matchers::{body_string_contains, header, method, path, query_param};
use wiremock::{Match, Mock, MockServer, Request, ResponseTemplate};

pub fn now() -> Timestamp {
    "2026-03-15T12:00:00Z".parse().unwrap()
}

fn bill() -> Question {
    Question {
        kind: NumberKind::BillOfLading,
        number: "QSDL800200".into(),
    }
}

pub fn puller(server: &MockServer, more: &str) -> Puller {
    puller_of(server, "protocol = \"dcsa-2\"", more)
}

pub fn puller_of(server: &MockServer, protocol: &str, more: &str) -> Puller {
    let text = format!(
        "id = \"qsd\"\n{protocol}\nscac = \"QSDU\"\n[endpoint]\nbase = \"{}/tnt/\"\n{more}",
        server.uri()
    );
    let settings = EgressSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..EgressSettings::default()
    };
    let secrets = [
        ("client_id", "the-id"),
        ("client_secret", "the secret"),
        ("key", "k-1"),
        ("api_key", "quay"),
        ("secret_key", "harbour-secret"),
        (
            "private_key",
            include_str!("../fixtures/keys/client.key.pem"),
        ),
        (
            "certificate",
            include_str!("../fixtures/keys/client.cert.pem"),
        ),
    ];
    let secrets = Secrets::new(secrets.map(|(name, value)| (name.to_owned(), value.to_owned())));
    Puller::new(
        Outbound::new(settings).unwrap(),
        Profile::parse(&text).unwrap(),
        secrets,
    )
}

fn json(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.to_owned(), "application/json")
}

async fn pull(server: &MockServer, more: &str) -> Result<Vec<Payload>, PullFailure> {
    puller(server, more).pull(&bill(), now()).await
}

#[tokio::test]
async fn a_question_is_asked_as_the_profile_says() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/tnt/v2/events"))
        .and(query_param("transportDocumentReference", "QSDL800200"))
        .and(query_param("limit", "50"))
        .and(query_param("sort", "eventCreatedDateTime:ASC"))
        .and(header("api-version", "2.2"))
        .and(header("accept", "application/json"))
        .and(header("x-client", "quayside"))
        .and(header("x-key", "k-1"))
        .respond_with(json("[]"))
        .expect(1)
        .mount(&server)
        .await;
    let more = r#"page_size = 50
        api_version = "2.2"
        headers = { "X-Client" = "quayside" }
        query = { sort = "eventCreatedDateTime:ASC" }
        [auth]
        kind = "headers"
        headers = { "X-Key" = "key" }"#;
    let pages = pull(&server, more).await.unwrap();
    assert_eq!(
        pages,
        [Payload {
            question: "bill_of_lading:QSDL800200#1".into(),
            content_type: "application/json".into(),
            fresh_for: None,
            bytes: b"[]".to_vec(),
        }]
    );
}

#[tokio::test]
async fn kinds_and_prefixes() {
    let server = MockServer::start().await;
    Mock::given(path("/tnt/events/800200"))
        .respond_with(json("[]"))
        .expect(1)
        .mount(&server)
        .await;
    let more = "path = \"/events/{number}\"\npage_size = 0\n[numbers]\nbill_of_lading = \"x\"\nbill_prefixes_cut = [\"QSDL\"]";
    pull(&server, more).await.unwrap();
    let container = Question {
        kind: NumberKind::Container,
        number: "QSDU1000014".into(),
    };
    let refused = puller(&server, more)
        .pull(&container, now())
        .await
        .unwrap_err();
    assert_eq!(
        refused,
        PullFailure::NotAsked,
        "a kind that the profile leaves out is not asked"
    );
    assert_eq!(server.received_requests().await.unwrap().len(), 1);
    assert_eq!(
        server.received_requests().await.unwrap()[0].url.query(),
        None
    );
}

#[tokio::test]
async fn pages_are_followed_to_the_end() {
    let server = MockServer::start().await;
    let next = |cursor: &str| format!("{}/tnt/v2/events?cursor={cursor}", server.uri());
    Mock::given(query_param("cursor", "b"))
        .respond_with(json("[]"))
        .mount(&server)
        .await;
    Mock::given(query_param("cursor", "a"))
        .respond_with(json("[2]").insert_header("Next-Page", "/tnt/v2/events?cursor=b"))
        .mount(&server)
        .await;
    Mock::given(query_param("limit", "100"))
        .respond_with(json("[1]").insert_header("Next-Page", next("a").as_str()))
        .mount(&server)
        .await;
    let pages = pull(&server, "").await.unwrap();
    let read: Vec<_> = pages
        .iter()
        .map(|page| (page.question.as_str(), &page.bytes[..]))
        .collect();
    assert_eq!(
        read,
        [
            ("bill_of_lading:QSDL800200#1", &b"[1]"[..]),
            ("bill_of_lading:QSDL800200#2", b"[2]"),
            ("bill_of_lading:QSDL800200#3", b"[]"),
        ]
    );
}

#[tokio::test]
async fn pages_lead_nowhere_else() {
    let elsewhere = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(json("[]"))
        .expect(0)
        .mount(&elsewhere)
        .await;
    let away = format!("{}/tnt/v2/events", elsewhere.uri());
    for link in [
        away.as_str(),
        "https://carrier.example/next",
        "//127.0.0.2/next",
        "http://[broken",
    ] {
        let server = MockServer::start().await;
        let page = json("[]").insert_header("Next-Page", link);
        Mock::given(method("GET"))
            .respond_with(page)
            .expect(1)
            .mount(&server)
            .await;
        assert!(
            matches!(pull(&server, "").await, Err(PullFailure::Unreadable(_))),
            "{link}"
        );
    }
}

#[tokio::test]
async fn pages_without_end_are_given_up() {
    struct Counting;
    impl wiremock::Respond for Counting {
        fn respond(&self, request: &Request) -> ResponseTemplate {
            let at = request.url.query_pairs().find(|(name, _)| name == "at");
            let at: u32 = at.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
            let next = format!("/tnt/v2/events?at={}", at + 1);
            ResponseTemplate::new(200)
                .set_body_raw("[]", "application/json")
                .insert_header("Next-Page", next.as_str())
        }
    }
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(Counting)
        .expect(3)
        .mount(&server)
        .await;
    let failure = pull(&server, "pages_max = 3").await.unwrap_err();
    assert!(matches!(failure, PullFailure::Unreadable(_)), "{failure}");
}

#[tokio::test]
async fn statuses() {
    let wait = |seconds| PullFailure::Throttled {
        retry_after: Some(Duration::from_secs(seconds)),
    };
    let unreachable = |status: u16| PullFailure::Unreachable(format!("it answers {status}"));
    let unreadable = |status: u16| PullFailure::Unreadable(format!("it answers {status}"));
    let table: [(u16, Option<&str>, PullFailure); 20] = [
        (404, None, PullFailure::NotFound),
        (204, None, PullFailure::NotFound),
        (400, None, PullFailure::InvalidNumber(400)),
        (422, None, PullFailure::InvalidNumber(422)),
        (401, None, PullFailure::Unauthorized),
        (403, None, PullFailure::DataUnavailable),
        // "Out of call volume quota", as gateways put it.
        (403, Some("40000"), wait(3600)),
        (429, None, PullFailure::Throttled { retry_after: None }),
        (429, Some("7"), wait(7)),
        (429, Some("86400"), wait(3600)),
        (429, Some("Sun, 15 Mar 2026 12:00:30 GMT"), wait(30)),
        (429, Some("Sun, 15 Mar 2026 11:00:00 GMT"), wait(0)),
        (429, Some("Sunday, 15-Mar-26 12:00:30 GMT"), wait(30)),
        (
            429,
            Some("soon"),
            PullFailure::Throttled { retry_after: None },
        ),
        (503, Some("9"), wait(9)),
        (503, None, unreachable(503)),
        (500, None, unreachable(500)),
        (408, None, unreachable(408)),
        (302, None, unreadable(302)),
        (418, None, unreadable(418)),
    ];
    for (status, retry_after, failure) in table {
        let server = MockServer::start().await;
        let mut answer = ResponseTemplate::new(status).set_body_raw("[]", "application/json");
        if let Some(wait) = retry_after {
            answer = answer.insert_header("Retry-After", wait);
        }
        if status == 302 {
            answer = answer.insert_header("Location", "/tnt/elsewhere");
        }
        Mock::given(method("GET"))
            .respond_with(answer)
            .expect(1)
            .mount(&server)
            .await;
        assert_eq!(
            pull(&server, "").await,
            Err(failure),
            "{status} {retry_after:?}"
        );
    }
}

#[tokio::test]
async fn a_gateways_page_says_nothing_of_the_number() {
    let page = "<html><head><title>400 The SSL certificate error</title></head></html>";
    for status in [400, 403, 404, 410, 422] {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .respond_with(ResponseTemplate::new(status).set_body_raw(page, "text/html"))
            .expect(1)
            .mount(&server)
            .await;
        let failure = pull(&server, "").await.unwrap_err();
        assert!(
            matches!(failure, PullFailure::Unreadable(_)),
            "{status}: {failure}"
        );
    }
}

#[tokio::test]
async fn a_refused_second_page_does_not_make_the_number_invalid() {
    let server = MockServer::start().await;
    Mock::given(query_param("cursor", "gone"))
        .respond_with(
            ResponseTemplate::new(400).set_body_raw("{\"message\":\"cursor\"}", "application/json"),
        )
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .respond_with(json("[]").insert_header("Next-Page-Cursor", "gone"))
        .expect(1)
        .mount(&server)
        .await;
    let failure = pull(&server, "").await.unwrap_err();
    assert!(matches!(failure, PullFailure::Unreadable(_)), "{failure}");
}

#[tokio::test]
async fn only_json_is_an_answer() {
    let html = "<html><body>Please log in</body></html>";
    let table = [
        (html, "text/html", false),
        (html, "application/json", false),
        (html, "text/plain", false),
        ("[]", "text/html; charset=utf-8", false),
        ("", "application/json", false),
        ("\u{feff} [ ]", "application/json; charset=utf-8", true),
        ("{\"events\":[]}", "application/vnd.dcsa+json", true),
        ("[]", "text/plain", true),
    ];
    for (body, media_type, good) in table {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(200).set_body_raw(body, media_type);
        Mock::given(method("GET"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let pulled = pull(&server, "").await;
        assert_eq!(pulled.is_ok(), good, "{media_type} {body}: {pulled:?}");
        if !good {
            assert!(matches!(pulled, Err(PullFailure::Unreadable(_))));
        }
    }
    let server = MockServer::start().await;
    let endless = format!("[{}]", " ".repeat(6 * 1024 * 1024));
    Mock::given(method("GET"))
        .respond_with(json(&endless))
        .mount(&server)
        .await;
    assert!(matches!(
        pull(&server, "").await,
        Err(PullFailure::Unreadable(_))
    ));
}

#[tokio::test]
async fn a_page_that_fails_fails_the_question() {
    let server = MockServer::start().await;
    Mock::given(query_param("cursor", "a"))
        .respond_with(ResponseTemplate::new(500))
        .mount(&server)
        .await;
    Mock::given(query_param("limit", "100"))
        .respond_with(json("[]").insert_header("Next-Page", "/tnt/v2/events?cursor=a"))
        .mount(&server)
        .await;
    assert!(matches!(
        pull(&server, "").await,
        Err(PullFailure::Unreachable(_))
    ));
}

const OAUTH: &str = "[auth]\nkind = \"oauth2\"\nscope = \"tnt\"\n";

fn oauth(server: &MockServer) -> String {
    format!("{OAUTH}token_url = \"{}/token\"\n", server.uri())
}

/// The token endpoint, which numbers its tokens.
struct Tokens(std::sync::atomic::AtomicU32, &'static str);

impl wiremock::Respond for Tokens {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        let number = self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        let body = format!(
            "{{\"access_token\":\"t{number}\",\"expires_in\":{}}}",
            self.1
        );
        ResponseTemplate::new(200).set_body_raw(body, "application/json")
    }
}

fn tokens(life: &'static str) -> Tokens {
    Tokens(std::sync::atomic::AtomicU32::new(0), life)
}

struct Bearer(&'static str);

impl Match for Bearer {
    fn matches(&self, request: &Request) -> bool {
        request
            .headers
            .get("authorization")
            .is_some_and(|value| value == self.0)
    }
}

#[tokio::test]
async fn a_token_is_kept_and_replaced_early() {
    let server = MockServer::start().await;
    Mock::given(method("POST"))
        .and(path("/token"))
        .and(body_string_contains("grant_type=client_credentials"))
        .and(body_string_contains("client_id=the-id"))
        .and(body_string_contains("client_secret=the+secret"))
        .and(body_string_contains("scope=tnt"))
        .respond_with(tokens("\"600\""))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t1"))
        .respond_with(json("[1]"))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t2"))
        .respond_with(json("[2]"))
        .expect(1)
        .mount(&server)
        .await;
    let puller = puller(&server, &oauth(&server));
    let at = |seconds| now() + jiff::SignedDuration::from_secs(seconds);
    assert_eq!(puller.pull(&bill(), at(0)).await.unwrap()[0].bytes, b"[1]");
    assert_eq!(
        puller.clone().pull(&bill(), at(539)).await.unwrap()[0].bytes,
        b"[1]"
    );
    assert_eq!(
        puller.pull(&bill(), at(540)).await.unwrap()[0].bytes,
        b"[2]",
        "a minute early"
    );
}

#[tokio::test]
async fn a_refused_token_is_replaced_once() {
    let server = MockServer::start().await;
    Mock::given(path("/token"))
        .respond_with(tokens("3600"))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t1"))
        .respond_with(ResponseTemplate::new(401))
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t2"))
        .respond_with(json("[]"))
        .expect(2)
        .mount(&server)
        .await;
    let puller = puller(&server, &oauth(&server));
    let (question, now) = (bill(), now());
    let (pulled, requests) = counted(puller.pull(&question, now)).await;
    assert_eq!(requests, 4, "two for tokens, and the question twice");
    assert!(pulled.is_ok());
    let (pulled, requests) = counted(puller.pull(&question, now)).await;
    assert_eq!(requests, 1, "and the new one is kept");
    assert!(pulled.is_ok());

    let server = MockServer::start().await;
    Mock::given(path("/token"))
        .respond_with(tokens("3600"))
        .expect(2)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(401))
        .expect(2)
        .mount(&server)
        .await;
    assert_eq!(
        pull(&server, &oauth(&server)).await,
        Err(PullFailure::Unauthorized)
    );
}

#[tokio::test]
async fn the_token_endpoint_may_fail_too() {
    let table = [
        (401, "{}", PullFailure::Unauthorized),
        (400, "{}", PullFailure::Unauthorized),
        (
            500,
            "{}",
            PullFailure::Unreachable("the token endpoint answers 500".into()),
        ),
        (429, "{}", PullFailure::Throttled { retry_after: None }),
        (
            200,
            "{}",
            PullFailure::Unreadable("the token answer holds no token".into()),
        ),
    ];
    for (status, body, failure) in table {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status).set_body_raw(body, "application/json");
        Mock::given(path("/token"))
            .respond_with(answer)
            .mount(&server)
            .await;
        Mock::given(method("GET"))
            .respond_with(json("[]"))
            .expect(0)
            .mount(&server)
            .await;
        assert_eq!(pull(&server, &oauth(&server)).await, Err(failure));
    }
}

#[tokio::test]
async fn the_token_endpoint_may_ask_us_to_wait() {
    let wait = |seconds| PullFailure::Throttled {
        retry_after: Some(Duration::from_secs(seconds)),
    };
    let silent = PullFailure::Unreachable("the token endpoint answers 408".into());
    for (status, told, failure) in [
        (429, Some("3000"), wait(3_000)),
        (503, Some("600"), wait(600)),
        (403, Some("600"), wait(600)),
        (403, None, PullFailure::Unauthorized),
        (408, None, silent),
    ] {
        let server = MockServer::start().await;
        let answer = ResponseTemplate::new(status);
        let answer = match told {
            Some(seconds) => answer.insert_header("Retry-After", seconds),
            None => answer,
        };
        Mock::given(path("/token"))
            .respond_with(answer)
            .mount(&server)
            .await;
        assert_eq!(
            pull(&server, &oauth(&server)).await,
            Err(failure),
            "{status} {told:?}"
        );
    }
}

#[tokio::test]
async fn credentials_in_the_header() {
    let server = MockServer::start().await;
    Mock::given(path("/token"))
        .and(header("authorization", "Basic dGhlLWlkOnRoZSBzZWNyZXQ="))
        .respond_with(tokens("60"))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t1"))
        .respond_with(json("[]"))
        .mount(&server)
        .await;
    let more = format!("{}credentials_in_header = true\n", oauth(&server));
    pull(&server, &more).await.unwrap();
    let asked = server.received_requests().await.unwrap();
    assert!(!String::from_utf8_lossy(&asked[0].body).contains("secret"));
}

#[tokio::test]
async fn many_questions_at_once_ask_for_one_token() {
    let server = MockServer::start().await;
    let slow = ResponseTemplate::new(200)
        .set_body_raw("{\"access_token\":\"t1\"}", "application/json")
        .set_delay(Duration::from_millis(100));
    Mock::given(path("/token"))
        .respond_with(slow)
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(Bearer("Bearer t1"))
        .respond_with(json("[]"))
        .expect(8)
        .mount(&server)
        .await;
    let puller = puller(&server, &oauth(&server));
    let asks: Vec<_> = (0..8)
        .map(|_| {
            let puller = puller.clone();
            tokio::spawn(async move { puller.pull(&bill(), now()).await })
        })
        .collect();
    for asked in asks {
        asked.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn a_missing_secret_is_no_question() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(json("[]"))
        .expect(0)
        .mount(&server)
        .await;
    let more = "[auth]\nkind = \"headers\"\nheaders = { \"X-Key\" = \"nobody_set_this\" }";
    let missing = PullFailure::SecretMissing("nobody_set_this".into());
    assert_eq!(pull(&server, more).await, Err(missing));
}

#[tokio::test]
async fn the_guard_stands_before_carriers_too() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .respond_with(json("[]"))
        .expect(0)
        .mount(&server)
        .await;
    let text = format!(
        "id = \"qsd\"\nprotocol = \"dcsa-2\"\nscac = \"QSDU\"\n[endpoint]\nbase = \"{}\"\n",
        server.uri()
    );
    let closed = EgressSettings {
        allow_http: true,
        ..EgressSettings::default()
    };
    let outbound = Outbound::new(closed).unwrap();
    let puller = Puller::new(outbound, Profile::parse(&text).unwrap(), Secrets::default());
    let failure = puller.pull(&bill(), now()).await.unwrap_err();
    assert_eq!(
        failure,
        PullFailure::Unreachable("the address is not allowed".into())
    );
}

#[test]
fn secrets_do_not_show() {
    let secrets = Secrets::new([("key".to_owned(), "very-secret".to_owned())]);
    assert!(!format!("{secrets:?}").contains("very-secret"));
}

/// Version 3 of each dialect, asked about a bill: path and query.
#[tokio::test]
async fn each_dialect_of_version_3_asks_in_its_own_words() {
    let asked = [
        (
            "dialect = \"3.0.0-beta-1\"",
            "/tnt/v3/events",
            "documentReference=QSDL800200&documentTypeCodes=TRD&limit=100",
        ),
        (
            "dialect = \"3.0.0-sandbox\"",
            "/tnt/events",
            "transportDocumentReference=QSDL800200&limit=100",
        ),
        (
            "",
            "/tnt/events",
            "transportDocumentReference=QSDL800200&limit=100",
        ),
    ];
    for (dialect, at, query) in asked {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .respond_with(json("[]"))
            .mount(&server)
            .await;
        let protocol = format!("protocol = \"dcsa-3\"\n{dialect}");
        let puller = puller_of(&server, &protocol, "");
        puller.pull(&bill(), now()).await.unwrap();
        let request = &server.received_requests().await.unwrap()[0];
        assert_eq!((request.url.path(), request.url.query()), (at, Some(query)));
    }
}

#[tokio::test]
async fn a_cursor_goes_with_the_question_as_it_was() {
    let server = MockServer::start().await;
    let asked = |cursor: Option<&'static str>| {
        let mock = Mock::given(query_param("transportDocumentReference", "QSDL800200"))
            .and(query_param("limit", "100"));
        match cursor {
            Some(cursor) => mock.and(query_param("cursor", cursor)),
            None => mock.and(wiremock::matchers::query_param_is_missing("cursor")),
        }
    };
    let page = |body: &str, next: &str| json(body).insert_header("Next-Page-Cursor", next);
    asked(None)
        .respond_with(page("{\"events\":[1]}", "a+/=1"))
        .expect(1)
        .mount(&server)
        .await;
    asked(Some("a+/=1"))
        .respond_with(page("{\"events\":[2]}", "b"))
        .expect(1)
        .mount(&server)
        .await;
    asked(Some("b"))
        .respond_with(json("{\"events\":[]}"))
        .expect(1)
        .mount(&server)
        .await;
    let puller = puller_of(&server, "protocol = \"dcsa-3\"", "");
    let pages = puller.pull(&bill(), now()).await.unwrap();
    assert_eq!(pages.len(), 3, "the last page may be empty");
    assert_eq!(pages[2].question, "bill_of_lading:QSDL800200#3");
}

#[tokio::test]
async fn an_empty_last_page_may_be_no_content_and_a_cursor_may_not_stand_still() {
    let server = MockServer::start().await;
    Mock::given(query_param("cursor", "a"))
        .respond_with(ResponseTemplate::new(204))
        .mount(&server)
        .await;
    let first = json("{\"events\":[1]}").insert_header("Next-Page-Cursor", "a");
    Mock::given(method("GET"))
        .respond_with(first)
        .mount(&server)
        .await;
    let puller = puller_of(&server, "protocol = \"dcsa-3\"", "");
    assert_eq!(puller.pull(&bill(), now()).await.unwrap().len(), 1);
    let server = MockServer::start().await;
    let same = json("{\"events\":[1]}").insert_header("Next-Page-Cursor", "a");
    Mock::given(method("GET"))
        .respond_with(same)
        .mount(&server)
        .await;
    let puller = puller_of(&server, "protocol = \"dcsa-3\"", "");
    let refused = puller.pull(&bill(), now()).await.unwrap_err();
    assert_eq!(
        refused,
        PullFailure::Unreadable("its next page is the same page".into())
    );
}

#[tokio::test]
async fn only_what_is_new_is_asked_for_where_the_profile_says_so() {
    let newest: Timestamp = "2026-03-15T10:30:00.5Z".parse().unwrap();
    let asked = [
        ("protocol = \"dcsa-2\"", "", None),
        (
            "protocol = \"dcsa-2\"",
            "incremental = true",
            Some("eventCreatedDateTime%3Agte=2026-03-14T10%3A30%3A00Z"),
        ),
        (
            "protocol = \"dcsa-3\"",
            "incremental = true\nincremental_overlap_hours = 2",
            Some("eventUpdatedDateTimeMin=2026-03-15T08%3A30%3A00Z"),
        ),
        (
            "protocol = \"dcsa-2\"",
            "incremental = true\nincremental_parameter = \"since\"",
            Some("since=2026-03-14T10%3A30%3A00Z"),
        ),
    ];
    for (protocol, more, since) in asked {
        let server = MockServer::start().await;
        Mock::given(method("GET"))
            .respond_with(json("[]"))
            .mount(&server)
            .await;
        let puller = puller_of(&server, protocol, more);
        puller
            .pull_since(&bill(), Some(newest), now())
            .await
            .unwrap();
        puller.pull_since(&bill(), None, now()).await.unwrap();
        let requests = server.received_requests().await.unwrap();
        let query = requests[0].url.query().unwrap().to_owned();
        match since {
            Some(since) => assert!(query.contains(since), "{query}"),
            None => assert!(query.ends_with("limit=100"), "{query}"),
        }
        assert!(
            requests[1].url.query().unwrap().ends_with("limit=100"),
            "nothing is known yet"
        );
    }
}

#[tokio::test]
async fn how_long_an_answer_stays_the_same_is_kept_up_to_an_hour() {
    let said = [
        ("max-age=600", Some(600)),
        ("private, Max-Age=3600", Some(3600)),
        ("max-age=86400", Some(3600)),
        ("no-store, max-age=600", None),
        ("max-age=0", None),
        ("max-age=soon", None),
    ];
    for (said, fresh) in said {
        let server = MockServer::start().await;
        let answer = json("[]").insert_header("Cache-Control", said);
        Mock::given(method("GET"))
            .respond_with(answer)
            .mount(&server)
            .await;
        let pages = pull(&server, "").await.unwrap();
        assert_eq!(pages[0].fresh_for, fresh.map(Duration::from_secs), "{said}");
    }
}

#[tokio::test]
async fn a_number_may_need_another_parameter_beside_it() {
    let server = MockServer::start().await;
    Mock::given(query_param("carrierBookingReference", "QSDB700100"))
        .and(query_param("equipmentReference", "ZZ"))
        .respond_with(json("{}"))
        .expect(1)
        .mount(&server)
        .await;
    let more = "[numbers]\nbooking = \"carrierBookingReference\"\nbooking_query = { equipmentReference = \"ZZ\" }";
    let booking = Question {
        kind: NumberKind::Booking,
        number: "QSDB700100".into(),
    };
    puller(&server, more).pull(&booking, now()).await.unwrap();
}

#[tokio::test]
async fn a_certificate_stands_in_for_a_secret() {
    let server = MockServer::start().await;
    Mock::given(path("/token"))
        .and(body_string_contains("client_id=the-id"))
        .and(body_string_contains("client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"))
        .and(body_string_contains("client_assertion=ey"))
        .respond_with(json("{\"access_token\":\"t-1\",\"expires_in\":3600}"))
        .expect(1)
        .mount(&server)
        .await;
    Mock::given(header("authorization", "Bearer t-1"))
        .respond_with(json("[]"))
        .expect(2)
        .mount(&server)
        .await;
    let more = format!(
        "[auth]\nkind = \"oauth2\"\ntoken_url = \"{}/token\"\ncertificate_assertion = true",
        server.uri()
    );
    let puller = puller(&server, &more);
    puller.pull(&bill(), now()).await.unwrap();
    puller.pull(&bill(), now()).await.unwrap();
    let form = server.received_requests().await.unwrap()[0].body.clone();
    assert!(!String::from_utf8(form).unwrap().contains("client_secret"));
}

#[tokio::test]
async fn requests_are_signed_where_the_carrier_wants_it() {
    let server = MockServer::start().await;
    Mock::given(path("/tnt/service/info/tracking/QSDL800200"))
        .and(query_param("numberType", "bl"))
        .and(wiremock::matchers::header_regex(
            "x-coscon-date",
            "^Sun, 15 Mar 2026 12:00:00 GMT$",
        ))
        .and(wiremock::matchers::header_exists("x-coscon-authorization"))
        .respond_with(json("{\"code\":0,\"data\":{\"content\":null}}"))
        .expect(1)
        .mount(&server)
        .await;
    let puller = puller_of(
        &server,
        "protocol = \"cosco\"",
        "[auth]\nkind = \"signature\"",
    );
    puller.pull(&bill(), now()).await.unwrap();
}
