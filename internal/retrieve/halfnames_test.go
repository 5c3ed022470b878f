package retrieve_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/contextd/contextd/internal/access"
	"github.com/contextd/contextd/internal/gates"
	"github.com/contextd/contextd/internal/retrieve"
)

// harbourFiles define names that questions remember by half.
var harbourFiles = map[string]string{
	"sluice/supervisor.go":     "package sluice\n\n// PartitionSupervisor restarts the keepers of a basin.\ntype PartitionSupervisor struct{ keepers int }\n",
	"sluice/keeper.go":         "package sluice\n\n// keeper opens one sluice.\ntype keeper struct{ open bool }\n\nfunc (k *keeper) raise() { k.open = true }\n",
	"log/capture.py":           "class CaptureLog:\n    \"\"\"Collects what is printed.\"\"\"\n\n    def lines(self):\n        return []\n",
	"log/writer.py":            "class LogWriter:\n    def write(self, line):\n        print(line)\n",
	"version/selector.py":      "class VersionSelector:\n    def best(self, versions):\n        return max(versions)\n",
	"version/parse.py":         "def parse_version(text):\n    return text.split('.')\n",
	"ui/elements.ts":           "export function defineCustomElement(tag: string) {\n  return tag\n}\n",
	"ui/render.ts":             "export function renderElement(tag: string) {\n  return '<' + tag + '>'\n}\n",
	"state/initial.cs":         "class InitialSessionState {\n  int berths;\n}\n",
	"state/session.cs":         "class SessionStore {\n  int session;\n  int state;\n}\n",
	"files/remote.go":          "package files\n\n// RemoteFilesystem reads the tide tables of another harbour.\ntype RemoteFilesystem struct{ host string }\n",
	"files/local.go":           "package files\n\n// LocalFilesystem reads our own tables.\ntype LocalFilesystem struct{ dir string }\n",
	"order/ordering-list.py":   "class OrderingList(list):\n    def reorder(self):\n        self.sort()\n",
	"conn/evaluator.go":        "package conn\n\n// ConnectivityStateEvaluator sums up the states of all moorings.\ntype ConnectivityStateEvaluator struct{ ready int }\n",
	"conn/manager.go":          "package conn\n\n// ConnectionManager keeps the lines to the ships.\ntype ConnectionManager struct{ lines []string }\n",
	"config/loader.rs":         "pub fn load_config(path: &str) -> String {\n    path.to_string()\n}\n",
	"http/request_context.rs":  "pub struct RequestContext {\n    pub berth: u32,\n}\n",
	"message/queue.rs":         "pub struct MessageQueue {\n    pub waiting: Vec<String>,\n}\n",
	"span/simple_processor.rb": "class SimpleSpanProcessor\n  def finish(span)\n    span\n  end\nend\n",
}

// halfRemembered are names as somebody types them, and the files that define what they mean.
var halfRemembered = []struct{ kind, typed, path string }{
	{"case", "captureLog", "log/capture.py"},
	{"case", "INITIALSESSIONSTATE", "state/initial.cs"},
	{"case", "remotefilesystem", "files/remote.go"},
	{"snake", "version_selector", "version/selector.py"},
	{"snake", "LoadConfig", "config/loader.rs"},
	{"snake", "connection_manager", "conn/manager.go"},
	{"order", "SessionStateInitial", "state/initial.cs"},
	{"order", "LogCapture", "log/capture.py"},
	{"order", "selector version", "version/selector.py"},
	{"order", "custom_elem_define", "ui/elements.ts"},
	{"abbreviation", "cfg_load", "config/loader.rs"},
	{"abbreviation", "ReqCtx", "http/request_context.rs"},
	{"abbreviation", "connMgr", "conn/manager.go"},
	{"abbreviation", "msg_queue", "message/queue.rs"},
	{"abbreviation", "initSessionState", "state/initial.cs"},
	{"typo", "partitonSupervisor", "sluice/supervisor.go"},
	{"typo", "list_orderng", "order/ordering-list.py"},
	{"typo", "conectivityStateEvaluater", "conn/evaluator.go"},
	{"typo", "remote_filesystm", "files/remote.go"},
	{"typo", "spanprocesor_simple", "span/simple_processor.rb"},
	{"typo", "where is the ordring list sorted", "order/ordering-list.py"},
}

func TestHalfRememberedNamesOfEveryKindAreFoundOnBothBackings(t *testing.T) {
	root, on, _ := onBoth(t, harbourFiles)
	for _, c := range halfRemembered {
		for name, rt := range on {
			r := rt.Query(context.Background(),
				retrieve.Request{Text: c.typed, Target: access.Target{Project: "p", Root: root}, Deadline: time.Minute,
					Gates: gates.Options{MinRelevance: gates.NoThreshold, MaxResults: 10, MaxBytes: 1 << 20}})
			if at := slices.Index(where(r.Results), c.path); at < 0 || at > 2 {
				t.Errorf("%s, %s %q: %s stands at %d of %v", name, c.kind, c.typed, c.path, at, where(r.Results))
			}
		}
	}
}
