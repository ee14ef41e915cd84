//! A railroad that lets nobody in without a client certificate: it is asked with ours, and a certificate that cannot be
//! shown stops the start.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::carrier::Carrier;
use crate::service::Service;
use crate::terminals::{BILL, BOX, ago, container, event, wait_for};
use crate::tls::{self, Certified, Secured};

/// Several profiles may share a login; the secrets are the login's.
const DESKS: [&str; 2] = [
    "QUAYSIDE_SOURCES__SECRETS__DESK__TLS_CERTIFICATE_FILE",
    "QUAYSIDE_SOURCES__SECRETS__DESK__TLS_KEY_FILE",
];
const CERTIFICATE: &str = "QUAYSIDE_SOURCES__SECRETS__BNSF__TLS_CERTIFICATE_FILE";
const KEY: &str = "QUAYSIDE_SOURCES__SECRETS__BNSF__TLS_KEY_FILE";

/// The line: ashore since yesterday, to go on to Chicago by rail.
fn told() -> Value {
    let inland = json!({
        "eventID": "m-3", "eventCreatedDateTime": ago(1), "eventType": "TRANSPORT",
        "eventClassifierCode": "PLN", "eventDateTime": ago(-100), "transportEventTypeCode": "ARRI",
        "references": [{"referenceType": "EQ", "referenceValue": BOX}],
        "documentReferences": [{"documentReferenceType": "TRD", "documentReferenceValue": BILL}],
        "transportCall": {"modeOfTransport": "RAIL", "UNLocationCode": "USCHI",
            "facilityTypeCode": "RAMP"},
    });
    json!([
        event("m-1", "LOAD", "CNNGB", 20 * 24),
        event("m-2", "DISC", "USLAX", 24),
        inland
    ])
}

/// Answers one question about units.
fn answer(mut stream: Secured, asked: &AtomicUsize) {
    let mut question = [0; 8192];
    // Who shows no certificate fails here.
    let Ok(read) = stream.read(&mut question) else {
        return;
    };
    if read == 0 {
        return;
    }
    asked.fetch_add(1, Ordering::Relaxed);
    let units = json!({"intermodalUnits": [{
        "equipmentInitial": &BOX[..4], "equipmentNumber": &BOX[4..10],
        "destinationStation333": "CHICAGO", "destinationStateCode": "IL",
        "loadEmptyChassisCode": "L", "availableForPickup": "Y",
    }]});
    let body = units.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.flush();
}

fn profile(address: &str) -> String {
    let mut templates = sources::rail::templates().iter();
    let template = templates.find(|template| template.name == "bnsf").unwrap();
    let base = format!("https://{address}");
    template.text.replace("https://api.bnsf.com:6443", &base)
}

/// Certificate and key as files; their paths.
fn files(folder: &TempDir, name: &str, pair: &Certified) -> [String; 2] {
    let key = pair.signing_key.serialize_pem();
    [("crt", pair.cert.pem()), ("key", key)].map(|(kind, text)| {
        let path = folder.path().join(format!("{name}.{kind}"));
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    })
}

fn line() -> String {
    let carrier = Carrier::open(Arc::new(|number| (number == BILL).then(told)));
    let profile = include_str!("nowhere/profile.toml");
    profile.replace("https://api.nowhere.example", &carrier.base)
}

#[test]
fn a_railroad_that_demands_a_certificate_is_shown_ours() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, theirs) = (tls::certificate("quayside"), tls::certificate("127.0.0.1"));
    let bundle = folder.path().join("trusted.pem");
    tls::trust(&bundle, &[&theirs]);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let address = tls::serve_only(&theirs, &ours, move |stream| answer(stream, &count));
    let [certificate, key] = files(&folder, "client", &ours);
    let mut service = Service::install(&line());
    service.set("SSL_CERT_FILE", &bundle.display().to_string());
    service.set(DESKS[0], &certificate);
    service.set(DESKS[1], &key);
    let shared = "mutual_tls = true\nlogin = \"desk\"";
    service.profile(
        "bnsf",
        &profile(&address).replace("mutual_tls = true", shared),
    );
    service.start();
    assert_eq!(service.track(BILL, "NWLX").unwrap().status, 201);
    wait_for("the railroad says that the box may leave", || {
        container(&service).filter(|c| c["attributes"]["available_for_pickup"] == true)
    });
    assert!(asked.load(Ordering::Relaxed) > 0);
}

#[test]
fn a_certificate_that_cannot_be_shown_stops_the_start_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, other) = (tls::certificate("quayside"), tls::certificate("another"));
    let [certificate, key] = files(&folder, "client", &ours);
    let [_, foreign] = files(&folder, "foreign", &other);
    let gone = folder.path().join("gone.pem").display().to_string();
    let service = Service::install(&line());
    service.profile("bnsf", &profile("127.0.0.1:9"));
    for (given, expected) in [
        (
            vec![(CERTIFICATE, &certificate)],
            vec!["sources.secrets.bnsf.tls_key", "is missing", KEY],
        ),
        (
            vec![(CERTIFICATE, &gone), (KEY, &key)],
            vec![CERTIFICATE, gone.as_str(), "cannot be read"],
        ),
        (
            vec![(CERTIFICATE, &certificate), (KEY, &foreign)],
            vec![
                "sources.secrets.bnsf.tls_key",
                foreign.as_str(),
                "does not belong",
            ],
        ),
        (
            vec![(CERTIFICATE, &key), (KEY, &key)],
            vec![
                "sources.secrets.bnsf.tls_certificate",
                key.as_str(),
                "BEGIN CERTIFICATE",
            ],
        ),
        (
            vec![(CERTIFICATE, &certificate), (KEY, &certificate)],
            vec![
                "sources.secrets.bnsf.tls_key",
                certificate.as_str(),
                "BEGIN PRIVATE KEY",
            ],
        ),
    ] {
        let mut command = service.command(&["source", "list"]);
        let refused = command.envs(given).output().unwrap();
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success(), "{told}");
        for part in expected {
            assert!(told.contains(part), "{part}: {told}");
        }
        assert!(!told.contains("-----BEGIN PRIVATE KEY-----\n"), "{told}");
    }
}
