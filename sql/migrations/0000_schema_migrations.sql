-- What was applied: migrations once, functions whenever they change. Run before every start that finds no such
-- tables, so it must be harmless when done already.
create table if not exists schema_migrations (
  number integer primary key,
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default now()
);
comment on table schema_migrations is 'Migrations applied to this database; sha256 is that of the file''s text.';

create table if not exists schema_functions (
  path text primary key,
  sha256 text not null,
  version text not null,
  applied_at timestamptz not null default now()
);
comment on table schema_functions is
  'Files of sql/functions as they were last applied; sha256 is that of the file and of those it needs, version '
  'that of the program. Emptied by every migration, so that all are applied after it.';
