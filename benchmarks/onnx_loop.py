"""ONNX Runtime's Loop on `while i < n: i + 1`, for benchmarks beside it."""


def onnx_loop(count):
    import numpy
    import onnxruntime
    from onnx import TensorProto, helper

    def scalar(name, kind):
        return helper.make_tensor_value_info(name, kind, [])

    i64, flag = TensorProto.INT64, TensorProto.BOOL
    body = helper.make_graph(
        [
            helper.make_node("Add", ["i_in", "one"], ["i_out"]),
            helper.make_node("Less", ["i_out", "n"], ["go_out"]),
        ],
        "body",
        [scalar("trip", i64), scalar("go_in", flag), scalar("i_in", i64)],
        [scalar("go_out", flag), scalar("i_out", i64)],
    )
    graph = helper.make_graph(
        [
            helper.make_node("Less", ["zero", "n"], ["go"]),
            helper.make_node("Loop", ["", "go", "zero"], ["last"], body=body),
        ],
        "loop",
        [scalar("n", i64)],
        [scalar("last", i64)],
        [
            helper.make_tensor("one", i64, [], [1]),
            helper.make_tensor("zero", i64, [], [0]),
        ],
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8
    )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    feed = {"n": numpy.array(int(count), dtype=numpy.int64)}

    def run(*_):
        (last,) = session.run(None, feed)
        if last != feed["n"]:
            raise RuntimeError("the loop gave %s" % last)
        return last

    return run
