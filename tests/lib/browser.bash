# SPDX-License-Identifier: MIT
# A browser without a screen, for pages of HTML. Everything that it keeps lies in SCRATCH.
# shellcheck shell=bash

# find_browser: set BROWSER to the command; fails where there is none.
find_browser() {
	if command -v chromium-headless-shell >/dev/null; then
		BROWSER=(chromium-headless-shell)
	elif command -v chromium >/dev/null; then
		BROWSER=(chromium --headless=new --disable-background-networking --no-first-run)
	else
		return 1
	fi
}

need_browser() {
	find_browser || skip "chromium is not installed, so nothing opens the page"
}

# browse PAGE OPTION...: open a file; what the page says on its console comes on stderr with CONSOLE, all requests
# for names fail, and are in $SCRATCH/net.json.
browse() {
	local page=$1

	shift
	find_browser || return
	# Its own sandbox wants no root.
	timeout -k 5 90 "${BROWSER[@]}" --no-sandbox --disable-gpu --hide-scrollbars \
		--user-data-dir="$SCRATCH/profile" --host-resolver-rules='MAP * ~NOTFOUND' \
		--enable-logging=stderr --log-net-log="$SCRATCH/net.json" "$@" "file://$page"
}

# with_script PAGE SCRIPT COPY: a copy of the page that also runs SCRIPT, at its end.
with_script() {
	sed -E "s|script-src 'sha256-[^']*'|script-src 'unsafe-inline'|" "$1" |
		awk -v script="$2" '
			/^<\/body>/ {
				print "<script>"
				while ((getline line < script) > 0)
					print line
				print "</script>"
			}
			{ print }' >"$3"
}

# told DUMP: the JSON that tests/lib/page-tests.js left in the page.
told() {
	sed -n '/<pre id="told">/,/<\/pre>/p' "$1" | sed 's|.*<pre id="told">||; s|</pre>.*||' |
		sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g'
}
