// Pipelines: stages made by calls, and passes over them.
#include <set>

#include "data_parts.h"
#include "errors.h"
#include "exit.h"
#include "sluice/base/strings.h"
#include "sluice/base/thread_annotations.h"
#include "sluice/data/loader.h"
#include "sluice/data/stages.h"

namespace sluice::py {

using data::Element;
using data::StageRef;

namespace {

class PipelineIterator {
 public:
  PipelineIterator(Pipeline pipeline, uint64_t epoch)
      : failures_(std::move(pipeline.failures)),
        owned_(std::move(pipeline.owned)),
        position_(std::make_unique<data::Position>(std::move(pipeline.stage),
                                                   epoch)) {
    All().insert(this);
  }
  ~PipelineIterator() {
    All().erase(this);
    if (PythonEnds()) {
      // Its thread may have been stopped permanently: do not wait for it.
      (void)position_.release();
    } else {
      Reading here(mu_);
      position_.reset();
    }
  }
  PipelineIterator(const PipelineIterator&) = delete;

  OwnedFunctions& functions() { return owned_; }

  nb::object Next() {
    Element element;
    bool any = false;
    try {
      Reading here(mu_);
      any = !closed_ && position_->Next(&element);
    } catch (const Error& error) {
      for (auto& each : failures_) each->Raise(error.what());
      throw;
    }
    if (!any) throw nb::stop_iteration();
    return ElementToPython(element);
  }
  void Start(uint64_t epoch) {
    Reading here(mu_);
    position_->Start(epoch);
    closed_ = false;
  }
  // Its threads end, and so does its pass: next() returns nothing more.
  void Close() {
    Reading here(mu_);
    closed_ = true;
    // Back to the initial state: threads start with the first requested
    // element.
    position_->Start(position_->epoch());
  }
  std::string State() {
    Reading here(mu_);
    return position_->State();
  }
  void Restore(const std::string& state) {
    Reading here(mu_);
    position_->Restore(state);
    closed_ = false;
  }
  uint64_t epoch() {
    Reading here(mu_);
    return position_->epoch();
  }
  int64_t taken() {
    Reading here(mu_);
    return position_->taken();
  }

  // All live iterators, for the end of the program: their threads must not call
  // Python afterwards. Under the GIL.
  static std::set<PipelineIterator*>& All() {
    static auto* all = new std::set<PipelineIterator*>;
    return *all;
  }

 private:
  // Without the GIL, and one Python thread at a time. On the stack.
  class SL_SCOPED_CAPABILITY Reading {
   public:
    explicit Reading(Mutex& mu) SL_ACQUIRE(mu) : mu_(mu) { mu_.lock(); }
    ~Reading() SL_RELEASE() { mu_.unlock(); }
    Reading(const Reading&) = delete;

   private:
    ReleaseGil released_;  // released before locking, until unlocked
    Mutex& mu_;
  };

  std::vector<std::shared_ptr<Failures>> failures_;
  OwnedFunctions owned_;  // must outlive the threads that call them
  Mutex mu_;
  std::unique_ptr<data::Position> position_ SL_GUARDED_BY(mu_);
  bool closed_ SL_GUARDED_BY(mu_) = false;
};

nb::object CallOn(const FunctionSlot& f, const Element& element,
                  data::Random* random) {
  nb::list args;
  if (random) args.append(nb::cast(*random));
  for (const Tensor& t : element) args.append(nb::cast(t));
  nb::tuple all(args);
  nb::object function = f.Borrow();
  return nb::steal(PyObject_CallObject(function.ptr(), all.ptr()));
}

nb::object Called(const FunctionSlot& f, const Element& element,
                  data::Random* random = nullptr) {
  nb::object result = CallOn(f, element, random);
  if (!result.is_valid()) throw nb::python_error();
  return result;
}

Pipeline Map(const Pipeline& self, nb::callable f, int threads, uint64_t seed,
             bool random, const std::string& name) {
  OwnedFunction owned(f);
  data::ElementFn fn = [f = owned.slot(), failures = self.failures[0], random](
                           const Element& element, data::Random& numbers) {
    return Guarded(*failures, [&] {
      nb::object result = Called(*f, element, random ? &numbers : nullptr);
      return ElementFromPython(result, "what the function of map returned");
    });
  };
  return self.With(
      data::MapStage(self.stage, std::move(fn), random,
                     {.threads = threads, .seed = seed, .name = name}),
      std::move(owned));
}

Pipeline Filter(const Pipeline& self, nb::callable f) {
  OwnedFunction owned(f);
  data::ElementTest test =
      [f = owned.slot(), failures = self.failures[0]](const Element& element) {
        return Guarded(*failures, [&] {
          int truth = PyObject_IsTrue(Called(*f, element).ptr());
          if (truth < 0) throw nb::python_error();
          return truth == 1;
        });
      };
  return self.With(data::FilterStage(self.stage, std::move(test)),
                   std::move(owned));
}

// The combined pipeline has the exceptions of both.
Pipeline Joined(const Pipeline& a, const Pipeline& b, StageRef stage) {
  Pipeline both = a.With(std::move(stage));
  both.failures.insert(both.failures.end(), b.failures.begin(),
                       b.failures.end());
  both.owned.insert(both.owned.end(), b.owned.begin(), b.owned.end());
  return both;
}

void BindIterator(nb::module_& m) {
  nb::class_<PipelineIterator>(
      m, "PipelineIterator",
      nb::type_slots(OwnedFunctionSlots<PipelineIterator>::slots),
      "One pass over a Pipeline, and where it "
      "stands.")
      .def("__iter__", [](nb::handle self) { return nb::borrow(self); })
      .def("__next__", &PipelineIterator::Next)
      .def("start", &PipelineIterator::Start, "epoch"_a,
           "Goes to the beginning of a pass.")
      .def(
          "close", &PipelineIterator::Close,
          "Ends its threads and its pass: there is nothing more to take, until "
          "start() or restore().")
      .def("state", &PipelineIterator::State,
           "Where it stands, as a line of JSON.")
      .def("restore", &PipelineIterator::Restore, "state"_a,
           "Goes where state() was taken.")
      .def_prop_ro("epoch", &PipelineIterator::epoch)
      .def_prop_ro("taken", &PipelineIterator::taken);
  m.def("close_pipelines", [] {
    // Keeps references: daemon threads run while one is closed, and release
    // others.
    std::vector<nb::object> all;
    for (PipelineIterator* it : PipelineIterator::All()) {
      all.push_back(nb::find(*it));
    }
    for (const nb::object& it : all) {
      if (it.is_valid()) nb::cast<PipelineIterator&>(it).Close();
    }
  });
}

void BindRandom(nb::module_& m) {
  nb::class_<data::Random>(m, "DataRandom",
                           "Random numbers of one element of a pipeline: they "
                           "depend on seed, pass and element alone.")
      .def("next", &data::Random::next, "A number of 64 bits.")
      .def(
          "below",
          [](data::Random& self, uint64_t n) {
            if (n == 0) ThrowValueError("below(0); wanted 1 or more");
            return self.below(n);
          },
          "n"_a, "In [0, n).")
      .def("uniform", &data::Random::uniform, "In [0, 1).");
}

// Stages that make new pipelines from existing ones.
void BindStages(nb::class_<Pipeline>& cls) {
  cls.def("map", &Map)
      .def("filter", &Filter)
      .def("scale",
           [](const Pipeline& p, size_t component, float factor) {
             return p.With(data::ScaleStage(p.stage, component, factor));
           })
      .def("shuffle",
           [](const Pipeline& p, int64_t buffer, uint64_t seed) {
             return p.With(data::ShuffleStage(p.stage, buffer, seed));
           })
      .def("shard",
           [](const Pipeline& p, int64_t index, int64_t count) {
             return p.With(data::ShardStage(p.stage, index, count));
           })
      .def("take",
           [](const Pipeline& p, int64_t n) {
             return p.With(data::TakeStage(p.stage, n));
           })
      .def("skip",
           [](const Pipeline& p, int64_t n) {
             return p.With(data::SkipStage(p.stage, n));
           })
      .def("repeat",
           [](const Pipeline& p, int64_t times) {
             return p.With(data::RepeatStage(p.stage, times));
           })
      .def("batch",
           [](const Pipeline& p, int64_t n, bool drop_last) {
             return p.With(
                 data::BatchStage(p.stage, n, {.drop_last = drop_last}));
           })
      .def("padded_batch",
           [](const Pipeline& p, int64_t n, std::vector<double> padding,
              bool drop_last) {
             return p.With(data::PaddedBatchStage(
                 p.stage, n,
                 {.padding = std::move(padding), .drop_last = drop_last}));
           })
      .def("zip",
           [](const Pipeline& p, const Pipeline& other) {
             return Joined(p, other, data::ZipStage(p.stage, other.stage));
           })
      .def("concat",
           [](const Pipeline& p, const Pipeline& after) {
             return Joined(p, after, data::ConcatStage(p.stage, after.stage));
           })
      .def("prefetch",
           [](const Pipeline& p, int64_t n) {
             return p.With(data::PrefetchStage(p.stage, n));
           })
      .def("cache",
           [](const Pipeline& p) { return p.With(data::CacheStage(p.stage)); })
      .def("loader", [](const Pipeline& p, int64_t batch_size, bool shuffle,
                        int num_workers, bool drop_last, uint64_t seed) {
        return p.With(data::LoaderStage(p.stage, {.batch_size = batch_size,
                                                  .shuffle = shuffle,
                                                  .num_workers = num_workers,
                                                  .drop_last = drop_last,
                                                  .seed = seed}));
      });
}

}  // namespace

void BindPipeline(nb::module_& m) {
  BindRandom(m);
  BindIterator(m);
  nb::class_<Pipeline> cls(m, "PipelineCore",
                           nb::type_slots(OwnedFunctionSlots<Pipeline>::slots));
  BindStages(cls);
  cls.def("size", [](const Pipeline& p) { return p.stage->size(); })
      .def("describe", [](const Pipeline& p) { return p.stage->Describe(); })
      .def(
          "iterator",
          [](const Pipeline& p, uint64_t epoch) {
            return new PipelineIterator(p, epoch);
          },
          nb::rv_policy::take_ownership)
      .def(
          "next_pass",
          [](const Pipeline& p) {
            return new PipelineIterator(p, p.passes->fetch_add(1));
          },
          nb::rv_policy::take_ownership);
}

}  // namespace sluice::py
