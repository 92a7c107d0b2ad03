#!/bin/sh
# One-way includes: a file in src/X includes src/X and rooms of lower rank only, and each
# third-party header has one home. The ranks here are those of src/README.md.
cd "$(dirname "$0")/.." || exit 2
grep -HnE '^[[:space:]]*#[[:space:]]*include' src/*/*.[ch] src/main.c | awk '
BEGIN {
	rank["base"] = 0; rank["stats"] = 1; rank["model"] = 2
	rank["plan"] = rank["target"] = rank["io"] = rank["store"] = 3
	rank["analyze"] = rank["report"] = 3
	rank["run"] = 4; rank["cmd"] = 5; rank["main.c"] = 6
	home["sqlite3.h"] = "store"; home["libaio.h"] = "io"; home["liburing.h"] = "io"; home["yaml.h"] = "plan"
	home["blkid/blkid.h"] = "target"; home["jansson.h"] = "report"
}
{
	split($0, part, ":"); split(part[1], dir, "/"); me = dir[2]
	line = $0; sub(/^[^:]*:[^:]*:/, "", line)
	if (match(line, /"[^"]+"/)) {
		h = substr(line, RSTART + 1, RLENGTH - 2); split(h, q, "/"); you = q[1]
		if (h !~ /\//) complain("include \"" h "\" must name its room")
		else if (!(you in rank)) complain("there is no room " you)
		else if (you != me && rank[you] >= rank[me]) complain(me " may not include " you)
	} else if (match(line, /<[^>]+>/)) {
		h = substr(line, RSTART + 1, RLENGTH - 2)
		if (h in home && home[h] != me) complain("<" h "> belongs in src/" home[h])
	}
}
function complain(what) { print part[1] ":" part[2] ": " what; bad++ }
END { exit bad ? 1 : 0 }'
