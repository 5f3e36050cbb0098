// Lists whose elements lie on a GPU: their ops give what they
// give on the host, and what they give stays there. On the emulated GPU under
// CTest, which sets SLUICE_CUDA_EMULATION, and on a real one without it.
#include <gtest/gtest.h>

#include "sluice/device/devices.h"
#include "sluice/launch/copy_between.h"
#include "sluice/launch/cuda_work.h"
#include "sluice/op/registry.h"
#include "sluice/op/run_op.h"
#include "sluice/op/signature.h"
#include "sluice/state/variable.h"
#include "sluice/tensor/list.h"

namespace sluice {
namespace {

class CudaLists : public ::testing::Test {
 protected:
  void SetUp() override {
    Result<Device*> found = Devices::Find("gpu:0");
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    gpu_ = *found;
  }

  static Array Must(Result<Array> array) {
    EXPECT_TRUE(array.ok()) << array.status().ToString();
    return array.ok() ? *array : Array();
  }
  Array There(const Array& array) { return Must(CopyTo(array, *gpu_)); }
  static Array Here(const Array& array) {
    return Must(CopyTo(array, CpuDevice()));
  }

  // A list whose elements are those arrays; none: never written.
  static Array List(std::vector<Array> elements, DType dtype = DType::kF32) {
    auto list = MakeRef<ListValue>(dtype, PartialShape());
    EXPECT_TRUE(list->Resize(static_cast<int64_t>(elements.size())).ok());
    for (size_t i = 0; i < elements.size(); ++i) {
      if (elements[i]) list->Set(static_cast<int64_t>(i), elements[i]);
    }
    return ListArray(std::move(list));
  }
  Array ThereList(const Array& list) {
    std::vector<Array> elements;
    const ListValue& value = *ListOf(list);
    for (int64_t i = 0; i < value.size(); ++i) {
      elements.push_back(value.at(i) ? There(value.at(i)) : Array());
    }
    return List(elements, value.dtype());
  }

  // By the GPU's own kernel: a call left to the host is an error.
  Result<std::vector<Array>> TryThere(const char* name, Attrs attrs,
                                      std::vector<Array> inputs) {
    const OpRecord& op = *FindOp(name);
    std::vector<DType> dtypes;
    for (const Array& in : inputs) dtypes.push_back(in.dtype());
    SL_ASSIGN_OR_RETURN(ResolvedCall call, ResolveCall(op, attrs, dtypes));
    std::vector<Array> outputs(call.out_dtypes.size());
    NodeInfo node;
    StepContext step;
    step.memory = gpu_->array_memory();
    LaunchCall launch{op, call.attrs, node, call.out_dtypes};
    Status late;
    SL_RETURN_IF_ERROR(LaunchOnGpu(*gpu_, launch, step, inputs, outputs,
                                   [&](const Status& error) { late = error; }));
    SL_RETURN_IF_ERROR(gpu_->stream().Synchronize());
    SL_RETURN_IF_ERROR(late);
    return outputs;
  }

  // `inputs` as the host has them; lists and those of `moved` go to the GPU.
  void ExpectSame(const char* name, Attrs attrs, std::vector<Array> inputs,
                  uint32_t moved = 0) {
    SCOPED_TRACE(name);
    std::vector<Array> there;
    for (size_t i = 0; i < inputs.size(); ++i) {
      bool list = inputs[i].dtype() == DType::kList;
      there.push_back(list             ? ThereList(inputs[i])
                      : moved >> i & 1 ? There(inputs[i])
                                       : inputs[i]);
    }
    auto got = TryThere(name, attrs, there);
    ASSERT_TRUE(got.ok()) << got.status().ToString();
    there.clear();
    auto want = RunOp(*FindOp(name), attrs, inputs);
    ASSERT_TRUE(want.ok()) << want.status().ToString();
    for (size_t i = 0; i < want->size(); ++i) {
      const Array& out = (*got)[i];
      if (out.dtype() == DType::kList) {
        const ListValue& list = *ListOf(out);
        for (int64_t k = 0; k < list.size(); ++k) {
          if (list.at(k)) EXPECT_FALSE(list.at(k).on_host()) << k;
        }
      } else {
        EXPECT_FALSE(out.on_host());
      }
      EXPECT_TRUE(Here(out).BitEquals((*want)[i])) << "output " << i;
    }
  }

  static Array F(std::initializer_list<float> v) {
    return Array::Vector<float>(v);
  }
  static Array I(std::initializer_list<int64_t> v) {
    return Array::Vector<int64_t>(v);
  }

  Device* gpu_ = nullptr;
};

Attrs OfFloats() { return {{"dtype", DType::kF32}}; }

TEST_F(CudaLists, ElementsAreLaidSideBySide) {
  Array three = List({F({1, 2}), F({3, 4}), F({5, 6})});
  ExpectSame("ListStack", OfFloats(), {three});
  ExpectSame("ListGather", OfFloats(), {three, I({2, 0, 2})});
  ExpectSame("ListConcat", OfFloats(), {List({F({1}), F({2, 3}), F({})})});
}

TEST_F(CudaLists, ElementsThatWereNeverWrittenAreZeros) {
  Array gap = List({F({1, 2}), Array(), F({5, 6})});
  ExpectSame("ListStack", OfFloats(), {gap});
  ExpectSame("ListStackOr", OfFloats(), {gap, I({4, 2})});
  ExpectSame("ListGatherOr", OfFloats(), {gap, I({1, 2}), I({2, 2})});
  ExpectSame("ListConcatOr", OfFloats(), {gap, I({2, 3, 2}), I({7})});
}

TEST_F(CudaLists, ArraysAreTakenApart) {
  Array x = Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  ExpectSame("ListUnstack", {}, {x}, 1);
  ExpectSame("ListSplit", {}, {x, I({1, 2})}, 1);
  ExpectSame("ListScatter", {}, {List({F({9, 9})}), I({2, 0, 1}), x}, 4);
}

TEST_F(CudaLists, GradientsAddUp) {
  Array list = List({F({1, 2}), Array(), F({5, 6})});
  Array at = Array::Scalar<int64_t>(2);
  ExpectSame("ListAddAt", {}, {list, at, F({0.5f, 0.25f})}, 4);
  ExpectSame("ListAdd", {}, {list, List({F({3, 4}), F({1, 1})})});
  Array rows = Array::Of<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  ExpectSame("ListAddRows", {}, {list, I({2, 2, 4}), rows}, 4);
}

TEST_F(CudaLists, AnElementSomebodyElseHoldsIsNotAddedTo) {
  Array element = There(F({1, 2}));
  Array list = List({element});
  auto sum = TryThere("ListAddAt", {},
                      {list, Array::Scalar<int64_t>(0), There(F({3, 4}))});
  ASSERT_TRUE(sum.ok()) << sum.status().ToString();
  EXPECT_TRUE(Here(element).BitEquals(F({1, 2})));
  EXPECT_TRUE(Here(ListOf((*sum)[0])->at(0)).BitEquals(F({4, 6})));
}

}  // namespace
}  // namespace sluice
