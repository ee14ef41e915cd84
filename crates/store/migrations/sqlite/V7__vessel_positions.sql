-- Where vessels were seen: shared by all accounts, like the vessels. Whole numbers, so that both engines keep
-- the same: millionths of a degree, tenths of a degree of heading, tenths of a knot.

alter table vessels add column mmsi text;

create table vessel_positions (
    vessel_id blob not null,
    at text not null,
    latitude integer not null,
    longitude integer not null,
    heading integer,
    speed integer,
    primary key (vessel_id, at)
) strict, without rowid;

-- Which boxes of an account a vessel carries or carried.
create table container_vessels (
    account_id blob not null references accounts (id) on delete cascade,
    vessel_id blob not null,
    container_id blob not null,
    primary key (account_id, vessel_id, container_id)
) strict, without rowid;
