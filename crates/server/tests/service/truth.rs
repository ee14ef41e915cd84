//! What many feeds tell ends as it truly was. The full figure is `quayside demo --truth 1000 --seed N`.

use std::process::{Command, Output};

/// Each of the fifteen kinds of journey five times.
const JOURNEYS: &str = "75";

fn figure(seed: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quayside"));
    command.args(["demo", "--truth", JOURNEYS, "--seed", seed]);
    command.output().unwrap()
}

#[test]
fn of_what_feeds_tell_nothing_ends_untrue() {
    for seed in ["3", "20261121"] {
        let output = figure(seed);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "seed {seed}: {said}");
        let lines = [
            "told untrue    0 milestones",
            "false          0 arrivals, 0 empty returns",
            " looked at after a message, 0 wrong",
            "appointments and places looked at, 0 wrong",
        ];
        for line in lines {
            assert!(said.contains(line), "seed {seed}: no {line:?} in {said}");
        }
    }
}

#[test]
fn every_event_of_a_container_is_told_by_some_journey() {
    let output = figure("5");
    let said = String::from_utf8_lossy(&output.stdout);
    let (_, never) = said.rsplit_once("never: ").unwrap();
    let never: Vec<&str> = never.split_whitespace().collect();
    assert_eq!(never, [""; 0], "{said}");
}

/// As a receiver sees it that keeps its own log: all 41, each with what belongs to it, and each kind of change.
#[test]
fn every_event_is_delivered_whole() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quayside"));
    // Beside settings of somebody's own, which rank a source that the demo has not.
    let folder = tempfile::tempdir().unwrap();
    let own = "[sources.trust.heron]\ngates = 1\n[egress]\nproxy = \"http://192.0.2.1:3128\"\n";
    std::fs::write(folder.path().join("quayside.toml"), own).unwrap();
    command.args(["demo", "--events", "--seed", "1"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}");
    assert!(said.contains(" 41 different events, 0 gaps"), "{said}");
}

/// A world that misbehaves less than it says would prove less than it says.
#[test]
fn the_feeds_misbehave_as_much_as_they_should() {
    let output = figure("7");
    let said = String::from_utf8_lossy(&output.stdout);
    let share = |what: &str| -> f64 {
        let at = said
            .find(&format!(" % {what}"))
            .unwrap_or_else(|| panic!("no {what} in {said}"));
        let words = said[..at].rsplit(' ').next().unwrap();
        words.parse().unwrap()
    };
    for (what, least) in [
        ("late", 20.0),
        ("repeated", 20.0),
        ("missing", 4.0),
        ("dates only", 4.0),
    ] {
        assert!(share(what) >= least, "{what}: {said}");
    }
}
