-- Where vessels were seen: shared by all accounts, like the vessels. Whole numbers, so that both engines keep
-- the same: millionths of a degree, tenths of a degree of heading, tenths of a knot.

alter table vessels add column mmsi text;

create table vessel_positions (
    vessel_id uuid not null,
    at timestamptz not null,
    latitude bigint not null,
    longitude bigint not null,
    heading bigint,
    speed bigint,
    primary key (vessel_id, at)
);

-- Which boxes of an account a vessel carries or carried.
create table container_vessels (
    account_id uuid not null references accounts (id) on delete cascade,
    vessel_id uuid not null,
    container_id uuid not null,
    primary key (account_id, vessel_id, container_id)
);
