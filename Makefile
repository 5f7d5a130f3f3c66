# headscope: `make run` and `make test` do everything, packages included.
#
#   make            the program, ./headscope
#   make run        the program, shown: the heads of a trained model
#   make test       all tests
#   make deps       the packages (apt, dnf, pacman or brew); nothing where pkg-config finds them all
#   make oracle     the comparison with PyTorch
#   make asan       the tests under the address and undefined-behaviour sanitizers
#   make valgrind   the tests under valgrind
#   make fuzz       the readers under libFuzzer, FUZZ_SECONDS each
#   make arrows     the check that no folder includes what it must not know
#   make format     clang-format over all sources;  make lint: says what would change
#   make models     trains the shipped models anew into assets/
#   make install    PREFIX=/usr/local, DESTDIR for packagers

VERSION := 0.1.0
VARIANT ?= release
BUILD   := build/$(VARIANT)

PACKAGES       := openblas sdl2 SDL2_ttf libcjson libzip zlib fontconfig libmd
TEST_PACKAGES  := cmocka
HAVE_PACKAGES  := $(shell pkg-config --exists $(PACKAGES) $(TEST_PACKAGES) stb 2>/dev/null && echo yes)

# stb by pkg-config also links a prebuilt library; viz/png.c compiles its own (with zlib's
# compressor), so only the include path is taken.
PACKAGE_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) stb 2>/dev/null | sed 's/-I\//-isystem \//g')

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
ALL_CFLAGS = -std=c11 -D_POSIX_C_SOURCE=200809L -DHEADSCOPE_VERSION='"$(VERSION)"' -I. \
             $(WARNINGS) $(CFLAGS) $(VARIANT_CFLAGS) $(PACKAGE_CFLAGS) -pthread -MMD -MP

ifeq ($(VARIANT),asan)
VARIANT_CFLAGS  := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif
ifeq ($(VARIANT),double)
VARIANT_CFLAGS := -DHEADSCOPE_DOUBLE
endif
ifeq ($(VARIANT),fuzz)
CC := clang
VARIANT_CFLAGS  := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
VARIANT_LDFLAGS := -fsanitize=fuzzer,address,undefined
endif

LIBS_OF = $(shell pkg-config --libs $(1) 2>/dev/null)
MODEL_LIBS := $(call LIBS_OF,openblas) -lm
DATA_LIBS  := $(call LIBS_OF,libcjson libzip zlib libmd)
VIZ_LIBS   := $(call LIBS_OF,sdl2 SDL2_ttf fontconfig zlib) -lm

# --- objects -------------------------------------------------------------------------------------
# model/kernels.c is compiled once for each instruction set; model/kernels_select.c picks at run time.
MACHINE := $(shell $(CC) -dumpmachine)
ifneq ($(filter x86_64%,$(MACHINE)),)
KERNEL_SETS := base avx2 avx512
else
KERNEL_SETS := base
endif
KERNEL_FLAGS_base   :=
KERNEL_FLAGS_avx2   := -mavx2 -mfma
KERNEL_FLAGS_avx512 := -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma -mprefer-vector-width=512

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
MODEL_SOURCES := $(filter-out model/kernels.c,$(wildcard model/*.c model/analysis/*.c))
KERNEL_OBJECTS := $(KERNEL_SETS:%=$(BUILD)/model/kernels_%.o)
MODEL_OBJECTS := $(call objects,$(MODEL_SOURCES)) $(KERNEL_OBJECTS)
DATA_OBJECTS  := $(call objects,$(wildcard data/*.c))
VIZ_OBJECTS   := $(call objects,$(wildcard viz/*.c))
APP_OBJECTS   := $(call objects,$(wildcard app/*.c))

.PHONY: all run test deps oracle asan valgrind fuzz arrows format lint models install clean bench \
        binary tests

all:
	@$(MAKE) --no-print-directory deps
	@$(MAKE) --no-print-directory binary

binary: headscope

headscope: $(BUILD)/headscope
	@cp -f $< $@

$(BUILD)/headscope: $(APP_OBJECTS) $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(VIZ_LIBS) $(DATA_LIBS) $(MODEL_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/model/kernels_%.o: model/kernels.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -O3 $(KERNEL_FLAGS_$*) -DKERNEL_SET=$* -c -o $@ $<

