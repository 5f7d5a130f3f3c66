"""The lines of PyTorch that the README gives for `headscope check`, run as they stand."""
import json
import os
import re
import subprocess
import sys

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")


def readme_check(report, folder):
    with open(os.path.join(TOP, "README.md"), encoding="utf-8") as file:
        section = file.read().split("\n## Check your own attention\n")[1]
    code = re.search(r"```python\n(.*?)```", section, re.DOTALL).group(1)
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    call = [os.environ["HEADSCOPE"], "check", "mine.npz", "--json"]
    verdict = json.loads(subprocess.run(call, cwd=folder, capture_output=True).stdout)["files"][0]
    steps = {stage["from"]: stage["state"] for stage in verdict["stages"]}
    steps.update({stage["until"]: stage["state"] for stage in verdict["stages"]})
    report.none("steps of the README's lines for check that are not sound",
                4 if verdict["verdict"] != "sound" else
                sum(state != "sound" for state in steps.values()), 4)


CHECKS = (readme_check,)
