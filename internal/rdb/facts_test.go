package rdb

import (
	"strings"
	"testing"
)

func TestFactsAreThoseOfInfo(t *testing.T) {
	t.Parallel()
	const info = "# Server\r\nredis_version:8.2.3\r\n\r\n# Memory\r\nused_memory:1024\r\nmaxmemory:4096\r\nmaxmemory_policy:allkeys-lru\r\n" +
		"# Persistence\r\nrdb_last_bgsave_status:ok\r\naof_enabled:1\r\naof_last_write_status:err\r\n# Stats\r\nevicted_keys:7\r\n# Replication\r\nrole:slave\r\n"
	want := Facts{Version: "8.2.3", Replica: true, Used: 1024, Max: 4096, Policy: "allkeys-lru", Evicted: 7,
		SaveFails: "append-only file", AppendOnly: true}
	if got := ParseFacts(info); got != want {
		t.Errorf("ParseFacts = %+v, want %+v", got, want)
	}
	if got := ParseFacts(strings.ReplaceAll(info, "status:ok", "status:err")); got.SaveFails != "snapshot" {
		t.Errorf("a failed snapshot is %q", got.SaveFails)
	}
	if got := ParseFacts("used_memory:many\r\nmaxmemory\r\n:\r\n\xff"); got != (Facts{}) {
		t.Errorf("what is no number is %+v", got)
	}
}
