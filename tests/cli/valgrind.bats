#!/usr/bin/env bats
# The short paths under valgrind: nothing is read that was not written, nothing is lost, and no file stays open.

load ../lib/common
load ../lib/run

DATA=$BATS_TEST_DIRNAME/../data

setup() {
	need valgrind
	! grep -qE '__(a|t)san_init' "$TOOL" || skip "valgrind cannot run what a sanitizer was built into"
	scratch_up
	db_up
	cd "$SCRATCH" || return 1
}

teardown() {
	cd /
	undo_all
}

# left_open LOG: descriptors that the program neither was given nor closed. The log itself and what bats holds
# open are inherited.
left_open() {
	awk '/Open .*(file descriptor|socket)/ { what = $0; next }
		what { if (!/<inherited from parent>/) print what; what = "" }
		END { if (what) print what }' "$1"
}

# clean STATUS ARGUMENT...: the program ends with that status, a pattern, and valgrind finds nothing to say.
clean() {
	local want=$1 status=0

	shift
	timeout 100 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		--show-leak-kinds=definite --track-fds=yes --log-file=log.txt "$TOOL" "$@" >out.txt 2>err.txt ||
		status=$?
	# shellcheck disable=SC2053 # a pattern
	if [[ $status != $want ]] || [ -n "$(left_open log.txt)" ]; then
		echo "lunsweep $* ended with status $status, not $want:"
		cat err.txt log.txt
		return 1
	fi
	# It has looked at descriptors, and did so at the end.
	grep -q 'FILE DESCRIPTORS: .* at exit' log.txt
}

@test "under valgrind: a leak and a forgotten descriptor would be seen" {
	need cc
	cat >bad.c <<-'END'
		#include <fcntl.h>
		#include <stdlib.h>
		int main(int argc, char **argv)
		{
			char *volatile p = argc > 1 && *argv[1] == 'l' ? malloc(8) : NULL;

			p = NULL;
			return argc > 1 && *argv[1] == 'o' && open("/dev/null", O_RDONLY) < 0;
		}
	END
	cc -g -o bad bad.c
	TOOL=$PWD/bad
	clean 99 leak
	run ! clean 0 open
	[[ $output == *" ended with status 0, not 0:"*/dev/null* ]]
}

@test "under valgrind: import, list, show, report and export of a run" {
	clean 0 import csv "$DATA/o47-a.csv"
	clean 0 list
	clean 0 show 1 1
	clean 0 report 1
	clean 0 export 1 --format json
	jq -e '.points | length > 0' out.txt
}

@test "under valgrind: the answers to sizes and standards" {
	"$TOOL" import csv "$DATA/ult-lun-sizing.csv" >/dev/null 2>&1
	clean 0 size 1 --vm-iops 100 --vm-capacity 100G --vm-read 70%
	clean 3 check 1 --require "$PROJECT_ROOT/sweeps/standards/cloud-disk.yaml" --class gold
}

@test "under valgrind: plan and run of one point, and what is refused" {
	head -c 8M /dev/urandom >file
	clean 0 plan --target file --iodepth 1,2
	# What stays of a point under valgrind may be flagged as disturbed, which is exit 3.
	clean '[03]' run --target file --iodepth 2 --ramp-time 50ms --runtime 500ms --anchors never
	[ "$(statuses)" = ok ]
	clean 2 run --target file --iodepth 2x
	clean 1 list --db nosuch.db
}
