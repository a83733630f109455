# make demo        install missing packages, build, and read a simulated cuff into the terminal and a database
# make test        install missing packages and run every test that does not need root or a virtual machine
# make test-core   the pure modules and their tests alone; FILTER=R1 for the tests with that in their name
# make test-exhaustive  the core and clinical tests with every bit flipped, every seed and all readings
# make lint        formatting and the project rules
# make conformance the open test cases in Conformance/ against the debug build, and a recording made, anonymised and replayed
# make examples    build the programs in Examples/ that embed the libraries, and check their package
# make documentation  the articles and comments of the libraries by DocC without warnings; examples use public declarations only
# make build       the release binary at .build/release/cuff
# make install     install the result of `make build` below PREFIX=/usr/local: binary, udev rules and hwdb, systemd units, shell completions
# make deb         Debian packages (cuff, cuff-sinks) of the tracked files, checked with lintian, and their SBOM, in .build/deb
# make test-deb    install, upgrade and purge them in a debootstrap Debian (as root; SUITE=bookworm)
# make test-system the package under systemd, in a virtual machine: two cuffs, two persons, the page, restart, upgrade, purge (as root)
# make newcomer    the path of a newcomer with the debug build: two cuffs, two persons, the service, the page with its link, the report
# make pictures    renew the pictures of README.md in docs/pictures
# make test-web    test the page of `cuff watch --web` in a headless Chromium, if installed; screenshots in .build/web-pictures
# make bench-web   processor time of a watch of 64 cuffs with 50 pressures a second each and two viewers of its page
# make tarball     binary, udev rules, units, completions and manual with an installer, in .build/cuff-VERSION-MACHINE.tar.xz
# make release     the Debian packages and the tarball with exactly the dependencies of .ci/Package.resolved
# make uninstall   remove what `make install` installed below PREFIX; keeps readings
# make readme      regenerate the tables of cuffs, addresses, sinks and recordings in docs/
# make manual      regenerate the manual pages in man/
# make hooks       install a git pre-commit hook that runs `make lint`
# make rebaseline  rewrite the expected lines of the captures; read every changed line before you commit
# make vectors     replay the shared byte sessions, if present (VECTORS=...)
# make udev-rules  regenerate udev-rules/70-cuff.* from the list of drivers
# make test-udev   test rules, units and the hotplug watcher with udev, systemd and umockdev, if installed
# make test-kernel test the release binary with the kernel's drivers, in an unprivileged virtual machine (LIMIT=600 seconds)
# make test-idle   the release binary's wake-ups and memory while idle;  make test-cycles: 1,000 plug cycles
# make bench       speed relative to plain C references
# make fuzz        T=60: every fuzz target for T seconds
# make test-kill   kill -9 and unplugging at 500 random instants each: no confirmed reading is lost or stored twice
# make test-sources  programs as sources of a watch, and KILLS=100 kills of both: none lost, none twice
# make test-stall  a sink that stops for a minute: flat memory, nothing lost
# make test-import  a generated Apple Health export of 200 MB: memory and speed of `cuff import`
# make soak        T=600: eight cuffs into four sinks for T seconds: flat memory and descriptors
# make test-tsan   the tests under ThreadSanitizer, with 1,000 random cancellations;  make test-asan: under AddressSanitizer
# make remote      build the helper programs that deliver readings to servers, in Remote/.build/release
# make test-remote their unit tests, and each with real servers on loopback (KILLS=25 rounds of kill -9; PARTS="fleet mqtt";
#                  PARTS=cluster: three RabbitMQ nodes)
# make test-alerts the alert rules for Prometheus with its promtool: each fires where it must, and only there (in the nightly run)
# make test-home-assistant  the MQTT sink with mosquitto and a real Home Assistant (730 MB from PyPI; in the nightly run)
# make test-recipes run the blocks of docs/RECIPES.md and docs/FLEET.md with real servers on loopback
# make install-remote  install the helper programs into PREFIX/libexec/cuff, and Grafana's dashboards (as root, after make remote)
# make clean       remove build folders

PREFIX ?= /usr/local
DESTDIR ?=
VECTORS ?= ../shared/vectors
T ?= 60
SWIFT ?= swift
# Tests that measure the memory, descriptors or wake-ups of a process have one of their own; those that depend on timing run last, alone.
MEASURED = idleWatch_NeverWakes|cycles_LeaveNothing|requiredSink_ThatStops|optionalSink_ThatStops|cancellingAtAnyAwait
ALONE = manyHangUpsAtOnce|sixtyFourCuffs|watch_TellsItsStatistics|callersBeyondTheLimit
# Strips symbols, unused sections and unwind tables, exports nothing, packs relocations (glibc 2.36), and links the C++ runtime
# statically: this halves the instructions before `main`. The linker uses the first libstdc++ that it finds.
# Generic types are requested by accessor, not by mangled name: for a name the runtime searches the program for conformances,
# which was a fifth of all instructions of a start that parses arguments.
STATIC = $(CURDIR)/.build/static
# The helpers wait for servers: they are compiled for size.
SMALL = -Xswiftc -Osize -Xswiftc -Xfrontend -Xswiftc -function-sections
RELEASE = -c release --static-swift-stdlib -Xswiftc -use-ld=lld -Xswiftc -L$(STATIC) -Xswiftc -Xclang-linker -Xswiftc -static-libgcc \
	-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
	-Xlinker --gc-sections -Xlinker --no-export-dynamic -Xlinker -z -Xlinker pack-relative-relocs -Xlinker -s \
	-Xlinker -T -Xlinker $(CURDIR)/.ci/release.ld
BUILD_PACKAGES = libsqlite3-dev libudev-dev pkg-config
SHOW_PACKAGES = jq sqlite3
TEST_PACKAGES = libxml2-utils
REMOTE_PACKAGES = libcurl4-openssl-dev libmosquitto-dev libpq-dev librabbitmq-dev libssl-dev pkg-config
RECIPE_PACKAGES = curl influxdb jq mosquitto mosquitto-clients openssl postgresql python3-venv rabbitmq-server sqlite3
DEB_PACKAGES = chrpath debhelper dpkg-dev fakeroot lintian
GRAFANA = Remote/Grafana/influxdb.json Remote/Grafana/postgresql.json Remote/Grafana/fleet.json Remote/Prometheus/cuff.rules.yml
REMOTE_PROGRAMS = cuff-sink-hl7 cuff-sink-http cuff-sink-mqtt cuff-sink-postgres cuff-gateway

# The binaries to install; packages and tests may use another build.
BINARY ?= .build/release/cuff
REMOTE_BINARIES ?= Remote/.build/release
KILLS ?= 25
# udev and systemd read fixed folders, not every prefix: rules below /usr and /usr/local; the hwdb below /usr and /etc only
# (hwdb(7)), and of /usr the spelling /lib/udev, which Debian's dpkg trigger watches. For other prefixes use /etc.
ifneq ($(filter /usr,$(PREFIX)),)
RULESDIR ?= /lib/udev/rules.d
HWDBDIR ?= /lib/udev/hwdb.d
else
RULESDIR ?= $(if $(filter /usr/local,$(PREFIX)),/usr/local/lib/udev/rules.d,/etc/udev/rules.d)
HWDBDIR ?= /etc/udev/hwdb.d
endif
UNITDIR ?= $(if $(filter /usr /usr/local,$(PREFIX)),$(PREFIX)/lib/systemd/system,/etc/systemd/system)
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
MANDIR ?= $(PREFIX)/share/man
MANUAL = $(wildcard man/*.[157])
# Build flags for packages; see debian/rules.
BUILD_FLAGS ?=
REMOTE_FLAGS ?=
SUITE ?= bookworm

.PHONY: binary remote-binaries deb release test-deb test-web bench-web tarball manual hooks examples conformance help readme demo test test-build test-run test-core test-exhaustive lint build install uninstall rebaseline udev-rules test-udev test-kernel test-idle test-cycles vectors bench fuzz test-kill test-stall soak test-tsan test-asan remote test-remote test-recipes install-remote clean packages

help:
	@sed -n 's/^# //p' Makefile

packages:
	@.ci/packages $(BUILD_PACKAGES) $(SHOW_PACKAGES)

examples: packages
	$(SWIFT) build --target EmbeddingExample
	$(SWIFT) package --package-path Examples dump-package >/dev/null

.PHONY: documentation
documentation: packages
	$(SWIFT) build --target CuffFoundation
	$(SWIFT) build --target EmbeddingExample
	@.ci/documentation

conformance: packages
	$(SWIFT) build --product cuff
	@Conformance/generate --check
	@Conformance/selftest
	@Conformance/run Conformance/adapters/cuff .build/debug/cuff
	@Tests/recording.sh .build/debug/cuff

build: packages binary

binary: $(STATIC)/libstdc++.a
	$(SWIFT) build $(RELEASE) $(BUILD_FLAGS) --product cuff

$(STATIC)/libstdc++.a:
	mkdir -p $(@D)
	ln -sf "$$(clang -print-file-name=libstdc++.a || cc -print-file-name=libstdc++.a)" $@

# A debug build, which `make test` builds on: the demo starts several times earlier.
demo: packages
	@.ci/quietly $(SWIFT) build --product cuff
	@.ci/demo .build/debug/cuff

test: test-build test-run

test-build: packages
	@.ci/packages $(TEST_PACKAGES) || echo "without $(TEST_PACKAGES): what needs them says so"
	@.ci/quietly $(SWIFT) build --build-tests

# Runs what `make test-build` built. All suites run even if one fails. The pure tests compute while the others wait;
# those of CuffIngest mostly wait for timers of sessions and sinks, so 32 of them run at once.
test-run:
	@status=0; export SWIFT=$(SWIFT); \
	trap 'kill $$pids 2>/dev/null; wait; exit 130' INT TERM HUP; \
	nice .ci/suite 780 'CuffCoreTests|CuffClinicalTests|SQLiteTests|TOMLTests|CuffFoundationTests|AcmeDriverTests' & pids=$$!; \
	.ci/suite 780 EndToEnd again --skip '$(MEASURED)|$(ALONE)' & pids="$$pids $$!"; \
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=32 .ci/suite 780 CuffIngestTests again --skip '$(MEASURED)|$(ALONE)' & pids="$$pids $$!"; \
	.ci/suite 780 '$(MEASURED)' again --no-parallel & pids="$$pids $$!"; \
	for pid in $$pids; do wait $$pid || status=1; done; \
	.ci/suite 280 '$(ALONE)' again --no-parallel & pids=$$!; \
	wait $$pids || status=1; \
	exit $$status

# A separate build folder: SwiftPM would plan the whole build again whenever the parts change.
test-core:
	CUFF_PARTS=core $(SWIFT) test --scratch-path .build-core --filter '$(or $(FILTER),.)'

test-exhaustive: packages
	$(SWIFT) build --build-tests
	@CUFF_EXHAUSTIVE=1 SWIFT=$(SWIFT) .ci/suite 3600 'CuffCoreTests|CuffClinicalTests'

lint:
	@.ci/lint

# Runs as root, so it does not build: that would leave root's files in the build folder, and might download.
install:
	@test -x $(BINARY) || { echo "cannot install: there is no $(BINARY); run \`make build\` first, as yourself" >&2; exit 1; }
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/cuff
	install -D -m 644 udev-rules/70-cuff.rules $(DESTDIR)$(RULESDIR)/70-cuff.rules
	install -D -m 644 udev-rules/70-cuff.hwdb $(DESTDIR)$(HWDBDIR)/70-cuff.hwdb
	install -D -m 644 -t $(DESTDIR)$(UNITDIR) udev-rules/cuff.service udev-rules/cuff@.service
	sed -i 's|/usr/bin/cuff|$(PREFIX)/bin/cuff|' $(DESTDIR)$(UNITDIR)/cuff.service $(DESTDIR)$(UNITDIR)/cuff@.service
	install -D -m 644 udev-rules/cuff-network.conf $(DESTDIR)$(PREFIX)/share/cuff/cuff-network.conf
	install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR)
	$(BINARY) --generate-completion-script bash | sed '1{/^#!/d}' > $(DESTDIR)$(BASHDIR)/cuff
	$(BINARY) --generate-completion-script zsh > $(DESTDIR)$(ZSHDIR)/_cuff
	$(BINARY) --generate-completion-script fish > $(DESTDIR)$(FISHDIR)/cuff.fish
	for page in $(MANUAL); do install -D -m 644 -t $(DESTDIR)$(MANDIR)/man$${page##*.} $$page; done
	@echo
	@echo "Installed below $(DESTDIR)$(PREFIX). To finish, as root:"
	@echo "  systemd-hwdb update && udevadm control --reload"
	@echo "  udevadm trigger --action=change --subsystem-match=usb --subsystem-match=tty --subsystem-match=hidraw"
	@echo "  usermod -aG dialout USER           # access to serial cuffs; log in again afterwards"
	@echo "  systemctl daemon-reload && systemctl enable --now cuff     # to read every cuff as a service"
	@echo "Then: cuff list"

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/cuff $(DESTDIR)$(RULESDIR)/70-cuff.rules $(DESTDIR)$(HWDBDIR)/70-cuff.hwdb
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/libexec/cuff/,$(REMOTE_PROGRAMS))
	rm -f $(DESTDIR)$(UNITDIR)/cuff.service $(DESTDIR)$(UNITDIR)/cuff@.service
	rm -f $(DESTDIR)$(PREFIX)/share/cuff/cuff-network.conf
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/share/cuff/grafana/,$(notdir $(GRAFANA)))
	-rmdir $(DESTDIR)$(PREFIX)/share/cuff/grafana $(DESTDIR)$(PREFIX)/share/cuff 2>/dev/null
	rm -f $(DESTDIR)$(BASHDIR)/cuff $(DESTDIR)$(ZSHDIR)/_cuff $(DESTDIR)$(FISHDIR)/cuff.fish
	for page in $(MANUAL); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$${page##*/}; done
	@echo
	@echo "Removed. To finish, as root: systemctl daemon-reload; systemd-hwdb update; udevadm control --reload"
	@echo "To stop a running service: systemctl disable --now cuff"
	@echo "Readings (e.g. in /var/lib/cuff) and /etc/cuff were kept."

rebaseline: packages
	$(SWIFT) build --product cuff
	@.ci/rebaseline .build/debug/cuff captures

# The rules, the hwdb and the AppStream metadata.
udev-rules: packages
	CUFF_REBASELINE=1 $(SWIFT) test --disable-xctest --filter UdevRulesTests/files

test-udev:
	Tests/units.sh
	Tests/udev-rules.sh
	Tests/hotplug.sh

# 77: the virtual machine cannot run here; the reason was printed.
test-kernel: build
	@Tests/Kernel/run .build/release/cuff || { status=$$?; [ $$status = 77 ] && echo "test-kernel: skipped"; }

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

.PHONY: test-import
test-import: build
	@Tests/Imports/apple.py .build/release/cuff

soak: T = 600
soak: build
	@Tests/soak.sh .build/release/cuff $(T)

# Sanitizers are several times slower, so the limits are higher than those of `make test`.
test-tsan: packages
	@SWIFT=$(SWIFT) .ci/sanitized thread '$(MEASURED)|$(ALONE)'

test-asan: packages
	@SWIFT=$(SWIFT) .ci/sanitized address '$(MEASURED)|$(ALONE)'

remote: remote-packages remote-binaries

.PHONY: remote-packages
remote-packages:
	@.ci/packages $(REMOTE_PACKAGES)

remote-binaries: $(STATIC)/libstdc++.a
	$(SWIFT) build --package-path Remote $(RELEASE) $(SMALL) $(REMOTE_FLAGS)

# 77: nothing failed, but a part could not run here; the reasons are printed.
test-remote: test-remote-build
	@KILLS=$(KILLS) SWIFT=$(SWIFT) Remote/Tests/run $(PARTS) || { status=$$?; [ $$status = 77 ] && echo "test-remote: skipped in part"; }

.PHONY: test-remote-build
test-remote-build: remote-packages
	$(SWIFT) build --package-path Remote --build-tests

.PHONY: test-sources
test-sources: packages
	$(SWIFT) build --product cuff
	@KILLS=$(or $(filter-out 25,$(KILLS)),100) Tests/Sources/check.py .build/debug/cuff

.PHONY: test-alerts
test-alerts:
	@Remote/Tests/servers prometheus
	promtool check rules Remote/Prometheus/cuff.rules.yml
	promtool test rules Remote/Tests/Prometheus/cuff.rules.test.yml

.PHONY: test-home-assistant
test-home-assistant: test-remote-build
	@Remote/Tests/home-assistant/run || { status=$$?; [ $$status = 77 ] && echo "test-home-assistant: skipped"; }

# One script with the servers of all recipes; the FHIR server comes from PyPI if reachable.
test-recipes: packages test-remote-build
	@Remote/Tests/servers $(RECIPE_PACKAGES) || echo "without some of $(RECIPE_PACKAGES): what needs them says so"
	$(SWIFT) build --product cuff
	Tests/Recipes/run .build/debug/cuff Remote/.build/debug

# As root, like `install`.
install-remote:
	@for name in $(REMOTE_PROGRAMS); do test -x $(REMOTE_BINARIES)/$$name || { \
		echo "cannot install: there is no $(REMOTE_BINARIES)/$$name; run \`make remote\` first, as yourself" >&2; exit 1; }; done
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/libexec/cuff $(addprefix $(REMOTE_BINARIES)/,$(REMOTE_PROGRAMS))
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/cuff/grafana $(GRAFANA)

clean:
	rm -rf .build .build-* Remote/.build

readme: packages
	$(SWIFT) build --product cuff
	@.ci/readme .build/debug/cuff
	@.ci/recordings

manual: packages
	$(SWIFT) build --product cuff
	@.ci/manual .build/debug/cuff man

hooks:
	@printf '#!/bin/sh\nexec make --no-print-directory lint\n' > "$$(git rev-parse --git-path hooks)/pre-commit"
	@chmod +x "$$(git rev-parse --git-path hooks)/pre-commit"
	@echo "git now runs \`make lint\` before each commit; skip it with \`git commit --no-verify\`."

deb:
	@.ci/packages $(BUILD_PACKAGES) $(REMOTE_PACKAGES) $(DEB_PACKAGES)
	@SWIFT=$(SWIFT) .ci/deb

test-deb:
	@Tests/packaging/scripts.py
	@Tests/packaging/run $(SUITE) .build/deb || { status=$$?; [ $$status = 77 ] && echo "test-deb: skipped"; }

.PHONY: test-system
test-system:
	@Tests/System/run .build/deb || { status=$$?; [ $$status = 77 ] && echo "test-system: skipped"; }

test-web: build
	@Tests/Web/run .build/release/cuff || { status=$$?; [ $$status = 77 ] && echo "test-web: skipped"; }

.PHONY: newcomer test-newcomer pictures
newcomer: packages
	$(SWIFT) build --product cuff
	@Tests/Newcomer/run .build/debug/cuff

test-newcomer: build
	@Tests/Newcomer/run .build/release/cuff

pictures: build
	@.ci/pictures .build/release/cuff

bench-web: build
	@python3 Tests/Web/load.py .build/release/cuff

tarball: build
	@.ci/tarball $(BINARY)

# The tarball contains the same files as the packages.
release:
	@.ci/packages $(BUILD_PACKAGES) $(REMOTE_PACKAGES) $(DEB_PACKAGES)
	@PINNED=yes SWIFT=$(SWIFT) .ci/deb
	@.ci/tarball .build/deb/scratch/cuff/release/cuff
