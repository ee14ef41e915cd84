-- Whose radio is it: the vessel that its last word named, followed or not, and when that was said. A radio passes on
-- from ship to ship. Of what was known without a time, any word with one is newer.

create table vessel_radios (
    mmsi text primary key,
    vessel_id uuid not null,
    told_at timestamptz not null
);

insert into vessel_radios (mmsi, vessel_id, told_at)
    select mmsi, id, '1970-01-01T00:00:00Z' from vessels where mmsi is not null order by id desc
    on conflict do nothing;

create index radios_of_vessels on vessel_radios (vessel_id);

drop index vessels_by_radio;

alter table vessels drop column mmsi;
