#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench.sh TOOL [TARGET]: lunsweep and fio in turn on the same target, same size, depth and time:
# prints the ratios of IOPS, mean latency and CPU time per I/O. Asserts nothing: on a shared disk
# the two see different moments. Without TARGET it fills a file of 1 GiB.
# ROUNDS (3) and SECONDS_EACH (5) may be set.
set -eu
tool=${1:?usage: bench.sh TOOL [TARGET]}
target=${2:-}
rounds=${ROUNDS:-3}
seconds=${SECONDS_EACH:-5}
scratch=${LUNSWEEP_SCRATCH:-$(cd "$(dirname "$0")/.." && pwd)/build/scratch}
mkdir -p "$scratch"
tmp=$(mktemp -d "$scratch/bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT

for cmd in fio jq sqlite3; do
	command -v $cmd >/dev/null || {
		echo "bench: $cmd is not installed (scripts/install-deps.sh test)" >&2
		exit 1
	}
done
if [ -z "$target" ]; then
	target=$tmp/target
	"$tool" prepare --target "$target" --make-file 1G
fi

# Both print: IOPS, mean latency in ms, CPU microseconds per I/O.
run_fio() {
	fio --name=bench --filename="$target" --allow_file_create=0 --readonly --direct=1 \
		--ioengine=libaio --rw=randread --bs=4k --iodepth="$1" --time_based --ramp_time=1 \
		--runtime="$seconds" --norandommap=1 --randrepeat=0 --output-format=json \
		--output="$tmp/fio.json"
	jq -r '.jobs[0] | [.read.iops, .read.lat_ns.mean / 1e6,
		(.usr_cpu + .sys_cpu) * 1e4 / .read.iops] | @tsv' "$tmp/fio.json"
}

run_lunsweep() {
	rm -f "$tmp/bench.db"*
	"$tool" run --target "$target" --rw randread --bs 4k --iodepth "$1" --span 100% \
		--precision none --ramp-time 1s --runtime "${seconds}s" --db "$tmp/bench.db" \
		>"$tmp/run.log" 2>&1 || {
		[ $? -eq 3 ] || { cat "$tmp/run.log" >&2 && return 1; }
	}
	sqlite3 -separator "$(printf '\t')" "$tmp/bench.db" "
		SELECT iops, lat_mean_ms, cpu_pct * 1e4 / iops FROM v_point WHERE dir = 'total'"
}

printf 'round  depth  fio IOPS  lunsweep IOPS  ratio  fio ms  lunsweep ms  ratio  fio us CPU  lunsweep us CPU  ratio\n'
for ((round = 1; round <= rounds; round++)); do
	for depth in 1 8 64; do
		fio=$(run_fio $depth)
		ours=$(run_lunsweep $depth)
		printf '%s\t%s\t%s\t%s\n' $round $depth "$fio" "$ours" | awk -F'\t' '{
			printf "%5d  %5d  %8.0f  %13.0f  %5.3f  %6.3f  %11.3f  %5.3f  %10.1f  %15.1f  %5.2f\n",
				$1, $2, $3, $6, $6 / $3, $4, $7, $7 / $4, $5, $8, $8 / $5
		}'
	done
done
