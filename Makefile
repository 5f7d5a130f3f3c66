# headscope: `make run` and `make test` do everything, packages included.
#
#   make            the program, ./headscope
#   make run        the program, shown: the heads of a trained model
#   make test       all tests
#   make deps       the packages (apt, dnf, pacman or brew); nothing where pkg-config finds them all
#   make oracle     the comparison with PyTorch
#   make asan       the tests under the address and undefined-behaviour sanitizers
#   make tsan       the tests that use threads under the thread sanitizer
#   make valgrind   the tests under valgrind
#   make fuzz       the readers under libFuzzer, FUZZ_SECONDS each
#   make bench      times and memory, beside PyTorch and others (bench/README.md)
#   make arrows     the check that no folder includes what it must not know
#   make format     clang-format over all sources;  make lint: says what would change
#   make models     trains the shipped models anew into assets/
#   make install    PREFIX=/usr/local, DESTDIR for packagers

VERSION := 0.1.0
VARIANT ?= release
BUILD   := build/$(VARIANT)

PACKAGES       := openblas sdl2 stb freetype2 harfbuzz fribidi fontconfig libcjson libzip zlib libdeflate libmd
TEST_PACKAGES  := cmocka

# stb by itself: where it has no module, the compiler finds its header. It is never linked: the module
# names a library of all its headers, and viz/picture_stb.c compiles the one that is used.
PACKAGE_CFLAGS := $(shell { pkg-config --cflags $(filter-out stb,$(PACKAGES)); pkg-config --cflags stb; } \
                          2>/dev/null | sed 's/-I\//-isystem \//g')

# Where SDL's windows are X's, some pictures take a shorter way (app/present.h).
X11_LIBS := $(shell pkg-config --exists x11 2>/dev/null && pkg-config --libs x11)
PACKAGE_CFLAGS += $(if $(X11_LIBS),-DHEADSCOPE_X11)

CC       ?= cc

# On Linux large libraries that most runs do without are not linked but opened by their names when
# they are needed (model/late.h).
ifeq ($(shell uname),Linux)
library_name = $(shell readelf -d "$$($(CC) -print-file-name=lib$(1).so)" 2>/dev/null | \
                       sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
LATE_SDL := $(call library_name,SDL2)
LATE_X11 := $(if $(X11_LIBS),$(call library_name,X11))
LATE_ZIP := $(call library_name,zip)
LATE_BLAS := $(call library_name,openblas)
late_flag = $(if $(LATE_$(1)),-DHEADSCOPE_LATE_$(1)='"$(LATE_$(1))"')
PACKAGE_CFLAGS += $(call late_flag,SDL) $(call late_flag,X11) $(call late_flag,ZIP) $(call late_flag,BLAS)
endif
CFLAGS   ?= -O2 -g
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
# Nothing is exported: a symbol of the program would take the place of a library's of the same name,
# for all libraries of the process.
ALL_CFLAGS = -std=c11 -fvisibility=hidden -D_POSIX_C_SOURCE=200809L -DHEADSCOPE_VERSION='"$(VERSION)"' -I. \
             $(WARNINGS) $(CFLAGS) $(VARIANT_CFLAGS) $(PACKAGE_CFLAGS) -pthread -MMD -MP

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
ifeq ($(VARIANT),fuzz)
CC := clang
VARIANT_CFLAGS  := -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
VARIANT_LDFLAGS := -fsanitize=address,undefined
endif

LIBS_OF = $(shell pkg-config --libs $(1) 2>/dev/null)
MODEL_LIBS := $(if $(LATE_BLAS),,$(call LIBS_OF,openblas)) -ldl -lm
DATA_LIBS  := $(call LIBS_OF,libcjson zlib libmd) $(if $(LATE_ZIP),,$(call LIBS_OF,libzip))
VIZ_LIBS   := $(call LIBS_OF,freetype2 harfbuzz fribidi fontconfig libdeflate) -lm
WINDOW_LIBS := $(if $(LATE_SDL),,$(call LIBS_OF,sdl2)) $(if $(LATE_X11),,$(X11_LIBS))

# --- objects -------------------------------------------------------------------------------------
# The kernels (model/kernel_*.c) are compiled once for each instruction set and picked at run time
# by model/kernels_select.c. -std=c11 turns the fusing of products and sums off; they want it on.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
KERNEL_SETS := base avx2 avx512
else
KERNEL_SETS := base
endif
# clang takes minutes for -O3 of unrolled tiles under the sanitizers.
KERNEL_LEVEL        := $(if $(filter fuzz,$(VARIANT)),-O1,-O3)
KERNEL_FLAGS_base   :=
KERNEL_FLAGS_avx2   := -mavx2 -mfma
KERNEL_FLAGS_avx512 := -mavx512f -mavx512dq -mavx512vl -mavx512bw -mfma

objects = $(patsubst %.c,$(BUILD)/%.o,$(1))
KERNEL_SOURCES := $(wildcard model/kernel_*.c)
KERNEL_OBJECTS := $(foreach set,$(KERNEL_SETS),$(KERNEL_SOURCES:%.c=$(BUILD)/%.$(set).o))
MODEL_OBJECTS := $(call objects,$(filter-out $(KERNEL_SOURCES),$(wildcard model/*.c model/analysis/*.c))) \
                 $(KERNEL_OBJECTS)
DATA_OBJECTS  := $(call objects,$(wildcard data/*.c))
VIZ_OBJECTS   := $(call objects,$(wildcard viz/*.c))
APP_OBJECTS   := $(call objects,$(wildcard app/*.c))

.PHONY: all binary run test check deps oracle asan tsan valgrind fuzz bench arrows format lint models install \
        clean

all: deps
	@$(MAKE) --no-print-directory binary

binary: headscope

headscope: $(BUILD)/headscope
	@cp -f $< $@

$(BUILD)/headscope: $(APP_OBJECTS) $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(VIZ_LIBS) $(WINDOW_LIBS) $(DATA_LIBS) $(MODEL_LIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

define KERNEL_RULE
$(BUILD)/%.$(1).o: %.c
	@mkdir -p $$(@D)
	$(CC) $$(ALL_CFLAGS) $(KERNEL_LEVEL) -ffp-contract=fast $(KERNEL_FLAGS_$(1)) -DKERNEL_SET=$(1) -c -o $$@ $$<
endef
$(foreach set,$(KERNEL_SETS),$(eval $(call KERNEL_RULE,$(set))))

# stb_image_write's loops over a picture's bytes become vectors only so.
$(BUILD)/viz/picture_stb.o: CFLAGS += -O3

# --- tests ---------------------------------------------------------------------------------------
# One program a subject. What a test may link says what its folder may know: the model's tests link
# no SDL, the pictures' tests link, of model/, the trace alone. tests/double/ is built in the double
# variant, where gradients can be compared to 1e-6 and better.
TRACE_OBJECTS := $(patsubst %,$(BUILD)/model/%.o,trace trace_fold trace_kept trace_lent large_memory error visible)
tests_in = $(patsubst %.c,$(BUILD)/%,$(wildcard tests/$(1)/test_*.c))
ifeq ($(VARIANT),double)
TESTS := $(call tests_in,double)
else ifeq ($(VARIANT),tsan)
# Those that start threads; the rest would tell nothing new.
TESTS := $(BUILD)/tests/model/test_trainer $(call tests_in,session)
else
TESTS := $(call tests_in,model) $(call tests_in,data) $(call tests_in,viz) \
         $(call tests_in,session) $(call tests_in,app)
endif
TEST_HELPERS_model   := $(call objects,$(wildcard tests/model/helper_*.c))
TEST_HELPERS_double  := $(TEST_HELPERS_model)
TEST_HELPERS_session := $(call objects,$(wildcard tests/session/helper_*.c))

CMOCKA_LIBS := $(call LIBS_OF,cmocka)
LINK_TEST = $(CC) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(CMOCKA_LIBS)

$(BUILD)/tests/model/%: $(BUILD)/tests/model/%.o $(TEST_HELPERS_model) $(MODEL_OBJECTS)
	$(LINK_TEST) $(MODEL_LIBS)
$(BUILD)/tests/double/%: $(BUILD)/tests/double/%.o $(TEST_HELPERS_double) $(MODEL_OBJECTS)
	$(LINK_TEST) $(MODEL_LIBS)
$(BUILD)/tests/data/%: $(BUILD)/tests/data/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(LINK_TEST) $(DATA_LIBS) $(call LIBS_OF,libzip) $(MODEL_LIBS)
$(BUILD)/tests/viz/%: $(BUILD)/tests/viz/%.o $(VIZ_OBJECTS) $(TRACE_OBJECTS)
	$(LINK_TEST) $(VIZ_LIBS) $(call LIBS_OF,zlib)
# What the program is made of, tested from within: all of it but main.
$(BUILD)/tests/session/%: $(BUILD)/tests/session/%.o $(TEST_HELPERS_session) \
                          $(filter-out $(BUILD)/app/main.o,$(APP_OBJECTS)) \
                          $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(LINK_TEST) $(VIZ_LIBS) $(WINDOW_LIBS) $(DATA_LIBS) $(MODEL_LIBS)
# The program's tests run ./headscope of their own variant as a person would.
$(BUILD)/tests/app/%: $(BUILD)/tests/app/%.o $(BUILD)/headscope
	$(CC) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $< $(CMOCKA_LIBS) $(DATA_LIBS) -lm

.SECONDARY:

# Threads of BLAS are ours to choose in the program; here they are pinned for every library.
# libdbus keeps a block that SDL cannot give back.
TEST_ENVIRONMENT := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 HEADSCOPE=$(CURDIR)/$(BUILD)/headscope \
                    LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
TEST_WRAPPER ?=

# Those of the network run once more on each set of kernels that the machine has beside its best,
# and with OpenBLAS in the place of our products (HEADSCOPE_KERNELS); not under the sanitizers, for
# most kernels are tested in all sets anyway.
ifneq ($(filter release double,$(VARIANT)),)
KERNEL_SETS_USABLE := $(BUILD)/tests/model/kernel_sets
KERNEL_TESTS := $(filter $(BUILD)/tests/double/% $(addprefix $(BUILD)/tests/model/test_,\
    ablation acceptance attention_dropout decode_forced embedding kernels lengths linear loss \
    multihead trainer transformer transformer_trace weight_story),$(TESTS))
endif

# Builds and runs the tests of this VARIANT.
check: $(TESTS) $(KERNEL_SETS_USABLE)
	@failed=; for test in $(TESTS); do \
	    $(TEST_ENVIRONMENT) $(TEST_WRAPPER) $$test || failed="$$failed $$test"; \
	done; \
	for set in $(if $(KERNEL_TESTS),$$($(KERNEL_SETS_USABLE))); do for test in $(KERNEL_TESTS); do \
	    echo "HEADSCOPE_KERNELS=$$set $$test"; \
	    $(TEST_ENVIRONMENT) HEADSCOPE_KERNELS=$$set $(TEST_WRAPPER) $$test || failed="$$failed $$test($$set)"; \
	done; done; [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }

test: deps
	@$(MAKE) --no-print-directory binary
	@$(MAKE) --no-print-directory check
	@$(MAKE) --no-print-directory check VARIANT=double

asan: deps
	@$(MAKE) --no-print-directory check VARIANT=asan

tsan: deps
	@$(MAKE) --no-print-directory check VARIANT=tsan

valgrind: deps
	@command -v valgrind >/dev/null || { echo "make valgrind needs valgrind: apt-get install valgrind"; exit 1; }
	@$(MAKE) --no-print-directory check \
	    TEST_WRAPPER="env HEADSCOPE_TEST_SMALL=1 valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite --suppressions=tests/valgrind.supp"

FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

fuzz: deps
	@$(MAKE) --no-print-directory run-fuzzers VARIANT=fuzz

.PHONY: run-fuzzers
run-fuzzers: $(FUZZERS:%=$(BUILD)/tests/fuzz/%)
	@mkdir -p $(BUILD)/corpus
	@for fuzzer in $^; do \
	    corpus=$(BUILD)/corpus/$$(basename $$fuzzer); mkdir -p $$corpus; \
	    $(TEST_ENVIRONMENT) $$fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	        -verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/ \
	        $$corpus tests/fuzz/seeds/$$(basename $$fuzzer) || exit 1; \
	done

# The reader of dumps stands in app/, and needs nothing else of it.
$(BUILD)/tests/fuzz/fuzz_check: $(filter $(BUILD)/app/dump%.o,$(APP_OBJECTS))
$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(VARIANT_LDFLAGS) -fsanitize=fuzzer -pthread -o $@ $^ $(DATA_LIBS) $(MODEL_LIBS)

PYTHON ?= /usr/bin/python3
$(BUILD)/tests/oracle/%: $(BUILD)/tests/oracle/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(VARIANT_LDFLAGS) $(LDFLAGS) -pthread -o $@ $^ $(DATA_LIBS) $(MODEL_LIBS)

# The probe is built in two number types: float against float32, double against float64.
.PHONY: oracle-probe
oracle-probe: $(BUILD)/tests/oracle/probe $(BUILD)/tests/oracle/probe_maps \
              $(BUILD)/tests/oracle/probe_mistakes

RUN_ORACLE = OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 \
    HEADSCOPE=$(CURDIR)/$(BUILD)/headscope PROBE=$(BUILD)/tests/oracle/probe \
    PROBE_MAPS=$(BUILD)/tests/oracle/probe_maps PROBE_MISTAKES=$(BUILD)/tests/oracle/probe_mistakes \
    PROBE_DOUBLE=build/double/tests/oracle/probe $(PYTHON)
oracle: deps
	@$(PYTHON) -c 'import torch' 2>/dev/null || { echo "make oracle needs PyTorch: apt-get install python3-torch"; exit 1; }
	@$(MAKE) --no-print-directory binary oracle-probe
	@$(MAKE) --no-print-directory oracle-probe VARIANT=double
	$(RUN_ORACLE) tests/oracle/run.py
	@echo "The network by OpenBLAS:"
	HEADSCOPE_KERNELS=blas $(RUN_ORACLE) tests/oracle/run.py --network

# Writes the table of what the doctor finds, between its marks in README.md or docs/.
.PHONY: oracle-table
oracle-table: binary
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 DOCTOR_TABLE=1 \
	    HEADSCOPE=$(CURDIR)/$(BUILD)/headscope $(PYTHON) tests/oracle/run.py doctor_names_mistakes

# Trains a model with each silent mistake and writes the table in docs/lessons.md: ten minutes.
.PHONY: trap-table
trap-table: binary
	HEADSCOPE=$(CURDIR)/$(BUILD)/headscope sh assets/traps.sh

# Evaluates the shipped models, for the tables in assets/README.md.
.PHONY: model-table
model-table: binary
	HEADSCOPE=$(CURDIR)/$(BUILD)/headscope sh assets/table.sh

# Draws the pictures of README.md and docs/ by the commands that stand under them.
.PHONY: pictures
pictures: binary
	HEADSCOPE=$(CURDIR)/$(BUILD)/headscope sh assets/pictures.sh

# --- benchmarks ----------------------------------------------------------------------------------
PEAK_OBJECTS := $(BUILD)/bench/peak.o $(KERNEL_SETS:%=$(BUILD)/bench/kernel_peak.%.o)
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(BUILD)/app/clock.o $(PEAK_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(CC) $(LDFLAGS) -pthread -o $@ $^ $(DATA_LIBS) $(MODEL_LIBS)

$(BUILD)/bench/map_redraw: $(BUILD)/bench/map_redraw.o $(BUILD)/app/clock.o $(VIZ_OBJECTS) $(TRACE_OBJECTS)
	$(CC) $(LDFLAGS) -pthread -o $@ $^ $(VIZ_LIBS)

# BENCH names some of them: make bench BENCH=bench/window_keys.sh
BENCH ?=
bench: deps
	@$(MAKE) --no-print-directory bench-programs
	@BUILD=$(BUILD) sh bench/run.sh $(BENCH)

.PHONY: bench-programs
bench-programs: $(BUILD)/headscope $(patsubst bench/%.c,$(BUILD)/bench/%,\
                $(filter-out bench/peak.c bench/kernel_%.c,$(wildcard bench/*.c)))

arrows:
	@sh tests/arrows.sh

SOURCES := $(wildcard model/*.[ch] model/analysis/*.[ch] data/*.[ch] viz/*.[ch] app/*.[ch] tests/*/*.[ch] bench/*.[ch])
format:
	clang-format -i $(SOURCES)
lint:
	clang-format --dry-run -Werror $(SOURCES)

# --- the rest ------------------------------------------------------------------------------------
deps:
	@sh tools/deps.sh $(PACKAGES) -- $(TEST_PACKAGES)

run: deps
	@$(MAKE) --no-print-directory binary
	@sh tools/run.sh

models: deps
	@$(MAKE) --no-print-directory binary
	sh assets/train.sh

PREFIX ?= /usr/local
install: binary
	install -D -m 755 headscope $(DESTDIR)$(PREFIX)/bin/headscope
	install -d $(DESTDIR)$(PREFIX)/share/headscope
	install -m 644 assets/*.safetensors $(DESTDIR)$(PREFIX)/share/headscope/

clean:
	rm -rf build headscope out

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
