#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/kernels/cpu/einsum/contract.h"
#include "sluice/kernels/cpu/gemm/launch.h"
#include "sluice/op/autocast_rule.h"
#include "sluice/op/batch_rules.h"
#include "sluice/op/face.h"
#include "sluice/op/grad_context.h"
#include "sluice/ops/math/einsum_grad.h"
#include "sluice/ops/math/einsum_reference.h"

namespace sluice {
namespace {

Result<EinsumEquation> EquationOf(const ShapeContext& c) {
  int ranks[kMaxEinsumOperands] = {};
  const int operands = c.num_inputs();
  for (int i = 0; i < std::min(operands, kMaxEinsumOperands); ++i) {
    ranks[i] = c.in(i).rank();
  }
  return EinsumEquation::Parse(c.attr<std::string>("equation"), ranks,
                               operands);
}

// The common size of a label with two sizes. Axes under "..." broadcast from 1.
constexpr int64_t kContradiction = INT64_MIN;
int64_t Agree(int64_t a, int64_t b, bool stretches) {
  if (stretches && (a == 1 || b == 1)) return a == 1 ? b : a;
  if (a >= 0 && b >= 0) return a == b ? a : kContradiction;
  if (a >= 0 || b >= 0) return std::max(a, b);
  if (a == b) return a;
  return stretches ? kUnknownDim : std::min(a, b);  // a symbol, if there is one
}

Status Infer(ShapeContext& c) {
  Result<EinsumEquation> eq = EquationOf(c);
  if (!eq.ok()) return c.Error(eq.status().message());
  int64_t dims[kNumEinsumLabels];
  bool seen[kNumEinsumLabels] = {};
  bool all_known = true;
  Shape shapes[kMaxEinsumOperands];
  for (int i = 0; i < eq->operands(); ++i) {
    const EinsumTerm& term = eq->in(i);
    all_known = all_known && c.in(i).fully_known();
    if (c.in(i).fully_known()) shapes[i] = c.in(i).ToShape();
    for (int k = 0; k < term.rank; ++k) {
      int l = term.label[k];
      int64_t d = c.in(i).rank_known() ? c.in(i)[k] : kUnknownDim;
      int64_t both = seen[l] ? Agree(dims[l], d, l >= kEinsumEllipsis) : d;
      if (both == kContradiction) {
        return c.Error(StrCat("sizes ", dims[l], " and ", d,
                              l >= kEinsumEllipsis ? " under \"...\" do not "
                                                     "broadcast; "
                                                   : " have one label; wanted "
                                                     "them equal; ",
                              c.Describe(i)));
      }
      dims[l] = both;
      seen[l] = true;
    }
  }
  if (!eq->rank_known()) return OkStatus();
  int64_t out_dims[kMaxRank];
  const EinsumTerm& out = eq->out();
  for (int k = 0; k < out.rank; ++k) out_dims[k] = dims[out.label[k]];
  SL_ASSIGN_OR_RETURN(
      PartialShape shape,
      PartialShape::Make({out_dims, static_cast<size_t>(out.rank)}));
  c.set_out(0, shape);
  if (!all_known) return OkStatus();
  Result<int64_t> bytes = RunEinsum(
      {*eq, c.in_dtype(0), shapes, nullptr, nullptr, nullptr, nullptr});
  return bytes.ok() ? OkStatus() : c.Error(bytes.status().message());
}

int64_t Workspace(const ShapeContext& c) {
  Result<EinsumEquation> eq = EquationOf(c);
  if (!eq.ok()) return 0;
  Shape shapes[kMaxEinsumOperands];
  for (int i = 0; i < eq->operands(); ++i) shapes[i] = c.in(i).ToShape();
  Result<int64_t> bytes = RunEinsum(
      {*eq, c.in_dtype(0), shapes, nullptr, nullptr, nullptr, nullptr});
  return bytes.ok() ? *bytes : 0;
}

Status Launch(KernelContext& ctx) {
  int ranks[kMaxEinsumOperands];
  Shape shapes[kMaxEinsumOperands];
  const void* data[kMaxEinsumOperands];
  if (ctx.num_inputs() > kMaxEinsumOperands) {
    return ctx.Error("there are too many operands");
  }
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    shapes[i] = ctx.in(i).shape();
    ranks[i] = shapes[i].rank();
    data[i] = ctx.in(i).raw();
  }
  Result<EinsumEquation> eq = EinsumEquation::Parse(
      ctx.attr<std::string>("equation"), ranks, ctx.num_inputs());
  if (!eq.ok()) return ctx.Error(eq.status().message());
  Result<int64_t> done =
      RunEinsum({*eq, ctx.in(0).dtype(), shapes, data, ctx.out(0).mutable_raw(),
                 ctx.workspace(), ctx.step().pool});
  return done.ok() ? OkStatus() : ctx.Error(done.status().message());
}

std::vector<Sample> Samples() {
  auto eq = [](const char* text) { return Attrs{{"equation", text}}; };
  const DTypeSet few{DType::kF32, DType::kBF16};
  return {
      {.in = {{2, 3}, {3, 4}}, .attrs = eq("ij,jk->ik")},
      {.in = {{2, 3}, {3, 4}}, .attrs = eq("ij, jk"), .only = few},
      {.in = {{2, 3}, {3, 4}}, .attrs = eq("ij,jk->ki"), .only = few},
      {.in = {{3, 2}, {4, 3}}, .attrs = eq("ji,kj->ik"), .only = few},
      {.in = {{2, 3, 4}, {2, 4, 5}}, .attrs = eq("bij,bjk->bik"), .only = few},
      {.in = {{2, 3, 4, 5}, {2, 6, 4, 5}},
       .attrs = eq("bqhd,bkhd->bhqk"),
       .only = few},
      {.in = {{2, 4, 3, 6}, {2, 6, 4, 5}},
       .attrs = eq("bhqk,bkhd->bqhd"),
       .only = few},
      {.in = {{2, 3, 4, 2}, {3, 5, 2, 2}},
       .attrs = eq("abcd,bexd->cxea"),
       .only = few},
      {.in = {{4, 4}}, .attrs = eq("ii->i")},
      {.in = {{4, 4}}, .attrs = eq("ii")},
      {.in = {{3, 4, 3}}, .attrs = eq("iji->j"), .only = few},
      {.in = {{3, 4}}, .attrs = eq("ij->ji")},
      {.in = {{3, 4}}, .attrs = eq("ba"), .only = few},
      {.in = {{3, 4}}, .attrs = eq("ij->"), .only = few},
      {.in = {{3, 4}, {4}}, .attrs = eq("ij,j->i"), .only = few},
      {.in = {{3, 4}, {3}}, .attrs = eq("ij,i->j"), .only = few},
      {.in = {{3}, {4}}, .attrs = eq("i,j->ij"), .only = few},
      {.in = {{3}, {4}}, .attrs = eq("i,j->ji"), .only = few},
      {.in = {{3}, {3}}, .attrs = eq("i,i->i"), .only = few},
      {.in = {{3}, {3}}, .attrs = eq("i,i->"), .only = few},
      {.in = {Shape(), Shape()}, .attrs = eq(",->"), .only = few},
      {.in = {Shape(), {3}}, .attrs = eq(",a->a"), .only = few},
      {.in = {{2, 3}, {3, 4}}, .attrs = eq("ij,jk->k"), .only = few},
      {.in = {{2, 3, 3}, {3, 4}}, .attrs = eq("ijj,jk->ik"), .only = few},
      {.in = {{5, 2, 3}, {3, 4}}, .attrs = eq("...ij,jk->...ik"), .only = few},
      {.in = {{5, 1, 2, 3}, {6, 3, 4}},
       .attrs = eq("...ij,...jk->...ik"),
       .only = few},
      {.in = {{2, 3, 1}, {4}}, .attrs = eq("i...,...->...i"), .only = few},
      {.in = {{2, 3}, {2, 3}}, .attrs = eq("...,..."), .only = few},
      {.in = {{2, 3}, {3, 4}, {4, 2}},
       .attrs = eq("ab,bc,cd->ad"),
       .only = few},
      {.in = {{2, 3}, {3, 2}, {2}, {3}},
       .attrs = eq("ab,bc,c,b->a"),
       .only = few},
      {.in = {{2}, {3}, {2, 3}}, .attrs = eq("a,b,ab"), .only = few},
      {.in = {{0, 3}, {3, 4}}, .attrs = eq("ij,jk->ik"), .only = few},
      {.in = {{2, 0}, {0, 4}}, .attrs = eq("ij,jk->ik"), .only = few},
      {.in = {{3, 0}}, .attrs = eq("ij->i"), .only = few},
      {.in = {{1, 3}, {3, 1}}, .attrs = eq("ij,jk->ik"), .only = few},
      {.in = {{40, 30}, {30, 50}}, .attrs = eq("ij,jk->ki"), .only = few},
      {.in = {{6, 20, 30}, {6, 30, 20}},
       .attrs = eq("bij,bji->b"),
       .only = {DType::kF32}}};
}

// One multiplication for every combination of labels.
double Cost(const ShapeContext& c) {
  Result<EinsumEquation> eq = EquationOf(c);
  if (!eq.ok()) return 1e6;
  double dims[kNumEinsumLabels];
  std::fill_n(dims, kNumEinsumLabels, 1.0);
  for (int i = 0; i < eq->operands(); ++i) {
    if (!c.in(i).fully_known()) return 1e6;
    const EinsumTerm& term = eq->in(i);
    for (int k = 0; k < term.rank; ++k) {
      double& d = dims[term.label[k]];
      d = std::max(d, static_cast<double>(c.in(i)[k]));
    }
  }
  double work = 2;
  for (double d : dims) work *= d;
  return std::min(work, 1e18);
}

// One more letter, for the operands with lanes and the result.
bool Batched(BatchContext& b) {
  std::string equation = b.attr<std::string>("equation");
  equation.erase(std::remove(equation.begin(), equation.end(), ' '),
                 equation.end());
  size_t arrow = equation.find("->");
  if (arrow == std::string::npos) return false;
  char lane = 'a';
  while (equation.find(lane) != std::string::npos) {
    if (lane == 'z') return false;
    ++lane;
  }
  std::string made;
  size_t from = 0;
  for (int i = 0; i < b.num_inputs(); ++i) {
    size_t end = std::min(equation.find(',', from), arrow);
    if (b.batched(i)) made += lane;
    made += equation.substr(from, end - from);
    if (i + 1 < b.num_inputs()) made += ',';
    from = end + 1;
  }
  made += StrCat("->", std::string(1, lane), equation.substr(arrow + 2));
  return b.set_all(b.all_in(), {{"equation", made}});
}

}  // namespace

SL_OP(Einsum)
    .doc(
        "Products of arrays summed over axes, as an equation says: a letter "
        "for each axis of each operand, and those of the result after \"->\". "
        "A letter the result lacks is summed over, one that occurs twice in an "
        "operand takes its diagonal, \"...\" stands for any number of axes "
        "that broadcast. Without \"->\" the result has the axes of \"...\" and "
        "then the letters that occur once, in order. Operands are multiplied "
        "from left to right. Halves are summed in float; integers wrap.")
    .input("xs: T*")
    .output("y: T")
    .types("T", kGemmTypes)
    .attr("equation", AttrKind::kString, "Such as \"bij,bjk->bik\".")
    .shape(Infer)
    .grad(EinsumGrad)
    .batch(Batched)
    .cpu(Launch)
    .cpu_workspace(Workspace)
    .cost(Cost)
    .tolerance(2e-5)
    .reference(EinsumReference)
    .samples(Samples())
    .rejects(
        {{.in = {{2, 3}, {3, 4}},
          .attrs = {{"equation", "ij->ij"}},
          .message = "[Einsum] equation has 1 terms for the 2 operands; wanted "
                     "one for each"},
         {.in = {{2, 3}},
          .attrs = {{"equation", "i"}},
          .message = "[Einsum] operand 0 has rank 2, its term 1 letters; "
                     "wanted a letter for each axis"},
         {.in = {{2}},
          .attrs = {{"equation", "ij...->i"}},
          .message = "[Einsum] operand 0 has rank 1, its term 2 letters and "
                     "\"...\"; wanted a letter for each axis"},
         {.in = {{2, 3}, {4, 5}},
          .attrs = {{"equation", "ij,jk->ik"}},
          .message = "[Einsum] sizes 3 and 4 have one label; wanted them "
                     "equal; xs[1] is f32[4,5]"},
         {.in = {{2, 3}},
          .attrs = {{"equation", "ii->i"}},
          .message = "[Einsum] sizes 2 and 3 have one label"},
         {.in = {{2, 3}, {3, 3}},
          .attrs = {{"equation", "...,..."}},
          .message = "[Einsum] sizes 2 and 3 under \"...\" do not broadcast; "
                     "xs[1] is f32[3,3]"},
         {.in = {{2}},
          .attrs = {{"equation", "i->j"}},
          .message = "[Einsum] the result's label 'j' is in no operand's term"},
         {.in = {{2}},
          .attrs = {{"equation", "i->ii"}},
          .message = "[Einsum] the result's label 'i' stands there twice; "
                     "wanted once"},
         {.in = {{2}},
          .attrs = {{"equation", "1->1"}},
          .message = "[Einsum] equation has a character that is no letter"},
         {.in = {{2}},
          .attrs = {{"equation", "i->i->i"}},
          .message = "[Einsum] equation has a character that is no letter"},
         {.in = {{2}},
          .attrs = {{"equation", "..i"}},
          .message = "[Einsum] equation has a misplaced '.' in \"..i\""},
         {.in = {{2}},
          .attrs = {{"equation", "...i..."}},
          .message = "[Einsum] equation has a misplaced '.' in"},
         {.in = {{2}},
          .attrs = {{"equation", "abcdefghi->a"}},
          .message = "[Einsum] equation has a term of more than 8 letters"},
         {.in = {{2, 2}},
          .attrs = {{"equation", "...i->i"}},
          .message = "[Einsum] operands have axes under \"...\", the result's "
                     "term has none"},
         {.in = {{2}},
          .attrs = {{"equation", "i->...i"}},
          .message = "[Einsum] the result's term has \"...\", no operand's "
                     "has"},
         {.in = {{1, 1, 1, 1, 1}, {1, 1, 1, 1}},
          .attrs = {{"equation", "abcde,fghi"}},
          .message = "[Einsum] the result would have rank above 8"},
         {.in = {{1, 1, 1, 1, 1}, {1, 1, 1, 1}},
          .attrs = {{"equation", "abcde,...->a...bcde"}},
          .message = "[Einsum] the result would have rank 9; wanted at most "
                     "8"},
         {.in = {{2}},
          .attrs = {{"equation", ""}},
          .message = "[Einsum] operand 0 has rank 1, its term 0 letters"}});
SL_FACE(Einsum).keeps(kInts);
SL_AUTOCAST(Einsum, kLow);

}  // namespace sluice
