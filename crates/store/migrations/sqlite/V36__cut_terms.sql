-- Rows that were stored while 64 references and 64 tags counted at most, and of each its first 64 characters: they are looked at
-- once, found by the whole from then on, and leave this list. Who keeps shorter texts of them, in bytes as they are stored, has had
-- nothing cut: of 65 characters that counted 43 bytes were sent at least (capital letters make three characters of two bytes, at
-- most), and 65 texts are longer anyway.
create table cut_terms (
    account_id blob not null references accounts (id) on delete cascade,
    kind integer not null,
    row_id blob not null,
    primary key (account_id, kind, row_id)
) strict, without rowid;

insert into cut_terms (account_id, kind, row_id)
select account_id, 0, id from shipments where octet_length(ref_numbers) >= 47 or octet_length(tags) >= 47
union all
select account_id, 1, id from containers where octet_length(ref_numbers) >= 47
union all
select account_id, 2, id from tracking_requests where octet_length(ref_numbers) >= 47;
