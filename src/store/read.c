/* SPDX-License-Identifier: MIT */
#include "store/read.h"

#include <string.h>

int read_unknown(const struct store *s, const char *what, const char *name, struct err *e)
{
	return err_set(e, ERR_DB, "'%s' holds the %s '%s', which this lunsweep does not know",
		       s->path, what, name);
}

/* The next column as a flag, added to *flags. */
int read_flag(struct stmt *q, flag_set *flags, enum flag *flag, struct err *e)
{
	const char *name = get_borrowed(q);

	*flag = flag_find(name);
	if (*flag == FLAG_NR)
		return read_unknown(q->store, "flag", name, e);
	*flags |= FLAG_BIT(*flag);
	return 0;
}

int read_status(struct stmt *q, enum point_status *status, struct err *e)
{
	const char *name = get_borrowed(q);

	*status = point_status_find(name);
	return *status == POINT_STATUS_NR ? read_unknown(q->store, "point status", name, e) : 0;
}

int read_spec(struct stmt *q, struct point_spec *p, struct err *e)
{
	const char *rw = get_borrowed(q);

	p->rw = rw_find(rw);
	if (p->rw == RW_NR)
		return read_unknown(q->store, "I/O pattern", rw, e);
	p->bs_bytes = get_u64(q);
	p->iodepth = get_u32(q);
	p->workers = get_u32(q);
	p->rwmixread_pct = get_u32(q);
	p->random_pct = get_u32(q);
	p->span_bytes = get_u64(q);
	p->offset_bytes = get_u64(q);
	p->repeat = get_u32(q);
	p->is_anchor = get_int(q) != 0;
	p->span_e4 = get_u32(q);
	return 0;
}

enum dir read_dir_name(const char *name)
{
	enum dir d = 0;

	while (d < DIR_NR && strcmp(dir_name(d), name) != 0)
		d++;
	return d;
}
