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


def test_a_loop_that_keeps_the_value_returned_before_it_is_recorded():
    # "It stays" and "it moves" were found in turn, without end.
    items = [sl.tensor([-0.3, 0.5])]

    def step(x, flag):
        k = 0
        while k < 2 and items[0][0] < -0.1:
            k += 1
            for j in range(2):
                if j % 2 == 0:
                    return x.sum() * 0.5
        loss = (x * x).sum()
        k = 0
        while k < 3 and loss < 0.5:
            k += 1
            if flag:
                return x.sum() * 0.5
        return loss + x.sum()

    f = sl.function(step)
    for values in [0.2, 0.3], [2.0, 3.0]:
        for flag in True, False:
            x = sl.tensor(values)
            assert f(x, flag).tolist() == step(x, flag).tolist()
