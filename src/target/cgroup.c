/* SPDX-License-Identifier: MIT */
#include "target/cgroup.h"

#include "base/buf.h"
#include "base/mem.h"
#include "target/sys.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Where the controllers are mounted on the distributions that we know. */
static const char *const v1_mounts[] = {"/sys/fs/cgroup/blkio", "/sys/fs/cgroup/blkio,io"};
static const char *const v2_mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

static const char *const v1_files[] = {"throttle.read_iops_device", "throttle.write_iops_device",
				       "throttle.read_bps_device", "throttle.write_bps_device"};

/* The line of a "MAJ:MIN value" file that is about dev, without the number; NULL without. */
static char *find_line(const char *text, dev_t dev)
{
	char *lead = xasprintf("%u:%u ", major(dev), minor(dev));
	const char *s = text;
	char *found = NULL;

	while (s && !found) {
		if (!strncmp(s, lead, strlen(lead)))
			found = xstrndup(s + strlen(lead), strcspn(s + strlen(lead), "\n"));
		s = strchr(s, '\n');
		s = s ? s + 1 : NULL;
	}
	free(lead);
	return found;
}

static void add_limit(struct buf *out, const char *what, const char *value, const char *group)
{
	buf_addf(out, "%s%s %s in cgroup %s", out->len ? ", " : "", what, value,
		 *group ? group : "/");
}

static void check_v1(const char *group, dev_t dev, struct buf *out)
{
	struct buf b = BUF_INIT;

	for (size_t m = 0; m < NR(v1_mounts); m++) {
		for (size_t i = 0; i < NR(v1_files); i++) {
			char *path = xasprintf("%s%s/blkio.%s", v1_mounts[m], group, v1_files[i]);
			char *value = sys_read_all(&b, path) ? find_line(buf_text(&b), dev) : NULL;

			if (value && strcmp(value, "0") != 0)
				add_limit(out, v1_files[i] + strlen("throttle."), value, group);
			free(value);
			free(path);
		}
	}
	buf_release(&b);
}

static void check_v2(const char *group, dev_t dev, struct buf *out)
{
	struct buf b = BUF_INIT;

	for (size_t m = 0; m < NR(v2_mounts); m++) {
		char *path = xasprintf("%s%s/io.max", v2_mounts[m], group);
		char *value = sys_read_all(&b, path) ? find_line(buf_text(&b), dev) : NULL;

		if (value)
			add_limit(out, "io.max", value, group);
		free(value);
		free(path);
	}
	buf_release(&b);
}

/* A limit of a group holds for all groups below it, so go up to the root. */
static void check_up(char *group, bool is_v2, dev_t dev, struct buf *out)
{
	for (;;) {
		char *slash = strrchr(group, '/');

		if (!strcmp(group, "/"))
			group[0] = '\0';
		if (is_v2)
			check_v2(group, dev, out);
		else
			check_v1(group, dev, out);
		if (!slash || !group[0])
			return;
		*slash = '\0';
	}
}

/* A limit is set on the whole disk, whatever partition is used. */
static dev_t disk_of(dev_t dev)
{
	char *dir = sys_block_dir(dev), *disk = dir ? sys_disk_dir(dir) : NULL;
	struct buf b = BUF_INIT;
	unsigned maj, min;

	if (disk && sys_read(&b, "%s/dev", disk) && sscanf(buf_text(&b), "%u:%u", &maj, &min) == 2)
		dev = makedev(maj, min);
	buf_release(&b);
	free(disk);
	free(dir);
	return dev;
}

char *cgroup_throttle(dev_t dev)
{
	struct buf list = BUF_INIT, out = BUF_INIT;
	char *save = NULL, *line;

	dev = disk_of(dev);
	if (!sys_read_all(&list, "/proc/self/cgroup")) {
		buf_release(&list);
		return NULL;
	}
	/* Lines are ID:CONTROLLERS:PATH; v2 has no controllers. Without a hierarchy there is no line. */
	for (line = list.text ? strtok_r(list.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *controllers = strchr(line, ':'), *group;

		group = controllers ? strchr(controllers + 1, ':') : NULL;
		if (!group)
			continue;
		*group++ = '\0';
		if (strstr(controllers, "blkio") || !controllers[1])
			check_up(group, !controllers[1], dev, &out);
	}
	buf_release(&list);
	return out.len ? buf_detach(&out) : NULL;
}
