import json, sys
import openapi_client
from openapi_client.models import Error, EventType, Lead, LeadCreatedEvent

base, key = sys.argv[1:3]
client = openapi_client.ApiClient(openapi_client.Configuration(host=base, access_token=key))
api, feed = openapi_client.LeadsApi(client), openapi_client.EventsApi(client)
leads = api.list_leads(limit=5).data
assert isinstance(leads[0], Lead)
one = api.get_lead(leads[0].id).data
try:
    api.get_lead("00000000-0000-4000-8000-000000000000")
except openapi_client.ApiException as refusal:
    missing = Error.from_json(refusal.body).error.code
events, named, after = 0, 0, 0
while True:
    page = feed.list_events(after=after, limit=200, types=[EventType.LEAD_DOT_CREATED, EventType.SIGNAL_DOT_OPENED])
    events += page.meta.count
    named += sum(isinstance(event.actual_instance, LeadCreatedEvent) for event in page.data)
    after = page.meta.next_cursor
    if page.meta.count == 0:
        break
print(json.dumps({"leads": len(leads), "same": one.id == leads[0].id, "missing": missing.value, "events": events, "named": named}))
