// DepthToSpace and SpaceToDepth.
#include <algorithm>

#include "sluice/op/batch_rules.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/array/space_depth.h"
#include "sluice/ops/family.h"

namespace sluice {
namespace {

Status InferDepthToSpace(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 4));
  if (!c.in(0).rank_known()) return OkStatus();
  bool last = space_depth::ChannelsLast(c.attrs());
  int64_t block = c.attr<int64_t>("block");
  auto s = space_depth::Sizes(c.in(0), last);
  if (s[3] >= 0 && s[3] % (block * block) != 0) {
    return c.Error(StrCat(c.Describe(0), ", block is ", block,
                          "; wanted channels divisible by ", block * block));
  }
  s[3] = s[3] < 0 ? kUnknownDim : s[3] / (block * block);
  for (int i : {1, 2}) {
    auto k = static_cast<size_t>(i);
    if (s[k] < 0) {
      s[k] = kUnknownDim;
    } else if (!CheckedMul(s[k], block, &s[k])) {
      s[k] = INT64_MAX;
    }
  }
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      MakeOutShape(c, space_depth::DimsOf(s, last)));
  c.set_out(0, out);
  return OkStatus();
}

Status InferSpaceToDepth(ShapeContext& c) {
  SL_RETURN_IF_ERROR(c.WantRank(0, 4));
  if (!c.in(0).rank_known()) return OkStatus();
  bool last = space_depth::ChannelsLast(c.attrs());
  int64_t block = c.attr<int64_t>("block");
  auto s = space_depth::Sizes(c.in(0), last);
  for (int i : {1, 2}) {
    auto k = static_cast<size_t>(i);
    if (s[k] >= 0 && s[k] % block != 0) {
      return c.Error(StrCat(c.Describe(0), ", block is ", block,
                            "; wanted height and width divisible by block"));
    }
    s[k] = s[k] < 0 ? kUnknownDim : s[k] / block;
  }
  if (s[3] < 0 || !CheckedMul(s[3], block * block, &s[3])) {
    s[3] = s[3] < 0 ? kUnknownDim : INT64_MAX;
  }
  SL_ASSIGN_OR_RETURN(PartialShape out,
                      MakeOutShape(c, space_depth::DimsOf(s, last)));
  c.set_out(0, out);
  return OkStatus();
}

OpDefinition& SpaceDepth(OpDefinition&& op, std::string_view) {
  return op.input("x: T")
      .output("y: T")
      .types("T", kPlain)
      .attr("block", AttrKind::kInt, "The side of the squares.")
      .between(1, 1 << 16)
      .attr("layout", "NHWC", "Where the channels are.")
      .one_of({"NHWC", "NCHW"})
      .attr("order", "DCR",
            "Channels of one pixel of the square together, or pixels of one "
            "channel.")
      .one_of({"DCR", "CRD"})
      .batch(batch_rules::rows<0>);
}

}  // namespace

SL_OP_OF(DepthToSpace, SpaceDepth)
    .doc(
        "Images with the channels of every pixel laid out as a square of block "
        "x block pixels. SpaceToDepth goes back; with layout NCHW and order "
        "CRD this is pixel shuffle.")
    .shape(InferDepthToSpace)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("SpaceToDepth", {g.dy()}, g.attrs()));
    })
    .cpu(space_depth::kernel<false>)
    .reference(space_depth::reference<false>)
    .samples(
        {{.in = {{1, 2, 3, 8}}, .attrs = space_depth::With(2, "NHWC", "DCR")},
         {.in = {{2, 2, 3, 9}}, .attrs = space_depth::With(3, "NHWC", "CRD")},
         {.in = {{1, 8, 2, 3}}, .attrs = space_depth::With(2, "NCHW", "DCR")},
         {.in = {{2, 12, 2, 3}}, .attrs = space_depth::With(2, "NCHW", "CRD")},
         {.in = {{2, 3, 4, 2}}, .attrs = space_depth::With(1, "NCHW", "CRD")},
         {.in = {{0, 2, 2, 4}}, .attrs = {{"block", 2}}},
         {.in = {{1, 2, 2, 0}}, .attrs = {{"block", 2}}}})
    .rejects({{.in = {{1, 2, 2, 6}},
               .attrs = {{"block", 2}},
               .message = "[DepthToSpace] x is f32[1,2,2,6], block is 2; "
                          "wanted channels divisible by 4"},
              {.in = {{4, 4, 1}},
               .attrs = {{"block", 2}},
               .message = "[DepthToSpace] x is f32[4,4,1]; wanted rank 4"}});

SL_OP_OF(SpaceToDepth, SpaceDepth)
    .doc(
        "Images with every square of block x block pixels moved into the "
        "channels of one pixel. DepthToSpace goes back; with layout NCHW and "
        "order CRD this is pixel unshuffle.")
    .shape(InferSpaceToDepth)
    .grad([](GradContext& g) {
      g.set_dx(0, g.call("DepthToSpace", {g.dy()}, g.attrs()));
    })
    .cpu(space_depth::kernel<true>)
    .reference(space_depth::reference<true>)
    .samples(
        {{.in = {{1, 4, 6, 3}}, .attrs = space_depth::With(2, "NHWC", "DCR")},
         {.in = {{2, 3, 3, 2}}, .attrs = space_depth::With(3, "NHWC", "CRD")},
         {.in = {{1, 3, 4, 6}}, .attrs = space_depth::With(2, "NCHW", "DCR")},
         {.in = {{2, 3, 4, 2}}, .attrs = space_depth::With(2, "NCHW", "CRD")},
         {.in = {{2, 3, 4, 2}}, .attrs = space_depth::With(1, "NCHW", "CRD")},
         {.in = {{0, 2, 2, 1}}, .attrs = {{"block", 2}}},
         {.in = {{1, 0, 2, 1}}, .attrs = {{"block", 2}}}})
    .rejects({{.in = {{1, 3, 4, 1}},
               .attrs = {{"block", 2}},
               .message = "[SpaceToDepth] x is f32[1,3,4,1], block is 2; "
                          "wanted height and width divisible by block"},
              {.in = {{4, 4, 1}},
               .attrs = {{"block", 2}},
               .message = "[SpaceToDepth] x is f32[4,4,1]; wanted rank 4"}});

}  // namespace sluice
