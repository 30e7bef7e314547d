-- Keeps where the owner wants notices.
--
-- $1 webhook_url?  null: as OWNER_WEBHOOK_URL says
-- $2 mail_to?      addresses with commas; null: as NOTICE_TO says
-- $3 language?     null: as NOTICE_LANGUAGE says
--
-- Writes the one row there is.
prepare update_notice_settings (text, text, text) as
update notice_settings
set webhook_url = $1, mail_to = $2, language = $3
where notice_settings.only_row
returning notice_settings.language;
