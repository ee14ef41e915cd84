//! The seeded world: which bills exist, what happens to their boxes, what the carrier says about it.

mod cargo;
pub(crate) mod fleet;
mod pen;
pub(crate) mod places;
mod reckoning;
pub(crate) mod voyage;

use std::collections::BTreeSet;

use domain::codes::ContainerNumber;
use domain::tracking_request::NumberKind;
use jiff::{SignedDuration, Timestamp};

use crate::dice::Dice;
use crate::mischief::{self, Mischief, Said};
use crate::truth::Truth;
pub(crate) use cargo::Cargo;
use voyage::{Draw, ROUTES, Voyage};

/// What a world is made from, beside its seed.
#[derive(Clone, Copy, Debug)]
pub struct WorldSettings {
    /// How many numbers can be tracked.
    pub bills: usize,
    /// When the world's run begins; some voyages are older.
    pub start: Timestamp,
    /// By when every voyage has ended.
    pub days: i64,
    /// How the carrier misbehaves.
    pub mischief: Mischief,
}

impl Default for WorldSettings {
    fn default() -> Self {
        Self {
            bills: 18,
            start: Timestamp::from_second(1_772_323_200).unwrap_or(Timestamp::UNIX_EPOCH),
            days: 86,
            mischief: Mischief::default(),
        }
    }
}

/// A number that can be tracked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bill {
    /// The number.
    pub number: String,
    /// What kind of number.
    pub kind: NumberKind,
    /// The boxes behind it.
    pub containers: Vec<ContainerNumber>,
    /// From this moment on the carrier knows it and has something to say.
    pub known_from: Timestamp,
}

/// A bill with all the carrier knows.
#[derive(Debug)]
pub(crate) struct Shipment {
    pub(crate) bill: Bill,
    pub(crate) booking: String,
    /// Number of the bill of lading; shipments tracked by booking or box have none yet.
    pub(crate) document: Option<String>,
    pub(crate) cargo: Vec<Cargo>,
    pub(crate) voyage: Voyage,
    pub(crate) said: Vec<Said>,
    /// Whether events of the ship name the boxes aboard.
    pub(crate) names_boxes: bool,
    /// Whether the list has no order.
    pub(crate) shuffled: bool,
    /// Whether unusable records are among the rest.
    pub(crate) broken: bool,
}

/// The world.
#[derive(Debug)]
pub struct World {
    seed: u64,
    settings: WorldSettings,
    shipments: Vec<Shipment>,
    bills: Vec<Bill>,
    changes: Vec<Timestamp>,
    truth: Truth,
}

/// How often a voyage is drawn anew until one fits into the world's days.
const DRAWS_MAX: usize = 60;

impl World {
    /// The world of this seed. The same seed and settings give the same world to the last byte.
    pub fn new(seed: u64, settings: &WorldSettings) -> Self {
        let mut taken = BTreeSet::new();
        let shipments: Vec<Shipment> = (0..settings.bills)
            .filter_map(|index| shipment(seed, settings, index, &mut taken))
            .collect();
        let changes = shipments
            .iter()
            .flat_map(|s| s.said.iter().map(|said| said.word.published_at));
        let changes: BTreeSet<Timestamp> = changes.collect();
        Self {
            seed,
            settings: *settings,
            bills: shipments
                .iter()
                .map(|shipment| shipment.bill.clone())
                .collect(),
            truth: reckoning::truth(&shipments),
            changes: changes.into_iter().collect(),
            shipments,
        }
    }

    /// The numbers that can be tracked.
    pub fn bills(&self) -> &[Bill] {
        &self.bills
    }

    /// When the run begins.
    pub fn starts_at(&self) -> Timestamp {
        self.settings.start
    }

    /// When all is said.
    pub fn ends_at(&self) -> Timestamp {
        self.changes.last().copied().unwrap_or(self.settings.start) + SignedDuration::from_hours(1)
    }

    /// The next moment at which the carrier publishes something.
    pub fn next_change_after(&self, moment: Timestamp) -> Option<Timestamp> {
        let next = self.changes.partition_point(|change| *change <= moment);
        self.changes.get(next).copied()
    }

    /// What is true.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Code of the line that this world sails for.
    pub fn scac(&self) -> &'static str {
        "LKSP"
    }

    /// The secrets that the source profile names, by name.
    pub fn secrets(&self) -> Vec<(String, String)> {
        vec![
            ("client_id".into(), self.client_id()),
            ("client_secret".into(), self.client_secret()),
        ]
    }

    /// The source profile for this world's carrier, served at `base_url`.
    pub fn profile_toml(&self, base_url: &str) -> String {
        let base = base_url.trim_end_matches('/');
        format!(
            r#"id = "larkspur"
protocol = "dcsa-2"
scac = "{scac}"

[line]
name = "Larkspur Line"
short_name = "Larkspur"

[endpoint]
base = "{base}"
path = "/v2/events"
api_version = "2.2.0"
page_size = 100

[numbers]
bill_of_lading = "transportDocumentReference"
booking = "carrierBookingReference"
container = "equipmentReference"

[auth]
kind = "oauth2"
token_url = "{base}/oauth2/token"
scope = "tracking"

[polling]
requests_per_minute = 6000
"#,
            scac = self.scac()
        )
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn mischief(&self) -> &Mischief {
        &self.settings.mischief
    }

    pub(crate) fn shipments(&self) -> &[Shipment] {
        &self.shipments
    }

    pub(crate) fn client_id(&self) -> String {
        format!("quayside-{}", self.seed)
    }

    pub(crate) fn client_secret(&self) -> String {
        Dice::about(self.seed, "client secret").uuid()
    }
}

fn shipment(
    seed: u64,
    settings: &WorldSettings,
    index: usize,
    taken: &mut BTreeSet<ContainerNumber>,
) -> Option<Shipment> {
    let mut dice = Dice::about(seed, &format!("bill {index}"));
    let kind = kind_of(index);
    let count = usize::try_from(match kind {
        NumberKind::BillOfLading => dice.between(1, 6),
        NumberKind::Booking => dice.between(1, 4),
        NumberKind::Container => 1,
    })
    .ok()?;
    let voyage = fitting_voyage(seed, settings, index, count, &mut dice)?;
    let cargo = cargo::boxes(count, taken, &mut dice);
    let said = mischief::publish(&voyage, &settings.mischief, &mut dice);
    Some(named(
        kind,
        cargo,
        voyage,
        said,
        &settings.mischief,
        &mut dice,
    ))
}

fn kind_of(index: usize) -> NumberKind {
    match index % 5 {
        3 => NumberKind::Booking,
        4 => NumberKind::Container,
        _ => NumberKind::BillOfLading,
    }
}

fn named(
    kind: NumberKind,
    cargo: Vec<Cargo>,
    voyage: Voyage,
    said: Vec<Said>,
    rates: &Mischief,
    dice: &mut Dice,
) -> Shipment {
    let booking = format!("7{}", dice.digits(8));
    let document = format!("LKSP{}", dice.digits(9));
    let containers: Vec<ContainerNumber> = cargo.iter().map(|cargo| cargo.number).collect();
    let own = containers
        .first()
        .map(ToString::to_string)
        .unwrap_or_default();
    let number = match kind {
        NumberKind::BillOfLading => document.clone(),
        NumberKind::Booking => booking.clone(),
        NumberKind::Container => own,
    };
    Shipment {
        bill: Bill {
            number,
            kind,
            containers,
            known_from: voyage.opens_at,
        },
        booking,
        document: (kind == NumberKind::BillOfLading).then_some(document),
        cargo,
        voyage,
        said,
        names_boxes: dice.per_mille(600),
        shuffled: dice.per_mille(rates.shuffled),
        broken: dice.per_mille(rates.broken),
    }
}

fn fitting_voyage(
    seed: u64,
    settings: &WorldSettings,
    index: usize,
    boxes: usize,
    dice: &mut Dice,
) -> Option<Voyage> {
    let ends_by = settings.start + SignedDuration::from_hours(24 * settings.days);
    let lists_every_call = dice.per_mille(350);
    let first = usize::try_from(seed % 64).ok()? + index;
    (0..DRAWS_MAX).find_map(|again| {
        // A way too long for the days left gives place to the next one.
        let route = ROUTES.get((first + again / 20) % ROUTES.len())?;
        let draw = Draw {
            seed,
            start: settings.start,
            route,
            ready: settings.start + dice.minutes(-24 * 24 * 60, 24 * 24 * 60),
            boxes,
            lists_every_call,
        };
        let voyage = voyage::draw(&draw, dice)?;
        let lives = voyage.ends_at > settings.start + SignedDuration::from_hours(96);
        (lives && voyage.ends_at < ends_by).then_some(voyage)
    })
}
