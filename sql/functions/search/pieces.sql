-- The pieces by which an index finds leads of a long text. What it has stays as it was made: a change here needs a new index.

-- Not inlined: every plan that concerns leads would copy what it is inlined as.
create or replace function search_pieces(value text) returns text[]
  language plpgsql immutable parallel safe as $$
declare
  pieces text[] := '{}';
begin
  for place in 1 .. length(value) - 4 by 3 loop
    pieces := pieces || substr(value, place, 5);
  end loop;
  return pieces;
end
$$;
comment on function search_pieces is 'Five characters from every third place of a text in search form; leads_search_idx has them.';

create or replace function search_pattern(form text) returns text
  language sql immutable parallel safe
  return '%' || regexp_replace(form, '([\\%_])', '\\\1', 'g') || '%';
comment on function search_pattern is 'The pattern of like for what contains a text of less than seven characters; leads_search_idx has its trigrams.';
