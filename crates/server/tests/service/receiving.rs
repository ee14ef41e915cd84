//! The page "Receiving webhooks": its snippets are taken out of it and executed, each in its own language, against
//! requests that are genuine, changed and stale, with both kinds of signatures. A language that is not on this
//! machine is named; those the project's own tools need, Python and Node.js, have to be there.

use std::path::{Path, PathBuf};
use std::process::Command;

use domain::webhook::RETRY_DELAYS;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;
use tracking::webhooks::sign;

const PAGE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/receiving-webhooks.md"
);
const DRIVERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/snippets");
/// Of the public specification's libraries.
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const OLD_SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODY: &str = "{\"data\":{\"id\":\"01a1\",\"attributes\":{\"event\":\"gr\u{fc}n\"}}}";
const ID: &str = "01a1fdd5-467a-7000-978d-b82913bae0c4";

/// A language of the page.
struct Language {
    /// Name of the block.
    block: &'static str,
    snippet: &'static str,
    driver: &'static str,
    /// Programs it needs, the first for building where there are two.
    programs: &'static [&'static str],
    build: &'static [&'static str],
    run: &'static [&'static str],
    must_be_here: bool,
}

const LANGUAGES: [Language; 5] = [
    Language {
        block: "python",
        snippet: "snippet.py",
        driver: "driver.py",
        programs: &["python3"],
        build: &[],
        run: &["python3", "-B", "driver.py"],
        must_be_here: true,
    },
    Language {
        block: "js",
        snippet: "snippet.mjs",
        driver: "driver.mjs",
        programs: &["node"],
        build: &[],
        run: &["node", "driver.mjs"],
        must_be_here: true,
    },
    Language {
        block: "java",
        snippet: "Webhooks.java",
        driver: "Driver.java",
        programs: &["javac", "java"],
        build: &["javac", "Webhooks.java", "Driver.java"],
        run: &["java", "-XX:TieredStopAtLevel=1", "Driver"],
        must_be_here: false,
    },
    Language {
        block: "go",
        snippet: "snippet.go",
        driver: "driver.go",
        programs: &["go"],
        build: &["go", "build", "-o", "judge", "snippet.go", "driver.go"],
        run: &["./judge"],
        must_be_here: false,
    },
    Language {
        block: "php",
        snippet: "snippet.php",
        driver: "driver.php",
        programs: &["php"],
        build: &[],
        run: &["php", "driver.php"],
        must_be_here: false,
    },
];

#[test]
fn every_snippet_tells_genuine_requests_from_others() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let mut missing = Vec::new();
    for language in &LANGUAGES {
        let snippet = block(&page, language.block);
        if let Some(absent) = language.programs.iter().find(|name| !is_here(name)) {
            let needed = "is needed by the tests of the page";
            assert!(!language.must_be_here, "{absent} {needed}");
            missing.push(format!("{} ({absent} is not here)", language.block));
            continue;
        }
        let bench = Bench::set_up(language, snippet);
        for case in cases() {
            assert_eq!(
                bench.judge(&case),
                case.good,
                "{}: {}",
                language.block,
                case.what
            );
        }
        eprintln!("{}: executed", language.block);
    }
    eprintln!("not executed: {}", missing.join(", "));
}

/// The table of the page is the schedule of the code.
#[test]
fn the_page_has_the_schedule_that_is_kept() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let line = page
        .lines()
        .find(|line| line.starts_with("| after another |"));
    let told: Vec<SignedDuration> = line
        .unwrap()
        .split('|')
        .skip(2)
        .filter(|cell| !cell.trim().is_empty())
        .map(|cell| cell.trim().parse().unwrap())
        .collect();
    assert_eq!(told, RETRY_DELAYS);
}

/// A request, and whether it is to be accepted.
struct Case {
    what: &'static str,
    kind: &'static str,
    secret: &'static str,
    body: Vec<u8>,
    headers: Vec<(&'static str, String)>,
    good: bool,
}

fn cases() -> Vec<Case> {
    let now = Timestamp::now();
    let minutes = SignedDuration::from_mins;
    let sent = || signed(now, &[SECRET]);
    let case = |what, kind, headers, good| Case {
        what,
        kind,
        secret: SECRET,
        body: BODY.into(),
        headers,
        good,
    };
    let mut cases = Vec::new();
    for kind in ["standard", "t49"] {
        let name = if kind == "standard" {
            "webhook-signature"
        } else {
            "x-t49-webhook-signature"
        };
        let cut = |(known, value): (&'static str, String)| {
            let last = value.len() - 1;
            (
                known,
                if known == name {
                    value[..last].into()
                } else {
                    value
                },
            )
        };
        let empty = |(known, value): (&'static str, String)| {
            (known, if known == name { String::new() } else { value })
        };
        cases.push(case("as it was sent", kind, sent(), true));
        cases.push(Case {
            body: BODY.replace("01a1", "01a2").into_bytes(),
            ..case("another body", kind, sent(), false)
        });
        cases.push(Case {
            secret: OLD_SECRET,
            ..case("another secret", kind, sent(), false)
        });
        let headers = sent().into_iter().map(cut).collect();
        cases.push(case("a signature cut off", kind, headers, false));
        let headers = sent().into_iter().map(empty).collect();
        cases.push(case("an empty signature", kind, headers, false));
        cases.push(case("no headers", kind, Vec::new(), false));
        // After a rotation both secrets sign, and both are good.
        let both = || signed(now, &[SECRET, OLD_SECRET]);
        cases.push(case("the new secret", kind, both(), true));
        cases.push(Case {
            secret: OLD_SECRET,
            ..case("the secret before", kind, both(), true)
        });
        let stale = signed(now - minutes(10), &[SECRET]);
        cases.push(case("ten minutes ago", kind, stale, kind == "t49"));
        let early = signed(now + minutes(10), &[SECRET]);
        cases.push(case("in ten minutes", kind, early, kind == "t49"));
    }
    let mut forged = sent();
    for (name, value) in &mut forged {
        if *name == "webhook-timestamp" {
            *value = (now.as_second() - 1).to_string();
        }
    }
    cases.push(case("another time", "standard", forged, false));
    let mut odd = sent();
    odd.retain(|(name, _)| *name != "webhook-timestamp");
    odd.push(("webhook-timestamp", "now".into()));
    cases.push(case("no time", "standard", odd, false));
    let mut long = sent();
    long.retain(|(name, _)| *name != "webhook-timestamp");
    long.push(("webhook-timestamp", "9".repeat(400)));
    cases.push(case("a time without end", "standard", long, false));
    cases
}

/// The headers of a delivery at this time, the newest secret first.
fn signed(at: Timestamp, secrets: &[&str]) -> Vec<(&'static str, String)> {
    let standard = secrets.iter().map(|secret| {
        let library = standardwebhooks::Webhook::new(secret).unwrap();
        library.sign(ID, at.as_second(), BODY.as_bytes()).unwrap()
    });
    let standard: Vec<String> = standard.collect();
    let mut digests = secrets
        .iter()
        .map(|secret| sign::reference(secret, BODY.as_bytes()));
    let mut headers = vec![
        ("webhook-id", ID.to_owned()),
        ("webhook-timestamp", at.as_second().to_string()),
        ("webhook-signature", standard.join(" ")),
        ("x-t49-webhook-signature", digests.next().unwrap()),
    ];
    headers.extend(digests.map(|digest| ("x-t49-webhook-signature-previous", digest)));
    headers
}

/// The one block of this language.
fn block<'p>(page: &'p str, language: &str) -> &'p str {
    let fence = format!("\n```{language}\n");
    let (_, rest) = page
        .split_once(&fence)
        .unwrap_or_else(|| panic!("the page has no snippet in {language}"));
    rest.split("\n```").next().unwrap()
}

fn is_here(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// A folder with one snippet and what asks it.
struct Bench {
    folder: TempDir,
    run: &'static [&'static str],
}

impl Bench {
    fn set_up(language: &Language, snippet: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        std::fs::write(place(language.snippet), snippet).unwrap();
        let driver: PathBuf = Path::new(DRIVERS).join(language.driver);
        std::fs::copy(driver, place(language.driver)).unwrap();
        if let [program, arguments @ ..] = language.build {
            let mut building = Command::new(program);
            let built = building.args(arguments).current_dir(folder.path()).output();
            let built = built.unwrap();
            let said = String::from_utf8_lossy(&built.stderr);
            assert!(built.status.success(), "{}: {said}", language.block);
        }
        Self {
            folder,
            run: language.run,
        }
    }

    /// What the snippet says of a request; anything but a clear word is a failure.
    fn judge(&self, case: &Case) -> bool {
        std::fs::write(self.folder.path().join("body"), &case.body).unwrap();
        let [program, arguments @ ..] = self.run else {
            panic!("nothing to run");
        };
        let named = case.headers.iter();
        let named = named.map(|(name, value)| format!("{name}={value}"));
        let done = Command::new(program)
            .args(arguments)
            .args([case.kind, case.secret, "body"])
            .args(named)
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&done.stderr);
        match String::from_utf8_lossy(&done.stdout).trim() {
            "accepted" => true,
            "refused" => false,
            other => panic!("{}: {other} {said}", case.what),
        }
    }
}
