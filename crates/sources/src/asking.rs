//! How a terminal or a railroad is asked about boxes: many in one question, in a form of its own.
//!
//! What is here makes requests and sends nothing. Credentials are named, not held; whoever sends a request puts
//! them in.

use std::time::Duration;

use domain::codes::ContainerNumber;
use http::{HeaderName, HeaderValue, Method};
use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::ProfileError;
use crate::ocean::dcsa::{Auth, Polling, profile_file};
use crate::section::Section;

/// How one source is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// Scheme, host and path.
    pub address: Url,
    /// How the boxes are named.
    pub form: Form,
    /// How many boxes one question may name.
    pub batch_max: usize,
    /// Numbers go without their check digit.
    pub without_check_digit: bool,
    /// Query parameters sent with every question.
    pub query: Vec<(String, String)>,
    /// Header fields sent with every question.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// Header field that carries the moment of the question, for one that wants it.
    pub date_header: Option<HeaderName>,
    /// How we prove who we are.
    pub auth: Auth,
    /// How often it is asked.
    pub polling: Polling,
    /// The least time between two questions.
    pub pause: Duration,
}

/// How a question names its boxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// `GET`, with the numbers in one query parameter, commas between them.
    Query(String),
    /// `POST` of `{list: [{initial: "QSDU", number: "100001"}]}`, by these names.
    Units {
        /// Name of the list.
        list: String,
        /// Name of the owner's letters.
        initial: String,
        /// Name of the serial number.
        number: String,
    },
    /// `POST` of `{list: ["QSDU100001"]}`, by this name.
    Numbers(String),
    /// `GET` of this path, with the numbers in the place of `{numbers}`, commas between them.
    Path(String),
}

/// Where the numbers stand in a path.
const NUMBERS_PLACE: &str = "{numbers}";

/// One request, without credentials.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// GET or POST.
    pub method: Method,
    /// Where.
    pub url: Url,
    /// Header fields.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// JSON, when there is a body.
    pub body: Option<String>,
    /// The boxes it names.
    pub numbers: Vec<ContainerNumber>,
}

impl Asking {
    /// The requests that ask about these boxes, each within the limit of one question.
    pub fn requests(&self, numbers: &[ContainerNumber], now: Timestamp) -> Vec<Asked> {
        let batches = numbers.chunks(self.batch_max.max(1));
        batches.map(|batch| self.request(batch, now)).collect()
    }

    fn request(&self, numbers: &[ContainerNumber], now: Timestamp) -> Asked {
        let mut url = self.address.clone();
        let written: Vec<String> = numbers.iter().map(|number| self.written(*number)).collect();
        {
            let mut query = url.query_pairs_mut();
            query.extend_pairs(&self.query);
            if let Form::Query(parameter) = &self.form {
                query.append_pair(parameter, &written.join(","));
            }
        }
        if let Form::Path(path) = &self.form {
            url.set_path(&path.replace(NUMBERS_PLACE, &written.join(",")));
        }
        if url.query() == Some("") {
            url.set_query(None);
        }
        let body = match &self.form {
            Form::Query(_) | Form::Path(_) => None,
            Form::Numbers(list) => Some(json!({ list.as_str(): written })),
            Form::Units {
                list,
                initial,
                number,
            } => {
                let unit = |text: &String| {
                    let (letters, serial) = text.split_at_checked(4).unwrap_or((text, ""));
                    json!({ initial.as_str(): letters, number.as_str(): serial })
                };
                let units: Vec<Value> = written.iter().map(unit).collect();
                Some(json!({ list.as_str(): units }))
            }
        };
        let mut headers = self.headers.clone();
        if let Some(name) = &self.date_header {
            let moment = HeaderValue::from_str(&now.to_string());
            headers.extend(moment.ok().map(|moment| (name.clone(), moment)));
        }
        Asked {
            method: if body.is_some() {
                Method::POST
            } else {
                Method::GET
            },
            url,
            headers,
            body: body.map(|body| body.to_string()),
            numbers: numbers.to_vec(),
        }
    }

    fn written(&self, number: ContainerNumber) -> String {
        let text = number.as_str();
        let whole = if self.without_check_digit {
            text.get(..10)
        } else {
            None
        };
        whole.unwrap_or(text).to_owned()
    }
}

/// Reads `[endpoint]`, `[auth]` and `[polling]`; `None` where there is no endpoint.
pub(crate) fn read(top: &mut Section) -> Result<Option<Asking>, ProfileError> {
    let Some(mut table) = top.table("endpoint")? else {
        return Ok(None);
    };
    let mut address = table
        .base("base")?
        .ok_or_else(|| table.bad("base", "is missing"))?;
    let mut numbers_path = None;
    if let Some(path) = table.text("path")? {
        if !path.starts_with('/') {
            return Err(table.bad("path", "begins with a slash"));
        }
        let path = format!("{}{path}", address.path().trim_end_matches('/'));
        address.set_path(&path);
        numbers_path = Some(path).filter(|path| path.contains(NUMBERS_PLACE));
    }
    let form = form(&mut table, numbers_path)?;
    let headers = table.pairs("headers")?;
    let headers = headers.into_iter().map(|(name, value)| {
        let value =
            HeaderValue::try_from(value).map_err(|e| table.bad("headers", &e.to_string()))?;
        Ok((profile_file::header_name(&table, &name)?, value))
    });
    let headers = headers.collect::<Result<_, ProfileError>>()?;
    let date_header = table.text("date_header")?;
    let date_header = date_header
        .map(|name| profile_file::header_name(&table, &name))
        .transpose()?;
    let asking = Asking {
        address,
        form,
        batch_max: usize::try_from(table.number("batch_max", 1, 1..=1000)?).unwrap_or(1),
        without_check_digit: table.flag("without_check_digit")?,
        query: table.pairs("query")?,
        headers,
        date_header,
        pause: Duration::from_millis(table.number("pause_milliseconds", 0, 0..=600_000)?.into()),
        auth: profile_file::auth(top.table_or_empty("auth")?)?,
        polling: profile_file::polling(top.table_or_empty("polling")?)?,
    };
    table.finish()?;
    Ok(Some(asking))
}

fn form(table: &mut Section, path: Option<String>) -> Result<Form, ProfileError> {
    let query = table.text("numbers_parameter")?;
    let list = table.text("numbers_list")?;
    let (initial, number) = (table.text("unit_initial")?, table.text("unit_number")?);
    match (path, query, list, initial, number) {
        (Some(path), None, None, None, None) => Ok(Form::Path(path)),
        (None, Some(parameter), None, None, None) => Ok(Form::Query(parameter)),
        (None, None, Some(list), None, None) => Ok(Form::Numbers(list)),
        (None, None, Some(list), Some(initial), Some(number)) => Ok(Form::Units {
            list,
            initial,
            number,
        }),
        _ => Err(table.bad(
            "numbers_parameter",
            "is the query parameter with the numbers; or numbers_list is the list of a posted body, of texts \
             or, with unit_initial and unit_number, of objects; or path holds {numbers}",
        )),
    }
}
