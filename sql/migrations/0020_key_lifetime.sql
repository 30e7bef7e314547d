-- A key knows how long it was made for: a renewal lowers its end, and its successors are made for as long.
alter table api_keys add column lifetime interval;
update api_keys set lifetime = expires_at - created_at where expires_at is not null;
comment on column api_keys.lifetime is 'How long the key was made for; null: without an end. Its successor gets the same.';
