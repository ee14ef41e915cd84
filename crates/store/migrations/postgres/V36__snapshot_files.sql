-- A file is looked up by its bytes and when it was written: the same bytes may have been read a thousand times.
-- `whose` is that of the dockets, as in last_snapshots.

alter table snapshot_files add column source text, add column whose text, add column digest bytea;

update snapshot_files set source = m.source, digest = m.digest, whose = '/' || coalesce(m.account_id::text, '')
    from raw_messages m where m.id = raw_message_id;

delete from snapshot_files f using snapshot_files first
    where f.source = first.source and f.whose = first.whose and f.digest = first.digest
        and f.written_at = first.written_at and f.raw_message_id > first.raw_message_id;

alter table snapshot_files drop constraint snapshot_files_pkey,
    add primary key (source, whose, digest, written_at), add unique (raw_message_id);
