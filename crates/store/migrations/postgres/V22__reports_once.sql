-- A reading stands once, with its text; under each watch for which it was said stands a row that refers to it. What was
-- stored for each watch with a copy of the text is taken apart: rows of one id are one report. Of rows that say the same
-- under one watch, for which there should be no second, the one stays that is told and has the lowest id.
alter table reports rename to copies;
alter table copies rename constraint reports_pkey to copies_pkey;

-- Whoever writes here holds the watch, the message and the report: nothing is looked up again for every row.
create table reports (
    id uuid primary key not null,
    raw_message_id uuid not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    -- Under how many watches it stands.
    filed bigint not null,
    body text not null
);

create table filed_reports (
    watch_id uuid not null,
    content bytea not null,
    report_id uuid not null,
    read_by bigint not null,
    primary key (watch_id, content)
);

insert into filed_reports (watch_id, content, report_id, read_by)
select watch_id, content, id, read_by
from (select watch_id, content, id, read_by,
          row_number() over (partition by watch_id, content order by (read_by < 0), id) as place
      from copies) told
where place = 1;

insert into reports (id, raw_message_id, created_at, last_seen_at, filed, body)
select c.id, c.raw_message_id, seen.first_at, seen.last_at, links.filed, c.body
from copies c
join (select id, min(created_at) as first_at, max(last_seen_at) as last_at
      from copies group by id) seen on seen.id = c.id
join (select report_id, count(*) as filed from filed_reports group by report_id) links
    on links.report_id = c.id
where true
on conflict (id) do nothing;

drop table copies;

-- What was filed is seen by what stands under a watch.
alter table watches drop column report_count;

-- A notification is written once now, as a rule: there is nothing to keep room for on its page.
alter table notifications reset (fillfactor);
