# For the tests of list, show, export and import: each has a copy of the stored database.
setup() {
	DATA=$BATS_TEST_DIRNAME/../data
	GOLDEN=$BATS_TEST_DIRNAME/../golden
	cd "$BATS_TEST_TMPDIR" || return 1
	cp "$DATA/schema-1.db" stored.db
	export LUNSWEEP_DB=$BATS_TEST_TMPDIR/lunsweep.db
}

# The command prints exactly the golden text, and nothing on stderr.
matches_golden() {
	local want=$1
	shift
	"$@" >out 2>err
	diff -u "$GOLDEN/$want" out
	[ ! -s err ]
}

# The command ends with this status and says this on stderr, nothing on stdout.
fails_with() {
	local status=$1 words=$2 got=0
	shift 2
	"$@" >out 2>err || got=$?
	cat err
	[ "$got" -eq "$status" ]
	grep -qF -- "$words" err
	[ ! -s out ]
}

# One value of a query.
sql() {
	python3 -c '
import sqlite3, sys
for row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]):
    print(*row)' "$LUNSWEEP_DB" "$1"
}
