-- Documents, states, readings and bodies are packed from now on. What is there stays as it was written: a text is its own
-- packing. Only its column is another one, which holds bytes. (A column that is added needs a default; nobody uses it.)
--
-- The texts are set aside meanwhile: rows that held each of them twice for a moment would leave pages half empty for good.
create temp table aside (place integer primary key, state blob not null, document blob not null);
insert into aside select rowid, cast(state as blob), cast(document as blob) from containers;
alter table containers drop column state;
alter table containers drop column document;
alter table containers add column state blob not null default x'';
alter table containers add column document blob not null default x'';
update containers set state = aside.state, document = aside.document from aside where aside.place = containers.rowid;
drop table aside;

create temp table aside (place integer primary key, document blob not null);
insert into aside select rowid, cast(document as blob) from shipments;
alter table shipments drop column document;
alter table shipments add column document blob not null default x'';
update shipments set document = aside.document from aside where aside.place = shipments.rowid;
drop table aside;

create temp table aside (place integer primary key, document blob not null);
insert into aside select rowid, cast(document as blob) from events;
alter table events drop column document;
alter table events add column document blob not null default x'';
update events set document = aside.document from aside where aside.place = events.rowid;
drop table aside;

create temp table aside (place integer primary key, body blob not null);
insert into aside select rowid, cast(body as blob) from reports;
alter table reports drop column body;
alter table reports add column body blob not null default x'';
update reports set body = aside.body from aside where aside.place = reports.rowid;
drop table aside;

create temp table aside (place integer primary key, body blob not null);
insert into aside select rowid, cast(body as blob) from bodies;
alter table bodies drop column body;
alter table bodies add column body blob not null default x'';
update bodies set body = aside.body from aside where aside.place = bodies.rowid;
drop table aside;
