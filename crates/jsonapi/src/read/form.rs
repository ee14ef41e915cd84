//! The attributes of a body, read one by one while faults pile up.

use super::json::{self, Node};
use super::words::{is_blank, spoken};
use crate::error::{ErrorItem, Source};

/// What a one-line text may be.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    /// Longest, in characters.
    pub chars_max: usize,
}

impl Text {
    /// A name or number: 255 characters.
    pub const NAME: Self = Self { chars_max: 255 };

    fn read(self, text: &str) -> Result<String, String> {
        let trimmed = text.trim();
        if trimmed.chars().any(char::is_control) {
            return Err("holds control characters".into());
        }
        if trimmed.chars().count() > self.chars_max {
            return Err(format!("is longer than {} characters", self.chars_max));
        }
        Ok(trimmed.to_owned())
    }
}

/// Items of a list of texts at most.
const ITEMS_MAX: usize = 100;

/// The attributes of one resource.
#[derive(Debug)]
pub struct Form {
    id: Option<String>,
    attributes: Vec<(String, Node)>,
    faults: Vec<ErrorItem>,
}

impl Form {
    pub(super) fn new(
        id: Option<String>,
        attributes: Vec<(String, Node)>,
        faults: Vec<ErrorItem>,
    ) -> Self {
        Self {
            id,
            attributes,
            faults,
        }
    }

    /// `data.id`, when it was sent, is the record of the path.
    pub fn must_be(&mut self, id: &str) {
        if self
            .id
            .as_deref()
            .is_some_and(|given| !given.eq_ignore_ascii_case(id))
        {
            let detail = "Id is not the one in the path";
            self.faults.push(ErrorItem::pointer("/data/id", detail));
        }
    }

    /// Whether the attribute was sent, be it as null.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(known, _)| known == name)
    }

    /// A text that may be missing, null or blank: all three are `None`.
    pub fn text(&mut self, name: &str, rule: Text) -> Option<String> {
        match json::remove(&mut self.attributes, name)? {
            Node::Null => None,
            Node::Text(text) if is_blank(&text) => None,
            Node::Text(text) => rule.read(&text).map_err(|why| self.fault(name, &why)).ok(),
            _ => {
                self.fault(name, "must be a string");
                None
            }
        }
    }

    /// A text that must be there.
    pub fn required_text(&mut self, name: &str, rule: Text) -> Option<String> {
        let faults_before = self.faults.len();
        let text = self.text(name, rule);
        if text.is_none() && self.faults.len() == faults_before {
            self.blank(name);
        }
        text
    }

    /// A text that must be there and be read by `parse`; `wish` says what would fit.
    pub fn required<T>(
        &mut self,
        name: &str,
        wish: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.required_text(name, Text::NAME)?;
        let value = parse(&text);
        if value.is_none() {
            self.fault(name, wish);
        }
        value
    }

    /// True or false; null counts as missing.
    pub fn boolean(&mut self, name: &str) -> Option<bool> {
        match json::remove(&mut self.attributes, name)? {
            Node::Null => None,
            Node::Boolean(yes) => Some(yes),
            _ => {
                self.fault(name, "must be true or false");
                None
            }
        }
    }

    /// A list of texts; null is an empty list. Blank items are faults.
    pub fn texts(&mut self, name: &str, rule: Text) -> Option<Vec<String>> {
        let items = self.list(name)?;
        let mut texts = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            let read = match item {
                Node::Text(text) if is_blank(&text) => Err("can't be blank".into()),
                Node::Text(text) => rule.read(&text),
                _ => Err("must be a string".into()),
            };
            match read {
                Ok(text) => texts.push(text),
                Err(why) => self.fault(&format!("{name}/{place}"), &why),
            }
        }
        Some(texts)
    }

    /// A list of `{"name":…,"value":…}`; null is an empty list.
    pub fn pairs(&mut self, name: &str) -> Option<Vec<(String, String)>> {
        let items = self.list(name)?;
        let mut pairs = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            let Node::Object(mut members) = item else {
                self.fault(&format!("{name}/{place}"), "must be an object");
                continue;
            };
            let mut part = |part: &str| {
                if let Some(Node::Text(text)) = json::remove(&mut members, part) {
                    return Some(text);
                }
                self.fault(&format!("{name}/{place}/{part}"), "must be a string");
                None
            };
            if let (Some(key), Some(value)) = (part("name"), part("value")) {
                pairs.push((key, value));
            }
        }
        Some(pairs)
    }

    /// Says that an attribute (or `name/0`, a part of it) is refused.
    pub fn fault(&mut self, name: &str, why: &str) {
        let shown = spoken(name.split('/').next().unwrap_or(name));
        let pointer = format!("/data/attributes/{name}");
        let item = ErrorItem::pointer(pointer, format!("{shown} {why}"));
        self.faults.push(item);
    }

    /// Says so in these very words.
    pub fn fault_in_words(&mut self, name: &str, detail: impl Into<String>) {
        let pointer = format!("/data/attributes/{name}");
        self.faults.push(ErrorItem::pointer(pointer, detail));
    }

    /// Whether a fault of this attribute, or of a part of it, was found already.
    pub fn is_refused(&self, name: &str) -> bool {
        let whole = format!("/data/attributes/{name}");
        self.faults.iter().any(|fault| match &fault.source {
            Some(Source::Pointer(pointer)) => pointer
                .strip_prefix(&whole)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            _ => false,
        })
    }

    /// Says that an attribute is missing.
    pub fn blank(&mut self, name: &str) {
        self.fault(name, "can't be blank");
        if let Some(item) = self.faults.last_mut() {
            item.code = Some("blank");
        }
    }

    /// Every fault so far, or nothing when there is none.
    pub fn finish(self) -> Result<(), Vec<ErrorItem>> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(self.faults)
        }
    }

    fn list(&mut self, name: &str) -> Option<Vec<Node>> {
        match json::remove(&mut self.attributes, name)? {
            Node::Null => Some(Vec::new()),
            Node::List(items) if items.len() > ITEMS_MAX => {
                self.fault(name, &format!("has more than {ITEMS_MAX} items"));
                None
            }
            Node::List(items) => Some(items),
            _ => {
                self.fault(name, "must be a list");
                None
            }
        }
    }
}
