#!/usr/bin/env python3
"""scripts.py: what .ci/sbom writes about two small packages, compared with their files, and validated by spdx-tools of PyPI if it can be installed;
and what .ci/reproducible says about packages that are the same and that are not."""
import hashlib, json, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
failures = []


def check(holds, what, *shown):
    if not holds:
        failures.append(what)
        print("FAILED:", what, *shown)


def deb(folder, name, files, depends):
    place = folder / ("tree-" + name)
    (place / "DEBIAN").mkdir(parents=True)
    (place / "DEBIAN/control").write_text("Package: %s\nVersion: 1.2.3-1\nArchitecture: amd64\nMaintainer: a <a@example.org>\nDepends: %s\nDescription: a\n" % (name, depends))
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_text(content)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-b", place, folder / (name + "_1.2.3-1_amd64.deb")], check=True, capture_output=True,
                   env={**os.environ, "SOURCE_DATE_EPOCH": "1777959200"})


def reproducible():
    with tempfile.TemporaryDirectory() as text:
        folder = pathlib.Path(text)
        for side, content in (("a", "program"), ("b", "program"), ("c", "progrom")):
            (folder / side).mkdir()
            deb(folder / side, "cuff", {"usr/bin/cuff": content}, "libc6")
        (folder / "d").mkdir()

        def compare(one, other): return subprocess.run([ROOT / ".ci/reproducible", "compare", folder / one, folder / other], capture_output=True, text=True)
        same, different, absent = compare("a", "b"), compare("a", "c"), compare("a", "d")
        check(same.returncode == 0 and "cuff_1.2.3-1_amd64.deb: identical" in same.stdout, "two packages that are the same", same)
        check(different.returncode == 1 and "./usr/bin/cuff: 1 bytes differ, the first: byte 6" in different.stdout, "the byte that differs", different)
        check(absent.returncode == 1 and compare("d", "d").returncode == 1, "a missing package is a difference", absent)


reproducible()
with tempfile.TemporaryDirectory() as text:
    folder = pathlib.Path(text)
    files = {"usr/bin/cuff": "program", "usr/share/doc/cuff/copyright": "words"}
    deb(folder, "cuff", files, "libc6 (>= 2.36), libudev1 (>= 183)")
    deb(folder, "cuff-sinks", {"usr/libexec/cuff/cuff-sink-http": "helper"}, "cuff (= 1.2.3-1), libc6 (>= 2.36), libcurl4")
    (folder / "cuff/debian").mkdir(parents=True)
    (folder / "cuff/debian/changelog").write_text("cuff (1.2.3-1) unstable; urgency=low\n\n  * a\n\n -- a <a@example.org>  Tue, 05 May 2026 07:33:20 +0200\n")
    command = [ROOT / ".ci/sbom", folder, folder / "sbom.json"]
    done = subprocess.run(command, capture_output=True, text=True)
    check(done.returncode != 0 and "Package.resolved" in done.stderr and not (folder / "sbom.json").exists(), "without the commits it is an error", done)
    commit = "6a52f3251125d74daf04fcbd5e6f08a75d074382"
    pin = {"identity": "swift-log", "location": "https://github.com/apple/swift-log.git", "state": {"revision": commit, "version": "1.16.2"}}
    (folder / "cuff/Package.resolved").write_text(json.dumps({"pins": [pin], "version": 3}))
    subprocess.run(command, check=True)
    first = (folder / "sbom.json").read_bytes()
    subprocess.run(command, check=True)
    check((folder / "sbom.json").read_bytes() == first, "the same packages give the same document")
    found = json.loads(first)
    check(found["creationInfo"]["created"] == "2026-05-05T05:33:20Z", "the time of the changelog", found["creationInfo"])
    sums = {one["fileName"]: {sum["algorithm"]: sum["checksumValue"] for sum in one["checksums"]} for one in found["files"]}
    check(len(sums) == 3 and all(sums["./" + path]["SHA256"] == hashlib.sha256(content.encode()).hexdigest() for path, content in files.items()), "the files", sums)
    packages = {one["name"]: one for one in found["packages"]}
    check({"cuff", "cuff-sinks", "swift-log", "swift-runtime", "gcc-runtime", "libc6", "libudev1", "libcurl4"} == set(packages), "the packages", sorted(packages))
    check(packages["swift-log"]["downloadLocation"] == "git+https://github.com/apple/swift-log.git@" + commit, "the commit of a Swift package", packages["swift-log"])
    check(packages["cuff"]["checksums"][0]["checksumValue"] == hashlib.sha256((folder / "cuff_1.2.3-1_amd64.deb").read_bytes()).hexdigest(), "the checksum of the package")
    # SPDX 2.3, 7.9, computed from the files of this test.
    code = hashlib.sha1("".join(sorted(hashlib.sha1(content.encode()).hexdigest() for content in files.values())).encode()).hexdigest()
    check(packages["cuff"]["packageVerificationCode"]["packageVerificationCodeValue"] == code, "the verification code")
    relations = {(one["spdxElementId"], one["relationshipType"], one["relatedSpdxElement"]) for one in found["relationships"]}
    check(("SPDXRef-Package-cuff-sinks", "DEPENDS_ON", "SPDXRef-Package-cuff") in relations, "one package needs the other")
    check(("SPDXRef-Package-cuff-sinks", "DYNAMIC_LINK", "SPDXRef-Package-libcurl4") in relations
          and ("SPDXRef-Package-cuff", "DYNAMIC_LINK", "SPDXRef-Package-libcurl4") not in relations, "libraries belong to the package that needs them")
    tools = ROOT / ".build/sbom-check"
    if not (tools / "complete").exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", "--clear", tools], check=True)
            subprocess.run([tools / "bin/pip", "install", "-q", "--retries", "1", "--timeout", "15", "--disable-pip-version-check", "spdx-tools==0.8.3"], check=True, timeout=240)
            (tools / "complete").touch()
        except (OSError, subprocess.SubprocessError): print("skipped: spdx-tools of PyPI cannot be installed")
    if (tools / "complete").exists():
        done = subprocess.run([tools / "bin/pyspdxtools", "-i", folder / "sbom.json"], capture_output=True, text=True)
        check(done.returncode == 0, "spdx-tools finds the document valid", done.stdout, done.stderr)
print("packaging scripts: %s" % ("every check holds" if not failures else "%d checks failed" % len(failures)))
sys.exit(bool(failures))
