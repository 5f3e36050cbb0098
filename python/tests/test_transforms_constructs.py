"""Every transform over every construct, imperatively and captured."""

import numpy as np
import pytest
import transform_constructs as table

import sluice as sl


@pytest.mark.parametrize("construct", table.CONSTRUCTS)
def test_transforms_go_through(construct):
    for transform in table.TRANSFORMS:
        wanted = np.array(table.wanted(construct, transform), float)
        for how in ("imperative", "captured"):
            f, x = table.ours(construct, transform)
            if how == "captured":
                f = sl.function(f)
            try:
                got = f(x).numpy()
            except Exception as error:
                raise AssertionError(f"{how}: {transform}") from error
            np.testing.assert_allclose(
                got, wanted, rtol=1e-8, atol=1e-8, err_msg=f"{how}: {transform}"
            )
