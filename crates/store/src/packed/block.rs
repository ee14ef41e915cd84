//! LZ4 blocks of short texts beside a dictionary that is prepared once.
//!
//! To refer to a dictionary, whoever packs must find where in it four bytes stand. A library finds out anew for every
//! text, which for texts of half a kilobyte to six beside dictionaries of two to twelve is more work than packing them. Here
//! it stands in a table that is made once and copied for each text. The blocks are LZ4's as its format describes them,
//! and are read by the library.
//!
//! Dictionary and text together have at most [`LONGEST`] bytes: then every place of both fits in two bytes, and
//! everything is near enough to be referred to.

/// Bytes of dictionary and text together.
const LONGEST: usize = 0xffff;
/// Bits of a place in the table.
const PLACE_BITS: u32 = 13;
const PLACES: usize = 1 << PLACE_BITS;
/// What is referred to has this many bytes at least.
const MATCH_MIN: usize = 4;
/// The last bytes of a block stand for themselves.
const LAST_LITERALS: usize = 5;
/// So near to its end nothing is referred to any more.
const LAST_MATCH_BEFORE: usize = 12;
/// A length of so much or more has bytes of its own.
const LONG_FROM: usize = 15;
/// After so many looks in vain, every second place is looked at, then every third.
const LOOKS_BITS: u32 = 6;

/// Where four bytes were seen last.
type Places = [u16; PLACES];

/// A text that others are packed beside.
pub(super) struct Dictionary {
    text: &'static [u8],
    places: Box<Places>,
}

impl Dictionary {
    /// Prepares it.
    pub(super) fn of(text: &'static [u8]) -> Self {
        let mut places = Box::new([0; PLACES]);
        for at in 0..text.len().saturating_sub(MATCH_MIN - 1) {
            note(&mut places, place(four(text, at)), at);
        }
        Self { text, places }
    }

    /// Its text.
    pub(super) fn text(&self) -> &'static [u8] {
        self.text
    }

    /// Whether a text is short enough to be packed beside it here.
    pub(super) fn takes(&self, text: &[u8]) -> bool {
        !self.text.is_empty() && self.text.len().saturating_add(text.len()) <= LONGEST
    }

    /// Adds the block of a text that it [takes](Self::takes).
    pub(super) fn pack(&self, text: &[u8], block: &mut Vec<u8>) {
        let begin = self.text.len();
        let mut both = Vec::with_capacity(begin + text.len());
        both.extend_from_slice(self.text);
        both.extend_from_slice(text);
        let end = both.len().saturating_sub(LAST_LITERALS);
        let last = both.len().saturating_sub(LAST_MATCH_BEFORE);
        let mut places = *self.places;
        // Up to where it is written, and where we look.
        let (mut written, mut at) = (begin, begin);
        let mut in_vain = 0;
        while at < last {
            let bytes = four(&both, at);
            let place = place(bytes);
            let mut from = seen(&places, place);
            note(&mut places, place, at);
            if four(&both, from) != bytes {
                at += 1 + (in_vain >> LOOKS_BITS);
                in_vain += 1;
                continue;
            }
            in_vain = 0;
            while at > written && from > 0 && both.get(at - 1) == both.get(from - 1) {
                at -= 1;
                from -= 1;
            }
            let length = alike(&both, from, at, end);
            refer(
                block,
                both.get(written..at).unwrap_or_default(),
                at - from,
                length,
            );
            at += length;
            written = at;
            let before = at.saturating_sub(2);
            note(&mut places, self::place(four(&both, before)), before);
        }
        let rest = both.get(written..).unwrap_or_default();
        token(block, rest.len(), 0);
        block.extend_from_slice(rest);
    }
}

/// Some bytes as they are, and `length` bytes that stand `offset` before.
fn refer(block: &mut Vec<u8>, literals: &[u8], offset: usize, length: usize) {
    let beyond_least = length - MATCH_MIN;
    token(block, literals.len(), beyond_least);
    block.extend_from_slice(literals);
    block.extend_from_slice(&u16::try_from(offset).unwrap_or_default().to_le_bytes());
    if beyond_least >= LONG_FROM {
        long(block, beyond_least - LONG_FROM);
    }
}

/// Two lengths in four bits each; what the first has beyond them follows at once.
fn token(block: &mut Vec<u8>, literals: usize, beyond_least: usize) {
    let both = (literals.min(LONG_FROM) << 4) | beyond_least.min(LONG_FROM);
    block.push(u8::try_from(both).unwrap_or_default());
    if literals >= LONG_FROM {
        long(block, literals - LONG_FROM);
    }
}

fn long(block: &mut Vec<u8>, mut rest: usize) {
    while rest >= 255 {
        block.push(255);
        rest -= 255;
    }
    block.push(u8::try_from(rest).unwrap_or_default());
}

/// How many bytes from these two places on are the same, the later one's up to `end`.
fn alike(both: &[u8], from: usize, at: usize, end: usize) -> usize {
    let later = both.get(at..end).unwrap_or_default();
    let earlier = both.get(from..).unwrap_or_default();
    let mut length = 0;
    let eights = later.as_chunks::<8>().0.iter();
    for (one, other) in eights.zip(earlier.as_chunks::<8>().0) {
        let differ = u64::from_le_bytes(*one) ^ u64::from_le_bytes(*other);
        if differ != 0 {
            return length + differ.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let rest = later.iter().zip(earlier).skip(length);
    length + rest.take_while(|(one, other)| one == other).count()
}

fn four(text: &[u8], at: usize) -> u32 {
    let bytes = text.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().map_or(0, u32::from_le_bytes)
}

/// Where in the table these four bytes are.
fn place(bytes: u32) -> usize {
    (bytes.wrapping_mul(2_654_435_761) >> (u32::BITS - PLACE_BITS)) as usize
}

fn seen(places: &Places, place: usize) -> usize {
    places.get(place).copied().unwrap_or_default().into()
}

fn note(places: &mut Places, place: usize, at: usize) {
    if let (Some(noted), Ok(at)) = (places.get_mut(place), u16::try_from(at)) {
        *noted = at;
    }
}
