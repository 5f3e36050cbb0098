// Functions that move elements about: flatten, pad, one_hot, interpolate.
#include "nn_args.h"
#include "sluice/eager/operators.h"
#include "sluice/nn/checks.h"
#include "sluice/nn/functional.h"
#include "sluice/nn/reshape.h"
#include "sluice/nn/shape_layers.h"
#include "sluice/ops.h"

namespace sluice::py {

namespace {

using Where = std::source_location;

Tensor Flatten(nb::handle input, int start_dim, int end_dim) {
  return flatten(TensorArg(input, "flatten(): input"), start_dim, end_dim);
}

Tensor Unflatten(nb::handle input, int dim, nb::handle sizes) {
  Tensor x = TensorArg(input, "unflatten(): input");
  nn::PerAxis each = PerAxisArg(sizes, "unflatten(): sizes");
  return nn::Unflatten(dim, each.sizes()).forward(x);
}

// Borders are counted from the last axis: before, after, then the one before.
Tensor Pad(nb::handle input, nb::handle pad, const std::string& mode,
           double value) {
  Tensor x = TensorArg(input, "pad(): input");
  nn::PerAxis border = PerAxisArg(pad, "pad(): pad");
  const std::vector<int64_t>& given = border.sizes();
  SL_WANT(x.rank() >= 0, Where::current(),
          "pad: the number of axes is unknown");
  auto rank = static_cast<size_t>(x.rank());
  SL_WANT(given.size() % 2 == 0 && given.size() <= 2 * rank, Where::current(),
          "pad: input is ", TypeText(x.dtype(), x.shape()), ", pad has ",
          given.size(), " numbers; wanted two for each of its last axes");
  std::string own = mode == "replicate"  ? "edge"
                    : mode == "circular" ? "wrap"
                                         : mode;
  SL_WANT(
      own == "constant" || own == "edge" || own == "wrap" || own == "reflect",
      Where::current(), "pad: mode is \"", mode,
      "\"; wanted constant, reflect, replicate or circular");
  LongCall call{x};
  std::vector<int64_t> all(2 * rank, 0), begin(rank, 0), size(rank, -1);
  bool cut = false;
  for (size_t k = 0; k < given.size(); ++k) {
    size_t axis = rank - 1 - k / 2;
    if (given[k] >= 0) {
      all[2 * axis + k % 2] = given[k];
      continue;
    }
    // Less than nothing: elements are taken away.
    cut = true;
    int64_t there = SizeOf(input, x, static_cast<int>(axis));
    SL_WANT(there >= -given[k], Where::current(), "pad: input is ",
            TypeText(x.dtype(), x.shape()), ", pad takes away ", -given[k],
            " along axis ", axis, "; wanted fewer than there are");
    if (size[axis] < 0) size[axis] = there;
    size[axis] += given[k];
    if (k % 2 == 0) begin[axis] = -given[k];
  }
  if (cut) {
    for (size_t i = 0; i < rank; ++i) {
      SL_WANT(size[i] >= -1, Where::current(), "pad: pad takes away more than ",
              "there is along axis ", i);
    }
    x = slice(x, begin, size);
  }
  return sluice::pad(x, all, {.value = value, .mode = own});
}

Tensor OneHot(nb::handle input, int64_t num_classes) {
  Tensor ids = TensorArg(input, "one_hot(): input");
  if (num_classes < 0) {
    SL_WANT(!ids.symbolic(), Where::current(),
            "one_hot: num_classes is not given; wanted it in a graph, where "
            "labels are not known yet");
    SL_WANT(ids.num_elements() > 0, Where::current(),
            "one_hot: there are no labels; wanted num_classes");
    num_classes = cast(max(ids), DType::kI64).item<int64_t>() + 1;
  }
  if (!ids.symbolic() && ids.num_elements() > 0) {
    int64_t low = cast(min(ids), DType::kI64).item<int64_t>();
    int64_t high = cast(max(ids), DType::kI64).item<int64_t>();
    SL_WANT(low >= 0 && high < num_classes, Where::current(),
            "one_hot: labels are from ", low, " to ", high,
            "; wanted them from 0 to ", num_classes - 1);
  } else if (ids.symbolic()) {
    assert_that(logical_and(ids >= 0, ids < num_classes), {ids},
                {.message = StrCat("one_hot: a label is out of range; wanted "
                                   "them from 0 to ",
                                   num_classes - 1)});
  }
  return one_hot(ids, num_classes, {.dtype = DType::kI64});
}

// Lines [batch, channels, length] are images one high.
Tensor Interpolate(nb::handle input, nb::handle size, double scale_factor,
                   std::string mode, bool align_corners) {
  Tensor x = TensorArg(input, "interpolate(): input");
  bool line = x.rank() == 3;
  SL_WANT(line || x.rank() == 4, Where::current(), "interpolate: input is ",
          TypeText(x.dtype(), x.shape()),
          "; wanted [batch, channels, length] or [batch, channels, height, "
          "width]");
  if (line && mode == "linear") mode = "bilinear";
  SL_WANT(mode == "nearest" || mode == "bilinear", Where::current(),
          "interpolate: mode is \"", mode,
          "\"; wanted nearest, linear (of "
          "lines) or bilinear (of images)");
  nn::UpsampleOptions options{.mode = mode, .align_corners = align_corners};
  if (!size.is_none()) {
    options.size = PerAxisArg(size, "interpolate(): size");
    if (line) options.size = nn::PerAxis{1, options.size->Of(1, 1, "size")[0]};
  } else if (line) {
    int64_t there = SizeOf(input, x, 2);
    SL_WANT(there >= 0, Where::current(),
            "interpolate: the length is unknown; wanted a size");
    auto length = static_cast<double>(there) * scale_factor;
    options.size = nn::PerAxis{1, static_cast<int64_t>(length)};
  } else {
    options.scale_factor = scale_factor;
  }
  LongCall call{x};
  nn::Upsample layer(options);
  if (!line) return layer.forward(x);
  return squeeze(layer.forward(expand_dims(x, 2)), {.axes = {2}});
}

Tensor PixelShuffle(nb::handle input, int64_t factor, bool back) {
  Tensor x = TensorArg(input, "pixel_shuffle(): input");
  LongCall call{x};
  bool alone = x.rank() == 3;
  if (alone) x = expand_dims(x, 0);
  x = back ? space_to_depth(x, factor, {.layout = "NCHW", .order = "CRD"})
           : depth_to_space(x, factor, {.layout = "NCHW", .order = "CRD"});
  return alone ? squeeze(x, {.axes = {0}}) : x;
}

}  // namespace

void BindNnShapes(nb::module_& m) {
  m.def("nn_flatten", &Flatten, "input"_a, "start_dim"_a, "end_dim"_a);
  m.def("nn_unflatten", &Unflatten, "input"_a, "dim"_a, "sizes"_a);
  m.def("nn_pad", &Pad, "input"_a, "pad"_a, "mode"_a, "value"_a);
  m.def("nn_one_hot", &OneHot, "input"_a, "num_classes"_a);
  m.def("nn_interpolate", &Interpolate, "input"_a, "size"_a.none(),
        "scale_factor"_a, "mode"_a, "align_corners"_a);
  m.def("nn_pixel_shuffle", &PixelShuffle, "input"_a, "factor"_a, "back"_a);
}

}  // namespace sluice::py
