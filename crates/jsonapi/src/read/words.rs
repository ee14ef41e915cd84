//! What counts as text a person meant to write, and how much is shown again of what a client called things.

/// Characters shown of a name that nobody knows.
const NAME_CHARS_SHOWN: usize = 64;

/// Whether a text is nothing but white space and characters that show nothing.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_invisible(c))
}

/// Characters without ink: soft hyphen, fillers, zero width marks and joiners, tags.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{00AD}'
            | '\u{034F}'
            | '\u{061C}'
            | '\u{115F}'
            | '\u{1160}'
            | '\u{17B4}'
            | '\u{17B5}'
            | '\u{180B}'..='\u{180F}'
            | '\u{200B}'..='\u{200F}'
            | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{FE00}'..='\u{FE0F}'
            | '\u{FEFF}'
            | '\u{FFA0}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// A member's name as a person says it: `request_number` → `Request number`.
pub(super) fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

/// How a name of the client's own begins: what is shown of it.
pub(super) fn beginning(name: &str) -> String {
    name.chars().take(NAME_CHARS_SHOWN).collect()
}

/// The same as one step of a JSON pointer.
pub(super) fn step(name: &str) -> String {
    let shown = beginning(name).replace('\0', "");
    shown.replace('~', "~0").replace('/', "~1")
}
