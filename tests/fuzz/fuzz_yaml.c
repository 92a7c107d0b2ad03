/* SPDX-License-Identifier: MIT */
/* Any bytes as a profile of VMs and as a standard: refused with the file's name, or of figures that
 * mean something. */
#include "fuzz.h"

#include "plan/standard.h"
#include "plan/vm_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct vm_population vms = {0};
	struct standard standard = {0};
	struct err e = {0};

	if (vm_profile_parse(&vms, "fuzz.yaml", (const char *)data, size, &e))
		require(!strncmp(e.msg, "fuzz.yaml", strlen("fuzz.yaml")));
	vm_population_release(&vms);
	e = (struct err){0};
	if (standard_parse(&standard, "fuzz.yaml", (const char *)data, size, &e))
		require(!strncmp(e.msg, "fuzz.yaml", strlen("fuzz.yaml")));
	standard_release(&standard);
	return 0;
}
