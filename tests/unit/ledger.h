/* SPDX-License-Identifier: MIT */
/* What a test tried to break, for the table that the check prints. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdio.h>
#include <stdlib.h>

/* nr more in the row key of scripts/ledger.bash; nothing where LEDGER names no file. */
static inline void ledger(const char *key, long long nr)
{
	const char *path = getenv("LEDGER");
	FILE *f = path ? fopen(path, "a") : NULL;

	if (!f)
		return;
	fprintf(f, "%s %lld\n", key, nr);
	(void)fclose(f);
}

#endif
