#include "sluice/gpu/whole_loop.h"

#include "sluice/base/strings.h"
#include "sluice/gpu/formula_writer.h"
#include "sluice/gpu/loop_regions.h"
#include "sluice/graph/traverse.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

namespace {

// More would make sources that take long to compile and kernels that spill.
constexpr size_t kMostNodes = 96;

bool IsOne(const Shape& shape) { return shape.num_elements() == 1; }
Shape ShapeOf(const Value& v) { return v.shape().ToShape(); }

class WholeLoopWriter {
 public:
  // `part`: null for the whole loop.
  WholeLoopWriter(const Node& loop, const CountingPart* part)
      : loop_(loop), part_(part) {
    if (part) carried_ = part->carried;
    for (int i = 0; !part && i < loop.num_inputs(); ++i) carried_.push_back(i);
  }

  WholeLoop Write() {
    const Region &cond = CondOf(loop_), &body = BodyOf(loop_);
    for (int i : carried_) {
      if (loop_.input(i).dtype() == DType::kList) return {};
    }
    if (!TakeNodes(cond, cond_) || !TakeNodes(body, body_) || !FindSpace() ||
        cond_.size() + body_.size() > kMostNodes) {
      return {};
    }
    std::string begin, lines;
    for (int i : carried_) {
      for (const Region* region : {&cond, &body}) {
        writer_.SetName({region->args_node(), i}, StrCat("s", i));
      }
      StrAppend(begin, "    ", TypeName(i), " s", i, " = ", Use(loop_.input(i)),
                ";\n");
    }
    if (!AddLines(cond_, lines)) return {};
    StrAppend(lines, "  if (!", Use(cond.results()[0]), ") break;\n");
    if (!AddLines(body_, lines)) return {};
    std::string next, commit, end;
    size_t out = 0;
    for (int i : carried_) {
      auto n = static_cast<size_t>(i);
      StrAppend(next, "  ", TypeName(i), " n", i, " = ", Use(body.results()[n]),
                ";\n");
      StrAppend(commit, "  s", i, " = n", i, ";\n");
      bool one = IsOne(loop_.output_type(i).shape.ToShape());
      StrAppend(end, one ? "    if (i == 0) " : "    ", "static_cast<",
                TypeName(i), "*>(a.out[", out++, "])[i] = s", i, ";\n");
    }
    if (part_) {
      begin += "    int64_t trips = 0;\n";
      commit += "  ++trips;\n";
      StrAppend(end, "    *static_cast<int64_t*>(a.out[", out, "]) = trips;\n");
    }
    WholeLoop whole;
    whole.source = StrCat(
        FormulaWriter::Includes(), "namespace sluice {\n", writer_.formulas(),
        Args(),
        "SL_GLOBAL(fused, Args, a) {\n"
        "  for (int64_t i = FirstThread(); i < a.n; i += AllThreads()) {\n",
        Loads(), begin, "    for (;;) {\n", lines, next, commit, "    }\n", end,
        "  }\n}\n}\n");
    whole.space = space_;
    whole.inputs = inputs_;
    whole.label = StrCat("loop ", space_, ":");
    for (const Node* node : cond_) StrAppend(whole.label, " ", node->op().name);
    whole.label += " |";
    for (const Node* node : body_) StrAppend(whole.label, " ", node->op().name);
    return whole;
  }

 private:
  std::string_view TypeName(int carried) const {
    return CudaTypeName(loop_.output_type(carried).dtype);
  }

  // Collects the computed nodes, in order.
  bool TakeNodes(const Region& region, std::vector<Node*>& nodes) const {
    Result<std::vector<Node*>> order = TopologicalOrder(region, {});
    if (!order.ok()) return false;
    for (Node* node : *order) {
      if (node->is_args() || ConstantValue({node, 0})) continue;
      if (part_ && &region == &BodyOf(loop_) && !part_->nodes.count(node)) {
        continue;
      }
      if (!node->controls().empty()) return false;
      if (!HandsOn(*node)) nodes.push_back(node);
    }
    return true;
  }

  // Finds the shape of all values that are not scalars.
  bool FindSpace() {
    auto fits = [&](const Shape& shape) {
      if (IsOne(shape)) return true;
      if (IsOne(space_)) space_ = shape;
      return shape == space_ && shape.num_elements() > 0;
    };
    for (int i : carried_) {
      if (!fits(loop_.output_type(i).shape.ToShape())) return false;
    }
    for (const std::vector<Node*>* nodes : {&cond_, &body_}) {
      for (const Node* node : *nodes) {
        if (node->num_outputs() != 1 ||
            !fits(node->output_type(0).shape.ToShape())) {
          return false;
        }
      }
    }
    return true;
  }

  bool AddLines(const std::vector<Node*>& nodes, std::string& lines) {
    for (const Node* node : nodes) {
      for (const Value& v : node->inputs()) {
        writer_.SetName(v, Use(v));
        if (!fits_) return false;
      }
      if (!writer_.Add(*node, lines)) return false;
    }
    return true;
  }

  // The variable for a value; a value from outside is read before the loop.
  std::string Use(Value v) {
    v = HandedOn(HandedOn(v, CondOf(loop_)), BodyOf(loop_));
    if (writer_.Has(v)) return writer_.Name(v);
    const Array* constant = ConstantValue(v);
    if (constant && constant->num_elements() == 1) {
      std::string literal = GpuLiteral(*constant);
      if (!literal.empty()) {
        writer_.SetName(v, literal);
        return literal;
      }
    }
    Shape shape = ShapeOf(v);
    FusedAccess access = IsOne(shape)      ? FusedAccess::kScalar
                         : shape == space_ ? FusedAccess::kFlat
                                           : FusedAccess::kStrided;
    fits_ = fits_ && shape.num_elements() > 0 && shape.rank() <= space_.rank();
    inputs_.push_back({v, access});
    std::string name = StrCat("x", inputs_.size() - 1);
    writer_.SetName(v, name);
    return name;
  }

  size_t NumStrided() const {
    size_t count = 0;
    for (const FusedInput& in : inputs_) {
      count += in.access == FusedAccess::kStrided;
    }
    return count;
  }

  // Filled by LaunchFused.
  std::string Args() const {
    return StrCat(
        "struct Args {\n  int64_t n;\n  int32_t packed, rank;\n"
        "  void* out[",
        carried_.size() + (part_ ? 1 : 0), "];\n  const void* in[",
        std::max<size_t>(1, inputs_.size()), "];\n",
        NumStrided() > 0 ? StrCat("  int64_t size[8];\n  int64_t stride[",
                                  NumStrided(), "][8];\n")
                         : "",
        "};\n");
  }

  std::string Loads() const {
    std::string places, steps, loads;
    size_t s = 0;
    for (size_t k = 0; k < inputs_.size(); ++k) {
      std::string_view type = CudaTypeName(inputs_[k].value.dtype());
      FusedAccess access = inputs_[k].access;
      std::string at = access == FusedAccess::kScalar ? "0"
                       : access == FusedAccess::kFlat ? "i"
                                                      : StrCat("at", k);
      if (access == FusedAccess::kStrided) {
        StrAppend(places, "    int64_t ", at, " = 0;\n");
        StrAppend(steps, "      ", at, " += index * a.stride[", s++,
                  "][axis];\n");
      }
      StrAppend(loads, "    ", type, " x", k, " = static_cast<const ", type,
                "*>(a.in[", k, "])[", at, "];\n");
    }
    if (s > 0) places += WalkLines(steps);
    return places + loads;
  }

  const Node& loop_;
  const CountingPart* const part_;
  std::vector<int> carried_;
  std::vector<Node*> cond_, body_;
  Shape space_;
  FormulaWriter writer_;
  std::vector<FusedInput> inputs_;
  bool fits_ = true;  // all values from outside can be read
};

}  // namespace

WholeLoop WriteWholeLoop(const Node& loop) {
  return WholeLoopWriter(loop, nullptr).Write();
}

WholeLoop WriteCountingPart(const Node& loop, const CountingPart& part) {
  return WholeLoopWriter(loop, &part).Write();
}

}  // namespace sluice
