# lunsweep: what make can do here.
#   make                 build build/release/lunsweep
#   make demo            install what is missing, build, measure a scratch file, show the answers
#   make check           install what is missing, build, and run all tests
#   make check-unit      unit tests of this build      make check-cli   command-line tests
#   make check-static    layers, shellcheck, format, manual against --help
#   make check-vm        tests in a virtual machine: exact time, failing devices
#   make bench           figures that are printed, not asserted; SECTION=cpu ROUNDS=9, see its script
#   make fuzz            every parser for SECONDS=60 under libFuzzer
#   make soak            thousands of short points, then kills: SECONDS=1800 KILLS=1000
#   make ult             a published study on the simulated array, all of it: 9 minutes
#   make fmt             put the sources into the project's format
#   make install         PREFIX and DESTDIR as usual   make uninstall, make clean
# Variables: BUILD=release|debug|asan|tsan, V=1 shows commands, WERROR=1, CC=clang

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.SECONDARY:

VERSION := 0.1.0
BUILD   ?= release
# Where objects go; each variant has its own, so they live side by side.
B       := build/$(BUILD)
PREFIX  ?= /usr/local

CC       ?= cc
CFLAGS   ?= -g
CPPFLAGS ?=
LDFLAGS  ?=
ifeq ($(origin CC),default)
CC := cc
endif

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wundef -Wformat=2 -Wvla -Wwrite-strings -Wcast-qual \
	-Wpointer-arith -Wnull-dereference -Wdouble-promotion -Wimplicit-fallthrough -Wdate-time
# The stack protector and FORTIFY cost nothing measurable in the load loop.
HARDEN := -fstack-protector-strong -fstack-clash-protection -fPIE
OPT.release := -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 $(HARDEN)
OPT.debug   := -O0
OPT.asan    := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
OPT.fuzz    := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
OPT.tsan    := -O1 -fsanitize=thread -fno-omit-frame-pointer
LD.release  := -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed

GIT_ID := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)

ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Isrc $(CPPFLAGS)
ALL_CFLAGS   = -std=c17 -pthread $(WARN) $(if $(WERROR),-Werror) $(OPT.$(BUILD)) \
	-ffile-prefix-map=$(CURDIR)=. $(CFLAGS)
ALL_LDFLAGS  = -pthread $(OPT.$(BUILD)) $(LD.$(BUILD)) $(LDFLAGS)
LIBS := -laio -luring -lsqlite3 -lyaml -lblkid -lm

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-6s %s\n' $1 $2)

SRC  := $(sort $(wildcard src/*/*.c))
SQL  := $(sort $(wildcard schemas/*.sql))
PAGE := $(sort $(wildcard src/*/*.css src/*/*.js))
OBJ  := $(SRC:%.c=$B/%.o) $(SQL:%.sql=$B/gen/%.o) $(PAGE:%=$B/gen/%.o)
MAIN := $B/src/main.o
UNIT := $(patsubst tests/unit/%.c,$B/unit/%,$(sort $(wildcard tests/unit/test_*.c)))
# The one that takes longest begins first, beside all others.
UNIT := $B/unit/test_store_fault $(filter-out $B/unit/test_store_fault,$(UNIT))

.PHONY: all help testbed check demo check-unit check-cli check-static check-vm bench fuzz soak ult fmt install uninstall clean
all: $B/lunsweep

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

$B/lunsweep: $(MAIN) $(OBJ)
	$(call say,LINK,$@)
	$Q$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$B/src/%.o: src/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# The version is in one object only, so that a commit does not rebuild everything.
$B/src/cmd/version.o: ALL_CPPFLAGS += -DVERSION='"$(VERSION)"' -DGIT_ID='"$(GIT_ID)"'
$B/src/cmd/version.o: $B/git-id
$B/git-id: FORCE
	@mkdir -p $(@D)
	@echo '$(GIT_ID)' | cmp -s - $@ || echo '$(GIT_ID)' > $@
.PHONY: FORCE
FORCE:

$B/gen/%.c: %.sql scripts/embed.sh
	@mkdir -p $(@D)
	$(call say,EMBED,$<)
	$Qsh scripts/embed.sh $(subst /,_,$(basename $<)) < $< > $@
# Style and script of the HTML page, each with its hash for the Content-Security-Policy.
define embed_page
	@mkdir -p $(@D)
	$(call say,EMBED,$<)
	$Qname=$(subst .,_,$(notdir $<)) && { sh scripts/embed.sh $$name < $< && \
		sh scripts/csp-hash.sh < $< | sh scripts/embed.sh $${name}_csp; } > $@
endef
$B/gen/%.css.c: %.css scripts/embed.sh scripts/csp-hash.sh
	$(embed_page)
$B/gen/%.js.c: %.js scripts/embed.sh scripts/csp-hash.sh
	$(embed_page)
$B/gen/%.o: $B/gen/%.c
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -c -o $@ $<

# All but main.o: a program takes what it needs, which links in a third of the time. Names of objects are not
# unique, so the archive is always made anew.
LIB := $B/liblunsweep.a
$(LIB): $(OBJ)
	$(call say,AR,$@)
	$Qrm -f $@ && $(AR) qcs $@ $^

# A unit test may name functions to interpose in a line "WRAP: sym sym" near its top.
$B/unit/%: tests/unit/%.c $(LIB) Makefile
	@mkdir -p $(@D)
	$(call say,TEST,$<)
	$Q$(CC) $(ALL_CPPFLAGS) -Itests/unit -Itests/testbed $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -MF $@.d -o $@ $< \
	  $(filter %.o,$^) $(LIB) \
	  $$(sed -n 's/.*WRAP: *//p' $< | tr ' ' '\n' | sed '/^$$/d;s/^/-Wl,--wrap=/') -lcmocka $(LIBS)

# Harnesses for libFuzzer, with BUILD=fuzz CC=clang; scripts/fuzz.sh runs them.
$B/fuzz_%: tests/fuzz/fuzz_%.c tests/fuzz/fuzz.h $(OBJ) Makefile
	$(call say,FUZZ,$<)
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIBS)

# The simulated array is a target for tests; only they need FUSE.
ARRAY     := $(B)/testbed/array
ARRAY_OBJ := $(patsubst %.c,$B/%.o,$(sort $(wildcard tests/testbed/*.c))) \
	$(patsubst %.c,$B/%.o,$(sort $(wildcard src/base/*.c)))
FUSE_CFLAGS = $(shell pkg-config --cflags fuse3)
FUSE_LIBS   = $(shell pkg-config --libs fuse3)

# Programs that measure this one beyond what it can tell of itself. Each may wrap functions, as
# unit tests do.
BENCH := $(patsubst tests/bench/%.c,$B/testbed/%,$(filter-out tests/bench/drive.c,$(wildcard tests/bench/*.c)))

# What makes calls of the program fail is loaded before libc, which has no second names for what the usual
# flags rename.
FAULTS := $(B)/testbed/faults.so
$(FAULTS): tests/testbed/preload/faults.c Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) -D_GNU_SOURCE -std=c17 -O1 -g -fPIC -shared -pthread $(WARN) $(if $(WERROR),-Werror) -o $@ $<

testbed: $(ARRAY) $(BENCH) $(FAULTS)
$B/testbed/%: tests/bench/%.c $B/tests/bench/drive.o $(LIB) Makefile
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(ALL_CPPFLAGS) -Itests/testbed -Itests/unit $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -MF $@.d -o $@ $< \
	  $(filter %.o,$^) $(LIB) \
	  $$(sed -n 's/.*WRAP: *//p' $< | tr ' ' '\n' | sed '/^$$/d;s/^/-Wl,--wrap=/') $(LIBS)
$B/testbed/night: $B/tests/testbed/model.o $B/tests/testbed/events.o
$B/tests/bench/%.o: tests/bench/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<
$(ARRAY): $(ARRAY_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$Q$(CC) $(ALL_LDFLAGS) -o $@ $^ $(FUSE_LIBS) -lm
$B/tests/testbed/%.o: tests/testbed/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$Q$(CC) $(ALL_CPPFLAGS) -Itests/testbed $(FUSE_CFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$B/unit/test_testbed_model: $B/tests/testbed/model.o $B/tests/testbed/events.o

check:
	@scripts/check
demo:
	@scripts/demo

check-unit: $(UNIT)
	@scripts/run-unit.sh $(UNIT)
check-cli: all testbed
	@scripts/run-bats.sh $(CURDIR)/$B/lunsweep
check-vm: all
	@scripts/run-bats.sh $(CURDIR)/$B/lunsweep tests/vm/vm.bats
check-static: all
	@scripts/check-static.sh $(CURDIR)/$B/lunsweep
bench: all $(BENCH)
	@scripts/bench.sh $(CURDIR)/$B/lunsweep $(CURDIR)/$B/testbed
fuzz:
	@scripts/fuzz.sh $(or $(SECONDS),60)
soak: all
	@scripts/soak.sh $(CURDIR)/$B/lunsweep $(or $(SECONDS),1800) $(or $(KILLS),1000)
ult: all testbed
	@scripts/ult.sh $(CURDIR)/$B/lunsweep

fmt:
	clang-format -i $(wildcard src/*/*.[ch] src/main.c tests/unit/*.[ch] tests/fuzz/*.[ch] tests/testbed/*.[ch] tests/testbed/preload/*.c tests/bench/*.[ch])

SHARE := $(DESTDIR)$(PREFIX)/share
install: all
	install -D -m 755 $B/lunsweep $(DESTDIR)$(PREFIX)/bin/lunsweep
	install -D -m 644 -t $(SHARE)/man/man1 $(wildcard src/lunsweep.1)
	install -D -m 644 scripts/completion.bash $(SHARE)/bash-completion/completions/lunsweep
	install -D -m 644 -t $(SHARE)/lunsweep/sweeps $(wildcard sweeps/*.yaml)
	install -D -m 644 -t $(SHARE)/lunsweep/sweeps/standards $(wildcard sweeps/standards/*.yaml)
	install -D -m 644 -t $(SHARE)/lunsweep/sweeps/ult-study $(wildcard sweeps/ult-study/*)
	install -D -m 644 -t $(SHARE)/lunsweep/schemas $(wildcard schemas/json/*.json)
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/lunsweep $(SHARE)/man/man1/lunsweep.1 \
		$(SHARE)/bash-completion/completions/lunsweep
	rm -rf $(SHARE)/lunsweep

clean:
	rm -rf build

-include $(OBJ:.o=.d) $(MAIN:.o=.d) $(UNIT:%=%.d) $(ARRAY_OBJ:.o=.d) $(BENCH:%=%.d) \
	$B/tests/bench/drive.d
