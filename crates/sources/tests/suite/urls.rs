//! Addresses that people type in.

use sources::outbound::{EgressSettings, UrlRefused, check_url};

fn refused(url: &str) -> Option<UrlRefused> {
    check_url(url, &EgressSettings::default()).err()
}

#[test]
fn good_ones_pass() {
    let good = [
        "https://example.com",
        "https://EXAMPLE.com/Hook?a=b",
        "https://example.com:8443/x",
        "HTTPS://example.com/",
        "https://8.8.8.8/hook",
        "https://[2606:4700::1111]/hook",
        "https://[2606:4700:0:0::1111]/",
        "https://bücher.example/",
        "https://BÜCHER.example/",
        "https://xn--bcher-kva.example/",
        "https://example.com./",
        "https://localhost/",
    ];
    for url in good {
        assert_eq!(refused(url), None, "{url}");
    }
}

#[test]
fn bad_ones_do_not() {
    let long = format!("https://example.com/{}", "a".repeat(2048));
    let bad = [
        "",
        "example.com",
        "/hook",
        "ftp://example.com",
        "http://example.com",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https:example.com",
        "https:/example.com",
        "https:///example.com",
        "https://user@example.com",
        "https://user:secret@example.com",
        "https://@example.com",
        "https://example.com/#part",
        "https://example.com#",
        "https://exa\tmple.com",
        "https://example.com/\n",
        " https://example.com",
        "https://example.com ",
        "https://example.com\\hook",
        "https:\\\\example.com",
        "https://example.com:0/",
        "https://example.com:65536/",
        "https://example.com:22/",
        "https://example.com:6379/",
        "https://127.0.0.1/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fd00::1]/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://0x8.8.8.8/",
        "https://134744072/",
        "https://①②⑦.0.0.1/",
        "https://ex%61mple.com/",
        "https://ex\u{ad}ample.com/",
        "https://ｅxample.com/",
        "https://[::1",
        "https://exa mple.com/",
        &long,
    ];
    for url in bad {
        assert!(refused(url).is_some(), "{url:?} passed");
    }
    assert_eq!(refused(&long), Some(UrlRefused::TooLong(long.len())));
    assert!(matches!(
        refused("https://0x8.8.8.8/"),
        Some(UrlRefused::HostSpelling { .. })
    ));
    let message = refused("https://127.0.0.1/").unwrap().to_string();
    assert!(!message.contains("127"), "{message}");
}

#[test]
fn what_the_operator_opens_is_open() {
    let demo = EgressSettings {
        allow_http: true,
        allow_networks: vec!["127.0.0.0/8".parse().unwrap()],
        ..EgressSettings::default()
    };
    assert!(check_url("http://127.0.0.1:9100/hook", &demo).is_ok());
    assert_eq!(
        check_url("http://10.0.0.1/", &demo),
        Err(UrlRefused::BlockedAddress)
    );
    assert!(
        check_url("http://127.1/", &demo).is_err(),
        "only as it is used"
    );
}
