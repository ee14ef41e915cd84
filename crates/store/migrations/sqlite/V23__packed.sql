-- Documents, states, readings and bodies are packed from now on. What is there stays as it was written: a text is its own
-- packing. Only its column is another one, which holds bytes.
alter table containers add column packed_state blob not null default x'';
alter table containers add column packed_document blob not null default x'';
update containers set packed_state = cast(state as blob), packed_document = cast(document as blob);
alter table containers drop column state;
alter table containers drop column document;
alter table containers rename column packed_state to state;
alter table containers rename column packed_document to document;

alter table shipments add column packed_document blob not null default x'';
update shipments set packed_document = cast(document as blob);
alter table shipments drop column document;
alter table shipments rename column packed_document to document;

alter table events add column packed_document blob not null default x'';
update events set packed_document = cast(document as blob);
alter table events drop column document;
alter table events rename column packed_document to document;

alter table reports add column packed_body blob not null default x'';
update reports set packed_body = cast(body as blob);
alter table reports drop column body;
alter table reports rename column packed_body to body;

alter table bodies add column packed_body blob not null default x'';
update bodies set packed_body = cast(body as blob);
alter table bodies drop column body;
alter table bodies rename column packed_body to body;
