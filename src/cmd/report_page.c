/* SPDX-License-Identifier: MIT */
#include "cmd/report_page.h"

#include "base/temp_dir.h"
#include "cmd/cmd.h"
#include "report/html.h"

void report_page_add(struct buf *b, const struct report_set *set, const struct charts *charts,
		     const char *dir, const char *trouble)
{
	html_report(b, &(struct html_page){.report = &set->report,
					   .charts = charts,
					   .dir = dir,
					   .trouble = trouble,
					   .database = set->database,
					   .version = lunsweep_version});
}

int report_page_draw(struct buf *b, const struct report_set *set, const struct charts *charts,
		     struct err *e)
{
	struct err why = {0}, removed_e = {0};
	struct temp_dir temp;
	int rc = temp_dir_make(&temp, &why) ||
		 charts_draw(charts, temp.path, IMAGE_BIT(IMAGE_SVG), &why);

	report_page_add(b, set, charts, temp.path, rc ? why.msg : NULL);
	if (temp_dir_remove(&temp, &removed_e))
		rc = err_join(&why, &removed_e);
	return rc ? err_join(e, &why) : 0;
}
