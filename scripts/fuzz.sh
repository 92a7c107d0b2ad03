#!/bin/sh
# Fuzz the sweep files for SECONDS (default 60) with clang's libFuzzer, from the corpus in
# tests/fuzz. A finding is left in build/fuzz; add it to the corpus with its fix.
# Usage: scripts/fuzz.sh [SECONDS]
set -e
cd "$(dirname "$0")/.."
mkdir -p build/fuzz/new
clang -std=c17 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Isrc -g -O1 \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-o build/fuzz/fuzz_sweep tests/fuzz/fuzz_sweep.c src/plan/*.c src/model/*.c src/base/*.c \
	src/stats/*.c -lyaml -lm
exec build/fuzz/fuzz_sweep -max_total_time="${1:-60}" -max_len=2048 -timeout=20 \
	-artifact_prefix=build/fuzz/ build/fuzz/new tests/fuzz/corpus/sweep sweeps
