#include "sluice/kernels/cuda/library_gemm.h"

#include <map>
#include <tuple>

#include "sluice/base/strings.h"
#include "sluice/kernels/cuda/cublas_lt.h"

namespace sluice {

namespace {

// All that a product's plan depends on.
using PlanKey = std::tuple<const CudaDevice*, DType, DType, bool, bool, int64_t,
                           int64_t, int64_t, int64_t, int64_t, int64_t, bool,
                           bool, int64_t, int64_t, int64_t, int64_t, int>;

struct GemmPlan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

struct Plans {
  Mutex mu;
  std::map<PlanKey, GemmPlan> plans SL_GUARDED_BY(mu);

  static Plans& Get() {
    static auto& plans = *new Plans;
    return plans;
  }
};

cudaDataType_t CudaType(DType dtype) {
  switch (dtype) {
    case DType::kF64:
      return CUDA_R_64F;
    case DType::kF16:
      return CUDA_R_16F;
    case DType::kBF16:
      return CUDA_R_16BF;
    default:
      return CUDA_R_32F;
  }
}

cublasComputeType_t ComputeType(DType dtype) {
  if (dtype == DType::kF64) return CUBLAS_COMPUTE_64F;
  if (dtype == DType::kF32 && Tf32Allowed()) {
    return CUBLAS_COMPUTE_32F_FAST_TF32;
  }
  return CUBLAS_COMPUTE_32F;
}

Status LtStatus(const CublasLt& lt, cublasStatus_t status,
                std::string_view doing) {
  if (status == CUBLAS_STATUS_SUCCESS) return OkStatus();
  return Internal(StrCat(doing, ": ", lt.cublasLtGetStatusString(status)));
}

#define SL_LT(call, doing) SL_RETURN_IF_ERROR(LtStatus(lt, lt.call, doing))

// The largest number of bytes (at most 256) that divides the address.
int AlignmentOf(const void* address) {
  auto bits = reinterpret_cast<uintptr_t>(address);
  int bytes = 256;
  while (bytes > 1 && bits % static_cast<uintptr_t>(bytes) != 0) bytes /= 2;
  return bytes;
}

// cuBLAS counts columns first: to it our row-major matrices are transposed, and
// c transposed is b transposed times a transposed. `rows`, `columns` as it sees
// them.
Status MakeLayout(const CublasLt& lt, DType dtype, int64_t rows,
                  int64_t columns, int64_t step, int64_t batch,
                  int64_t batch_step, cublasLtMatrixLayout_t* layout) {
  SL_LT(cublasLtMatrixLayoutCreate(layout, CudaType(dtype),
                                   static_cast<uint64_t>(rows),
                                   static_cast<uint64_t>(columns), step),
        "describing a matrix");
  auto count = static_cast<int32_t>(batch);
  SL_LT(cublasLtMatrixLayoutSetAttribute(
            *layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
        "describing a matrix");
  SL_LT(cublasLtMatrixLayoutSetAttribute(
            *layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &batch_step,
            sizeof batch_step),
        "describing a matrix");
  return OkStatus();
}

// The row that is added to all of a product's.
Status SetRow(const CublasLt& lt, cublasLtMatmulDesc_t product,
              const void* row) {
  SL_LT(cublasLtMatmulDescSetAttribute(
            product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &row, sizeof row),
        "planning a product");
  return OkStatus();
}

Result<GemmPlan> MakePlan(const CublasLt& lt, cublasLtHandle_t handle,
                          const GpuGemm& g, int alignment) {
  GemmPlan plan;
  SL_LT(cublasLtMatmulDescCreate(
            &plan.product, ComputeType(g.dtype),
            g.dtype == DType::kF64 ? CUDA_R_64F : CUDA_R_32F),
        "planning a product");
  cublasOperation_t first = g.b.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasOperation_t second = g.a.transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  SL_LT(cublasLtMatmulDescSetAttribute(
            plan.product, CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
        "planning a product");
  SL_LT(cublasLtMatmulDescSetAttribute(
            plan.product, CUBLASLT_MATMUL_DESC_TRANSB, &second, sizeof second),
        "planning a product");
  if (g.add && g.add_row) {
    cublasLtEpilogue_t adds = CUBLASLT_EPILOGUE_BIAS;
    SL_LT(cublasLtMatmulDescSetAttribute(
              plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE, &adds, sizeof adds),
          "planning a product");
    SL_RETURN_IF_ERROR(SetRow(lt, plan.product, g.add));
  }
  auto layout = [&](const GpuMatrix& x, int64_t rows, int64_t columns,
                    cublasLtMatrixLayout_t* out) {
    if (x.transposed) std::swap(rows, columns);
    return MakeLayout(lt, g.dtype, columns, rows, x.row_step, g.batch,
                      x.batch_step, out);
  };
  SL_RETURN_IF_ERROR(layout(g.b, g.k, g.n, &plan.b));
  SL_RETURN_IF_ERROR(layout(g.a, g.m, g.k, &plan.a));
  SL_RETURN_IF_ERROR(MakeLayout(lt, g.TypeOfC(), g.n, g.m, g.StepOfC(), g.batch,
                                g.c_batch_step, &plan.c));
  cublasLtMatmulPreference_t preference = nullptr;
  SL_LT(cublasLtMatmulPreferenceCreate(&preference), "planning a product");
  auto space = static_cast<size_t>(kCublasWorkspace);
  lt.cublasLtMatmulPreferenceSetAttribute(
      preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &space,
      sizeof space);
  auto bytes = static_cast<uint32_t>(alignment);
  for (auto which : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                     CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    lt.cublasLtMatmulPreferenceSetAttribute(preference, which, &bytes,
                                            sizeof bytes);
  }
  cublasLtMatmulHeuristicResult_t best = {};
  int found = 0;
  cublasStatus_t status = lt.cublasLtMatmulAlgoGetHeuristic(
      handle, plan.product, plan.b, plan.a, plan.c, plan.c, preference, 1,
      &best, &found);
  lt.cublasLtMatmulPreferenceDestroy(preference);
  SL_RETURN_IF_ERROR(LtStatus(lt, status, "planning a product"));
  if (found == 0) return NotServed();
  plan.algorithm = best.algo;
  return plan;
}

}  // namespace

Status RunGemmByLibrary(const KernelContext& ctx, const GpuGemm& g) {
  CudaDevice& device = GpuOf(ctx);
  SL_ASSIGN_OR_RETURN(const CublasLt* opened, CublasLt::Open());
  const CublasLt& lt = *opened;
  SL_ASSIGN_OR_RETURN(const CublasLtHandle* handle,
                      CublasLtHandle::For(device));
  int alignment = std::min(
      {AlignmentOf(g.a.data), AlignmentOf(g.b.data), AlignmentOf(g.c)});
  PlanKey key{&device,
              g.dtype,
              g.TypeOfC(),
              Tf32Allowed(),
              g.add && g.add_row,
              g.m,
              g.n,
              g.k,
              g.batch,
              g.a.row_step,
              g.b.row_step,
              g.a.transposed,
              g.b.transposed,
              g.a.batch_step,
              g.b.batch_step,
              g.c_batch_step,
              g.StepOfC(),
              alignment};
  Plans& plans = Plans::Get();
  GemmPlan plan;
  {
    MutexLock lock(plans.mu);
    auto it = plans.plans.find(key);
    if (it == plans.plans.end()) {
      SL_ASSIGN_OR_RETURN(GemmPlan made,
                          MakePlan(lt, handle->handle, g, alignment));
      it = plans.plans.emplace(key, made).first;
    }
    plan = it->second;
  }
  float one = 1, zero = 0;
  double one_f64 = 1, zero_f64 = 0;
  bool wide = g.dtype == DType::kF64, sums = g.add && !g.add_row;
  const void* alpha = wide ? static_cast<const void*>(&one_f64) : &one;
  const void* none = wide ? static_cast<const void*>(&zero_f64) : &zero;
  const void* beta = sums ? alpha : none;
  auto multiply = [&] {
    return lt.cublasLtMatmul(
        handle->handle, plan.product, alpha, g.b.data, plan.b, g.a.data, plan.a,
        beta, sums ? g.add : g.c, plan.c, g.c, plan.c, &plan.algorithm,
        AddressOf(handle->workspace), static_cast<size_t>(kCublasWorkspace),
        StreamOf(ctx));
  };
  if (!g.add || sums) return LtStatus(lt, multiply(), "multiplying matrices");
  // The row's address is stored in the shared plan.
  MutexLock lock(plans.mu);
  SL_RETURN_IF_ERROR(SetRow(lt, plan.product, g.add));
  SL_RETURN_IF_ERROR(LtStatus(lt, multiply(), "multiplying matrices"));
  return OkStatus();
}

}  // namespace sluice
