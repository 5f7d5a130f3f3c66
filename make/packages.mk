# What headscope stands on, found by pkg-config. A version is the oldest that has what is called:
# SDL2 2.26.0 SDL_GetWindowSizeInPixels, FriBidi 1.0 fribidi_get_par_embedding_levels_ex, cJSON 1.7.13
# cJSON_ParseWithLength, libzip 1.6 zip_file_set_dostime.

PACKAGES      := openblas sdl2>=2.26.0 stb freetype2 harfbuzz fribidi>=1.0 fontconfig libcjson>=1.7.13 \
                 libzip>=1.6 zlib libdeflate libmd
TEST_PACKAGES := cmocka

PKG_CONFIG ?= pkg-config
with_tools = PKG_CONFIG='$(PKG_CONFIG)' CC='$(CC)'

names_of = $(foreach package,$(1),$(firstword $(subst >=, ,$(package))))
libs_of  = $(shell $(PKG_CONFIG) --libs $(1) 2>/dev/null)

# Headers of other projects are included as system headers, so that our warnings do not apply to
# them. stb is asked for by itself: where it has no module, the compiler finds its header. It is never
# linked: the module names a library of all its headers, and viz/canvas/picture_png.c compiles the one that
# is used.
PACKAGE_CFLAGS := $(shell { $(PKG_CONFIG) --cflags $(filter-out stb,$(call names_of,$(PACKAGES))); \
                            $(PKG_CONFIG) --cflags stb; } 2>/dev/null | sed 's/-I\//-isystem \//g')

# Where SDL's windows are X's, some pictures take a shorter way (app/window/present.h).
X11_LIBS := $(shell $(PKG_CONFIG) --exists x11 2>/dev/null && $(PKG_CONFIG) --libs x11)
PACKAGE_CFLAGS += $(if $(X11_LIBS),-DHEADSCOPE_X11)

# --- libraries opened late -----------------------------------------------------------------------
# On Linux large libraries that most runs do without are not linked but opened by their sonames when
# they are first needed (model/base/late.h). LATE=0 links them.
LATE_SOURCES := model/kernels/blas.c data/files/zip_library.c app/window/window_library.c

ifeq ($(shell uname),Linux)
LATE ?= 1
else
override LATE := 0
endif
ifneq ($(LATE),0)
soname_of = $(shell $(with_tools) sh tools/soname.sh $(1))
SDL_SONAME  := $(call soname_of,sdl2 SDL2)
BLAS_SONAME := $(call soname_of,openblas openblas)
ZIP_SONAME  := $(call soname_of,libzip zip)
X11_SONAME  := $(if $(X11_LIBS),$(call soname_of,x11 X11))
LATE_FLAGS  := -DHEADSCOPE_LATE -DHEADSCOPE_LATE_SDL='"$(SDL_SONAME)"' \
               -DHEADSCOPE_LATE_BLAS='"$(BLAS_SONAME)"' -DHEADSCOPE_LATE_ZIP='"$(ZIP_SONAME)"' \
               -DHEADSCOPE_LATE_X11='"$(X11_SONAME)"'
# A library without a shared form can only be linked.
ifneq ($(words $(SDL_SONAME) $(BLAS_SONAME) $(ZIP_SONAME) $(or $(X11_SONAME),$(if $(X11_LIBS),,none))),4)
override LATE := 0
endif
endif

# --- what is linked ------------------------------------------------------------------------------
linked = $(if $(filter 0,$(LATE)),$(1))
BLAS_LIBS := $(call libs_of,openblas)
ZIP_LIBS  := $(call libs_of,libzip)
SDL_LIBS  := $(call libs_of,sdl2) $(X11_LIBS)
ALL_LATE_LIBS := $(SDL_LIBS) $(ZIP_LIBS) $(BLAS_LIBS)

MODEL_LIBS  := $(call linked,$(BLAS_LIBS)) -ldl -lm
DATA_LIBS   := $(call libs_of,libcjson zlib libmd) $(call linked,$(ZIP_LIBS))
VIZ_LIBS    := $(call libs_of,freetype2 harfbuzz fribidi fontconfig libdeflate) -lm
WINDOW_LIBS := $(call linked,$(SDL_LIBS))
CMOCKA_LIBS := $(call libs_of,cmocka)

# --- what is missing -----------------------------------------------------------------------------
missing_of = $(shell $(with_tools) sh tools/deps.sh --missing $(foreach package,$(1),'$(package)'))
say_missing = $(if $(1),$(error missing: $(strip $(1)); `make deps` installs it))

# Before anything is compiled.
packages:
	$(call say_missing,$(call missing_of,$(PACKAGES)))

.PHONY: test-packages
test-packages:
	$(call say_missing,$(call missing_of,$(TEST_PACKAGES)))

deps:
	@$(with_tools) sh tools/deps.sh $(foreach package,$(PACKAGES) $(TEST_PACKAGES),'$(package)')
