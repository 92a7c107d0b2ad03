#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fuzz.sh [SECONDS [NAME...]]: each harness of tests/fuzz for so long (60) with clang's libFuzzer, from
# its corpus, all or those that are named (sweep, yaml, text, options, import, hist, store). Says for
# each how many inputs it tried. A finding is left in build/fuzz/NAME; add it to the corpus with its
# fix. Status 1 if there is one.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
[ $# -eq 0 ] || shift
names=("$@")
if [ ${#names[@]} -eq 0 ]; then
	for file in tests/fuzz/fuzz_*.c; do
		name=${file#tests/fuzz/fuzz_}
		names+=("${name%.c}")
	done
fi
found=0
for name in "${names[@]}"; do
	[ -f "tests/fuzz/fuzz_$name.c" ] || { echo "fuzz: there is no harness '$name'" >&2 && exit 2; }
	make --no-print-directory "-j$(nproc)" CC=clang BUILD=fuzz "build/fuzz/fuzz_$name"
	mkdir -p "build/fuzz/$name/new"
	seeds=("tests/fuzz/corpus/$name")
	case $name in
	sweep) seeds+=(sweeps) ;;
	import) seeds+=(tests/data/seeds) ;;
	esac
	if "build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 \
		-print_final_stats=1 -artifact_prefix="build/fuzz/$name/" "build/fuzz/$name/new" \
		"${seeds[@]}" 2>"build/fuzz/$name/log"; then
		printf '%-8s %s inputs, no finding\n' "$name" \
			"$(sed -n 's/^stat::number_of_executed_units: *//p' "build/fuzz/$name/log")"
	else
		printf '%-8s FOUND: see build/fuzz/%s and its log\n' "$name" "$name"
		found=1
	fi
done
exit $found
