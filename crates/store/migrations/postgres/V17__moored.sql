-- What a vessel says of itself beside where it is: a stop is found across messages, and one at anchor is not alongside.

alter table vessel_positions add column moored boolean;
