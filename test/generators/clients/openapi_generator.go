package main

import (
	"context"
	"encoding/json"
	"os"

	openapi "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	settings := openapi.NewConfiguration()
	settings.Servers = openapi.ServerConfigurations{{URL: os.Args[1]}}
	settings.AddDefaultHeader("Authorization", "Bearer "+os.Args[2])
	client, background := openapi.NewAPIClient(settings), context.Background()
	list, _, err := client.LeadsAPI.ListLeads(background).Limit(5).Execute()
	check(err)
	var leads []openapi.Lead = list.Data
	one, _, err := client.LeadsAPI.GetLead(background, leads[0].Id).Execute()
	check(err)
	_, _, refusal := client.LeadsAPI.GetLead(background, "00000000-0000-4000-8000-000000000000").Execute()
	missing := refusal.(*openapi.GenericOpenAPIError).Model().(openapi.Error)
	events, named := 0, 0
	var after int64
	for {
		page, _, err := client.EventsAPI.ListEvents(background).After(after).Limit(200).
			Types([]openapi.EventType{openapi.LEAD_CREATED, openapi.SIGNAL_OPENED}).Execute()
		check(err)
		events += int(page.Meta.Count)
		for _, event := range page.Data {
			if event.LeadCreatedEvent != nil {
				named++
			}
		}
		after = page.Meta.NextCursor
		if page.Meta.Count == 0 {
			break
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"leads": len(leads), "same": one.Data.Id == leads[0].Id, "missing": missing.Error.Code, "events": events, "named": named}))
}
