#!/usr/bin/env bats
# side by side
#
# What is stored of a run beside its figures, so that it can be understood years later.

load ../lib/common
load ../lib/loop
load ../lib/throttle
load ../lib/measure

# fact NAME [RUN]
fact() {
	db "SELECT value FROM run_fact WHERE name = '$1' AND run_id = ${2:-1}"
}

# Two runs of one sweep: the second with another scheduler and inside a cgroup with a limit.
two_runs() {
	need jq sqlite3
	export DB=$SCRATCH/db
	loop_up 16M
	QUEUE=/sys/block/loop$LOOP_NR/queue
	grep -q mq-deadline "$QUEUE/scheduler" || skip "there is no mq-deadline scheduler here"
	echo none >"$QUEUE/scheduler"
	throttle_up "$LOOP"
	measure "$LOOP" 100ms 500ms --iodepth 1,4 --seed 77
	echo mq-deadline >"$QUEUE/scheduler"
	throttle_set read_iops 300
	in_throttle "$TOOL" run --target "$LOOP" --db "$DB" --new --precision none --ramp-time 100ms \
		--runtime 500ms --iodepth 1,4 --seed 77 >"$SCRATCH/second"
	echo none >"$QUEUE/scheduler"
}

@test "O-50: a run stores the program, the host, the target and what was asked and consented to" {
	two_runs
	[ "$("$TOOL" --version | head -1 | awk '{ print $2 }')" = \
		"$(db "SELECT tool_version FROM run WHERE id = 1")" ]
	[ "$(db "SELECT schema_version FROM run WHERE id = 1")" -eq "$(db "PRAGMA user_version")" ]
	[ "$(db "SELECT seed, engine, state FROM run WHERE id = 1")" = "77|libaio|finished" ]
	[ "$(db "SELECT target_given, target_resolved FROM run WHERE id = 1")" = "$LOOP|$LOOP" ]
	[[ $(db "SELECT command FROM run WHERE id = 1") == "lunsweep run --target $LOOP "*" --seed 77" ]]
	[[ $(db "SELECT sweep_text FROM run WHERE id = 1") == *iodepth* ]]
	[ "$(db "SELECT git_id <> '' AND sweep_hash <> '' AND key <> '' FROM run WHERE id = 1")" -eq 1 ]
	[ "$(db "SELECT identity FROM target")" = "$(identity_of "$LOOP")" ]
	[ "$(db "SELECT size_bytes FROM target")" -eq 16777216 ]
	[ "$(fact host.name)" = "$(uname -n)" ]
	[[ $(fact host.kernel) == *"$(uname -r)"* ]]
	[ "$(fact host.cpus)" -eq "$(getconf _NPROCESSORS_ONLN)" ]
	[ -z "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" ] ||
		[ "$(fact host.cpu_model)" = "$(awk -F': ' '/model name/ { print $2; exit }' /proc/cpuinfo)" ]
	[ "$(fact device.number)" = "7:$LOOP_NR" ]
	[ "$(fact target.type)" = "block device" ]
	[ "$(fact target.size_bytes)" -eq 16777216 ]
	[[ $(fact queue.scheduler) == *"[none]"* ]]
	for name in nr_requests max_sectors_kb logical_block_size physical_block_size rotational \
		write_cache; do
		[ "$(fact queue.$name)" = "$(cat "$QUEUE/$name")" ]
	done
	[[ $(fact loop.backing_file) == *"${LOOP_IMAGE##*/}" ]]
	[[ $(fact consent.write_to) == *read-only* ]]
	[ "$(fact consent.overwrite_signature)" = no ]
	[ "$(fact sweep.seed_from)" = "the sweep" ]
}

@test "when it was, and in which order, stands with each point" {
	two_runs
	none "SELECT * FROM point p JOIN run r ON r.id = p.run_id WHERE NOT (
		r.start_ns <= p.start_ns AND p.start_ns < p.end_ns AND p.end_ns <= r.end_ns)"
	[ "$(db "SELECT group_concat(seq) FROM (SELECT seq FROM point WHERE run_id = 1
		ORDER BY start_ns)")" = 1,2 ]
	none "SELECT * FROM point WHERE seed <> 77"
}

@test "O-50: two runs are compared by what differs: the scheduler and the cgroup's limit, no more" {
	two_runs
	"$TOOL" report 1 2 --db "$DB" --format json >"$SCRATCH/json"
	jq -c '.differences[]' "$SCRATCH/json"
	[ "$(jq -r '.differences[] | select(.name == "queue.scheduler") | .to' "$SCRATCH/json")" = \
		"$(fact queue.scheduler 2)" ]
	[[ $(jq -r '.differences[] | select(.name == "cgroup.io_limit") | [.from, .to] | @tsv' \
		"$SCRATCH/json") == none*300* ]]
	# A scheduler has a queue length of its own.
	[ "$(jq -r '.differences[].name' "$SCRATCH/json" | grep -vx queue.nr_requests | sort |
		xargs)" = "cgroup.io_limit queue.scheduler" ]
	"$TOOL" report 1 2 --db "$DB" >"$SCRATCH/text"
	sed -n '/^Set-up that differs from run 1/,/^$/p' "$SCRATCH/text" >"$SCRATCH/differs"
	grep -F queue.scheduler "$SCRATCH/differs"
	grep -F mq-deadline "$SCRATCH/differs"
	grep -F cgroup.io_limit "$SCRATCH/differs"
}

@test "a run in a cgroup with a limit notes it at each point, one without does not" {
	two_runs
	none "SELECT * FROM v_point WHERE run = 2 AND ' ' || flags || ' ' NOT LIKE '% throttled %'"
	none "SELECT * FROM v_point WHERE run = 1 AND ' ' || flags || ' ' LIKE '% throttled %'"
	[[ $(db "SELECT detail FROM point_flag WHERE flag = 'throttled' LIMIT 1") == *300* ]]
}

@test "the counters of the device before and after the window say what it did" {
	need sqlite3
	export DB=$SCRATCH/db
	loop_up 16M
	measure "$LOOP" 200ms 1s --iodepth 4 --bs 8k
	read -r before_ios after_ios before_bytes after_bytes ios < <(sqlite3 -separator ' ' "$DB" "
		SELECT b.read_ios, a.read_ios, b.read_bytes, a.read_bytes, p.ios FROM point p
		JOIN point_counter b ON b.point_id = p.id AND b.moment = 'before' AND b.layer = 'target'
		JOIN point_counter a ON a.point_id = p.id AND a.moment = 'after' AND a.layer = 'target'")
	echo "$before_ios $after_ios $before_bytes $after_bytes $ios"
	# The two are read a moment beside both ends of the window.
	near $((after_ios - before_ios)) "$ios" 10
	# The kernel does not count an I/O and its bytes at the same instant.
	near $((after_bytes - before_bytes)) $(((after_ios - before_ios) * 8192)) 1
	near "$(db "SELECT counters_ns / 1e9 FROM point")" 1 10
	awk -v u="$(figure util_pct)" 'BEGIN { exit !(u > 50 && u <= 100) }'
}
