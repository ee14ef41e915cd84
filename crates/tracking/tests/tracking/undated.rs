//! Sheets that tell how things stand and not as of when: they do so as of their receipt.

use domain::ids::AccountId;
use domain::tracking_request::NumberKind;
use jiff::SignedDuration;
use tracking::Source;
use tracking::intake::{self, Accepted, Message};

use crate::BOX;
use crate::ground::Ground;
use crate::sightings::BOUND;

/// A terminal's list, dropped into a folder.
const SHEET: &str = r#"
id = "sheet"
protocol = "terminal-table"
terminal = "USLAX-W185"
[drop]
folder = "/nowhere"
[columns]
container = "Container"
available = "Available"
"#;

/// A box that was landed at the terminal.
async fn landed(sheet: &str) -> (Ground, AccountId) {
    let mut ground = Ground::new(&BOUND.replace("\"PLN\"", "\"ACT\"")).await;
    let sheet = sources::Profile::parse(sheet).unwrap();
    ground.start_again_with(vec![crate::ground::hub(), Source::unasked(sheet)]);
    ground.pass(SignedDuration::from_hours(17 * 24));
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    (ground, account)
}

/// The sheet comes, and is read; whether it was known.
async fn comes(ground: &Ground, text: &str) -> bool {
    let message = Message {
        source: "sheet".into(),
        account: None,
        content_type: "text/csv".into(),
        bytes: text.into(),
    };
    let accepted = intake::receive(ground.tracking(), message).await.unwrap();
    ground.drain().await;
    matches!(accepted, Accepted::Known(_))
}

async fn is_available(ground: &Ground, account: AccountId) -> Option<bool> {
    let document = ground.container_document(account).await;
    document["attributes"]["available_for_pickup"].as_bool()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_that_comes_again_after_another_one_is_news() {
    let (ground, account) = landed(SHEET).await;
    for (word, known, free) in [
        ("NO", false, false),
        ("NO", true, false),
        ("YES", false, true),
        ("NO", false, false),
        ("NO", true, false),
        ("YES", false, true),
    ] {
        ground.pass(SignedDuration::from_hours(1));
        let sheet = format!("Container,Available\n{BOX},{word}\n");
        assert_eq!(comes(&ground, &sheet).await, known, "{word}");
        assert_eq!(is_available(&ground, account).await, Some(free), "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_that_says_as_of_when_it_is_so_changes_nothing_when_it_comes_again() {
    let dated = SHEET.replace("[columns]", "[columns]\nas_of = \"AsOf\"");
    let (ground, account) = landed(&dated).await;
    for (hour, word, free) in [(10, "NO", false), (11, "YES", true), (10, "NO", true)] {
        ground.pass(SignedDuration::from_hours(1));
        let sheet = format!("Container,AsOf,Available\n{BOX},2026-04-21 {hour}:00,{word}\n");
        assert!(!comes(&ground, &sheet).await, "{word}");
        assert_eq!(is_available(&ground, account).await, Some(free), "{word}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sheet_whose_column_names_no_moment_is_as_of_its_receipt() {
    let dated = SHEET.replace("[columns]", "[columns]\nas_of = \"AsOf\"");
    for (head, told) in [
        ("Container,AsOf,Available", ",2026-04-21"),
        ("Container,AsOf,Available", ","),
        ("Container,Available", ""),
    ] {
        let (ground, account) = landed(&dated).await;
        for (word, free) in [("NO", false), ("YES", true), ("NO", false)] {
            ground.pass(SignedDuration::from_hours(1));
            let sheet = format!("{head}\n{BOX}{told},{word}\n");
            assert!(!comes(&ground, &sheet).await, "{head} {told} {word}");
            let seen = is_available(&ground, account).await;
            assert_eq!(seen, Some(free), "{head} {told} {word}");
        }
    }
}
