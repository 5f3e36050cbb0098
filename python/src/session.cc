#include "session.h"

#include "bindings.h"
#include "caller_line.h"
#include "errors.h"
#include "graph.h"
#include "scope_stack.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_owned.h"
#include "sluice/eager/grad_mode.h"
#include "sluice/session/local_master.h"
#include "sluice/session/remote_master.h"
#include "tensor.h"

namespace sluice::py {

namespace {

// Sessions of open `with` statements, innermost last, kept alive by their
// scopes.
std::vector<SessionObject*>& Defaults() {
  struct Open {
    std::vector<SessionObject*> sessions;
  };
  return ThreadOwned<Open>::Get().sessions;
}

struct DefaultScope {
  explicit DefaultScope(SessionObject& session) {
    Defaults().push_back(&session);
  }
  ~DefaultScope() { Defaults().pop_back(); }
};

// The result of as_default().
struct SessionScope {
  nb::object session;
};

// Feeds may be passed as `feeds` or `feed_dict`.
nb::handle OneOf(nb::handle feed_dict, nb::handle feeds) {
  if (feeds.is_none()) return feed_dict;
  if (!feed_dict.is_none()) {
    ThrowTypeError("feeds and feed_dict are both given; wanted one of them");
  }
  return feeds;
}

void AddOptionWords(const SessionObject::Asked& asked, KeyWords& words) {
  words.push_back(static_cast<uint64_t>(asked.executor) << 1 |
                  uint64_t{asked.nan_trap});
  words.push_back(asked.feeds.size());
  for (size_t i = 0; i < asked.feeds.size(); ++i) {
    bool variable = nb::isinstance<Variable>(asked.feeds[i]);
    words.push_back(uint64_t{variable});
    AddWords(asked.feeds[i], {"feed", i}, words);
  }
}

SessionObject::Asked Ask(nb::handle fetches, std::vector<nb::object> feeds,
                         const RunOptions& options) {
  return {nb::borrow(fetches), std::move(feeds), options.executor,
          options.nan_trap || front_internal::EagerMode::Current().nan_trap};
}

// A choice with its structure, called with values only.
struct Prepared {
  SessionObject* session;  // kept alive by the Python object
  std::shared_ptr<const Choice> choice;
  FetchTree tree;
};

Prepared Prepare(SessionObject& session, nb::handle fetches, nb::handle feeds,
                 std::string_view executor) {
  std::vector<nb::object> keys;
  if (!feeds.is_none()) {
    // One name or tensor, or several.
    if (PyUnicode_Check(feeds.ptr()) || nb::isinstance<Tensor>(feeds) ||
        nb::isinstance<Variable>(feeds)) {
      keys.push_back(nb::borrow(feeds));
    } else {
      for (nb::handle key : nb::iter(feeds)) keys.push_back(nb::borrow(key));
    }
  }
  RunOptions options;
  options.executor = ExecutorFrom(executor);
  SessionObject::Asked asked = Ask(fetches, std::move(keys), options);
  KeyWords words;
  AddOptionWords(asked, words);
  FetchTree tree(fetches, words);
  std::shared_ptr<const Choice> choice = session.Find(asked, tree, words);
  return {&session, std::move(choice), std::move(tree)};
}

nb::object CallPrepared(const Prepared& p, nb::args values, nb::handle options,
                        nb::handle metadata) {
  const Choice& choice = *p.choice;
  if (values.size() != choice.feeds.size()) {
    ThrowTypeError(StrCat("this step takes ", choice.feeds.size(),
                          " values, got ", values.size()));
  }
  FeedValues given;
  for (size_t i = 0; i < choice.feeds.size(); ++i) {
    AddFeed(choice.feeds[i], values[i], given);
  }
  const RunOptions* said = OptionsFrom(options);
  return p.session->Run(choice, p.tree, given, said ? *said : RunOptions(),
                        MetadataFrom(metadata));
}

// A choice of fetches with its feeds, for queries about a run.
struct Chosen {
  Chosen(Graph& graph, nb::handle fetches, nb::handle feeds)
      : tree(fetches, words), dict(feeds) {
    for (size_t i = 0; i < tree.leaves().size(); ++i) {
      Target found = FindTarget(graph, tree.leaves()[i], {"fetch", i});
      if (found.run) {
        nodes.push_back(found.run);
      } else {
        values.push_back(found.value);
      }
    }
    for (size_t i = 0; i < dict.keys.size(); ++i) {
      Value to = FeedTarget(graph, dict.keys[i], i);
      AddFeed(to, dict.values[i], given);
      list.emplace_back(to, given.arrays().back());
    }
  }
  KeyWords words;
  FetchTree tree;
  FeedDict dict;
  FeedValues given;
  std::vector<Value> values;
  std::vector<Node*> nodes;
  FeedList list;
};

std::string Explain(SessionObject& session, nb::handle fetches,
                    nb::handle feed_dict, nb::handle feeds,
                    std::string_view executor) {
  Chosen chosen(session.graph(), fetches, OneOf(feed_dict, feeds));
  ExecutorChoice choice = ExecutorFrom(executor);
  ReleaseGil released;
  if (session.remote()) {
    return ValueOrThrow(session.remote()->Explain(chosen.values, chosen.list,
                                                  chosen.nodes, choice));
  }
  return ValueOrThrow(session.master().Explain(chosen.values, chosen.list,
                                               chosen.nodes, choice));
}

MemoryForecast PlanMemory(SessionObject& session, nb::handle fetches,
                          nb::handle feed_dict, nb::handle feeds) {
  Chosen chosen(session.graph(), fetches, OneOf(feed_dict, feeds));
  ReleaseGil released;
  if (session.remote()) {
    return ValueOrThrow(
        session.remote()->PlanMemory(chosen.values, chosen.list, chosen.nodes));
  }
  return ValueOrThrow(
      session.master().PlanMemory(chosen.values, chosen.list, chosen.nodes));
}

// Whether nodes that name no device go where the search finds them best.
bool Searches(const std::string& place) {
  if (place != "default" && place != "search") {
    ThrowValueError(StrCat("Session(): place is \"", place,
                           "\"; wanted \"default\" or \"search\""));
  }
  return place == "search";
}

void Make(nb::pointer_and_handle<SessionObject> self, nb::handle graph,
          int threads, uint64_t seed, nb::handle shared,
          const std::string& target, const std::string& place, bool soft) {
  Graph* its = nullptr;
  if (graph.is_none()) {
    its = &OpenGraph("Session()");
  } else if (nb::isinstance<Graph>(graph)) {
    its = &nb::cast<Graph&>(graph);
  } else {
    ThrowTypeError(StrCat("Session(): graph is a ",
                          Py_TYPE(graph.ptr())->tp_name, "; wanted a Graph"));
  }
  SessionOptions options{threads, seed, target, {Searches(place), soft}};
  if (shared.is_none()) {
    if (target.empty()) {
      new (self.p) SessionObject(*its, options);
    } else {
      ReleaseGil released;  // the server may take long
      new (self.p) SessionObject(*its, options);
    }
  } else if (nb::isinstance<SessionObject>(shared)) {
    new (self.p) SessionObject(*its, nb::cast<SessionObject&>(shared), options);
  } else {
    ThrowTypeError(StrCat("Session(): shared is a ",
                          Py_TYPE(shared.ptr())->tp_name,
                          "; wanted a Session"));
  }
  KeepGraph(self.h, *its);
}

nb::object Evaluate(nb::handle what, nb::handle session, nb::handle feeds,
                    nb::handle feed_dict, std::string_view name) {
  // Accepts TensorFlow's order: feeds first.
  if (PyDict_Check(session.ptr())) std::swap(session, feeds);
  return RunFetches(SessionOr(session, name), what, OneOf(feed_dict, feeds),
                    nb::none(), nb::none());
}

}  // namespace

SessionObject& SessionOr(nb::handle session, std::string_view what) {
  if (session.is_none()) {
    if (!Defaults().empty()) return *Defaults().back();
    throw std::runtime_error(StrCat(
        what, " needs a session; wanted one, or to be inside `with session:`"));
  }
  if (!nb::isinstance<SessionObject>(session)) {
    ThrowTypeError(StrCat(what, ": session is a ",
                          Py_TYPE(session.ptr())->tp_name,
                          "; wanted a Session"));
  }
  return nb::cast<SessionObject&>(session);
}

nb::object RunFetches(SessionObject& session, nb::handle fetches,
                      nb::handle feeds, nb::handle options,
                      nb::handle metadata) {
  static const RunOptions plain;
  const RunOptions* given = OptionsFrom(options);
  const RunOptions& said = given ? *given : plain;
  FeedDict dict(feeds);
  SessionObject::Asked asked = Ask(fetches, std::move(dict.keys), said);
  KeyWords words;
  AddOptionWords(asked, words);
  FetchTree tree(fetches, words);
  std::shared_ptr<const Choice> choice = session.Find(asked, tree, words);
  FeedValues values;
  for (size_t i = 0; i < choice->feeds.size(); ++i) {
    AddFeed(choice->feeds[i], dict.values[i], values);
  }
  return session.Run(*choice, tree, values, said, MetadataFrom(metadata));
}

namespace {

using SessionClass = nb::class_<SessionObject, Session>;

void BindRuns(SessionClass& cls) {
  cls.def("__init__", &Make, "graph"_a = nb::none(), "threads"_a = 0,
          "seed"_a = 0, nb::kw_only(), "shared"_a = nb::none(), "target"_a = "",
          "place"_a = "default", "soft"_a = true)
      .def(
          "run",
          [](SessionObject& s, nb::handle fetches, nb::handle feed_dict,
             nb::handle options, nb::handle metadata, nb::handle feeds) {
            return RunFetches(s, fetches, OneOf(feed_dict, feeds), options,
                              metadata);
          },
          nb::arg("fetches").none(), "feed_dict"_a = nb::none(),
          "options"_a = nb::none(), "run_metadata"_a = nb::none(),
          nb::kw_only(), "feeds"_a = nb::none(),
          "One step. `fetches` is a tensor, an operation, a variable or a name "
          "(\"x:0\"), or a tree of them (lists, tuples, dicts, ...); the "
          "result is the same tree with tensors, and None for operations. "
          "`feed_dict` maps tensors or names to values.")
      .def("prepare", &Prepare, nb::arg("fetches").none(),
           "feeds"_a = nb::none(), "executor"_a = "auto",
           nb::keep_alive<0, 1>(),
           "A callable for one choice of fetches and feeds, which takes the "
           "values in the order of `feeds`.")
      .def("explain", &Explain, nb::arg("fetches").none(),
           "feed_dict"_a = nb::none(), nb::kw_only(), "feeds"_a = nb::none(),
           "executor"_a = "auto", "What such a run looks like inside, and why.")
      .def("plan_memory", &PlanMemory, nb::arg("fetches").none(),
           "feed_dict"_a = nb::none(), nb::kw_only(), "feeds"_a = nb::none(),
           "What such a run has live at most, on each device and by your "
           "lines, before it runs: a MemoryForecast.")
      .def(
          "profile",
          [](nb::handle self, nb::handle fetches, nb::handle feed_dict,
             int steps) {
            return nb::module_::import_("sluice._profile")
                .attr("profile_of_run")(self, fetches, feed_dict, steps);
          },
          nb::arg("fetches").none(), "feed_dict"_a = nb::none(), nb::kw_only(),
          "steps"_a = 10,
          nb::sig("def profile(self, fetches: Any, feed_dict: Any = None, *, "
                  "steps: int = 10) -> Any"),
          "Where the time of such a run goes, op by op and line by line: the "
          "sluice.Profile of so many steps, after one that is not counted.");
}

void BindState(SessionClass& cls) {
  cls.def(
         "close",
         [](SessionObject& s) {
           ReleaseGil released;
           s.close();
         },
         "Cancels what runs, refuses what comes.")
      .def(
          "reset",
          [](SessionObject& s, std::string_view container) {
            ReleaseGil released;
            s.reset(container);
          },
          "container"_a = "",
          "Drops everything in a container; \"\" is the default one.")
      .def(
          "resources",
          [](SessionObject& s, std::string_view container) {
            return s.master().resources().Names(container);
          },
          "container"_a = "", "The names of what a container holds.")
      .def_prop_rw(
          "random_state",
          [](SessionObject& s) {
            RandomState state = s.random_state();
            return std::pair(state.seed, state.calls);
          },
          [](SessionObject& s, std::pair<uint64_t, int64_t> state) {
            s.set_random_state({state.first, state.second});
          },
          "Where the random numbers of the next run come from: (seed, steps).");
}

// Implements `with session:` and `with session.as_default():`.
void BindScopes(nb::module_& m, SessionClass& cls) {
  cls.def_prop_ro("graph",
                  [](SessionObject& s) { return GraphObject(s.graph()); })
      .def(
          "as_default",
          [](nb::handle self) { return SessionScope{nb::borrow(self)}; },
          "A scope for `with` in which Tensor.eval() and Operation.run() use "
          "this session. It stays open afterwards.")
      .def("__enter__",
           [](nb::handle self) {
             PushScope(self, nb::borrow(self), [&] {
               return std::make_shared<DefaultScope>(
                   nb::cast<SessionObject&>(self));
             });
             return nb::borrow(self);
           })
      .def("__exit__",
           [](nb::handle self, nb::args) {
             SessionObject& session = nb::cast<SessionObject&>(self);
             {
               ReleaseGil released;
               session.close();
             }
             PopScope(self);
           })
      .def("__repr__", [](SessionObject& s) {
        return StrCat("<sluice.Session of graph \"", s.graph().name(), "\">");
      });

  nb::class_<SessionScope>(m, "SessionScope")
      .def("__enter__",
           [](nb::handle self) {
             nb::object session = nb::cast<SessionScope&>(self).session;
             PushScope(self, session, [&] {
               return std::make_shared<DefaultScope>(
                   nb::cast<SessionObject&>(session));
             });
             return session;
           })
      .def("__exit__", [](nb::handle self, nb::args) { PopScope(self); });

  m.def(
      "default_session",
      []() -> nb::object {
        if (Defaults().empty()) return nb::none();
        return nb::find(*Defaults().back());
      },
      "The session of the innermost `with session:` of this thread, or None.");
}

// Tensors, variables and operations with eval() and run().
void BindEval(nb::module_& m) {
  TensorClass().def(
      "eval",
      [](nb::handle self, nb::handle session, nb::handle feeds,
         nb::handle feed_dict) {
        return Evaluate(self, session, feeds, feed_dict, "Tensor.eval()");
      },
      "session"_a = nb::none(), "feeds"_a = nb::none(),
      "feed_dict"_a = nb::none(),
      "Its value in a step of the session, or of the innermost "
      "`with session:`.");
  nb::borrow<nb::class_<Variable>>(m.attr("Variable"))
      .def(
          "eval",
          [](nb::handle self, nb::handle session) {
            return Evaluate(self, session, nb::none(), nb::none(),
                            "Variable.eval()");
          },
          "session"_a = nb::none(), "Its value in a session.");
  nb::borrow<nb::class_<Operation>>(m.attr("Operation"))
      .def(
          "run",
          [](nb::handle self, nb::handle session, nb::handle feeds,
             nb::handle feed_dict) {
            Evaluate(self, session, feeds, feed_dict, "Operation.run()");
          },
          "session"_a = nb::none(), "feeds"_a = nb::none(),
          "feed_dict"_a = nb::none(), "Runs it for what it does.");
}

}  // namespace

void BindSession(nb::module_& m) {
  nb::class_<Session>(m, "SessionBase");
  SessionClass cls(
      m, "Session", nb::is_weak_referenceable(), nb::dynamic_attr(),
      "Runs steps of a graph, and holds the state they leave behind.\n\n"
      "    with sl.Session(graph) as session:\n"
      "        session.run(init)\n"
      "        value = session.run(loss, {x: images})\n\n"
      "`threads` run steps, the caller among them (0: one per core); `seed` is "
      "that of everything random; `shared` is a session whose variables and "
      "queues this one has, too; `target` (\"grpc://host:port\") is a server "
      "that leads the steps over a cluster, which keeps the state. Any number "
      "of threads may run steps at once.\n\n"
      "`place` is \"default\", then nodes that name no device go to the "
      "default "
      "one, or \"search\": they go where a step is predicted to end earliest. "
      "`soft=False` makes it an error that a named device is not there or has "
      "no kernel for the node; else another one is taken. `explain()` says "
      "what went where and why.");
  BindRuns(cls);
  BindState(cls);
  BindScopes(m, cls);

  nb::class_<Prepared>(m, "PreparedStep",
                       "A choice of fetches and feeds, ready to be called "
                       "with values: Session.prepare makes it.")
      .def("__call__", &CallPrepared, "values"_a, nb::kw_only(),
           "options"_a = nb::none(), "run_metadata"_a = nb::none());

  BindEval(m);
  BindRunOptions(m);
  BindPartialRun(m);
  BindDebug(m);
}

}  // namespace sluice::py
