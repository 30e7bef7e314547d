-- The leads that have a text, newest first.
--
-- @needs search/newest, search/of_index, search/of_spans, search/of_status, search/pieces, search/plan

-- Each way answers with as much of the page as it reaches, and the next goes on behind that: a wrong share costs time,
-- never a hit. The settings of the pool for files that are planned once would keep it from leads_search_idx.
create or replace function leads_with_text(
  form text, only_status text, include_archived boolean, row_limit integer, row_offset integer)
  returns setof leads
  language plpgsql stable rows 50
  set search_path = public, pg_temp set enable_seqscan = off set enable_bitmapscan = on as $$
declare
  wanted constant integer := row_limit + row_offset;
  -- Spans are not worth their cost for a text of fewer leads.
  rare_max constant integer := 180 + 3 * wanted;
  plan record;
  pattern text;
  core text;
  pieces text[];
  pieces_after_1 text[];
  pieces_after_2 text[];
  part_at integer;
  common text[];
  by_spans record;
  answered integer := 0;
begin
  plan := search_plan(form, wanted);
  if (plan.walked_max is null or plan.walked_max > 0) and is_rare_status(only_status) then
    return query select * from leads_of_status_with_text(form, only_status, include_archived, row_limit, row_offset);
    return;
  end if;
  if length(form) >= 7 then
    -- Around what is rarest: more pieces let hardly less through. What has the form has all pieces of one of the three.
    core := substr(form, greatest(1, least(strpos(form, plan.part) - 6, length(form) - 15)), 16);
    part_at := strpos(core, plan.part) + 1;
    -- What search_pieces makes of the core, and of it from its second and its third character on, without three calls.
    pieces := (array[substr(core, 1, 5), substr(core, 4, 5), substr(core, 7, 5), substr(core, 10, 5)])[:(length(core) - 2) / 3];
    pieces_after_1 := (array[substr(core, 2, 5), substr(core, 5, 5), substr(core, 8, 5), substr(core, 11, 5)])[:(length(core) - 3) / 3];
    pieces_after_2 := (array[substr(core, 3, 5), substr(core, 6, 5), substr(core, 9, 5), substr(core, 12, 5)])[:(length(core) - 4) / 3];
    -- The pieces of one place may all be common. That place would let through many leads that lack the rare part.
    if length(form) <= 12 and plan.walked_max = 0 and has_trigram(form) then
      common := array(
        select search_shares.part from search_shares
        where search_shares.part = any (pieces || pieces_after_1 || pieces_after_2)
          and search_shares.share > 0.01 + 4 * coalesce((select rarest.share from search_shares as rarest where rarest.part = plan.part), 0));
      if common <> '{}' and (pieces <@ common or pieces_after_1 <@ common or pieces_after_2 <@ common) then
        pieces := null;
      end if;
    end if;
  end if;
  if pieces is null then
    pattern := search_pattern(form);
  end if;
  if plan.walked_max is null or plan.walked_max > 0 then
    return query select * from newest_leads_with_text(form, plan.walked_max, only_status, include_archived, row_limit, row_offset);
    get diagnostics answered = row_count;
  end if;
  if plan.leads_expected > rare_max and answered < row_limit and (plan.walked_max = 0 or answered + row_offset > 0) then
    -- A walk has shown how common it is.
    if plan.walked_max > 0 then
      plan.leads_expected := (row_offset + answered + 1) / plan.walked_max * (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass);
    end if;
    -- Of each place the piece that has the middle three characters of the rarest part.
    by_spans := newest_of_spans(form, pattern, case when pieces is not null then array[
        pieces[least((part_at + 2) / 3, cardinality(pieces))],
        pieces_after_1[greatest(1, least((part_at + 1) / 3, cardinality(pieces_after_1)))],
        pieces_after_2[greatest(1, least(part_at / 3, cardinality(pieces_after_2)))]] end,
      plan.leads_expected, rare_max, wanted, only_status, include_archived);
    if by_spans.is_complete then
      return query
        select leads.* from leads
        where leads.ctid = any (by_spans.places[row_offset + answered + 1:])
        order by leads.created_at desc, leads.id desc;
      return;
    end if;
  end if;
  if answered < row_limit and pieces is not null then
    return query
      select * from leads_of_index_by_pieces(
        form, pieces, pieces_after_1, pieces_after_2, only_status, include_archived, row_limit - answered, row_offset + answered);
  elsif answered < row_limit and plan.walked_max is not null then
    return query
      select * from leads_of_index_by_trigrams(form, pattern, only_status, include_archived, row_limit - answered, row_offset + answered);
  end if;
end
$$;
comment on function leads_with_text is 'A page of the leads whose search_text contains a form, newest first: from the newest leads, the newest spans of time or leads_search_idx as a whole, as search_plan says.';
