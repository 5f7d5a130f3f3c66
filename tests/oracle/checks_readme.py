"""The lines of PyTorch that README.md or docs/ give for `headscope check`, run as they stand."""
import json
import os
import subprocess
import sys

import docs


def readme_check(report, folder):
    _, code = docs.python_block("attention.state_dict().items()")
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    call = [os.environ["HEADSCOPE"], "check", "mine.npz", "--json"]
    verdict = json.loads(subprocess.run(call, cwd=folder, capture_output=True).stdout)["files"][0]
    steps = {stage["from"]: stage["state"] for stage in verdict["stages"]}
    steps.update({stage["until"]: stage["state"] for stage in verdict["stages"]})
    report.none("steps of the documented lines for check that are not sound",
                4 if verdict["verdict"] != "sound" else
                sum(state != "sound" for state in steps.values()), 4)


CHECKS = (readme_check,)
