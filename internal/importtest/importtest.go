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
	{pkg: "waits", pure: true},
	{pkg: "code", pure: true},
	{pkg: "obs", may: "safetext"},
	{pkg: "safetext", pure: true},
	{pkg: "owner"},
	{pkg: "syserr"},
	{pkg: "statedir"},
	{pkg: "linefile"},
	{pkg: "trace", may: "obs safetext"},
	{pkg: "rdb", may: "syserr"},
	{pkg: "servers", may: "safetext", pure: true},
	{pkg: "sqlfile"},
	{pkg: "charset", pure: true},
	{pkg: "notebook", pure: true},
	{pkg: "gitfile", pure: true},
	{pkg: "secret", pure: true},
	{pkg: "ignore", may: "secret", pure: true},
	{pkg: "textfile", may: "charset code", pure: true},
	{pkg: "config", may: "rdb rerank"},

	// pure stages
	{pkg: "lexical", may: "code", pure: true},
	{pkg: "chunker", may: "code lang", pure: true},
	{pkg: "analyze", may: "chunker code lang lexical notebook", pure: true},
	{pkg: "lang", may: "code notebook", pure: true},
	{pkg: "asked", pure: true},
	{pkg: "rank", may: "code lexical search/blob", pure: true},
	{pkg: "spelling", may: "lexical", pure: true},
	{pkg: "gates", may: "code", pure: true},
	{pkg: "render", may: "code safetext", pure: true},
	{pkg: "eval"},
	{pkg: "intent", pure: true},
	{pkg: "profile", may: "intent", pure: true},
	{pkg: "dedup", may: "lexical", pure: true},
	{pkg: "recall", may: "lexical", pure: true},
	{pkg: "tokens", may: "lexical", pure: true},
	{pkg: "compile", may: "profile render safetext", pure: true},
	{pkg: "receipt", may: "profile", pure: true},
	{pkg: "top", may: "safetext", pure: true},
	{pkg: "confedit", pure: true},
	{pkg: "plugins", pure: true},
	{pkg: "agents", may: "confedit plugins", pure: true},

	// seams and their implementations
	{pkg: "sandbox", may: "code gitfile ignore notebook secret syserr textfile"},
	{pkg: "embed", may: "code", pure: true},
	{pkg: "embed/static", may: "embed"},
	{pkg: "embed/modelhttp"},
	{pkg: "embed/registry", may: "embed embed/static"},
	{pkg: "embed/openai", may: "embed embed/modelhttp obs safetext"},
	{pkg: "rerank", may: "embed/modelhttp safetext"},
	{pkg: "vectors", may: "embed search sqlfile"},
	{pkg: "queue", may: "code obs safetext servers"},
	{pkg: "watch", may: "code obs sandbox"},
	{pkg: "queue/redis", may: "code obs owner queue rdb"},
	{pkg: "queue/spool", may: "obs queue servers"},
	{pkg: "queue/sqlite", may: "code obs owner queue sqlfile"},
	{pkg: "search", may: "code lexical servers"},
	{pkg: "search/local", may: "code obs owner search search/blob statedir"},
	{pkg: "search/redisearch", may: "code owner rdb search search/blob"},
	{pkg: "store"},
	{pkg: "store/shelves", may: "store"},
	{pkg: "store/redis", may: "rdb store"},
	{pkg: "store/sqlite", may: "obs sqlfile store"},

	// what is remembered, over the store
	{pkg: "history", may: "linefile safetext secret store store/shelves"},
	{pkg: "memory", may: "lexical obs recall safetext secret servers store store/shelves"},
	{pkg: "memory/similar", may: "embed memory"},
	{pkg: "tasknotes", may: "code githist history"},
	{pkg: "usage", may: "lexical obs secret store store/shelves"},
	{pkg: "learn", may: "profile receipt store store/shelves"},
	{pkg: "breaker", may: "store store/shelves"},
	{pkg: "githist", may: "code lexical safetext sandbox syserr"},

	// flows
	{pkg: "worker", may: "obs queue"},
	{pkg: "ingest", may: "analyze code embed lexical obs safetext sandbox search search/blob spelling"},
	{pkg: "access", may: "code rdb sandbox search servers"},
	{pkg: "retrieve",
		may: "access analyze asked code embed gates githist lang lexical obs queue rank rdb render rerank safetext sandbox search search/blob secret spelling waits"},
	{pkg: "presence", may: "owner sandbox statedir"},
	{pkg: "eviction", may: "obs rdb search statedir"},
	{pkg: "backend",
		may: "breaker code embed eviction obs presence queue queue/redis queue/sqlite rdb search search/local search/redisearch servers statedir store store/redis store/sqlite syserr vectors"},
	{pkg: "freshness", may: "access backend code eviction githist ingest presence queue search servers waits"},
	{pkg: "answer", may: "access code embed/static freshness retrieve search servers tokens"},
	{pkg: "roots", may: "backend sandbox"},
	{pkg: "prompt",
		may: "access asked breaker code compile dedup embed gates history intent lang learn memory obs profile rank receipt retrieve roots safetext search secret servers store store/shelves tokens usage waits"},
	{pkg: "hook", may: "intent linefile prompt render safetext secret store tokens"},
	{pkg: "app",
		may: "access answer backend breaker embed/registry freshness history ingest learn memory memory/similar profile prompt retrieve roots sandbox search tasknotes usage"},
	{pkg: "wire", may: "backend clients/go queue safetext servers"},
	{pkg: "workspace"},
	{pkg: "revision", may: "code githist sandbox"},
	{pkg: "mcp", may: "gates render retrieve safetext"},
	{pkg: "mcp/bridge", may: "access app freshness gates history mcp memory prompt retrieve sandbox servers workspace"},
	{pkg: "api", may: "*"},
	{pkg: "web"},
	{pkg: "daemon",
		may: "backend code embed eviction githist ingest obs presence queue queue/spool sandbox search servers watch worker"},
	{pkg: "runner", may: "safetext"},
	{pkg: "install", may: "agents confedit safetext secret"},
	{pkg: "doctor", may: "backend rdb search servers"},
	{pkg: "cli",
		may: "backend config doctor embed embed/openai embed/registry embed/static ingest lang rdb rerank safetext sandbox search syserr"},
	{pkg: "search/blob", may: "code", pure: true},

	// helpers of tests: the last test below keeps them out of everything else
	{pkg: "rdb/rdbtest", may: "rdb"},
	{pkg: "sandbox/sandboxtest"},
	{pkg: "secret/secrettest"},
	{pkg: "race", pure: true},
	{pkg: "costtest", may: "race"},
	{pkg: "queue/queuetest", may: "code owner queue"},
	{pkg: "store/storetest", may: "store"},
	{pkg: "search/searchtest", may: "code lexical search search/blob"},
	{pkg: "app/apptest",
		may: "access app backend embed/registry embed/static freshness ingest rdb/rdbtest retrieve search"},
	{pkg: "cli/clitest", may: "cli"},
	{pkg: "e2e/e2etest"},
	{pkg: "e2e"},
	{pkg: "e2e/agents"},
	{pkg: "e2e/wine"},
	{pkg: "importtest"},

	// for programs that use contextd over HTTP
	{pkg: "clients/go"},
	{pkg: "clients/go/examples/supervisor", may: "clients/go"},

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
	{pkg: "tools/soak", may: "e2e/e2etest race rdb rdb/rdbtest tools/soak/campaign"},
	{pkg: "tools/fleet", may: "e2e/e2etest queue rdb/rdbtest"},
	{pkg: "tools/soak/campaign"},
	{pkg: "tools/testsum"},
	{pkg: "tools/train/check", may: "embed embed/static"},
	{pkg: "tools/train/dump", may: "*"},
	{pkg: "tools/train/pairs", may: "chunker code embed/static githist lang sandbox"},
	{pkg: "tools/tsclient"},
	{pkg: "tools/web", may: "tools/web/bundle"},
	{pkg: "tools/web/bundle"},
}

// io lists what a pure package may not import, with all below it.
var io = []string{"os", "net", "io/ioutil", "io/fs", "database/sql", "syscall", "log", "math/rand", "github.com/redis",
	"github.com/fsnotify",
	"modernc.org/sqlite", "github.com/gofrs", "golang.org/x/sys"}
