import json, sys, urllib.error, urllib.request
from models import Error, EventPage, LeadCreatedEvent, LeadEnvelope, LeadList

base, key = sys.argv[1:3]

def get(path, shape):
    request = urllib.request.Request(base + path, headers={"Authorization": f"Bearer {key}"})
    try:
        with urllib.request.urlopen(request) as response:
            return shape.model_validate_json(response.read())
    except urllib.error.HTTPError as refusal:
        return Error.model_validate_json(refusal.read())

leads = get("/leads?limit=5", LeadList).data
one = get(f"/leads/{leads[0].id}", LeadEnvelope).data
missing = get("/leads/00000000-0000-4000-8000-000000000000", LeadEnvelope)
events, named, after = 0, 0, 0
while True:
    page = get(f"/events?after={after}&limit=200&types=lead.created,signal.opened", EventPage)
    events += page.meta.count
    named += sum(isinstance(event.root, LeadCreatedEvent) for event in page.data)
    after = page.meta.next_cursor
    if page.meta.count == 0:
        break
print(json.dumps({"leads": len(leads), "same": one.id == leads[0].id, "missing": missing.error.code.value, "events": events, "named": named}))
