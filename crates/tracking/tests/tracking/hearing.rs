//! A receiver of positions that serves its lines to whoever connects: one that dribbles, breaks off and sends rubbish.

use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use domain::source::{Condition, Trouble};
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};
use tokio_util::sync::CancellationToken;
use tracking::{Source, source_state, work};

use crate::BOX;
use crate::ground::Ground;
use crate::sightings::{BOUND, RECEIVER, milestones};

const MMSI: u32 = 211_987_655;
/// Longest wait for what is to happen at once.
const SOON_MAX: Duration = Duration::from_secs(30);
const BERTHED: &str = "container.transport.vessel_berthed";

/// Serves one connection after the other: the pieces of each with a pause between them, then it hangs up. Behind the
/// last it accepts and says nothing.
struct Hub {
    address: SocketAddr,
    connections: Arc<AtomicUsize>,
}

impl Hub {
    fn open(script: Vec<Vec<Vec<u8>>>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&connections);
        std::thread::spawn(move || {
            let mut script = script.into_iter();
            let mut silent = Vec::new();
            for mut stream in listener.incoming().flatten() {
                count.fetch_add(1, Ordering::Relaxed);
                let Some(pieces) = script.next() else {
                    silent.push(stream);
                    continue;
                };
                for piece in pieces {
                    if stream.write_all(&piece).is_err() {
                        break;
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
            }
        });
        Self {
            address,
            connections,
        }
    }

    fn profile(&self) -> sources::Profile {
        let text = format!(
            "{RECEIVER}[vessels]\n\"{MMSI}\" = \"9321483\"\n[receiver]\naddress = \"{}\"\nposition_seconds = 0\n",
            self.address
        );
        sources::Profile::parse(&text).unwrap()
    }
}

/// A position of the vessel at the quay (message 1), at this time by its tag block.
fn line(time: &str) -> String {
    let at: Timestamp = format!("2026-04-19T{time}:00Z").parse().unwrap();
    let (longitude, latitude) = (-118.2541_f64, 33.7366_f64);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "degrees in parts of a minute"
    )]
    let scaled = |degrees: f64| (degrees * 600_000.0).round() as i64;
    let fields: [(i64, u32); 14] = [
        (1, 6),
        (0, 2),
        (MMSI.into(), 30),
        (15, 4),
        (-128, 8),
        (1, 10),
        (0, 1),
        (scaled(longitude), 28),
        (scaled(latitude), 27),
        (3600, 12),
        (511, 9),
        (0, 6),
        (0, 2),
        (0, 23),
    ];
    let bits = fields
        .into_iter()
        .flat_map(|(value, length)| (0..length).rev().map(move |bit| (value >> bit) & 1 == 1));
    let bits: Vec<bool> = bits.collect();
    let payload: String = bits
        .chunks(6)
        .map(|six| {
            let six = six
                .iter()
                .fold(0_u8, |sum, bit| (sum << 1) | u8::from(*bit));
            char::from(if six < 40 { six + 48 } else { six + 56 })
        })
        .collect();
    let sum = |text: &str| text.bytes().fold(0, |sum, byte| sum ^ byte);
    let (tag, body) = (
        format!("c:{}", at.as_second()),
        format!("AIVDM,1,1,,A,{payload},0"),
    );
    format!("\\{tag}*{:02X}\\!{body}*{:02X}\r\n", sum(&tag), sum(&body))
}

async fn listened_to(hub: &Hub) -> (Ground, domain::ids::AccountId) {
    let mut ground = Ground::new(BOUND).await;
    let account = ground.account("A").await;
    ground.track(account, BOX, NumberKind::Container).await;
    ground.drain().await;
    ground.start_again_with(vec![Source::unasked(hub.profile())]);
    ground.pass(SignedDuration::from_hours(14 * 24));
    (ground, account)
}

async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < SOON_MAX, "{what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_dribbles_breaks_off_and_sends_rubbish_is_heard_all_the_same() {
    let (first, second, third) = (line("10:05"), line("10:15"), line("10:30"));
    let mut rubbish = vec![b'x'; 64 * 1024];
    rubbish.extend_from_slice(b"\nHTTP/1.1 400 Bad Request\r\n\xff\xfe\r\n");
    let half = first.len() / 2;
    let hub = Hub::open(vec![
        vec![
            first.as_bytes()[..half].to_vec(),
            first.as_bytes()[half..].to_vec(),
            rubbish,
        ],
        vec![b"half a line without its e".to_vec()],
        vec![second.into_bytes(), b"!AIVDM,1,1,,A,cut".to_vec()],
        vec![third.into_bytes()],
    ]);
    let (ground, account) = listened_to(&hub).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    until("the stop is told", async || {
        milestones(&ground, account).await.contains(&BERTHED.into())
    })
    .await;
    let messages = ground.tracking().store().read(|tx| {
        let ids = store::replay::messages(tx, None, 100)?;
        let rows = ids
            .into_iter()
            .map(|(id, _)| store::raw_message::find(tx, id));
        rows.collect::<Result<Vec<_>, store::Error>>()
    });
    let messages = messages.await.unwrap().into_iter().flatten();
    let kept: Vec<String> = messages
        .filter(|row| row.source == "receiver")
        .map(|row| String::from_utf8(row.body).unwrap())
        .collect();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(
        kept.iter().all(|text| text.lines().count() == 1),
        "{kept:?}"
    );
    until("it is listened to again", async || {
        hub.connections.load(Ordering::Relaxed) == 5
    })
    .await;
    stop.cancel();
    let ended = tokio::time::timeout(SOON_MAX, working).await;
    assert!(ended.is_ok(), "a silent line holds up no stop");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_never_says_a_line_is_told_as_trouble_and_a_paused_one_is_left_alone() {
    let page = b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec();
    let hub = Hub::open((0..20).map(|_| vec![page.clone()]).collect());
    let (ground, _) = listened_to(&hub).await;
    let stop = CancellationToken::new();
    let working = tokio::spawn(work::run(ground.tracking().clone(), stop.clone()));
    let standing = async || {
        let all = ground.tracking().store().read(store::source::all);
        all.await.unwrap().remove("receiver").unwrap_or_default()
    };
    until("it is trouble", async || {
        standing().await.troubles.contains_key(&Trouble::Unreadable)
    })
    .await;
    assert!(
        standing().await.troubles[&Trouble::Unreadable]
            .why
            .contains("!AIVDM")
    );
    assert!(
        source_state::pause(ground.tracking(), "receiver", "moved")
            .await
            .unwrap()
    );
    assert_eq!(
        standing()
            .await
            .condition(domain::source::Budget::default(), ground.tracking().now()),
        Condition::Paused
    );
    tokio::time::sleep(Duration::from_secs(3)).await;
    let before = hub.connections.load(Ordering::Relaxed);
    tokio::time::sleep(Duration::from_secs(6)).await;
    assert_eq!(hub.connections.load(Ordering::Relaxed), before);
    stop.cancel();
    working.await.unwrap();
}
