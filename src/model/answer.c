/* SPDX-License-Identifier: MIT */
#include "model/answer.h"

const char *knee_class_name(enum knee_class c)
{
	static const char *const names[] = {
		[KNEE_INSUFFICIENT] = "insufficient",
		[KNEE_KNEE] = "knee",
		[KNEE_FLAT] = "flat",
		[KNEE_RISING] = "rising",
		[KNEE_RETROGRADE] = "retrograde",
	};

	return names[c];
}

const char *cap_status_name(enum cap_status s)
{
	static const char *const names[] = {
		[CAP_OK] = "ok",
		[CAP_INFEASIBLE] = "infeasible",
		[CAP_NOT_REACHED] = "cap_not_reached",
		[CAP_NO_DATA] = "no_data",
	};

	return names[s];
}
