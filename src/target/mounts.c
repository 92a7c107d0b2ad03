/* SPDX-License-Identifier: MIT */
#include "target/mounts.h"

#include "base/mem.h"
#include "target/sys.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The kernel writes blanks, newlines and backslashes of names as \ooo. */
static void decode_octal(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && strspn(s + 1, "01234567") >= 3) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Cut the next field off, decoded; "" behind the last one. */
static char *next_field(char **rest)
{
	char *field = *rest + strspn(*rest, " \t");

	*rest = field + strcspn(field, " \t");
	if (**rest)
		*(*rest)++ = '\0';
	decode_octal(field);
	return field;
}

/* Fields of mountinfo: id parent MAJ:MIN root mount-point options ... - type source ... */
static void add_mount(struct mounts *m, char *line, long pid)
{
	char *behind = strstr(line, " - "), *numbers, *where;
	unsigned maj, min;

	if (!behind)
		return;
	*behind = '\0';
	behind += 3;
	(void)next_field(&line);
	(void)next_field(&line);
	numbers = next_field(&line);
	(void)next_field(&line);
	where = next_field(&line);
	(void)next_field(&behind);
	if (sscanf(numbers, "%u:%u", &maj, &min) != 2)
		return;
	VEC_GROW(m->v, m->nr, m->cap);
	m->v[m->nr++] = (struct mount){.dev = makedev(maj, min),
				       .where = xstrdup(where),
				       .source = xstrdup(next_field(&behind)),
				       .pid = pid};
}

/* False when the list cannot be read, or is empty: there is always a root. */
static bool add_mounts(struct mounts *m, const char *path, long pid)
{
	struct buf all = BUF_INIT;
	char *save = NULL, *line;
	bool ok = sys_read_all(&all, path) && all.len;

	for (line = ok ? strtok_r(all.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		add_mount(m, line, pid);
	buf_release(&all);
	return ok;
}

static void add_swaps(struct mounts *m)
{
	struct buf all = BUF_INIT;
	char *save = NULL, *line;

	(void)sys_read_all(&all, "/proc/swaps");
	for (line = all.text ? strtok_r(all.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		const char *path = next_field(&line);

		if (path[0] != '/')
			continue;
		VEC_GROW(m->swap, m->nr_swap, m->cap_swap);
		m->swap[m->nr_swap++] = xstrdup(path);
	}
	buf_release(&all);
}

/* Mount namespaces that were met, as the kernel names them. */
struct namespaces {
	char **v;
	size_t nr, cap;
};

/* True when the namespace of this process was not met before. One that may not be looked at counts
 * as met. */
static bool is_new(struct namespaces *n, const char *process)
{
	char *path = xasprintf("%s/ns/mnt", process), name[64];
	ssize_t len = readlink(path, name, sizeof(name) - 1);

	free(path);
	if (len <= 0)
		return false;
	name[len] = '\0';
	for (size_t i = 0; i < n->nr; i++)
		if (!strcmp(n->v[i], name))
			return false;
	VEC_GROW(n->v, n->nr, n->cap);
	n->v[n->nr++] = xstrdup(name);
	return true;
}

struct other_mounts {
	struct mounts *m;
	struct namespaces met;
};

static void look_at_process(const char *path, void *arg)
{
	struct other_mounts *o = arg;
	const char *name = strrchr(path, '/') + 1;
	char *list;

	if (strspn(name, "0123456789") != strlen(name) || !is_new(&o->met, path))
		return;
	list = xasprintf("%s/mountinfo", path);
	(void)add_mounts(o->m, list, strtol(name, NULL, 10));
	free(list);
}

static void add_other_namespaces(struct mounts *m)
{
	struct other_mounts o = {.m = m};
	char *proc = sys_path("/proc"), *self = sys_path("/proc/self");

	(void)is_new(&o.met, self);
	/* Where our own is not known, every one would be taken for another. */
	if (o.met.nr)
		(void)sys_for_each(proc, look_at_process, &o);
	for (size_t i = 0; i < o.met.nr; i++)
		free(o.met.v[i]);
	free(o.met.v);
	free(self);
	free(proc);
}

void mounts_load(struct mounts *m)
{
	*m = (struct mounts){.nr = 0};
	m->is_known = add_mounts(m, "/proc/self/mountinfo", 0);
	add_swaps(m);
	add_other_namespaces(m);
}

void mounts_release(struct mounts *m)
{
	for (size_t i = 0; i < m->nr; i++) {
		free(m->v[i].where);
		free(m->v[i].source);
	}
	for (size_t i = 0; i < m->nr_swap; i++)
		free(m->swap[i]);
	free(m->v);
	free(m->swap);
	*m = (struct mounts){.nr = 0};
}
