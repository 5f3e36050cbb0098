"""Early returns in loops that are written out: what is recorded does not explode."""

import sluice as sl


def leaves_early(x, m):
    for k in range(3):
        for j in range(5):
            if x.sum() > 0.59 + j:
                if m.sum() > 0.3:
                    return x * x
            else:
                if m.sum() > 0.1:
                    continue
                x = x * 0.5
        z = x + 1
    return z


def test_results_of_many_branches_in_branches_may_be_one_tensor():
    # What each result may share memory with was noted once for every way to it.
    f = sl.function(leaves_early, one_graph=True)
    for x, m in [([0.1, 0.2], [1.0, 0.2]), ([2.0, 3.0], [0.1, 0.2]),
                 ([2.0, 3.0], [0.4, 0.2]), ([0.1, 0.2], [0.0, 0.0])]:
        x, m = sl.tensor(x), sl.tensor(m)
        assert f(x, m).tolist() == leaves_early(x, m).tolist()
    assert len(f.traces()) == 1
