package main

import "strings"

// goNames are schemas and fields whose Go names do not follow from the document.
var goNames = map[string]string{
	"ContextTask": "Work", "ContextSection": "Section", "ContextItem": "Item", "ItemDraft": "Draft",
	"ContextStats": "MemoryStats", "ContextDiff": "Delta",
	"UsageReport": "Outcome", "Outcome": "Fates", "Recalled": "RecallReply",

	"Project.project":                    "ID",
	"Task.task_id":                       "ID",
	"Task.task_type":                     "Type",
	"MemoryItem.agent_id":                "Agent",
	"ContextItem.item_id":                "ID",
	"ContextItem.id":                     "AliasID",
	"ContextItem.agent_id":               "Agent",
	"ContextItem.importance_score":       "Importance",
	"ItemDraft.importance_score":         "Importance",
	"Saved.item_id":                      "ID",
	"Flashed.items_archived":             "Archived",
	"Flashed.hot_items_retained":         "HotRetained",
	"Pointer.item_id":                    "ID",
	"Pointer.item_type":                  "Type",
	"Checkpoint.checkpoint_id":           "ID",
	"Checkpoint.agent_id":                "Agent",
	"Checkpoint.tokens_used":             "Used",
	"Checkpoint.tokens_limit":            "Limit",
	"Checkpoint.hot_items":               "Hot",
	"Checkpoint.warm_items":              "Warm",
	"Checkpoint.items.item_type":         "Type",
	"ContextStats.total_items":           "Items",
	"ContextStats.hot_count":             "Hot",
	"ContextStats.warm_count":            "Warm",
	"ContextStats.cold_count":            "Cold",
	"ContextStats.archived_count":        "Archived",
	"ContextStats.total_tokens":          "Tokens",
	"ContextTask.acceptance_criteria":    "Acceptance",
	"Succeeds.success_rate":              "Rate",
	"Profile.preferred_kinds":            "Preferred",
	"Profile.excluded_kinds":             "Excluded",
	"Profile.allow_compression":          "Compress",
	"Profile.compression_aggressiveness": "Aggressiveness",
	"Profile.preserve_head":              "Head",
	"Profile.preserve_tail":              "Tail",
	"Fingerprint.fingerprint_id":         "TaskFingerprint",
	"UsageReport.turn":                   "ID",
	"Changes.sections.from_tokens":       "From",
	"Changes.sections.to_tokens":         "To",
	"Queue.queue":                        "Counts",
}

// goInline names the objects that stand inside a schema.
var goInline = map[string]string{
	"ContextTask.issue":           "Issue",
	"ContextTask.file_operations": "FileOperation",
	"ContextTask.steps":           "Step",
	"Receipt.weights":             "Weights",
	"Receipt.sections":            "ReceiptSection",
	"Changes.settings":            "SettingChange",
	"Changes.items":               "ItemChange",
	"Changes.sections":            "SectionChange",
	"Recalled.items":              "Recalled",
	"Citation.span":               "Span",
	"Checkpoint.items":            "CheckpointItem",
	"ContextStats.tiers":          "TierCounts",
	"ContextDiffRequest.have":     "Held",
}

// goTypes are fields whose Go types do not follow from the document: numbers and switches of requests, where zero says
// something else than nothing, and what has been a pointer.
var goTypes = map[string]string{
	"ContextRequest.inject_at":     "*float64",
	"ContextRequest.min_relevance": "*float64",
	"SearchRequest.min_relevance":  "*float64",
	"ContextTask.requires_context": "*bool",
	"TaskPatch.requires_context":   "*bool",
	"ItemDraft.importance_score":   "*float64",
	"MemoryItem.pinned":            "*float64",
	"Blocker.blocked_at":           "*time.Time",
	"ContextReply.fingerprint":     "*Fingerprint",
	"ContextAssembled.fingerprint": "*Fingerprint",
	"Receipt.fingerprint":          "*Fingerprint",
	"Event.data":                   "json.RawMessage",
	"Task.requires_context":        "*bool",
	"Task.success":                 "*bool",
	"Task.validation_report":       "json.RawMessage",
}

// goWhole are schemas of which all fields are encoded, since in a request zero says something else than nothing.
var goWhole = map[string]bool{"ProfileWeights": true, "ProfileCode": true}

// goByHand are schemas that no struct is generated of, and why.
var goByHand = map[string]string{
	"State":           "holds whatever something else kept: json.RawMessage",
	"ProfileOverride": "has fields of which zero differs from nothing: a map, or a Profile",
}

// initialisms are parts of names that Go writes in capitals.
var initialisms = map[string]string{"id": "ID", "ids": "IDs", "ms": "MS"}

// goName is a name_with_parts as Go writes it.
func goName(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		if whole, ok := initialisms[part]; ok {
			b.WriteString(whole)
		} else {
			b.WriteString(upper(part))
		}
	}
	return b.String()
}

func upper(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// lower is a text that goes on behind others; a word in capitals stays.
func lower(text string) string {
	if len(text) < 2 || strings.ToUpper(text[1:2]) == text[1:2] && text[1] != ' ' {
		return text
	}
	return strings.ToLower(text[:1]) + text[1:]
}

// goComment is a comment above a declaration, in lines of at most 116 bytes: with its tabs, 120 columns.
func goComment(text string) string {
	var b strings.Builder
	line := "//"
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > 116 {
			b.WriteString(line + "\n")
			line = "//"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
	return b.String()
}
