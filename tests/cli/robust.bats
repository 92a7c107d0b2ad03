#!/usr/bin/env bats
# side by side
#
# What the kernel, the host and the shell do to a run: refused submits, little memory, huge targets,
# errors, odd lists, logs.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/run

setup() {
	scratch_up
	db_up
}

# injected RULE: measure depths 4 and 16 while strace injects RULE; both points must be whole. Each
# I/O takes 10 ms, so that the time which strace takes does not count.
injected() {
	local taken

	rm -f "$LUNSWEEP_DB"
	run -0 strace -f -qq -s 16 -e trace=io_submit,io_getevents -e inject="$1" -o "$SCRATCH/trace" \
		"$TOOL" run --target "$ARRAY" --iodepth 4,16 --ramp-time 50ms --runtime 1s
	grep -q INJECTED "$SCRATCH/trace"
	[ "$(statuses)" = "ok ok" ]
	# What was taken and what was counted differ by the I/Os of ramp and drain.
	taken=$(awk '/io_submit/ && $NF ~ /^[0-9]+$/ { n += $NF } END { print n }' "$SCRATCH/trace")
	[ "$(stored "SELECT sum(ios) BETWEEN 0.8 * $taken AND $taken FROM point")" = 1 ]
	run -0 stored "SELECT window_ns, depth_mean / iodepth, depth_max / iodepth, cpu_pct FROM point"
	[ "${#lines[@]}" -eq 2 ]
	for line in "${lines[@]}"; do
		IFS='|' read -r window_ns held most cpu_pct <<<"$line"
		near "$window_ns" 1000000000 2
		near "$held" 1 15
		[ "$most" -eq 1 ]
		# Waiting is sleeping, whatever was injected.
		[ "${cpu_pct%.*}" -lt 60 ]
	done
}

slow_array() {
	array_up model=queue servers=16 svc=10 size=64M data=pattern
}

@test "O-15: EAGAIN from io_submit loses no I/O and fails nothing" {
	slow_array
	injected io_submit:error=EAGAIN:when=3+5
}

@test "O-15: EINTR from io_submit and from io_getevents loses no I/O and fails nothing" {
	slow_array
	injected io_submit:error=EINTR:when=3+5
	injected io_getevents:error=EINTR:when=2+3
}

@test "O-15: an I/O that the kernel can never take fails the point at once" {
	loop_up 16M
	run -3 strace -f -qq -e trace=io_submit -e inject=io_submit:error=EINVAL -o /dev/null \
		"$TOOL" run --target "$LOOP" --iodepth 4 --ramp-time 50ms --runtime 10s
	[[ $(stored "SELECT reason FROM point") == "Invalid argument"* ]]
}

@test "O-16: buffers that cannot be had fail that point alone, and the plan tells their size" {
	need_plain_memory
	loop_up 64M
	run -3 sh -c 'ulimit -v 1500000; exec "$@"' sh "$TOOL" run --target "$LOOP" --bs 4k,4m \
		--iodepth 1,64,1024 --ramp-time 50ms --runtime 200ms --anchors never
	[ "$(stored "SELECT group_concat(bs_bytes || '/' || iodepth) FROM point WHERE status <> 'ok'")" = 4194304/1024 ]
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'ok'")" -eq 5 ]
	[[ $(stored "SELECT reason FROM point WHERE status = 'failed'") == "needs 4.00 GiB of buffers"* ]]
	run -0 "$TOOL" plan --target-size 64m --bs 4k,4m --iodepth 1,64,1024
	[[ $output == *"4.00 GiB"* ]]
}

@test "O-17: a span of 12 TiB takes no more memory than a small one, and starts at once" {
	need_plain_memory
	need losetup
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs"
	image=$(mktemp /dev/shm/lunsweep-test.XXXXXX)
	defer rm -f "$image"
	truncate -s 12T "$image"
	loop_attach "$image"
	prlimit --as=536870912 "$TOOL" run --target "$LOOP" --iodepth 32 --ramp-time 50ms --runtime 3s \
		--accept unwritten,host-cache --rw randread >"$SCRATCH/out" 2>&1 3>&- &
	pid=$!
	began_ms=$(date +%s%3N)
	wait_until 2 point_has_begun
	[ $(($(date +%s%3N) - began_ms)) -lt 2000 ]
	sleep 2
	peak_kib=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status")
	[ "$peak_kib" -lt 102400 ]
	wait "$pid"
	[ "$(stored "SELECT span_bytes FROM point WHERE status = 'ok'")" -eq 13194139533312 ]
}

point_has_begun() {
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

@test "resident memory is the buffers and 16 MiB at most (D13)" {
	need_plain_memory
	need python3
	loop_up 64M
	python3 - "$TOOL" run --target "$LOOP" --bs 1m --iodepth 32 --workers 2 --ramp-time 50ms \
		--runtime 500ms >"$SCRATCH/peak" <<-'PYTHON'
		import os, resource, subprocess, sys
		subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
		print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
	PYTHON
	[ "$(cat "$SCRATCH/peak")" -le $(((32 + 16) * 1024)) ]
}

@test "O-38: when every I/O fails, so does every point, with the reason, and the status says so" {
	loop_up 16M
	run -3 strace -f -qq -e trace=io_submit -e inject=io_submit:error=EIO -o /dev/null \
		"$TOOL" run --target "$LOOP" --iodepth 1,2,4 --ramp-time 50ms --runtime 300ms
	[[ $output == *"lunsweep: 3 of 3 points failed, were skipped or are spoiled"* ]]
	[ "$(statuses)" = "failed failed failed" ]
	[ "$(stored "SELECT DISTINCT error_errno FROM point")" -eq 5 ]
	[[ $(stored "SELECT DISTINCT reason FROM point") == "Input/output error"* ]]
	[ "$(stored "SELECT count(*) FROM v_point WHERE status = 'ok' OR lat_mean_ms IS NOT NULL")" -eq 0 ]
}

@test "O-38: one failed point of three makes the status 3, and the others are kept" {
	array_up model=queue servers=4 svc=1 size=64M data=pattern
	array_ctl eio_at 32m 4k
	run -3 measure --target "$ARRAY" --rw read --span 1m,4m,64m --bs 1m --iodepth 8 --order listed --runtime 500ms
	[[ $output == *"lunsweep: 1 of 3 points failed, were skipped or are spoiled"* ]]
	[ "$(statuses)" = "ok ok failed" ]
	[ "$(stored "SELECT error_errno, error_offset_bytes FROM point WHERE status = 'failed'")" = "5|33554432" ]
}

@test "O-38: short transfers are errors and never I/O" {
	array_up model=queue servers=4 svc=1 size=64M data=pattern
	array_ctl short 1
	run -3 measure --target "$ARRAY"
	[ "$(statuses)" = failed ]
	[ "$(stored "SELECT ifnull(ios, 0) FROM point")" -eq 0 ]
}

@test "O-38: a device that is gone before the start ends with status 1, and stores nothing" {
	loop_up 16M
	losetup -d "$LOOP"
	wait_until 5 test ! -e "/sys/block/${LOOP#/dev/}/loop/backing_file"
	run -1 measure --target "$LOOP"
	[ ! -e "$LUNSWEEP_DB" ]
}

@test "O-39: lists with duplicates in odd order give every point once, in numeric order" {
	loop_up 16M
	measure --target "$LOOP" --iodepth 16,1,4,4,64 --bs 64k,4k,65536 --runtime 100ms --ramp-time 10ms
	[ "$(stored "SELECT group_concat(iodepth || '/' || bs_bytes, ' ') FROM
		(SELECT * FROM point WHERE status = 'ok' ORDER BY bs_bytes, iodepth)")" = \
		"1/4096 4/4096 16/4096 64/4096 1/65536 4/65536 16/65536 64/65536" ]
	[ "$(stored "SELECT count(*) FROM point")" -eq 8 ]
	run -0 "$TOOL" report --format csv 1
	[ "$(awk -F , '$1 == "point" && $14 == "total" { print $5 "/" $11 }' <<<"$output" | paste -sd ' ')" = \
		"4096/1 4096/4 4096/16 4096/64 65536/1 65536/4 65536/16 65536/64" ]
}

@test "O-39: bad lists are refused before any I/O, with the bad item" {
	random_file "$SCRATCH/file" 1M
	while read -r list item; do
		run -2 --separate-stderr measure --target "$SCRATCH/file" --iodepth "$list"
		[[ $stderr == "lunsweep: --iodepth"*"$item"* ]]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done <<-TABLE
		0 0
		4,, '4,,'
		1- 1-
		abc abc
		-2 -2
		1,2,x 'x'
	TABLE
	run -2 measure --target "$SCRATCH/file" --iodepth ""
	[ ! -e "$LUNSWEEP_DB" ]
}

# plain_log FILE POINTS: a line a point, and nothing that only a terminal understands.
plain_log() {
	[ -s "$1" ]
	run ! grep -q $'[\r\033]' "$1"
	[ "$(grep -c '^\[[0-9]*/'"$2"'\] ' "$1")" -eq "$2" ]
	[ "$(wc -l <"$1")" -le $(($2 + 3)) ]
}

@test "O-45: where there is no terminal, one plain line a point, at any width and without stdin" {
	random_file "$SCRATCH/file" 4M
	points() {
		measure --target "$SCRATCH/file" --iodepth 1..4+1 --runtime 200ms --new
	}
	points >"$SCRATCH/out" 2>"$SCRATCH/err"
	plain_log "$SCRATCH/err" 4
	for columns in 0 20 x; do
		COLUMNS=$columns TERM=dumb points >"$SCRATCH/out" 2>"$SCRATCH/err" <&-
		plain_log "$SCRATCH/err" 4
		run ! grep -q $'[\r\033]' "$SCRATCH/out"
	done
	[ "$(stored "SELECT count(*) FROM point WHERE status = 'ok'")" -eq 16 ]
}

@test "O-45: with | head -1 every point is still measured and stored" {
	random_file "$SCRATCH/file" 4M
	(
		measure --target "$SCRATCH/file" --iodepth 1..4+1 --runtime 300ms 2>&1 ||
			echo $? >"$SCRATCH/status"
	) | head -1
	[ "$(statuses)" = "ok ok ok ok" ]
	# The answers could not be printed.
	[ "$(cat "$SCRATCH/status")" -eq 1 ]
}

# fits TYPESCRIPT WIDTH: no live line reaches the last column, where some terminals wrap.
fits() {
	python3 - "$@" <<-'END'
	import re, sys
	text = open(sys.argv[1], newline="", errors="replace").read()
	live = re.findall(r"\r\x1b\[K([^\r\n\x1b]*)(?=\r\x1b\[K)", text)
	assert len(live) > 2 and max(map(len, live)) < int(sys.argv[2]), live
	END
}

@test "a terminal gets a live line with the time that is left, which is gone at the end" {
	need script
	random_file "$SCRATCH/file" 4M
	for width in 20 0 132; do
		TERM=xterm script -qec "stty cols $width; '$TOOL' run --target '$SCRATCH/file' --iodepth 1,2 --ramp-time 50ms --runtime 1200ms --new 2>&1" \
			"$SCRATCH/typescript" </dev/null >/dev/null
		grep -q $'\r\033\\[K' "$SCRATCH/typescript"
		fits "$SCRATCH/typescript" $((width ? width : 80))
	done
	grep -q '\[2/2\]  [5-9][0-9] %  .*iodepth 2 .* IOPS, .* ms  ETA 0\.[0-9] s' "$SCRATCH/typescript"
	TERM=dumb script -qec "'$TOOL' run --target '$SCRATCH/file' --ramp-time 50ms --runtime 500ms --new 2>&1" \
		"$SCRATCH/typescript" </dev/null >/dev/null
	run ! grep -q $'\033' "$SCRATCH/typescript"
}

@test "--quiet leaves warnings, errors and the answers" {
	random_file "$SCRATCH/file" 4M
	measure --quiet --target "$SCRATCH/file" >"$SCRATCH/out" 2>"$SCRATCH/err"
	[ ! -s "$SCRATCH/err" ]
	grep -q '^Answers' "$SCRATCH/out"
}

@test "the exit status is 0, 1, 2 or 3 as the manual says" {
	random_file "$SCRATCH/file" 4M
	run -0 measure --target "$SCRATCH/file"
	run -1 measure --target "$SCRATCH/nosuch"
	run -2 measure --target "$SCRATCH/file" --bs 4q
	run -2 measure --target "$SCRATCH/file" --frobnicate
	run -2 measure
	run -3 measure --target "$SCRATCH/file" --iodepth 1 --workers 1,2
	[ "$(stored "SELECT status FROM point WHERE workers = 2")" = skipped ]
	run -1 env LUNSWEEP_DB="$SCRATCH/nosuch/db" "$TOOL" run --target "$SCRATCH/file" --runtime 1s
}
