/* SPDX-License-Identifier: MIT */
#include "target/list.h"

#include "base/mem.h"
#include "target/sys.h"
#include "target/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct list {
	struct target_info *v;
	size_t nr, cap;
};

static void add_device(struct list *l, const char *dir, const char *name)
{
	uint64_t size_bytes = 512 * sys_read_u64("%s/size", dir);
	char *path;

	/* No size: a loop device without a file, a drive without a medium. */
	if (!size_bytes)
		return;
	path = xasprintf("/dev/%s", name);
	/* sysfs writes ! where a name has a slash (cciss/c0d0). */
	for (char *s = path; *s; s++)
		if (*s == '!')
			*s = '/';
	VEC_GROW(l->v, l->nr, l->cap);
	l->v[l->nr++] = (struct target_info){.given = path,
					     .resolved = xstrdup(path),
					     .is_block = true,
					     .size_bytes = size_bytes};
}

static int is_visible(const struct dirent *de)
{
	return de->d_name[0] != '.';
}

static int is_partition(const char *disk, const char *name)
{
	return !strncmp(name, disk, strlen(disk));
}

static void add_partitions(struct list *l, const char *disk)
{
	char *dir = sys_path("/sys/block/%s", disk);
	struct dirent **de = NULL;
	int nr = scandir(dir, &de, is_visible, versionsort);

	for (int i = 0; i < nr; i++) {
		char *partition = xasprintf("%s/%s", dir, de[i]->d_name);

		if (is_partition(disk, de[i]->d_name))
			add_device(l, partition, de[i]->d_name);
		free(partition);
		free(de[i]);
	}
	free(de);
	free(dir);
}

int target_list(struct target_info **out, size_t *nr, struct err *e)
{
	char *dir = sys_path("/sys/block");
	struct list l = {NULL, 0, 0};
	struct dirent **de = NULL;
	int n = scandir(dir, &de, is_visible, versionsort);

	if (n < 0)
		(void)err_sys(e, ERR_SYSTEM, errno, "cannot read '%s'", dir);
	for (int i = 0; i < n; i++) {
		char *disk = xasprintf("%s/%s", dir, de[i]->d_name);

		add_device(&l, disk, de[i]->d_name);
		free(disk);
		add_partitions(&l, de[i]->d_name);
		free(de[i]);
	}
	free(de);
	free(dir);
	*out = l.v;
	*nr = l.nr;
	return n < 0 ? -1 : 0;
}

/* As sysfs has it: without /dev/, and with ! for each slash. */
static char *sys_name(const struct target_info *t)
{
	char *name = xstrdup(t->resolved + strlen("/dev/"));

	for (char *s = name; *s; s++)
		if (*s == '/')
			*s = '!';
	return name;
}

size_t target_list_disk(const struct target_info *list, size_t nr)
{
	char *disk = sys_name(&list[0]);
	bool is_part = true;
	size_t i = 1;

	while (i < nr && is_part) {
		char *name = sys_name(&list[i]), *dir = sys_path("/sys/block/%s/%s", disk, name);

		is_part = !access(dir, F_OK);
		i += is_part;
		free(dir);
		free(name);
	}
	free(disk);
	return i;
}

void target_list_look(struct target_info *t)
{
	struct target_info found = {0};
	struct err e = {0};

	if (target_inspect(t->resolved, &found, &e)) {
		facts_set(&t->facts, TARGET_LIST_ERROR, e.msg);
		return;
	}
	target_info_release(t);
	*t = found;
}

void target_list_free(struct target_info *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		target_info_release(&list[i]);
	free(list);
}
