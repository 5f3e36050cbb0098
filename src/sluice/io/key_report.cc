#include "sluice/io/key_report.h"

#include <algorithm>

#include "sluice/base/strings.h"

namespace sluice::io {

namespace {

constexpr size_t kMostRows = 60;

std::string TypeOf(const Tensor& t) {
  return t.defined() ? TypeText(t.dtype(), t.shape()) : "nothing";
}

}  // namespace

std::string KeyReport::table() const {
  struct Line {
    const Row* row;
    std::string_view problem;
  };
  std::vector<Line> lines;
  for (const Row& r : missing) lines.push_back({&r, "missing"});
  for (const Row& r : extra) lines.push_back({&r, "extra"});
  for (const Row& r : mismatched) lines.push_back({&r, "mismatched"});
  std::string out =
      StrCat(lines.size(), " of ", lines.size() + fitting,
             " tensors do not fit: ", missing.size(), " missing, ",
             extra.size(), " extra, ", mismatched.size(), " mismatched");
  if (lines.empty()) return "all tensors fit";
  size_t shown = std::min(lines.size(), kMostRows);
  size_t name_width = 4, got_width = 3;
  for (size_t i = 0; i < shown; ++i) {
    name_width = std::max(name_width, lines[i].row->name.size());
    got_width = std::max(got_width, lines[i].row->got.size());
  }
  auto add = [&](std::string_view name, std::string_view problem,
                 std::string_view got, std::string_view wanted) {
    auto pad = [&](std::string_view text, size_t width) {
      StrAppend(out, text);
      out.append(width - std::min(width, text.size()) + 2, ' ');
    };
    out += "\n  ";
    pad(name, name_width);
    pad(problem, 10);
    pad(got.empty() ? "-" : got, got_width);
    StrAppend(out, wanted.empty() ? "-" : wanted);
  };
  add("name", "problem", "got", "wanted");
  for (size_t i = 0; i < shown; ++i) {
    const Row& r = *lines[i].row;
    add(r.name, lines[i].problem, r.got, r.wanted);
  }
  if (shown < lines.size()) {
    StrAppend(out, "\n  ... and ", lines.size() - shown, " more");
  }
  return out;
}

KeyReport compare_keys(const StateDict& wanted, const StateDict& got) {
  KeyReport report;
  for (const auto& [name, tensor] : wanted) {
    const Tensor* there = got.find(name);
    std::string is = there ? TypeOf(*there) : "", should = TypeOf(tensor);
    if (!there) {
      report.missing.push_back({name, "", should});
    } else if (is != should || !there->defined()) {
      report.mismatched.push_back({name, is, should});
    } else {
      ++report.fitting;
    }
  }
  for (const auto& [name, tensor] : got) {
    if (!wanted.contains(name))
      report.extra.push_back({name, TypeOf(tensor), ""});
  }
  return report;
}

}  // namespace sluice::io
