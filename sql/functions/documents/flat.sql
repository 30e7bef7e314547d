-- The flat projection of an analysis, computed from the nested form: every column always, unknown is null.

create or replace function flat_value(value jsonb, kind text) returns jsonb
  language sql immutable parallel safe
  return case
    when kind = 'integer' and jsonb_typeof(value) = 'number' then case when (value)::numeric % 1 = 0 then value end
    when jsonb_typeof(value) = kind then value
  end;
comment on function flat_value is 'A value when it has the type of its column, else null.';

create or replace function flat_person(haushalt jsonb, rolle text) returns jsonb
  language sql immutable parallel safe
  return jsonb_path_query_first(haushalt, 'lax $.personen[*] ? (@.rolle == $rolle)',
    jsonb_build_object('rolle', rolle), silent => true);
comment on function flat_person is 'The first person of a household in a role.';

create or replace function flat_contracts(vertraege jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_build_object(
      'vertraege_anzahl', jsonb_array_length(list.vertraege),
      'vertraege_sparten', (
        select coalesce(string_agg(contract.value ->> 'sparte', ', ' order by contract.position), '')
        from jsonb_array_elements(list.vertraege) with ordinality as contract (value, position)))
    || (
      select jsonb_object_agg(branch.name, branch.value)
      from unnest('{privathaftpflicht,hausrat,wohngebaeude,berufsunfaehigkeit,risikoleben,rechtsschutz,
        kfz_haftpflicht,unfall,pflegezusatz}'::text[]) as sparten (sparte)
      -- Of several contracts of a branch: an active one first, then the newest, then by their text.
      left join lateral (
        select contract.value
        from jsonb_array_elements(list.vertraege) as contract
        where contract.value ->> 'sparte' = sparten.sparte
        order by (contract.value ->> 'status' is not distinct from 'aktiv') desc,
          contract.value ->> 'beginn' collate "C" desc nulls last, contract.value::text collate "C"
        limit 1
      ) as first on true
      cross join lateral (values
        ('vertrag_' || sparten.sparte || '_vorhanden',
          to_jsonb(first.value ->> 'status' is not distinct from 'aktiv' and first.value is not null)),
        ('vertrag_' || sparten.sparte || '_versicherer', flat_value(first.value -> 'versicherer', 'string')),
        ('vertrag_' || sparten.sparte || '_status', flat_value(first.value -> 'status', 'string'))
      ) as branch (name, value))
  from (select case when jsonb_typeof(vertraege) = 'array' then vertraege else '[]' end as vertraege) as list;
end;
comment on function flat_contracts is 'The columns of the flat projection about contracts.';

create or replace function flat_check(din_check jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_build_object('din_params_version', flat_value(din_check #> '{bewertung,params_version}', 'string'),
      'din_unbekannt_anzahl', case when jsonb_typeof(din_check #> '{bewertung,unbekannt_in_analyse}') = 'array'
        then jsonb_array_length(din_check #> '{bewertung,unbekannt_in_analyse}') end)
    || jsonb_object_agg('din_luecken_stufe_' || stufen.stufe::text || '_anzahl',
      case when jsonb_typeof(din_check -> 'bewertung') = 'object' then jsonb_array_length(luecken.themen) end)
    || jsonb_object_agg('din_luecken_stufe_' || stufen.stufe::text || '_themen',
      case when jsonb_typeof(din_check -> 'bewertung') = 'object' then (
        select coalesce(string_agg(thema.value, '; ' order by thema.position), '')
          from jsonb_array_elements_text(luecken.themen) with ordinality as thema (value, position)) end)
  from generate_series(1, 3) as stufen (stufe)
  cross join lateral (
    select coalesce(jsonb_path_query_array(din_check,
      'lax $.bewertung.luecken_nach_stufe[*] ? (@.stufe == $stufe).themen[*]',
      jsonb_build_object('stufe', stufen.stufe), silent => true), '[]') as themen
  ) as luecken;
end;
comment on function flat_check is 'The columns of the flat projection about the DIN check.';

create or replace function analysis_flat(analysis_v2 jsonb, din_check jsonb) returns jsonb
  language sql immutable parallel safe
begin atomic
  select jsonb_build_object(
      'analyse_version', flat_value(analysis_v2 #> '{meta,version}', 'string'),
      'analyse_erstellt_am', flat_value(analysis_v2 #> '{meta,erstellt_am}', 'string'),
      'kunde_name', flat_value(analysis_v2 #> '{kunde,name}', 'string'),
      'kunde_alter', flat_value(analysis_v2 #> '{kunde,alter}', 'integer'),
      'kunde_strasse', flat_value(analysis_v2 #> '{kunde,adresse,strasse}', 'string'),
      'kunde_plz', flat_value(analysis_v2 #> '{kunde,adresse,plz}', 'string'),
      'kunde_ort', flat_value(analysis_v2 #> '{kunde,adresse,ort}', 'string'),
      'kunde_telefon', flat_value(analysis_v2 #> '{kunde,kontakt,telefon}', 'string'),
      'kunde_email', flat_value(analysis_v2 #> '{kunde,kontakt,email}', 'string'),
      'haushaltsgroesse', flat_value(analysis_v2 #> '{haushalt,haushaltsgroesse}', 'integer'),
      'kinder_anzahl', flat_value(analysis_v2 #> '{haushalt,kinder_anzahl}', 'integer'),
      'beziehungsstatus', flat_value(analysis_v2 #> '{haushalt,beziehungsstatus}', 'string'),
      'kunde_taetigkeitsstatus', flat_value(persons.kunde -> 'taetigkeitsstatus', 'string'),
      'kunde_kv_status', flat_value(persons.kunde -> 'kv_status', 'string'),
      'kunde_eigenes_einkommen_vorhanden', flat_value(persons.kunde -> 'eigenes_einkommen_vorhanden', 'boolean'),
      'partner_alter', flat_value(persons.partner -> 'alter', 'integer'),
      'partner_taetigkeitsstatus', flat_value(persons.partner -> 'taetigkeitsstatus', 'string'),
      'partner_kv_status', flat_value(persons.partner -> 'kv_status', 'string'),
      'wohnstatus', flat_value(analysis_v2 #> '{haushalt,wohnsituation,wohnstatus}', 'string'))
    || flat_contracts(analysis_v2 -> 'vertraege')
    || flat_check(coalesce(din_check, analysis_v2 -> 'din_check'))
  from (
    select flat_person(analysis_v2 -> 'haushalt', 'kunde') as kunde,
      flat_person(analysis_v2 -> 'haushalt', 'partner') as partner
  ) as persons;
end;
comment on function analysis_flat is
  'The flat projection of an analysis: the columns that /schemas/analysis lists, each always present.';

-- Computed when the writer leaves it out. On an update also when it is the projection of what was there before:
-- one that a writer brought along is the writer's.
create or replace function project_lead_analysis() returns trigger
  language plpgsql set search_path = public, pg_temp as $$
begin
  if new.analysis is null
    or tg_op = 'UPDATE' and new.analysis = old.analysis
      and old.analysis = analysis_flat(old.analysis_v2, old.din_check) then
    new.analysis := analysis_flat(new.analysis_v2, new.din_check);
  end if;
  return new;
end
$$;
