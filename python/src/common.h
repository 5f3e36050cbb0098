// Common includes of all files of the binding: nanobind, the Tensor, and names.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>
#include <structmember.h>  // not included by newer nanobinds

#include <string>
#include <vector>

#include "dtype.h"
#include "graph_lifetime.h"
#include "sluice/base/error.h"
#include "sluice/eager/tensor.h"

namespace sluice::py {

namespace nb = nanobind;
using namespace nb::literals;  // NOLINT: "axis"_a

}  // namespace sluice::py
