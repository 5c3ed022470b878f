# What people and CI run. `make` alone lists the targets.

STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
PKG         := github.com/contextd/contextd
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
REVISION    ?= $(shell git rev-parse --short=12 HEAD 2>/dev/null)
LDFLAGS     := -s -w -X $(PKG)/internal/cli.version=$(VERSION) -X $(PKG)/internal/cli.revision=$(REVISION)
# Each system and each processor once: no source file is for one pair of both. "make dist" builds all six pairs.
PLATFORMS   := linux/arm64 darwin/arm64 windows/amd64
ACCEPT      ?= ../shared/accept
ONLY        ?= a_answers,b_files,c_fresh,d_queue
PACKAGES    ?= ./...
FUZZTIME    ?= 10s
BENCH       ?= ../shared/bench

.DEFAULT_GOAL := help
.PHONY: help build test test-fast race check redis redis-start redis-cache redis-kinds e2e soak fuzz accept accept-folder bench bench-quality bench-memory bench-fleet cross dist up down clean e2e-agents web web-check e2e-web images soak-ci wine

help: ## list the targets
	@awk -F':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## both binaries, into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

test: redis-cache ## all tests, against real Redis servers too (fetched into the user's cache if there are none)
	go test -json $(TESTFLAGS) $(PACKAGES) | go run ./tools/testsum $(if $(CI),-again $(TESTFLAGS))

test-fast: ## the tests of the packages that start no daemons, servers or commands; for use while working
	go test $$(go list ./... | grep -v -E '/(cmd/.*|deploy|internal/(e2e|securitytest|daemon|backend|search/redisearch|queue/redis|store/redis|memory|quality)|tools/quality)(/|$$)')

web: ## build the dashboard from web/src into internal/web/dist; commit what it writes
	go run ./tools/web

web-check: ## check the types of the dashboard, with Node.js and npm
	@command -v npm >/dev/null || { echo 'want Node.js and npm on PATH'; exit 2; }
	npm install --prefix .cache/web --no-save --no-audit --no-fund --silent preact@11.2.0 typescript@7.0.2
	.cache/web/node_modules/.bin/tsc -p web

e2e-web: redis-cache ## the dashboard in a real Chromium, on both backings (IMAGES=folder keeps screenshots)
	go run ./tools/web -fetch
	go test -count=1 -tags web -timeout 20m ./internal/e2e/browser $(if $(IMAGES),-args -images '$(abspath $(IMAGES))')

race: redis-cache ## all tests under the race detector
	go test -json -race $(TESTFLAGS) $(PACKAGES) | go run ./tools/testsum $(if $(CI),-again -race $(TESTFLAGS))

check: ## gofmt, vet, staticcheck and, under the race detector, all tests but those that run built programs (make race has them, too)
	@bad=$$(gofmt -l clients cmd internal tools); if [ -n "$$bad" ]; then echo "not gofmt'ed: $$bad"; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	$(MAKE) race PACKAGES="$$(go list ./... | grep -v -e /internal/e2e -e /tools/dist | tr '\n' ' ')"

redis: ## get a Redis with search and a plain one for the tests, without Docker and root; says what was found
	go run ./tools/redis fetch

redis-start: ## run a Redis with search of your own: prints its URL, until Ctrl-C
	go run ./tools/redis start

redis-kinds: ## the suites of queue, documents and names on each Redis and Valkey that can be fetched; prints a table
	go run ./tools/redis kinds

redis-cache:
	@go run ./tools/redis fetch || echo 'no Redis could be fetched: its tests are skipped unless a server is found or REDIS_URL is set' >&2

e2e: redis-cache ## the real binaries against a real Redis and the embedded backing, faults included
	go test -count=1 -json $(TESTFLAGS) ./internal/e2e/... | go run ./tools/testsum

e2e-agents: ## with the clients of other makers: agents, inspectors, SDKs; fetched into the user's cache from npm and PyPI
	go test -tags agents -count=1 -v -timeout 30m $(TESTFLAGS) ./internal/e2e/agents/...

soak: redis-cache ## a slice of a campaign of faults, 10 minutes, every answer checked (SOAK='-faults 10000 -for 5m -seed 7 -state soak.json -report soak.md')
	go run ./tools/soak $(SOAK)

soak-ci: redis-cache ## 200 faults, in less than 3 minutes on two cores
	go run ./tools/soak -faults 200 -seed 1 -for 150s -shrink 0

bench-fleet: redis-cache ## 8 indexers and 32 retrievers on one Redis, 200 projects that change (FLEET='-for 1m -retrievers 8')
	go run ./tools/fleet $(FLEET)

fuzz: ## each fuzz target for FUZZTIME, one after another (PACKAGES=./internal/sandbox for one package)
	@set -e; n=0; for p in $$(go list $(PACKAGES)); do list=$$(go test -list '^Fuzz' $$p); \
		for f in $$(echo "$$list" | grep '^Fuzz' || true); do \
			echo "$$p $$f"; go test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$p; n=$$((n+1)); \
		done; done; echo "$$n fuzz targets held for $(FUZZTIME) each"

accept-folder: # before anything is built
	@test -f '$(ACCEPT)/run.py' || { echo 'want ACCEPT=the folder of the acceptance checks, with its run.py (there is none at "$(ACCEPT)")'; exit 2; }

accept: accept-folder build ## the acceptance checks on both backings (ACCEPT=folder, ONLY=cases)
	python3 $(ACCEPT)/run.py --bin bin --fetch-redis --only $(ONLY)

bench: ## the benchmarks of all packages
	go test -run '^$$' -bench . -benchmem $(PACKAGES)

bench-quality: ## the development sets on both backings, into docs/QUALITY.md (TREES=folders joined by ':', SNAPSHOTS=git directories, QUALITY='-redis URL -state DIR -sets …')
	@test -d '$(BENCH)' || { echo 'want BENCH=the folder of the development sets (there is none at "$(BENCH)")'; exit 2; }
	@test -n '$(TREES)' || { echo 'want TREES=folders of the trees, joined by ":" (see tools/train/README.md)'; exit 2; }
	go run ./tools/quality -bench '$(BENCH)' -trees '$(TREES)' -snapshots '$(SNAPSHOTS)' $(QUALITY) -write docs/QUALITY.md -scorecard tools/quality/testdata/terse.json

bench-memory: ## recall of memories on conversations in the format of LoCoMo (LOCOMO=path/to/locomo10.json, which may not be kept here)
	@test -n '$(LOCOMO)' || { echo 'want LOCOMO=path/to/locomo10.json'; exit 2; }
	go run ./tools/recall -locomo '$(LOCOMO)'

cross: ## compile and vet for every system and processor, tests too
	@set -e; for p in $(PLATFORMS); do \
		echo "vet and build $$p"; export CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/}; go vet ./...; go build ./...; done

wine: ## the binaries for Windows and the tests of packages with files by system, under Wine 10 or later (WINE=program)
	go test -tags wine -count=1 -v -timeout 40m ./internal/e2e/wine

dist: ## release archives for all platforms and their checksums, into dist/; the same sources give the same bytes
	go run ./tools/dist -version '$(VERSION)' -revision '$(or $(REVISION),unknown)'

images: ## both images without Docker, into dist/images/, for "docker load" (IMAGEARCH=arm64); the same sources give the same bytes
	go run ./tools/dist -images dist/images -arch '$(or $(IMAGEARCH),$(shell go env GOARCH))' -version '$(VERSION)' -revision '$(or $(REVISION),unknown)'

up: ## Redis, indexer and server in containers (docker-compose.yml says which variables it wants)
	docker compose up -d --build

down: ## end what "make up" started; the data is kept
	CONTEXTD_ROOT=$${CONTEXTD_ROOT:-/} CONTEXTD_TOKEN=$${CONTEXTD_TOKEN:-none} CONTEXTD_REDIS_PASSWORD=$${CONTEXTD_REDIS_PASSWORD:-none} docker compose down

clean: ## remove what was built
	rm -rf bin dist
