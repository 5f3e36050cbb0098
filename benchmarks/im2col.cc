#include "benchmarks/im2col.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/worker_pool.h"

namespace sluice::bench {

namespace {

// The output columns that read inside of a row of the image: [first, last).
void Inside(const ConvShape& s, int64_t kx, int64_t* first, int64_t* last) {
  int64_t from = s.pad - kx;  // q * stride >= from
  *first = from > 0 ? (from + s.stride - 1) / s.stride : 0;
  int64_t end = s.size + s.pad - kx;  // q * stride < end
  *last = std::min(s.out_size(), (end + s.stride - 1) / s.stride);
  *last = std::max(*last, *first);
}

void Unroll(const ConvShape& s, const float* x, float* to) {
  int64_t out = s.out_size();
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for (int64_t ky = 0; ky < s.kernel; ++ky) {
      for (int64_t kx = 0; kx < s.kernel; ++kx) {
        int64_t first, last;
        Inside(s, kx, &first, &last);
        for (int64_t oy = 0; oy < out; ++oy, to += out) {
          int64_t y = oy * s.stride + ky - s.pad;
          if (y < 0 || y >= s.size) {
            std::fill_n(to, out, 0.0f);
            continue;
          }
          const float* row = x + (c * s.size + y) * s.size + kx - s.pad;
          std::fill_n(to, first, 0.0f);
          if (s.stride == 1) {
            std::memcpy(to + first, row + first,
                        static_cast<size_t>(last - first) * sizeof(float));
          } else {
            for (int64_t q = first; q < last; ++q) to[q] = row[q * s.stride];
          }
          std::fill(to + last, to + out, 0.0f);
        }
      }
    }
  }
}

void Roll(const ConvShape& s, const float* from, float* dx) {
  int64_t out = s.out_size();
  std::fill_n(dx, s.in_elements(), 0.0f);
  for (int64_t c = 0; c < s.in_channels; ++c) {
    for (int64_t ky = 0; ky < s.kernel; ++ky) {
      for (int64_t kx = 0; kx < s.kernel; ++kx) {
        int64_t first, last;
        Inside(s, kx, &first, &last);
        for (int64_t oy = 0; oy < out; ++oy, from += out) {
          int64_t y = oy * s.stride + ky - s.pad;
          if (y < 0 || y >= s.size) continue;
          float* row = dx + (c * s.size + y) * s.size + kx - s.pad;
          if (s.stride == 1) {
            for (int64_t q = first; q < last; ++q) row[q] += from[q];
          } else {
            for (int64_t q = first; q < last; ++q) row[q * s.stride] += from[q];
          }
        }
      }
    }
  }
}

}  // namespace

Im2colConv::Im2colConv(const OpenBlas& blas, const ConvShape& shape,
                       int64_t batch)
    : blas_(blas), s_(shape), batch_(batch) {
  auto threads = static_cast<size_t>(WorkerPool::Default().parallelism());
  patches_.resize(threads);
  partial_.resize(threads);
  for (auto& p : patches_) {
    p.resize(static_cast<size_t>(s_.depth() * s_.pixels()));
  }
  for (auto& p : partial_) {
    p.resize(static_cast<size_t>(s_.filter_elements()));
  }
}

bool Im2colConv::direct() const {
  return s_.kernel == 1 && s_.stride == 1 && s_.pad == 0;
}

float* Im2colConv::Patches() {
  return patches_[static_cast<size_t>(WorkerPool::CurrentWorker())].data();
}

void Im2colConv::Forward(const float* x, const float* w, float* y) {
  blas_.SetThreads(1);
  ParallelFor(&WorkerPool::Default(), batch_, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const float* image = x + i * s_.in_elements();
      if (!direct()) {
        Unroll(s_, image, Patches());
        image = Patches();
      }
      blas_.Gemm(s_.out_channels, s_.pixels(), s_.depth(), w, false, image,
                 false, y + i * s_.out_elements());
    }
  });
}

void Im2colConv::InputGrad(const float* dy, const float* w, float* dx) {
  blas_.SetThreads(1);
  ParallelFor(&WorkerPool::Default(), batch_, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      float* to = dx + i * s_.in_elements();
      float* patches = direct() ? to : Patches();
      blas_.Gemm(s_.depth(), s_.pixels(), s_.out_channels, w, true,
                 dy + i * s_.out_elements(), false, patches);
      if (!direct()) Roll(s_, patches, to);
    }
  });
}

void Im2colConv::FilterGrad(const float* x, const float* dy, float* dw) {
  blas_.SetThreads(1);
  for (auto& p : partial_) std::fill(p.begin(), p.end(), 0.0f);
  ParallelFor(&WorkerPool::Default(), batch_, 1, [&](int64_t b, int64_t e) {
    float* sum =
        partial_[static_cast<size_t>(WorkerPool::CurrentWorker())].data();
    for (int64_t i = b; i < e; ++i) {
      const float* image = x + i * s_.in_elements();
      if (!direct()) {
        Unroll(s_, image, Patches());
        image = Patches();
      }
      blas_.Gemm(s_.out_channels, s_.depth(), s_.pixels(),
                 dy + i * s_.out_elements(), false, image, true, sum, true);
    }
  });
  ParallelFor(&WorkerPool::Default(), s_.filter_elements(), 1 << 16,
              [&](int64_t b, int64_t e) {
                std::copy_n(partial_[0].data() + b, e - b, dw + b);
                for (size_t t = 1; t < partial_.size(); ++t) {
                  const float* more = partial_[t].data();
                  for (int64_t i = b; i < e; ++i) dw[i] += more[i];
                }
              });
}

}  // namespace sluice::bench
