#!/usr/bin/env bats
# measures
#
# Verdicts on real targets: each is raised where it must be, with the figures behind it, and not on
# the twin that has nothing to do with it. The rules themselves are in unit/test_run_verdict.c.

load ../lib/common
load ../lib/loop
load ../lib/array
load ../lib/throttle
load ../lib/measure

setup() {
	need jq sqlite3
	scratch_up
	export DB=$SCRATCH/db
}

# raised FLAG [CONDITION]: by a point of the last run, with the detail in DETAIL.
raised() {
	DETAIL=$(db "SELECT f.detail FROM point_flag f JOIN point p ON p.id = f.point_id
		WHERE f.flag = '$1' AND p.run_id = (SELECT max(id) FROM run) AND ${2:-1} LIMIT 1")
	[ -n "$DETAIL" ]
}

not_raised() {
	! raised "$@" || {
		echo "$1 was raised: $DETAIL" >&2
		return 1
	}
}

# What `show` says of the last run's point SEQ.
explained() {
	"$TOOL" show --db "$DB" "$(db "SELECT max(id) FROM run")" "${1:-1}"
}

consent() {
	echo --yes --write-to "$(identity_of "$1")"
}

# while_it_runs SECONDS CMD...: in the background, so long after the first point began.
while_it_runs() {
	local delay=$1

	shift
	{
		wait_until 20 point_has_begun && sleep "$delay" && "$@"
	} 3>&- &
}

point_has_begun() {
	[ "$(db "SELECT count(*) FROM point WHERE status = 'running'" 2>/dev/null)" = 1 ]
}

# ---- blocks that were never written ----

@test "O-27: reads of a sparse file are warned of and spoiled, with the share; filled, they are not" {
	random_file "$SCRATCH/file" 16M
	truncate -s 32M "$SCRATCH/file"
	run -3 measure "$SCRATCH/file" 50ms 300ms --iodepth 16 --span 50%,100%
	grep -F "warning: 50 % of the blocks to be read were never written" "$DB.err"
	grep -F "lunsweep prepare --target" "$DB.err"
	not_raised unwritten "span_bytes = 16777216"
	raised unwritten "span_bytes = 33554432"
	[ "$DETAIL" = "50 % of 32.0 MiB" ]
	# Neither is the file system blamed for what its disk was not asked for.
	not_raised host-cache
	run -0 explained "$(db "SELECT seq FROM point WHERE span_bytes = 33554432")"
	[[ "$output" == *"unwritten (spoiled): reads fell on blocks that were never written"* ]]
	[[ "$output" == *"here: 50 % of 32.0 MiB"* ]]
	"$TOOL" report --db "$DB" | tr -s ' \n' ' ' | grep -E "spoiled: ([a-z-]+, )*unwritten"
	run -0 measure "$SCRATCH/file" 50ms 300ms --iodepth 16 --accept unwritten
	raised unwritten
	dd if=/dev/urandom of="$SCRATCH/file" bs=1M seek=16 count=16 conv=notrunc,fsync status=none
	run -0 measure "$SCRATCH/file" 50ms 300ms --iodepth 16 --span 50%,100%
	not_raised unwritten
	run -1 grep -F "never written" "$DB.err"
}

@test "O-27: extents that are allocated but never written are no data, and writes fill them" {
	fallocate -l 16M "$SCRATCH/file"
	run -3 measure "$SCRATCH/file" 50ms 300ms
	raised unwritten
	[ "$DETAIL" = "100 % of 16.0 MiB" ]
	# Writes are true there, but the file system has to make the blocks theirs.
	measure "$SCRATCH/file" 50ms 300ms --rw randwrite --write-to "$SCRATCH/file"
	not_raised unwritten
	raised allocating
	[ "$DETAIL" = "100 % of 16.0 MiB" ]
	# Dirty pages over such extents are data too.
	fallocate -l 16M "$SCRATCH/dirty"
	head -c 16M /dev/urandom | dd of="$SCRATCH/dirty" bs=1M conv=notrunc status=none iflag=fullblock
	measure "$SCRATCH/dirty" 50ms 300ms
	not_raised unwritten
	measure "$SCRATCH/dirty" 50ms 300ms --rw randwrite --write-to "$SCRATCH/dirty"
	not_raised allocating
}

@test "O-27: a loop device is followed into its file, from its offset on" {
	random_file "$SCRATCH/file" 16M
	truncate -s 32M "$SCRATCH/file"
	loop_attach "$SCRATCH/file" --offset $((16 << 20))
	run -3 measure "$LOOP" 50ms 300ms
	raised unwritten
	[ "$DETAIL" = "100 % of 16.0 MiB" ]
	loop_attach "$SCRATCH/file" --sizelimit $((16 << 20))
	measure "$LOOP" 50ms 300ms
	not_raised unwritten
}

@test "O-17: holes of 12 TiB are found at once" {
	truncate -s 12T "$SCRATCH/file"
	began_ms=$(date +%s%3N)
	run -0 "$TOOL" plan --target "$SCRATCH/file" --iodepth 1
	[[ "$output" == *"100 % of the blocks to be read were never written"* ]]
	[ $(($(date +%s%3N) - began_ms)) -lt 2000 ]
}

@test "zeros are noted where no file system tells what was written" {
	array_up model=queue servers=8 svc=1 size=16M data=zero
	measure "$ARRAY" 50ms 500ms
	raised reads-zero
	[[ "$DETAIL" =~ ^([0-9]+)" of "([0-9]+)" sampled blocks"$ ]]
	[ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
	array_down
	array_up model=queue servers=8 svc=1 size=16M data=pattern
	measure "$ARRAY" 50ms 500ms
	not_raised reads-zero
	not_raised unwritten
}

@test "zeros that a mixed point overwrites are not held against the reads after it" {
	head -c 1M /dev/zero >"$SCRATCH/zeros"
	array_up model=queue servers=8 svc=1 size=1M data="$SCRATCH/zeros"
	measure "$ARRAY" 50ms 1s --rw randrw --rwmixread 50,100 --iodepth 8 --order listed \
		--mix-order as-listed --write-to "$ARRAY"
	[ "$(db "SELECT group_concat(rwmixread_pct, ' ') FROM (SELECT rwmixread_pct FROM point ORDER BY seq)")" = "50 100" ]
	raised reads-zero "p.rwmixread_pct = 50"
	not_raised reads-zero "p.rwmixread_pct = 100"
}

# ---- caches ----

@test "O-28: a loop device without direct I/O is warned of, and spoiled by what the disk did not see" {
	# The image is in the page cache, as it was just written. Of a busy disk the cache cannot always
	# be told: what others read there counts as well.
	loop_up 64M --direct-io=off
	run -3 measure "$LOOP" 50ms 500ms --bs 64k --iodepth 16 --span 16m,64m --repeats 2
	grep -F "attached without direct I/O, so its backing store is cached" "$DB.err"
	[ "$(db "SELECT count(*) FROM point_flag WHERE flag = 'host-cache'")" -ge 1 ]
	raised host-cache
	[[ "$DETAIL" == *" read "*", we "* ]]
	[ "$(db "SELECT count(*) FROM point_counter WHERE layer = 'bottom'")" -eq 8 ]
	run -0 explained "$(db "SELECT seq FROM point JOIN point_flag ON point_id = point.id WHERE flag = 'host-cache' LIMIT 1")"
	[[ "$output" == *"host-cache (spoiled)"*"losetup --direct-io=on"* ]]
	[[ "$output" == *"Counters of the device at the bottom"* ]]
	measure "$LOOP" 50ms 300ms --iodepth 16 --accept host-cache
}

@test "O-28: with direct I/O the disk sees every byte, and nothing is said" {
	loop_up 64M
	measure "$LOOP" 50ms 1s --iodepth 16 --span 16m,64m
	run -1 grep -F "direct I/O" "$DB.err"
	not_raised host-cache
	none "SELECT point_id FROM point_dir d WHERE dir = 'total' AND bytes * .9 > (
		SELECT a.read_bytes - b.read_bytes FROM point_counter a JOIN point_counter b USING (point_id, layer)
		WHERE a.point_id = d.point_id AND layer = 'bottom' AND a.moment = 'after' AND b.moment = 'before')"
}

@test "O-12: a loop device on a file in memory is told for what it is" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs here"
	file=$(mktemp /dev/shm/lunsweep-test.XXXXXX)
	defer rm -f "$file"
	head -c 4M /dev/urandom >"$file"
	loop_attach "$file"
	run -3 measure "$LOOP" 50ms 300ms
	grep -F "the file of the loop device is in memory" "$DB.err"
	raised host-cache
	raised no-counters
}

# ---- others on the same device ----

# Reads of somebody else until it is ended.
foreign_reads() {
	while dd if="$1" of=/dev/null bs=1M iflag=direct status=none; do :; done
}

@test "O-48: foreign load spoils a point on a device of its own, and not when it has ended" {
	loop_up 64M
	foreign_reads "$LOOP" 3>&- &
	defer stop_pid $!
	run -3 measure "$LOOP" 50ms 1s --bs 4k --iodepth 1
	stop_pid $!
	raised foreign-load
	[[ "$DETAIL" == "the device read "*", we "* ]]
	# The dd that was going on ends with its file.
	wait_until 10 sh -c '! pgrep -f "if=$1 of=/dev/null" >/dev/null' sh "$LOOP"
	measure "$LOOP" 50ms 1s --bs 4k --iodepth 1
	not_raised foreign-load
}

@test "O-48: foreign load beside a file on a shared file system is a note" {
	random_file "$SCRATCH/file" 16M
	random_file "$SCRATCH/other" 64M
	foreign_reads "$SCRATCH/other" 3>&- &
	defer stop_pid $!
	measure "$SCRATCH/file" 50ms 1s --bs 4k --iodepth 1
	raised shared-load
	[[ "$DETAIL" == *"the disk below read "*", we "* ]]
	not_raised foreign-load
}

# ---- stalls ----

# freeze_for SECONDS
freeze_for() {
	fsfreeze -f "$SCRATCH/mnt" && sleep "$1"
	fsfreeze -u "$SCRATCH/mnt"
}

@test "O-34: a freeze of 3 s is in the series and in the longest latency, and told with its length" {
	need mkfs.ext4 fsfreeze
	loop_up 64M
	mkfs.ext4 -q "$LOOP"
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	defer umount "$SCRATCH/mnt"
	random_file "$SCRATCH/mnt/file" 16M
	defer sh -c "fsfreeze -u '$SCRATCH/mnt' 2>/dev/null || true"
	while_it_runs 2 freeze_for 3
	run -3 measure "$SCRATCH/mnt/file" 0s 8s --rw randwrite --iodepth 4 --write-to "$SCRATCH/mnt/file" \
		--cap mean:10s,p95:10s
	wait $!
	raised stall
	[[ "$DETAIL" =~ ^"stall of "[23]\.[0-9]" s"$ ]]
	[ "$(figure "lat_max_ms BETWEEN 2900 AND 4000")" -eq 1 ]
	# No fewer than 28 of the intervals are empty, and they are there.
	[ "$(db "SELECT count(*) FROM point_series")" -eq 80 ]
	[ "$(db "SELECT count(*) >= 28 FROM point_series WHERE write_ios = 0")" -eq 1 ]
	[ "$(db "SELECT sum(write_ios) FROM point_series")" -eq "$(db "SELECT ios FROM point")" ]
	[ "$(db "SELECT abs(iops - ios / 8.0) < 1 FROM point")" -eq 1 ]
	# Spoiled for the mean, kept for percentiles.
	"$TOOL" report --db "$DB" --format json >"$SCRATCH/json"
	[ "$(jq -c '[.runs[0].curves[0].caps[].status]' "$SCRATCH/json")" = '["no-data","not-reached"]' ]
	jq -r '.runs[0].curves[0].caps[1].sentence' "$SCRATCH/json" | grep -F "A stall is in these IOPS"
	[ "$("$TOOL" report --db "$DB" --accept stall --format json | jq -r '.runs[0].curves[0].caps[0].status')" = not-reached ]
}

@test "a stall of the array is told, and a slow array is none" {
	array_up model=queue servers=4 svc=2 size=16M data=pattern
	while_it_runs 1 array_ctl stall 1500
	run -3 measure "$ARRAY" 0s 4s --iodepth 4
	wait $!
	raised stall
	[[ "$DETAIL" =~ ^"stall of "1\.[4-9]" s"$ ]]
	# One I/O every 400 ms.
	array_ctl set svc=400
	array_ctl set servers=1
	measure "$ARRAY" 0s 3s --iodepth 1
	not_raised stall
}

# ---- the submit call ----

@test "O-18: a queue limit of 4 is warned of, marked at each deeper point, and named as the knee" {
	# 64 servers of 4 ms: the device itself would take 64 at a time.
	array_up model=queue servers=64 svc=4 size=64M data=pattern
	loop_attach "$ARRAY"
	echo 4 >"/sys/block/loop$LOOP_NR/queue/nr_requests"
	measure "$LOOP" 200ms 1s --bs 64k --iodepth 1,2,4,16,64
	grep -F "iodepth 16 and 64 exceed the host queue limit 4 (nr_requests)" "$DB.err"
	[ "$(db "SELECT group_concat(iodepth) FROM (SELECT iodepth FROM v_point WHERE dir = 'total' AND
		flags LIKE '%queue-limited%' ORDER BY iodepth)")" = 16,64 ]
	[ "$(db "SELECT value FROM run_fact WHERE name = 'queue.nr_requests'")" -eq 4 ]
	"$TOOL" report --db "$DB" | grep -F "Host queue limit 4: "
	# Whoever submits more waits inside the call, and the device has 4 at a time.
	raised submit-blocked "iodepth = 64"
	[[ "$DETAIL" =~ ^[0-9]+" % of the time inside the submit call; effective depth "[34]\.[0-9]" of 64"$ ]]
	run -0 explained "$(db "SELECT seq FROM point WHERE iodepth = 64")"
	[[ "$output" == *"submit-blocked (a lower bound)"* ]]
	not_raised submit-blocked "iodepth <= 4"
	not_raised queue-limited "iodepth <= 4"
}

@test "O-13: a depth that the target takes is held, and neither queue nor submit call is in the way" {
	array_up model=queue servers=64 svc=4 size=64M data=pattern
	loop_attach "$ARRAY"
	measure "$LOOP" 200ms 1s --iodepth 1,8,32
	none "SELECT * FROM point WHERE NOT depth_mean BETWEEN .95 * iodepth AND iodepth"
	not_raised submit-blocked
	not_raised depth-not-held
	not_raised queue-limited
	not_raised inline
}

@test "O-12, O-20: a file in memory is inline, cpu-bound, and no knee is claimed of it" {
	need taskset
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "/dev/shm is no tmpfs here"
	file=$(mktemp /dev/shm/lunsweep-test.XXXXXX)
	defer rm -f "$file"
	head -c 16M /dev/urandom >"$file"
	PUNCTUAL="taskset -c 0" run -3 measure "$file" 100ms 1s --iodepth 1,8,64 --allow-ram
	[ "$(db "SELECT count(*) FROM point_flag WHERE flag = 'cpu-bound'")" -eq 3 ]
	[ "$(db "SELECT count(*) FROM point_flag WHERE flag = 'inline'")" -ge 2 ]
	[ "$(db "SELECT count(*) FROM point_flag WHERE flag = 'host-cache' AND detail LIKE '%tmpfs%'")" -eq 3 ]
	"$TOOL" report --db "$DB" --accept host-cache | grep -F "Knee withheld, client-limited"
}

@test "O-20: a slow device on an idle client is not cpu-bound" {
	loop_up 16M
	throttle_up "$LOOP"
	throttle_set read_iops 500
	PUNCTUAL=in_throttle measure "$LOOP" 200ms 2s --iodepth 1,8
	not_raised cpu-bound
	not_raised inline
	none "SELECT * FROM point WHERE cpu_pct > 10"
}

@test "O-19: large blocks are counted as asked, and the split is warned of and noted" {
	loop_up 64M
	queue=/sys/block/loop$LOOP_NR/queue
	defer sh -c 'echo "$1" >"$2"' sh "$(cat "$queue/max_sectors_kb")" "$queue/max_sectors_kb"
	echo 64 >"$queue/max_sectors_kb"
	measure "$LOOP" 0s 500ms --rw read --bs 64k,1m --iodepth 1
	grep -F "1m requests are split 16:1 before the device (max_sectors_kb 64)" "$DB.err"
	raised split "bs_bytes = 1048576"
	[ "$DETAIL" = "max_sectors_kb 64: 16 requests a block" ]
	not_raised split "bs_bytes = 65536"
	# What the device counted are requests of 64k, whatever was asked for.
	none "SELECT a.read_bytes - b.read_bytes, a.read_ios - b.read_ios
		FROM point_counter b JOIN point_counter a USING (point_id, layer)
		WHERE layer = 'target' AND b.moment = 'before' AND a.moment = 'after'
			AND NOT (a.read_bytes - b.read_bytes) * 1.0 / (a.read_ios - b.read_ios)
				BETWEEN 60000 AND 66000"
}

# ---- errors, each as the kernel gives it ----

# failed_by ERRNO TEXT: the only point is failed, with this errno, and its reason holds the text.
failed_by() {
	[ "$(db "SELECT status, error_errno FROM point")" = "failed|$1" ]
	raised io-error
	[[ "$(db "SELECT reason FROM point")" == *"$2"* ]]
	# Failures are fast, and never I/O.
	[ "$(db "SELECT count(*) FROM point_dir WHERE iops IS NOT NULL AND dir = 'total'
		AND EXISTS (SELECT 1 FROM v_curve)")" -eq 0 ]
	run -0 explained
	[[ "$output" == *"io-error (failed)"* ]]
}

@test "a device that shrinks while it is measured fails its point, and so do I/Os of length 0" {
	loop_up 64M
	while_it_runs .5 shrink
	run -3 measure "$LOOP" 0s 4s --iodepth 4
	wait $!
	failed_by 5 "at offset"
	# What is left of it can be measured.
	measure "$LOOP" 0s 300ms
}

shrink() {
	truncate -s 8M "$LOOP_IMAGE" && losetup -c "$LOOP"
}

@test "I/Os of length 0 from behind the end of a file are named as what they are" {
	random_file "$SCRATCH/file" 32M
	while_it_runs .5 truncate -s 1M "$SCRATCH/file"
	run -3 measure "$SCRATCH/file" 0s 4s --offset 16M --span 16M
	wait $!
	failed_by 5 "short I/O, 0 of 4096 bytes (was the device removed or made smaller?) at offset"
}

@test "ENOSPC below a loop device and in a file system fails the point with its name" {
	need mkfs.ext4
	loop_up --sparse 160M
	mkfs.ext4 -q -m 0 -O ^has_journal "$LOOP"
	mkdir "$SCRATCH/mnt"
	mount "$LOOP" "$SCRATCH/mnt"
	defer umount "$SCRATCH/mnt"
	truncate -s 64M "$SCRATCH/mnt/file"
	# There is room at first; somebody else takes it meanwhile.
	while_it_runs .3 fallocate -l 1G "$SCRATCH/mnt/other"
	run -3 measure "$SCRATCH/mnt/file" 0s 5s --rw randwrite --bs 64k --iodepth 8 --rate 100 --write-to "$SCRATCH/mnt/file"
	failed_by 28 "No space left on device"
	loop_attach "$SCRATCH/mnt/file"
	rm "$DB"
	# shellcheck disable=SC2046 # two words
	run -3 measure "$LOOP" 0s 5s --rw randwrite --bs 64k --iodepth 8 $(consent "$LOOP")
	failed_by 28 "No space left on device"
}

@test "EPERM: a device that becomes read-only while it is written fails the point" {
	loop_up 16M
	# A loop number keeps it for its next user.
	defer blockdev --setrw "$LOOP"
	while_it_runs .5 blockdev --setro "$LOOP"
	# shellcheck disable=SC2046 # two words
	run -3 measure "$LOOP" 0s 4s --rw randwrite --iodepth 4 $(consent "$LOOP")
	wait $!
	failed_by 1 "Operation not permitted"
}

@test "a device whose blocks become larger while it is measured fails the point" {
	loop_up 16M
	while_it_runs .5 losetup --sector-size 4096 "$LOOP"
	run -3 measure "$LOOP" 0s 4s --bs 512 --iodepth 4
	wait $!
	# EINVAL or EIO, as the kernel has it.
	errno=$(db "SELECT error_errno FROM point WHERE error_errno IN (5, 22)")
	failed_by "$errno" "at offset"
}

# ---- what the system has no more of ----

@test "O-14: an AIO limit met later fails that point alone, with the remedy" {
	need strace
	loop_up 16M
	run -3 measure_under strace -f -qq -e trace=io_setup -e inject=io_setup:error=EAGAIN:when=1..2 -o /dev/null
	[ "$(db "SELECT group_concat(status, ' ') FROM (SELECT status FROM point ORDER BY seq)")" = "failed ok ok" ]
	[[ "$(db "SELECT reason FROM point WHERE status = 'failed'")" == "AIO limit: fs.aio-max-nr"*"sysctl fs.aio-max-nr" ]]
}

measure_under() {
	PUNCTUAL="$*" measure "$LOOP" 0s 300ms --iodepth 1,16,64 --order listed
}

@test "O-14: a limit that leaves no room for the deepest point is told before the run" {
	left=$(($(cat /proc/sys/fs/aio-max-nr) - $(cat /proc/sys/fs/aio-nr)))
	[ "$left" -lt 1000000 ] || skip "the limit here is beyond every depth"
	run -0 "$TOOL" plan --target-size 1G --iodepth 1,$((left + 60000))
	[[ "$output" == *"iodepth $((left + 60000)) needs as many AIO requests, but the system has "*" left; raise fs.aio-max-nr"* ]]
	run -0 "$TOOL" plan --target-size 1G --iodepth 1,16
	[[ "$output" != *aio-max-nr* ]]
}

# ---- the clock on the wall ----

# An hour forward at every second look at it, and back at the next.
@test "O-35: a jump of the wall clock changes no duration and no latency" {
	need cc
	cat >"$SCRATCH/jump.c" <<-'C'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <time.h>
		int clock_gettime(clockid_t id, struct timespec *ts)
		{
			static int (*real)(clockid_t, struct timespec *);
			static _Thread_local unsigned n;
			int rc;

			if (!real)
				real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
			rc = real(id, ts);
			if (id == CLOCK_REALTIME && n++ % 2)
				ts->tv_sec += 3600;
			return rc;
		}
	C
	cc -shared -fPIC -o "$SCRATCH/jump.so" "$SCRATCH/jump.c" -ldl
	array_up model=queue servers=4 svc=4 size=16M data=pattern
	PUNCTUAL="env LD_PRELOAD=$SCRATCH/jump.so" measure "$ARRAY" 200ms 2s --iodepth 4,4 --repeats 2
	[ "$(db "SELECT count(*) FROM point WHERE status = 'ok' AND window_ns = 2000000000")" -eq 2 ]
	none "SELECT * FROM v_point WHERE dir = 'total' AND NOT (iops > 20
		AND iops * lat_mean_ms / 4e3 BETWEEN .9 AND 1.1 AND lat_mean_ms >= 3.9 AND lat_max_ms < 2500)"
	# It did jump: the stamps are as they were taken.
	[ "$(db "SELECT count(*) FROM point WHERE abs(end_ns - start_ns) > 3000e9")" -ge 1 ]
}

# ---- a target that hangs ----

@test "a hung target is told of while it hangs, and then with what has been out for how long" {
	array_up model=queue servers=4 svc=1 size=16M data=pattern
	while_it_runs .5 array_ctl hang
	measure "$ARRAY" 0s 12s --iodepth 8,16 --order listed --drain-timeout 1s --retry-limit 0s 3>&- &
	pid=$!
	wait_until 40 grep -q "I/Os did not come back from" "$DB.err"
	grep -F "'$ARRAY' has completed nothing for 10 s, with 8 I/Os outstanding" "$DB.err"
	[[ "$(db "SELECT reason FROM point WHERE status = 'failed'")" =~ ^"hung: '$ARRAY' has had 8 I/Os outstanding for "1[0-9]\.[0-9]" s"$ ]]
	grep -F "all finished points are saved; the kernel may keep this program until the device answers" "$DB.err"
	array_ctl unhang
	status=0
	wait $pid || status=$?
	[ $status -eq 3 ]
	[ "$(db "SELECT group_concat(status, ' ') FROM (SELECT status FROM point ORDER BY seq)")" = "failed planned" ]
}

@test "a target that hangs does not keep the next one from being measured" {
	array_up model=queue servers=4 svc=1 size=16M data=pattern
	random_file "$SCRATCH/file" 8M
	while_it_runs .3 array_ctl hang
	measure "$ARRAY" 0s 1s --target "$SCRATCH/file" --iodepth 1,2 --drain-timeout 1s --retry-limit 0s 3>&- &
	pid=$!
	wait_until 40 grep -q "I/Os did not come back from '$ARRAY'" "$DB.err"
	array_ctl unhang
	status=0
	wait $pid || status=$?
	[ $status -eq 3 ]
	[ "$(db "SELECT group_concat(run_id || ' ' || status, ', ') FROM (SELECT * FROM point ORDER BY run_id, seq)")" = \
		"1 failed, 1 planned, 2 ok, 2 ok" ]
	[ "$(db "SELECT group_concat(state, ' ') FROM (SELECT state FROM run ORDER BY id)")" = "interrupted finished" ]
}
