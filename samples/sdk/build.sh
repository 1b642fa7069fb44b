#!/bin/sh
# Builds the jobs of the guest SDKs into samples/sdk/dist: those in Rust and C where
# their compilers are, and says aloud which are not.
set -eu
cd "$(dirname "$0")"
mkdir -p dist

CGO_ENABLED=0 GOOS=wasip1 GOARCH=wasm "${GO:-go}" build -trimpath -ldflags '-s -w' -o dist/greet-go.wasm ./go/greet

../wasm/node_modules/.bin/asc assemblyscript/greet.ts -O --runtime stub --use abort= --outFile dist/greet-assemblyscript.wasm

target=wasm32-wasip1
if command -v cargo >/dev/null && [ -d "$(rustc --print target-libdir --target $target 2>/dev/null)" ]; then
	cargo build --quiet --release --locked --offline --manifest-path rust/Cargo.toml \
		--target $target --target-dir ../../.cache/rust --example greet
	cp ../../.cache/rust/$target/release/examples/greet.wasm dist/greet-rust.wasm
else
	echo "NOT BUILT: samples/sdk/rust: no cargo with the target $target here" >&2
fi

if command -v clang >/dev/null && command -v wasm-ld >/dev/null; then
	clang --target=wasm32 -mbulk-memory -O2 -Wall -Wextra -nostdlib -Wl,--no-entry -o dist/greet-c.wasm c/greet.c
else
	echo "NOT BUILT: samples/sdk/c: no clang with wasm-ld here" >&2
fi
