"""A policy of three layers, 8-64-64-4, asked for one action: what an agent does at
every step of a game. The observation comes from NumPy, the action goes back."""

from numbers_of_cases import normal

TITLE = "policy 8-64-64-4, batch 1, an action from an observation"
ONNX = True
SIZES = (8, 64, 64, 4)


def observations():
    return [normal(10 + i, 1, 8) for i in range(8)]


def torch_like(kit):
    nn, lib = kit.nn, kit.lib
    net = kit.fill(nn.Sequential(
        nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 4)))
    seen = observations()
    if kit.library == "onnx":
        return in_onnx(kit, net, seen)
    net.eval()

    def act(x):
        with lib.no_grad():
            return net(x).argmax()

    run = kit.compile(act)

    def actions():
        return [run(lib.from_numpy(x)).item() for x in seen]

    return actions, lambda a: [float(k) for k in a]


def in_onnx(kit, net, seen):
    kit.infer(net, kit.tensor(seen[0]))
    session, name = kit.session, kit.session.get_inputs()[0].name

    def actions():
        return [int(session.run(None, {name: x})[0].argmax()) for x in seen]

    return actions, lambda a: [float(k) for k in a]


def functional(kit):
    def net(x):
        for a, b in zip(SIZES, SIZES[1:]):
            x = kit.linear(x, a, b)
            x = kit.tanh(x) if b != SIZES[-1] else x
        return x

    return net


def jax(kit):
    seen, net = observations(), functional(kit)
    weights = kit.weights_of(net, (seen[0],))
    apply = kit.applied(net)
    run = kit.jax.jit(lambda w, x: apply(w, x).argmax())
    return (lambda: [int(run(weights, x)) for x in seen],
            lambda a: [float(k) for k in a])


def tensorflow(kit):
    from numbers_of_cases import Deal

    tf, seen, net = kit.tf, observations(), functional(kit)
    weights = kit.weights_of(net, (kit.tensor(seen[0]),))

    @tf.function(jit_compile=kit.xla)
    def run(x):
        kit.dealt = Deal([w.read_value() for w in weights])
        return tf.argmax(net(x)[0])

    return (lambda: [int(run(tf.constant(x))) for x in seen],
            lambda a: [float(k) for k in a])
