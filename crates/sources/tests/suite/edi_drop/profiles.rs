//! Profiles of senders: every key is checked.

use sources::edi_drop::{Acknowledge, Profile, Sender};

fn refused(text: &str) -> String {
    Profile::parse(text).unwrap_err().to_string()
}

#[test]
fn a_profile_is_read() {
    let text = r#"
        id = "hub"
        protocol = "edi"
        scac = "QSDU"
        sender = "terminal"
        acknowledge = "never"
        [quirks]
        zone = "Asia/Seoul"
        date_only = true
        tags_are_wrong = true
        ignored_codes = ["aw", "IB"]
    "#;
    let profile = Profile::parse(text).unwrap();
    assert_eq!(profile.id, "hub");
    assert_eq!(profile.sender, Some(Sender::Terminal));
    assert_eq!(profile.acknowledge, Acknowledge::Never);
    assert!(profile.quirks.date_only && profile.quirks.tags_are_wrong);
    assert!(profile.quirks.ignored_codes.contains("AW"));
    let by_protocol = sources::Profile::parse(text).unwrap();
    assert!(matches!(by_protocol.speaks, sources::Speaks::Edi(edi) if *edi == profile));
}

#[test]
fn what_means_nothing_is_refused_with_its_place() {
    let with = |line: &str| refused(&format!("id = \"a\"\nprotocol = \"edi\"\n{line}"));
    assert!(with("colour = \"red\"").starts_with("colour (line 3, column 1): is not a key"));
    assert!(
        with("[quirks]\nzones = \"UTC\"")
            .starts_with("quirks.zones (line 4, column 1): is not a key")
    );
    assert_eq!(
        with("[quirks]\nzone = \"Mars\""),
        "quirks.zone (line 4, column 1): is no IANA zone"
    );
    assert!(with("scac = \"x\"").starts_with("scac (line 3, column 1): "));
    assert!(with("sender = \"boat\"").starts_with("sender (line 3, column 1): "));
    assert_eq!(
        refused("id = \"a\"\nprotocol = \"dcsa-2\""),
        "protocol (line 2, column 1): is \"edi\", not \"dcsa-2\""
    );
    assert!(refused("id = \"a b\"\nprotocol = \"edi\"").starts_with("id (line 1, column 1): "));
    assert!(refused("protocol = \"edi\"").contains("id"));
    assert!(refused("id = ").starts_with("line 1 "));
}
