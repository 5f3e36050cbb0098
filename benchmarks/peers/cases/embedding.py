"""A table of 100,000 rows of 64, of which 1024 are looked up: sparse SGD."""

from numbers_of_cases import integers

TITLE = "sparse embedding 100,000 x 64, 1024 lookups"
ROWS, WIDTH, LOOKUPS, RATE = 100_000, 64, 1024, 0.01


def at():
    return integers(1, ROWS, LOOKUPS)


def torch_like(kit):
    table = kit.fill(kit.nn.Embedding(ROWS, WIDTH, sparse=True))
    # PyTorch's fused update does not take sparse gradients.
    optimizer = kit.lib.optim.SGD(table.parameters(), lr=RATE)
    return kit.train(lambda at: table(at).square().sum(), optimizer, kit.tensor(at()))


def jax(kit):
    """Only the rows that are read are differentiated and written."""
    import functools

    from numbers_of_cases import weight

    @functools.partial(kit.jax.jit, donate_argnums=0)
    def train(table, at):
        loss, grads = kit.jax.value_and_grad(lambda r: (r * r).sum())(table[at])
        return loss, table.at[at].add(-RATE * grads)

    kept = {"table": kit.tensor(weight(0, (ROWS, WIDTH)))}
    rows = kit.tensor(at())

    def step():
        loss, kept["table"] = train(kept["table"], rows)
        return loss.block_until_ready()

    return step, kit.number


def tensorflow(kit):
    from numbers_of_cases import weight

    tf = kit.tf
    table, rows = tf.Variable(weight(0, (ROWS, WIDTH))), kit.tensor(at())

    @tf.function(jit_compile=kit.xla)
    def train(rows):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, rows) ** 2)
        grads = tape.gradient(loss, table)  # indexed slices
        table.scatter_sub(tf.IndexedSlices(RATE * grads.values, grads.indices))
        return loss

    return lambda: train(rows), kit.number
