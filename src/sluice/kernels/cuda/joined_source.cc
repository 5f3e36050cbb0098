#include "sluice/kernels/cuda/joined_source.h"

#include <algorithm>
#include <set>

#include "sluice/base/strings.h"

namespace sluice {

namespace {

// The name in `#include "name"` or <name>; empty when the line is none.
std::string_view IncludedBy(std::string_view line) {
  size_t at = line.find_first_not_of(' ');
  if (at == line.npos || !line.substr(at).starts_with("#include")) return {};
  size_t begin = line.find_first_of("\"<", at);
  if (begin == line.npos) return {};
  size_t end = line.find_first_of("\">", begin + 1);
  if (end == line.npos) return {};
  return line.substr(begin + 1, end - begin - 1);
}

// Puts texts together, each header where it is first included.
struct Joined {
  std::span<const EmbeddedText> headers;
  std::set<std::string_view> texts_in;  // some have several names
  std::string out;

  void Add(std::string_view name, std::string_view text) {
    StrAppend(out, "#line 1 \"", name, "\"\n");
    for (int number = 1; !text.empty(); ++number) {
      size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
      std::string_view line = text.substr(0, end);
      text.remove_prefix(end);
      std::string_view included = IncludedBy(line);
      if (!included.empty()) {
        Include(included);
        StrAppend(out, "#line ", number + 1, " \"", name, "\"\n");
      } else if (!line.starts_with("#pragma once")) {
        out += line;
      }
    }
    out += '\n';
  }
  void Include(std::string_view name) {
    for (const EmbeddedText& header : headers) {
      if (header.name != name) continue;
      if (texts_in.insert(header.text).second) Add(name, header.text);
      return;
    }
  }
};

}  // namespace

std::string JoinSource(std::string_view source, std::string_view first,
                       std::span<const EmbeddedText> headers) {
  Joined joined{headers, {}, {}};
  if (!first.empty()) joined.Include(first);
  joined.Add("kernel.cu", source);
  return std::move(joined.out);
}

}  // namespace sluice
