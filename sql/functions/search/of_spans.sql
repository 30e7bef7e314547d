-- The leads of some spans of time that have a text, newest first: one function for each way, because an optional condition
-- would keep the planner from the index. Inlined where they are called. They answer with the places of rows, which hold within the
-- snapshot of the search.
--
-- @needs search/pieces, search/plan, search/spans

create or replace function leads_of_spans_by_trigrams(
  form text, pattern text, spans integer[], before_at timestamptz, only_status text, include_archived boolean, row_limit integer)
  returns setof tid
  language sql stable rows 50
begin atomic
  select leads.ctid
  from leads
  where search_spans(leads.created_at) && spans
    and leads.created_at < before_at
    and leads.search_text like pattern
    and strpos(leads.search_text, form) > 0
    and (only_status is null or leads.status = only_status)
    and (include_archived or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit row_limit;
end;
comment on function leads_of_spans_by_trigrams is 'Called by newest_of_spans: places of leads of some spans whose search_text contains a form, newest first, for a text that is looked up by its trigrams.';

create or replace function leads_of_spans_by_pieces(
  form text, pieces text[], spans integer[], before_at timestamptz, only_status text, include_archived boolean, row_limit integer)
  returns setof tid
  language sql stable rows 50
begin atomic
  select leads.ctid
  from leads
  where search_spans(leads.created_at) && spans
    and leads.created_at < before_at
    and search_pieces(leads.search_text) && pieces
    and strpos(leads.search_text, form) > 0
    and (only_status is null or leads.status = only_status)
    and (include_archived or leads.archived_at is null)
  order by leads.created_at desc, leads.id desc
  limit row_limit;
end;
comment on function leads_of_spans_by_pieces is 'Called by newest_of_spans: places of leads of some spans whose search_text contains a form, newest first, for a text that has one of the pieces.';

-- GIN looks up every further trigram for each lead that the spans and the rarest one have; to look at the lead costs less.
create or replace function span_pattern(form text, pattern text, leads_expected double precision) returns text
  language plpgsql stable as $$
declare
  -- Beyond that the pages of leads without the text cost more than the further trigrams (docs/decisions/search.md).
  ratio_max constant integer := 4;
  rarest constant record := search_rarest(form, 3);
begin
  -- Of what is neither letter nor digit the index has no trigram.
  if rarest.part is null or rarest.part !~ '^[[:alnum:]]{3}$'
    or rarest.share * (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass) > ratio_max * leads_expected then
    return pattern;
  end if;
  return '%' || rarest.part || '%';
end
$$;
comment on function span_pattern is 'Called by newest_of_spans: the pattern for a text of so many leads within spans, of its rarest trigram alone where that lets few others through.';

-- The newest spans that should have what is wanted, by what is expected of the text, then older ones for what is missing, by
-- what was found.
create or replace function newest_of_spans(
    form text, pattern text, pieces text[], leads_expected double precision, rare_max integer, wanted integer, only_status text,
    include_archived boolean,
    out places tid[], out is_complete boolean)
  language plpgsql stable as $$
declare
  newest_at timestamptz;
  oldest_at timestamptz;
  days_total double precision;
  before_at timestamptz;
  missing integer := wanted;
  days double precision;
  level integer;
  oldest_span integer;
  spans integer[];
begin
  select (select max(leads.created_at) from leads), (select min(leads.created_at) from leads) into newest_at, oldest_at;
  days_total := 1 + extract(epoch from newest_at - oldest_at) / 86400;
  before_at := newest_at + interval '1 microsecond';
  if pieces is null then
    pattern := span_pattern(form, pattern, leads_expected);
  end if;
  places := '{}';
  for round in 1 .. 3 loop
    -- A margin, because leads do not arrive evenly.
    days := (missing + sqrt(missing) + 1) * days_total / leads_expected;
    -- At most five spans, because GIN reads each of them.
    level := case when days <= 8 then 1 when days <= 32 then 2 when days <= 128 then 3 when days <= 512 then 4 end;
    exit when level is null;
    oldest_span := (search_spans(before_at - days * interval '1 day'))[level];
    spans := '{}';
    for span in oldest_span .. (search_spans(before_at))[level] by 4 loop
      spans := spans || span;
    end loop;
    if pieces is null then
      places := places || array(
        select place from leads_of_spans_by_trigrams(form, pattern, spans, before_at, only_status, include_archived, missing) as place);
    else
      places := places || array(
        select place from leads_of_spans_by_pieces(form, pieces, spans, before_at, only_status, include_archived, missing) as place);
    end if;
    missing := wanted - cardinality(places);
    before_at := (date '2000-01-01' + (oldest_span >> 2) * (1 << (2 * level - 1)))::timestamp at time zone 'UTC';
    exit when missing = 0 or before_at <= oldest_at;
    leads_expected := (cardinality(places) + 1) * days_total / (extract(epoch from newest_at - before_at) / 86400);
    -- All pieces together let so little through that the whole index is soon read for a text that turned out to be rare.
    exit when pieces is not null and leads_expected <= rare_max;
  end loop;
  is_complete := missing = 0 or before_at <= oldest_at;
end
$$;
comment on function newest_of_spans is 'Places of the newest leads whose search_text contains a form, newest first: as many as are wanted, or fewer; then is_complete says whether there are no more.';
