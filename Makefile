# `make help` lists the targets. A fresh Debian or Ubuntu with Go and Node is enough:
# each target brings what it needs into .cache/ and webui/node_modules, nothing else is
# touched. Clean of all state with `make clean db-reset`.

SHELL   := /bin/sh
GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PKGS    ?= ./...
CACHE   := $(CURDIR)/.cache

# Job code and tests must not depend on how the tree was checked out.
export GOFLAGS := $(GOFLAGS) -buildvcs=false
export npm_config_cache ?= $(CACHE)/npm
# Where make run keeps its data, unless told otherwise.
GLUEWHEEL_DATA_DIR ?= $(CURDIR)/data

# The race detector needs a C compiler.
ifneq ($(shell command -v cc gcc clang 2>/dev/null),)
RACE := -race
endif

TOOL       := $(GO) tool -modfile=.tools.mod
LONG_PKGS   = $(shell grep -rl --include='*_test.go' '^//go:build long' admin cmd executor glue internal runtime samples | xargs -r -n1 dirname | sort -u | sed 's|^|./|')
BENCH_PKGS ?= ./...
WEBUI_SRC   = $(shell find webui/src webui/public webui/scripts webui/index.html webui/*.ts webui/package-lock.json -type f 2>/dev/null)

.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 16

## Build and run

.PHONY: build
build: ui sample-modules ## Build bin/gluewheel with the web UI inside
	$(GO) build -ldflags '-X main.version=$(VERSION)' -o bin/gluewheel ./cmd/gluewheel

.PHONY: run
run: build postgres ## Build and start everything with sample jobs; Ctrl-C stops it
	@GLUEWHEEL_DATA_DIR='$(GLUEWHEEL_DATA_DIR)' GLUEWHEEL_PG_CACHE='$(CACHE)/postgres' exec bin/gluewheel standalone

.PHONY: ui
ui: webui/dist/index.html ## Build the web UI

webui/dist/index.html: $(WEBUI_SRC) | webui/node_modules/.package-lock.json
	cd webui && npm run --silent build

webui/node_modules/.package-lock.json: webui/package-lock.json
	cd webui && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.PHONY: postgres
postgres: ## Bring PostgreSQL's programs into .cache/postgres if the machine has none
	@sh internal/pg/fetch.sh '$(CACHE)/postgres'

.PHONY: samples
samples: sample-modules sdk-modules ## Build the sample programs into bin/samples, the modules below samples/*/dist
	$(GO) build -o bin/samples/ ./samples/...

.PHONY: sample-modules
sample-modules: samples/wasm/dist/primes.wasm samples/wasm/dist/tick.wasm

samples/wasm/dist/primes.wasm: samples/wasm/primes/main.go
	GOOS=wasip1 GOARCH=wasm $(GO) build -trimpath -ldflags '-s -w' -o $@ ./samples/wasm/primes

samples/wasm/dist/tick.wasm: samples/wasm/build.mjs samples/wasm/tick/tick.wat samples/wasm/fibonacci/fibonacci.ts | samples/wasm/node_modules/.package-lock.json
	cd samples/wasm && npm run --silent build

.PHONY: sdk-modules
sdk-modules: samples/wasm/node_modules/.package-lock.json
	@GO='$(GO)' sh samples/sdk/build.sh

samples/wasm/node_modules/.package-lock.json: samples/wasm/package-lock.json
	cd samples/wasm && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

## Check

.PHONY: test
test: ui sample-modules sdk-modules postgres lint test-race test-ui ## All that a change needs: lint, every test on a real PostgreSQL

.PHONY: test-race
test-race:
	$(if $(RACE),,@echo 'No C compiler here: the tests run without the race detector.')
	$(GO) test $(RACE) -timeout 14m $(PKGS)

.PHONY: test-ui
test-ui: ui
	cd webui && npm run --silent lint && npm test --silent && npm run --silent size
	cd webui && npm run --silent generate -- --check

.PHONY: test-long
test-long: build postgres ## What takes minutes: faults, load, hostile code, the browser
	@mkdir -p '$(CACHE)' && echo 1 >'$(CACHE)/test-long.status'
	@{ $(LONG) && echo 0 >'$(CACHE)/test-long.status'; } 2>&1 | tee '$(CACHE)/test-long.log'
	@echo "NOT RUN, said above: $$(grep -cE '(^|: )NOT RUN[: ]|WERE NOT RUN' '$(CACHE)/test-long.log')"
	@exit $$(cat '$(CACHE)/test-long.status')

# One package after the other: they measure.
LONG = $(GO) test -p 1 -tags long -count=1 -timeout 50m -v $(LONG_PKGS) && \
  $(MAKE) --no-print-directory chaos-smoke chaos-promises chaos-mutants

.PHONY: interop
interop: postgres webui/dist ## Drive real Java executors of XXL-JOB, fetched with Maven
	$(GO) test -tags long -count=1 -timeout 20m -v ./internal/interop

.PHONY: bench
bench: postgres ## Run the benchmarks; BENCH_PKGS=./admin/cron narrows them
	$(GO) test -run '^$$' -bench . -benchmem $(BENCH_PKGS)

.PHONY: lint
lint: vet staticcheck fmt-check ## Vet, staticcheck and the formatter's check

.PHONY: vet
vet: webui/dist
	$(GO) vet $(PKGS)
	$(GO) vet -tags long,chaos $(PKGS)
	$(GO) vet -tags mutant_ring,mutant_end,mutant_sweeper ./admin/store ./admin/schedule
	GOOS=wasip1 GOARCH=wasm $(GO) vet ./samples/sdk/go/...

.PHONY: staticcheck
staticcheck: webui/dist
	$(TOOL) staticcheck -tags long,chaos $(PKGS)

.PHONY: fmt
fmt: ## Format the Go code
	$(TOOL) gofumpt -w $$(git ls-files --cached --others --exclude-standard '*.go')

.PHONY: fmt-check
fmt-check:
	@files=$$($(TOOL) gofumpt -l admin cmd executor glue internal migrations runtime samples webui/*.go) && \
	  { test -z "$$files" || { echo "not formatted, run make fmt:"; echo "$$files"; exit 1; }; }

# Go embeds the folder; it need not be built for that.
webui/dist:
	@mkdir -p $@ && touch $@/.gitkeep

CHAOS = GLUEWHEEL_PG_CACHE='$(CACHE)/postgres' $(GO) test -tags chaos -count=1 -v ./internal/chaos

.PHONY: chaos
chaos: webui/dist postgres ## Break everything for CHAOS_DURATION (15m), CHAOS_FAULTS, CHAOS_SEED and CHAOS_SIZE (2x3), and check every fire
	$(CHAOS) -timeout 0 -run 'TestChaos$$'

.PHONY: chaos-smoke
chaos-smoke: webui/dist postgres ## The same in 90 s, with one fault of each family
	$(CHAOS) -timeout 30m -run 'TestChaosSmoke$$'

.PHONY: chaos-promises
chaos-promises: webui/dist postgres ## Measure single promises: killed queues, executors of XXL-JOB, hanging jobs
	$(CHAOS) -timeout 30m -run 'TestKilledQueue$$|TestForeignWindow$$|TestHangingJobs$$'

.PHONY: chaos-mutants
chaos-mutants: webui/dist postgres ## Test the suite: three broken builds that it has to notice
	$(CHAOS) -timeout 60m -run 'TestMutants$$'

## Maintain

.PHONY: generate
generate: webui/dist webui/node_modules/.package-lock.json ## Remake generated files
	$(GO) generate $(PKGS)
	cd webui && npm run --silent generate

.PHONY: verify
verify: ## Fail when a generated file or go.mod is stale
	$(GO) mod verify
	$(GO) mod tidy -diff
	@before=$$(git diff | cksum) && $(MAKE) --no-print-directory generate && test "$$before" = "$$(git diff | cksum)" || \
	  { echo 'generated files were stale: commit what make generate wrote'; exit 1; }

.PHONY: db-reset
db-reset: ## Delete the data of make run (asks first)
	@printf 'Delete %s? [y/N] ' '$(GLUEWHEEL_DATA_DIR)'; read answer; test "$$answer" = y
	rm -rf "$$(readlink -f '$(GLUEWHEEL_DATA_DIR)/postgres')" '$(GLUEWHEEL_DATA_DIR)'

.PHONY: clean
clean: ## Delete what was built or fetched, not the data
	rm -rf bin dist .cache webui/node_modules samples/wasm/node_modules samples/wasm/dist/*.wasm samples/sdk/dist
	find webui/dist -mindepth 1 ! -name .gitkeep -delete 2>/dev/null || true
