package main

import (
	"context"
	"encoding/json"
	"os"

	"github.com/google/uuid"
	"matrix/api"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

type bearer string

func (key bearer) ApiKey(context.Context, api.OperationName) (api.ApiKey, error) {
	return api.ApiKey{Token: string(key)}, nil
}

func main() {
	client, err := api.NewClient(os.Args[1], bearer(os.Args[2]))
	check(err)
	background := context.Background()
	list, err := client.ListLeads(background, api.ListLeadsParams{Limit: api.NewOptInt(5)})
	check(err)
	var leads []api.Lead = list.(*api.LeadListHeaders).Response.Data
	one, err := client.GetLead(background, api.GetLeadParams{LeadId: leads[0].ID})
	check(err)
	missing, err := client.GetLead(background, api.GetLeadParams{LeadId: uuid.MustParse("00000000-0000-4000-8000-000000000000")})
	check(err)
	events, named := 0, 0
	var after int64
	types := []api.EventType{"lead.created", "signal.opened"}
	for {
		answer, err := client.ListEvents(background, api.ListEventsParams{After: api.NewOptInt64(after), Limit: api.NewOptInt(200), Types: types})
		check(err)
		page := answer.(*api.EventPageHeaders).Response
		events += page.Meta.Count
		for _, event := range page.Data {
			if event.IsLeadCreatedEvent() {
				named++
			}
		}
		after = page.Meta.NextCursor
		if page.Meta.Count == 0 {
			break
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"leads": len(leads), "same": one.(*api.LeadEnvelopeHeaders).Response.Data.ID == leads[0].ID,
		"missing": missing.(*api.GetLeadNotFound).Response.Error.Code, "events": events, "named": named}))
}
