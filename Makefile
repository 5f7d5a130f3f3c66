# headscope. What can be made, `make help` prints it:
#
#   make            the program, ./headscope, of what is installed
#   make run        the program, shown: the heads of a trained model; gets what is missing
#   make test       all tests; gets what is missing
#   make deps       installs what the build and the tests need (by apt, dnf, pacman or brew)
#   make check      builds and runs the tests of one variant (VARIANT=release, double, asan, tsan)
#   make oracle     the comparison with PyTorch
#   make asan       the tests under the address and undefined-behaviour sanitizers
#   make tsan       the tests that use threads under the thread sanitizer
#   make valgrind   the tests under valgrind
#   make fuzz       the readers under libFuzzer, FUZZ_SECONDS each
#   make bench      times and memory, beside PyTorch and others (bench/README.md)
#   make arrows     the check that no folder includes what it must not know
#   make circles    the check that no two files of the program need each other
#   make format     clang-format over all sources
#   make lint       says what make format would change
#   make models     trains the shipped models anew into assets/
#   make model-table   writes the table in assets/README.md of what the shipped models reach
#   make trap-table    writes the table in docs/lessons.md of models trained with a mistake
#   make mistake-tables  writes the tables in docs/check.md of what the doctor can name
#   make oracle-table  writes the table in docs/check.md of what the doctor finds
#   make pictures   draws the pictures of the documentation anew
#   make icons      draws the icons anew into assets/
#   make install    program, models, manual page, icons: PREFIX=/usr/local, DESTDIR for packagers
#   make uninstall  removes what make install put there
#   make deb        a Debian package of it, in build/
#   make clean      removes what was built
#
# V=1 shows whole commands. CC, CPPFLAGS, CFLAGS, LDFLAGS and PKG_CONFIG are honoured, WERROR=1 makes
# warnings errors, LATE=0 links the libraries that are otherwise opened when they are first needed.

VERSION := 0.1.0
DATE    := 2026-11-30

VARIANT ?= release
BUILD   := build/$(VARIANT)

.PHONY: all binary help deps run models model-table trap-table pictures clean packages FORCE
all: binary

# Q hides a command, and $(call say,WHAT) is the line shown in its place; V=1 turns both around.
ifeq ($(V),1)
Q   :=
say = @:
else
Q   := @
say = @printf '  %-5s %s\n' '$(1)' '$@'
endif

# --- flags ---------------------------------------------------------------------------------------
CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
# Under its sanitizers gcc warns of sizes that cannot be.
WARNINGS += $(if $(filter asan tsan,$(VARIANT)),,$(if $(filter-out 0,$(WERROR)),-Werror))

ifeq ($(VARIANT),asan)
VARIANT_CFLAGS  := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif
ifeq ($(VARIANT),tsan)
VARIANT_CFLAGS  := -O1 -fsanitize=thread -fno-omit-frame-pointer
VARIANT_LDFLAGS := -fsanitize=thread
endif
ifeq ($(VARIANT),double)
VARIANT_CFLAGS := -DHEADSCOPE_DOUBLE
endif
ifeq ($(VARIANT),clang)
CC := clang
endif
ifeq ($(VARIANT),fuzz)
CC := clang
VARIANT_CFLAGS  := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif

include make/packages.mk

# Nothing is exported: a symbol of the program would take the place of a library's of the same name,
# for all libraries of the process.
COMPILE = $(CC) -std=c11 -fvisibility=hidden -D_POSIX_C_SOURCE=200809L -DHEADSCOPE_VERSION='"$(VERSION)"' \
          -DHEADSCOPE_DATE='"$(DATE)"' -I. $(WARNINGS) $(CPPFLAGS) $(CFLAGS) $(VARIANT_CFLAGS) \
          $(PACKAGE_CFLAGS) -pthread -MMD -MP
LINK    = $(CC) $(CFLAGS) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $(filter %.o,$^)

# Files named *_simd.c are compiled once for each instruction set; what they define is picked at run
# time (model/base/simd.h). -std=c11 turns the fusing of products and sums off; the kernels want it on.
# The others choose between two values, and gcc makes vector code of that only where comparisons with
# NaN need not raise a flag.
COMPILER := $(shell $(CC) -dumpmachine 2>/dev/null) $(shell $(CC) --version 2>/dev/null | head -n 1)
ifneq ($(filter x86_64%,$(COMPILER)),)
SIMD_SETS := base avx2 avx512
else
SIMD_SETS := base
endif
# clang takes minutes for -O3 of unrolled tiles under the sanitizers.
SIMD_LEVEL        := $(if $(filter fuzz,$(VARIANT)),-O1,-O3)
SIMD_FUSED        := -ffp-contract=fast
SIMD_CHOOSING     := -fno-trapping-math
SIMD_FLAGS         = $(SIMD_LEVEL) $(if $(filter model/kernels/% bench/%,$<),$(SIMD_FUSED),$(SIMD_CHOOSING))
SIMD_FLAGS_base   :=
SIMD_FLAGS_avx2   := -mavx2 -mfma
SIMD_FLAGS_avx512 := -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma

# --- objects -------------------------------------------------------------------------------------
objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %_simd.c,$(1))) \
          $(foreach set,$(SIMD_SETS),$(patsubst %.c,$(BUILD)/%.$(set).o,$(filter %_simd.c,$(1))))
# Those that open a library late are compiled to a .late.o, or to an .o that expects it linked.
maybe_late = $(if $(filter 0,$(LATE)),$(1),$(foreach object,$(1),$(if \
             $(filter $(call objects,$(LATE_SOURCES)),$(object)),$(object:.o=.late.o),$(object))))

# A folder's sources, and those of its rooms.
sources_in = $(wildcard $(foreach folder,$(1),$(folder)/*.c $(folder)/*/*.c))

LINKED_OBJECTS := $(call objects,$(call sources_in,app viz data model))
MODEL_OBJECTS := $(call maybe_late,$(call objects,$(call sources_in,model)))
DATA_OBJECTS  := $(call maybe_late,$(call objects,$(call sources_in,data)))
VIZ_OBJECTS   := $(call objects,$(call sources_in,viz))
APP_OBJECTS   := $(call maybe_late,$(call objects,$(call sources_in,app)))

# stb_image_write's loops over a picture's bytes become vectors only so.
FLAGS_viz/canvas/picture_png.c := -O3

$(BUILD)/%.o: %.c $(BUILD)/compile.flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(FLAGS_$<) -c -o $@ $<

$(BUILD)/%.late.o: %.c $(BUILD)/compile.flags $(BUILD)/late.flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(LATE_FLAGS) -c -o $@ $<

define SIMD_RULE
$(BUILD)/%.$(1).o: %.c $(BUILD)/compile.flags
	$$(call say,CC)
	@mkdir -p $$(@D)
	$$(Q)$$(COMPILE) $$(SIMD_FLAGS) $$(SIMD_FLAGS_$(1)) -DSIMD_SET=$(1) -c -o $$@ $$<
endef
$(foreach set,$(SIMD_SETS),$(eval $(call SIMD_RULE,$(set))))

# Stamps: what was compiled and linked with other flags, or of other files, is made anew.
COMPILE_LINE = $(COMPILE) $(FLAGS_viz/canvas/picture_png.c) $(foreach set,$(SIMD_SETS),$(SIMD_FLAGS_$(set))) \
               $(SIMD_LEVEL) $(SIMD_FUSED) $(SIMD_CHOOSING) $(COMPILER)
LINK_LINE    = $(COMPILER) $(LINK) $(VIZ_LIBS) $(WINDOW_LIBS) $(DATA_LIBS) $(MODEL_LIBS) \
               $(APP_OBJECTS) $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' >$@.new; \
        if cmp -s $@.new $@; then rm -f $@.new; else mv -f $@.new $@; fi

$(BUILD)/compile.flags: FORCE | packages
	$(call stamp,$(COMPILE_LINE))
$(BUILD)/late.flags: FORCE | packages
	$(call stamp,$(LATE_FLAGS))
$(BUILD)/link.flags: FORCE | packages
	$(call stamp,$(LINK_LINE))

# --- the program ---------------------------------------------------------------------------------
$(BUILD)/headscope: $(APP_OBJECTS) $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS) $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) $(VIZ_LIBS) $(WINDOW_LIBS) $(DATA_LIBS) $(MODEL_LIBS)

# The same with all its libraries linked, whatever LATE says: packages take their dependencies from
# it (debian/rules).
$(BUILD)/headscope-linked: $(LINKED_OBJECTS) $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) $(VIZ_LIBS) $(ALL_LATE_LIBS) $(DATA_LIBS) $(MODEL_LIBS)

ifeq ($(VARIANT),release)
binary: headscope
headscope: $(BUILD)/headscope
	@cp -f $< $@
else
binary: $(BUILD)/headscope
endif

run: deps
	@$(MAKE) --no-print-directory binary
	@sh tools/run.sh

models: binary
	sh assets/train.sh

# Evaluates the shipped models, for the tables in assets/README.md.
model-table: binary
	HEADSCOPE='$(CURDIR)/$(BUILD)/headscope' sh assets/table.sh

# Trains a model with each silent mistake and writes the table in docs/lessons.md: ten minutes.
trap-table: binary
	HEADSCOPE='$(CURDIR)/$(BUILD)/headscope' sh assets/traps.sh

# Draws the pictures of README.md and docs/ by the commands that stand under them.
pictures: binary
	HEADSCOPE='$(CURDIR)/$(BUILD)/headscope' sh assets/pictures.sh

# From the list at the top.
help:
	@sed -n 's/^#   make/make/p' Makefile

clean:
	rm -rf build headscope out

include make/tests.mk
include make/install.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
