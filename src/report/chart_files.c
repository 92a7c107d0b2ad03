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
static int remove_images(const char *dir, const char *name, struct err *e)
{
	int rc = 0;

	for (enum image i = 0; i < IMAGE_NR && !rc; i++) {
		char *path = xasprintf("%s/%s.%s", dir, name, image_name(i));

		if (unlink(path) < 0 && errno != ENOENT)
			rc = err_sys(e, ERR_OUTPUT, errno, "cannot replace '%s'", path);
		free(path);
	}
	return rc;
}

static int write_sources(const struct picture *p, const char *dir, const char *formats,
			 struct buf *made, struct err *e)
{
	struct buf gp = BUF_INIT, dat = BUF_INIT;
	int rc = write_text(dir, p->name, "txt", &p->caption, made, e);

	if (!rc && picture_has_points(p)) {
		picture_script(p, formats, &gp);
		picture_data(p, &dat);
		rc = write_text(dir, p->name, "dat", &dat, made, e) ||
		     write_text(dir, p->name, "gp", &gp, made, e);
	}
	rc = rc || remove_images(dir, p->name, e);
	buf_release(&gp);
	buf_release(&dat);
	return rc ? -1 : 0;
}

static int check_image(const char *dir, const char *name, enum image image, struct buf *made,
		       struct err *e)
{
	char *path = xasprintf("%s/%s.%s", dir, name, image_name(image));
	struct stat st;
	int rc = 0;

	if (stat(path, &st) < 0 || st.st_size == 0)
		rc = err_set(e, ERR_TOOL, "gnuplot made no picture '%s'", path);
	else
		buf_addf(made, "%s\n", path);
	free(path);
	return rc;
}

/* What a script that failed has left may be half a picture. */
static int finish(const struct gnuplot_script *s, const char *dir, const char *name,
		  image_set images, struct buf *made, struct err *e)
{
	int rc = 0;

	if (!s->is_drawn) {
		(void)remove_images(dir, name, NULL);
		return -1;
	}
	for (enum image i = 0; i < IMAGE_NR; i++)
		if (images & IMAGE_BIT(i))
			rc = check_image(dir, name, i, made, e) || rc ? -1 : 0;
	return rc;
}

static int draw(const struct charts *c, const char *dir, image_set images, struct buf *made,
		struct buf *notes, struct err *e)
{
	struct gnuplot_script *script = xcalloc(c->nr + 1, sizeof(*script));
	const struct picture **drawn = xcalloc(c->nr + 1, sizeof(const struct picture *));
	size_t nr = 0;
	int rc;

	for (size_t i = 0; i < c->nr; i++) {
		const struct picture *p = &c->v[i];

		if (!picture_has_points(p)) {
			buf_addf(notes, "no valid points for '%s': no picture\n",
				 buf_text(&p->title));
			continue;
		}
		drawn[nr] = p;
		script[nr++].name = xasprintf("%s.gp", p->name);
	}
	rc = gnuplot_draw(dir, script, nr, GNUPLOT_TIME_LIMIT_NS, e);
	for (size_t i = 0; i < nr; i++) {
		struct err *own = rc ? NULL : e;

		rc = finish(&script[i], dir, drawn[i]->name, images, made, own) || rc ? -1 : 0;
		free(script[i].name);
	}
	free(drawn);
	free(script);
	return rc;
}

int charts_write(const struct charts *c, const char *dir, image_set images, struct buf *made,
		 struct buf *notes, struct err *e)
{
	struct buf formats = BUF_INIT;
	int rc = 0;

	images = images ? images : IMAGE_USUAL;
	buf_add_images(&formats, images);
	for (size_t i = 0; i < c->nr && !rc; i++)
		rc = write_sources(&c->v[i], dir, buf_text(&formats), made, e);
	buf_release(&formats);
	return rc ? -1 : draw(c, dir, images, made, notes, e);
}
