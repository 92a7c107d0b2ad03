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
	char *file = xasprintf("%s.%s", name, ending);
	int rc = file_write_text(dir, file, text, made, e);

	free(file);
	return rc;
}

/* A picture of an earlier report would be taken for one of this. */
static int remove_images(const char *dir, const char *name, struct err *e)
{
	int rc = 0;

	for (enum image i = 0; i < IMAGE_NR; i++) {
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

/* What is to be drawn: charts with points, whose files are there. */
struct drawing {
	const struct picture **picture;
	struct gnuplot_script *script; /* of the same places */
	size_t nr;
};

static void add_drawing(struct drawing *d, const struct picture *p, struct buf *notes)
{
	if (!picture_has_points(p)) {
		buf_addf(notes, "no valid points for '%s': no picture\n", buf_text(&p->title));
		return;
	}
	d->picture[d->nr] = p;
	d->script[d->nr++].name = xasprintf("%s.gp", p->name);
}

static int draw(const struct drawing *d, const char *dir, image_set images, struct buf *made,
		struct err *e)
{
	int rc = gnuplot_draw(dir, d->script, d->nr, GNUPLOT_TIME_LIMIT_NS, e);

	for (size_t i = 0; i < d->nr; i++) {
		struct err *own = rc ? NULL : e;

		rc = finish(&d->script[i], dir, d->picture[i]->name, images, made, own) || rc ? -1
											      : 0;
	}
	return rc;
}

/* Keep the first error, and go on. */
static void keep_first(struct err *e, const struct err *this)
{
	if (e->code == ERR_NONE)
		*e = *this;
}

/* Every old picture goes before anything else is done, so that none is taken for one of this report. */
static void prepare(const struct charts *c, const char *dir, image_set images, struct drawing *d,
		    struct buf *made, struct buf *notes, struct err *first)
{
	struct buf formats = BUF_INIT;
	struct err this = {0};

	for (size_t i = 0; i < c->nr; i++)
		if (remove_images(dir, c->v[i].name, &this))
			keep_first(first, &this);
	buf_add_images(&formats, images);
	for (size_t i = 0; i < c->nr; i++)
		if (write_sources(&c->v[i], dir, buf_text(&formats), made, &this))
			keep_first(first, &this);
		else
			add_drawing(d, &c->v[i], notes);
	buf_release(&formats);
}

int charts_write(const struct charts *c, const char *dir, image_set images, struct buf *made,
		 struct buf *notes, struct err *e)
{
	struct drawing d = {.picture = xcalloc(c->nr + 1, sizeof(const struct picture *)),
			    .script = xcalloc(c->nr + 1, sizeof(*d.script))};
	struct err first = {0}, this = {0};
	int rc = 0;

	images = images ? images : IMAGE_USUAL;
	prepare(c, dir, images, &d, made, notes, &first);
	if (draw(&d, dir, images, made, &this))
		(void)err_join(&first, &this);
	if (first.code != ERR_NONE)
		rc = err_set(e, first.code, "%s", first.msg);
	for (size_t i = 0; i < d.nr; i++)
		free(d.script[i].name);
	free(d.picture);
	free(d.script);
	return rc;
}
