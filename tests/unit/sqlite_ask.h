/* SPDX-License-Identifier: MIT */
/* For tests of the store that look at the database without it. Include after cmocka.h. */
#ifndef SQLITE_ASK_H
#define SQLITE_ASK_H

#include <sqlite3.h>

/* One number that a query gives. */
static inline int64_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t v;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(st), SQLITE_ROW);
	v = sqlite3_column_int64(st, 0);
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
	return v;
}

#endif
