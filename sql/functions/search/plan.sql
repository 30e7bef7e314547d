-- How a text is looked for: among the newest leads, or by its trigrams or pieces.
--
-- @needs search/words

create or replace function search_rarest(form text, size integer, out part text, out share double precision)
  language plpgsql stable as $$
declare
  known double precision;
begin
  for place in 1 .. length(form) - size + 1 loop
    -- A trigram is inside of a word.
    continue when size = 3 and not has_trigram(substr(form, place, 3));
    known := (select search_shares.share from search_shares where search_shares.part = substr(form, place, size));
    if known is null or share is null or known < share then
      part := substr(form, place, size);
      share := known;
    end if;
    -- Nothing can be rarer.
    exit when known is null;
  end loop;
end
$$;
comment on function search_rarest is 'Called by search_plan and span_pattern: the rarest of the parts of so many characters that a text in search form has, and its share of all leads; null: hardly any lead has that part.';

create or replace function search_plan(
    form text, wanted integer, out walked_max double precision, out leads_expected double precision, out part text)
  language plpgsql stable as $$
declare
  -- Of a trigram that is not known.
  share_min constant double precision := 0.0001;
  rarest record;
  share double precision;
  leads_total double precision;
begin
  -- No index has a short text without a trigram.
  if form is null or length(form) < 7 and not has_trigram(form) then
    return;
  end if;
  walked_max := 0;
  leads_expected := 0;
  if length(form) >= 5 then
    rarest := search_rarest(form, 5);
    part := rarest.part;
    share := rarest.share;
    if share is null and length(form) >= 7 then
      return;
    end if;
  end if;
  leads_total := (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass);
  if share is null then
    rarest := search_rarest(form, 3);
    part := rarest.part;
    share := coalesce(rarest.share, share_min);
    if length(form) >= 5 then
      -- Five characters of more leads would be known.
      leads_expected := least(share * leads_total, greatest(100, leads_total / 2000));
      return;
    end if;
  end if;
  leads_expected := share * leads_total;
  -- To walk costs 1 / share leads for each hit; to look up costs as much as four of them for each hit, of which there are
  -- share * leads in all, or little more than are wanted where the newest spans do.
  if share ^ 2 * leads_total > 0.25 * wanted and wanted / share < 500 + 4 * wanted then
    walked_max := 2 * wanted / share;
  end if;
end
$$;
comment on function search_plan is 'How to find the newest leads that have a text in search form: how many of the newest leads to look at (0: none, null: all, as a short text has no trigram), how many leads have it, as far as search_shares knows (0: few), and the rarest part of the text.';
