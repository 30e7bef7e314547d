package org.openapitools.client;

import java.util.List;
import java.util.UUID;
import org.openapitools.client.api.EventsApi;
import org.openapitools.client.api.LeadsApi;
import org.openapitools.client.model.*;

public class Matrix {
  public static void main(String[] given) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(given[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + given[1]));
    LeadsApi api = new LeadsApi(client);
    EventsApi feed = new EventsApi(client);
    List<Lead> leads = api.listLeads(5, null, null, null, null).getData();
    Lead one = api.getLead(leads.get(0).getId()).getData();
    String missing = "";
    try {
      api.getLead(UUID.fromString("00000000-0000-4000-8000-000000000000"));
    } catch (ApiException refusal) {
      missing = client.getObjectMapper().readValue(refusal.getResponseBody(), org.openapitools.client.model.Error.class).getError().getCode().getValue();
    }
    int events = 0, named = 0;
    long after = 0;
    while (true) {
      EventPage page = feed.listEvents(after, List.of(EventType.LEAD_CREATED, EventType.SIGNAL_OPENED), 200);
      events += page.getMeta().getCount();
      for (Event event : page.getData()) if (event.getActualInstance() instanceof LeadCreatedEvent) named++;
      after = page.getMeta().getNextCursor();
      if (page.getMeta().getCount() == 0) break;
    }
    System.out.println("{\"leads\":" + leads.size() + ",\"same\":" + one.getId().equals(leads.get(0).getId())
        + ",\"missing\":\"" + missing + "\",\"events\":" + events + ",\"named\":" + named + "}");
  }
}
