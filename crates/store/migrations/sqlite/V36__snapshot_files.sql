-- A file is looked up by its bytes and when it was written: the same bytes may have been read a thousand times.
-- `whose` is that of the dockets, as in last_snapshots.

create table files_of_snapshots (
    source text not null,
    whose text not null,
    digest blob not null,
    written_at text not null,
    raw_message_id blob not null unique references raw_messages (id) on delete cascade,
    primary key (source, whose, digest, written_at)
) strict, without rowid;

insert into files_of_snapshots (source, whose, digest, written_at, raw_message_id)
    select m.source, '/' || case when m.account_id is null then '' else lower(
        substr(hex(m.account_id), 1, 8) || '-' || substr(hex(m.account_id), 9, 4) || '-' ||
        substr(hex(m.account_id), 13, 4) || '-' || substr(hex(m.account_id), 17, 4) || '-' ||
        substr(hex(m.account_id), 21)) end, m.digest, f.written_at, m.id
    from snapshot_files f join raw_messages m on m.id = f.raw_message_id order by m.id
    on conflict do nothing;

drop table snapshot_files;

alter table files_of_snapshots rename to snapshot_files;
