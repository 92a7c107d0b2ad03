#!/usr/bin/env bats
# bats file_tags=fast
#
# The examples of the README for running every night are such as cron and systemd take.

load ../lib/common
load ../lib/loop
load ../lib/run

setup() {
	scratch_up
	db_up
}

# block LANGUAGE: the fenced blocks of it in the README.
block() {
	awk -v open="\`\`\`$1" '$0 == "```" { inside = 0 } inside { print } $0 == open { inside = 1 }' \
		"$PROJECT_ROOT/README.md"
}

# unit NAME: of the block of units, the one that begins at the comment with this name.
unit() {
	block ini | awk -v name="$1" '/^# \/etc\// { inside = $2 ~ name "$" } inside { print }'
}

@test "the service and the timer of the README pass systemd-analyze" {
	need systemd-analyze
	unit lunsweep.service | sed "s,/usr/local/bin/lunsweep,$TOOL," >"$SCRATCH/lunsweep.service"
	unit lunsweep.timer >"$SCRATCH/lunsweep.timer"
	grep -q '^ExecStart=' "$SCRATCH/lunsweep.service"
	grep -q '^OnCalendar=' "$SCRATCH/lunsweep.timer"
	run -0 systemd-analyze verify --man=no "$SCRATCH/lunsweep.service" "$SCRATCH/lunsweep.timer"
	[ -z "$output" ]
	systemd-analyze calendar "$(sed -n 's/^OnCalendar=//p' "$SCRATCH/lunsweep.timer")"
	# It sees a key that is wrong.
	sed -i 's/^KillSignal=.*/KillSignal=SIGNONE/' "$SCRATCH/lunsweep.service"
	run systemd-analyze verify --man=no "$SCRATCH/lunsweep.service"
	[ -n "$output" ]
}

@test "what the service and the cron line run is taken by run, twice in one folder" {
	random_file "$SCRATCH/file" 4M
	cat >"$SCRATCH/read-only-sweep.yaml" <<-END
		version: 1
		name: night
		axes:
		  rw: randread
		  bs: 4k
		  iodepth: [1, 4]
		measure:
		  ramp_time: 10ms
		  runtime: 200ms
	END
	ln -s "$TOOL" "$SCRATCH/lunsweep"
	block crontab | sed 's/^0 22 \* \* \* //; s/\\%/%/g' >"$SCRATCH/cron"
	unit lunsweep.service | sed -n 's,^ExecStart=/usr/local/bin/,,p' >"$SCRATCH/service"
	for from in cron service; do
		[ "$(wc -l <"$SCRATCH/$from")" -eq 1 ]
		sed -i "s,/dev/disk/by-id/wwn-0x600a0980,$SCRATCH/file,; s,cd /var/lib/lunsweep,cd $SCRATCH," \
			"$SCRATCH/$from"
		for night in 1 2; do
			status=0
			(cd "$SCRATCH" && PATH=$SCRATCH:$PATH sh "$SCRATCH/$from") \
				>"$SCRATCH/out" 2>&1 3>&- <&- || status=$?
			cat "$SCRATCH/out" "$SCRATCH"/night.log || true
			echo "$from, night $night: $status"
			[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
		done
	done
	[ -s "$SCRATCH/night.txt" ]
	run ! grep -q $'[\r\033]' "$SCRATCH/night.log" "$SCRATCH/night.txt" "$SCRATCH/out"
	[ "$(stored "SELECT count(*) FROM run WHERE state = 'finished'")" -eq 4 ]
}
