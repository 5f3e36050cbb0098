// Helpers shared by the tests of input pipelines.
#pragma once

#include <gtest/gtest.h>
#include <sluice/sluice.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace sluice::data {

// The message of the sluice::Error that the statement throws; "" if none.
template <class F>
std::string ErrorOf(F&& statement) {
  try {
    statement();
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

inline void Contains(const std::string& text, std::string_view part) {
  EXPECT_NE(text.find(part), std::string::npos)
      << "\"" << part << "\" is not in:\n"
      << text;
}

// Any truncation or changed bit gives a result or an error, without invalid
// memory accesses (AddressSanitizer checks).
inline void Torture(const std::string& good,
                    const std::function<void(const std::string&)>& f) {
  for (size_t n = 0; n < good.size(); ++n) f(good.substr(0, n));
  for (size_t n = 0; n < good.size(); ++n) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[n] = static_cast<char>(bad[n] ^ 1 << bit);
      f(bad);
    }
  }
}

// A file for one test, removed at the end.
class TempFile {
 public:
  explicit TempFile(std::string_view name, std::string_view bytes = {})
      : path_((std::filesystem::temp_directory_path() /
               (std::to_string(::getpid()) + "-" + std::string(name)))
                  .string()) {
    Write(bytes);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  void Write(std::string_view bytes) {
    std::ofstream out(path_, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// All elements of a pass as text: bits, not printed numbers.
template <size_t N>
std::string Bits(const std::array<Tensor, N>& element) {
  std::string text;
  for (const Tensor& t : element) {
    Array a = *t.array().AsContiguous();
    text += a.TypeText() + ":";
    if (a.dtype() == DType::kString) {
      for (int64_t i = 0; i < a.num_elements(); ++i) {
        text += a.data<std::string>()[i] + ",";
      }
    } else if (a.num_elements() > 0) {
      text.append(static_cast<const char*>(a.raw()),
                  static_cast<size_t>(a.bytes()));
    }
    text += ";";
  }
  return text;
}
template <size_t N>
std::vector<std::string> AllBits(Iterator<N> pass, int64_t most = 1 << 20) {
  std::vector<std::string> all;
  while (static_cast<int64_t>(all.size()) < most) {
    auto element = pass.next();
    if (!element) break;
    all.push_back(Bits(*element));
  }
  return all;
}

// The i64 values of component 0 of a pass, in order.
template <size_t N>
std::vector<int64_t> Numbers(const Dataset<N>& dataset, uint64_t epoch = 0,
                             size_t most = 1 << 20) {
  std::vector<int64_t> all;
  auto pass = dataset.iterator(epoch);
  while (all.size() < most) {
    auto element = pass.next();
    if (!element) break;
    for (int64_t v : (*element)[0].template to_vector<int64_t>()) {
      all.push_back(v);
    }
  }
  return all;
}

// Numbers 0 .. n-1 from a source without random access.
inline Dataset<1> Stream(int64_t n) {
  return from_generator<1>([n] {
    return
        [n, i = int64_t{0}]() mutable -> std::optional<std::array<Tensor, 1>> {
          if (i == n) return std::nullopt;
          return {{constant(i++)}};
        };
  });
}

}  // namespace sluice::data
