//! What is checked before a store opens: engine floors, durable settings, one server per file, and the schema.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use refinery::error::Kind;
use refinery::{Migration, Runner};
use rustix::fs::{Access, FlockOperation, flock};
use rustix::io::Errno;

use super::backup::{beside, has_log};
use super::postgres::Connector;
use super::sqlite::Connection;
use super::{OpenError, walk};

/// Older ones can lose a commit that races a checkpoint.
const SQLITE_MIN: i32 = 3_051_003;
const SQLITE_MIN_NAME: &str = "3.51.3";
/// Older ones are out of support.
const POSTGRES_MIN: i64 = 150_000;
const POSTGRES_MIN_NAME: &str = "15";
/// Advisory lock that migrating nodes take, one after the other.
const MIGRATION_LOCK: i64 = 0x7175_6179_7369_6465;

/// What we make is for its owner alone: others on the machine have no business with carriers' messages.
const FOLDER_MODE: u32 = 0o700;
pub(super) const FILE_MODE: u32 = 0o600;

/// Each migration by its name, with the text for SQLite and the text for PostgreSQL.
macro_rules! migrations {
    ($($name:literal),+ $(,)?) => {
        &[$((
            $name,
            include_str!(concat!("../../migrations/sqlite/", $name, ".sql")),
            include_str!(concat!("../../migrations/postgres/", $name, ".sql")),
        )),+]
    };
}

#[rustfmt::skip]
const MIGRATIONS: &[(&str, &str, &str)] = migrations![
    "V1__foundation",
    "V2__custom_fields",
    "V3__parties",
    "V4__lists",
    "V5__access",
    "V6__line_detection",
    "V7__vessel_positions",
    "V8__document_schemas",
    "V9__webhook_health",
    "V10__listeners",
    "V11__dockets",
    "V12__retired_secrets",
    "V13__redelivery",
    "V14__replays",
    "V15__sources",
    "V16__long_bodies",
    "V17__moored",
    "V18__pushed_digests",
    "V19__lighter_deliveries",
    "V20__audit",
    "V21__unread_messages",
    "V22__reports_once",
    "V23__packed",
    "V24__forgotten",
    "V25__key_check_values",
    "V26__deleted_webhooks",
    "V27__turns",
    "V28__readiness",
    "V29__main_keys",
    "V30__waits",
    "V31__radios",
    "V32__recalls",
    "V33__passed_over",
    "V34__searches_and_overruns",
    "V35__stops_and_snapshots",
    "V36__cut_terms",
    "V37__standing_events",
    "V38__custom_fields_tallied",
    "V39__failed_notifications",
    "V40__restarts",
    "V41__hurried",
    "V42__tried",
    "V43__lines_of_accounts",
    "V44__known_and_new",
    "V45__new_numbers_of_accounts",
    "V46__searches_of_accounts",
    "V47__defective_places",
    "V48__holds_and_fees",
    "V49__notifications_tallied",
];

/// The schema that this program brings a store to.
pub(crate) fn newest_schema() -> i64 {
    let versions = MIGRATIONS.iter().filter_map(|(name, _, _)| {
        let (number, _) = name.strip_prefix('V')?.split_once("__")?;
        number.parse().ok()
    });
    versions.max().unwrap_or_default()
}

/// The right to serve a file; given back when dropped, also by the death of the process.
///
/// A lock without a store says that one was lost. So what was made for it goes with it, unless a store came of it.
#[derive(Debug)]
pub(super) struct FileLock {
    /// The lock where it was not there before, and the folders above it that were not, the deepest first.
    made: Vec<PathBuf>,
    _file: File,
}

impl FileLock {
    /// There is a store: what was made stays.
    pub(super) fn keep(&mut self) {
        self.made.clear();
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // While it is held: nobody else's is taken away.
        for path in &self.made {
            let _ = std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path));
        }
    }
}

/// Makes a folder that only its owner may enter, with those above it. One that is there stays as it is: its owner may let
/// in others on purpose.
pub fn make_folder(path: &Path) -> std::io::Result<()> {
    let mut folder = DirBuilder::new();
    folder.recursive(true).mode(FOLDER_MODE).create(path)
}

/// What was made, renamed or removed in this folder stays so, whatever happens to the power.
pub(super) fn sync_folder(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()
}

/// Has the file there. A missing one is begun, where that is allowed and no log of it is left: the engine would bring that into
/// the new one. One of 0 bytes is refused: it was a store, or is none of ours, and to fill it would cover what has happened to it.
pub(super) fn have_file(path: &Path, may_begin: bool) -> Result<(), OpenError> {
    match path.metadata() {
        Ok(about) if about.len() == 0 => Err(OpenError::Emptied { path: path.into() }),
        Ok(_) => may_write(path),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(unreachable_file(path, &error)),
        Err(_) if !may_begin || has_log(path) => Err(OpenError::Gone { path: path.into() }),
        Err(_) => begin_file(path),
    }
}

/// Whether this user may write the file, its folder, and what the engine has put beside it. The engine takes a file that it may
/// only read without a word, and every write fails then.
pub fn may_write(path: &Path) -> Result<(), OpenError> {
    // Asked without opening: to close a file of the engine gives back its locks.
    let may = |file: &Path, access| match rustix::fs::access(file, access) {
        Err(error) if error != Errno::NOENT => Err(OpenError::Unwritable {
            path: file.into(),
            reason: std::io::Error::from(error).to_string(),
        }),
        _ => Ok(()),
    };
    let both = Access::READ_OK | Access::WRITE_OK;
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        may(folder, both | Access::EXEC_OK)?;
    }
    for end in ["", "-wal", "-shm", ".lock"] {
        may(&beside(path, end), both)?;
    }
    Ok(())
}

/// Begins a store under another name and names it when the engine's head is in it: who is killed meanwhile leaves no file of 0
/// bytes.
///
/// Where a link stands in its place, what it leads to is begun.
fn begin_file(path: &Path) -> Result<(), OpenError> {
    let failed = |error: &dyn std::fmt::Display| unreachable_file(path, error);
    let path = match std::fs::read_link(path) {
        Ok(target) => path.parent().unwrap_or(Path::new("")).join(target),
        Err(_) => path.to_path_buf(),
    };
    let begun = beside(&path, ".begun");
    // Of one who was killed; the lock is ours.
    match std::fs::remove_file(&begun) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(&error)),
        _ => {}
    }
    make_file(&begun)?;
    Connection::writer(&begun, None).map_err(|error| failed(&error))?;
    // The engine says nothing of a disk that had no room for its head.
    let is_filled = begun.metadata().is_ok_and(|about| about.len() > 0);
    if !is_filled {
        let _ = std::fs::remove_file(&begun);
        return Err(failed(&"nothing could be written to it: is the disk full?"));
    }
    std::fs::rename(&begun, &path).map_err(|error| failed(&error))?;
    // Whoever had a store hears that this is another one.
    tracing::warn!(file = %path.display(), "there was no store: a new, empty one was begun");
    Ok(())
}

/// Makes an empty file that only its owner may read, for the engine to fill; what it puts beside the file gets the same
/// mode. One that is there stays as it is.
pub(super) fn make_file(path: &Path) -> Result<(), OpenError> {
    let mut options = OpenOptions::new();
    let made = options
        .write(true)
        .create_new(true)
        .mode(FILE_MODE)
        .open(path);
    match made {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(unreachable_file(path, &error))
        }
        _ => Ok(()),
    }
}

/// Takes the lock file beside the database.
pub(super) fn lock_file(path: &Path) -> Result<FileLock, OpenError> {
    let lock = beside(path, ".lock");
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let missing = std::iter::once(lock.as_path()).chain(missing_folders(folder));
    let mut made: Vec<PathBuf> = missing.map(Path::to_path_buf).collect();
    if let Some(parent) = folder {
        make_folder(parent).map_err(|error| unreachable_file(parent, &error))?;
    }
    let mut options = OpenOptions::new();
    options.write(true).mode(FILE_MODE);
    let opened = match options.clone().create_new(true).open(&lock) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            made.clear();
            options.create(true).truncate(false).open(&lock)
        }
        opened => opened,
    };
    let file = opened.map_err(|error| unreachable_file(&lock, &error))?;
    refuse_network(&file, path)?;
    let in_use = || OpenError::InUse { path: path.into() };
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Err(in_use()),
        Err(error) => return Err(unreachable_file(&lock, &error)),
    }
    // Whoever held it has just taken it away: the next one would make another.
    let is_there = file.metadata().is_ok_and(|about| about.nlink() > 0);
    if is_there {
        Ok(FileLock { made, _file: file })
    } else {
        Err(in_use())
    }
}

/// This folder and those above it, as far as they are not there; the deepest first.
fn missing_folders(folder: Option<&Path>) -> impl Iterator<Item = &Path> {
    let above = folder.into_iter().flat_map(Path::ancestors);
    above.take_while(|path| !path.as_os_str().is_empty() && !path.exists())
}

fn unreachable_file(path: &Path, error: &dyn std::fmt::Display) -> OpenError {
    OpenError::Unreachable(format!("{}: {error}", path.display()))
}

/// Locks and syncs of network file systems cannot be trusted, and the log's shared memory cannot work there.
#[cfg(target_os = "linux")]
fn refuse_network(file: &File, path: &Path) -> Result<(), OpenError> {
    let Ok(found) = rustix::fs::fstatfs(file) else {
        return Ok(());
    };
    match network_kind(found.f_type.into()) {
        Some(kind) => Err(OpenError::NetworkFileSystem {
            path: path.into(),
            kind: kind.into(),
        }),
        None => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn refuse_network(_: &File, _: &Path) -> Result<(), OpenError> {
    Ok(())
}

/// Magic numbers of statfs(2).
#[cfg_attr(
    not(target_os = "linux"),
    expect(dead_code, reason = "only Linux tells")
)]
fn network_kind(magic: i128) -> Option<&'static str> {
    match magic & 0xffff_ffff {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("SMB"),
        0x00c3_6400 => Some("Ceph"),
        0x5346_414f | 0x6b41_4653 => Some("AFS"),
        0x0102_1997 => Some("9P"),
        0x0bd0_0bd0 => Some("Lustre"),
        0x0116_1970 => Some("GFS2"),
        0x7461_636f => Some("OCFS2"),
        _ => None,
    }
}

/// Refuses a SQLite that is too old; what counts is what is linked.
pub(super) fn check_sqlite() -> Result<(), OpenError> {
    check_sqlite_version(rusqlite::version_number(), rusqlite::version())
}

fn check_sqlite_version(number: i32, name: &str) -> Result<(), OpenError> {
    if number >= SQLITE_MIN {
        return Ok(());
    }
    Err(OpenError::EngineTooOld {
        engine: "SQLite",
        found: name.into(),
        needed: SQLITE_MIN_NAME,
    })
}

/// Refuses a PostgreSQL that is too old or set up to lose acknowledged writes.
pub(super) fn check_postgres(client: &mut postgres::Client) -> Result<(), OpenError> {
    let number: i64 = setting(client, "server_version_num")?.parse().unwrap_or(0);
    if number < POSTGRES_MIN {
        return Err(OpenError::EngineTooOld {
            engine: "PostgreSQL",
            found: setting(client, "server_version")?,
            needed: POSTGRES_MIN_NAME,
        });
    }
    for name in ["fsync", "synchronous_commit"] {
        let found = setting(client, name)?;
        if found == "off" {
            return Err(OpenError::NotDurable {
                setting: name,
                found,
            });
        }
    }
    Ok(())
}

fn setting(client: &mut postgres::Client, name: &str) -> Result<String, OpenError> {
    client
        .query_one("select current_setting($1)", &[&name])
        .map(|row| row.get(0))
        .map_err(|error| OpenError::Unreachable(error.to_string()))
}

/// What a failed migration means to whoever starts the service.
fn failed(error: &refinery::Error) -> OpenError {
    match error.kind() {
        Kind::MissingVersion(theirs) => OpenError::Newer {
            found: theirs.version().into(),
            known: newest_schema(),
        },
        Kind::DivergentVersion(theirs, _) => OpenError::NotOurMigration {
            theirs: theirs.to_string(),
        },
        Kind::Connection(doing, cause) => {
            let causes = std::iter::successors(cause.source(), |cause| cause.source());
            let all = [doing.clone(), cause.to_string()];
            let all: Vec<String> = all
                .into_iter()
                .chain(causes.map(ToString::to_string))
                .collect();
            OpenError::Migration(all.join(": "))
        }
        _ => OpenError::Migration(error.to_string()),
    }
}

/// Brings the file's schema up to date; the lock file keeps others out.
pub(super) fn migrate_sqlite(
    connection: &mut rusqlite::Connection,
    allowed: bool,
) -> Result<(), OpenError> {
    let known = MIGRATIONS.iter().map(|(name, sqlite, _)| (*name, *sqlite));
    // What a migration sorts may be more than there is memory.
    temporary(connection, "file")?;
    migrate(connection, known, allowed)?;
    temporary(connection, "memory")
}

fn temporary(connection: &rusqlite::Connection, place: &str) -> Result<(), OpenError> {
    let set = connection.execute_batch(&format!("pragma temp_store = {place}"));
    set.map_err(|error| OpenError::Migration(error.to_string()))
}

/// Brings the server's schema up to date; nodes that start together do it one after the other.
pub(super) fn migrate_postgres(connector: &Connector, allowed: bool) -> Result<(), OpenError> {
    let unreachable = |error: &dyn std::fmt::Display| OpenError::Unreachable(error.to_string());
    let mut client = connector.bare().map_err(|error| unreachable(&error))?;
    check_postgres(&mut client)?;
    client
        .execute("select pg_advisory_lock($1)", &[&MIGRATION_LOCK])
        .map_err(|error| unreachable(&error))?;
    let known = MIGRATIONS.iter();
    let known = known.map(|(name, _, postgres)| (*name, *postgres));
    // The lock goes with the connection.
    match migrate(&mut client, known, allowed) {
        Err(OpenError::Migration(why)) => {
            may_migrate(&mut client)?;
            return Err(OpenError::Migration(why));
        }
        migrated => migrated?,
    }
    let mut tx = connector
        .connect(false)
        .map_err(|error| unreachable(&error))?;
    walk::work_off(&mut tx, allowed)
}

/// Refuses a user who may not make tables, or change those that are there.
pub(super) fn may_migrate(client: &mut postgres::Client) -> Result<(), OpenError> {
    // Whoever made the list of migrations made the rest.
    let asked = "select current_user::text, current_schema()::text, \
         coalesce(has_schema_privilege(current_schema(), 'CREATE'), false), \
         (select tableowner::text from pg_tables where schemaname = current_schema() \
         and tablename = 'refinery_schema_history' and not pg_has_role(tableowner, 'USAGE'))";
    let row = client.query_one(asked, &[]);
    let row = row.map_err(|error| OpenError::Unreachable(error.to_string()))?;
    let (schema, may_create): (Option<String>, bool) = (row.get(1), row.get(2));
    let lack = match (schema, row.get::<_, Option<String>>(3)) {
        (None, _) => "no schema of its search_path is there, or it may use none".to_owned(),
        (Some(schema), _) if !may_create => format!("it may not make tables in schema {schema}"),
        (_, Some(owner)) => format!("the tables are {owner}'s"),
        (_, None) => return Ok(()),
    };
    Err(OpenError::MayNotMigrate {
        user: row.get(0),
        lack,
    })
}

fn migrate<C: refinery::Migrate>(
    connection: &mut C,
    migrations: impl Iterator<Item = (&'static str, &'static str)>,
    allowed: bool,
) -> Result<(), OpenError> {
    let known: Result<Vec<Migration>, _> = migrations
        .map(|(name, sql)| Migration::unapplied(name, sql))
        .collect();
    let known = known.map_err(|error| failed(&error))?;
    let runner = Runner::new(&known).set_grouped(true);
    if !allowed {
        // An empty database has no table of migrations either.
        let applied = runner
            .get_applied_migrations(connection)
            .unwrap_or_default();
        let other = |theirs: &&Migration| {
            let mut ours = known.iter();
            ours.any(|ours| ours.version() == theirs.version() && ours != *theirs)
        };
        if let Some(theirs) = applied.iter().find(other) {
            return Err(OpenError::NotOurMigration {
                theirs: theirs.to_string(),
            });
        }
        if known.iter().any(|migration| !applied.contains(migration)) {
            return Err(OpenError::NotMigrated {
                found: newest(&applied).unwrap_or_default(),
                known: newest_schema(),
            });
        }
    }
    let Err(error) = runner.run(connection) else {
        return Ok(());
    };
    let mut refusal = failed(&error);
    if let OpenError::Newer { found, .. } = &mut refusal {
        // The runner names the first that it does not know, and there may be more.
        let applied = runner.get_applied_migrations(connection);
        *found = newest(&applied.unwrap_or_default()).unwrap_or(*found);
    }
    Err(refusal)
}

fn newest(applied: &[Migration]) -> Option<i64> {
    applied.iter().map(|one| one.version().into()).max()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_old_sqlite_is_refused_and_the_linked_one_is_not() {
        check_sqlite().unwrap();
        assert!(check_sqlite_version(3_051_003, "3.51.3").is_ok());
        assert!(check_sqlite_version(3_051_002, "3.51.2").is_err());
    }

    #[test]
    fn the_newest_schema_is_that_of_the_last_migration() {
        let (last, _, _) = MIGRATIONS.last().unwrap();
        assert!(
            last.starts_with(&format!("V{}__", newest_schema())),
            "{last}"
        );
    }

    #[test]
    fn each_file_of_a_migration_is_applied() {
        let listed = MIGRATIONS.iter().map(|(name, _, _)| format!("{name}.sql"));
        let listed: BTreeSet<String> = listed.collect();
        for engine in ["sqlite", "postgres"] {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join("migrations")
                .join(engine);
            let files = std::fs::read_dir(folder).unwrap();
            let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
            assert_eq!(names.collect::<BTreeSet<String>>(), listed, "{engine}");
        }
    }

    /// A store that has a migration refuses any other text in its place: one that was changed has cut off all stores there are.
    #[test]
    fn migrations_stay_as_they_were() {
        let summed = MIGRATIONS.iter().map(|(name, sqlite, postgres)| {
            let [sqlite, postgres] =
                [sqlite, postgres].map(|text| Migration::unapplied(name, text).unwrap().checksum());
            format!("{name} {sqlite:016x} {postgres:016x}")
        });
        let summed: Vec<String> = summed.collect();
        let kept = include_str!("../../migrations/checksums");
        let kept: Vec<&str> = kept.lines().collect();
        for (summed, kept) in summed.iter().zip(&kept) {
            assert_eq!(
                summed, kept,
                "it was changed; a new one behind all others does what is wanted"
            );
        }
        let lacking = summed.get(kept.len()..);
        assert_eq!(lacking, Some(&[][..]), "what is new gets its line");
    }

    #[test]
    fn network_file_systems_are_known_by_their_numbers() {
        assert_eq!(network_kind(0x6969), Some("NFS"));
        // The kernel's number may come sign-extended.
        assert_eq!(
            network_kind(i128::from(0xff53_4d42_u32.cast_signed())),
            Some("SMB")
        );
        assert_eq!(network_kind(0xef53), None, "ext4");
    }
}
