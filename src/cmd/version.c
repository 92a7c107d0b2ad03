/* SPDX-License-Identifier: MIT */
#include "cmd/cmd.h"

const char lunsweep_version[] = VERSION;
const char lunsweep_git_id[] = GIT_ID;
