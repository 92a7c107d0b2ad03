/* SPDX-License-Identifier: MIT */
#include "target/slaves.h"

#include "base/mem.h"
#include "target/sys.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static int is_visible(const struct dirent *de)
{
	return de->d_name[0] != '.';
}

bool slaves_add(struct slaves *s, const char *disk_dir)
{
	for (size_t i = 0; i < s->nr; i++)
		if (!strcmp(s->v[i], disk_dir))
			return false;
	s->v = xreallocarray(s->v, s->nr + 1, sizeof(*s->v));
	s->v[s->nr++] = xstrdup(disk_dir);
	return true;
}

static void add_link(struct slaves *s, const char *link)
{
	char *dir = realpath(link, NULL), *disk_dir = dir ? sys_disk_dir(dir) : NULL;

	if (disk_dir)
		(void)slaves_add(s, disk_dir);
	free(disk_dir);
	free(dir);
}

void slaves_list(const char *disk_dir, struct slaves *out)
{
	char *folder = sys_path("%s/slaves", disk_dir);
	struct dirent **de = NULL;
	int nr = scandir(folder, &de, is_visible, versionsort);

	*out = (struct slaves){0};
	for (int i = 0; i < nr; i++) {
		char *link = xasprintf("%s/%s", folder, de[i]->d_name);

		add_link(out, link);
		free(link);
		free(de[i]);
	}
	free(de);
	free(folder);
}

void slaves_release(struct slaves *s)
{
	for (size_t i = 0; i < s->nr; i++)
		free(s->v[i]);
	free(s->v);
	*s = (struct slaves){0};
}
