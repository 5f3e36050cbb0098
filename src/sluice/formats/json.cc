#include "sluice/formats/json.h"

#include <charconv>
#include <cmath>

#include "sluice/base/error.h"
#include "sluice/base/strings.h"
#include "sluice/formats/utf8.h"

namespace sluice {

namespace {

[[noreturn]] void ThrowKind(Json::Kind is, std::string_view wanted) {
  throw Error(InvalidArgument(
      StrCat("a JSON value is ", JsonKindName(is), "; wanted ", wanted)));
}

}  // namespace

std::string_view JsonKindName(Json::Kind kind) {
  switch (kind) {
    case Json::Kind::kNull:
      return "null";
    case Json::Kind::kBool:
      return "a truth value";
    case Json::Kind::kInt:
      return "an integer";
    case Json::Kind::kDouble:
      return "a number with a fraction";
    case Json::Kind::kString:
      return "a string";
    case Json::Kind::kArray:
      return "an array";
    case Json::Kind::kObject:
      return "an object";
  }
  return "nothing";
}

bool Json::Object::operator==(const Object& other) const {
  return members == other.members;
}

Json Json::array(Items items) {
  Json j;
  j.v_ = std::move(items);
  return j;
}

Json Json::object(Members members) {
  Json j;
  j.v_ = Object{std::move(members)};
  return j;
}

bool Json::as_bool() const {
  if (!is_bool()) ThrowKind(kind(), "a truth value");
  return *std::get_if<bool>(&v_);
}

int64_t Json::as_int() const {
  if (!is_int()) ThrowKind(kind(), "an integer");
  return *std::get_if<int64_t>(&v_);
}

double Json::as_double() const {
  if (is_int()) return static_cast<double>(*std::get_if<int64_t>(&v_));
  if (kind() != Kind::kDouble) ThrowKind(kind(), "a number");
  return *std::get_if<double>(&v_);
}

const std::string& Json::as_string() const {
  if (!is_string()) ThrowKind(kind(), "a string");
  return *std::get_if<std::string>(&v_);
}

const Json::Items& Json::items() const {
  if (!is_array()) ThrowKind(kind(), "an array");
  return *std::get_if<Items>(&v_);
}

const Json::Members& Json::members() const {
  if (!is_object()) ThrowKind(kind(), "an object");
  return std::get_if<Object>(&v_)->members;
}

size_t Json::size() const {
  if (is_array()) return items().size();
  return is_object() ? members().size() : 0;
}

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  for (const Member& m : members()) {
    if (m.first == name) return &m.second;
  }
  return nullptr;
}

const Json& Json::at(std::string_view name) const {
  if (!is_object()) ThrowKind(kind(), "an object");
  if (const Json* found = find(name)) return *found;
  std::vector<std::string> names;
  for (const Member& m : members()) {
    if (names.size() < 8) names.push_back(m.first);
  }
  throw Error(NotFound(StrCat("a JSON object has no member \"",
                              EscapeString(name), "\"; it begins with ",
                              names.empty() ? "none" : Join(names, ", "))));
}

const Json& Json::at(size_t index) const {
  const Items& all = items();
  if (index < all.size()) return all[index];
  throw Error(OutOfRange(StrCat("a JSON array has ", all.size(),
                                " elements; wanted number ", index)));
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) v_ = Object();
  Object* all = std::get_if<Object>(&v_);
  if (!all) ThrowKind(kind(), "an object");
  for (Member& m : all->members) {
    if (m.first == name) return m.second;
  }
  return all->members.emplace_back(name, Json()).second;
}

void Json::push_back(Json value) {
  if (is_null()) v_ = Items();
  Items* all = std::get_if<Items>(&v_);
  if (!all) ThrowKind(kind(), "an array");
  all->push_back(std::move(value));
}

void Json::append_member(std::string name, Json value) {
  Object* all = std::get_if<Object>(&v_);
  SL_CHECK(all != nullptr);
  all->members.emplace_back(std::move(name), std::move(value));
}

namespace {

void WriteText(std::string& out, std::string_view text) {
  if (IsUtf8(text)) {
    out += JsonQuote(text);
    return;
  }
  std::string clean;
  while (!text.empty()) {
    size_t length = Utf8CharacterBytes(text);
    clean += length ? text.substr(0, length) : "\xef\xbf\xbd";
    text.remove_prefix(length ? length : 1);
  }
  out += JsonQuote(clean);
}

void WriteDouble(std::string& out, double v) {
  if (!std::isfinite(v)) {
    out += "null";
    return;
  }
  char text[40];
  auto [end, error] = std::to_chars(text, text + sizeof text, v);
  std::string_view shortest(text, static_cast<size_t>(end - text));
  out += shortest;
  // Otherwise it would be parsed as an integer.
  if (shortest.find_first_of(".e") == std::string_view::npos) out += ".0";
}

}  // namespace

void Json::Write(std::string& out, int indent, int depth) const {
  auto line = [&](int d) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<size_t>(indent) * static_cast<size_t>(d), ' ');
  };
  switch (kind()) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += as_bool() ? "true" : "false";
      return;
    case Kind::kInt:
      out += std::to_string(as_int());
      return;
    case Kind::kDouble:
      return WriteDouble(out, as_double());
    case Kind::kString:
      return WriteText(out, as_string());
    case Kind::kArray: {
      out += '[';
      bool first = true;
      for (const Json& item : items()) {
        if (!std::exchange(first, false)) out += ',';
        line(depth + 1);
        item.Write(out, indent, depth + 1);
      }
      if (!first) line(depth);
      out += ']';
      return;
    }
    case Kind::kObject: {
      out += '{';
      bool first = true;
      for (const auto& [name, value] : members()) {
        if (!std::exchange(first, false)) out += ',';
        line(depth + 1);
        WriteText(out, name);
        out += indent < 0 ? ":" : ": ";
        value.Write(out, indent, depth + 1);
      }
      if (!first) line(depth);
      out += '}';
      return;
    }
  }
}

std::string Json::dump(int indent) const {
  std::string out;
  Write(out, indent, 0);
  return out;
}

}  // namespace sluice
