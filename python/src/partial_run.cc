#include "caller_line.h"
#include "errors.h"
#include "session.h"
#include "sluice/base/strings.h"

namespace sluice::py {

namespace {

// A PartialStep that knows its session and refuses concurrent calls.
struct PartialObject {
  SessionObject* session;  // kept alive by the Python object
  PartialStep step;
  bool busy = false;
};

std::vector<Fetch> FetchesOf(Graph& graph, std::span<const nb::object> objects,
                             std::vector<Operation>* operations) {
  std::vector<Fetch> fetches;
  for (size_t i = 0; i < objects.size(); ++i) {
    Target found = FindTarget(graph, objects[i], {"fetch", i});
    if (!found.run) {
      fetches.push_back(Tensor(graph, found.value));
    } else if (operations) {
      operations->emplace_back(graph, *found.run);
    } else {
      ThrowTypeError(StrCat("fetch ", i, " is the operation \"",
                            found.run->name(),
                            "\"; wanted a tensor: operations given to "
                            "partial_run_setup run as soon as they can"));
    }
  }
  return fetches;
}

PartialObject Setup(SessionObject& session, nb::handle fetches,
                    nb::handle feeds) {
  KeyWords words;
  FetchTree tree(fetches, words);
  std::vector<nb::object> fed;
  if (!feeds.is_none()) {
    for (nb::handle feed : nb::iter(feeds)) fed.push_back(nb::borrow(feed));
  }
  Graph& graph = session.graph();
  std::vector<Operation> targets;
  std::vector<nb::object> leaves(tree.leaves().begin(), tree.leaves().end());
  std::vector<Fetch> wanted = FetchesOf(graph, leaves, &targets);
  std::vector<Fetch> given;
  for (size_t i = 0; i < fed.size(); ++i) {
    given.push_back(Tensor(graph, FeedTarget(graph, fed[i], i)));
  }
  PartialStep step = [&] {
    ReleaseGil released;
    return session.partial_run(given, wanted, targets);
  }();
  return {&session, std::move(step)};
}

nb::object RunPart(PartialObject& self, nb::handle fetches, nb::handle feeds) {
  if (self.busy) {
    throw std::runtime_error(
        "this partial step is running on another thread; one call at a time");
  }
  Graph& graph = self.session->graph();
  KeyWords words;
  FetchTree tree(fetches, words);
  std::vector<nb::object> leaves(tree.leaves().begin(), tree.leaves().end());
  std::vector<Fetch> wanted = FetchesOf(graph, leaves, nullptr);
  FeedDict dict(feeds);
  Feeds given;
  for (size_t i = 0; i < dict.keys.size(); ++i) {
    Value to = FeedTarget(graph, dict.keys[i], i);
    FeedValues value;
    AddFeed(to, dict.values[i], value, /*keep=*/true);
    given.push_back({Tensor(graph, to), value.arrays()[0]});
  }
  struct Busy {
    bool& flag;
    explicit Busy(bool& f) : flag(f) { flag = true; }
    ~Busy() { flag = false; }
  } busy(self.busy);
  std::vector<Array> arrays;
  {
    ReleaseGil released;
    arrays = self.step.run(wanted, given);
  }
  std::vector<nb::object> results;
  for (Array& array : arrays) {
    results.push_back(nb::cast(ResultTensor(std::move(array))));
  }
  return tree.Rebuild(results);
}

}  // namespace

void BindPartialRun(nb::module_& m) {
  nb::class_<PartialObject>(
      m, "PartialStep",
      "One step that is fed and fetched in several calls; what was computed "
      "stays. Dropping it cancels the step.")
      .def("run", &RunPart, nb::arg("fetches").none(),
           "feed_dict"_a = nb::none(),
           "Feeds some and fetches some of what was named at setup.");
  auto session = nb::borrow<nb::class_<SessionObject>>(m.attr("Session"));
  session
      .def("partial_run_setup", &Setup, nb::arg("fetches").none(),
           "feeds"_a = nb::none(), nb::keep_alive<0, 1>(),
           "A PartialStep that will be asked for these fetches and given these "
           "feeds, some in each call.")
      .def(
          "partial_run",
          [](SessionObject&, PartialObject& step, nb::handle fetches,
             nb::handle feeds) { return RunPart(step, fetches, feeds); },
          "handle"_a, nb::arg("fetches").none(), "feed_dict"_a = nb::none(),
          "The next part of a step made by partial_run_setup.");
}

}  // namespace sluice::py
