.PHONY: install uninstall deb icons
