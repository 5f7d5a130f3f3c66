# Installing: PREFIX is where the program will be, DESTDIR a folder that stands for the root while a
# package is made. Nothing that is compiled knows either: the program finds its models from its own
# place (app/cli/places.h).

.PHONY: install uninstall icons deb

PREFIX ?= /usr/local

SHIPPED_MODELS := copy reverse sort add dates forming forming.snapshots
ICON_SIZES     := 16 32 48 64 128 256

# What is installed: SOURCE:PLACE, below PREFIX.
INSTALLED := $(BUILD)/headscope:bin/headscope \
    $(foreach model,$(SHIPPED_MODELS),assets/$(model).safetensors:share/headscope/$(model).safetensors) \
    assets/tour.txt:share/headscope/tour.txt \
    $(BUILD)/headscope.1:share/man/man1/headscope.1 \
    $(BUILD)/headscope.bash:share/bash-completion/completions/headscope \
    assets/headscope.desktop:share/applications/headscope.desktop \
    assets/headscope.xml:share/mime/packages/headscope.xml \
    assets/icon.svg:share/icons/hicolor/scalable/apps/headscope.svg \
    $(foreach size,$(ICON_SIZES),assets/icon-$(size).png:share/icons/hicolor/$(size)x$(size)/apps/headscope.png) \
    $(foreach text,$(wildcard README.md LICENSE CHANGELOG.md docs/*.md),$(text):share/doc/headscope/$(notdir $(text)))
# Folders that are the program's own.
INSTALLED_FOLDERS := share/headscope share/doc/headscope

$(BUILD)/headscope.1: $(BUILD)/headscope
	$(call say,MAN)
	$(Q)./$< --man >$@.new && mv -f $@.new $@
$(BUILD)/headscope.bash: $(BUILD)/headscope
	$(call say,MAN)
	$(Q)./$< --completion >$@.new && mv -f $@.new $@

# The desktop's caches, where they are not a package manager's to renew.
renew_caches = @[ -n '$(DESTDIR)' ] || sh tools/desktop_caches.sh '$(PREFIX)'

install: $(BUILD)/headscope $(BUILD)/headscope.1 $(BUILD)/headscope.bash
	@set -e; to='$(DESTDIR)$(PREFIX)'; for file in $(INSTALLED); do \
	    place="$$to/$${file#*:}"; mode=644; \
	    case $$place in */bin/*) mode=755;; esac; \
	    $(if $(filter 1,$(V)),echo "install -m $$mode $${file%%:*} $$place";) \
	    mkdir -p "$${place%/*}"; install -m $$mode "$${file%%:*}" "$$place"; \
	done; echo "installed in $$to: bin/headscope, headscope(1), and share/headscope"
	$(renew_caches)

uninstall:
	@set -e; from='$(DESTDIR)$(PREFIX)'; for file in $(INSTALLED); do \
	    $(if $(filter 1,$(V)),echo "rm -f $$from/$${file#*:}";) \
	    rm -f "$$from/$${file#*:}"; \
	done; for folder in $(INSTALLED_FOLDERS); do rmdir "$$from/$$folder" 2>/dev/null || :; done
	$(renew_caches)

# The icon in pixels. One unit of assets/icon.svg is a pixel of the smallest.
icons:
	@command -v rsvg-convert >/dev/null || { echo "make icons needs rsvg-convert: apt-get install librsvg2-bin"; exit 1; }
	@for size in $(ICON_SIZES); do rsvg-convert -w $$size -h $$size -o assets/icon-$$size.png assets/icon.svg; done

# In build/; debian/ says how.
deb:
	@$(with_tools) VERSION='$(VERSION)' DATE='$(DATE)' sh tools/deb.sh
