//! The messages that say where a vessel is, or which (ITU-R M.1371).

use domain::codes::ImoNumber;
use domain::geography::Point;
use domain::vessel::Position;
use jiff::Timestamp;

use super::Sighting;
use super::bits::Bits;

/// What one message says.
#[derive(Debug, PartialEq)]
pub(super) enum Message {
    /// Where a vessel is; without a time, which is not in it.
    Position(Fix),
    /// Which vessel it is.
    Vessel {
        mmsi: u32,
        imo: Option<ImoNumber>,
        name: Option<String>,
    },
    /// Anything else.
    Other,
}

/// A position without its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fix {
    pub(super) mmsi: u32,
    pub(super) point: Point,
    /// Where the bow points, or else its course.
    pub(super) heading: Option<f64>,
    pub(super) knots: Option<f64>,
    pub(super) moored: Option<bool>,
}

impl Fix {
    pub(super) fn at(self, at: Timestamp) -> Sighting {
        Sighting {
            mmsi: self.mmsi,
            imo: None,
            name: None,
            at,
            position: Some(Position {
                at,
                point: self.point,
                heading: self.heading,
                speed_knots: self.knots,
            }),
            moored: self.moored,
        }
    }
}

/// Reads a message; `None` when it is cut off before what it should say.
pub(super) fn read(bits: &Bits) -> Option<Message> {
    let kind = bits.number(0, 6)?;
    let mmsi = bits.number(8, 30)?;
    match kind {
        1..=3 => position(
            bits,
            mmsi,
            Columns {
                status: Some(38),
                speed: 50,
                at: 61,
                course: 116,
                heading: 128,
            },
        ),
        18 | 19 => position(
            bits,
            mmsi,
            Columns {
                status: None,
                speed: 46,
                at: 57,
                course: 112,
                heading: 124,
            },
        ),
        27 => long_range(bits, mmsi),
        5 => Some(Message::Vessel {
            mmsi,
            imo: bits.number(40, 30).and_then(imo),
            name: bits.text(112, 120),
        }),
        24 if bits.number(38, 2)? == 0 => Some(Message::Vessel {
            mmsi,
            imo: None,
            name: bits.text(40, 120),
        }),
        _ => Some(Message::Other),
    }
}

/// Where the fields of a kind of position begin.
#[derive(Clone, Copy)]
struct Columns {
    status: Option<usize>,
    speed: usize,
    /// Longitude, then latitude.
    at: usize,
    course: usize,
    heading: usize,
}

fn position(bits: &Bits, mmsi: u32, columns: Columns) -> Option<Message> {
    let longitude = f64::from(bits.signed(columns.at, 28)?) / 600_000.0;
    let latitude = f64::from(bits.signed(columns.at + 28, 27)?) / 600_000.0;
    let course = bits.number(columns.course, 12)?;
    let speed = bits.number(columns.speed, 10)?;
    let status = columns.status.and_then(|at| bits.number(at, 4));
    Some(fix(
        mmsi,
        (latitude, longitude),
        Motion {
            course,
            bow: bits.number(columns.heading, 9),
            speed,
            status,
        },
    ))
}

/// Type 27: tenths of minutes, whole knots and degrees.
fn long_range(bits: &Bits, mmsi: u32) -> Option<Message> {
    let longitude = f64::from(bits.signed(44, 18)?) / 600.0;
    let latitude = f64::from(bits.signed(62, 17)?) / 600.0;
    let speed = bits.number(79, 6)?;
    let course = bits.number(85, 9)?;
    let motion = Motion {
        course: if course < 360 { course * 10 } else { 3600 },
        bow: None,
        speed: if speed < 63 { speed * 10 } else { 1023 },
        status: bits.number(40, 4),
    };
    Some(fix(mmsi, (latitude, longitude), motion))
}

/// As radios write it: tenths of degrees and knots, whole degrees of the bow, and their numbers for nothing (3600, 1023, 511, 15).
#[derive(Clone, Copy)]
struct Motion {
    course: u32,
    bow: Option<u32>,
    speed: u32,
    status: Option<u32>,
}

/// Longitude 181 and latitude 91 mean that there is none.
fn fix(mmsi: u32, (latitude, longitude): (f64, f64), motion: Motion) -> Message {
    let somewhere = latitude.abs() <= 90.0 && longitude.abs() <= 180.0;
    if !somewhere {
        return Message::Other;
    }
    let course = (motion.course < 3600).then(|| f64::from(motion.course) / 10.0);
    let bow = motion.bow.filter(|degrees| *degrees < 360);
    Message::Position(Fix {
        mmsi,
        point: Point::of((latitude, longitude)),
        heading: bow.map(f64::from).or(course),
        knots: (motion.speed < 1023).then(|| f64::from(motion.speed) / 10.0),
        moored: motion.status.and_then(moored),
    })
}

/// A navigational status: 5 is moored, 15 is nothing, all else is not moored.
pub(super) fn moored(status: u32) -> Option<bool> {
    match status {
        5 => Some(true),
        0..=4 | 6..=8 => Some(false),
        _ => None,
    }
}

pub(super) fn imo(number: u32) -> Option<ImoNumber> {
    ImoNumber::parse(&format!("{number:07}"))
}
