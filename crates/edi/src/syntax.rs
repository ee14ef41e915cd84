//! The separators of one interchange.

/// Which byte does what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Syntax {
    /// Between elements: `*` or `+`.
    pub element: u8,
    /// Between components of an element: `>` or `:`.
    pub component: u8,
    /// Between repetitions of an element, where the version has them.
    pub repetition: Option<u8>,
    /// Takes away the meaning of the byte behind it; X12 has none.
    pub release: Option<u8>,
    /// Behind each segment: `~` or `'`.
    pub terminator: u8,
}

impl Syntax {
    /// What most senders of X12 use.
    pub const X12: Self = Self {
        element: b'*',
        component: b'>',
        repetition: None,
        release: None,
        terminator: b'~',
    };

    /// What EDIFACT uses when a file does not say otherwise.
    pub const EDIFACT: Self = Self {
        element: b'+',
        component: b':',
        repetition: None,
        release: Some(b'?'),
        terminator: b'\'',
    };

    /// What EDIFACT of level B uses: control characters, and no release.
    pub const EDIFACT_B: Self = Self {
        element: 0x1d,
        component: 0x1f,
        repetition: None,
        release: None,
        terminator: 0x1c,
    };

    /// Whether a byte of a value would be taken for a separator.
    pub fn is_special(self, byte: u8) -> bool {
        byte == self.element
            || byte == self.component
            || byte == self.terminator
            || Some(byte) == self.release
            || Some(byte) == self.repetition
    }

    /// Whether these bytes can separate anything: none stands for two things (but for the component of X12,
    /// which hardly anybody uses), and neither the element's nor the terminator is part of a word.
    pub(crate) fn is_usable(self) -> bool {
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b' ';
        !word(self.element)
            && !word(self.terminator)
            && self.element != self.terminator
            && self.element != self.component
    }
}
