-- The spans of time by which an index finds leads of a text newest first.

-- Of 2, 8, 32 and 128 days, each with numbers of its own; a later moment is never in a lower span. Inlined where writers
-- pay for it.
create or replace function search_spans(moment timestamptz) returns integer[]
  language sql immutable parallel safe
  return array[
    (((moment at time zone 'UTC')::date - date '2000-01-01') >> 1) * 4,
    (((moment at time zone 'UTC')::date - date '2000-01-01') >> 3) * 4 + 1,
    (((moment at time zone 'UTC')::date - date '2000-01-01') >> 5) * 4 + 2,
    (((moment at time zone 'UTC')::date - date '2000-01-01') >> 7) * 4 + 3];
comment on function search_spans is 'The spans of 2, 8, 32 and 128 days that a moment is in; leads_search_idx has them.';
