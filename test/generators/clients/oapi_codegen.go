package main

import (
	"context"
	"encoding/json"
	"net/http"
	"os"

	"github.com/google/uuid"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	key := os.Args[2]
	client, err := NewClientWithResponses(os.Args[1], WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	check(err)
	background := context.Background()
	limit := 5
	list, err := client.ListLeadsWithResponse(background, &ListLeadsParams{Limit: &limit})
	check(err)
	var leads []Lead = list.JSON200.Data
	one, err := client.GetLeadWithResponse(background, leads[0].Id)
	check(err)
	missing, err := client.GetLeadWithResponse(background, uuid.MustParse("00000000-0000-4000-8000-000000000000"))
	check(err)
	events, named := 0, 0
	var after int64
	page, types := 200, []EventType{"lead.created", "signal.opened"}
	for {
		answer, err := client.ListEventsWithResponse(background, &ListEventsParams{After: &after, Limit: &page, Types: &types})
		check(err)
		events += answer.JSON200.Meta.Count
		for _, event := range answer.JSON200.Data {
			value, err := event.ValueByDiscriminator()
			check(err)
			if _, ok := value.(LeadCreatedEvent); ok {
				named++
			}
		}
		after = answer.JSON200.Meta.NextCursor
		if answer.JSON200.Meta.Count == 0 {
			break
		}
	}
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"leads": len(leads), "same": one.JSON200.Data.Id == leads[0].Id, "missing": missing.JSON404.Error.Code, "events": events, "named": named}))
}
