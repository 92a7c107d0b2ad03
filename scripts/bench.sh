#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# bench.sh TOOL PROGRAMS: figures that depend on the machine, so that they are printed and not
# asserted; PROGRAMS is the folder of the built tests/bench. Environment:
#   SECTION       which of them, separated by blanks (all but report and points):
#                 instructions  user instructions for an I/O, under callgrind
#                 cpu           IOPS per core at depth 64, on reads that no device serves
#                 depth1        the same at depth 1, and what the loop adds to the latency
#                 device        IOPS of the real disk at 4k, 64k and 1m
#                 memory        the most that is resident
#                 commit        what it takes to store a finished point
#                 night         72 points with the stopping rule, in virtual time
#                 find          points and error of the search under a cap against a grid, on curves
#                 report        commands on databases of 100,000 points: of one run, of 1,000, and with
#                               histograms and series; makes them first, a minute each
#                 points        six points with it on the real disk; takes five minutes or more
#   ROUNDS        pairs of runs that a ratio is the median of (5; a shared machine needs 9 or more)
#   SECONDS_EACH  length of one run (2)
#   TARGET        a file or device that holds data to read, instead of 1 GiB in the scratch folder
#
# Programs take turns, in the other order in every other round, and a ratio is taken within its round,
# since a shared machine is another one a minute later: "1.18 (1.10-1.24)" is the median of the
# rounds, with least and most. fio is compared as most use it (--thread --norandommap, one I/O a
# system call), and with batches of the whole depth, its fastest way that still knows latencies.
#
# CPU is what the kernel accounts for the whole process (tests/bench/spent.c), user and system. Every
# program runs twice a round, for 0.3 s and for SECONDS_EACH, and the slope between the two is the
# cost of an I/O: start and end cancel.
set -eu
tool=${1:?usage: bench.sh TOOL PROGRAMS}
programs=${2:?usage: bench.sh TOOL PROGRAMS}
root=$(cd "$(dirname "$0")/.." && pwd)
read -ra sections <<<"${SECTION:-instructions cpu depth1 device memory commit night find}"
rounds=${ROUNDS:-5}
long_ms=$((${SECONDS_EACH:-2} * 1000))
short_ms=300
scratch=${LUNSWEEP_SCRATCH:-$root/build/scratch}
mkdir -p "$scratch"
tmp=$(mktemp -d "$scratch/bench.XXXXXX")
huge_before=
pages=/proc/sys/vm/nr_hugepages

finish() {
	rm -rf "$tmp"
	[ -z "$huge_before" ] || echo "$huge_before" >$pages
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

die() {
	echo "bench: $*" >&2
	exit 1
}

has() {
	command -v "$1" >/dev/null
}

headline() {
	printf '\n%s\n' "$1"
}

# line WHAT FIGURE [GOAL]
line() {
	printf '  %-48s  %-26s %s\n' "$1" "$2" "${3:+goal $3}"
}

# ---- targets ----

# Allocated and never written: ext4 and XFS answer without the device, which is the cheapest that an
# asynchronous read can be. lunsweep says of every such point that it is spoiled, and measures it.
null_target() {
	null=$tmp/null
	[ -e "$null" ] || fallocate -l 1G "$null" || die "$scratch: no fallocate here"
}

# To be removed with the others, or the user's own, which is only read.
real_target() {
	real=${TARGET:-$tmp/real}
	[ -e "$real" ] || "$tool" prepare --target "$real" --make-file 1G >"$tmp/log" 2>&1 ||
		{ cat "$tmp/log" >&2 && die "cannot make a file to read"; }
}

# ---- one run of one program: prints completed I/Os, IOPS, mean and median latency in ns ----

# run_lunsweep FILE BS DEPTH MS [OPTION...]
run_lunsweep() {
	local status=0

	rm -f "$tmp/db"*
	"$programs/spent" "$tmp/spent" "$tool" run --target "$1" --rw randread --bs "$2" \
		--iodepth "$3" --span 100% --precision none --ramp-time 0s --runtime "${4}ms" \
		--db "$tmp/db" "${@:5}" >"$tmp/log" 2>&1 || status=$?
	# 3: measured, but not to be believed as a figure of a device.
	[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$tmp/log" >&2 && die "lunsweep: status $status"; }
	sqlite3 -separator ' ' "$tmp/db" "SELECT d.ios, p.iops, p.lat_mean_ms * 1e6,
		p.lat_p50_ms * 1e6
		FROM v_point p JOIN point_dir d USING (point_id) WHERE p.dir = 'total' AND d.dir = 'total'"
}

run_fio() {
	"$programs/spent" "$tmp/spent" fio --name=bench --filename="$1" --allow_file_create=0 --readonly \
		--direct=1 --ioengine=libaio --rw=randread --bs="$2" --iodepth="$3" --time_based \
		--runtime="${4}ms" --thread --norandommap --randrepeat=0 --group_reporting \
		--clat_percentiles=0 --lat_percentiles=1 --output-format=json \
		--output="$tmp/fio.json" "${@:5}" >"$tmp/log" 2>&1 ||
		{ cat "$tmp/log" >&2 && die "fio failed"; }
	# Its lat; clat begins only behind the submit call.
	jq -r '.jobs[0].read |
		"\(.total_ios) \(.iops) \(.lat_ns.mean) \(.lat_ns.percentile["50.000000"])"' "$tmp/fio.json"
}

run_fio_batch() {
	run_fio "$@" --iodepth_batch_submit="$3" --iodepth_batch_complete_min=1 \
		--iodepth_batch_complete_max="$3"
}

run_fio_huge() {
	run_fio "$@" --mem=shmhuge
}

run_pread() {
	"$programs/spent" "$tmp/spent" "$programs/pread_loop" "$1" "$(numfmt --from=iec "${2^^}")" "$4" |
		awk -v ms="$4" '{ print $1, $1 / ms * 1000, $2, $3 }'
}

# ---- rounds ----

# pair CASE PROGRAM FILE BS DEPTH: both lengths, or the long one only where short_ms is 0; noted in
# figures as CASE ROUND PROGRAM CPU_NS IOPS MEAN_NS MEDIAN_NS.
pair() {
	local case=$1 program=$2 short='0 0 0 0' long short_cpu=0 long_cpu rest

	shift 2
	if [ "$short_ms" -gt 0 ]; then
		short=$("run_$program" "$@" "$short_ms")
		read -r short_cpu rest <"$tmp/spent"
	fi
	long=$("run_$program" "$@" "$long_ms")
	read -r long_cpu rest <"$tmp/spent"
	echo "$case $round $program $short $short_cpu $long $long_cpu" |
		awk '{ print $1, $2, $3, ($13 - $8) / ($9 - $4), $10, $11, $12 }' >>"$tmp/figures"
}

# in_turns CASE FILE BS DEPTH PROGRAM...
in_turns() {
	local case=$1 file=$2 bs=$3 depth=$4 program
	local -a forth back=()

	shift 4
	forth=("$@")
	for program in "$@"; do
		back=("$program" "${back[@]}")
	done
	for ((round = 1; round <= rounds; round++)); do
		for program in "${forth[@]}"; do
			pair "$case" "$program" "$file" "$bs" "$depth"
		done
		set -- "${forth[@]}"
		forth=("${back[@]}")
		back=("$@")
	done
}

# spread FORMAT: median of the numbers on standard input, with least and most.
spread() {
	sort -g | awk -v f="$1" '
		{ v[NR] = $1 }
		END {
			if (!NR) exit 1
			median = NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2
			printf f " (" f "-" f ")", median, v[1], v[NR]
		}'
}

# Columns of figures.
cpu=4 iops=5 mean=6 median=7

# figure CASE PROGRAM COLUMN FORMAT [DIVISOR]
figure() {
	awk -v c="$1" -v p="$2" -v k="$3" -v d="${5:-1}" '$1 == c && $3 == p { print $k / d }' \
		"$tmp/figures" | spread "$4"
}

# each_round CASE COLUMN A B OPERATOR: A / B or A - B of every round.
each_round() {
	awk -v c="$1" -v k="$2" -v a="$3" -v b="$4" -v op="$5" '
		$1 == c && $3 == a { x[$2] = $k }
		$1 == c && $3 == b { y[$2] = $k }
		END { for (r in x) if (r in y) print op == "/" ? x[r] / y[r] : x[r] - y[r] }' "$tmp/figures"
}

# ratio CASE COLUMN A B
ratio() {
	each_round "$1" "$2" "$3" "$4" / | spread %.2f
}

# ---- sections ----

# Those with fio where there is one.
with_fio() {
	if $has_fio; then echo "$@"; fi
}

fio_instructions() {
	local n out=$tmp/callgrind.fio

	for n in 5000 15000; do
		valgrind --tool=callgrind --callgrind-out-file="$out" fio --name=bench --filename="$null" \
			--readonly --direct=1 --ioengine=libaio --rw=randread --bs=4k --iodepth="$1" \
			--number_ios=$n --thread --norandommap --output=/dev/null "${@:2}" >/dev/null 2>&1 ||
			return 1
		callgrind_annotate --auto=no "$out" | tr -d , | awk '/PROGRAM TOTALS/ { print $1 }'
	done | awk '{ v[NR] = $1 } END { printf "%.0f", (v[2] - v[1]) / 10000 }'
}

section_instructions() {
	headline 'User instructions for a 4k read with its latency recorded (slope under callgrind)'
	has valgrind || { echo '  valgrind is not installed' && return; }
	null_target
	line 'lunsweep, depth 64' \
		"$("$root/scripts/count-instructions.sh" "$programs/instructions" "$tmp" 64)" '<= 150'
	line 'lunsweep, depth 1' \
		"$("$root/scripts/count-instructions.sh" "$programs/instructions" "$tmp" 1)" '<= 320'
	$has_fio || return 0
	line 'fio, depth 64' "$(fio_instructions 64)"
	line 'fio with batches, depth 64' "$(fio_instructions 64 --iodepth_batch_submit=64 \
		--iodepth_batch_complete_min=1 --iodepth_batch_complete_max=64)"
	line 'fio, depth 1' "$(fio_instructions 1)"
}

# cpu_lines CASE PROGRAM...
cpu_lines() {
	local case=$1 program

	for program in "${@:2}"; do
		line "${program/_/, }: CPU for an I/O, ns" "$(figure "$case" "$program" $cpu %.0f)"
	done
}

section_cpu() {
	local -a others

	headline "4k reads that no device serves, depth 64: $rounds rounds of ${long_ms} ms"
	null_target
	read -ra others <<<"$(with_fio fio fio_batch)"
	in_turns cpu64 "$null" 4k 64 lunsweep "${others[@]}"
	cpu_lines cpu64 lunsweep "${others[@]}"
	$has_fio || return 0
	line 'IOPS per core, lunsweep / fio' "$(ratio cpu64 $cpu fio lunsweep)" '>= 2.4'
	line 'IOPS per core, lunsweep / fio with batches' "$(ratio cpu64 $cpu fio_batch lunsweep)" '>= 1.15'
}

# above_pread COLUMN PROGRAM: in us; the median is for machines that others use too.
above_pread() {
	each_round cpu1 "$1" "$2" pread - | awk '{ print $1 / 1000 }' | spread %.2f
}

section_depth1() {
	local -a others
	local program

	headline "The same at depth 1, against a loop of pread"
	null_target
	read -ra others <<<"$(with_fio fio) pread"
	in_turns cpu1 "$null" 4k 1 lunsweep "${others[@]}"
	cpu_lines cpu1 lunsweep "${others[@]}"
	for program in lunsweep "${others[@]}"; do
		line "$program: mean latency, us" "$(figure cpu1 "$program" $mean %.2f 1000)"
		line '    median latency, us' "$(figure cpu1 "$program" $median %.2f 1000)"
	done
	line 'mean latency, lunsweep - pread, us' "$(above_pread $mean lunsweep)" '<= 0.4'
	line '    median latency' "$(above_pread $median lunsweep)"
	$has_fio || return 0
	line 'mean latency, fio - pread, us' "$(above_pread $mean fio)"
	line '    median latency' "$(above_pread $median fio)"
	line 'IOPS per core, lunsweep / fio' "$(ratio cpu1 $cpu fio lunsweep)" '>= 1.9'
}

# Reserve what fio's largest case takes; says why when that is not to be had.
huge_pages() {
	local before want=32

	[ -w $pages ] || { echo "  no huge pages for fio: $pages is not writable" && return 1; }
	before=$(<$pages)
	huge_before=$before
	echo $((before + want)) >$pages
	[ "$(awk '/HugePages_Free/ { print $2 }' /proc/meminfo)" -ge $want ] || {
		echo '  no huge pages for fio: the kernel finds too few'
		return 1
	}
}

section_device() {
	local -a others=()
	local bs program short_ms=0

	headline "Reads of ${TARGET:-a file of random data}: $rounds rounds of ${long_ms} ms"
	real_target
	! $has_fio || others=(fio)
	! $has_fio || ! huge_pages || others+=(fio_huge)
	for bs in 4k:64 64k:16 1m:16; do
		in_turns "device-$bs" "$real" "${bs%:*}" "${bs#*:}" lunsweep "${others[@]}"
		line "${bs%:*}, depth ${bs#*:}: lunsweep, IOPS" "$(figure "device-$bs" lunsweep $iops %.0f)"
		for program in "${others[@]}"; do
			line "    IOPS, lunsweep / ${program/_/, memory }" \
				"$(ratio "device-$bs" $iops lunsweep "$program")" \
				"$([ "$program" = fio ] || [ "$bs" = 4k:64 ] || echo '>= 0.95')"
		done
	done
}

# peak_mib: of the last run.
peak_mib() {
	awk '{ printf "%.1f MiB", $2 / 1024 }' "$tmp/spent"
}

# memory_line WORKERS DEPTH BS BOUND_MIB: D13: depth x bs of each worker rounded up to 2 MiB, + 16.
memory_line() {
	run_lunsweep "$real" "$3" "$2" $short_ms --workers "$1" >/dev/null
	line "$1 worker(s), depth $2, $3: lunsweep" "$(peak_mib)" "<= $4 MiB"
	$has_fio || return 0
	run_fio "$real" "$3" $(($2 / $1)) $short_ms --numjobs="$1" >/dev/null
	line '    fio' "$(peak_mib)"
}

section_memory() {
	headline 'Resident memory at its highest'
	real_target
	memory_line 1 64 4k 18
	memory_line 1 256 1m 272
	memory_line 64 64 4k 144
}

section_commit() {
	local figures middle least most bytes

	headline 'Storing a finished point: 30 s of intervals, durable'
	figures=$("$programs/commit" "$tmp/commit.db" 100)
	read -r middle least most bytes <<<"$figures"
	line 'lunsweep, ms' "$(printf '%.2f (%.2f-%.2f)' "$middle" "$least" "$most")"
	line 'database, bytes a point' "$bytes"
}

section_find() {
	headline 'Searching the maximum under a cap, on the ULT curves at 1 to 50 ms'
	"$programs/find" "$root/tests/data/ult-lun-sizing.csv" | sed 's/^./  &/'
}

section_night() {
	headline 'A night with the stopping rule (D44)'
	"$programs/night" | sed 's/^./  &/'
}

# command_line NAME ARG...: CPU seconds, wall seconds and MiB at most of a command, least of the rounds.
command_line() {
	local name=$1 best='' begin spent

	shift
	for ((r = 0; r < rounds; r++)); do
		begin=$(date +%s%N)
		"$programs/spent" "$tmp/spent" "$tool" "$@" >"$tmp/out"
		spent="$(awk '{ printf "%.2f %.0f", $1 / 1e9, $2 / 1024 }' "$tmp/spent") $(($(date +%s%N) - begin))"
		best=$(printf '%s\n%s\n' "$best" "$spent" | grep . | sort -n | head -n 1)
	done
	read -r cpu_s peak_mib wall_ns <<<"$best"
	line "$name" "$(awk -v c="$cpu_s" -v w="$wall_ns" -v m="$peak_mib" \
		'BEGIN { printf "%.2f s CPU, %.2f s, %d MiB", c, w / 1e9, m }')" "${limit-}"
}

section_report() {
	local format limit

	headline "Commands on 100,000 stored points, the least of $rounds rounds"
	"$programs/points" "$tmp/many.db" 1000 100
	"$programs/points" "$tmp/one.db" 1 100000
	limit='< 1 s' command_line 'one of 1,000 runs: report' report 500 --db "$tmp/many.db"
	command_line '    report --format json' report 500 --format json --db "$tmp/many.db"
	command_line '    show RUN' show 500 --db "$tmp/many.db"
	command_line '    export' export 500 --db "$tmp/many.db"
	command_line '    report with charts' report 500 --db "$tmp/many.db" -o "$tmp/charts" 2>"$tmp/log"
	command_line '    list of all runs' list --db "$tmp/many.db"
	limit='< 1 s' command_line 'one run of 100,000 points: report' report 1 --db "$tmp/one.db"
	for format in json csv; do
		command_line "    report --format $format" report 1 --format $format --db "$tmp/one.db"
		command_line "    export --format $format" export 1 --format $format --db "$tmp/one.db"
	done
	command_line '    show RUN' show 1 --db "$tmp/one.db"
	command_line '    show RUN POINT' show 1 5000 --db "$tmp/one.db"
	command_line '    list' list --db "$tmp/one.db"
}

section_points() {
	local status=0

	headline "Six points of ${TARGET:-a file of random data} with the stopping rule, each twice"
	real_target
	rm -f "$tmp/db"*
	"$tool" run --target "$real" --rw randread --bs 4k,64k --iodepth 1,8,64 --span 100% \
		--repeats 2 --db "$tmp/db" >"$tmp/log" 2>&1 || status=$?
	[ $status -eq 0 ] || [ $status -eq 3 ] || { cat "$tmp/log" >&2 && die "lunsweep: status $status"; }
	# An unsteady point has no interval: the separator must not be one that awk takes twice for one.
	sqlite3 -separator '|' "$tmp/db" "
		SELECT p.bs_bytes, p.iodepth, p.window_ns / 1e9 + p.ramp_ns / 1e9, v.iops,
			coalesce(round(v.iops_ci_pct, 2), '?'), v.flags
		FROM point p JOIN v_point v ON v.point_id = p.id AND v.dir = 'total'
		ORDER BY p.bs_bytes, p.iodepth, p.repeat" |
		awk -F '|' '
			{ used += $3; name = sprintf("%dk, depth %d", $1 / 1024, $2) }
			NR % 2 { t = $3; x = $4; ci = $5; flags = $6; next }
			{
				printf "  %-14s  %5.1f and %5.1f s  %8.0f IOPS +- %s %%, again %+.2f %% +- %s %%  [%s] [%s]\n",
					name, t, $3, x, ci, 100 * ($4 / x - 1), $5, flags, $6
			}
			END { printf "  %.0f s with ramps; %d s with a fixed minute each\n", used, 65 * NR }'
}

# ---- all ----

for cmd in sqlite3 fallocate; do
	has $cmd || die "$cmd is not installed (scripts/install-deps.sh test)"
done
has_fio=false
if has fio && has jq; then
	has_fio=true
else
	echo 'fio or jq is not installed: no comparison'
fi
for section in "${sections[@]}"; do
	declare -F "section_$section" >/dev/null || die "there is no section '$section'"
done
load=$(cut -d ' ' -f 1 /proc/loadavg)
printf '%s on %s CPUs, Linux %s, load %s%s\n' "$("$tool" --version | head -n 1)" "$(nproc)" \
	"$(uname -r)" "$load" "$(! $has_fio || echo ", $(fio --version)")"
echo "An empty system call takes $("$programs/syscall_cost") ns."
awk -v load="$load" -v cpus="$(nproc)" 'BEGIN { exit load < cpus / 2 }' &&
	echo 'Others use this machine: look at the ratios only, with ROUNDS=9 or more.'
for section in "${sections[@]}"; do
	"section_$section"
done
