//! The attributes of a body, read one by one while faults pile up.

use super::json::{self, Node};
use super::kind;
use super::words::{beginning, is_blank, spoken, step};
use crate::error::{ERRORS_MAX, ErrorItem, Source};

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

/// The attributes and relationships of one resource, or the members of a bare object.
#[derive(Debug)]
pub struct Form {
    id: Option<String>,
    /// Where the attributes stand in the body.
    place: &'static str,
    attributes: Vec<(String, Node)>,
    relationships: Vec<(String, Node)>,
    faults: Vec<ErrorItem>,
}

impl Form {
    pub(super) fn new(
        place: &'static str,
        attributes: Vec<(String, Node)>,
        faults: Vec<ErrorItem>,
    ) -> Self {
        Self {
            id: None,
            place,
            attributes,
            relationships: Vec::new(),
            faults,
        }
    }

    pub(super) fn of(mut self, id: Option<String>) -> Self {
        self.id = id;
        self
    }

    /// What stands at `place` of it, with the faults so far.
    pub(super) fn within(self, place: &'static str, members: Vec<(String, Node)>) -> Self {
        Self::new(place, members, self.faults)
    }

    pub(super) fn with_relationships(mut self, relationships: Vec<(String, Node)>) -> Self {
        self.relationships = relationships;
        self
    }

    /// `data.id`, when it was sent.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// `data.id`, when it was sent, is the record of the path.
    pub fn must_be(&mut self, id: &str) {
        if self
            .id
            .as_deref()
            .is_some_and(|given| !given.eq_ignore_ascii_case(id))
        {
            let detail = "Id is not the one in the path";
            self.note(ErrorItem::pointer("/data/id", detail));
        }
    }

    /// Whether the attribute was sent, be it as null.
    pub fn has(&self, name: &str) -> bool {
        self.attributes.iter().any(|(known, _)| known == name)
    }

    /// Whether the attribute was sent, and not as null.
    pub fn holds(&self, name: &str) -> bool {
        let mut sent = self.attributes.iter();
        sent.any(|(known, node)| known == name && !matches!(node, Node::Null))
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

    /// A whole number; null counts as missing.
    pub fn integer(&mut self, name: &str) -> Option<i64> {
        match json::remove(&mut self.attributes, name)? {
            Node::Null => None,
            Node::Number(number) if number.is_i64() => number.as_i64(),
            _ => {
                self.fault(name, "must be a whole number");
                None
            }
        }
    }

    /// The members of an object; null counts as missing.
    pub fn object(&mut self, name: &str) -> Option<Vec<(String, Node)>> {
        match json::remove(&mut self.attributes, name)? {
            Node::Null => None,
            Node::Object(members) => Some(members),
            _ => {
                self.fault(name, "must be an object");
                None
            }
        }
    }

    /// Whatever was sent, null too; `None` when nothing was.
    pub fn value(&mut self, name: &str) -> Option<Node> {
        json::remove(&mut self.attributes, name)
    }

    /// Whether the relationship was sent, be it as null.
    pub fn has_link(&self, name: &str) -> bool {
        self.relationships.iter().any(|(known, _)| known == name)
    }

    /// A relationship to at most one resource of these types: `None` when it was not sent, `Some(None)` when it
    /// was sent as null.
    pub fn linked(
        &mut self,
        name: &str,
        targets: &[&'static str],
    ) -> Option<Option<(&'static str, uuid::Uuid)>> {
        let sent = json::remove(&mut self.relationships, name)?;
        let Node::Object(members) = sent else {
            self.fault_of_link(name, "must be an object with data");
            return None;
        };
        let mut data = match json::take(members, "data") {
            Some(Node::Object(data)) => data,
            Some(Node::Null) => return Some(None),
            Some(_) | None => {
                self.fault_of_link(name, "must hold one resource identifier or null as data");
                return None;
            }
        };
        let mut text = |part| match json::remove(&mut data, part) {
            Some(Node::Text(text)) => Some(text),
            _ => None,
        };
        let (kind, id) = (text("type"), text("id"));
        let Some(kind) = targets
            .iter()
            .copied()
            .find(|one| kind.as_deref().is_some_and(|sent| kind::is(sent, one)))
        else {
            self.fault_of_link(name, &format!("must be of type {}", targets.join(" or ")));
            return None;
        };
        let Some(id) = id.and_then(|id| id.parse().ok()) else {
            self.fault_of_link(name, &format!("names no {kind}"));
            return None;
        };
        Some(Some((kind, id)))
    }

    /// The same where there is one type only.
    pub fn to_one(&mut self, name: &str, target: &'static str) -> Option<Option<uuid::Uuid>> {
        let linked = self.linked(name, &[target])?;
        Some(linked.map(|(_, id)| id))
    }

    /// Says that a relationship is refused.
    pub fn fault_of_link(&mut self, name: &str, why: &str) {
        let pointer = format!("/data/relationships/{name}");
        let item = ErrorItem::pointer(pointer, format!("{} {why}", spoken(name)));
        self.note(item);
    }

    /// What is left when all members that there are have been read: each is a fault. For operations in which a slip in an
    /// optional member's name would do far more than was meant; all others leave unknown members alone.
    pub fn nothing_else(&mut self) {
        for (name, _) in std::mem::take(&mut self.attributes) {
            let shown = beginning(&name);
            self.fault_in_words(
                &step(&name),
                format!("{shown:?} is no member of this request"),
            );
        }
    }

    /// A list of texts; null is an empty list. Blank items are faults.
    pub fn texts(&mut self, name: &str, rule: Text) -> Option<Vec<String>> {
        let placed = self.placed_texts(name, rule)?;
        Some(placed.into_iter().map(|(_, text)| text).collect())
    }

    /// The same without the nulls in it: who fills a list from what may not be set writes them.
    pub fn texts_or_nulls(&mut self, name: &str, rule: Text) -> Option<Vec<String>> {
        let items = self.list(name)?.into_iter().enumerate();
        let set = items.filter(|(_, item)| !matches!(item, Node::Null));
        let placed = self.read_texts(name, rule, set);
        Some(placed.into_iter().map(|(_, text)| text).collect())
    }

    /// A list of texts, each with its place in it as it was sent: those that are refused are left out.
    pub fn placed_texts(&mut self, name: &str, rule: Text) -> Option<Vec<(usize, String)>> {
        let items = self.list(name)?.into_iter().enumerate();
        Some(self.read_texts(name, rule, items))
    }

    fn read_texts(
        &mut self,
        name: &str,
        rule: Text,
        items: impl Iterator<Item = (usize, Node)>,
    ) -> Vec<(usize, String)> {
        let mut texts = Vec::new();
        for (place, item) in items {
            let read = match item {
                Node::Text(text) if is_blank(&text) => Err("can't be blank".into()),
                Node::Text(text) => rule.read(&text),
                _ => Err("must be a string".into()),
            };
            match read {
                Ok(text) => texts.push((place, text)),
                Err(why) => self.fault(&format!("{name}/{place}"), &why),
            }
        }
        texts
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
                let at = format!("{name}/{place}/{part}");
                match json::remove(&mut members, part) {
                    Some(Node::Text(text)) => return Some(text),
                    Some(Node::Null) | None => {
                        let why = format!("can't be blank: the {part} of one is missing");
                        let item = self.refusal(&at, &why);
                        self.note(item.code("blank"));
                    }
                    Some(_) => self.fault(&at, &format!("have a {part} that is not a string")),
                }
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
        let item = self.refusal(name, why);
        self.note(item);
    }

    /// Says so in these very words.
    pub fn fault_in_words(&mut self, name: &str, detail: impl Into<String>) {
        let pointer = format!("{}/{name}", self.place);
        self.note(ErrorItem::pointer(pointer, detail));
    }

    /// Whether a fault of this attribute, or of a part of it, was found already.
    pub fn is_refused(&self, name: &str) -> bool {
        let whole = format!("{}/{name}", self.place);
        self.faults.iter().any(|fault| match &fault.source {
            Some(Source::Pointer(pointer)) => pointer
                .strip_prefix(&whole)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
            _ => false,
        })
    }

    /// Says that an attribute is missing.
    pub fn blank(&mut self, name: &str) {
        let item = self.refusal(name, "can't be blank");
        self.note(item.code("blank"));
    }

    /// Every fault so far, or nothing when there is none.
    pub fn finish(self) -> Result<(), Vec<ErrorItem>> {
        if self.faults.is_empty() {
            Ok(())
        } else {
            Err(self.faults)
        }
    }

    fn refusal(&self, name: &str, why: &str) -> ErrorItem {
        let shown = spoken(name.split('/').next().unwrap_or(name));
        let pointer = format!("{}/{name}", self.place);
        ErrorItem::pointer(pointer, format!("{shown} {why}"))
    }

    /// Keeps a fault, so far as an answer has room.
    fn note(&mut self, item: ErrorItem) {
        if self.faults.len() < ERRORS_MAX {
            self.faults.push(item);
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
