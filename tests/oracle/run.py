"""Compares headscope with PyTorch; `make oracle` runs it. PROBE and PROBE_DOUBLE are the probes of
the two builds (probe.c), HEADSCOPE the program. Names given as arguments pick checks, --network those
of the network alone, whose products a set of kernels may change (HEADSCOPE_KERNELS)."""
import os
import sys
import tempfile
import traceback

import torch

import checks_acceptance
import checks_explain
import checks_doctor
import checks_heads
import checks_lessons
import checks_mistakes
import checks_model
import checks_options
import checks_program
import checks_readme
from report import Report

TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
CHECKS = (checks_model.CHECKS + checks_options.CHECKS + checks_program.CHECKS +
          checks_explain.CHECKS + checks_heads.CHECKS + checks_mistakes.CHECKS +
          checks_acceptance.CHECKS + checks_readme.CHECKS + checks_lessons.CHECKS +
          checks_doctor.CHECKS)


def main():
    torch.set_num_threads(1)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PROBE", os.path.join(TOP, "build/release/tests/oracle/probe"))
    os.environ.setdefault("PROBE_DOUBLE", os.path.join(TOP, "build/double/tests/oracle/probe"))
    os.environ.setdefault("PROBE_MAPS", os.path.join(TOP, "build/release/tests/oracle/probe_maps"))
    os.environ.setdefault("HEADSCOPE", os.path.join(TOP, "headscope"))
    report = Report()
    names = sys.argv[1:]
    if names == ["--network"]:
        names = [check.__name__ for check in checks_model.CHECKS + checks_options.CHECKS]
    for check in CHECKS:
        if names and check.__name__ not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="headscope-oracle-") as folder:
            try:
                check(report, folder)
            except Exception as problem:  # one broken check must not hide the others
                traceback.print_exc()
                report.broke(check.__name__, problem)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
