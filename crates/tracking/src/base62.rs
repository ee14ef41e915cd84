//! Base 62 text of API keys: digits, capitals, small letters.

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// `length` characters drawn from random bytes. A byte of 248 and above is passed over, so that every
/// character is equally likely; the caller gives more bytes than characters.
pub(crate) fn random_text(bytes: &[u8], length: usize) -> String {
    bytes
        .iter()
        .filter(|byte| **byte < 248)
        .filter_map(|byte| ALPHABET.get(usize::from(byte % 62)))
        .map(|letter| char::from(*letter))
        .take(length)
        .collect()
}

/// A number as exactly `length` characters, zero-filled; what does not fit is cut off at the front.
pub(crate) fn number_text(mut number: u32, length: usize) -> String {
    let mut letters = Vec::with_capacity(length);
    for _ in 0..length {
        let letter = ALPHABET
            .get((number % 62) as usize)
            .copied()
            .unwrap_or(b'0');
        letters.push(char::from(letter));
        number /= 62;
    }
    letters.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fill_their_width() {
        assert_eq!(number_text(0, 6), "000000");
        assert_eq!(number_text(61, 6), "00000z");
        assert_eq!(number_text(u32::MAX, 6), "4gfFC3");
    }
}
