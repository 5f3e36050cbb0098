#include "session_object.h"

#include <algorithm>

#include "caller_line.h"
#include "errors.h"
#include "sluice/base/strings.h"
#include "sluice/front/fed_variable.h"
#include "sluice/session/local_master.h"
#include "sluice/session/remote_master.h"

namespace sluice::py {

Value FeedTarget(Graph& graph, nb::handle object, size_t number) {
  if (nb::isinstance<Variable>(object)) {
    const Variable& v = nb::cast<const Variable&>(object);
    if (v.symbolic()) return ValueOrThrow(Fetch(v.handle()).In(graph));
  }
  Target found = FindTarget(graph, object, {"feed", number});
  if (!found.run) return found.value;
  ThrowTypeError(StrCat("feed ", number, " is the operation \"",
                        found.run->name(),
                        "\", which gives no value; wanted a Tensor"));
}

namespace {

bool IsVariable(const Value& to) {
  return to.dtype() == DType::kResource && !to.node->is_args() &&
         to.node->op().role == Role::kVariable;
}

}  // namespace

void AddFeed(const Value& to, nb::handle object, FeedValues& values,
             bool keep) {
  bool variable = IsVariable(to);
  DType dtype = variable ? to.node->attrs().get<DType>("dtype") : to.dtype();
  values.Add(object, dtype, to, keep);
  Array& fed = values.arrays().back();
  if (!variable || fed.dtype() == DType::kResource) return;
  const auto& shape = to.node->attrs().get<PartialShape>("shape");
  if (fed.dtype() != dtype || !shape.Covers(fed.shape())) {
    ThrowValueError(StrCat(FeedPlace(to), " is ", fed.TypeText(), "; wanted ",
                           TypeText(dtype, shape)));
  }
  fed = ValueOrThrow(FedVariable(to.node->name(), fed, shape));
}

FeedDict::FeedDict(nb::handle feeds) {
  if (feeds.is_none()) return;
  if (!PyDict_Check(feeds.ptr())) {
    ThrowTypeError(StrCat("feeds is a ", Py_TYPE(feeds.ptr())->tp_name,
                          "; wanted a dict from tensors or names to values"));
  }
  PyObject *key, *value;
  Py_ssize_t at = 0;
  while (PyDict_Next(feeds.ptr(), &at, &key, &value)) {
    keys.push_back(nb::borrow(key));
    values.push_back(nb::borrow(value));
  }
}

size_t SessionObject::Hash::operator()(
    const std::vector<uint64_t>& words) const {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (uint64_t w : words) h = (h ^ w) * 0xff51afd7ed558ccdu + (h >> 29);
  return h;
}

std::shared_ptr<const Choice> SessionObject::Find(const Asked& asked,
                                                  const FetchTree& tree,
                                                  const KeyWords& words) {
  if (last_ && std::equal(words.begin(), words.end(), last_words_.begin(),
                          last_words_.end())) {
    return last_;
  }
  std::vector<uint64_t> key(words.begin(), words.end());
  auto it = choices_.find(key);
  if (it == choices_.end()) {
    auto choice = std::make_shared<Choice>();
    std::vector<Value> fetches;
    std::vector<Node*> targets;
    for (size_t i = 0; i < tree.leaves().size(); ++i) {
      Target found = FindTarget(graph(), tree.leaves()[i], {"fetch", i});
      choice->results.push_back(found.run ? -1
                                          : static_cast<int>(fetches.size()));
      if (found.run) {
        targets.push_back(found.run);
      } else {
        fetches.push_back(found.value);
      }
    }
    for (size_t i = 0; i < asked.feeds.size(); ++i) {
      choice->feeds.push_back(FeedTarget(graph(), asked.feeds[i], i));
    }
    if (remote()) {
      ReleaseGil released;
      ThrowIfError(
          remote()->Prepare(choice->feeds, fetches, targets, asked.executor));
      choice->fetches = std::move(fetches);
      choice->targets = std::move(targets);
      choice->executor = asked.executor;
      choice->nan_trap = asked.nan_trap;
    } else {
      ReleaseGil released;
      choice->program = ValueOrThrow(master().ProgramFor(
          choice->feeds, fetches, targets, asked.executor, asked.nan_trap));
    }
    // A program with ever new choices would fill the memory.
    if (choices_.size() >= kMaxChoices) choices_.clear();
    it = choices_.insert_or_assign(key, std::move(choice)).first;
  }
  last_words_ = std::move(key);
  last_ = it->second;
  return last_;
}

nb::object SessionObject::Run(const Choice& choice, const FetchTree& tree,
                              FeedValues& feeds, const RunOptions& options,
                              RunMetadata* metadata) {
  ArrayList arrays;
  if (remote()) {
    FeedList list;
    for (size_t i = 0; i < choice.feeds.size(); ++i) {
      list.emplace_back(choice.feeds[i], feeds.arrays()[i]);
    }
    RunOptions its = options;
    its.executor = choice.executor;
    its.nan_trap = choice.nan_trap;
    ReleaseGil released;
    for (Array& array : ValueOrThrow(remote()->Run(
             choice.fetches, list, choice.targets, its, metadata))) {
      arrays.push_back(std::move(array));
    }
  } else {
    ReleaseGil released;
    ThrowIfError(master().RunProgram(*choice.program, feeds.arrays(), &arrays,
                                     options, metadata));
  }
  SmallVector<nb::object, 4> results;
  for (int place : choice.results) {
    results.push_back(place < 0 ? nb::none()
                                : nb::cast(ResultTensor(std::move(
                                      arrays[static_cast<size_t>(place)]))));
  }
  return tree.Rebuild({results.begin(), results.end()});
}

}  // namespace sluice::py
