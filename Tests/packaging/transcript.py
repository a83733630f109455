"""transcript.py README: the blocks of README that a new user can type, and their output. In a block after a line
`<!-- transcript`, lines that begin with `$ ` are commands and the others are output.

  transcript.py README commands    one command a line
  transcript.py README compare FILE   compares FILE, which has each command after `$ `, followed by its output
"""
import re, sys


def blocks(text):
    return re.findall(r"^<!-- transcript[^\n]*-->\n```\n(.*?)^```$", text, re.S | re.M)


def answers(text):
    """Pairs of a command and its output lines, without trailing blanks."""
    found = []
    for line in text.replace("\r", "").split("\n"):
        if line.startswith("$ "): found.append((line[2:], []))
        elif found: found[-1][1].append(line.rstrip())
    for _, lines in found:
        while lines and not lines[-1]: lines.pop()
    return found


readme = open(sys.argv[1], encoding="utf-8").read()
expected = [pair for block in blocks(readme) for pair in answers(block)]
if len(blocks(readme)) < 2 or len(expected) < 6:
    sys.exit("README has no transcripts: a line `<!-- transcript … -->` and a block are missing")
if sys.argv[2] == "commands":
    for command, _ in expected: print(command)
    sys.exit()
got = answers(open(sys.argv[3], encoding="utf-8").read())
failed = 0
for (command, wanted), (typed, lines) in zip(expected, got):
    if command != typed or wanted != lines:
        failed = 1
        print(f"$ {command}\nREADME says:\n" + "\n".join(wanted) + "\nit printed:\n" + "\n".join(lines))
if len(got) != len(expected):
    failed = 1
    print(f"{len(expected)} commands in README, {len(got)} were run")
sys.exit(failed)
