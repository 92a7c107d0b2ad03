#!/usr/bin/env bats
# side by side
#
# The manual, the help and the completion: they agree with the program, and every example works.
#
# How an example is run, so that it needs no device and little time:
#   - in a folder of its own, with the shipped sweeps as sweeps/, the tables ult-lun-sizing.csv, t.csv,
#     arrays.csv and p.csv, VM profiles as vm-profile.yaml, and a database of four imported runs, a
#     measured one (5) and an imported one of a mixed load (6), as the default one and as night.db;
#   - /srv/scratch.img and /dev/sdx stand for a scratch file of 16 MiB, and so does the identity
#     that --write-to names; "prepare --make-file" makes another file, of 4 MiB;
#   - "run" and "find" have windows of 300 ms and no ramp, and find tries depths up to 4 and loads up to 200.
# Nothing else is changed, and the exit status must be 0, of every part of a pipe; that of "check" may
# also be 3 or 4, which are answers.

load ../lib/common

MANUAL=$PROJECT_ROOT/src/lunsweep.1
CHECK=$PROJECT_ROOT/scripts/check-docs.sh

setup() {
	scratch_up
	cd "$SCRATCH" || return 1
}

commands() {
	"$TOOL" --complete
}

# The lines behind "Examples:" in the help of a command.
help_examples() {
	"$TOOL" "$1" --help | awk '/^Examples:/ { on = 1; next } /^$/ { on = 0 } on' | sed 's/^ *//'
}

# The commands of the section EXAMPLES, continued lines joined.
manual_examples() {
	awk '
	/^\.Sh / { on = /EXAMPLES/ }
	on && (/^\$ lunsweep / || more) {
		line = line $0
		more = sub(/ *\\e$/, " ", line)
		if (!more) {
			print substr(line, 3)
			line = ""
		}
	}' "$MANUAL"
}

# The literal blocks of the manual that begin with this word, each ended by a line "--".
manual_blocks() {
	awk -v word="$1" '
	/^\.Ed/ { if (on) print "--"; on = inside = 0 }
	inside == 1 { on = $1 == word; inside = 2 }
	on
	/^\.Bd -literal/ { inside = 1 }' "$MANUAL"
}

examples_up() {
	mkdir bin
	ln -s "$TOOL" bin/lunsweep
	ln -s "$PROJECT_ROOT/sweeps" sweeps
	cp "$PROJECT_ROOT/tests/data/ult-lun-sizing.csv" "$PROJECT_ROOT/tests/data/vm-profile.yaml" .
	printf 'iodepth,iops,Lat (ms),Host\n1,1000,1,a\n2,1900,1.05,a\n' >t.csv
	printf 'target,thread,qd,iops\na,0,4,25\na,all,32,200\nb,all,32,150\n' >arrays.csv
	printf 'target,pct,total_ms\na,50th,150\nb,99th,250\n' >p.csv
	export LUNSWEEP_DB=$SCRATCH/lunsweep.db
	for _ in 1 2 3 4; do
		"$TOOL" import csv ult-lun-sizing.csv 2>/dev/null
	done
	head -c 16M /dev/urandom >image
	"$TOOL" run --target image --runtime 100ms --ramp-time 0 --precision none >/dev/null 2>&1 ||
		[ $? -eq 3 ]
	"$TOOL" import csv "$PROJECT_ROOT/tests/data/cloud-super.csv"
	cp lunsweep.db night.db
}

as_run_here() {
	local line=$1

	if [[ $line == "lunsweep prepare "*--make-file* ]]; then
		line=$(sed -E 's|/srv/scratch\.img|'"$SCRATCH"'/made|; s|--make-file [^ ]+|--make-file 4M|' <<<"$line")
	else
		line=$(sed -E 's#/srv/scratch\.img|/dev/sdx|wwid:[^ ]+#'"$SCRATCH"'/image#g' <<<"$line")
	fi
	if [[ $line == "lunsweep run "*"--runtime "* ]]; then
		line=$(sed -E 's/--runtime [^ ]+/--runtime 300ms --ramp-time 0/' <<<"$line")
	elif [[ $line == "lunsweep run "* ]]; then
		line+=' --runtime 300ms --ramp-time 0'
	elif [[ $line == "lunsweep find "* ]]; then
		line+=' --runtime 300ms --ramp-time 0 --max-depth 4'
		[[ $line != *" --rate"* ]] || line+=' --max-rate 200'
	fi
	echo "$line"
}

run_example() {
	local line

	line=$(as_run_here "$1")
	rm -f made
	echo "# $line"
	PATH=$SCRATCH/bin:$PATH bash -o pipefail -c "$line" ||
		[[ $? =~ ^[34]$ && $line == "lunsweep check "* ]]
}

# Each line of standard input; a busy machine gets a second chance.
run_examples() {
	local example nr=0

	while IFS= read -r example; do
		twice run_example "$example" </dev/null || return 1
		nr=$((nr + 1))
	done
	[ $nr -gt 0 ]
}

# ---- agreement ----

# bats test_tags=fast
@test "the manual and the program agree on commands, options, keys and verdicts" {
	run -0 "$CHECK" "$TOOL"
	[ -z "$output" ]
}

# bats test_tags=fast
@test "whatever is missing in the manual, or too much, or elsewhere, is found" {
	cp "$MANUAL" manual
	while IFS='|' read -r change message; do
		sed "$change" manual >changed
		! cmp -s changed manual
		mv changed manual
		echo "$message" >>messages
	done <<-'END'
	/^.It Fl -queue-limit /d|missing: option of import: --queue-limit N
	s/^.It Fl -assume-iops Ar N/.It Fl -assume-iops Ar M/|missing: option of plan: --assume-iops N
	s/^.It Fl q , Fl -quiet/.It Fl -quiet/|missing: option of run: -q, --quiet
	s/^.It Fl -new/.It Fl -renew/|not so, or said twice: option of run: --renew
	s/^.Sx Options of a sweep/Nothing/|missing: option of plan: --rw MODES
	s/^.Ss Cm list/.Ss Cm lists/|missing: command list
	/^.It Va random_pct/d|missing: key of axes: random_pct
	s/^.It Va seed/.It Va seeds/|not so, or said twice: key of the top level: seeds
	s/^.Ss Lower bounds/.Ss Noted/|missing: verdict below Lower bounds: cpu-bound
	/^.It Sy stall/d|missing: verdict below Spoiled: stall
	$s/$/\n.Sy split/|not so, or said twice: verdict not raised: split
	END
	run -1 "$CHECK" "$TOOL" manual
	while IFS= read -r message; do
		grep -F -- "$message" <<<"$output"
	done <messages
}

# bats test_tags=fast
@test "the manual has no warnings, and its lines fit 80 columns" {
	need mandoc
	run -0 mandoc -T lint -W warning "$MANUAL"
	mandoc -T ascii "$MANUAL" | col -b >text
	[ "$(wc -l <text)" -gt 500 ]
	run -1 grep -nE '.{81}' text
}

# bats test_tags=fast
@test "each command's --help fits 80 columns and ends its text with two examples" {
	for command in $(commands); do
		"$TOOL" "$command" --help >help
		run -1 grep -nE '.{81}' help
		[ "$(wc -l <help)" -le 72 ]
		[ "$(help_examples "$command" | wc -l)" -eq 2 ]
		help_examples "$command" | grep -q "^lunsweep $command\b"
	done
}

# bats test_tags=fast
@test "defaults that the manual states are those of a sweep without any option" {
	"$TOOL" plan --format json --target-size 1G >plan.json
	[ "$(jq -r '.points[] | "\(.rw) \(.bs_bytes) \(.iodepth) \(.workers) \(.span_bytes)"' plan.json)" = \
		"randread 4096 1 1 1073741824" ]
	[ "$(jq -r '.measure | "\(.ramp_s) \(.window_min_s) \(.window_max_s)"' plan.json)" = "5 20 120" ]
}

# ---- examples ----

@test "every example of the manual works" {
	need jq gnuplot fio
	examples_up
	manual_examples | run_examples
	[ -f lun-study/report.txt ]
	for command in $(commands); do
		manual_examples | grep -q "^lunsweep $command\b"
	done
}

@test "every example of every command's --help works" {
	need jq gnuplot fio
	examples_up
	for command in $(commands); do
		help_examples "$command" | run_examples
	done
	[ -s run5.fio ]
}

# bats test_tags=fast
@test "an example that does not work is found" {
	examples_up
	for example in "lunsweep list --frobnicate" "lunsweep show 99 | cat" "lunsweep prepare --target /dev/x"; do
		run ! run_examples <<<"$example"
	done
	run ! run_examples </dev/null
}

# bats test_tags=fast
@test "the sweep file of the manual makes the points that it says" {
	manual_blocks version: | sed '/^--$/d' >sweep.yaml
	points=$("$TOOL" plan sweep.yaml --target-size 1T --format json | jq '.points | length')
	grep -q "^This one asks for $points points:" "$MANUAL"
}

# bats test_tags=fast
@test "the VM profiles of the manual are those of the file that is shipped for tests" {
	need jq
	examples_up
	manual_blocks profiles: | sed '/^--$/d' >manual.yaml
	for file in manual.yaml vm-profile.yaml; do
		"$TOOL" size --vm-profile "$file" --format json | jq '.profiles[].iops, .vm' >"$file.json"
	done
	diff manual.yaml.json vm-profile.yaml.json
}

# bats test_tags=fast
@test "the standard of the manual is one, and asks where its test measures" {
	examples_up
	manual_blocks at: | sed '/^--$/d' >standard.yaml
	run -3 "$TOOL" check 6 --require standard.yaml
	[[ $output == *"Class gold "*"Class silver "* ]]
	[[ $output == *"iops "*" 10078 "* ]]
}

# bats test_tags=fast
@test "every query of the manual answers, and the views have the columns that it names" {
	need sqlite3
	examples_up
	manual_blocks SELECT >queries
	[ "$(grep -c '^--$' queries)" -eq 3 ]
	while IFS= read -r -d ';' query; do
		run -0 sqlite3 "$LUNSWEEP_DB" "$query;"
		[ "${#lines[@]}" -ge 8 ]
	done < <(sed '/^--$/d' queries)
	for view in v_point v_curve; do
		columns=$(awk -v view="$view" '/^\.Sy / { on = $2 == view } /^\.Bd/ { on = 0 }
			on && /^\.Li /' "$MANUAL" |
			sed 's/^\.Li //; s/ , /,/g; s/ *[.,]*$//' | paste -sd ,)
		[[ $columns == run,* ]]
		run -0 sqlite3 "$LUNSWEEP_DB" "SELECT $columns FROM $view LIMIT 1"
		[ -n "$output" ]
	done
}

# ---- completion ----

# complete_words WORD...: complete the last word as bash does; the answers are in COMPREPLY.
complete_words() {
	# shellcheck source=scripts/completion.bash
	source "$PROJECT_ROOT/scripts/completion.bash"
	COMP_WORDS=("$TOOL" "$@")
	COMP_CWORD=$#
	COMPREPLY=()
	_lunsweep
}

# bats test_tags=fast
@test "completion: a command by its beginning, then its options, not those of others" {
	complete_words re
	[ "${COMPREPLY[*]}" = report ]
	complete_words run --over
	[ "${COMPREPLY[*]}" = --overwrite-signature ]
	complete_words plan --over
	[ "${#COMPREPLY[@]}" -eq 0 ]
	complete_words check --req
	[ "${COMPREPLY[*]}" = --require ]
	complete_words run q.yaml --iod
	[ "${COMPREPLY[*]}" = --iodepth ]
}

# bats test_tags=fast
@test "completion: sweep files and folders where a command takes a sweep" {
	mkdir nightly 'two words'
	touch night.yaml night.db 'two words/a b.yaml'
	for command in plan run; do
		complete_words "$command" n
		[ "$(printf '%s\n' "${COMPREPLY[@]}" | sort | paste -sd ' ')" = "night.yaml nightly" ]
		complete_words "$command" 'two words/'
		[ "${COMPREPLY[0]}" = 'two words/a b.yaml' ]
	done
	# Nothing of its own: bash then offers files.
	complete_words run --target n
	[ "${#COMPREPLY[@]}" -eq 0 ]
	complete_words show n
	[ "${#COMPREPLY[@]}" -eq 0 ]
}

# bats test_tags=fast
@test "completion: bash itself finds and uses it" {
	touch night.yaml
	mkdir bin
	ln -s "$TOOL" bin/lunsweep
	run -0 bash -c 'PATH=$1/bin:$PATH; source "$2"
		complete -p lunsweep && COMP_WORDS=(lunsweep plan n) COMP_CWORD=2 &&
		compgen -o default -F _lunsweep -- n 2>/dev/null' bash "$SCRATCH" "$PROJECT_ROOT/scripts/completion.bash"
	[[ ${lines[0]} == *"-F _lunsweep lunsweep" ]]
	[ "${lines[1]}" = night.yaml ]
}
