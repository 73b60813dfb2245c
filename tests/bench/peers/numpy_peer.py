"""numpy and scipy on one thread, for tests/bench: answers "NAME N D REPEATS" with processor milliseconds.

REPEATS 0 answers with the sum of the results. Numbers come from the file named on the command
line (float64) where the work needs the same ones as everyone else.
"""
import sys
import time

import numpy as np
import scipy.linalg


def gaussians(n, d):
    generator = np.random.default_rng(1)
    return lambda: generator.standard_normal(n)


def fit(n, d):
    """Algorithm 1 of arXiv 2410.10101: least squares over the features of n prompts."""
    numbers = np.fromfile(sys.argv[1])
    length = 16
    prompts = numbers[: n * length * d].reshape(n, length, d)
    targets = numbers[n * length * d :].reshape(n, -1)
    low, high = np.triu_indices(d, 1)
    order = (np.concatenate([low, np.arange(d)]), np.concatenate([high, np.arange(d)]))

    def run():
        grams = np.matmul(prompts.transpose(0, 2, 1), prompts)[:, order[0], order[1]]
        features = (grams[:, :, None] * prompts[:, -1, None, :]).reshape(n, -1)
        factor = scipy.linalg.cho_factor(features.T @ features)
        return scipy.linalg.cho_solve(factor, features.T @ targets)

    return run


def main():
    makers = {"gaussians": gaussians, "fit": fit}
    works = {}
    for line in sys.stdin:
        name, n, d, repeats = line.split()
        key = (name, n, d)
        if key not in works:
            works[key] = makers[name](int(n), int(d))
        work, repeats = works[key], int(repeats)
        if repeats == 0:
            print(repr(float(np.sum(work()))), flush=True)
            continue
        start = time.process_time()
        for _ in range(repeats):
            work()
        print(1000 * (time.process_time() - start) / repeats, flush=True)


main()
