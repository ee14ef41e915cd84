//! Files that are dropped into a watched folder, whoever else writes or reads there.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use store::source::Backlog;
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tracking::intake::{self, Accepted, Message};
use tracking::{Source, Tracking, work};

use crate::ground::{Ground, LADEN};
use crate::recalled::eventually;

const SOURCE: &str = "gate";

/// Services at work over one store and one folder.
struct Gate {
    folder: TempDir,
    ground: Ground,
    stop: CancellationToken,
    working: Vec<JoinHandle<()>>,
}

impl Gate {
    async fn open(nodes: usize) -> Self {
        let mut ground = Ground::new("[]").await;
        let folder = tempfile::tempdir().unwrap();
        let stop = CancellationToken::new();
        let mut working = Vec::new();
        for _ in 0..nodes {
            ground.start_again_with(vec![source(folder.path())]);
            let tracking = ground.tracking().clone();
            working.push(tokio::spawn(work::run(tracking, stop.clone())));
        }
        Self {
            folder,
            ground,
            stop,
            working,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// As a good sender does: written beside it, then renamed.
    fn drop(&self, name: &str, text: &str) {
        let beside = self.path("next.part");
        fs::write(&beside, text).unwrap();
        fs::rename(beside, self.path(name)).unwrap();
    }

    /// The files in `done` or `quarantine`.
    fn names(&self, below: &str) -> Vec<String> {
        names(&self.path(below))
    }

    async fn backlog(&self) -> Backlog {
        let (store, now) = (self.ground.tracking().store(), self.ground.tracking().now());
        let all = store.read(move |tx| store::source::backlogs(tx, now));
        let all: Result<_, store::Error> = all.await;
        all.unwrap().remove(SOURCE).unwrap_or_default()
    }

    async fn until_aside(&self, messages: u64) {
        eventually("it is read, and stands aside", async || {
            self.backlog().await.quarantined == messages
        })
        .await;
    }

    async fn was_kept(&self, text: &str) -> bool {
        matches!(
            receive(self.ground.tracking(), text).await,
            Accepted::Known(_)
        )
    }

    async fn close(self) {
        self.stop.cancel();
        for working in self.working {
            working.await.unwrap();
        }
    }
}

fn source(folder: &Path) -> Source {
    let profile = format!(
        "id = \"{SOURCE}\"\nprotocol = \"dcsa-2\"\nscac = [\"NWLX\"]\n[endpoint]\nbase = \"https://gate.invalid\"\n\
         [drop]\nfolder = \"{}\"\n",
        folder.display()
    );
    Source::unasked(sources::Profile::parse(&profile).unwrap())
}

async fn receive(tracking: &Tracking, text: &str) -> Accepted {
    let message = Message {
        source: SOURCE.into(),
        account: None,
        content_type: "application/json".into(),
        bytes: text.into(),
    };
    intake::receive(tracking, message).await.unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

fn message(number: usize) -> String {
    LADEN.replace("e-1", &format!("e-{number}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_comes_under_the_name_of_one_that_was_just_read_is_read_too() {
    let gate = Gate::open(1).await;
    gate.drop("gate.json", "no message");
    gate.until_aside(1).await;
    assert!(gate.path("gate.json").exists(), "it is not moved yet");
    gate.drop("gate.json", "and no other");
    gate.until_aside(2).await;
    // The first was written over by its sender.
    let expected = ["gate.json", "gate.json.reason.txt"];
    eventually("it is moved", async || {
        let is_put = gate.names("quarantine") == expected && gate.names(".moving").is_empty();
        is_put && !gate.path("gate.json").exists()
    })
    .await;
    let aside = fs::read_to_string(gate.path("quarantine/gate.json"));
    assert_eq!(aside.unwrap(), "and no other");
    gate.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_nodes_over_one_folder_read_every_file_of_a_name() {
    let gate = Gate::open(2).await;
    for number in 0..4 {
        gate.drop("gate.json", &message(number));
        eventually("it is moved", async || !gate.path("gate.json").exists()).await;
    }
    eventually("all are put away", async || {
        gate.names("done").len() == 4 && gate.names(".moving").is_empty()
    })
    .await;
    for number in 0..4 {
        assert!(gate.was_kept(&message(number)).await, "{number} was lost");
    }
    gate.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_written_in_place_with_a_pause_is_read_as_a_whole_at_last() {
    let gate = Gate::open(1).await;
    let whole = message(1);
    let (half, rest) = whole.split_at(100);
    let create = OpenOptions::new()
        .create(true)
        .append(true)
        .open(gate.path("slow.json"));
    let mut writer = create.unwrap();
    writer.write_all(half.as_bytes()).unwrap();
    let aside = gate.path("quarantine/slow.json");
    eventually("the half is put aside", async || {
        aside.exists() && !gate.path("slow.json").exists()
    })
    .await;
    writer.write_all(rest.as_bytes()).unwrap();
    drop(writer);
    eventually("the whole is read", async || {
        gate.names("done") == ["slow.json"] && gate.names(".moving").is_empty()
    })
    .await;
    assert!(gate.was_kept(&whole).await);
    assert_eq!(gate.names("quarantine"), [""; 0]);
    gate.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_moved_stand_in_the_way_of_nobody() {
    let gate = Gate::open(1).await;
    // Where nothing can be put aside, what is empty stays.
    fs::write(gate.path("quarantine"), "in the way").unwrap();
    for number in 0..64 {
        gate.drop(&format!("a{number:02}.json"), "");
    }
    gate.drop("z.json", &message(1));
    eventually("it is read and moved", async || {
        gate.names("done") == ["z.json"] && !gate.path("z.json").exists()
    })
    .await;
    assert!(gate.path("a00.json").exists());
    fs::remove_file(gate.path("quarantine")).unwrap();
    eventually("they are moved when that can be done again", async || {
        gate.names("quarantine").len() == 128 && !gate.path("a00.json").exists()
    })
    .await;
    gate.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_the_longest_name_can_be_put_aside() {
    let gate = Gate::open(1).await;
    let name = format!("{}.json", "a".repeat(250));
    // Beside it there is no longer name.
    fs::write(gate.path(&name), "no message").unwrap();
    eventually("it is put aside", async || {
        gate.names("quarantine").len() == 2 && !gate.path(&name).exists()
    })
    .await;
    gate.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_of_a_source_that_is_not_configured_wait_until_it_is() {
    let mut ground = Ground::new("[]").await;
    let folder = tempfile::tempdir().unwrap();
    ground.start_again_with(vec![source(folder.path())]);
    for number in 0..3 {
        receive(ground.tracking(), &message(number)).await;
    }
    let store = ground.tracking().store().clone();
    let counted = async || {
        let now = ground.tracking().now();
        let all: Result<_, store::Error> =
            store.read(move |tx| store::source::backlogs(tx, now)).await;
        let backlog = all.unwrap().remove(SOURCE).unwrap_or_default();
        (backlog.unread, backlog.quarantined)
    };
    // A start without the profile, beside one that has it.
    let stop = CancellationToken::new();
    let without = ground.without_carrier();
    let working = tokio::spawn(work::run(without.clone(), stop.clone()));
    work::drain(&without).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    assert_eq!(counted().await, (3, 0), "nobody has tried to read them");
    ground.drain().await;
    assert_eq!(counted().await, (0, 0), "they are read");
    stop.cancel();
    working.await.unwrap();
}
