-- The counts of household records that lists and events show.

-- The contract has two shapes of one name: [{stufe, themen: [text]}] inside a DIN check, [{stufe, anzahl}] in lists and
-- events. This is the one place that makes the second from the first. Levels 1 to 3 are always listed when there is a
-- check at all. A check that was stored with the second shape counts by it; any other counts nothing and never fails.
create or replace function luecken_nach_stufe(din_check jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  with luecken as (
    select (eintrag -> 'stufe')::numeric::integer as stufe,
      case
        when jsonb_typeof(eintrag -> 'themen') = 'array' then jsonb_array_length(eintrag -> 'themen')
        when jsonb_typeof(eintrag -> 'anzahl') = 'number'
          then least(greatest(floor((eintrag -> 'anzahl')::numeric), 0), 1000)
        else 0
      end as anzahl
    from jsonb_path_query(
      din_check,
        'strict $.bewertung.luecken_nach_stufe[*] ? (@.stufe >= 1 && @.stufe <= 99 && @.stufe == @.stufe.floor())',
        silent => true) as eintrag
  ),
  stufen as (
    select stufe, anzahl from luecken
    union all
    select generate_series(1, 3), 0 where jsonb_typeof(din_check -> 'bewertung') = 'object'
  ),
  summen as (
    select stufe, sum(anzahl)::integer as anzahl from stufen group by stufe
  )
  select coalesce(jsonb_agg(jsonb_build_object('stufe', stufe, 'anzahl', anzahl) order by stufe), '[]')
  from summen;
end;
comment on function luecken_nach_stufe is 'Gaps per need level as counts, [{stufe, anzahl}], from a DIN check.';

create or replace function vertraege_anzahl(haushalt jsonb) returns integer
  language sql immutable parallel safe
  return case when jsonb_typeof(haushalt -> 'vertraege') = 'array'
    then jsonb_array_length(haushalt -> 'vertraege') else 0 end;
comment on function vertraege_anzahl is 'Number of contracts in a household profile.';
