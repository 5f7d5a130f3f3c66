"""The program's catalogue of mistakes, as probe_mistakes writes it."""
import json
import os
import subprocess

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
os.environ.setdefault("PROBE_MISTAKES",
                      os.path.join(TOP, "build/release/tests/oracle/probe_mistakes"))

_SAID = json.loads(subprocess.run([os.environ["PROBE_MISTAKES"], "--catalogue"],
                                  capture_output=True, text=True, check=True).stdout)

# The fields of AttentionMistakes in order: the words of their values, None of mask_value.
FIELDS = _SAID["fields"]

# By name: whether a mistake is a verdict of the doctor, a sign, a trap that runs; and "rules", the
# fields that each rule of it sets.
KINDS = {kind["name"]: kind for kind in _SAID["kinds"]}


def known(*names):
    """The names, all of which the program must have."""
    unknown = [name for name in names if name not in KINDS]
    assert not unknown, f"the program knows no mistake {', '.join(unknown)}"
    return names
