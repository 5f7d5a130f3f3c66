# Tests, the comparison with PyTorch, fuzzers, benchmarks, and the checks of the sources.
#
# One program a subject. What a test may link says what its folder may know: the model's tests link
# no SDL, the pictures' tests link, of model/, the base and the trace alone. tests/double/ is built in the double
# variant, where gradients can be compared to 1e-6 and better.

.PHONY: test check test-programs asan tsan valgrind fuzz run-fuzzers oracle oracle-probe oracle-table \
        mistake-tables bench bench-programs arrows circles format lint

TRACE_OBJECTS := $(call objects,$(wildcard model/base/*.c model/trace/*.c))
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

$(call objects,$(wildcard $(addprefix tests/,model/*.c double/*.c data/*.c viz/*.c session/*.c app/*.c))): \
    | test-packages
$(TESTS): $(BUILD)/link.flags

LINK_TEST = $(LINK) $(CMOCKA_LIBS)

$(BUILD)/tests/model/%: $(BUILD)/tests/model/%.o $(TEST_HELPERS_model) $(MODEL_OBJECTS)
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(MODEL_LIBS)
$(BUILD)/tests/double/%: $(BUILD)/tests/double/%.o $(TEST_HELPERS_double) $(MODEL_OBJECTS)
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(MODEL_LIBS)
$(BUILD)/tests/data/%: $(BUILD)/tests/data/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(DATA_LIBS) $(ZIP_LIBS) $(MODEL_LIBS)
$(BUILD)/tests/viz/%: $(BUILD)/tests/viz/%.o $(VIZ_OBJECTS) $(TRACE_OBJECTS)
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(VIZ_LIBS) $(call libs_of,zlib)
# What the program is made of, tested from within: all of it but main.
$(BUILD)/tests/session/%: $(BUILD)/tests/session/%.o $(TEST_HELPERS_session) \
                          $(filter-out $(BUILD)/app/main.o,$(APP_OBJECTS)) \
                          $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(VIZ_LIBS) $(WINDOW_LIBS) $(DATA_LIBS) $(MODEL_LIBS)
# The program's tests run headscope of their own variant as a person would.
$(BUILD)/tests/app/%: $(BUILD)/tests/app/%.o | $(BUILD)/headscope
	$(call say,LINK)
	$(Q)$(LINK_TEST) $(DATA_LIBS) -lm

.SECONDARY:

# Threads of BLAS are ours to choose in the program; here they are pinned for every library.
# libdbus keeps a block that SDL cannot give back.
TEST_ENVIRONMENT := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 HEADSCOPE='$(CURDIR)/$(BUILD)/headscope' \
                    LSAN_OPTIONS=suppressions='$(CURDIR)/tests/lsan.supp':print_suppressions=0
TEST_WRAPPER ?=

# The tests of the network run once more on each set of kernels that the machine has beside its
# best, and with OpenBLAS in the place of our products (HEADSCOPE_KERNELS); not under the sanitizers,
# for most kernels are tested in all sets anyway.
ifneq ($(filter release double,$(VARIANT)),)
KERNEL_SETS_USABLE := $(BUILD)/tests/model/kernel_sets
KERNEL_TESTS := $(filter $(BUILD)/tests/double/% $(addprefix $(BUILD)/tests/model/test_,\
    ablation acceptance attention_dropout decode_forced embedding kernels lengths linear loss \
    multihead numerics trainer transformer transformer_trace weight_story),$(TESTS))
$(KERNEL_SETS_USABLE): $(BUILD)/link.flags
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

# Builds them alone.
test-programs: $(TESTS) $(BUILD)/headscope

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

# --- fuzzers -------------------------------------------------------------------------------------
FUZZ_SECONDS ?= 60
FUZZERS := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

fuzz: deps
	@command -v clang >/dev/null || { echo "make fuzz needs clang: apt-get install clang"; exit 1; }
	@$(MAKE) --no-print-directory run-fuzzers VARIANT=fuzz

run-fuzzers: $(FUZZERS:%=$(BUILD)/tests/fuzz/%)
	@mkdir -p $(BUILD)/corpus
	@for fuzzer in $(filter-out FORCE,$^); do \
	    corpus=$(BUILD)/corpus/$$(basename $$fuzzer); mkdir -p $$corpus; \
	    $(TEST_ENVIRONMENT) $$fuzzer -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
	        -verbosity=0 -print_final_stats=1 -artifact_prefix=$(BUILD)/ \
	        $$corpus tests/fuzz/seeds/$$(basename $$fuzzer) || exit 1; \
	done

$(BUILD)/tests/fuzz/%: $(BUILD)/tests/fuzz/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS) $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) -fsanitize=fuzzer $(DATA_LIBS) $(MODEL_LIBS)

# The reader of dumps stands in app/, and needs nothing else of it.
$(BUILD)/tests/fuzz/fuzz_check: $(filter $(BUILD)/app/check/dump%.o,$(APP_OBJECTS))

# --- the comparison with PyTorch -----------------------------------------------------------------
PYTHON ?= /usr/bin/python3
$(BUILD)/tests/oracle/%: $(BUILD)/tests/oracle/%.o $(DATA_OBJECTS) $(MODEL_OBJECTS) $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) $(DATA_LIBS) $(MODEL_LIBS)

# The probe is built in two number types: float against float32, double against float64.
oracle-probe: $(BUILD)/tests/oracle/probe $(BUILD)/tests/oracle/probe_maps \
              $(BUILD)/tests/oracle/probe_mistakes

ORACLE_ENVIRONMENT := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 \
                      HEADSCOPE='$(CURDIR)/$(BUILD)/headscope'

RUN_ORACLE = $(ORACLE_ENVIRONMENT) PROBE=$(BUILD)/tests/oracle/probe PROBE_MAPS=$(BUILD)/tests/oracle/probe_maps \
             PROBE_MISTAKES=$(BUILD)/tests/oracle/probe_mistakes \
             PROBE_DOUBLE=build/double/tests/oracle/probe $(PYTHON) tests/oracle/run.py

oracle: deps
	@$(PYTHON) -c 'import torch' 2>/dev/null || { echo "make oracle needs PyTorch: apt-get install python3-torch"; exit 1; }
	@$(MAKE) --no-print-directory binary oracle-probe
	@$(MAKE) --no-print-directory oracle-probe VARIANT=double
	$(RUN_ORACLE)
	@echo "The network by OpenBLAS:"
	HEADSCOPE_KERNELS=blas $(RUN_ORACLE) --network

# Writes the table of what the doctor finds, between its marks in docs/check.md.
oracle-table: binary oracle-probe
	$(ORACLE_ENVIRONMENT) DOCTOR_TABLE=1 $(PYTHON) tests/oracle/run.py doctor_names_mistakes

# Writes the tables of the mistakes that the doctor can name, between their marks in docs/check.md.
mistake-tables: $(BUILD)/tests/session/test_check_docs
	$(BUILD)/tests/session/test_check_docs --write

# --- benchmarks ----------------------------------------------------------------------------------
PEAK_OBJECTS := $(call objects,bench/peak.c bench/peak_simd.c)
$(BUILD)/bench/%: $(BUILD)/bench/%.o $(PEAK_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS) $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) $(DATA_LIBS) $(MODEL_LIBS)

$(BUILD)/bench/map_redraw: $(BUILD)/bench/map_redraw.o $(VIZ_OBJECTS) $(TRACE_OBJECTS) \
                           $(BUILD)/link.flags
	$(call say,LINK)
	$(Q)$(LINK) $(VIZ_LIBS)

# BENCH names some of them: make bench BENCH=bench/window_keys.sh
BENCH ?=
bench: deps
	@$(MAKE) --no-print-directory bench-programs
	@BUILD=$(BUILD) sh bench/run.sh $(BENCH)

bench-programs: $(BUILD)/headscope $(patsubst bench/%.c,$(BUILD)/bench/%,\
                $(filter-out bench/peak.c bench/%_simd.c,$(wildcard bench/*.c)))

# --- the sources ---------------------------------------------------------------------------------
arrows:
	@sh tests/arrows.sh

# Of the program as it was built: files that need each other.
circles: binary
	@sh tests/circles.sh $(APP_OBJECTS) $(VIZ_OBJECTS) $(DATA_OBJECTS) $(MODEL_OBJECTS)

SOURCES := $(wildcard $(foreach folder,model data viz app tests,$(folder)/*.[ch] $(folder)/*/*.[ch]) \
                      bench/*.[ch] tools/*.[ch])
format:
	@clang-format -i $(SOURCES)
lint:
	@clang-format --dry-run -Werror $(SOURCES)
