-- The leads that have a text among all, by leads_search_idx. All of these are inlined where they are called.
--
-- @needs search/pieces

create or replace function search_pattern(form text) returns text
  language sql immutable parallel safe
  return '%' || regexp_replace(form, '([\\%_])', '\\\1', 'g') || '%';
comment on function search_pattern is 'The pattern of like for what contains a text that is looked up by its trigrams, which leads_search_idx has.';

create or replace function leads_of_index_by_trigrams(
  form text, pattern text, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language sql stable rows 50
begin atomic
  select leads.*
  from leads
  where leads.search_text like pattern
    and strpos(leads.search_text, form) > 0
    and (only_status is null or leads.status = only_status)
    and (include_archived or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit row_limit
  offset row_offset;
end;
comment on function leads_of_index_by_trigrams is 'A page of the leads whose search_text contains a form, newest first, for a text that is looked up by its trigrams.';

create or replace function leads_of_index_by_pieces(
  form text, pieces text[], pieces_after_1 text[], pieces_after_2 text[], only_status text, include_archived boolean, row_limit integer,
  row_offset integer)
  returns setof leads
  language sql stable rows 50
begin atomic
  select leads.*
  from leads
  where (search_pieces(leads.search_text) @> pieces
      or search_pieces(leads.search_text) @> pieces_after_1
      or search_pieces(leads.search_text) @> pieces_after_2)
    and strpos(leads.search_text, form) > 0
    and (only_status is null or leads.status = only_status)
    and (include_archived or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit row_limit
  offset row_offset;
end;
comment on function leads_of_index_by_pieces is 'A page of the leads whose search_text contains a form, newest first, for a text that has all pieces of one of the three places.';
