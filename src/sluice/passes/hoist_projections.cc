#include "sluice/passes/hoist_projections.h"

#include "sluice/base/checked_math.h"
#include "sluice/base/strings.h"
#include "sluice/graph/batch_edit.h"
#include "sluice/graph/role_of.h"
#include "sluice/passes/counted_loop.h"

namespace sluice {

namespace {

// This many rows form a large product already.
constexpr int64_t kManyRows = 128;
// Sums with at most this many terms are computed in one block, whatever the
// number of rows.
constexpr int64_t kMaxSameBitsDepth = 256;

// MatMul(a, w) with a = views of Gather(x, index).
struct Projection {
  Node* product;
  Value x, index, w;
  int64_t slices, rows, depth, columns;  // x is [slices, rows * depth]
};

bool Outside(const Value& v, const Node& loop) {
  return v.node->region()->Encloses(loop.region());
}

class Hoister {
 public:
  Hoister(Graph& graph, bool same_bits, std::vector<std::string>* notes)
      : graph_(graph), same_bits_(same_bits), notes_(notes), edit_(graph) {}

  Result<bool> Run() {
    SL_RETURN_IF_ERROR(Visit(graph_.root()));
    return edit_.Commit();
  }

 private:
  Status Visit(Region& region) {
    // A copy: products are appended to the region during the loop.
    std::vector<Node*> nodes(region.nodes().begin(), region.nodes().end());
    for (Node* node : nodes) {
      for (const auto& inner : node->regions()) {
        SL_RETURN_IF_ERROR(Visit(*inner));
      }
      if (node->op().flow == Flow::kLoop) SL_RETURN_IF_ERROR(VisitLoop(*node));
    }
    return OkStatus();
  }

  Status VisitLoop(Node& loop) {
    Region& body = *loop.regions()[1];
    std::optional<CountedLoop> counted = FindCounter(loop);
    for (Node* node : body.nodes()) {
      Projection p;
      if (RoleOf(*node) != Role::kMatMul || !Read(loop, *node, &p)) continue;
      std::string why = WhyNot(loop, counted, p);
      if (why.empty()) {
        SL_RETURN_IF_ERROR(Hoist(loop, p));
        why = "is one product before the loop";
      } else {
        why = "stays in the loop: " + why;
      }
      if (notes_) {
        notes_->push_back(
            StrCat("[MatMul] of slices ", why, " ", NodeLine(*node)));
      }
    }
    return OkStatus();
  }

  // True if the product has this form.
  static bool Read(const Node& loop, Node& product, Projection* p) {
    const Region* body = loop.regions()[1].get();
    if (!product.controls().empty() ||
        product.attrs().get<bool>("transpose_a")) {
      return false;
    }
    Value a = product.input(0);
    auto keeps_order = [](const Node& node) {
      Role role = RoleOf(node);
      return role == Role::kReshape || role == Role::kExpandDims ||
             role == Role::kSqueeze;
    };
    while (a.node->region() == body && keeps_order(*a.node)) {
      a = a.node->input(0);
    }
    if (a.node->region() != body || RoleOf(a) != Role::kGather) return false;
    *p = {
        &product, a.node->input(0), a.node->input(1), product.input(1), 0, 0, 0,
        0};
    const PartialShape &x = p->x.shape(), &rows = product.input(0).shape(),
                       &out = product.output_type(0).shape;
    auto axis = a.node->attrs().get<int64_t>("axis");
    if (!Outside(p->x, loop) || !Outside(p->w, loop) || !x.fully_known() ||
        !rows.fully_known() || !out.fully_known() ||
        (axis != 0 && axis + x.rank() != 0) ||
        !(p->index.shape() == PartialShape::Scalar())) {
      return false;
    }
    p->slices = x[0];
    p->rows = rows[0];
    p->depth = rows[1];
    p->columns = out[1];
    return true;
  }

  // The slices that are read: from `first` to `last`, each once. False if the
  // index is not the counter, or counts backwards from a constant.
  static bool Slices(const Node& loop, const CountedLoop& counted,
                     const Value& index, int64_t* first, int64_t* last) {
    Value counter = loop.regions()[1]->arg(counted.counter);
    *first = counted.start;
    *last = counted.start + counted.trips - 1;
    if (index == counter) return true;
    if (RoleOf(index) != Role::kSub || index.node->input(1) != counter) {
      return false;
    }
    const Array* from = ConstantValue(index.node->input(0));
    if (!from || from->rank() != 0) return false;
    int64_t at = from->dtype() == DType::kI32 ? *from->data<int32_t>()
                                              : *from->data<int64_t>();
    if (at < *last || at > (int64_t{1} << 31)) return false;
    int64_t low = at - *last;
    *last = at - *first;
    *first = low;
    return true;
  }

  std::string WhyNot(const Node& loop,
                     const std::optional<CountedLoop>& counted,
                     const Projection& p) const {
    if (!counted || counted->trips < 0) {
      return "it is not known how often that runs";
    }
    if (!counted->exact) return "that may end early";
    int64_t first = 0, last = 0;
    if (!Slices(loop, *counted, p.index, &first, &last)) {
      return "they are not read one after another";
    }
    if (counted->trips < 2 || first < 0 || last >= p.slices ||
        counted->trips < p.slices / 2) {
      return StrCat("it reads ", counted->trips, " of ", p.slices, " slices");
    }
    if (p.rows >= kManyRows) return StrCat(p.rows, " rows are enough at once");
    int64_t bytes = 0;
    if (!CheckedMul(p.slices, p.rows, &bytes) ||
        !CheckedMul(bytes, p.columns, &bytes) ||
        !CheckedMul(bytes, DTypeSize(p.x.dtype()), &bytes) ||
        bytes > kMaxProjectionBytes) {
      return "all of it at once takes too much memory";
    }
    return same_bits_ && !SameBits(p) ? "it would round differently" : "";
  }

  static bool SameBits(const Projection& p) {
    DType dtype = p.x.dtype();
    if (IsInteger(dtype)) return true;
    bool dots = p.rows == 1 && p.product->attrs().get<bool>("transpose_b");
    return dtype == DType::kF32 && !dots && p.depth <= kMaxSameBitsDepth;
  }

  Status Hoist(Node& loop, const Projection& p) {
    auto add = [&](std::string_view op, std::vector<Value> inputs,
                   const Attrs& attrs) -> Result<Value> {
      NodeOptions options;
      options.name_hint = p.product->name() + "/all";
      options.line = p.product->line();
      options.device = p.product->device();
      SL_ASSIGN_OR_RETURN(
          Node * node, graph_.Add(*loop.region(), op, inputs, attrs, options));
      edit_.InsertBefore(*node, loop);
      return node->output();
    };
    auto reshape = [&](Value v, std::vector<int64_t> dims) -> Result<Value> {
      SL_ASSIGN_OR_RETURN(Value shape,
                          add("Const", {}, {{"value", Array::Vector(dims)}}));
      return add("Reshape", {v, shape}, {});
    };
    SL_ASSIGN_OR_RETURN(Value flat, reshape(p.x, {p.slices * p.rows, p.depth}));
    SL_ASSIGN_OR_RETURN(Value all,
                        add("MatMul", {flat, p.w}, p.product->attrs()));
    SL_ASSIGN_OR_RETURN(Value slices,
                        reshape(all, {p.slices, p.rows, p.columns}));
    return edit_.Rewrite(*p.product, "Gather", {slices, p.index},
                         {{"axis", 0}});
  }

  Graph& graph_;
  bool same_bits_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
};

}  // namespace

Result<bool> HoistProjections(Graph& graph, bool same_bits,
                              std::vector<std::string>* notes) {
  return Hoister(graph, same_bits, notes).Run();
}

}  // namespace sluice
