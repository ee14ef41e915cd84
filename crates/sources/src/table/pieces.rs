//! Where a text that lists holds or fees is cut.
//!
//! A stroke stands between holds, and in dates and `N/A` as well. A date is not cut; what is said behind it may be
//! another hold, and then it is one of its own.

/// What stands between the separators.
pub(super) fn split<'t>(text: &'t str, separators: &'t [String]) -> impl Iterator<Item = &'t str> {
    cut(text, separators, str::split)
}

/// The same for holds; `is_code` knows the codes of the source, `speaks` whether a text says anything of a hold.
pub(super) fn of_holds<'t>(
    text: &'t str,
    separators: &'t [String],
    is_code: impl Fn(&str) -> bool,
    speaks: impl Fn(&str) -> bool,
) -> Vec<&'t str> {
    let at = |piece: &'t str, separator: &'t str| -> std::vec::IntoIter<&'t str> {
        let codes = !has_letter(piece) && piece.split(separator).any(&is_code);
        let pieces = if separator == STROKE && !codes {
            at_strokes(piece, &speaks)
        } else {
            piece.split(separator).collect()
        };
        pieces.into_iter()
    };
    cut(text, separators, at).collect()
}

fn cut<'t, I: Iterator<Item = &'t str>>(
    text: &'t str,
    separators: &'t [String],
    at: impl Fn(&'t str, &'t str) -> I,
) -> impl Iterator<Item = &'t str> {
    let mut pieces = vec![text];
    for separator in separators.iter().filter(|separator| !separator.is_empty()) {
        let each = pieces.into_iter();
        pieces = each.flat_map(|piece| at(piece, separator)).collect();
    }
    let pieces = pieces.into_iter().map(str::trim);
    pieces.filter(|piece| !piece.is_empty())
}

const STROKE: &str = "/";

/// Cut at the strokes that stand in no date and no `N/A`, and behind these where more is said.
fn at_strokes<'t>(text: &'t str, speaks: &impl Fn(&str) -> bool) -> Vec<&'t str> {
    let mut pieces = Vec::new();
    let (mut from, mut whole_to) = (0, 0);
    for (stroke, _) in text.match_indices(STROKE) {
        if stroke < whole_to {
            continue;
        }
        let (before, after) = (text.get(..stroke), text.get(stroke + STROKE.len()..));
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        let Some(length) = goes_on(before, after) else {
            pieces.extend(text.get(from..stroke));
            from = stroke + STROKE.len();
            continue;
        };
        whole_to = stroke + STROKE.len() + length;
        let behind = text.get(whole_to..).unwrap_or_default();
        if behind.split(STROKE).next().is_some_and(speaks) {
            pieces.extend(text.get(from..whole_to));
            from = whole_to;
        }
    }
    pieces.extend(text.get(from..));
    pieces
}

/// How far the date or the `N/A` goes on behind its stroke; `None` where the stroke stands in neither.
fn goes_on(before: &str, after: &str) -> Option<usize> {
    let is_word_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    let mut back = before.chars().rev();
    match (back.next()?, after.chars().next()?) {
        ('0'..='9', '0'..='9') => {
            let is_in_date = |c: char| c.is_ascii_digit() || STROKE.contains(c);
            let end = after.find(|c| !is_in_date(c)).unwrap_or(after.len());
            let date = after.get(..end)?;
            Some(date.trim_end_matches(STROKE).len())
        }
        ('N' | 'n', a @ ('A' | 'a')) => {
            let alone = is_word_end(back.next()) && is_word_end(after.chars().nth(1));
            alone.then_some(a.len_utf8())
        }
        _ => None,
    }
}

pub(super) fn has_letter(text: &str) -> bool {
    text.chars().any(char::is_alphabetic)
}
