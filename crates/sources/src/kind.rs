//! What a message is, told from its first bytes: for files that nobody said anything about.

/// Kinds of message that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// DCSA Track & Trace 2.x.
    Dcsa2,
    /// DCSA Track & Trace 3, in any of its dialects.
    Dcsa3,
    /// COSCO's own.
    Cosco,
    /// X12: 315, 322, 214, and what railroads send besides.
    X12,
    /// EDIFACT: IFTSTA, CODECO, COARRI.
    Edifact,
    /// A table of boxes that a mapping explains.
    Table,
    /// Car location messages of railroads.
    Clm,
    /// Positions of vessels.
    Ais,
}

/// Segments that begin files of EDI.
const X12_BEGINNINGS: &[&[u8]] = &[b"ISA", b"GS", b"ST"];
const EDIFACT_BEGINNINGS: &[&[u8]] = &[b"UNA", b"UNB", b"UNG", b"UNH"];

/// How much of a message is looked at. What an event is stands in its first members, and a first event longer
/// than this has not been seen.
const LOOKED_AT_BYTES_MAX: usize = 64 * 1024;

impl Kind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Dcsa2,
        Self::Dcsa3,
        Self::Cosco,
        Self::X12,
        Self::Edifact,
        Self::Table,
        Self::Clm,
        Self::Ais,
    ];

    /// As it is written on a command line and in a profile.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Dcsa2 => "dcsa-2",
            Self::Dcsa3 => "dcsa-3",
            Self::Cosco => "cosco",
            Self::X12 => "x12",
            Self::Edifact => "edifact",
            Self::Table => "terminal-table",
            Self::Clm => "clm",
            Self::Ais => "ais",
        }
    }
}

/// What a message is; none when it looks like nothing we read.
pub fn detect(bytes: &[u8]) -> Option<Kind> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.trim_ascii_start();
    match start.first()? {
        b'[' | b'{' => Some(of_json(start)),
        _ if begins(start, X12_BEGINNINGS) => Some(Kind::X12),
        _ if begins(start, EDIFACT_BEGINNINGS) => Some(Kind::Edifact),
        b'!' | b'\\' => Some(Kind::Ais),
        b'P' if start.starts_with(b"PK\x03\x04") => Some(Kind::Table),
        b'C' if start.starts_with(b"CLM ") => Some(Kind::Clm),
        _ => None,
    }
}

/// Whether a segment of one of these names stands here: the name, and a separator behind it.
fn begins(bytes: &[u8], names: &[&[u8]]) -> bool {
    let mut rests = names.iter().filter_map(|name| bytes.strip_prefix(*name));
    rests.any(|rest| {
        let separator = |b: &u8| !b.is_ascii_alphanumeric() && !b.is_ascii_whitespace();
        rest.first().is_some_and(separator)
    })
}

/// JSON is of a carrier; what is in no other shape is DCSA 2, which carriers spell in the most ways.
fn of_json(text: &[u8]) -> Kind {
    let looked_at = text.get(..LOOKED_AT_BYTES_MAX).unwrap_or(text);
    let looked_at = String::from_utf8_lossy(looked_at).to_ascii_lowercase();
    let says = |name: &str| looked_at.contains(name);
    match () {
        () if says("\"mmsi\"") => Kind::Ais,
        () if says("\"containercirclestatus\"") || says("\"actualshipment\"") => Kind::Cosco,
        () if says("\"numbertype\"") && says("\"content\"") => Kind::Cosco,
        () if says("\"eventclassification\"") || says("\"eventrouting\"") => Kind::Dcsa3,
        () if says("\"metadata\"") && (says("\"payload\"") || says("\"retractedeventid\"")) => {
            Kind::Dcsa3
        }
        () => Kind::Dcsa2,
    }
}
