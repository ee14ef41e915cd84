//! Lines over the globe, for maps.
//!
//! Nothing here knows where ships sail: a line between two ports is the great circle, drawn with as many points
//! as it needs to look like one. It says which ports belong together, not which way the ship takes.
//!
//! **Longitudes go on.** A line that crosses the antimeridian would jump from 179 to -179, and map libraries
//! draw that jump as a line right across the map. Here each point lies within half a turn of the one before,
//! so a line from Shanghai to Los Angeles ends at 241.7, not at -118.3: web maps draw both kinds of longitude
//! at the same place, and such a line as it is meant.

/// Degrees north and east (WGS 84). The longitude may lie beyond ±180, see above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Degrees north.
    pub latitude: f64,
    /// Degrees east.
    pub longitude: f64,
}

/// Kilometres between two points of a drawn line.
const STEP_KM: f64 = 200.0;
/// Points of one drawn line at most.
const LINE_POINTS_MAX: u32 = 128;
/// Mean radius of the earth in kilometres.
const EARTH_RADIUS_KM: f64 = 6_371.0;

impl Point {
    /// A point of a table, degrees north and east.
    pub fn of((latitude, longitude): (f64, f64)) -> Self {
        Self {
            latitude,
            longitude,
        }
    }

    /// The same place with a longitude within half a turn of this one's.
    #[must_use]
    pub fn near(self, other: Self) -> Self {
        let turns = ((other.longitude - self.longitude) / 360.0).round();
        Self {
            longitude: self.longitude + 360.0 * turns,
            ..self
        }
    }

    /// Kilometres to another point along the great circle.
    pub fn distance_km(self, other: Self) -> f64 {
        EARTH_RADIUS_KM * angle(self, other)
    }

    /// The point this part of the way (0 to 1) along the great circle to `other`.
    #[must_use]
    pub fn towards(self, other: Self, part: f64) -> Self {
        let angle = angle(self, other);
        if angle < 1e-9 {
            return self;
        }
        // Points opposite each other have no one way between them; any will do, a straight one is simplest.
        if angle.sin().abs() < 1e-9 {
            let end = other.near(self);
            return Self {
                latitude: self.latitude + (end.latitude - self.latitude) * part,
                longitude: self.longitude + (end.longitude - self.longitude) * part,
            };
        }
        let here = ((1.0 - part) * angle).sin() / angle.sin();
        let there = (part * angle).sin() / angle.sin();
        let (from, to) = (vector(self), vector(other));
        let mixed = [0_usize, 1, 2].map(|axis| {
            let share = |of: [f64; 3]| of.get(axis).copied().unwrap_or(0.0);
            here * share(from) + there * share(to)
        });
        let [east, north_of_east, up] = mixed;
        Self {
            latitude: up.atan2(east.hypot(north_of_east)).to_degrees(),
            longitude: north_of_east.atan2(east).to_degrees(),
        }
        .near(self)
    }
}

/// The great circle between two points as a line to draw: both ends, and a point about every 200 km.
pub fn great_circle(from: Point, to: Point) -> Vec<Point> {
    let pieces = (from.distance_km(to) / STEP_KM).ceil();
    let most = f64::from(LINE_POINTS_MAX - 1);
    let pieces = pieces.clamp(1.0, most);
    let mut line = vec![from];
    let mut done = 1.0;
    while done < pieces {
        let next = from.towards(to, done / pieces);
        line.push(next.near(line.last().copied().unwrap_or(from)));
        done += 1.0;
    }
    line.push(to.near(line.last().copied().unwrap_or(from)));
    line
}

/// The same line with longitudes that go on, and no more than `most` points (at least its ends).
pub fn drawn(points: &[Point], most: usize) -> Vec<Point> {
    let every = points.len().div_ceil(most.max(2)).max(1);
    let last = points.len().saturating_sub(1);
    let kept = points.iter().enumerate();
    let mut line: Vec<Point> = Vec::new();
    for (index, point) in kept {
        if index % every == 0 || index == last {
            let next = line.last().map_or(*point, |before| point.near(*before));
            line.push(next);
        }
    }
    line
}

/// The angle between two points as seen from the middle of the earth, in radians.
fn angle(a: Point, b: Point) -> f64 {
    let (north_a, north_b) = (a.latitude.to_radians(), b.latitude.to_radians());
    let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let chord = half(b.latitude - a.latitude)
        + north_a.cos() * north_b.cos() * half(b.longitude - a.longitude);
    2.0 * chord.clamp(0.0, 1.0).sqrt().asin()
}

fn vector(point: Point) -> [f64; 3] {
    let (north, east) = (point.latitude.to_radians(), point.longitude.to_radians());
    [
        north.cos() * east.cos(),
        north.cos() * east.sin(),
        north.sin(),
    ]
}
