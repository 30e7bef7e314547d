import json, sys
from uuid import UUID
from workspace_data_api_client import AuthenticatedClient
from workspace_data_api_client.api.events import list_events
from workspace_data_api_client.api.leads import get_lead, list_leads
from workspace_data_api_client.models import EventType, Lead, LeadCreatedEvent

base, key = sys.argv[1:3]
client = AuthenticatedClient(base_url=base, token=key)
leads = list_leads.sync(client=client, limit=5).data
assert isinstance(leads[0], Lead)
one = get_lead.sync(leads[0].id, client=client).data
missing = get_lead.sync(UUID("00000000-0000-4000-8000-000000000000"), client=client)
events, named, after = 0, 0, 0
while True:
    page = list_events.sync(client=client, after=after, limit=200, types=[EventType("lead.created"), EventType("signal.opened")])
    events += page.meta.count
    named += sum(isinstance(event, LeadCreatedEvent) for event in page.data)
    after = page.meta.next_cursor
    if page.meta.count == 0:
        break
print(json.dumps({"leads": len(leads), "same": one.id == leads[0].id, "missing": str(missing.error.code.value), "events": events, "named": named}))
