/* SPDX-License-Identifier: MIT */
#include "cmd/report_page.h"

#include "base/temp_dir.h"
#include "cmd/cmd.h"
#include "report/html.h"

int report_page_add(struct buf *b, const struct report_set *set, const struct charts *charts,
		    const char *dir, const char *trouble, struct err *e)
{
	struct err not_shown = {0};

	html_report(b, &(struct html_page){.report = &set->report,
					   .charts = charts,
					   .dir = dir,
					   .trouble = trouble,
					   .not_shown = &not_shown,
					   .database = set->database,
					   .version = lunsweep_version});
	return not_shown.code == ERR_NONE ? 0 : err_join(e, &not_shown);
}

int report_page_draw(struct buf *b, const struct report_set *set, const struct charts *charts,
		     struct err *e)
{
	struct err why = {0}, removed_e = {0};
	struct temp_dir temp;
	int rc = temp_dir_make(&temp, &why) ||
		 charts_draw(charts, temp.path, IMAGE_BIT(IMAGE_SVG), &why);

	if (report_page_add(b, set, charts, temp.path, rc ? why.msg : NULL, &why))
		rc = -1;
	if (temp_dir_remove(&temp, &removed_e))
		rc = err_join(&why, &removed_e);
	return rc ? err_join(e, &why) : 0;
}
