-- How moments leave the service.

-- Without "strict" it is inlined; JSON functions alone would write +00:00 and leave out zeros at the end.
create or replace function moment(at timestamptz) returns text
  language sql stable parallel safe
  return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
comment on function moment is 'A moment as all answers have it: in UTC, with Z and six digits of a second.';
