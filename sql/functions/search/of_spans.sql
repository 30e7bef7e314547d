-- The leads of some spans of time that have a text, newest first.
--
-- @needs search/pieces, search/spans

-- A statement each, as a condition that may be left out would keep the planner from the index. Two trigrams: a text of many
-- leads has long lists, and what they let through within a few spans is soon compared.
create or replace function leads_of_spans(
  form text, patterns text[], pieces text[], spans integer[],
  only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language plpgsql stable rows 50 as $$
begin
  if pieces[1] is not null then
    return query
      select leads.*
      from leads
      where search_spans(leads.created_at) && spans
        and search_pieces(leads.search_text) && pieces
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit
      offset row_offset;
  else
    return query
      select leads.*
      from leads
      where search_spans(leads.created_at) && spans
        and leads.search_text like patterns[1]
        and leads.search_text like coalesce(patterns[2], patterns[1])
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit
      offset row_offset;
  end if;
end
$$;
comment on function leads_of_spans is 'A page of the leads of some spans whose search_text contains a form, newest first: by pieces, or by patterns where those are null.';
