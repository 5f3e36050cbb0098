// What the training loops of both languages share.
#include "train.h"

#include "sluice/train/early_stopping.h"

namespace sluice::py {

void BindTrain(nb::module_& m) {
  using train::Patience;
  nb::class_<Patience>(m, "Patience")
      .def("__init__",
           [](Patience* self, int64_t patience, double min_delta,
              bool larger_is_better) {
             new (self) Patience({.patience = patience,
                                  .min_delta = min_delta,
                                  .larger_is_better = larger_is_better});
           })
      .def("tell", &Patience::Tell)
      .def_prop_ro("best", &Patience::best)
      .def_prop_ro("bad", &Patience::bad)
      .def("restore", &Patience::Restore);
}

}  // namespace sluice::py
