//! Which boxes a status of a 322 is about, and what is said of each.
//!
//! An N7 is a box, or gear that may carry some: a chassis, a trailer, a rail car. Behind gear the boxes on it are named by W2, by
//! NA or by a reference; each of them is told, and of each only what is said of it. Whether a box is laden is said by the W2 that
//! names it: that of a car says it of the car.

use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};

use edi::Segment;

use super::numbers::{
    Numbers, has_no_owner, is_box, is_gear, is_nobodys, is_of_containers, means_box, serial_of,
};
use super::ocean_315::box_number;

/// Equipment that is no box, unless its owner says that it is (element 40): chassis, with a gooseneck or without, and trailers.
const OTHER_EQUIPMENT: &[&str] = &["CB", "CH", "TL"];
/// A rail car.
const RAIL_CAR: &str = "RR";
/// Equipment that is a box, whoever its owner is: with a canvas top, cooled, on a chassis and others.
const CONTAINERS: &[&str] = &["CC", "CN", "CU", "CZ"];

/// One box of a status.
pub(super) struct OfBox<'b, 's> {
    /// As it is written. It may be one that cannot be read, or that nobody knew.
    pub(super) number: String,
    /// The N7 that names it.
    pub(super) n7: Option<&'b Segment<'s>>,
    /// Where its own part stands in the status.
    group: usize,
    /// Said of it before it is named.
    before: Vec<Part<'b, 's>>,
    own: Vec<Part<'b, 's>>,
    /// It stands on gear beside others, and what is said there may be said of any.
    is_one_of_several: bool,
}

/// Segments that stand together.
#[derive(Clone, Copy)]
struct Part<'b, 's> {
    segments: &'b [Segment<'s>],
    /// Whether seals (M7) in it are those of the one box that it is said of.
    has_seals: bool,
}

/// What a status says of each box that it names: an N7 begins the next one, with its own references and places. Where several N7
/// stand together, what follows the last is said of all. What is said of gear is said of the boxes on it, and where it carries
/// none, of the box before.
pub(super) struct Boxes<'b, 's> {
    /// Said of all.
    heading: Vec<Part<'b, 's>>,
    pub(super) each: Vec<OfBox<'b, 's>>,
    /// Behind the last.
    tail: Vec<Part<'b, 's>>,
    /// The first W2 that names a box, by its serial.
    w2s: HashMap<String, &'b Segment<'s>>,
    /// The gear that N7 names.
    gear: BTreeSet<(String, String)>,
    /// W2 and references that name a box of which nothing is told, with its number.
    pub(super) strangers: Vec<(&'b Segment<'s>, String)>,
}

/// What begins with an N7.
enum Group {
    Box(String),
    /// With the boxes on it.
    Gear(Vec<String>),
}

impl Group {
    fn of(group: &[Segment<'_>]) -> Self {
        let Some((n7, behind)) = group.split_first() else {
            return Self::Gear(Vec::new());
        };
        let number = number_of(n7);
        if let Some(number) = number.as_ref().filter(|number| names_a_box(number)) {
            return Self::Box(number.clone());
        }
        // What calls itself a container is one, though nobody can read which: nothing of it is said of others.
        let code = n7.text(11);
        let nobodys =
            number.filter(|number| means_box(number) || CONTAINERS.contains(&code.as_ref()));
        let carried = boxes_in(behind, nobodys.is_none());
        match nobodys {
            Some(number) if carried.is_empty() => Self::Box(number),
            _ => Self::Gear(carried),
        }
    }
}

impl<'b, 's> Boxes<'b, 's> {
    /// What stands before the first status of a set is said of all of them.
    pub(super) fn of(set: &'b [Segment<'s>], status: &'b [Segment<'s>]) -> Self {
        let mut groups = status.chunk_by(|_, next| !next.is("N7"));
        let own = groups.next().unwrap_or_default();
        let groups: Vec<(&'b [Segment<'s>], Group)> =
            groups.map(|group| (group, Group::of(group))).collect();
        let heading = [set, own].map(|segments| Part {
            segments,
            has_seals: true,
        });
        let mut boxes = Self {
            heading: heading.to_vec(),
            each: Vec::new(),
            tail: Vec::new(),
            w2s: HashMap::new(),
            gear: BTreeSet::new(),
            strangers: Vec::new(),
        };
        boxes.name(&groups);
        boxes.hand_out(&groups);
        if boxes.each.is_empty() {
            boxes.name_in_headings(set, own);
        }
        boxes.look_at_w2s(set, status);
        boxes
    }

    /// A box for each that an N7 names, and that gear carries while no N7 names it.
    fn name(&mut self, groups: &[(&'b [Segment<'s>], Group)]) {
        let of_n7s = groups.iter().filter_map(|(_, group)| match group {
            Group::Box(number) => Some(serial_of(number)),
            Group::Gear(_) => None,
        });
        let mut named: BTreeSet<String> = of_n7s.collect();
        for (at, (segments, group)) in groups.iter().enumerate() {
            let one = |number: &str, carried: usize| OfBox {
                number: number.to_owned(),
                n7: segments.first().filter(|_| carried == 0),
                group: at,
                before: Vec::new(),
                own: vec![Part {
                    segments,
                    has_seals: carried <= 1,
                }],
                is_one_of_several: carried > 1,
            };
            match group {
                Group::Box(number) => self.each.push(one(number, 0)),
                Group::Gear(carried) => {
                    if let Some(n7) = segments.first() {
                        let (initial, number) = (n7.text(1), n7.text(2));
                        self.gear.insert((initial.into(), number.into()));
                    }
                    for number in carried {
                        if named.insert(serial_of(number)) {
                            self.each.push(one(number, carried.len()));
                        }
                    }
                }
            }
        }
    }

    /// Gives what is said of gear to the boxes on it that are named elsewhere.
    fn hand_out(&mut self, groups: &[(&'b [Segment<'s>], Group)]) {
        let mut places: HashMap<String, usize> = HashMap::new();
        for (place, of_box) in self.each.iter().enumerate() {
            places.entry(serial_of(&of_box.number)).or_insert(place);
        }
        let mut last = None;
        for (at, (segments, group)) in groups.iter().enumerate() {
            let before = self.each.partition_point(|of_box| of_box.group <= at);
            let mut part = Part {
                segments,
                has_seals: false,
            };
            last = Some((part, None));
            let Group::Gear(carried) = group else {
                continue;
            };
            part.has_seals = carried.len() == 1;
            let carried_here = carried.iter().map(|number| serial_of(number));
            for place in carried_here.filter_map(|serial| places.get(&serial)) {
                if let Some(of_box) = self.each.get_mut(*place) {
                    match of_box.group.cmp(&at) {
                        Ordering::Less => of_box.own.push(part),
                        Ordering::Equal => {}
                        Ordering::Greater => of_box.before.push(part),
                    }
                }
            }
            if !carried.is_empty() {
                continue;
            }
            let nearest = before.checked_sub(1);
            match nearest.and_then(|place| self.each.get_mut(place)) {
                Some(of_box) => of_box.own.push(part),
                None => self.heading.push(part),
            }
            last = Some((part, nearest));
        }
        let nearest = |place: usize| self.each.get(place);
        self.tail = match last {
            Some((_, Some(place))) => nearest(place).map_or_else(Vec::new, |b| b.own.clone()),
            Some((part, None)) => vec![part],
            None => Vec::new(),
        };
    }

    /// Where no N7 tells of a box: those that stand before it.
    fn name_in_headings(&mut self, set: &'b [Segment<'s>], own: &'b [Segment<'s>]) {
        let of_n7s = || {
            let n7s = set.iter().filter(|segment| segment.is("N7"));
            let named = n7s.filter_map(|n7| Some((number_of(n7)?, Some(n7))));
            let mut named: Vec<_> = named.filter(|(number, _)| means_box(number)).collect();
            if named.is_empty() {
                named.extend(boxes_in(set, true).into_iter().map(|number| (number, None)));
            }
            named
        };
        let mut named: Vec<_> = boxes_in(own, true)
            .into_iter()
            .map(|number| (number, None))
            .collect();
        if named.is_empty() {
            named = of_n7s();
        }
        let is_one_of_several = named.len() > 1;
        let each = named.into_iter().map(|(number, n7)| OfBox {
            number,
            n7,
            group: 0,
            before: Vec::new(),
            own: Vec::new(),
            is_one_of_several,
        });
        self.each.extend(each);
        self.tail.clear();
    }

    fn look_at_w2s(&mut self, set: &'b [Segment<'s>], status: &'b [Segment<'s>]) {
        let told: BTreeSet<String> = self.each.iter().map(|b| serial_of(&b.number)).collect();
        for (segment, is_of_status) in status
            .iter()
            .map(|segment| (segment, true))
            .chain(set.iter().map(|segment| (segment, false)))
        {
            let Some(number) = named_by(segment).filter(|number| names_a_box(number)) else {
                continue;
            };
            let serial = serial_of(&number);
            if is_of_status && !told.is_empty() && is_box(&number) && !told.contains(&serial) {
                self.strangers.push((segment, number));
            }
            let is_first = || number_of(segment).is_some_and(|own| serial_of(&own) == serial);
            if segment.is("W2") && is_first() {
                self.w2s.entry(serial).or_insert(segment);
            }
        }
    }

    /// How many segments are looked at for one of them.
    pub(super) fn looks_at(&self, of_box: &OfBox<'b, 's>) -> usize {
        let parts = self.heading.iter().chain(&of_box.before);
        let parts = parts.chain(&of_box.own).chain(&self.tail);
        parts.map(|part| part.segments.len()).sum()
    }

    /// All that is said of one of them.
    pub(super) fn said_of(&self, of_box: &OfBox<'b, 's>) -> Vec<Segment<'s>> {
        let said = |parts: &[Part<'b, 's>]| {
            let segments = parts.iter().flat_map(|part| part.segments);
            segments
                .filter(|segment| is_of_all(segment))
                .copied()
                .collect::<Vec<_>>()
        };
        let mut own = said(&of_box.own);
        if own.is_empty() {
            own = said(&self.tail);
        }
        [said(&self.heading), said(&of_box.before), own].concat()
    }

    /// Whether goods are in it.
    pub(super) fn laden(&self, of_box: &OfBox<'b, 's>) -> Option<bool> {
        let serial = serial_of(&of_box.number);
        let parts = of_box.own.iter().chain(&of_box.before);
        let mut w2s = parts
            .flat_map(|part| part.segments)
            .filter(|segment| segment.is("W2"));
        let names_it =
            |w2: &&Segment<'_>| number_of(w2).is_some_and(|number| serial_of(&number) == serial);
        let w2 = w2s
            .find(names_it)
            .or_else(|| self.w2s.get(&serial).copied())
            .or_else(|| self.only_w2(of_box, &serial));
        match w2?.text(5).as_ref() {
            "L" => Some(true),
            "E" => Some(false),
            _ => None,
        }
    }

    /// The only W2 of its N7, where it names no other box: some senders write there on what the box stands.
    fn only_w2(&self, of_box: &OfBox<'b, 's>, serial: &str) -> Option<&'b Segment<'s>> {
        of_box.n7?;
        let mut w2s = of_box
            .own
            .first()?
            .segments
            .iter()
            .filter(|segment| segment.is("W2"));
        let only = w2s.next().filter(|_| w2s.next().is_none())?;
        let named = (only.text(1).into_owned(), only.text(2).into_owned());
        let other = named_by(only).filter(|number| names_a_box(number));
        let names_another = other.is_some_and(|number| serial_of(&number) != serial);
        (!names_another && !self.gear.contains(&named)).then_some(only)
    }

    /// The numbers of its seals.
    pub(super) fn seals(&self, of_box: &OfBox<'b, 's>) -> Vec<String> {
        let heading = self.heading.iter().filter(|_| self.each.len() == 1);
        let parts = heading.chain(&of_box.before).chain(&of_box.own);
        let parts = parts.filter(|part| part.has_seals);
        let m7s = parts
            .flat_map(|part| part.segments)
            .filter(|segment| segment.is("M7"));
        // The fifth element says who applied them.
        m7s.flat_map(|m7| (1..=4).map(|n| m7.text(n).into_owned()))
            .collect()
    }
}

impl OfBox<'_, '_> {
    /// Whether the seals that references tell are its own.
    pub(super) fn has_own_seals(&self) -> bool {
        !self.is_one_of_several
    }
}

/// What may be said of several boxes at once.
fn is_of_all(segment: &Segment<'_>) -> bool {
    !["N7", "W2", "M7", "NA"].contains(&segment.tag()) && referred_to(segment).is_none()
}

/// Whether a number is that of a box, be it one that can be read or not.
fn names_a_box(number: &str) -> bool {
    means_box(number) && !is_nobodys(number)
}

/// The boxes that stand on gear, or before any N7, as what is said of them names them: each once. What another box is only
/// `beside` is passed over where no gear carries both. Who names no number (`NONU`) means one more box only among others of a list.
fn boxes_in(segments: &[Segment<'_>], beside: bool) -> Vec<String> {
    let mut named: Vec<(String, bool)> = Vec::new();
    for segment in segments {
        let is_listed = segment.is("NA");
        let told = match segment.tag() {
            "NA" if beside => number_beside(segment),
            _ => named_by(segment),
        };
        named.extend(told.map(|number| (number, is_listed)));
    }
    let is_known = |number: &str| !is_nobodys(number);
    let is_list = named.iter().any(|(number, na)| *na && is_known(number));
    let is_named = named.iter().any(|(number, _)| is_known(number));
    let referred = || Numbers::of(segments).box_number;
    if !is_named && let Some(number) = referred() {
        return vec![number];
    }
    let mut serials = BTreeSet::new();
    let counts = |number: &str, na: bool| is_known(number) || !is_named || (na && is_list);
    let counted = named.into_iter().filter(|(number, na)| counts(number, *na));
    let numbers = counted.map(|(number, _)| number);
    numbers
        .filter(|number| serials.insert(serial_of(number)))
        .collect()
}

/// The box that a W2 or a reference names.
fn named_by(segment: &Segment<'_>) -> Option<String> {
    match segment.tag() {
        "W2" => {
            let own = number_of(segment).filter(|number| means_box(number));
            let known = own.clone().filter(|number| !is_nobodys(number));
            known.or_else(|| number_beside(segment)).or(own)
        }
        _ => referred_to(segment).filter(|number| means_box(number)),
    }
}

/// The equipment that a reference names.
fn referred_to(segment: &Segment<'_>) -> Option<String> {
    let (kind, number) = match segment.tag() {
        "N9" => (segment.text(1), segment.text(2)),
        "L11" => (segment.text(2), segment.text(1)),
        _ => return None,
    };
    matches!(kind.as_ref(), "EQ" | "2I").then(|| number.into_owned())
}

/// The equipment that an N7 or W2 names, where it may be a box.
fn number_of(segment: &Segment<'_>) -> Option<String> {
    let text = |element: usize| segment.text(element);
    match segment.tag() {
        // Rail cars and chassis stand in segments of the same name.
        "N7" => named(&text(11), box_number(&text(1), &text(2), &text(18))),
        "W2" => named(&text(4), box_number(&text(1), &text(2), "")),
        _ => None,
    }
}

/// The number, where such equipment may be a box.
fn named(code: &str, number: Option<String>) -> Option<String> {
    let number = number?;
    let is_other = OTHER_EQUIPMENT.contains(&code) && !is_of_containers(&number);
    (code != RAIL_CAR && !is_other && !is_gear(&number)).then_some(number)
}

/// The box that stands beside other equipment in a segment of that: in NA, and in the second place for equipment of a W2.
fn number_beside(segment: &Segment<'_>) -> Option<String> {
    let text = |element: usize| segment.text(element);
    let number = match segment.tag() {
        "NA" => box_number(&text(3), &text(4), ""),
        "W2" => box_number(&text(11), &text(12), &text(13)),
        _ => None,
    };
    let may_be_one = |number: &str| has_no_owner(number) && !is_gear(number);
    number.filter(|number| is_of_containers(number) || may_be_one(number))
}
