// Package importtest holds the direction of imports between the packages of contextd as a table.
//
// Arrows run from commands to flows to stages to vocabulary; a pure stage imports nothing that does I/O. A package that
// stands in no row fails the test, so the table is the list of packages as well.
package importtest

// rule says what one package may import.
type rule struct {
	pkg  string // below internal/, or cmd/…, tools/…
	may  string // packages below internal/ that it may import; "*": any
	pure bool   // imports nothing that does I/O
}

// rules is the table of docs/ARCHITECTURE.md.
var rules = []rule{
	// vocabulary and ground
	{pkg: "code", may: "notebook", pure: true},
	{pkg: "obs"},
	{pkg: "owner"},
	{pkg: "linefile"},
	{pkg: "trace", may: "obs"},
	{pkg: "rdb"},
	{pkg: "sqlfile"},
	{pkg: "charset", pure: true},
	{pkg: "notebook", pure: true},
	{pkg: "config", may: "rdb rerank"},

	// pure stages
	{pkg: "lexical", may: "code", pure: true},
	{pkg: "chunker", may: "code", pure: true},
	{pkg: "analyze", may: "code chunker lexical notebook", pure: true},
	{pkg: "asked", pure: true},
	{pkg: "rank", may: "code lexical", pure: true},
	{pkg: "spelling", may: "lexical", pure: true},
	{pkg: "gates", may: "code", pure: true},
	{pkg: "render", may: "code obs", pure: true},
	{pkg: "eval"},
	{pkg: "intent", may: "lexical", pure: true},
	{pkg: "profile", may: "intent", pure: true},
	{pkg: "dedup", may: "lexical", pure: true},
	{pkg: "recall", may: "lexical", pure: true},
	{pkg: "tokens", may: "lexical", pure: true},
	{pkg: "compile", may: "profile render", pure: true},
	{pkg: "receipt", may: "profile", pure: true},
	{pkg: "top", may: "obs", pure: true},
	{pkg: "confedit", pure: true},
	{pkg: "plugins", pure: true},
	{pkg: "agents", may: "confedit plugins", pure: true},

	// seams and their implementations
	{pkg: "sandbox", may: "charset code notebook obs"},
	{pkg: "embed", may: "code lexical obs", pure: true},
	{pkg: "embed/static", may: "code embed lexical obs"},
	{pkg: "embed/modelhttp"},
	{pkg: "embed/openai", may: "code embed embed/modelhttp obs"},
	{pkg: "rerank", may: "embed/modelhttp obs"},
	{pkg: "vectors", may: "embed rdb search sqlfile"},
	{pkg: "queue", may: "code obs"},
	{pkg: "queue/redis", may: "code obs owner queue rdb"},
	{pkg: "queue/spool", may: "code obs queue"},
	{pkg: "queue/sqlite", may: "code obs owner queue sqlfile"},
	{pkg: "search", may: "code lexical obs"},
	{pkg: "search/local", may: "code lexical obs owner search"},
	{pkg: "search/redisearch", may: "code lexical obs owner rdb search"},
	{pkg: "store", may: "obs"},
	{pkg: "store/redis", may: "obs owner rdb store"},
	{pkg: "store/sqlite", may: "obs sqlfile store"},

	// what is remembered, over the store
	{pkg: "history", may: "linefile obs sandbox store"},
	{pkg: "memory", may: "lexical obs recall sandbox store"},
	{pkg: "usage", may: "lexical obs sandbox store"},
	{pkg: "learn", may: "profile receipt store"},
	{pkg: "breaker", may: "store"},
	{pkg: "githist", may: "code lexical obs sandbox"},

	// flows
	{pkg: "worker", may: "code obs queue"},
	{pkg: "ingest", may: "analyze code embed lexical obs sandbox search spelling"},
	{pkg: "retrieve", may: "analyze asked code embed gates githist lexical obs queue rank rdb render rerank sandbox search spelling"},
	{pkg: "backend", may: "breaker code embed obs owner queue queue/redis queue/sqlite rdb sandbox search search/local search/redisearch store store/redis store/sqlite vectors"},
	{pkg: "assemble", may: "asked breaker code compile dedup embed gates history intent learn lexical memory obs profile rank receipt render retrieve sandbox search store tokens usage"},
	{pkg: "hook", may: "assemble intent linefile obs render sandbox store tokens"},
	{pkg: "session", may: "assemble backend breaker code embed embed/static githist history ingest learn memory obs profile queue retrieve sandbox search store tokens usage"},
	{pkg: "workspace"},
	{pkg: "mcp", may: "gates obs render retrieve"},
	{pkg: "mcp/bridge", may: "assemble gates history mcp memory retrieve sandbox session workspace"},
	{pkg: "api", may: "*"},
	{pkg: "web"},
	{pkg: "daemon", may: "backend code embed githist ingest obs owner queue queue/spool sandbox search worker"},
	{pkg: "runner"},
	{pkg: "install", may: "agents confedit obs sandbox"},
	{pkg: "doctor", may: "backend rdb search"},
	{pkg: "cli", may: "backend code config embed embed/openai embed/static ingest obs rdb rerank sandbox search"},

	// helpers of tests: the last test below keeps them out of everything else
	{pkg: "rdb/rdbtest", may: "rdb"},
	{pkg: "sandbox/sandboxtest"},
	{pkg: "queue/queuetest", may: "code owner queue"},
	{pkg: "store/storetest", may: "store"},
	{pkg: "search/searchtest", may: "analyze code embed lexical rank search"},
	{pkg: "cli/clitest", may: "cli"},
	{pkg: "e2e/e2etest"},
	{pkg: "e2e"},
	{pkg: "e2e/agents", may: "e2e/e2etest"},
	{pkg: "importtest"},

	// for programs that use contextd over HTTP
	{pkg: "client"},
	{pkg: "client/examples/supervisor", may: "client"},

	// commands
	{pkg: "cmd/indexer", may: "*"},
	{pkg: "cmd/retriever", may: "*"},
	{pkg: "tools/benchset", may: "*"},
	{pkg: "tools/codebudget", may: "*"},
	{pkg: "tools/dist", may: "tools/dist/stage"},
	{pkg: "tools/dist/stage"},
	{pkg: "tools/quality", may: "*"},
	{pkg: "tools/recall", may: "*"},
	{pkg: "tools/redis", may: "rdb rdb/rdbtest"},
	{pkg: "tools/session"},
	{pkg: "tools/soak", may: "e2e/e2etest rdb rdb/rdbtest tools/soak/campaign"},
	{pkg: "tools/soak/campaign"},
	{pkg: "tools/testsum"},
	{pkg: "tools/train/check", may: "embed embed/static"},
	{pkg: "tools/train/dump", may: "*"},
	{pkg: "tools/train/pairs", may: "chunker code embed/static githist sandbox"},
	{pkg: "tools/tsclient"},
	{pkg: "tools/web", may: "tools/web/bundle"},
	{pkg: "tools/web/bundle"},
}

// io lists what a pure package may not import, with all below it.
var io = []string{"os", "net", "io/ioutil", "io/fs", "database/sql", "syscall", "log", "math/rand", "github.com/redis", "github.com/fsnotify",
	"modernc.org/sqlite", "github.com/gofrs", "golang.org/x/sys"}
