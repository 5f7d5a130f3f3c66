"""One printed line a check: the largest error found and what is allowed."""
import torch


class Largest:
    """The largest difference seen: absolute or, given a `floor`, as a share of the wanted tensor's
    largest value, or of the floor where all values are smaller."""

    def __init__(self, floor=None):
        self.floor, self.value, self.count = floor, 0.0, 0

    def add(self, found, wanted):
        wanted = wanted.detach().double()
        found = found.detach().double()
        assert found.shape == wanted.shape, f"shapes {found.shape} and {wanted.shape}"
        assert torch.isfinite(found).all() and torch.isfinite(wanted).all(), "not finite"
        self.count += found.numel()
        if not found.numel():
            return
        scale = max(wanted.abs().max().item(), self.floor) if self.floor else 1.0
        self.value = max(self.value, (found - wanted).abs().max().item() / scale)


class Report:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def line(self, what, error, tolerance):
        good = error.count > 0 and error.value <= tolerance
        self.passed += good
        self.failed += not good
        kind = f"of the largest, at least {error.floor:g}" if error.floor else "absolute"
        print(f"{'ok    ' if good else 'FAILED'} {what}: {error.value:.1e} of {tolerance:.0e} "
              f"({kind}, {error.count} numbers)", flush=True)

    def none(self, what, bad, count):
        """A line for things of which there must be none."""
        good = count > 0 and bad == 0
        self.passed += good
        self.failed += not good
        print(f"{'ok    ' if good else 'FAILED'} {what}: {bad} of {count}", flush=True)

    def broke(self, what, problem):
        self.failed += 1
        print(f"FAILED {what}: {problem}", flush=True)
