-- Stops of vessels, each with the message that told it: for boxes that are known to be aboard, or bound there, later.
-- `whose` is that of the dockets: / for everybody, /account for what an account has brought.

create table vessel_stops (
    vessel_id uuid not null,
    whose text not null,
    content bytea not null,
    at timestamptz not null,
    raw_message_id uuid not null references raw_messages (id) on delete cascade,
    body bytea not null,
    primary key (vessel_id, whose, content)
);

-- The last message of each source that tells how things stand and does not say as of when: the next one is compared with it.

create table last_snapshots (
    source text not null,
    whose text not null,
    raw_message_id uuid not null references raw_messages (id) on delete cascade,
    digest bytea not null,
    primary key (source, whose)
);

-- The file in which such a message stood, by its bytes and when it was written: so it is known again after others, also where the
-- same bytes were read a thousand times. `whose` is that of the dockets.

create table snapshot_files (
    source text not null,
    whose text not null,
    digest bytea not null,
    written_at timestamptz not null,
    raw_message_id uuid not null unique references raw_messages (id) on delete cascade,
    primary key (source, whose, digest, written_at)
);
