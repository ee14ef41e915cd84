//! The ceiling of a list on PostgreSQL: nothing but the page itself, 25 documents by an index, asked over
//! eight connections at once. No HTTP, no key, no count, no snapshot of several statements.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};
use postgres::{Client, NoTls};

/// Connections that ask at once.
const CONNECTIONS: usize = 8;
const TABLE: &str = "
    create table bare_pages (id integer primary key, account integer not null, document text not null);
    create index bare_pages_listed on bare_pages (account, id desc);";
const PAGE: &str =
    "select id, document from bare_pages where account = $1 order by id desc limit 25";

/// Makes `rows` rows with a document each.
pub fn fill(url: &str, rows: u32, document: &str) -> Result<()> {
    let mut client = Client::connect(url, NoTls)?;
    client.batch_execute(TABLE)?;
    let insert =
        "insert into bare_pages select id, 1, $2 from generate_series(1, $1::int) as n(id)";
    client.execute(insert, &[&i32::try_from(rows)?, &document])?;
    client.batch_execute("vacuum analyze bare_pages")?;
    Ok(())
}

/// Pages a second.
pub fn run(url: &str, span: Duration) -> Result<f64> {
    let pages = Arc::new(AtomicU32::new(0));
    let began = Instant::now();
    let threads: Vec<_> = (0..CONNECTIONS)
        .map(|_| {
            let (url, pages) = (url.to_owned(), Arc::clone(&pages));
            std::thread::spawn(move || ask(&url, began + span, &pages))
        })
        .collect();
    for thread in threads {
        thread.join().map_err(|_| anyhow!("a reader panicked"))??;
    }
    Ok(f64::from(pages.load(Ordering::Relaxed)) / began.elapsed().as_secs_f64())
}

fn ask(url: &str, until: Instant, pages: &AtomicU32) -> Result<()> {
    let mut client = Client::connect(url, NoTls)?;
    let statement = client.prepare(PAGE)?;
    let mut page = Vec::new();
    while Instant::now() < until {
        page.clear();
        for row in client.query(&statement, &[&1])? {
            let document: &str = row.get(1);
            page.extend_from_slice(document.as_bytes());
        }
        pages.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}
