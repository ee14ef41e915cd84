-- How many custom fields an account has is kept like the lengths of its other lists, and written last. Its one row was changed in the
-- middle of transactions: two of them could each hold what the other one waited for.
insert into tallies (account_id, list, shard, rows)
    select account_id, 'custom_fields', 0, fields from custom_field_counts where fields <> 0;
drop table custom_field_counts;
