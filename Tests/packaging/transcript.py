"""transcript.py README: the blocks of README that a new user can type as they stand, and what they print. Behind the line
`<!-- transcript` a block follows in which a line that begins with `$ ` is typed and the others are the answer.

  transcript.py README commands    one command a line
  transcript.py README compare FILE   compares FILE, where each answer stands behind its command with `$ ` before it
"""
import re, sys


def blocks(text):
    return re.findall(r"^<!-- transcript[^\n]*-->\n```\n(.*?)^```$", text, re.S | re.M)


def answers(text):
    """Pairs of a command and the lines behind it, without blanks at their ends."""
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
