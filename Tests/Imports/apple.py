#!/usr/bin/env python3
"""apple.py CUFF [MEGABYTES]: imports a generated Apple Health export, and fails where it takes more than 60 MB of memory or less than
half of the speed of expat over the same file."""
import os, resource, subprocess, sys, tempfile, time

cuff, megabytes = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 200
DEVICE = "&lt;&lt;HKDevice: 0x2&gt;, name:BP, manufacturer:ACME, model:1, hardware:2, software:3&gt;"


def record(kind, unit, source, when, value):
    return (f' <Record type="HKQuantityTypeIdentifier{kind}" sourceName="{source}" sourceVersion="3" device="{DEVICE}" unit="{unit}" '
            f'creationDate="{when}" startDate="{when}" endDate="{when}" value="{value}"/>\n')


def when(index, step):
    moment = time.gmtime(1_400_000_000 + index * step)
    return time.strftime("%Y-%m-%d %H:%M:%S +0000", moment)


def write(path, size):
    """Heart rates and steps of a watch, and three blood pressures a day of ten years behind them, as Apple orders them."""
    count = 10_000
    with open(path, "w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE HealthData [\n<!ELEMENT HealthData ANY>\n]>\n<HealthData locale="en_US">\n')
        index = 0
        while file.tell() < size - count * 1800:
            file.write("".join(
                record("HeartRate", "count/min", "Watch", when(index + n, 60), 60 + n % 40)
                + record("StepCount", "count", "Phone", when(index + n, 60), n) for n in range(500)))
            index += 500
        for n in range(count): file.write(record("HeartRate", "count/min", "Cuff", when(n, 28_800), 60 + n % 40))
        for n in range(count): file.write(record("BloodPressureSystolic", "mmHg", "Cuff", when(n, 28_800), 110 + n % 40))
        for n in range(count): file.write(record("BloodPressureDiastolic", "mmHg", "Cuff", when(n, 28_800), 70 + n % 20))
        for n in range(count):
            moment = when(n, 28_800)
            file.write(
                f' <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="Cuff" startDate="{moment}" endDate="{moment}">\n'
                + record("BloodPressureSystolic", "mmHg", "Cuff", moment, 110 + n % 40)
                + record("BloodPressureDiastolic", "mmHg", "Cuff", moment, 70 + n % 20) + " </Correlation>\n")
        file.write("</HealthData>\n")
    return count


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "export.xml")
    count = write(path, megabytes << 20)
    size = os.path.getsize(path)
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", "import sys, xml.parsers.expat as x\np = x.ParserCreate()\np.StartElementHandler = lambda n, a: None\n"
                    "p.ParseFile(open(sys.argv[1], 'rb'))", path], check=True)
    expat = time.monotonic() - began
    began = time.monotonic()
    process = subprocess.run([cuff, "import", path, "--dry-run", "--json", "--db", os.path.join(folder, "bp.db")], stdout=subprocess.PIPE, check=True)
    taken = time.monotonic() - began
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    print(f"{size >> 20} MB: cuff {taken:.1f} s, expat {expat:.1f} s; at most {memory} MB of memory")
    assert f'"new":{count}'.encode() in process.stdout, process.stdout
    assert memory <= 60, "more than 60 MB of memory"
    assert taken <= 2 * expat, "slower than half of the speed of expat"
