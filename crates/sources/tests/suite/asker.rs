//! Asking a terminal about boxes: the token, one question for many, and what is no answer.

use domain::codes::ContainerNumber;
use serde_json::json;
use sources::ocean::dcsa::{PullFailure, Secrets};
use sources::outbound::{EgressSettings, Outbound};
use sources::{Asker, Profile, Speaks};
use wiremock::matchers::{header, method, path, query_param};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::puller::now;

fn asker(server: &MockServer) -> Asker {
    let mut templates = sources::terminal::templates().iter();
    let template = templates
        .find(|template| template.name == "apm-terminals")
        .unwrap();
    let text = template
        .text
        .replace("https://api.apmterminals.com", &server.uri());
    let Speaks::Table(profile) = Profile::parse(&text).unwrap().speaks else {
        panic!("it is a table");
    };
    let egress = EgressSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..EgressSettings::default()
    };
    let secrets = [("client_id", "the-id"), ("client_secret", "the-secret")];
    let secrets = secrets.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let outbound = Outbound::new(egress).unwrap();
    Asker::new(
        outbound,
        profile.asking.clone().unwrap(),
        Secrets::new(secrets),
    )
}

fn boxes() -> Vec<ContainerNumber> {
    ["CSQU3054383", "MSKU6011672"]
        .map(|text| ContainerNumber::parse(text).unwrap())
        .to_vec()
}

async fn token(server: &MockServer) {
    let granted = json!({"access_token": "pass", "expires_in": 1800});
    Mock::given(method("POST"))
        .and(path("/oauth/client_credential/accesstoken"))
        .respond_with(ResponseTemplate::new(200).set_body_json(granted))
        .expect(1)
        .mount(server)
        .await;
}

#[tokio::test]
async fn boxes_are_asked_about_together_under_one_token() {
    let server = MockServer::start().await;
    token(&server).await;
    Mock::given(method("GET"))
        .and(path("/import-availability"))
        .and(query_param("facilityCode", "USLAX"))
        .and(query_param("assetId", "CSQU3054383,MSKU6011672"))
        .and(header("authorization", "Bearer pass"))
        .and(header("consumer-key", "the-id"))
        .respond_with(ResponseTemplate::new(200).set_body_json(json!([])))
        .expect(2)
        .mount(&server)
        .await;
    let asker = asker(&server);
    let first = asker.ask(&boxes(), now()).await.unwrap();
    let second = asker.ask(&boxes(), now()).await.unwrap();
    assert_eq!(first.question, second.question);
    let one = asker.ask(&boxes()[..1], now()).await;
    assert!(one.is_err(), "another question finds no such answer");
}

#[tokio::test]
async fn what_is_no_answer_says_nothing_about_boxes() {
    let page = ResponseTemplate::new(200).set_body_raw("<html>", "text/html");
    for (answer, expected) in [
        (ResponseTemplate::new(403), PullFailure::DataUnavailable),
        (ResponseTemplate::new(404), PullFailure::NotFound),
        (page, PullFailure::Unreadable("it is \"text/html\"".into())),
        (
            ResponseTemplate::new(429),
            PullFailure::Throttled { retry_after: None },
        ),
    ] {
        let server = MockServer::start().await;
        token(&server).await;
        Mock::given(method("GET"))
            .respond_with(answer)
            .mount(&server)
            .await;
        assert_eq!(asker(&server).ask(&boxes(), now()).await, Err(expected));
    }
}
