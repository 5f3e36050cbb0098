#include "sluice/trace/decisions.h"

#include <unordered_set>
#include <utility>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/eager/scope.h"
#include "sluice/eager/view_write.h"
#include "sluice/graph/traverse.h"
#include "sluice/session/local_master.h"

namespace sluice {

using front_internal::Building;

namespace {

// Each decision runs everything before it: a loop this long is refused.
constexpr size_t kMost = 256;

Decisions*& CurrentDecisions() {
  thread_local Decisions* current = nullptr;
  return current;
}

bool Repeats(const Region& region);

// Whether a node gives the same result for the same inputs.
bool Repeats(const Node& node) {
  const OpRecord& op = node.op();
  if (op.stateful || op.random || op.handle || op.effect != Effect::kNone ||
      !op.global_effect.empty() || op.async()) {
    return false;
  }
  for (const auto& inner : node.regions()) {
    if (!Repeats(*inner)) return false;
  }
  return true;
}

bool Repeats(const Region& region) {
  for (const Node* node : region.nodes()) {
    if (!Repeats(*node)) return false;
  }
  return true;
}

// The same for all nodes that a value depends on.
bool Repeats(const Value& value) {
  std::unordered_set<const Node*> seen{value.node};
  std::vector<const Node*> open{value.node};
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (node->is_args()) continue;
    if (!Repeats(*node)) return false;
    for (const Value& v : InputsWithCaptures(*node)) {
      if (seen.insert(v.node).second) open.push_back(v.node);
    }
  }
  return true;
}

}  // namespace

Decisions::Decisions(Capture& capture, bool branches, bool constructs)
    : capture_(capture),
      branches_(branches),
      constructs_(constructs),
      outer_(std::exchange(CurrentDecisions(), this)) {}

Decisions::~Decisions() { CurrentDecisions() = outer_; }

Decisions* Decisions::Here() {
  Decisions* current = CurrentDecisions();
  if (!current || Capture::Open() != &current->capture_) return nullptr;
  const Region* region = Building::Current().region;
  bool root = !region || region == &current->capture_.graph().root();
  return root ? current : nullptr;
}

Decisions* Decisions::OfBranches() {
  Decisions* here = Here();
  return here && here->branches_ ? here : nullptr;
}

Decisions* Decisions::OfConstructs() {
  Decisions* here = Here();
  return here && here->constructs_ ? here : nullptr;
}

std::optional<Array> Decisions::Decide(const Tensor& tensor,
                                       const SourceLine& line) {
  Value value = capture_.Now(*capture_.ValueOf(tensor));
  for (const One& one : made_) {
    if (one.value == value) return one.then;
  }
  if (made_.size() == kMost || !Repeats(value)) return std::nullopt;
  if (!master_) master_ = std::make_unique<LocalMaster>(capture_.graph());
  std::vector<Value> args;
  ArrayList feeds, results;
  for (const Capture::Entry& entry : capture_.entries()) {
    if (entry.value->view_of) RefreshView(*entry.value);
    args.push_back(entry.arg);
    feeds.push_back(entry.value->array);
  }
  std::shared_ptr<Program> program = ValueOrThrow(
      master_->ProgramFor(args, {{value}}, {}, ExecutorChoice::kAuto));
  Status status = master_->RunProgram(*program, feeds, &results, {}, nullptr);
  if (!status.ok()) {
    throw Error(status.WithLine(StrCat("before what decides at ", line)));
  }
  // A view of a feed uses the feed's memory, which may be written.
  made_.push_back({value, ValueOrThrow(results[0].Clone()), line});
  return made_.back().then;
}

}  // namespace sluice
