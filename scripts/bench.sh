#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench.sh TOOL [TARGET]: fio, fio with completions in batches, and lunsweep in turn on the same
# target, same size, depth and time. Prints IOPS, mean latency and CPU time per I/O of each, and
# per depth the median of the ratios of lunsweep to each fio, taken round by round. Asserts
# nothing: on a shared disk they see different moments.
# Without TARGET it fills a file of 1 GiB. ROUNDS (3), SECONDS_EACH (4) and DEPTHS (1 8 64) may be
# set.
set -eu
tool=${1:?usage: bench.sh TOOL [TARGET]}
target=${2:-}
rounds=${ROUNDS:-3}
seconds=${SECONDS_EACH:-4}
read -ra depths <<<"${DEPTHS:-1 8 64}"
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
	"$tool" prepare --target "$target" --make-file 1G >&2
fi

# Each prints: IOPS, mean latency in ms, CPU microseconds per I/O.
run_fio() {
	local depth=$1

	shift
	fio --name=bench --filename="$target" --allow_file_create=0 --readonly --direct=1 \
		--ioengine=libaio --rw=randread --bs=4k --iodepth="$depth" --time_based \
		--ramp_time=1 --runtime="$seconds" --norandommap=1 --randrepeat=0 \
		--output-format=json --output="$tmp/fio.json" "$@" >&2
	jq -r '.jobs[0] | [.read.iops, .read.lat_ns.mean / 1e6,
		(.usr_cpu + .sys_cpu) * 1e4 / .read.iops] | @tsv' "$tmp/fio.json"
}

# Batches as lunsweep has them: at most a quarter of the depth, 4 to 8.
run_fio_batch() {
	local batch=$(($1 / 4))

	[ $batch -ge 4 ] || batch=4
	[ $batch -le 8 ] || batch=8
	[ $batch -le "$1" ] || batch=$1
	run_fio "$1" --iodepth_batch_submit="$batch" --iodepth_batch_complete_min=1 \
		--iodepth_batch_complete_max="$batch"
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

row='%5s  %5s  %-9s  %9s  %9s  %10s\n'
printf '4k random reads of %s, %s s each\n\n' "${target##*/}" "$seconds"
# shellcheck disable=SC2059 # one format for all rows
printf "$row" round depth program IOPS 'mean ms' 'us CPU/IO'
for ((round = 1; round <= rounds; round++)); do
	for depth in "${depths[@]}"; do
		for who in fio fio_batch lunsweep; do
			figures=$("run_$who" "$depth")
			read -r iops ms cpu_us <<<"$figures"
			# shellcheck disable=SC2059
			printf "$row" "$round" "$depth" "${who/_/ }" "$(printf '%.0f' "$iops")" \
				"$(printf '%.4f' "$ms")" "$(printf '%.2f' "$cpu_us")"
			printf '%s\t%s\t%s\t%s\n' "$round:$depth" "$who" "$depth" "$figures" \
				>>"$tmp/figures"
		done
	done
done

# median FIO COLUMN DEPTH: of lunsweep / fio, round by round.
median() {
	awk -F'\t' -v who="$1" -v col="$2" -v depth="$3" '
		$3 != depth { next }
		$2 == who { base[$1] = $col }
		$2 == "lunsweep" { ours[$1] = $col }
		END { for (r in ours) print ours[r] / base[r] }' "$tmp/figures" | sort -g |
		awk '{ v[NR] = $1 } END { printf "%.3f", NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

printf '\nlunsweep against each, median of %s rounds\n' "$rounds"
row='%5s  %-9s  %6s  %8s  %8s\n'
# shellcheck disable=SC2059
printf "$row" depth program IOPS 'mean ms' CPU/IO
for depth in "${depths[@]}"; do
	for who in fio fio_batch; do
		# shellcheck disable=SC2059
		printf "$row" "$depth" "${who/_/ }" "$(median $who 4 "$depth")" \
			"$(median $who 5 "$depth")" "$(median $who 6 "$depth")"
	done
done
