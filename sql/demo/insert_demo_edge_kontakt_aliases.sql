-- Makes the merged identity keys that break things: one contact with 250 aliases of all three kinds.
-- Always the same rows; what is there already stays.
--
-- Needs setup.sql and the edge household records.
prepare insert_demo_edge_kontakt_aliases as
insert into kontakt_aliases (alias_key, canonical_key, created_at)
select
  case
    when number <= 200 then 'email:buero.platz' || lpad(number::text, 3, '0') || '@example.org'
    -- Seven digits after +49199; everybody else has eight.
    when number <= 230 then 'phone:+491990000' || lpad(number::text, 3, '0')
    else 'lead:' || demo.edge_uuid('lead', 1000 + number)::text
  end,
  'email:buero@example.org',
  timestamptz '2025-12-01T09:00:00Z' + make_interval(secs => number / 10)
from generate_series(1, 250) as number
union all
values
  ('lead:' || demo.edge_uuid('lead', 1)::text, 'email:zoe@example.org', timestamptz '2025-12-01T09:00:00Z'),
  ('phone:+4915228817386', 'email:zoe@example.org', timestamptz '2025-12-01T09:00:00Z')
on conflict do nothing;
