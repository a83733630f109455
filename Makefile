# make demo        install what is missing, build, and read a simulated cuff into the terminal and bp.db
# make test        install what is missing and run every test that needs neither root nor a virtual machine
# make lint        formatting and the rules of the house
# make examples    build the program in Examples/ that embeds the libraries, and check its package
# make build       the release binary at .build/release/cuff
# make install     PREFIX=/usr/local: binary, udev rules, systemd units, shell completions
# make readme      write the table of cuffs in README.md anew
# make rebaseline  rewrite the expected lines of the captures; read every changed line before you commit
# make vectors     replay the shared byte sessions, where they are present (VECTORS=...)
# make udev-rules  write udev-rules/70-cuff.* anew from the list of drivers
# make test-udev   rules, units and the hotplug watcher against udev, systemd and umockdev, where they are installed
# make test-kernel the release binary against the kernel's own drivers, in a virtual machine without privileges (LIMIT=240 seconds)
# make test-idle   the release binary's wake-ups and memory while there is nothing to do;  make test-cycles: 1,000 times in and out
# make bench       speed against plain C references, as ratios in one run
# make fuzz        T=60: every fuzz target for T seconds
# make test-kill   kill -9 and unplugging at 500 random instants each: nothing confirmed is lost, nothing stored twice
# make test-stall  a sink that stops for a minute: flat memory, nothing lost
# make soak        T=600: four cuffs into every kind of sink for T seconds: flat memory and descriptors
# make test-tsan   the tests under ThreadSanitizer;  make test-asan: under AddressSanitizer
# make clean       remove build folders

PREFIX ?= /usr/local
DESTDIR ?=
VECTORS ?= ../shared/vectors
T ?= 60
SWIFT ?= swift
# Tests that count what the whole process or the whole machine does.
ALONE = manyHangUpsAtOnce|sixtyFourCuffs|cycles_LeaveNothing|idleWatch
# Without symbols and unused sections the binary is a third smaller and starts a fifth sooner.
RELEASE = -c release --static-swift-stdlib -Xlinker --gc-sections -Xlinker -s
BUILD_PACKAGES = libsqlite3-dev libudev-dev pkg-config
SHOW_PACKAGES = jq sqlite3
TEST_PACKAGES = libxml2-utils

.PHONY: examples help readme demo test lint build install rebaseline udev-rules test-udev test-kernel test-idle test-cycles vectors bench fuzz test-kill test-stall soak test-tsan test-asan clean packages

help:
	@sed -n 's/^# //p' Makefile

packages:
	@.ci/packages $(BUILD_PACKAGES) $(SHOW_PACKAGES)

examples: packages
	$(SWIFT) build --target EmbeddingExample
	$(SWIFT) package --package-path Examples dump-package >/dev/null

build: packages
	$(SWIFT) build $(RELEASE) --product cuff

demo: build
	@.ci/demo .build/release/cuff

test: packages
	@.ci/packages $(TEST_PACKAGES) || echo "without $(TEST_PACKAGES): what needs them says so"
	$(SWIFT) build --build-tests
	@SWIFT=$(SWIFT) .ci/suite 900 CuffCoreTests
	@SWIFT=$(SWIFT) .ci/suite 600 'CuffIngestTests|EndToEnd' again --skip '$(ALONE)'
	@SWIFT=$(SWIFT) .ci/suite 300 '$(ALONE)' again --no-parallel

lint:
	@.ci/lint

install: build
	install -D -m 755 .build/release/cuff $(DESTDIR)$(PREFIX)/bin/cuff
	install -D -m 644 udev-rules/70-cuff.rules $(DESTDIR)$(PREFIX)/lib/udev/rules.d/70-cuff.rules
	install -D -m 644 udev-rules/70-cuff.hwdb $(DESTDIR)$(PREFIX)/lib/udev/hwdb.d/70-cuff.hwdb
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system udev-rules/cuff.service udev-rules/cuff@.service
	sed -i 's|/usr/bin/cuff|$(PREFIX)/bin/cuff|' $(DESTDIR)$(PREFIX)/lib/systemd/system/cuff.service $(DESTDIR)$(PREFIX)/lib/systemd/system/cuff@.service
	install -d $(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
	.build/release/cuff --generate-completion-script bash > $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cuff
	.build/release/cuff --generate-completion-script zsh > $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cuff
	.build/release/cuff --generate-completion-script fish > $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/cuff.fish

rebaseline: packages
	$(SWIFT) build --product cuff
	@.ci/rebaseline .build/debug/cuff captures

udev-rules: packages
	CUFF_REBASELINE=1 $(SWIFT) test --disable-xctest --filter UdevRulesTests/files

test-udev:
	Tests/units.sh
	Tests/udev-rules.sh
	Tests/hotplug.sh

test-kernel: build
	Tests/Kernel/run .build/release/cuff

test-idle: build
	Tests/idle .build/release/cuff 60

test-cycles: packages
	CUFF_CYCLES=1000 $(SWIFT) test --disable-xctest --filter PlugCycleTests

vectors: build
	../shared/check-vectors .build/release/cuff $(VECTORS)

bench: build
	@Benchmarks/run

fuzz:
	@Fuzz/run $(T)

test-kill: packages
	$(SWIFT) build --build-tests
	CUFF_KILLS=500 $(SWIFT) test --skip-build --disable-xctest --filter KillTests

test-stall: packages
	$(SWIFT) build --build-tests
	CUFF_STALL=60 $(SWIFT) test --skip-build --disable-xctest --filter StallTests

soak: T = 600
soak: build
	@Tests/soak.sh .build/release/cuff $(T)

# A sanitizer makes everything several times slower, so the limits are several times those of `make test`.
test-tsan: packages
	@SWIFT=$(SWIFT) .ci/sanitized thread '$(ALONE)'

test-asan: packages
	@SWIFT=$(SWIFT) .ci/sanitized address '$(ALONE)'

clean:
	rm -rf .build .build-*

readme: packages
	$(SWIFT) build --product cuff
	@.ci/readme .build/debug/cuff README.md
