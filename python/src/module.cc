// sluice._core: the C++ library as a Python module. sluice/__init__.py gives
// its parts their public names.
#include "bindings.h"
#include "caller_line.h"
#include "dtype.h"
#include "errors.h"
#include "exit.h"
#include "interrupt_region.h"
#include "op_function.h"
#include "profile.h"
#include "recorder.h"
#include "size.h"
#include "tensor.h"
#include "train.h"
#include "tree.h"

NB_MODULE(_core, m) {
  using namespace sluice::py;  // NOLINT: this file names nothing else
  // Types and dtypes are never released, on purpose.
  nb::set_leak_warnings(false);
  TranslateErrors();
  WatchInterrupts();
  WatchTheEnd();
  m.def("find_python_lines", &FindPythonLines, "package"_a);
  BindDType(m);
  BindTensor(m);
  BindSizes(m);
  BindTree(m);
  BindOpFunctions(m);
  BindTensorCreate(m);
  BindTensorMethods(m);
  BindTensorIndex(m);
  BindTensorMemory(m);
  BindGraph(m);
  BindVariable(m);
  BindList(m);
  BindAutograd(m);
  BindTransforms(m);
  BindRecorder(m);
  BindFunction(m);
  BindControlFlow(m);
  BindSession(m);
  BindCluster(m);
  BindResources(m);
  BindNnModule(m);
  BindNnLayers(m);
  BindNnRecurrent(m);
  BindNnFunctional(m);
  BindOptim(m);
  BindTrain(m);
  BindIo(m);
  BindReport(m);
  BindData(m);
  BindInfo(m);
  BindProfile(m);
}
