//! What is read from where, and what is refused.

use super::*;

fn load(variables: &[(&str, &str)], overrides: Overrides) -> Result<Settings, SettingsInvalid> {
    let variables: Vec<(String, String)> = variables
        .iter()
        .map(|(name, value)| ((*name).into(), (*value).into()))
        .collect();
    Settings::load(None, variables.into_iter(), overrides)
}

#[test]
fn flags_stand_over_the_environment_and_that_over_defaults() {
    let plain = load(&[], vec![]).unwrap();
    assert_eq!(plain.listen.port(), 8049);
    let environment = [
        ("QUAYSIDE_LISTEN", "127.0.0.1:1"),
        ("QUAYSIDE_EGRESS__ALLOW_HTTP", "true"),
        ("QUAYSIDE_EGRESS__ALLOW_NETWORKS", "127.0.0.0/8,10.0.0.0/8"),
        ("QUAYSIDE_SOURCES__SECRETS__MAERSK__CLIENT_ID", "abc"),
        ("QUAYSIDE_WEBHOOKS__SOURCE_IPS", "203.0.113.7, 2001:db8::1"),
        ("OTHER", "x"),
    ];
    let set = load(&environment, vec![("listen", Some("127.0.0.1:2".into()))]).unwrap();
    assert_eq!(set.listen.port(), 2);
    assert!(set.egress.allow_http);
    assert_eq!(set.egress.allow_networks, ["127.0.0.0/8", "10.0.0.0/8"]);
    assert_eq!(set.sources.secrets["maersk"]["client_id"], "abc");
    assert_eq!(addresses(&set.webhooks.source_ips).unwrap().len(), 2);
}

#[test]
fn a_key_that_means_nothing_is_named() {
    let error = load(&[("QUAYSIDE_EGRESS__ALOW_HTTP", "true")], vec![]).unwrap_err();
    assert!(error.to_string().contains("alow_http"), "{error}");
    let error = load(&[("QUAYSIDE_LISTEN", "here")], vec![]).unwrap_err();
    assert!(error.to_string().contains("listen"), "{error}");
    assert!(!error.to_string().contains('\n'));
}

#[test]
fn secrets_come_from_files_and_are_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let key = "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=";
    std::fs::write(&path, format!("{key}\n")).unwrap();
    let path = path.display().to_string();
    let set = load(&[("QUAYSIDE_MAIN_KEY_FILE", &path)], vec![]).unwrap();
    assert_eq!(set.main_key, key);
    assert_eq!(set.redacted().main_key, SHOWN_INSTEAD);
    let set = load(&[("QUAYSIDE_MAIN_KEY_ALSO_FILE", &path)], vec![]).unwrap();
    assert_eq!(set.main_key_also, key);
    assert_eq!(set.redacted().main_key_also, SHOWN_INSTEAD);
    let missing = load(&[("QUAYSIDE_MAIN_KEY_FILE", "/nowhere/key")], vec![]).unwrap_err();
    assert!(
        missing.to_string().contains("QUAYSIDE_MAIN_KEY_FILE"),
        "{missing}"
    );
    // A secret that did not arrive is not one that nobody gave.
    std::fs::write(&path, "\n").unwrap();
    for variable in ["QUAYSIDE_DATABASE_FILE", "QUAYSIDE_MAIN_KEY_FILE"] {
        let empty = load(&[(variable, &path)], vec![]).unwrap_err().to_string();
        assert!(empty.contains(variable) && empty.contains(&path), "{empty}");
    }
    let of_source = "QUAYSIDE_SOURCES__SECRETS__LINE__ID_FILE";
    load(&[(of_source, &path)], vec![]).unwrap();
}

#[test]
fn a_fault_repeats_no_secret() {
    let said = |variable: &str| {
        let given = load(&[(variable, "hush")], vec![]);
        given.unwrap_err().to_string()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quayside.toml");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let read = Settings::load(Some(&path), std::iter::empty(), vec![]);
        read.unwrap_err().to_string()
    };
    for (line, place) in [
        (
            said("QUAYSIDE_SOURCES__SECRETS__MAERSK"),
            "sources.secrets.maersk",
        ),
        (read("log = \"info\"\nmain_key = hush=\n"), "line 2"),
        (
            read("[sources.secrets.line]\nkey = hush\n"),
            "quayside.toml",
        ),
        (
            read("[sources.secrets]\nline = \"hush\"\n"),
            "sources.secrets.line",
        ),
        (
            read("[sources.secrets.line]\nkey = [\"hush\"]\n"),
            "sources.secrets.line.key",
        ),
    ] {
        assert!(!line.contains("hush") && line.contains(place), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }
}

#[test]
fn a_proxy_is_read_and_its_login_is_not_shown() {
    let none = load(&[], vec![]).unwrap();
    assert_eq!(proxy(&none.egress), Ok(None));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("proxy");
    std::fs::write(&path, "http://ada:love%40lace@10.0.0.3:3128\n").unwrap();
    let path = path.display().to_string();
    let given = [
        ("QUAYSIDE_EGRESS__PROXY_FILE", path.as_str()),
        ("QUAYSIDE_EGRESS__PROXY_RESOLVES", "true"),
    ];
    let set = load(&given, vec![]).unwrap();
    let read = proxy(&set.egress).unwrap().unwrap();
    assert!(read.resolves);
    assert_eq!(set.redacted().egress.proxy, "http://(set)@10.0.0.3:3128");
    for wrong in ["http://ada:lovelace@10.0.0.3", "ada:lovelace@10.0.0.3:1"] {
        let error = load(&[("QUAYSIDE_EGRESS__PROXY", wrong)], vec![]).unwrap_err();
        let line = error.to_string();
        assert!(
            !line.contains("ada") && !line.contains("lovelace"),
            "{line}"
        );
    }
}

#[test]
fn a_secret_that_looks_like_a_number_stays_as_it_was_given() {
    for secret in ["0012345", "1e5", "true", "a,b", "18446744073709551616"] {
        let set = load(&[("QUAYSIDE_SOURCES__SECRETS__LINE__ID", secret)], vec![]).unwrap();
        assert_eq!(set.sources.secrets["line"]["id"], secret);
    }
}

/// 0.4 of a limit would be none.
#[test]
fn a_number_of_the_file_is_not_rounded_and_is_no_yes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("q.toml");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let none = std::iter::empty();
        Settings::load(Some(&path), none, vec![])
    };
    for (text, key) in [
        ("[rate_limits]\ndefault = 0.4", "rate_limits.default"),
        ("[http]\nconnections_max = 1.9", "http.connections_max"),
        ("[http]\nconnections_max = true", "http.connections_max"),
        ("[egress]\nallow_http = 2", "egress.allow_http"),
    ] {
        let line = read(text).unwrap_err().to_string();
        assert!(line.contains(&format!("{key}: is ")), "{line}");
        let wanted = ["a whole number", "true or false"];
        assert!(wanted.iter().any(|kind| line.contains(kind)), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }
    let settings = read("[rate_limits]\ndefault = \"4\"\n[egress]\nallow_http = true").unwrap();
    assert_eq!(
        (settings.rate_limits.default, settings.egress.allow_http),
        (4, true)
    );
}

#[test]
fn a_value_that_cannot_be_used_is_named_by_its_key() {
    let wrong = [
        ("DATABASE", "mysql://here", "database"),
        ("BASE_URL", "example.com/v2", "base_url"),
        ("BASE_URL", "https://example.com", "base_url"),
        ("BASE_URL", "https:///v2", "base_url"),
        ("BASE_URL", "https://example.com:99999/v2", "base_url"),
        ("BASE_URL", "https://[::1]:x/v2", "base_url"),
        (
            "BASE_URL",
            "https://ada:lovelace@example.com/v2",
            "base_url",
        ),
        ("BASE_URL", "https://example.com?/v2", "base_url"),
        ("MAIN_KEY", "c2hvcnQ=", "main_key"),
        ("MAIN_KEY_ALSO", "c2hvcnQ=", "main_key_also"),
        ("LOG", "a=b=c", "log"),
        ("LOG", "warning", "log"),
        ("LOG", "info,wran", "log"),
        ("LOG", "tracking=loud", "log"),
        (
            "EGRESS__ALLOW_NETWORKS",
            "10.0.0.0/8,here",
            "egress.allow_networks",
        ),
        (
            "EGRESS__DENY_NETWORKS",
            "10.0.0.0/99",
            "egress.deny_networks",
        ),
        ("EGRESS__BLOCKED_PORTS", "8443,http", "egress.blocked_ports"),
        ("EGRESS__BLOCKED_PORTS", "65536", "egress.blocked_ports"),
        ("EGRESS__BLOCKED_PORTS", "0", "egress.blocked_ports"),
        ("EGRESS__PROXY", "proxy.example.com:3128", "egress.proxy"),
        ("EGRESS__PROXY", "http://proxy.example.com", "egress.proxy"),
        (
            "EGRESS__PROXY",
            "https://proxy.example.com:443",
            "egress.proxy",
        ),
        ("EGRESS__PROXY", "socks5://10.0.0.3:1080", "egress.proxy"),
        ("EGRESS__PROXY", "http://10.0.0.3:3128/wpad", "egress.proxy"),
        ("EGRESS__PROXY_RESOLVES", "true", "egress.proxy_resolves"),
        (
            "WEBHOOKS__SOURCE_IPS",
            "203.0.113.7,203.0.113",
            "webhooks.source_ips",
        ),
        (
            "WEBHOOKS__SOURCE_IPS_SINCE",
            "yesterday",
            "webhooks.source_ips_since",
        ),
        ("METRICS__LISTEN", "9090", "metrics.listen"),
        (
            "HTTP__TRUSTED_PROXIES",
            "10.0.0.0/8,proxy",
            "http.trusted_proxies",
        ),
        ("HTTP__CONNECTIONS_MAX", "0", "http.connections_max"),
        (
            "HEALTH__DISK_FREE_PERCENT",
            "100",
            "health.disk_free_percent",
        ),
        ("WEBHOOKS__KEEP_DAYS", "0", "webhooks.keep_days"),
        ("WEBHOOKS__ATTEMPT_SECONDS", "0", "webhooks.attempt_seconds"),
        (
            "WEBHOOKS__ATTEMPT_SECONDS",
            "21",
            "webhooks.attempt_seconds",
        ),
        ("WORK__LEASE_SECONDS", "0", "work.lease_seconds"),
    ];
    for (variable, value, key) in wrong {
        let error = load(&[(&format!("QUAYSIDE_{variable}"), value)], vec![]).unwrap_err();
        let line = error.to_string();
        assert!(line.starts_with(&format!("settings: {key}: ")), "{line}");
        assert!(!line.contains('\n'), "{line}");
    }
}

#[test]
fn an_address_below_a_path_is_refused_with_the_way_out() {
    let given = |url: &str| load(&[("QUAYSIDE_BASE_URL", url)], vec![]);
    for below in ["https://example.com/boxes/v2", "http://[::1]:8049/v2/v2/"] {
        let line = given(below).unwrap_err().to_string();
        assert!(
            line.contains("has a path before /v2") && line.contains("a host or a port of its own"),
            "{line}"
        );
    }
    for good in ["https://example.com/v2", "http://[::1]:8049/v2/"] {
        let set = given(good).unwrap();
        assert_eq!(set.public_base_url(), good.trim_end_matches('/'));
    }
}

#[test]
fn an_address_that_nobody_can_call_is_told_unless_another_one_is_set() {
    let told = |listen: &str, base_url: &str| {
        let given = [("QUAYSIDE_LISTEN", listen), ("QUAYSIDE_BASE_URL", base_url)];
        load(&given, vec![]).unwrap().links_lead_nowhere()
    };
    for everywhere in ["0.0.0.0:8049", "[::]:8049"] {
        assert!(told(everywhere, ""), "{everywhere}");
        assert!(!told(everywhere, "https://example.com/v2"), "{everywhere}");
    }
    assert!(!told("127.0.0.1:8049", ""));
}

#[test]
fn what_is_in_force_is_shown_where_nothing_is_set() {
    let shown = load(&[("QUAYSIDE_LISTEN", "127.0.0.1:1")], vec![]).unwrap();
    let shown = shown.shown();
    assert_eq!(shown.base_url, "http://127.0.0.1:1/v2");
    assert_eq!(shown.main_key, "(in ./data/main.key)");
    assert_eq!(shown.main_key_also, "", "there is no such file");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("main.key.also");
    std::fs::write(&file, "").unwrap();
    let folder = folder.path().display().to_string();
    let beside = load(&[("QUAYSIDE_DATA_DIR", &folder)], vec![]).unwrap();
    let also = beside.shown().main_key_also;
    assert_eq!(also, format!("(in {})", file.display()));
    let set = [
        ("QUAYSIDE_BASE_URL", "https://example.com/v2"),
        (
            "QUAYSIDE_MAIN_KEY",
            "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUE=",
        ),
    ];
    let shown = load(&set, vec![]).unwrap().shown();
    assert_eq!(shown.base_url, "https://example.com/v2");
    assert_eq!(shown.main_key, SHOWN_INSTEAD);
}

#[test]
fn a_number_out_of_its_bounds_is_told_them() {
    for (variable, key, least, most) in [
        ("WEBHOOKS__KEEP_DAYS", "webhooks.keep_days", 1, 3_650),
        (
            "WEBHOOKS__ATTEMPT_SECONDS",
            "webhooks.attempt_seconds",
            1,
            20,
        ),
        ("WORK__LEASE_SECONDS", "work.lease_seconds", 1, 86_400),
        ("HTTP__CONNECTIONS_MAX", "http.connections_max", 1, 65_536),
        (
            "HTTP__CONNECTIONS_PER_ADDRESS_MAX",
            "http.connections_per_address_max",
            1,
            65_536,
        ),
        ("HTTP__UPLOAD_SECONDS", "http.upload_seconds", 10, 3_600),
    ] {
        let given = |number: u32| {
            let variable = format!("QUAYSIDE_{variable}");
            load(&[(&variable, &number.to_string())], vec![])
        };
        for good in [least, most] {
            assert!(given(good).is_ok(), "{key} {good}");
        }
        for bad in [least - 1, most + 1, 99_999_999] {
            let line = given(bad).unwrap_err().to_string();
            let told = format!("settings: {key}: is {bad}; it must be {least} to {most}");
            assert_eq!(line, told);
        }
    }
}

#[test]
fn ranks_are_read_and_wrong_ones_are_named() {
    let given = [("QUAYSIDE_SOURCES__TRUST__QUAY__LIFTS", "3")];
    let set = load(&given, vec![]).unwrap();
    let ranks = trust(&set.sources, &["QUAY", "heron"]).unwrap();
    assert_ne!(&ranks, domain::trust::Trust::USUAL);
    let nobody = trust(&set.sources, &["heron", "hub"])
        .unwrap_err()
        .to_string();
    assert_eq!(
        nobody,
        "settings: sources.trust.quay: no source has this id; there are: heron, hub"
    );
    for (variable, value, said) in [
        (
            "QUAY__LIFT",
            "3",
            "sources.trust.quay.lift: is no group of values; there are: lifts, ",
        ),
        (
            "QUAY__LIFTS",
            "0",
            "sources.trust.quay.lifts: 0 is no rank; the best is 1, the worst 9",
        ),
        (
            "QUAY__LIFTS",
            "300",
            "sources.trust.quay.lifts: 300 is no rank",
        ),
        ("QUAY__LIFTS", "best", "lifts"),
    ] {
        let variable = format!("QUAYSIDE_SOURCES__TRUST__{variable}");
        let line = load(&[(&variable, value)], vec![]).unwrap_err().to_string();
        assert!(line.contains(said) && !line.contains('\n'), "{line}");
    }
}

#[test]
fn the_file_stands_under_the_environment_and_its_keys_are_judged_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("quayside.toml");
    let read = |text: &str, variables: &[(&str, &str)]| {
        std::fs::write(&path, text).unwrap();
        let variables = variables.iter().map(|(n, v)| ((*n).into(), (*v).into()));
        Settings::load(Some(&path), variables, vec![])
    };
    let text = "log = \"warn\"\n[egress]\nallow_networks = [\"10.0.0.0/8\"]\nblocked_ports = [8443]\n[sources.secrets.LINE]\nKey = \"k\"\n";
    let set = read(text, &[("QUAYSIDE_LOG", "debug")]).unwrap();
    assert_eq!(set.log, "debug");
    assert_eq!(set.egress.allow_networks, ["10.0.0.0/8"]);
    assert_eq!(ports(&set.egress.blocked_ports).unwrap(), [8_443]);
    assert_eq!(set.sources.secrets["line"]["key"], "k");
    let error = read("[work]\nlease = 3\n", &[]).unwrap_err().to_string();
    assert!(
        error.contains("`lease`") && error.contains("`work`"),
        "{error}"
    );
    std::fs::remove_file(&path).unwrap();
    let missing = Settings::load(Some(&path), std::iter::empty(), vec![]);
    assert!(missing.is_err(), "a file that was named must be there");
}

#[test]
fn a_value_of_another_kind_is_told_with_what_is_meant_and_not_in_the_words_of_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("quayside.toml");
    for (text, expected) in [
        (
            "role = \"boss\"",
            "role: is \"boss\"; it must be all, api or worker",
        ),
        (
            "listen = \"8049\"",
            "listen: is \"8049\"; it must be an address and a port, such as 127.0.0.1:8049",
        ),
        (
            "[http]\nconnections_max = -3",
            "http.connections_max: is \"-3\"; it must be a whole number from 1 to 65536",
        ),
        (
            "[rate_limits]\ndefault = \"many\"",
            "rate_limits.default: is \"many\"; it must be a whole number, 0 for no limit",
        ),
        (
            "[egress]\nallow_http = \"perhaps\"",
            "egress.allow_http: is \"perhaps\"; it must be true or false",
        ),
    ] {
        std::fs::write(&file, text).unwrap();
        let line = Settings::load(Some(&file), std::iter::empty(), vec![])
            .unwrap_err()
            .to_string();
        let expected = format!("settings: {expected}");
        assert!(line.starts_with(&expected), "{line}");
    }
    let line = load(&[("QUAYSIDE_ROLE", "boss")], vec![])
        .unwrap_err()
        .to_string();
    assert_eq!(
        line,
        "settings: role: is \"boss\"; it must be all, api or worker"
    );
}
