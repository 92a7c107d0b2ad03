/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

int err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	e->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, enum err_code code, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	e->code = code;
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %s", strerror(errnum));
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	va_list ap;
	size_t len;

	if (!e)
		return -1;
	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	(void)vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	va_end(ap);
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, ": %.900s", inner);
	return -1;
}

int err_join(struct err *e, const struct err *also)
{
	size_t len;

	if (!e)
		return -1;
	if (e->code == ERR_NONE) {
		*e = *also;
		return -1;
	}
	len = strlen(e->msg);
	(void)snprintf(e->msg + len, sizeof(e->msg) - len, "; %s", also->msg);
	return -1;
}

int err_exit_status(enum err_code code)
{
	switch (code) {
	case ERR_NONE:
		return 0;
	case ERR_USAGE:
	case ERR_SPEC:
		return 2;
	default:
		return 1;
	}
}
