//! What every call goes through, in this order: key, rate, permission, body, query, handler.
//!
//! The order is part of the contract: nobody without a key learns anything about a record, and nothing of a
//! body is read for a caller who will be refused anyway.

use std::sync::Arc;

use axum::RequestExt;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use bytes::Bytes;
use domain::codes::UnLocode;
use domain::ids::ReferenceId;
use http::{HeaderMap, Method, header};
use jsonapi::document::{self, Address, Page};
use jsonapi::linkage;
use jsonapi::query::{Include, Query};
use jsonapi::read::{self, Form};
use store::{AccountTx, Listed, Slice, Tx};
use tokio::runtime::Handle;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout};
use tracking::access::Caller;
use tracking::intake::MESSAGE_BYTES_MAX;
use tracking::once::Sending;
use uuid::Uuid;

use crate::answer::Answer;
use crate::app::App;
use crate::authenticate::{self, Peer};
use crate::failure::Failure;
use crate::long_reads::Place;
use crate::operation::{Body, Handling, Operation};
use crate::rate_limit::Counted;
use crate::upload_room::Sender;
use crate::{address, body, include, once, panics, plan, upload_room};

/// A call that has passed all checks.
#[derive(Clone)]
pub(crate) struct Call {
    pub(crate) app: App,
    pub(crate) caller: Caller,
    pub(crate) query: Arc<Query>,
    /// Absolute, without query.
    pub(crate) address: String,
    subject: &'static str,
    segments: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Where its body is held, and what that unpacks to.
    pub(crate) upload: Arc<std::sync::Mutex<upload_room::Place>>,
    /// Of a named request.
    sending: Option<Arc<Sending>>,
    place: Held,
}

/// The place that a call has for what may take long to read, once it has one.
type Held = Arc<Mutex<Option<Arc<Place>>>>;

/// How much a call reads.
#[derive(Clone, Copy)]
enum Reach {
    /// What one statement finds.
    One,
    /// What several statements find, which see the same.
    Many,
    /// Far more than is shown.
    Much,
}

/// Answers a request of this operation, whatever happens.
pub(crate) async fn answer(app: App, operation: &'static Operation, request: Request) -> Response {
    let request_id = app.request_id();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let known = known.filter(|_| reads);
    let mut counted = None;
    let answered = panics::caught(run(&app, operation, request, &mut counted)).await;
    let mut answer = answered.unwrap_or_else(|failure| app.failed(failure, &request_id));
    if let Some(counted) = counted {
        counted.tell(&mut answer.headers);
    }
    answer.respond(&request_id, known.as_ref())
}

async fn run(
    app: &App,
    operation: &'static Operation,
    mut request: Request,
    counted: &mut Option<Counted>,
) -> Result<Answer, Failure> {
    let peer = request.extensions().get::<Peer>().copied();
    // The body has bounds of its own; all else has this time together.
    let (limit, begun) = (app.settings.handler_timeout, Instant::now());
    let admitting = admit(app, operation, request.headers(), peer);
    let admitted = timeout(limit, admitting).await;
    let (caller, standing) = admitted.map_err(|_| Failure::TooSlow)??;
    let limit = limit.saturating_sub(begun.elapsed());
    *counted = standing;
    counted.map_or(Ok(()), Counted::judge)?;
    plan::admit(&caller, operation.needs, operation.gate, app.tracking.now())?;
    let segments = segments(&mut request).await;
    let (parts, incoming) = request.into_parts();
    let mut place = app.uploads.place(Sender::Account(caller.account));
    let body = match operation.body {
        Some(Body::Resource { .. } | Body::Plain(_)) => {
            body::read(&parts.headers, incoming, &app.settings).await?
        }
        Some(Body::Message) => {
            let bytes_max = MESSAGE_BYTES_MAX;
            let (headers, settings) = (&parts.headers, &app.settings);
            body::read_long(headers, incoming, settings, bytes_max, &mut place).await?
        }
        Some(Body::Nothing) => body::nothing(&parts.headers, incoming, &app.settings).await?,
        None => {
            body::refuse(&parts.headers)?;
            Bytes::new()
        }
    };
    let query = Query::parse(parts.uri.query().unwrap_or_default(), &operation.query)?;
    let name = once::name(&parts.method, parts.uri.path(), &parts.headers)?;
    let call = Call {
        address: address::absolute(app.tracking.base_url(), parts.uri.path()),
        app: app.by(caller.key),
        caller,
        query: Arc::new(query),
        subject: operation.subject,
        segments,
        headers: parts.headers,
        body,
        upload: Arc::new(std::sync::Mutex::new(place)),
        sending: None,
        place: Held::default(),
    };
    let held = Arc::clone(&call.place);
    let handling: Handling = match name {
        None => (operation.handle)(call),
        Some(name) => Box::pin(once::answer(name, operation, call)),
    };
    let answering = async {
        let mut answer = handling.await?;
        if let Some(place) = held.lock().await.take() {
            answer.body = app.long_reads.hand_over(answer.body, &place).await;
        }
        Ok(answer)
    };
    timeout(limit, answering)
        .await
        .map_err(|_| Failure::TooSlow)?
}

/// Who calls, and how its rate stands.
async fn admit(
    app: &App,
    operation: &Operation,
    headers: &HeaderMap,
    peer: Option<Peer>,
) -> Result<(Caller, Option<Counted>), Failure> {
    let caller = authenticate::caller(app, headers, peer).await?;
    let counting = app
        .limiters
        .count(&app.tracking, caller.account, operation.bucket);
    let counted = counting.await?;
    Ok((caller, counted))
}

/// What stands in the path where the route has names; nothing where that is no text.
pub(crate) async fn segments(request: &mut Request) -> Vec<(String, String)> {
    let Ok(params) = request.extract_parts::<RawPathParams>().await else {
        return Vec::new();
    };
    let named = params.iter();
    named
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

impl Call {
    /// The same call as this sending of a named request.
    pub(crate) fn once(&self, sending: Arc<Sending>) -> Self {
        Self {
            app: self.app.once(Arc::clone(&sending)),
            sending: Some(sending),
            ..self.clone()
        }
    }

    /// Does what the call asks for, and answers with what is told of what came back. `doing` returns what its transaction
    /// does: of a named request the answer is made there, and kept. So all that writes is done by this, but for what may be
    /// written again without harm ([`App::unnamed`]); otherwise the request sent again would be done again.
    pub(crate) async fn done<T: 'static, E>(
        &self,
        doing: impl Future<Output = Result<T, E>>,
        told: impl Fn(&Self, &T) -> Result<Answer, Failure> + Send + Sync + 'static,
    ) -> Result<Result<Answer, Failure>, E> {
        let told = Arc::new(told);
        if let Some(sending) = &self.sending {
            let unnamed = Self {
                app: self.app.unnamed(),
                sending: None,
                ..self.clone()
            };
            let told = Arc::clone(&told);
            sending.tell(once::out_of(unnamed, move |call, came| told(call, came)));
        }
        let came = doing.await?;
        Ok(told(self, &came))
    }

    /// The same to what the path names, or 404.
    pub(crate) async fn done_to_one<T: 'static, E>(
        &self,
        doing: impl Future<Output = Result<Option<T>, E>>,
        told: impl Fn(&Self, &T) -> Answer + Send + Sync + 'static,
    ) -> Result<Result<Answer, Failure>, E> {
        self.done(doing, move |call, came: &Option<T>| {
            let came = came.as_ref().ok_or_else(|| call.not_found())?;
            Ok(told(call, came))
        })
        .await
    }

    /// The id in the path. One of the wrong form is as unknown as any other.
    pub(crate) fn id<I: From<Uuid>>(&self) -> Result<I, Failure> {
        self.id_in("id")
    }

    /// The id in this segment of the path.
    pub(crate) fn id_in<I: From<Uuid>>(&self, name: &str) -> Result<I, Failure> {
        let id: Option<Uuid> = self.segment(name).parse().ok();
        id.map(I::from).ok_or_else(|| self.not_found())
    }

    /// The id in the path of a reference record of this kind; its UN/LOCODE stands for it as well.
    pub(crate) fn coded_id(&self, kind: &str) -> Result<Uuid, Failure> {
        let text = self.segment("id");
        if let Ok(id) = text.parse() {
            return Ok(id);
        }
        let code = UnLocode::parse(text).map_err(|_| self.not_found())?;
        Ok(ReferenceId::named(kind, code.as_str()).0)
    }

    /// A reference record with what was asked to be included. The tables are in memory: the store is asked only
    /// when something is to be included.
    pub(crate) async fn reference(&self, kind: &str, id: Uuid) -> Result<Answer, Failure> {
        let app = &self.app;
        let found = app.references.document(&app.tracking, kind, id);
        let primary: Vec<String> = found.into_iter().collect();
        if self.query.include.is_empty() {
            let included = Vec::new();
            return self.found(Rows { primary, included });
        }
        let rows = self.read(move |reading| reading.with_included(primary.clone()));
        self.found(rows.await?)
    }

    /// This segment of the path, as it was sent; empty when the route has none of this name.
    pub(crate) fn segment(&self, name: &str) -> &str {
        let mut named = self.segments.iter();
        named
            .find(|(known, _)| known == name)
            .map_or("", |(_, value)| value)
    }

    /// Says that the path names nothing of this account.
    pub(crate) fn not_found(&self) -> Failure {
        let last = self.segments.last();
        Failure::not_found(self.subject, last.map_or("", |(_, value)| value))
    }

    /// The body's envelope, of a resource of this type.
    pub(crate) fn form(&self, kind: &'static str) -> Result<Form, Failure> {
        Ok(read::resource(&self.body, kind)?)
    }

    /// The body, a bare object.
    pub(crate) fn plain_form(&self) -> Result<Form, Failure> {
        Ok(read::plain(&self.body)?)
    }

    /// The number at this path of the body, digit for digit.
    pub(crate) fn digits(&self, path: &[&str]) -> Option<String> {
        read::digits(&self.body, path)
    }

    /// Reads from one snapshot of the store.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnMut(&mut Reading<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.look(Reach::Many, query).await
    }

    /// As [`read`](Self::read), where it may take long however it is asked for: all reports about a shipment are read, or many
    /// rows counted.
    pub(crate) async fn read_much<T: Send + 'static>(
        &self,
        query: impl FnMut(&mut Reading<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        self.look(Reach::Much, query).await
    }

    /// As [`read`](Self::read), where the rows asked for take one statement: when nothing is to be included and
    /// the page is the first, there is no other one.
    pub(crate) async fn glance<T: Send + 'static>(
        &self,
        query: impl FnMut(&mut Reading<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let alone = self.query.include.is_empty() && self.query.page_number == 1;
        let reach = if alone { Reach::One } else { Reach::Many };
        self.look(reach, query).await
    }

    async fn look<T: Send + 'static>(
        &self,
        reach: Reach,
        mut query: impl FnMut(&mut Reading<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let app = self.app.clone();
        let caller = self.caller.clone();
        let asked = Arc::clone(&self.query);
        let reading = move |tx: &mut Tx| {
            query(&mut Reading {
                tx,
                app: &app,
                caller: &caller,
                query: &asked,
            })
        };
        let store = self.app.tracking.store().clone();
        let read = async move {
            if matches!(reach, Reach::One) {
                store.glance(reading).await
            } else {
                store.read(reading).await
            }
        };
        if self.query.is_plain() && !matches!(reach, Reach::Much) {
            return read.await;
        }
        let place = self.place().await?;
        let runtime = Handle::current();
        let reading = spawn_blocking(move || {
            // For as long as it is read, whoever waits for it.
            let _held = place;
            runtime.block_on(read)
        });
        let read = reading.await;
        read.unwrap_or_else(|error| Err(store::Error::Panicked(error.to_string()).into()))
    }

    /// A place for reading what may take long: one for all that the call reads.
    async fn place(&self) -> Result<Arc<Place>, Failure> {
        let mut held = self.place.lock().await;
        if let Some(place) = &*held {
            return Ok(Arc::clone(place));
        }
        let place = Arc::new(self.app.long_reads.place(self.caller.account).await?);
        *held = Some(Arc::clone(&place));
        Ok(place)
    }

    /// One resource with what was asked to be included.
    pub(crate) fn one(&self, rows: Rows) -> Answer {
        self.one_at(rows, &address::with_query(&self.address, &self.query.raw))
    }

    /// The one resource of this text.
    pub(crate) fn resource(&self, text: impl Into<String>) -> Answer {
        self.one(Rows::one(text))
    }

    /// The same with another link to itself.
    pub(crate) fn one_at(&self, rows: Rows, own: &str) -> Answer {
        let rows = rows.cut(&self.query);
        let resource = rows.primary.first().map_or("null", String::as_str);
        Answer::document(document::single(resource, self.included(&rows), own)).tagged()
    }

    /// The one resource that was looked for, or 404.
    pub(crate) fn found(&self, rows: Rows) -> Result<Answer, Failure> {
        if rows.primary.is_empty() {
            return Err(self.not_found());
        }
        Ok(self.one(rows))
    }

    /// A page of a list.
    pub(crate) fn many(&self, rows: Rows, total: u64) -> Answer {
        let rows = rows.cut(&self.query);
        let page = Page {
            number: self.query.page_number,
            size: self.query.page_size,
            total,
        };
        let own = Address {
            path: &self.address,
            query: &self.query.raw,
            unnumbered: &self.query.unnumbered,
        };
        Answer::document(document::list(
            &rows.primary,
            self.included(&rows),
            own,
            page,
        ))
    }

    /// The page that was asked for of a list that is read whole, since it is short.
    pub(crate) fn some_of(&self, mut all: Vec<String>) -> Answer {
        let total = u64::try_from(all.len()).unwrap_or(u64::MAX);
        let places = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let before = places(self.query.offset()).min(all.len());
        all.drain(..before);
        all.truncate(places(self.query.page_size));
        let rows = Rows {
            primary: all,
            included: Vec::new(),
        };
        self.many(rows, total)
    }

    /// The same with who said what, where that was asked for.
    pub(crate) fn explained(answer: Answer, provenance: Option<&str>) -> Answer {
        let Some(provenance) = provenance else {
            return answer;
        };
        let document = String::from_utf8_lossy(&answer.body).into_owned();
        Answer {
            body: document::explained(document, provenance).into(),
            ..answer
        }
    }

    /// A list that is always one page.
    pub(crate) fn short(&self, rows: Rows) -> Answer {
        let rows = rows.cut(&self.query);
        let own = address::with_query(&self.address, &self.query.raw);
        Answer::document(document::short(&rows.primary, self.included(&rows), &own))
    }

    /// What is included, where anything was to be.
    fn included<'r>(&self, rows: &'r Rows) -> Option<&'r [String]> {
        let wanted = self.query.asks_include || !rows.included.is_empty();
        wanted.then_some(rows.included.as_slice())
    }

    /// A list that is never cut into pages.
    pub(crate) fn whole(&self, mut rows: Rows) -> Answer {
        if self.query.page_number > 1 {
            rows.primary.clear();
        }
        let rows = rows.cut(&self.query);
        Answer::document(document::whole(&rows.primary, self.included(&rows)))
    }
}

/// The inside of a read: one snapshot, one account.
pub(crate) struct Reading<'a> {
    pub(crate) tx: &'a mut Tx,
    pub(crate) app: &'a App,
    pub(crate) caller: &'a Caller,
    pub(crate) query: &'a Query,
}

impl Reading<'_> {
    /// The account's rows.
    pub(crate) fn account(&mut self) -> AccountTx<'_> {
        self.tx.account(self.caller.account)
    }

    /// The page that was asked for.
    pub(crate) fn slice(&self) -> Slice {
        Slice {
            offset: self.query.offset(),
            limit: u32::try_from(self.query.page_size).unwrap_or(u32::MAX),
        }
    }

    /// These resources and what was asked to be included with them.
    pub(crate) fn with_included(&mut self, primary: Vec<String>) -> Result<Rows, Failure> {
        let wanted: &[Include] = &self.query.include;
        let included = include::resolve(self, &primary, wanted)?;
        Ok(Rows { primary, included })
    }
}

/// Resource texts of an answer.
pub(crate) struct Rows {
    pub(crate) primary: Vec<String>,
    pub(crate) included: Vec<String>,
}

impl Rows {
    /// One, with nothing included.
    pub(crate) fn one(text: impl Into<String>) -> Self {
        Self {
            primary: vec![text.into()],
            included: Vec::new(),
        }
    }

    /// Cuts resources to the asked fields. Without sparse fieldsets the stored texts go out as they are.
    fn cut(mut self, query: &Query) -> Self {
        if query.fields.is_empty() {
            return self;
        }
        for text in self.primary.iter_mut().chain(&mut self.included) {
            if let Some(fields) = linkage::kind(text).and_then(|kind| query.fields_of(&kind)) {
                *text = linkage::sparse(text, fields);
            }
        }
        self
    }
}

/// The texts of stored rows.
pub(crate) fn documents(rows: Vec<Listed>) -> Vec<String> {
    rows.into_iter().map(|row| row.document).collect()
}
