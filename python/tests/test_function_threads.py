"""Calls of one captured function from several threads."""

import threading

import sluice as sl


def queue(name):
    return sl.FIFOQueue(4, [sl.float32], [[]], shared_name=name)


def test_a_call_waits_for_what_another_call_of_the_function_brings():
    @sl.function
    def both(put, x):
        if put:
            queue("brought").enqueue([x])
            return x
        queue("begun").enqueue([x])
        return queue("brought").dequeue() + x

    @sl.function
    def begun():
        return queue("begun").dequeue()

    got = []
    waits = threading.Thread(
        target=lambda: got.append(both(False, sl.tensor(1.0))), daemon=True
    )
    waits.start()
    assert begun().item() == 1  # from here on it is in the midst of its run
    both(True, sl.tensor(41.0))
    waits.join(60)
    assert [t.item() for t in got] == [42]


def test_calls_that_write_state_take_turns():
    total = sl.zeros(64, 64)

    @sl.function
    def add(x):
        total.add_(x)
        return x

    threads = [
        threading.Thread(target=lambda: [add(sl.ones(64, 64)) for _ in range(50)])
        for _ in range(4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (total == 200).all().item()


def test_a_call_that_waits_and_writes_lets_others_in():
    count = sl.zeros(())

    @sl.function
    def both(put, x):
        count.add_(1)
        if put:
            queue("later").enqueue([x])
            return x
        queue("here").enqueue([x])
        return queue("later").dequeue() + x

    @sl.function
    def here():
        return queue("here").dequeue()

    got = []
    waits = threading.Thread(
        target=lambda: got.append(both(False, sl.tensor(1.0))), daemon=True
    )
    waits.start()
    here()
    both(True, sl.tensor(2.0))
    waits.join(60)
    assert [t.item() for t in got] == [3]
    assert count.item() in (1, 2)  # read before the other wrote, as imperatively
