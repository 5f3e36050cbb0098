#include "tensor_text.h"

#include <cmath>
#include <complex>
#include <cstdio>
#include <optional>

#include "device_names.h"
#include "recorder.h"
#include "sluice/base/strings.h"
#include "sluice/eager/call_device.h"
#include "sluice/eager/default_float.h"
#include "sluice/tensor/array.h"
#include "sluice/trace/region_draft.h"
#include "tensor_values.h"

namespace sluice::py {

namespace {

double RealAt(DType dtype, const void* e) {
  switch (dtype) {
    case DType::kF32:
      return static_cast<double>(*static_cast<const float*>(e));
    case DType::kF64:
      return *static_cast<const double*>(e);
    case DType::kF16:
      return static_cast<double>(float(*static_cast<const f16*>(e)));
    default:
      return static_cast<double>(float(*static_cast<const bf16*>(e)));
  }
}

std::string WholeAt(DType dtype, const void* e) {
  switch (dtype) {
    case DType::kI8:
      return StrCat(int{*static_cast<const int8_t*>(e)});
    case DType::kI16:
      return StrCat(*static_cast<const int16_t*>(e));
    case DType::kI32:
      return StrCat(*static_cast<const int32_t*>(e));
    case DType::kI64:
      return StrCat(*static_cast<const int64_t*>(e));
    case DType::kU8:
      return StrCat(unsigned{*static_cast<const uint8_t*>(e)});
    case DType::kU16:
      return StrCat(*static_cast<const uint16_t*>(e));
    case DType::kU32:
      return StrCat(*static_cast<const uint32_t*>(e));
    default:
      return StrCat(*static_cast<const uint64_t*>(e));
  }
}

std::string Quoted(const std::string& s) {
  std::string text = "'";
  for (char c : s.substr(0, 60)) {
    if (c == '\'' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < 32 || c == 127) {
      char code[8];
      std::snprintf(code, sizeof code, "\\x%02x",
                    static_cast<unsigned char>(c));
      text += code;
    } else {
      text += c;
    }
  }
  return text + (s.size() > 60 ? "...'" : "'");
}

// A common format for all floats of a tensor, so that columns align.
struct FloatStyle {
  bool scientific = false, whole = true;
  int digits = 0;

  void Look(std::span<const double> values, int precision) {
    double largest = 0, smallest = HUGE_VAL;
    for (double v : values) {
      if (!std::isfinite(v)) continue;
      whole = whole && v == std::nearbyint(v);
      double size = std::fabs(v);
      largest = std::max(largest, size);
      if (size > 0) smallest = std::min(smallest, size);
    }
    scientific = largest >= 1e8 ||
                 (!whole && (smallest < 1e-4 || largest / smallest > 1e5));
    if (scientific) {
      digits = precision;
      whole = false;
    } else if (!whole) {
      for (double v : values) {
        if (std::isfinite(v)) digits = std::max(digits, Needed(v, precision));
      }
      digits = std::max(digits, 1);
    }
  }
  // Decimals needed to show v with `precision` digits.
  static int Needed(double v, int precision) {
    std::string text = Fixed(v, precision);
    int n = precision;
    while (n > 0 &&
           text[text.size() - 1 - static_cast<size_t>(precision - n)] == '0') {
      --n;
    }
    return n;
  }
  static std::string Fixed(double v, int precision) {
    char buffer[512];
    std::snprintf(buffer, sizeof buffer, "%.*f", precision, v);
    return buffer;
  }
  std::string Text(double v) const {
    if (std::isnan(v)) return "nan";
    if (std::isinf(v)) return v > 0 ? "inf" : "-inf";
    if (scientific) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%.*e", digits, v);
      return buffer;
    }
    return Fixed(v, digits) + (whole ? "." : "");
  }
};

// The shown elements of an array, each as text of equal width.
class Printer {
 public:
  Printer(const Array& a, const PrintOptions& options)
      : a_(a), o_(options), cut_(a.num_elements() > options.threshold) {
    Visit(0, static_cast<const char*>(a.raw()), [&](const char* at) {
      if (IsFloating(a.dtype())) {
        reals_.push_back(RealAt(a.dtype(), at));
      } else if (a.dtype() == DType::kC64) {
        auto c = *reinterpret_cast<const complex64*>(at);
        reals_.push_back(static_cast<double>(c.real()));
        reals_.push_back(static_cast<double>(c.imag()));
      }
    });
    style_.Look(reals_, options.precision);
    Visit(0, static_cast<const char*>(a.raw()),
          [&](const char* at) { texts_.push_back(Element(at)); });
    for (const std::string& t : texts_) width_ = std::max(width_, t.size());
  }

  std::string Text(size_t indent) {
    next_ = 0;
    if (a_.rank() == 0) return texts_[0];
    std::string out;
    Write(0, indent, out);
    return out;
  }

 private:
  template <class F>
  void Visit(int axis, const char* at, const F& f) {
    if (axis == a_.rank()) return f(at);
    int64_t size = a_.dim(axis);
    int64_t step =
        a_.strides()[static_cast<size_t>(axis)] * DTypeSize(a_.dtype());
    for (int64_t i = 0; i < size; ++i) {
      if (Skips(size) && i == o_.edge) i = size - o_.edge;
      Visit(axis + 1, at + i * step, f);
    }
  }
  bool Skips(int64_t size) const { return cut_ && size > 2 * o_.edge; }

  std::string Element(const char* at) const {
    switch (a_.dtype()) {
      case DType::kBool:
        return *at != 0 ? "True" : "False";  // any byte, in others' memory
      case DType::kString:
        return Quoted(*reinterpret_cast<const std::string*>(at));
      case DType::kC64: {
        auto c = *reinterpret_cast<const complex64*>(at);
        std::string im = style_.Text(static_cast<double>(c.imag()));
        return StrCat(style_.Text(static_cast<double>(c.real())),
                      im[0] == '-' ? "" : "+", im, "j");
      }
      case DType::kResource:
      case DType::kList:
        return StrCat("<", DTypeName(a_.dtype()), ">");
      default:
        return IsFloating(a_.dtype()) ? style_.Text(RealAt(a_.dtype(), at))
                                      : WholeAt(a_.dtype(), at);
    }
  }

  void Write(int axis, size_t indent, std::string& out) {
    out += '[';
    int64_t size = a_.dim(axis);
    bool last = axis + 1 == a_.rank();
    size_t column = indent + 1;
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) out += last ? ", " : ",";
      if (last) {
        if (i > 0) column += 2;
        if (i > 0 && column + width_ > static_cast<size_t>(o_.line_width)) {
          out.pop_back();
          NewLine(indent + 1, 1, out);
          column = indent + 1;
        }
      } else if (i > 0) {
        NewLine(indent + 1, a_.rank() - axis - 1, out);
      }
      if (Skips(size) && i == o_.edge) {
        out += "...";
        if (last) column += 3;
        i = size - o_.edge - 1;
        continue;
      }
      if (last) {
        const std::string& text = texts_[next_++];
        out.append(width_ - text.size(), ' ');
        out += text;
        column += width_;
      } else {
        Write(axis + 1, indent + 1, out);
      }
    }
    out += ']';
  }
  static void NewLine(size_t indent, int lines, std::string& out) {
    out.append(static_cast<size_t>(lines), '\n');
    out.append(indent, ' ');
  }

  const Array& a_;
  const PrintOptions& o_;
  bool cut_;
  std::vector<double> reals_;
  std::vector<std::string> texts_;
  FloatStyle style_;
  size_t width_ = 0, next_ = 0;
};

}  // namespace

PrintOptions& PrintOptionsNow() {
  static PrintOptions options;
  return options;
}

namespace {

std::string ArrayText(const Array& a) {
  DType dtype = a.dtype();
  std::string text = "tensor(";
  text += a.num_elements() == 0
              ? "[]"
              : Printer(a, PrintOptionsNow()).Text(text.size());
  // An empty list does not show its sizes, and a shortened one not all.
  if ((a.num_elements() == 0 && a.rank() != 1) ||
      a.num_elements() > PrintOptionsNow().threshold) {
    std::vector<std::string> sizes;
    for (int64_t d : a.shape().dims()) sizes.push_back(StrCat(d));
    StrAppend(text, ", shape=(", Join(sizes, ", "),
              sizes.size() == 1 ? ",)" : ")");
  }
  DType common = front_internal::DefaultFloat();
  bool plain = dtype == common || dtype == DType::kBool ||
               dtype == DType::kI64 || dtype == DType::kString;
  if (!plain || (a.num_elements() == 0 && dtype != common)) {
    StrAppend(text, ", dtype=", PythonName(dtype));
  }
  return text;
}

// The host's main memory is not named.
void AddDevice(const Tensor& t, std::string& text) {
  std::string name = ShortName(t.device());
  if (name != "cpu") StrAppend(text, ", device='", name, "'");
}

// For printing while converted code is recorded: without elements. The code is
// recorded again, with decisions by value.
std::string TextWithoutElements(const Tensor& t) {
  std::string text = StrCat("<Tensor ", t.ToString(), ">");
  nb::object recorder = CurrentRecorder();
  if (recorder.is_valid() && nb::cast<bool>(recorder.attr("converted"))) {
    recorder.attr("chose") = true;
    recorder.attr("wanted") =
        StrCat("the text of ", text,
               ", which is part of a graph, shows no elements; wanted "
               "sl.print(t), or it outside of the function");
  }
  return text;
}

}  // namespace

std::string TensorText(const Tensor& t) {
  if (!t.defined()) return "<Tensor of nothing>";
  std::string text;
  if (t.symbolic()) {
    // The text for Python's own functions, with decisions by value.
    std::optional<Array> now = DecidedElements(t);
    if (!now) return TextWithoutElements(t);
    if (front_internal::IsNumber(t)) {
      nb::object number = ElementToPython(now->dtype(), now->raw());
      return nb::cast<std::string>(nb::repr(number));
    }
    text = ArrayText(*now);
    AddDevice(t, text);
  } else if (t.is_sparse()) {
    return StrCat("<Tensor ", t.ToString(), ">");
  } else {
    text = ArrayText(ValueOrThrow(OnHost(t.array())));
    AddDevice(t, text);
  }
  if (t.requires_grad()) text += ", requires_grad=True";
  return text + ")";
}

}  // namespace sluice::py
