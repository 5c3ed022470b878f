package api

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	client "github.com/contextd/contextd/clients/go"
	"github.com/contextd/contextd/internal/history"
	"github.com/contextd/contextd/internal/memory"
	"github.com/contextd/contextd/internal/profile"
	"github.com/contextd/contextd/internal/prompt"
	"github.com/contextd/contextd/internal/receipt"
	"github.com/contextd/contextd/internal/retrieve"
	"github.com/contextd/contextd/internal/usage"
)

// notOnTheWire are fields that a domain type has and no reply over HTTP, by where they stand.
var notOnTheWire = map[string]string{
	"SearchReply.roots":           "an answer of several roots, of the command query only",
	"SearchReply.results[].root":  "the same",
	"SearchReply.nearest[].root":  "the same",
	"SearchReply.rejected[].root": "the same",
	"Receipt.fitting":             "for \"explain --need\"; a receipt that is read has it no more",
}

// neverEmpty are fields that a reply always has, though the domain type, which is stored too, leaves them out where
// they are empty, or the other way round.
var neverEmpty = map[string]bool{
	"Checkpoint.checkpoint_id": true, "Checkpoint.agent_id": true, "Checkpoint.created_at": true,
	"Checkpoint.items":      true,
	"Task.requires_context": true, "Blocker.reason": true,
}

// Types of the domain that are encoded as they are have the fields of the wire types, which the description gives: the
// same names in the same order, left out in the same cases, of the same kinds.
func TestDomainTypesAreEncodedAsDescribed(t *testing.T) {
	t.Parallel()
	for _, pair := range []struct{ wire, domain any }{
		{client.SearchReply{}, retrieve.Reply{}}, {client.Skipped{}, retrieve.Skipped{}},
		{client.Verdict{}, retrieve.Verdict{}},
		{client.ContextReply{}, prompt.Reply{}}, {client.Prompt{}, prompt.Prompt{}},
		{client.RecallReply{}, prompt.Recalled{}},
		{client.LearnedOf{}, prompt.LearnedOf{}}, {client.Receipt{}, receipt.Receipt{}},
		{client.Changes{}, receipt.Changes{}},
		{client.Outcomes{}, outcomes{}}, {client.Outcome{}, usage.Report{}}, {client.MemoryItem{}, memory.Item{}},
		{client.Checkpoint{}, memory.Snapshot{}}, {client.MemoryStats{}, memory.Stats{}},
		{client.Pointer{}, memory.Pointer{}},
		{client.Citation{}, memory.Citation{}}, {client.Imported{}, history.Imported{}},
		{client.Profile{}, profile.Profile{}},
		{client.Task{}, history.Task{}}, {client.Blocker{}, history.Blocker{}},
	} {
		w := reflect.TypeOf(pair.wire)
		for _, fault := range unlike(w.Name(), w, reflect.TypeOf(pair.domain), true) {
			t.Error(fault)
		}
	}
	// Of requests the order does not matter, and what may be left out is read as zero.
	for _, pair := range []struct{ wire, domain any }{
		{client.ContextRequest{}, prompt.Request{}}, {client.RecallRequest{}, prompt.RecallRequest{}},
		{client.Feedback{}, prompt.Feedback{}},
	} {
		w := reflect.TypeOf(pair.wire)
		for _, fault := range unlike(w.Name(), w, reflect.TypeOf(pair.domain), false) {
			t.Error(fault)
		}
	}
}

// encoded is a field as package json sees it.
type encoded struct {
	name  string
	leave bool // left out where it is empty
	typ   reflect.Type
}

func encodedFields(t reflect.Type) (all []encoded) {
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" && f.IsExported() && (!f.Anonymous || name != "") {
			all = append(all, encoded{name, options != "", f.Type})
		}
	}
	return all
}

// unlike tells how two types differ in what they are encoded as. reply: the order counts, and when a field is left out.
func unlike(at string, wire, domain reflect.Type, reply bool) (faults []string) {
	wire, domain = under(wire), under(domain)
	switch {
	case wire.Kind() == reflect.Interface:
		return nil
	case wire.Kind() != domain.Kind():
		return []string{fmt.Sprintf("%s is %v in the client, %v in the server", at, wire, domain)}
	case wire.Kind() == reflect.Slice:
		return unlike(at+"[]", wire.Elem(), domain.Elem(), reply)
	case wire.Kind() == reflect.Map:
		return unlike(at+"{}", wire.Elem(), domain.Elem(), reply)
	case wire.Kind() != reflect.Struct || wire == reflect.TypeFor[time.Time]():
		return nil
	}
	have := map[string]encoded{}
	var order []string
	for _, f := range encodedFields(domain) {
		if _, apart := notOnTheWire[at+"."+f.name]; !apart {
			have[f.name] = f
			order = append(order, f.name)
		}
	}
	var want []string
	for _, f := range encodedFields(wire) {
		d, ok := have[f.name]
		if !ok {
			if at+"."+f.name != "SearchReply.text" { // which search adds
				faults = append(faults, fmt.Sprintf("%s.%s is not in %v", at, f.name, domain))
			}
			continue
		}
		want = append(want, f.name)
		if reply && d.leave != f.leave && !neverEmpty[at+"."+f.name] {
			faults = append(faults, fmt.Sprintf("%s.%s: left out where it is empty: %v in the client, %v in %v", at,
				f.name, f.leave, d.leave, domain))
		}
		faults = append(faults, unlike(at+"."+f.name, f.typ, d.typ, reply)...)
	}
	if reply && strings.Join(want, " ") != strings.Join(order, " ") || len(want) != len(order) {
		faults = append(faults, fmt.Sprintf("%s has the fields\n%s\n%v\n%s", at, want, domain, order))
	}
	return faults
}

// under is a type without pointers around it; whole numbers of all sizes are one.
func under(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Int64, reflect.Int32:
		return reflect.TypeFor[int]()
	}
	return t
}
