"""Messages between ranks, barriers that were begun, and the order of a group."""

from ranks_util import good_ranks


def test_a_batch_of_messages_waits_in_no_circle():
    """Every rank lists its neighbours one after the other, which pair by pair would
    be a ring of ranks that wait for each other."""
    good_ranks(
        """
        def ring(group, size, me):
            left, right = (me - 1) % size, (me + 1) % size
            of_left, of_right = sl.zeros([3]), sl.zeros([3])
            again = sl.zeros([3])
            mine = sl.tensor([float(rank)] * 3)
            ops = []
            for peer, into in ((left, of_left), (right, of_right)):
                ops.append(dist.P2POp(dist.isend, mine, peer, group))
                ops.append(dist.P2POp(dist.irecv, into, peer, group))
            ops.append(dist.P2POp(dist.irecv, again, left, group))
            ops.append(dist.P2POp(dist.isend, mine + 10, right, group))
            works = dist.batch_isend_irecv(ops)
            assert len(works) == len(ops)
            for work in works:
                work.wait()
            same(of_left, [left] * 3)
            same(of_right, [right] * 3)
            same(again, [left + 10] * 3)

        ring(None, ranks, rank)
        upper = dist.new_group([1, 2, 3])
        if rank > 0:
            got = sl.zeros([1])
            ops = [
                dist.P2POp(dist.irecv, got, (rank + 1) % 3 + 1, upper),
                dist.P2POp(dist.isend, sl.tensor([1.0 * rank]), rank % 3 + 1, upper),
            ]
            for work in dist.batch_isend_irecv(ops):
                work.wait()
            same(got, [(rank + 1) % 3 + 1])
        dist.barrier()
        """,
        ranks=4,
    )


def test_a_message_that_is_received_with_another_tag_is_an_error():
    good_ranks(
        """
        a, b = sl.tensor([1.0]), sl.tensor([2.0])
        if rank == 0:
            dist.send(a, 1, tag=1)
            dist.send(b, 1, tag=2)
        else:
            dist.recv(a, 0, tag=1)
            dist.recv(b, 0, tag=2)
        others = dist.new_group()
        try:
            if rank == 0:
                dist.send(a, 1, others, tag=1)
                dist.send(b, 1, others, tag=2)
                dist.barrier(others)
            else:
                dist.recv(b, 0, others, tag=2)
            raise AssertionError("it was taken for the other one")
        except RuntimeError as error:
            assert "send(f32[1], tag 1, rank 1)" in str(error), error
            assert "recv(f32[1], tag 2, rank 0)" in str(error), error
        """
    )


def test_a_barrier_may_be_begun_and_waited_for_with_a_limit(tmp_path):
    good_ranks(
        f"""
        import datetime, pathlib

        over = pathlib.Path({str(tmp_path / "over")!r})
        while rank == 1 and not over.exists():
            pass
        work = dist.barrier(async_op=True)
        if rank == 0:
            try:
                for limit in (0.01, datetime.timedelta(milliseconds=10)):
                    try:
                        work.wait(limit)
                        raise AssertionError("rank 1 has not come")
                    except TimeoutError as error:
                        assert "has not ended yet" in str(error)
            finally:
                over.touch()
        assert work.wait(timeout=60) is True and work.is_completed()
        assert dist.barrier() is None
        """
    )


def test_ranks_of_a_group_are_in_the_order_of_all():
    good_ranks(
        """
        group = dist.new_group([2, 0])
        assert group.ranks == [0, 2]
        if rank != 1:
            assert group.rank() == (0 if rank == 0 else 1)
            found = [sl.zeros([1]), sl.zeros([1])]
            dist.all_gather(found, sl.tensor([1.0 * rank]), group)
            same(found[0], [0.0])
            same(found[1], [2.0])
        dist.barrier()
        """,
        ranks=3,
    )
