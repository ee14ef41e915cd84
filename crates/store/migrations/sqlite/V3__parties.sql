-- Companies that an account deals with. told_until is set while shipments still carry an earlier name: those
-- up to this id carry the new one.

create table parties (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    company_name text not null,
    customer text,
    created_at text not null,
    updated_at text not null,
    told_until blob,
    document text not null,
    primary key (account_id, id)
) strict;

create unique index parties_by_customer on parties (account_id, customer) where customer is not null;
create index parties_listed on parties (account_id, created_at desc, id desc);
create index parties_renamed on parties (account_id, id) where told_until is not null;

create index shipments_by_customer on shipments (account_id, customer_id, id)
    where customer_id is not null;

-- The windows after which tracking ends by itself begin anew here.
alter table shipments add column resumed_at text;
