"""Mixed precision on the GPU: against the CPU, imperative and captured."""

import sluice as sl

F = sl.nn.functional


def losses(device, dtype, captured):
    sl.manual_seed(4)
    net = sl.nn.Sequential(sl.nn.Linear(8, 32), sl.nn.GELU(), sl.nn.Linear(32, 4))
    x, y = sl.randn(32, 8).to(device), sl.randint(0, 4, (32,)).to(device)
    net.to(device)
    optimizer = sl.optim.Adam(net.parameters(), lr=0.01)

    def step(x, y):
        optimizer.zero_grad()
        with sl.amp.autocast("cuda", dtype=dtype):
            out = net(x)
            loss = F.cross_entropy(out, y)
        loss.backward()
        optimizer.step()
        return loss, out

    run = sl.function(step) if captured else step
    told = []
    for _ in range(5):
        loss, out = run(x, y)
        assert loss.dtype == sl.float32 and out.dtype == dtype
        told.append(loss.item())
    assert all(p.dtype == sl.float32 for p in net.parameters())
    return told


def test_autocast_trains():
    for dtype in (sl.bfloat16, sl.float16):
        host = losses("cpu", dtype, False)
        assert host[-1] < host[0]
        for captured in (False, True):
            there = losses("cuda", dtype, captured)
            for one, other in zip(host, there):
                assert abs(one - other) < 0.02 * abs(one), (dtype, host, there)


def test_grad_scaler():
    w = sl.ones(3, device="cuda").requires_grad_()
    optimizer = sl.optim.SGD([w], lr=1.0)
    scaler = sl.amp.GradScaler(init_scale=4.0, growth_interval=1)
    scaler.scale(w.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0, 0, 0] and scaler.get_scale() == 8
    optimizer.zero_grad()
    scaler.scale((w * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert w.tolist() == [0, 0, 0] and scaler.get_scale() == 4
