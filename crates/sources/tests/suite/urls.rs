//! Addresses that people type in.

use sources::outbound::{EgressSettings, UrlRefused, check_url, target};

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
    for (url, told) in [
        ("example.com/hook", "not a URL: it begins with https://"),
        ("https:///example.com", "the URL names no host"),
        ("https://", "the URL names no host"),
        ("https://example..com/", "can be no name"),
        ("https://.example.com/", "can be no name"),
    ] {
        let refused = refused(url).map(|refused| refused.to_string());
        assert!(
            refused.as_ref().is_some_and(|said| said.contains(told)),
            "{url}: {refused:?}"
        );
    }
    let label = |length: usize| format!("https://{}.example/", "a".repeat(length));
    assert_eq!(refused(&label(63)), None);
    assert!(matches!(refused(&label(64)), Some(UrlRefused::HostName(_))));
    assert_eq!(refused("https://example.com./"), None);
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
    let listening = EgressSettings {
        own_addresses: vec!["127.0.0.1:8049".parse().unwrap()],
        ..demo.clone()
    };
    assert_eq!(
        check_url("http://127.0.0.1:8049/", &listening),
        Err(UrlRefused::Own)
    );
    assert!(
        check_url("http://127.1/", &demo).is_err(),
        "only as it is used"
    );
}

#[test]
fn a_request_goes_to_the_address_as_it_was_read() {
    for (written, sent) in [
        ("https://example.com", "https://example.com/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        (
            "https://BÜCHER.example:8443/Tür?ä=ö",
            "https://xn--bcher-kva.example:8443/T%C3%BCr?%C3%A4=%C3%B6",
        ),
        (
            "https://example.com/<a>`{b}?c=<d>",
            "https://example.com/%3Ca%3E%60%7Bb%7D?c=%3Cd%3E",
        ),
        (
            "https://example.com/a%2Fb+c?d=%20",
            "https://example.com/a%2Fb+c?d=%20",
        ),
    ] {
        assert_eq!(refused(written), None, "{written}");
        assert_eq!(target(written).unwrap().to_string(), sent, "{written}");
    }
    assert!(target("listen:laptop").is_err());
    assert!(target("/hook").is_err());
}

/// Each character that can be typed, in each part of an address.
#[test]
fn what_is_taken_can_be_sent_to_and_names_the_host_that_was_judged() {
    let odd = ['ä', 'ß', 'İ', '\u{200d}', '。', '中', '😀'];
    let typed = ('!'..='~').chain(odd);
    for letter in typed {
        for url in [
            format!("https://a{letter}b.example/"),
            format!("https://a.example/{letter}"),
            format!("https://a.example/?{letter}"),
            format!("https://a.example/?b={letter}c"),
        ] {
            let Ok(judged) = check_url(&url, &EgressSettings::default()) else {
                continue;
            };
            let sent = target(&url).unwrap_or_else(|why| panic!("{url}: {why}"));
            assert_eq!(sent.host(), judged.host_str(), "{url}");
            assert_eq!(sent.port_u16(), judged.port(), "{url}");
        }
    }
}
