//! Source profiles.

use std::time::Duration;

use domain::tracking_request::NumberKind;
use sources::ocean::dcsa::{Dialect, Profile, Protocol, SecretForm};

use crate::told::{PROFILE, profile};

#[test]
fn the_least_profile_takes_the_standard_for_the_rest() {
    let profile = profile("");
    assert_eq!(
        (profile.id.as_str(), profile.scac().unwrap().as_str()),
        ("qsd", "QSDU")
    );
    assert_eq!(profile.endpoint.path, "/v2/events");
    assert_eq!(profile.endpoint.page_size, Some(100));
    assert_eq!(
        profile.numbers.parameter(NumberKind::Booking),
        Some("carrierBookingReference")
    );
    assert_eq!(profile.polling.requests_per_minute, 60);
    assert_eq!(profile.polling.in_transit, Duration::from_hours(5));
    assert_eq!(profile.polling.not_found, Duration::from_hours(24));
    assert_eq!(
        profile.shipping_line(),
        None,
        "a line without names must be in the tables"
    );
}

#[test]
fn every_key() {
    let text = r#"
        id = "demo-1"
        protocol = "dcsa-2"
        scac = ["QSDU", "QSDV"]
        [line]
        name = "Quayside Demo Line"
        short_name = "Demo"
        [endpoint]
        base = "http://127.0.0.1:9000/api"
        path = "/events/{number}"
        api_version = "2.2"
        page_size = 0
        pages_max = 3
        headers = { "X-Client" = "quayside" }
        query = { "sort" = "eventCreatedDateTime:ASC" }
        [numbers]
        container = "equipmentReference"
        bill_prefixes_cut = ["QSDU"]
        [auth]
        kind = "oauth2"
        token_url = "http://127.0.0.1:9000/token"
        scope = "tnt"
        client_id = "demo_id"
        client_secret = "demo_secret"
        credentials_in_header = true
        headers = { "Consumer-Key" = "demo_id" }
        [polling]
        requests_per_minute = 10
        in_transit_minutes = 240
        near_arrival_minutes = 30
        not_found_minutes = 720
        [quirks]
        z_is_local = true
        ids_unusable = true
        date_only = true
        created_is_event = true
    "#;
    let profile = Profile::parse(text).unwrap();
    assert_eq!(profile.endpoint.page_size, None);
    assert!(profile.supports(NumberKind::Container) && !profile.supports(NumberKind::BillOfLading));
    assert_eq!(
        profile.auth.token.as_ref().unwrap().client_secret,
        "demo_secret"
    );
    assert_eq!(profile.auth.headers.len(), 1);
    let line = profile.shipping_line().unwrap();
    assert_eq!(line.alternative_scacs.len(), 1);
    assert!(line.container_support && !line.booking_support);
    assert!(profile.quirks.z_is_local && profile.quirks.created_is_event);
}

#[test]
fn every_key_of_newer_protocols() {
    let text = r#"
        id = "demo-3"
        protocol = "dcsa-3"
        dialect = "3.0.0-beta-1"
        scac = "QSDU"
        [endpoint]
        base = "https://api.carrier.example"
        incremental = true
        incremental_parameter = "since"
        incremental_overlap_hours = 6
        [numbers]
        booking = "documentReference"
        booking_query = { documentTypeCodes = "BKG" }
        [auth]
        kind = "oauth2"
        token_url = "https://login.carrier.example/token"
        certificate_assertion = true
        private_key = "demo_key"
        certificate = "demo_certificate"
        audience = "https://login.carrier.example/"
        [polling]
        requests_per_day = 1000
        [push]
        signature_headers = ["X-Demo-Signature"]
        subscription_header = "X-Demo-Subscription"
        secret = "raw"
        subscriptions_path = "/wishes"
        [quirks]
        ids_numeric_only = true
        midnight_is_date = true
        references_hashed = true
    "#;
    let profile = Profile::parse(text).unwrap();
    assert_eq!(profile.protocol, Protocol::Dcsa3(Dialect::Beta1));
    assert_eq!(profile.endpoint.path, "/v3/events");
    let incremental = profile.endpoint.incremental.unwrap();
    assert_eq!(incremental.parameter, "since");
    assert_eq!(incremental.overlap, Duration::from_hours(6));
    let beside = profile.numbers.beside(NumberKind::Booking);
    assert_eq!(beside, [("documentTypeCodes".into(), "BKG".into())]);
    assert_eq!(profile.numbers.parameter(NumberKind::Container), None);
    let assertion = profile.auth.token.unwrap().assertion.unwrap();
    assert_eq!(assertion.private_key, "demo_key");
    assert_eq!(assertion.certificate, "demo_certificate");
    assert_eq!(assertion.audience, "https://login.carrier.example/");
    assert_eq!(profile.polling.requests_per_day, Some(1000));
    let push = profile.push.unwrap();
    assert_eq!(push.signature_headers, ["x-demo-signature"]);
    assert_eq!(push.subscription_header, "x-demo-subscription");
    assert_eq!(push.secret, SecretForm::Raw);
    assert_eq!(push.subscriptions_path.as_deref(), Some("/wishes"));
    let quirks = profile.quirks;
    assert!(quirks.ids_numeric_only && quirks.midnight_is_date && quirks.references_hashed);
}

#[test]
fn newer_protocols_have_their_own_defaults() {
    let of = |protocol: &str| {
        let text = PROFILE.replace("protocol = \"dcsa-2\"", protocol);
        Profile::parse(&format!("{text}\n[push]")).unwrap()
    };
    let published = of("protocol = \"dcsa-3\"");
    assert_eq!(published.protocol, Protocol::Dcsa3(Dialect::Published));
    assert_eq!(published.push.unwrap().subscriptions_path, None);
    let beta = of("protocol = \"dcsa-3\"\ndialect = \"3.0.0-beta-1\"");
    let push = beta.push.unwrap();
    assert_eq!(
        push.subscriptions_path.as_deref(),
        Some("/v3/event-subscriptions")
    );
    assert_eq!(
        push.signature_headers,
        ["notification-signature", "signature"]
    );
    assert_eq!(
        (push.subscription_header.as_str(), push.secret),
        ("subscription-id", SecretForm::Base64)
    );
    let cosco = of("protocol = \"cosco\"");
    assert_eq!(cosco.endpoint.page_size, None);
    assert_eq!(
        cosco.numbers.beside(NumberKind::Booking),
        [("numberType".into(), "bkg".into())]
    );
}

#[test]
fn nothing_stands_behind_the_address_that_paths_are_joined_to() {
    for more in ["?k=1", "#k", "/tnt?k=1"] {
        let text = PROFILE.replace(
            "https://api.carrier.example",
            &format!("https://api.carrier.example{more}"),
        );
        assert_ne!(text, PROFILE);
        let refused = Profile::parse(&text).unwrap_err().to_string();
        assert!(refused.contains("base"), "{refused}");
    }
    let named = PROFILE.replace("https://api", "https://me:secret@api");
    assert!(Profile::parse(&named).is_err());
}

#[test]
fn a_wrong_key_is_named() {
    let cases = [
        ("id = 7", "endpoint.id"),
        ("[quirks]\nz_is_locla = true", "quirks.z_is_locla"),
        ("[quirks]\nz_is_local = \"yes\"", "quirks.z_is_local"),
        ("colour = \"red\"", "endpoint.colour"),
        ("path = \"v2\"", "endpoint.path"),
        ("pages_max = 0", "endpoint.pages_max"),
        ("headers = { \"a b\" = \"c\" }", "endpoint.headers"),
        ("[numbers]\ncontainer = 7", "numbers.container"),
        ("[auth]\nkind = \"oauth2\"", "auth.token_url"),
        (
            "[auth]\nkind = \"oauth2\"\ntoken_url = \"ftp://a\"",
            "auth.token_url",
        ),
        ("[auth]\nkind = \"headers\"", "auth.headers"),
        ("[auth]\nheaders = { \"X-Key\" = \"key\" }", "auth.kind"),
        ("[auth]\nkind = \"magic\"", "auth.kind"),
        (
            "[polling]\nrequests_per_minute = -1",
            "polling.requests_per_minute",
        ),
        ("[line]\nshort_name = \"x\"", "line.name"),
        ("incremental = 1", "endpoint.incremental"),
        (
            "incremental = true\nincremental_overlap_hours = 0",
            "endpoint.incremental_overlap_hours",
        ),
        (
            "incremental = true\n[quirks]\ncreated_is_event = true",
            "endpoint.incremental",
        ),
        ("[numbers]\nbooking_query = \"x\"", "numbers.booking_query"),
        (
            "[auth]\nkind = \"signature\"\nsignature_prefix = \"a b\"",
            "auth.signature_prefix",
        ),
        ("[push]\nsecret = \"hex\"", "push.secret"),
        (
            "[push]\nsubscriptions_path = \"x\"",
            "push.subscriptions_path",
        ),
        (
            "[push]\nsignature_headers = \"a b\"",
            "push.signature_headers",
        ),
        ("[push]\nsecrets = \"raw\"", "push.secrets"),
    ];
    for (more, key) in cases {
        let error = Profile::parse(&format!("{PROFILE}{more}")).unwrap_err();
        assert_eq!(error.key, key, "{more}: {error}");
    }
    let top = [
        (PROFILE.replace("dcsa-2", "dcsa-9"), "protocol"),
        (format!("dialect = \"3.0.0\"\n{PROFILE}"), "dialect"),
        (
            PROFILE.replace("\"dcsa-2\"", "\"dcsa-3\"\ndialect = \"3.1\""),
            "dialect",
        ),
        (PROFILE.replace("\"QSDU\"", "\"Q\""), "scac"),
        (PROFILE.replace("id = \"qsd\"", ""), "id"),
        (PROFILE.replace("id = \"qsd\"", "id = \"a b\""), "id"),
        (
            PROFILE.replace("https://api.carrier.example/tnt", "carrier"),
            "endpoint.base",
        ),
        (format!("{PROFILE}\n["), "line 8"),
    ];
    for (text, key) in top {
        let error = Profile::parse(&text).unwrap_err();
        assert_eq!(error.key, key, "{error}");
    }
}
