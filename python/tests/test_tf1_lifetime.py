"""Graphs of sluice.compat.tf1 end with the program's last use of them."""

import gc
import weakref

import numpy as np
import pytest

import sluice.compat.tf1 as tf


def build_and_run():
    """A graph with all that a graph keeps: collections, slots, loops, counters."""
    g = tf.Graph()
    with g.as_default():
        x = tf.placeholder(tf.float32, [None, 2])
        with tf.variable_scope("s", regularizer=lambda v: tf.reduce_sum(v)):
            w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
        y = tf.while_loop(
            lambda i, h: i < 3, lambda i, h: (i + 1, tf.matmul(h, w)), (0, x)
        )[1]
        kept = tf.nn.dropout(y, 0.5, seed=3)
        tf.add_to_collection(tf.GraphKeys.LOSSES, kept)
        train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(kept))
        q = tf.FIFOQueue(4, tf.float32, shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(q, [q.enqueue(1.0)] * 2))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            sess.run([train, q.dequeue()], {x: np.ones((3, 2))})
            coord.request_stop()
            coord.join(threads)
    return weakref.ref(g)


def test_graphs_are_not_kept_for_ever():
    gone = [build_and_run() for _ in range(3)]
    for _ in range(4):  # what ends in one round frees what ends in the next
        gc.collect()
    assert [g() for g in gone] == [None] * 3


def test_what_collections_hold_is_the_same_object():
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0, name="x")
        op = tf.no_op()
        v = tf.Variable(1.0)
        for value in (x, op, v, "text"):
            tf.add_to_collection("c", value)
        found = tf.get_collection("c")
        assert found[0] is x and found[1] is op and found[2] is v
        ref = tf.get_collection_ref("c")
        assert x in ref and len(ref) == 4 and ref[1:] == [op, v, "text"]
        del ref[1]
        ref[0] = op
        assert tf.get_collection("c") == [op, v, "text"]
        del x, found
        gc.collect()
        assert g.get_tensor_by_name("x:0") is g.get_tensor_by_name("x:0")


def test_a_tensor_keeps_its_graph():
    def made():
        with tf.Graph().as_default():
            return tf.constant(3.0) * 2.0

    y = made()
    gc.collect()
    with tf.Session(graph=y.graph) as sess:
        assert sess.run(y) == 6.0


def test_a_variable_keeps_its_graph():
    def made():
        with tf.Graph().as_default():
            return tf.Variable([1.0, 2.0], name="v")

    v = made()
    gc.collect()
    with tf.Session(graph=v.graph) as sess:
        sess.run(v.initializer)
        assert v.eval().tolist() == [1, 2]


def test_errors_of_queues_name_their_operation():
    """They named the node the queue's operation is made of."""
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(1, [tf.float32])
        got, put = queue.dequeue(), queue.enqueue(1.0)
        with tf.Session() as sess:
            sess.run(queue.close())
            with pytest.raises(tf.errors.OutOfRangeError) as told:
                sess.run(got)
            assert told.value.op.name == "fifo_queue_Dequeue"
            with pytest.raises(tf.errors.CancelledError) as told:
                sess.run(put)
            assert told.value.op.name == "fifo_queue_enqueue"
