#include "sluice/gpu/fused_source.h"

#include <algorithm>
#include <cstring>

#include "sluice/base/strings.h"
#include "sluice/gpu/formula_writer.h"
#include "sluice/graph/graph.h"
#include "sluice/kernels/cuda/cuda_kernel.h"

namespace sluice {

namespace {

std::string HexBits(const Array& number) {
  uint64_t bits = 0;
  std::memcpy(&bits, number.raw(),
              static_cast<size_t>(DTypeSize(number.dtype())));
  std::string text;
  for (; bits != 0; bits >>= 4) {
    text.insert(text.begin(), "0123456789abcdef"[bits & 15]);
  }
  return StrCat("0x", text.empty() ? "0" : text, "ull");
}

// Marks the end of one loop's source.
constexpr std::string_view kOneLoop =
    "SL_GLOBAL(fused, Args, a) { Run(a, FirstThread(), AllThreads()); }\n}\n";

// Writes one kernel.
class FusedWriter {
 public:
  explicit FusedWriter(const GpuLoop& loop) : loop_(loop) {}

  std::string Write() {
    NameOperands();
    for (Node* node : loop_.nodes) {
      if (!writer_.Add(*node, body_)) return {};
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      StrAppend(body_, "  y", i, " = ", writer_.Name(loop_.outputs[i]), ";\n");
    }
    return StrCat(FormulaWriter::Includes(), "namespace sluice {\n",
                  writer_.formulas(), Args(), "inline void Body(", Parameters(),
                  ") {\n", body_, "}\n", Loop(), kOneLoop);
  }

 private:
  void NameOperands() {
    for (size_t i = 0; i < loop_.inputs.size(); ++i) {
      const FusedInput& in = loop_.inputs[i];
      if (in.access == FusedAccess::kLiteral) {
        writer_.SetName(in.value, GpuLiteral(*ConstantValue(in.value)));
        continue;
      }
      writer_.SetName(in.value, StrCat("x", i));
      read_.push_back(i);
      if (in.access == FusedAccess::kStrided) ++strided_;
    }
  }

  std::string_view InputType(size_t i) const {
    return CudaTypeName(loop_.inputs[i].value.dtype());
  }
  std::string_view OutputType(size_t i) const {
    return CudaTypeName(loop_.outputs[i].dtype());
  }

  // Filled by FusedArgs of fused_launch.cc.
  std::string Args() const {
    return StrCat("struct Args {\n  int64_t n;\n  int32_t packed, rank;\n",
                  loop_.masked ? "  const bool* live;\n" : "", "  void* out[",
                  loop_.outputs.size(), "];\n  const void* in[",
                  std::max<size_t>(1, read_.size()), "];\n",
                  strided_ > 0 ? StrCat("  int64_t size[8];\n  int64_t stride[",
                                        strided_, "][8];\n")
                               : "",
                  "};\n");
  }

  std::string Parameters() const {
    std::string text;
    for (size_t i : read_) {
      StrAppend(text, text.empty() ? "" : ", ", InputType(i), " x", i);
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      StrAppend(text, text.empty() ? "" : ", ", OutputType(i), "& y", i);
    }
    return text;
  }

  // One call of Body; `input` and `output` make an operand from its index.
  template <class In, class Out>
  std::string Call(In&& input, Out&& output) const {
    std::string text = "Body(";
    bool first = true;
    for (size_t k = 0; k < read_.size(); ++k) {
      StrAppend(text, first ? "" : ", ", input(k, read_[k]));
      first = false;
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      StrAppend(text, first ? "" : ", ", output(i));
      first = false;
    }
    return text + ");\n";
  }

  std::string Begin() const {
    std::string text = loop_.masked ? "  if (!*a.live) return;\n" : "";
    for (size_t k = 0; k < read_.size(); ++k) {
      size_t i = read_[k];
      std::string_view type = InputType(i);
      if (loop_.inputs[i].access == FusedAccess::kStrided) {
        StrAppend(text, "  const ", type, "* x", i, " = static_cast<const ",
                  type, "*>(a.in[", k, "]);\n");
      } else {
        StrAppend(text, "  FlatInput<", type, "> x", i, "{static_cast<const ",
                  type, "*>(a.in[", k, "]), ",
                  loop_.inputs[i].access == FusedAccess::kFlat ? 1 : 0, "};\n");
      }
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      StrAppend(text, "  ", OutputType(i), "* y", i, " = static_cast<",
                OutputType(i), "*>(a.out[", i, "]);\n");
    }
    return text;
  }

  bool Strided(size_t i) const {
    return loop_.inputs[i].access == FusedAccess::kStrided;
  }

  // Several elements at a time where operands have stride one or zero along the
  // innermost axis, otherwise one by one.
  std::string Loop() const {
    auto output = [](size_t i) { return StrCat("y", i, "[i]"); };
    auto element = [&](size_t, size_t i) {
      return Strided(i) ? StrCat("x", i, "[at", i, "]")
                        : StrCat("x", i, ".At(i)");
    };
    auto pack_out = [](size_t i) { return StrCat("r", i, ".v[k]"); };
    auto pack_in = [](size_t, size_t i) { return StrCat("p", i, ".v[k]"); };
    std::string loads, stores;
    size_t s = 0;
    for (size_t i : read_) {
      if (Strided(i)) {
        StrAppend(loads, "    auto p", i, " = RunAt<kPack>(x", i, " + at", i,
                  ", a.stride[", s++, "][0]);\n");
      } else {
        StrAppend(loads, "    auto p", i, " = x", i, ".PackAt<kPack>(i);\n");
      }
    }
    for (size_t i = 0; i < loop_.outputs.size(); ++i) {
      StrAppend(loads, "    Pack<", OutputType(i), ", kPack> r", i, ";\n");
      StrAppend(stores, "    reinterpret_cast<Pack<", OutputType(i),
                ", kPack>*>(y", i, ")[i] = r", i, ";\n");
    }
    return StrCat(
        "inline void Run(const Args& a, int64_t first, int64_t all) {\n",
        Begin(), "  constexpr int kPack = ", FusedPack(loop_),
        ";\n  int64_t packs = (a.packed & 2) ? a.n / kPack : 0;\n"
        "  for (int64_t i = first; i < packs; i += all) {\n",
        PlacesAt("i * kPack"), loads, "    for (int k = 0; k < kPack; ++k) ",
        Call(pack_in, pack_out), stores,
        "  }\n  for (int64_t i = packs * kPack + first; i < a.n; i += all) {\n",
        PlacesAt("i"), "    ", Call(element, output), "  }\n}\n");
  }

  // The offsets of strided operands for element `flat`.
  std::string PlacesAt(std::string_view flat) const {
    std::string places, steps;
    size_t s = 0;
    for (size_t i : read_) {
      if (!Strided(i)) continue;
      StrAppend(places, "    int64_t at", i, " = 0;\n");
      StrAppend(steps, "      at", i, " += index * a.stride[", s++,
                "][axis];\n");
    }
    return places.empty() ? "" : places + WalkLines(steps, flat);
  }

  const GpuLoop& loop_;
  FormulaWriter writer_;
  std::vector<size_t> read_;  // inputs that are not literals
  std::string body_;
  int strided_ = 0;
};

}  // namespace

std::string GpuLiteral(const Array& number) {
  std::string_view type = CudaTypeName(number.dtype());
  switch (number.dtype()) {
    case DType::kF32:
      return StrCat("std::bit_cast<float>(uint32_t(", HexBits(number), "))");
    case DType::kF64:
      return StrCat("std::bit_cast<double>(uint64_t(", HexBits(number), "))");
    case DType::kF16:
    case DType::kBF16:
      return StrCat("FromBits<", type, ">(uint16_t(", HexBits(number), "))");
    case DType::kC64:
      return {};
    default:
      return StrCat(type, "(", HexBits(number), ")");
  }
}

std::string FusedSource(const GpuLoop& loop) {
  return FusedWriter(loop).Write();
}

// Rounded up, so that not every number of loops needs a kernel of its own.
int FusedRoom(int parts) {
  int room = 4;
  while (room < parts) room *= 2;
  return room;
}

// The limit that every GPU has for arguments.
int FusedMost(size_t bytes) {
  constexpr size_t kMostBytes = 4000;
  int most = 1;
  for (int room = 4; 8 + 4 * (room + 1) + room * bytes <= kMostBytes;
       room *= 2) {
    most = room;
  }
  return most;
}

std::string FusedBeside(std::string_view source, int parts) {
  source.remove_suffix(kOneLoop.size());
  return StrCat(
      source, "struct Parts {\n  int32_t count, first[", FusedRoom(parts) + 1,
      "];\n  Args part[", FusedRoom(parts),
      "];\n};\n"
      "SL_GLOBAL(fused, Parts, a) {\n"
      "  int32_t block = int32_t(blockIdx.x), p = 0;\n"
      "  while (p + 1 < a.count && block >= a.first[p + 1]) ++p;\n"
      "  int64_t threads = blockDim.x;\n"
      "  Run(a.part[p], (block - a.first[p]) * threads + threadIdx.x,\n"
      "      (a.first[p + 1] - a.first[p]) * threads);\n}\n}\n");
}

bool MayStandBeside(std::string_view source) {
  return source.ends_with(kOneLoop);
}

int FusedPack(const GpuLoop& loop) {
  int64_t widest = 1;
  for (const FusedInput& in : loop.inputs) {
    if (in.access != FusedAccess::kLiteral) {
      widest = std::max(widest, DTypeSize(in.value.dtype()));
    }
  }
  for (const Value& out : loop.outputs) {
    widest = std::max(widest, DTypeSize(out.dtype()));
  }
  return widest >= 8 ? 2 : widest >= 4 ? 4 : 8;
}

}  // namespace sluice
