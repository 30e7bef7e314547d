-- Keeps where the owner wants notices.
--
-- $1 mail_to?   addresses with commas; null: as NOTICE_TO says
-- $2 language?  null: German
--
-- Writes the one row there is.
prepare update_notice_settings (text, text) as
update notice_settings
set mail_to = $1, language = $2
where notice_settings.only_row
returning notice_settings.language;
