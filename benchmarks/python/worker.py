"""One library in a process of its own: threads of one do not disturb another.

    python worker.py torch

Reads a line "case rounds", answers "seconds per call" of the best of so many,
or "first" for the first results. `run.py` is the other side.
"""

import importlib
import json
import sys
import time

import mlp_data


class Case:
    def __init__(self, setup):
        began = time.perf_counter()
        self.call, self.number = setup()
        self.first = [self.number(self.call())]
        self.seconds_to_first = time.perf_counter() - began
        self.first += [
            self.number(self.call()) for _ in range(mlp_data.STEPS_CHECKED)
        ]
        # As many calls as take 20 ms are timed together.
        began = time.perf_counter()
        self.call()
        self.many = max(1, int(0.02 / max(1e-9, time.perf_counter() - began)))

    def seconds(self) -> float:
        call = self.call
        began = time.perf_counter()
        for _ in range(self.many):
            result = call()
        self.number(result)  # until it is there
        return (time.perf_counter() - began) / self.many


def main() -> None:
    library = sys.argv[1]
    answers, sys.stdout = sys.stdout, sys.stderr  # libraries may print
    cases = importlib.import_module(library + "_cases").CASES
    made: dict[str, Case] = {}
    print(json.dumps(sorted(cases)), file=answers, flush=True)
    for line in sys.stdin:
        name = line.strip()
        if name not in made:
            made[name] = Case(cases[name])
            answer = {
                "first": made[name].first,
                "seconds_to_first": made[name].seconds_to_first,
            }
        else:
            answer = {"seconds": made[name].seconds()}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
