"""Collectives between real processes of this machine."""

import signal

import pytest

import sluice as sl
import sluice.distributed as dist
from ranks_util import good_ranks, run_ranks


def test_what_collectives_give():
    good_ranks(
        """
        t = sl.tensor(np.arange(5, dtype=np.float32) + rank)
        assert dist.all_reduce(t) is None
        same(t, 3 * np.arange(5) + 3)
        for op, wanted in [("MAX", 2), ("MIN", 0), ("AVG", 1), ("PRODUCT", 0)]:
            v = sl.tensor([float(rank)])
            dist.all_reduce(v, op=getattr(dist.ReduceOp, op))
            same(v, [wanted])
        v = sl.tensor([1 << rank])
        dist.all_reduce(v, dist.ReduceOp.BOR)
        same(v, [7])
        v = sl.tensor([[rank, rank]])
        dist.broadcast(v, src=2)
        same(v, [[2, 2]])
        v = sl.tensor([float(rank + 1)])
        dist.reduce(v, dst=1)
        same(v, [6.0 if rank == 1 else rank + 1.0])
        parts = [sl.zeros([2], dtype=sl.int64) for _ in range(3)]
        dist.all_gather(parts, sl.tensor([rank, 10 * rank]))
        same(sl.stack(parts), [[0, 0], [1, 10], [2, 20]])
        whole = sl.zeros([6])
        dist.all_gather_into_tensor(whole, sl.tensor([1.0 * rank, 2.0 * rank]))
        same(whole, [0, 0, 1, 2, 2, 4])
        part = sl.zeros([2])
        dist.reduce_scatter_tensor(part, sl.arange(6.0) * (rank + 1))
        same(part, 6 * np.arange(6)[2 * rank : 2 * rank + 2])
        part = sl.zeros([])
        dist.reduce_scatter(part, [sl.tensor(float(rank + j)) for j in range(3)])
        same(part, 3 + 3 * rank)
        moved = sl.zeros([3])
        dist.all_to_all_single(moved, sl.arange(3.0) + 10 * rank)
        same(moved, [rank, 10 + rank, 20 + rank])
        outs = [sl.zeros([2]) for _ in range(3)]
        dist.all_to_all(outs, [sl.tensor([rank, j]) * 1.0 for j in range(3)])
        same(sl.stack(outs), [[j, rank] for j in range(3)])
        rows = [sl.zeros([1]) for _ in range(3)] if rank == 1 else None
        dist.gather(sl.tensor([1.0 * rank]), rows, dst=1)
        if rank == 1:
            same(sl.stack(rows), [[0], [1], [2]])
        mine = sl.zeros([2])
        dist.scatter(
            mine, [sl.tensor([j, j]) * 1.0 for j in range(3)] if rank == 0 else None
        )
        same(mine, [rank, rank])
        found = [None] * 3
        dist.all_gather_object(found, {"rank": rank, "text": "x" * 100 * rank})
        assert [f["rank"] for f in found] == [0, 1, 2] and len(found[2]["text"]) == 200
        told = ["a", {"b": rank}] if rank == 0 else [None, None]
        dist.broadcast_object_list(told)
        assert told == ["a", {"b": 0}]
        dist.barrier()
        dist.destroy_process_group()
        assert not dist.is_initialized()
        """,
        ranks=3,
    )


def test_tensors_that_are_views_or_strided_are_written():
    good_ranks(
        """
        t = sl.tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
        dist.all_reduce(t.T)
        same(t, 2 * np.arange(6).reshape(2, 3))
        dist.all_reduce(t[1])
        same(t, [[0, 2, 4], [12, 16, 20]])
        w = nn.Parameter(sl.ones([2]))
        dist.all_reduce(w)
        same(w.detach(), [2, 2])
        assert w.requires_grad and w.is_leaf
        """
    )


def test_begun_collectives_end_in_order():
    good_ranks(
        """
        ts = [sl.tensor([float(i + rank)]) for i in range(20)]
        works = [dist.all_reduce(t, async_op=True) for t in ts]
        for t, work, i in reversed(list(zip(ts, works, range(20)))):
            assert work.wait() and work.is_completed()
            same(t, [2 * i + 1])
        """
    )


def test_backward_refuses_what_was_reduced_since():
    good_ranks(
        """
        x = sl.ones([2]).requires_grad_()
        h = x * 2
        y = (h * h).sum()
        dist.all_reduce(h.detach())
        try:
            y.backward()
        except RuntimeError as error:
            assert "written" in str(error) or "overwritten" in str(error), error
        else:
            raise AssertionError("a write was not seen")
        """
    )


def test_gradients_of_collectives():
    good_ranks(
        """
        base = np.arange(4, dtype=np.float32) + rank + 1
        c = 1.0 + rank  # this rank's loss is c times the sum of squares

        def run(f, captured):
            x = sl.tensor(base).requires_grad_()
            def loss(x):
                return c * (f(x) ** 2).sum()
            (sl.function(loss) if captured else loss)(x).backward()
            return x.grad.numpy()

        r0, r1 = np.arange(4) + 1.0, np.arange(4) + 2.0
        for captured in (False, True):
            total = r0 + r1
            same(run(DF.all_reduce, captured), 3 * 2 * total)
            mean = lambda x: DF.all_reduce(x, dist.ReduceOp.AVG)
            same(run(mean, captured), 3 * 2 * total / 4)
            same(run(DF.all_gather_tensor, captured), 3 * 2 * base)
            halves = 2 * np.concatenate([total[:2], 2 * total[2:]])
            same(run(DF.reduce_scatter_tensor, captured), halves)
            swap = 2 * base * np.array([1, 1, 2, 2])
            same(run(DF.all_to_all_single, captured), swap)
            one = lambda x: DF.broadcast(x, 1)
            same(run(one, captured), 6 * r1 if rank == 1 else 0 * base)
            zero = lambda x: DF.reduce(x, 0)
            same(run(zero, captured), 2 * total)
        x = sl.tensor(base).requires_grad_()
        try:
            DF.all_reduce(x, dist.ReduceOp.MAX).sum().backward()
        except ValueError as error:
            assert '[AllReduce] op is "max", which has no gradient' in str(error)
        else:
            raise AssertionError("max has a gradient")
        """
    )


def test_collectives_in_captured_functions_run_in_the_order_of_the_program():
    good_ranks(
        """
        @sl.function
        def f(x, n):
            a = x + 1.0
            dist.all_reduce(a)
            b = x * 2.0
            dist.barrier()
            dist.broadcast(b, 1)
            for _ in range(n):
                dist.all_reduce(b, dist.ReduceOp.AVG)
            return a, b, DF.all_gather_tensor(b)

        for i in range(3):
            a, b, c = f(sl.tensor([1.0 * rank + i]), 2)
            same(a, [2 * i + 3])
            same(b, [2 * (1 + i)])
            same(c, [2 * (1 + i)] * 2)
        """
    )


def test_messages_between_two_ranks():
    good_ranks(
        """
        t = sl.tensor([float(rank), 7.0])
        if rank == 0:
            dist.send(t, 2)
            dist.send(t * 2, 2)
        if rank == 2:
            assert dist.recv(t, 0) == 0
            same(t, [0, 7])
            dist.irecv(t, src=0).wait()
            same(t, [0, 14])
        big, got = sl.ones([500_000]) * rank, sl.zeros([500_000])
        ops = [
            dist.P2POp(dist.isend, big, (rank + 1) % 3),
            dist.P2POp(dist.irecv, got, (rank + 2) % 3),
        ]
        for work in dist.batch_isend_irecv(ops):
            work.wait()
        same(got, np.full(500_000, (rank + 2) % 3))
        for call, text in [
            (lambda: dist.send(t, rank), "wanted another one of them"),
            (lambda: dist.send(t, 5), "send: dst is 5; wanted 0 to 2"),
            (lambda: dist.send([1.0], 1), "tensor is a list; wanted a Tensor"),
            (lambda: dist.recv(t), "from any rank; wanted src"),
            (lambda: sl.function(lambda x: dist.send(x, 1))(t), "in a captured func"),
        ]:
            try:
                call()
            except (ValueError, TypeError, NotImplementedError) as error:
                assert text in str(error), error
            else:
                raise AssertionError(text)
        dist.barrier()
        """,
        ranks=3,
    )


def test_groups_of_some_ranks():
    good_ranks(
        """
        ends = dist.new_group([3, 0])
        middle = dist.new_group([1, 2])
        mine, other = (ends, middle) if rank in (0, 3) else (middle, ends)
        t = sl.tensor([float(rank)])
        dist.all_reduce(t, group=mine)
        same(t, [3.0])
        dist.broadcast(v := sl.tensor([rank]), src=mine.ranks[0], group=mine)
        same(v, [mine.ranks[0]])
        assert mine.size() == 2 and mine.ranks[mine.rank()] == rank
        assert dist.get_rank(other) == -1
        for f in (dist.all_reduce, dist.broadcast):
            try:
                f(t, 0, group=other) if f is dist.broadcast else f(t, group=other)
            except ValueError as error:
                assert f"rank {rank} is not in the group of ranks" in str(error)
            else:
                raise AssertionError("it was let in")
        x = sl.tensor([1.0 + rank]).requires_grad_()

        @sl.function
        def f(x):
            return (DF.all_reduce(x, group=mine) ** 2).sum()

        f(x).backward()
        same(x.grad, [2 * 2 * 5.0])
        everybody = dist.new_group()
        dist.all_reduce(t, group=everybody)
        same(t, [12.0])
        try:
            dist.new_group([0, 7])
        except ValueError as error:
            assert "ranks are [0, 7]; wanted some of 0 to 3, each once" in str(error)
        else:
            raise AssertionError("there is no rank 7")
        dist.destroy_process_group()
        """,
        ranks=4,
    )


def test_calls_that_differ_are_named_with_both_lines():
    ended = run_ranks(
        """
        dist.all_reduce(sl.zeros([3]))
        dist.all_reduce(sl.zeros([4 + rank]))
        """
    )
    for end in ended:
        assert end.code == 1
        assert "RuntimeError: [all_reduce] the group \"world\" ended: " in end.err
        assert "#2 all_reduce(f32[4], sum) at ranks.py:" in end.err
        assert "#2 all_reduce(f32[5], sum) at ranks.py:" in end.err
    # Whoever saw it says what it did before.
    told = "".join(end.err for end in ended)
    assert "#1 all_reduce(f32[3], sum) at ranks.py:" in told and ": done in" in told


def test_a_rank_that_raises_tells_the_others_why():
    ended = run_ranks(
        """
        if rank == 1:
            raise ValueError("the data is bad")
        dist.all_reduce(sl.zeros([4]))
        """,
        ranks=3,
    )
    assert [end.code for end in ended] == [1, 1, 1]
    for end in (ended[0], ended[2]):
        cause = "rank 1: the program ended with ValueError: the data is bad"
        assert cause in end.err


@pytest.mark.parametrize("dies", [0, 1])
def test_a_killed_rank_is_named(dies):
    ended = run_ranks(
        f"""
        if rank == {dies}:
            dist.all_reduce(sl.zeros([100000]))
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            while True:
                dist.all_reduce(sl.zeros([100000]))
        except ConnectionError as error:
            print(error)
        """,
        ranks=3,
    )
    assert ended[dies].code == -signal.SIGKILL
    for rank, end in enumerate(ended):
        if rank != dies:
            assert end.code == 0, end.err
            assert f"rank {dies} (127.0.0.1, process " in end.out


def test_a_rank_that_leaves_early_is_named():
    ended = run_ranks(
        """
        dist.barrier()
        if rank == 1:
            sys.exit(0)
        dist.all_reduce(sl.zeros([4]))
        """
    )
    assert ended[1].code == 0
    assert ended[0].code == 1 and "has left the group" in ended[0].err


def test_a_rank_that_does_not_come_to_a_collective_is_named(tmp_path):
    over = tmp_path / "over"
    outs = good_ranks(
        f"""
        import pathlib

        impatient = dist.new_group(timeout=5)  # it is also made in that time
        over = pathlib.Path({str(over)!r})
        while rank == 1 and not over.exists():
            pass  # as if it hung
        try:
            dist.barrier(impatient)
        except TimeoutError as error:
            print(error)
        over.touch()
        """
    )
    for out in outs:
        assert "rank 0, #1 barrier() at ranks.py:" in out
        assert "waited for rank 1 (127.0.0.1, process " in out and "for 5 s" in out


def test_collectives_in_loops_branches_graphs_and_vmap():
    good_ranks(
        """
        @sl.function
        def loop(x):
            for _ in sl.arange(3):
                x = DF.all_reduce(x * 2)
            if x.sum() > 0:
                x = DF.all_reduce(x, dist.ReduceOp.AVG)
            return x

        x = sl.tensor([1.0, 1.0 + rank]).requires_grad_()
        y = loop(x)
        same(y.detach(), [64.0, 96.0])
        y.sum().backward()
        # Each of six reductions sums the gradients of both ranks, or averages.
        same(x.grad, [64.0, 64.0])
        graph = sl.Graph()
        with graph.as_default():
            a = sl.placeholder(sl.float32, [2])
            b = DF.all_gather_tensor(DF.all_reduce(a) + 1)
            (g,) = sl.gradients(b, [a])
        with sl.Session(graph) as session:
            b, g = session.run([b, g], {a: np.array([1.0, rank], "f4")})
        same(b, [3, 2, 3, 2])
        same(g, [4, 4])
        v = sl.vmap(lambda r: DF.all_reduce(r) * 2)(sl.ones([3, 2]) * (rank + 1))
        same(v, np.full([3, 2], 6.0))
        """
    )


def test_a_group_of_one_needs_nobody(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR"):
        monkeypatch.delenv(name, raising=False)
    dist.init_process_group(rank=0, world_size=1)
    try:
        t = sl.tensor([2.0])
        dist.all_reduce(t)
        assert t.item() == 2.0 and dist.get_world_size() == 1
        with pytest.raises(ValueError, match='there is a process group "world" alre'):
            dist.init_process_group(rank=0, world_size=1)
        with pytest.raises(TypeError, match="group is a str; wanted None, or what"):
            dist.all_reduce(t, group="other")
        wrong = r"tensor_list\[0\] is .* of shape \[2\]; wanted .* of shape \[3\]"
        with pytest.raises(ValueError, match="all_gather: " + wrong):
            dist.all_gather([sl.zeros([2])], sl.zeros([3]))
        with pytest.raises(ValueError, match="tensor_list is 2; wanted a list of 1"):
            dist.all_gather([t, t], t)
        with pytest.raises(TypeError, match="all_reduce: tensor is a list; wanted a"):
            dist.all_reduce([1.0])
        with pytest.raises(ValueError, match='there is no reduction "mean"; wanted'):
            dist.all_reduce(t, op="mean")
        with pytest.raises(ValueError, match="broadcast: src is 1; wanted 0 to 0"):
            dist.broadcast(t, 1)
    finally:
        dist.destroy_process_group()


def test_what_is_wrong_at_the_start_is_said(monkeypatch):
    for name in ("RANK", "WORLD_SIZE", "MASTER_ADDR"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(RuntimeError, match="nothing says which rank this process is"):
        dist.init_process_group()
    with pytest.raises(ValueError, match="backend is 'nccl'; wanted one of 'tcp'"):
        dist.init_process_group("nccl")
    with pytest.raises(ValueError, match="init_method is 'file:///x'; wanted 'env://'"):
        dist.init_process_group(init_method="file:///x")
    with pytest.raises(ValueError, match="rank is 3 and world_size is 2; wanted both"):
        dist.init_process_group(init_method="tcp://127.0.0.1:1", rank=3, world_size=2)
    with pytest.raises(RuntimeError, match="not of this machine, and connections"):
        dist.init_process_group(init_method="tcp://10.1.1.1:7", rank=0, world_size=2)
    with pytest.raises(RuntimeError, match='there is no process group "world"; wanted'):
        dist.all_reduce(sl.zeros([1]))
    with pytest.raises(RuntimeError, match='there is no process group "world"; wanted'):
        dist.get_rank()
    monkeypatch.setenv("MASTER_ADDR", "127.0.0.1")
    monkeypatch.setenv("MASTER_PORT", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ValueError, match="RANK is not set; wanted a number from 0"):
        dist.init_process_group()


def test_samplers_of_ranks_share_the_data():
    n = 11
    for shuffle in (False, True):
        samplers = [
            sl.utils.data.DistributedSampler(range(n), 3, r, shuffle) for r in range(3)
        ]
        for epoch in range(2):
            shares = []
            for sampler in samplers:
                sampler.set_epoch(epoch)
                shares.append(list(sampler))
                assert len(shares[-1]) == len(sampler) == 4
            assert set(sum(shares, [])) == set(range(n))
    orders = []
    for epoch in range(2):
        samplers[0].set_epoch(epoch)
        orders.append(list(samplers[0]))
    assert orders[0] != orders[1]
    dropped = sl.data.DistributedSampler(range(n), 3, 2, False, drop_last=True)
    assert list(dropped) == [2, 5, 8] and len(dropped) == 3
    assert list(sl.data.DistributedSampler(range(1), 3, 2, False)) == [0]
    with pytest.raises(ValueError, match="rank is 3 of 3 replicas"):
        sl.data.DistributedSampler(range(n), 3, 3)


def test_the_pass_that_a_sampler_is_told_is_that_of_the_loop():
    rows = list(range(12))

    def loader():
        sampler = sl.data.DistributedSampler(rows, 2, 0, seed=4)
        return sampler, sl.data.DataLoader(rows, 3, sampler=sampler)

    def read(batches):
        return [int(n) for batch in batches for n in batch]

    sampler, batches = loader()
    orders = [read(batches) for _ in range(4)]
    assert len(set(map(tuple, orders))) == 4
    # As programs do that go on with pass 2.
    sampler, batches = loader()
    for epoch in (2, 3):
        sampler.set_epoch(epoch)
        assert read(batches) == orders[epoch]
    sampler.set_epoch(0)
    assert read(batches) == orders[0] and batches.epoch == 1
    assert read(batches) == orders[1]  # it goes on counting
    for _ in range(2):
        sampler.set_epoch(1)
        assert read(batches) == orders[1]
    # Where a loop was stopped is told by its state.
    sampler, batches = loader()
    batches.set_epoch(2)
    next(iter(batches))
    state = batches.state_dict()
    sampler, batches = loader()
    batches.load_state_dict(state)
    sampler.set_epoch(0)
    assert read(batches) == orders[2][3:]
    inner = sl.data.DistributedSampler(rows, 2, 0, seed=4)
    batches = sl.data.DataLoader(rows, batch_sampler=sl.data.BatchSampler(inner, 3))
    inner.set_epoch(3)
    assert read(batches) == orders[3] and batches.epoch == 4


def test_a_captured_step_that_fails_on_one_rank_ends_the_others_with_its_reason():
    ended = run_ranks(
        """
        @sl.function
        def f(x, i):
            return DF.all_reduce(x), sl.gather(x, i)

        for n in (4, 1_000_000):
            f(sl.zeros([n]), sl.tensor([1]))
        f(sl.zeros([1_000_000]), sl.tensor([5_000_000 if rank == 1 else 1]))
        dist.barrier()
        """
    )
    assert [end.code for end in ended] == [1, 1]
    assert "[Gather] " in ended[1].err and "5000000" in ended[1].err
    assert "rank 1" in ended[0].err and "5000000" in ended[0].err


# Addresses of this machine that stand for two: memory within, TCP between them.
@pytest.mark.parametrize("local", [1, 2])
def test_ranks_of_several_hosts(local):
    hosts = {1: "127.0.0.1,127.0.0.2,127.0.0.3,127.0.0.4", 2: "127.0.0.1,127.0.0.2"}
    outs = good_ranks(
        """
        for n in (1, 1000, 300_001):
            x = sl.tensor(np.arange(n, dtype=np.float32) % 97 + rank)
            dist.all_reduce(x)
            same(x, 4 * (np.arange(n) % 97) + 6)
            parts = sl.zeros([4, n])
            dist.all_gather_into_tensor(parts, x * (rank + 1))
            same(parts[3], 4 * x.numpy())
            moved = sl.zeros([4, n])
            dist.all_to_all_single(moved, parts * (rank + 1.0))
            same(moved[2], 3 * (rank + 1) * x.numpy())
            dist.broadcast(moved, 2)
            dist.barrier()
        found = [None] * ranks
        dist.all_gather_object(found, float(moved.sum().item()))
        assert len(set(found)) == 1
        dist.destroy_process_group()
        print("good")
        """,
        ranks=4,
        env={"LOCAL_WORLD_SIZE": str(local), "SLUICE_HOSTS": hosts[local]},
    )
    assert outs == ["good\n"] * 4
