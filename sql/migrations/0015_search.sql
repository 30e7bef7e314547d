-- How common parts of texts are: what decides whether a text is looked for among the newest leads or in
-- leads_search_idx, before either is read (leads/search_leads). A plan of its own for every text cost more than that.

create table search_shares (
  part text collate "C" primary key,
  share real not null check (share > 0 and share <= 1)
);
comment on table search_shares is 'How common parts of texts are among leads, by a sample; those that hardly any lead has are left out, so that no person can be recognized by one.';
comment on column search_shares.part is 'Three characters in a row inside a word, or any five in a row.';
comment on column search_shares.share is 'The fraction of leads that contain it.';
-- The planner decides on it no more.
alter table leads alter column search_text set statistics -1;
