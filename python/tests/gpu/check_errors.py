"""What goes wrong on the GPU is told, and the GPU can be used after it."""

import sluice as sl
from both import raises


def still_works():
    assert (sl.ones(3).cuda() * 2).tolist() == [2, 2, 2]


def test_an_index_out_of_range_names_its_line():
    table, rows = sl.ones(4, 2).cuda(), sl.tensor([1, 9]).cuda()
    with raises(IndexError, r"(?s)9.*check_errors\.py"):
        table[rows]
        sl.cuda.synchronize()
    still_works()


def test_out_of_memory():
    _, total = sl.cuda.mem_get_info()
    with raises(MemoryError, "out of memory"):
        sl.ones(1).cuda().expand(total).clone()
    still_works()


def test_two_devices():
    with raises(ValueError, "gpu:0.*cpu:0|cpu:0.*gpu:0"):
        sl.ones(3).cuda() + sl.ones(3)
    still_works()


def test_numpy_has_a_copy_that_cannot_be_written():
    x = sl.ones(3).cuda()
    copy = x.numpy()
    assert copy.tolist() == x.cpu().numpy().tolist() == [1, 1, 1]
    with raises(ValueError, "read-only"):
        copy[0] = 2


def test_another_gpu_that_is_not_there():
    with raises(ValueError, "no device"):
        sl.ones(3).to("cuda:99")
