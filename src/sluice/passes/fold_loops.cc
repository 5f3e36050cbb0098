#include "sluice/passes/fold_loops.h"

#include <algorithm>

#include "sluice/base/strings.h"
#include "sluice/passes/known_values.h"
#include "sluice/passes/may_move.h"
#include "sluice/passes/move_out.h"
#include "sluice/passes/raw_region.h"

namespace sluice {

namespace {

constexpr int kManyTrips = 2;

bool IsTrue(const Array& pred) { return pred && *pred.data<bool>(); }
bool IsFalse(const Array& pred) { return pred && !*pred.data<bool>(); }

// The value of the condition for these carried values; empty if unknown.
Array Predicate(const Node& loop, const std::vector<Array>& carried) {
  Array pred = KnownValues::Run(*loop.regions()[0], carried)[0];
  bool one = pred && pred.dtype() == DType::kBool && pred.num_elements() == 1;
  return one ? pred : Array();
}

// 0, 1, or kManyTrips when there are more or it is not known.
int Trips(const Node& loop) {
  auto maximum = loop.attrs().get<int64_t>("maximum");
  if (maximum == 0) return 0;
  const Region &cond = *loop.regions()[0], &body = *loop.regions()[1];
  // A condition that prints must keep printing.
  auto effect = [](const Node* node) { return HasEffect(*node); };
  if (std::any_of(cond.nodes().begin(), cond.nodes().end(), effect)) {
    return kManyTrips;
  }
  std::vector<Array> carried;
  for (const Value& v : loop.inputs()) {
    const Array* constant = ConstantValue(v);
    carried.push_back(constant ? *constant : Array());
  }
  Array pred = Predicate(loop, carried);
  if (IsFalse(pred)) return 0;
  if (!IsTrue(pred)) return kManyTrips;
  if (maximum == 1) return 1;
  return IsFalse(Predicate(loop, KnownValues::Run(body, carried))) ? 1
                                                                   : kManyTrips;
}

class LoopFolder {
 public:
  LoopFolder(Graph& graph, std::vector<std::string>* notes)
      : graph_(graph), notes_(notes), edit_(graph) {}

  bool Run() {
    Visit(graph_.root());
    return edit_.Commit();
  }

 private:
  void Visit(Region& region) {
    // Among primitives a node that owns regions is dead as a whole.
    bool raw = HasPrimitives(region);
    for (Node* node : region.nodes()) {
      edit_.Update(*node);
      if (node->op().flow == Flow::kLoop && !raw && !edit_.is_target(*node) &&
          Fold(*node)) {
        continue;
      }
      for (const auto& inner : node->regions()) Visit(*inner);
    }
  }

  bool Fold(Node& loop) {
    Region& body = *loop.regions()[1];
    int trips = Trips(loop);
    if (trips == 0) {
      Note(loop, "never");
      std::vector<Node*> waited_for;
      for (const Value& v : loop.inputs()) waited_for.push_back(v.node);
      for (Node* control : loop.controls()) waited_for.push_back(control);
      for (int i = 0; i < loop.num_outputs(); ++i) {
        edit_.Replace(loop.output(i), loop.input(i));
      }
      edit_.ReplaceControl(loop, std::move(waited_for));
      edit_.Erase(loop);
      return true;
    }
    // Outside of the loop an error would not name the iteration, and random
    // numbers would differ.
    if (trips != 1 || DrawsNumbers(body) || !CannotFail(body)) return false;
    Note(loop, "once");
    for (int i = 0; i < body.num_args(); ++i) {
      edit_.Replace(body.arg(i), loop.input(i));
    }
    MoveOut(graph_, edit_, body, loop);
    Visit(body);
    return true;
  }

  void Note(const Node& loop, std::string_view how_often) {
    if (!notes_) return;
    notes_->push_back(
        StrCat("[", loop.op().name, "] runs ", how_often, " ", NodeLine(loop)));
  }

  Graph& graph_;
  std::vector<std::string>* notes_;
  BatchEdit edit_;
};

}  // namespace

Result<bool> FoldLoops(Graph& graph, std::vector<std::string>* notes) {
  return LoopFolder(graph, notes).Run();
}

}  // namespace sluice
