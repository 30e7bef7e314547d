-- The leads that have a text, newest first.
--
-- @needs search/newest, search/of_spans, search/pieces, search/plan

-- Each way answers with as much of the page as it reaches, and the next goes on behind that: a wrong share costs time,
-- never a hit. The settings of the pool for files that are planned once would keep it from leads_search_idx.
create or replace function leads_with_text(
  form text, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language plpgsql stable rows 50
  set search_path = public, pg_temp set enable_seqscan = off set enable_bitmapscan = on as $$
declare
  wanted constant integer := row_limit + row_offset;
  plan record;
  core text;
  pieces text[];
  pieces_after_1 text[];
  pieces_after_2 text[];
  ids uuid[];
  answered integer := 0;
begin
  plan := search_plan(form, wanted);
  if length(form) >= 7 then
    -- Around what is rarest: more pieces let hardly less through. What has the form has all pieces of one of the three.
    core := substr(form, greatest(1, least(strpos(form, btrim(plan.patterns[1], '%')) - 6, length(form) - 15)), 16);
    pieces := search_pieces(core);
    pieces_after_1 := search_pieces(substr(core, 2));
    pieces_after_2 := search_pieces(substr(core, 3));
    -- Without a trigram it is not known how common it is.
    plan.walked_max := coalesce(plan.walked_max, 2000);
  end if;
  if plan.walked_max is null or plan.walked_max > 0 then
    return query select * from newest_leads_with_text(form, plan.walked_max, only_status, include_archived, row_limit, row_offset);
    get diagnostics answered = row_count;
  end if;
  if plan.expected > 180 + 3 * wanted and answered < row_limit and (plan.walked_max = 0 or answered + row_offset > 0) then
    -- A walk was to find twice what is wanted.
    if plan.walked_max > 0 then
      plan.expected := plan.expected * (row_offset + answered + 1) / (2 * wanted);
    end if;
    ids := newest_of_spans(form, plan.patterns[1], array[pieces[1], pieces_after_1[1], pieces_after_2[1]], plan.expected, wanted,
      only_status, include_archived);
    if cardinality(ids) = wanted then
      return query
        select leads.*
        from unnest(ids[row_offset + answered + 1:]) as hit (id)
        join leads using (id)
        order by leads.created_at desc, leads.id desc;
      return;
    end if;
  end if;
  if answered < row_limit and pieces is not null then
    return query
      select leads.*
      from leads
      where (search_pieces(leads.search_text) @> pieces
          or search_pieces(leads.search_text) @> pieces_after_1
          or search_pieces(leads.search_text) @> pieces_after_2)
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit - answered
      offset row_offset + answered;
  elsif answered < row_limit and plan.walked_max is not null then
    return query
      select leads.*
      from leads
      where leads.search_text like plan.patterns[1]
        and leads.search_text like coalesce(plan.patterns[2], plan.patterns[1])
        and leads.search_text like coalesce(plan.patterns[3], plan.patterns[1])
        and strpos(leads.search_text, form) > 0
        and (only_status is null or leads.status = only_status)
        and (include_archived or leads.archived_at is null)
      order by leads.created_at desc, leads.id desc
      limit row_limit - answered
      offset row_offset + answered;
  end if;
end
$$;
comment on function leads_with_text is 'A page of the leads whose search_text contains a form, newest first: from the newest leads, the newest spans of time or leads_search_idx as a whole, as search_plan says.';
