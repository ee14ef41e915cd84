-- By what a container is held, and what is owed for it: one bit for each kind, beside the other columns by which lists are filtered.
alter table containers add column holds bigint not null default 0;
alter table containers add column fees bigint not null default 0;

drop index containers_by_facets;
create index containers_by_facets on containers (account_id, created_at desc, id desc, updated_at,
    pickup_lfd, status, scac, pol, pod, available, height, holds, fees, customer_id, shipment_id, number);

-- What is there already holds them in its states, which are packed: the start reads these, and has come so far. No row: all are read.
create table unnoted_holds (
    account_id uuid primary key not null,
    container_id uuid not null
);

insert into unnoted_holds (account_id, container_id)
    select '00000000-0000-0000-0000-000000000000'::uuid, '00000000-0000-0000-0000-000000000000'::uuid where exists (select 1 from containers);
