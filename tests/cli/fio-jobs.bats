#!/usr/bin/env bats
# Points as jobs for fio, of a run (export) and of a sweep (plan). That fio finds the same figures is
# in truth-fio.bats.

# bats file_tags=fast
load store_helper
load ../lib/common

setup() {
	scratch_up
	cd "$SCRATCH" || return 1
	# For matches_golden.
	export GOLDEN=$PROJECT_ROOT/tests/golden
	cp "$PROJECT_ROOT/tests/data/schema-1.db" stored.db
	export LUNSWEEP_DB=$SCRATCH/lunsweep.db
	unset LUNSWEEP_WRITE_TO
}

# jobs OPTION...: the plan of these axes on a file of 1 MiB, as jobs.fio.
jobs() {
	[ -e img ] || head -c 1M /dev/urandom >img
	"$TOOL" plan --target "${TARGET:-img}" --precision none --ramp-time 0 --runtime 200ms --seed 7 \
		--format fio "$@" >jobs.fio 2>plan.err
}

# values KEY: what the sections say for it, in their order.
values() {
	sed -n "s/^$1=//p" jobs.fio | paste -sd ' '
}

fio_parses() {
	LUNSWEEP_WRITE_TO=$1 fio --parse-only "$2" >parse.out 2>&1 || {
		cat parse.out
		return 1
	}
}

@test "a run as fio jobs: who it destroys, what fio does otherwise, each point in turn" {
	matches_golden export.fio "$TOOL" export 2 --fio --db stored.db
	matches_golden export.fio "$TOOL" export 2 --format fio --db stored.db
}

# The numbers of the points, in the order of the jobs.
job_order() {
	"$TOOL" export 2 --fio --db stored.db >jobs.fio
	sed -n 's/^\[point-\([0-9]*\).*/\1/p' jobs.fio | uniq
}

@test "the jobs of a run come as its points were measured, not as they were planned" {
	local begun

	job_order >planned
	begun=" $(sqlite3 stored.db "SELECT group_concat(seq, ' ') FROM point WHERE run_id = 2 AND start_ns > 0") "
	sqlite3 stored.db "UPDATE point SET start_ns = 2000000000000000000 - seq WHERE run_id = 2 AND start_ns > 0"
	job_order >measured
	# Those that never began stay behind them, in their order.
	while read -r seq; do [[ "$begun" != *" $seq "* ]] || echo "$seq"; done <planned | tac >want
	while read -r seq; do [[ "$begun" == *" $seq "* ]] || echo "$seq"; done <planned >>want
	[ "$(wc -l <want)" -ge 3 ]
	diff want measured
}

@test "fio parses every shipped sweep" {
	local sweep

	need fio
	truncate -s 5T big
	for sweep in "$PROJECT_ROOT"/sweeps/*.yaml; do
		"$TOOL" plan "$sweep" --target big --format fio >jobs.fio 2>plan.err
		[ "$(grep -c '^\[point-' jobs.fio)" -gt 0 ]
		fio_parses "$SCRATCH/big" jobs.fio
	done
}

@test "one point is exported alone, in all formats" {
	"$TOOL" export 2 --fio --point 2 --db stored.db >jobs.fio
	[ "$(grep '^\[point' jobs.fio)" = "[point-2]" ]
	[ "$(values description)" = "randrw 4k 70% read iodepth 4 workers 2 span 12.5%@8k" ]
	"$TOOL" export 2 --point 2 --db stored.db >e.csv
	[ "$(cut -d, -f2,7 e.csv | paste -sd ' ')" = "seq,dir 2,total 2,read 2,write" ]
	"$TOOL" export 2 --point 2 --db stored.db --format json | jq -e '[.points[].seq] == [2, 2, 2]'
	fails_with 1 "run 2 has no point 9" "$TOOL" export 2 --point 9 --fio --db stored.db
	fails_with 1 "no point that fio could do: bs 512 is below the logical block of 4096" \
		"$TOOL" export 2 --point 4 --fio --db stored.db
}

@test "jobs that write do not run unless they are told where" {
	local before

	need fio
	jobs --rw randwrite
	before=$(cksum <img)
	[ "$(head -1 jobs.fio)" = "# DESTROYS DATA: these jobs write to $SCRATCH/img" ]
	run -1 fio jobs.fio
	[[ $output == *'failed parsing filename=${LUNSWEEP_WRITE_TO}'* ]]
	LUNSWEEP_WRITE_TO=$SCRATCH/img run -1 fio --readonly jobs.fio
	# A path that is wrong makes no file.
	LUNSWEEP_WRITE_TO=$SCRATCH/other run -1 fio jobs.fio
	[ ! -e other ]
	[ "$(cksum <img)" = "$before" ]
	# The command that the file itself gives.
	eval "$(sed -n 's/^#   \(LUNSWEEP_WRITE_TO=.*\)FILE$/\1jobs.fio/p' jobs.fio) >/dev/null"
	[ "$(cksum <img)" != "$before" ]
	[ "$(stat -c %s img)" -eq 1048576 ]
}

@test "jobs that read run with --readonly, whatever the file is called" {
	need fio
	head -c 1M /dev/urandom >"a:b 'c'%"
	TARGET="a:b 'c'%" jobs --rw randread,read
	grep -qxF "filename=$SCRATCH/a\\:b 'c'%" jobs.fio
	fio --readonly --output-format=json jobs.fio >fio.json
	jq -e '[.jobs[].read.total_ios > 0] == [true, true]' fio.json
	for name in 'a$b' 'a#b' 'a;b' 'a '; do
		cp img "$name" 2>/dev/null || head -c 1M /dev/zero >"$name"
		fails_with 2 "a fio job cannot name" "$TOOL" plan --target "$name" --format fio
	done
}

@test "fio counts for each job what lunsweep counts in total" {
	jobs --iodepth 12 --workers 4
	[ "$(values iodepth) $(values numjobs) $(values size)" = "3 4 1m" ]
	jobs --iodepth 10 --workers 4
	[ "$(values iodepth) $(values numjobs)" = "3 3 2 2 " ]
	[ "$(grep -c '^stonewall' jobs.fio)" -eq 1 ]
	# Sequential workers have a slice each.
	jobs --rw read --iodepth 4 --workers 2 --bs 128k --span 50% --offset 256k
	[ "$(values offset) $(values size)" = "256k 512k 256k 256k" ]
	jobs --rw read --iodepth 6 --workers 3 --bs 256k
	[ "$(values offset) $(values size)" = "0 256k 512k 256k 256k 512k" ]
	jobs --rate 101 --workers 2 --rw randread
	[ "$(values rate_iops) $(values rate_process) $(values iodepth)" = "51 50 poisson poisson 128 128" ]
	jobs --rate 100 --workers 2 --rw randrw --rwmixread 70 --arrivals constant
	[ "$(values rate_iops) $(values rate_process) $(values numjobs)" = "35,15 linear 2" ]
	jobs --rate 50 --rw write
	[ "$(values rate_iops)" = ",50" ]
}

@test "mixes, partly random places, compressible data and polling" {
	jobs --rw randrw --rwmixread 100,30,0 --compress 40%
	[ "$(grep -c '^rwmixread=' jobs.fio)" -eq 1 ]
	[ "$(values rw | tr ' ' '\n' | sort | paste -sd ' ')" = "randread randrw randwrite" ]
	[ "$(values buffer_compress_percentage) $(values buffer_compress_chunk) $(values refill_buffers)" = \
		"40 4k 1" ]
	jobs --random-pct 25 --engine io_uring --spin
	[ "$(values percentage_random) $(values ioengine) $(values randseed)" = "25 io_uring 7" ]
	grep -q "It sleeps while it waits; lunsweep polled" jobs.fio
	[ "$(grep -c DESTROYS jobs.fio)" -eq 0 ]
	[ "$(values refill_buffers)" = "" ]
}

@test "what fio cannot do is left out with the reason" {
	jobs --rate 10%,100% --iodepth 1,8
	[ "$(grep -c '^\[point' jobs.fio)" -eq 2 ]
	[ "$(grep -c 'left out, .*: its rate is known only when the maximum has been measured' jobs.fio)" -eq 2 ]
	jobs --rate 3,400 --workers 4 --iodepth 8
	grep -q "point . is left out, .*: fio takes at least 1 IOPS for each job and direction" jobs.fio
	fails_with 1 "there is no point that fio could do" \
		"$TOOL" plan --target img --rate 1 --workers 2 --iodepth 8 --format fio
	fails_with 1 "run 1 was imported, so there is no target" "$TOOL" export 1 --fio --db stored.db
	fails_with 2 "--fio and --format csv contradict each other" \
		"$TOOL" export 2 --fio --format csv --db stored.db
	fails_with 2 "--format fio takes --target" "$TOOL" plan --target-size 1T --format fio
	fails_with 2 "leave out --point" "$TOOL" export 2 --series 2 --point 2 --db stored.db
}
