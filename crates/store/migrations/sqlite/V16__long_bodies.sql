-- Bodies of messages that are too long for their row, in pieces: the row is written anew for every claim and lease.

create table long_bodies (
    raw_message_id blob not null references raw_messages (id) on delete cascade,
    position integer not null,
    bytes blob not null,
    primary key (raw_message_id, position)
) strict;

alter table raw_messages add column body_bytes integer not null default 0;
update raw_messages set body_bytes = length(body);

insert into long_bodies (raw_message_id, position, bytes)
with recursive pieces (of_message, position) as (
    select id, 0 from raw_messages where body_bytes > 16384
    union all
    select of_message, position + 1 from pieces join raw_messages on id = of_message
    where (position + 1) * 262144 < body_bytes
)
select of_message, position, substr(body, position * 262144 + 1, 262144)
from pieces join raw_messages on id = of_message;

update raw_messages set body = x'' where body_bytes > 16384;
