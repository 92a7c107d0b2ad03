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

struct list {
	struct target_info *v;
	size_t nr, cap;
};

static void add_device(struct list *l, const char *dir, const char *name)
{
	char *path = xasprintf("/dev/%s", name);
	struct target_info info = {0};
	struct err e = {0};

	/* sysfs writes ! where a name has a slash (cciss/c0d0). */
	for (char *s = path; *s; s++)
		if (*s == '!')
			*s = '/';
	if (target_inspect(path, &info, &e)) {
		info.given = xstrdup(path);
		info.resolved = xstrdup(path);
		info.is_block = true;
		info.size_bytes = 512 * sys_read_u64("%s/size", dir);
		facts_set(&info.facts, TARGET_LIST_ERROR, e.msg);
	}
	/* No size: a loop device without a file, a drive without a medium. */
	if (info.size_bytes) {
		VEC_GROW(l->v, l->nr, l->cap);
		l->v[l->nr++] = info;
	} else {
		target_info_release(&info);
	}
	free(path);
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

void target_list_free(struct target_info *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		target_info_release(&list[i]);
	free(list);
}
