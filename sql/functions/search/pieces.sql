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
