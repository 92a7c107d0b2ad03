/* SPDX-License-Identifier: MIT */
#include "report/chart.h"

#include "base/file.h"
#include "base/mem.h"
#include "report/gnuplot.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_text(const char *dir, const char *name, const char *ending, const struct buf *text,
		      struct buf *made, struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, ending);
	int rc = file_write(path, buf_text(text), text->len, e);

	if (!rc)
		buf_addf(made, "%s\n", path);
	free(path);
	return rc;
}

/* A picture of an earlier report would be taken for one of this. */
static int remove_old(const char *dir, const char *name, const char *ending, struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, ending);
	int rc = 0;

	if (unlink(path) < 0 && errno != ENOENT)
		rc = err_sys(e, ERR_OUTPUT, errno, "cannot replace '%s'", path);
	free(path);
	return rc;
}

static int write_sources(const struct picture *p, const char *dir, struct buf *made, struct err *e)
{
	struct buf gp = BUF_INIT, dat = BUF_INIT;
	int rc = write_text(dir, p->name, "txt", &p->caption, made, e);

	if (!rc && picture_has_points(p)) {
		picture_script(p, &gp);
		picture_data(p, &dat);
		rc = write_text(dir, p->name, "dat", &dat, made, e) ||
		     write_text(dir, p->name, "gp", &gp, made, e);
	}
	rc = rc || remove_old(dir, p->name, "png", e) || remove_old(dir, p->name, "svg", e);
	buf_release(&gp);
	buf_release(&dat);
	return rc ? -1 : 0;
}

static int check_picture(const char *dir, const char *name, const char *ending, struct buf *made,
			 struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, ending);
	struct stat st;
	int rc = 0;

	if (stat(path, &st) < 0 || st.st_size == 0)
		rc = err_set(e, ERR_TOOL, "gnuplot made no picture '%s'", path);
	else
		buf_addf(made, "%s\n", path);
	free(path);
	return rc;
}

static int draw(const struct picture *p, const char *dir, struct buf *made, struct err *e)
{
	char *script = xasprintf("%s.gp", p->name);
	int rc = gnuplot_run(dir, script, GNUPLOT_TIME_LIMIT_NS, e);

	rc = rc || check_picture(dir, p->name, "png", made, e) ||
	     check_picture(dir, p->name, "svg", made, e);
	free(script);
	return rc ? -1 : 0;
}

int charts_write(const struct charts *c, const char *dir, struct buf *made, struct buf *notes,
		 struct err *e)
{
	for (size_t i = 0; i < c->nr; i++)
		if (write_sources(&c->v[i], dir, made, e))
			return -1;
	for (size_t i = 0; i < c->nr; i++) {
		const struct picture *p = &c->v[i];

		if (!picture_has_points(p))
			buf_addf(notes, "no valid points for '%s': no picture\n",
				 buf_text(&p->title));
		else if (draw(p, dir, made, e))
			return -1;
	}
	return 0;
}
