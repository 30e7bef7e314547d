-- How a text is looked for: among the newest leads, or by its trigrams or pieces.
--
-- @needs search/words

-- The share of a text comes from the rarest trigram of each word; its digits follow each other as they like. Words are seldom
-- as independent as their product says: hence the root. Bounded, because long texts would be rarer than a number can say.
create or replace function search_plan_of_words(form text, wanted integer)
  returns table (walked_max double precision, leads_expected double precision, parts text[])
  language sql stable rows 1
begin atomic
  with trigrams as materialized (
    select known.word, known.trigram, known.share, row_number() over (partition by known.place order by known.share) as rank
    from (
      select found.word, found.place, found.trigram,
        coalesce((select search_shares.share from search_shares where search_shares.part = found.trigram), 0.0001) as share
      from search_trigrams(form) as found
      -- A text has up to 254 characters, and the planner does not know.
      limit 254
    ) as known
  ),
  words as (
    select power(trigrams.share, least(greatest((length(trigrams.word) - length(translate(trigrams.word, '0123456789', ''))) / 3.0, 1), 10)) as share
    from trigrams
    where trigrams.rank = 1
  ),
  shares as (
    select sqrt(rarest.share * rarest.product) as share, rarest.product * rarest.leads as leads_expected, rarest.leads
    from (
      select min(words.share) as share, exp(greatest(sum(ln(words.share)), -60)) as product,
        (select pg_class.reltuples from pg_class where pg_class.oid = 'leads'::regclass) as leads
      from words
    ) as rarest
  )
  select
    case
      -- To walk costs 1 / share leads for each hit; to look up costs as much as four of them for each hit, of which there are
      -- share * leads in all, or little more than are wanted where the newest spans do.
      when shares.share ^ 2 * shares.leads > 0.25 * wanted and wanted / shares.share < 500 + 4 * wanted or shares.share is null
        then 2 * wanted / shares.share
      else 0
    end,
    shares.leads_expected,
    array(select trigrams.trigram from trigrams order by trigrams.rank, trigrams.share limit 3)
  from shares;
end;
comment on function search_plan_of_words is 'Called by search_plan: for a text whose words are to be judged one by one.';

-- Most long texts have five characters that hardly any lead has, and then nothing else is to be asked.
create or replace function search_plan(
    form text, wanted integer, out walked_max double precision, out leads_expected double precision, out parts text[])
  language plpgsql stable as $$
begin
  walked_max := 0;
  leads_expected := 0;
  if length(form) >= 7 then
    -- The first or the second, mostly.
    for place in 1 .. length(form) - 4 loop
      perform from search_shares where search_shares.part = substr(form, place, 5);
      if not found then
        parts := array[substr(form, place, 5)];
        return;
      end if;
    end loop;
  end if;
  select planned.* into walked_max, leads_expected, parts from search_plan_of_words(form, wanted) as planned;
  -- Without a trigram it is not known how common it is; a long text has pieces to go on with.
  if length(form) >= 7 then
    walked_max := coalesce(walked_max, 2000);
  end if;
end
$$;
comment on function search_plan is 'How to find the newest leads that have a text in search form: how many of the newest leads to look at (0: none, null: all, as a short text has no trigram), how many leads have it, as far as search_shares knows (0: few), and the rarest parts of the text, the rarest first.';
