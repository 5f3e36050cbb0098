// Json: a JSON value, parsed from text and written as text.
//
//   Json j = Json::object({{"step", 12}, {"names", Json::array({"a", "b"})}});
//   j["loss"] = 0.5;
//   std::string text = j.dump();        // members in insertion order
//
// Parsing is strict: deviations from the standard are errors that name the
// byte. Integers are int64_t, other numbers double; text is UTF-8.
//
// Our own implementation: integers stay exact, members keep their order, and
// errors name the byte; common libraries are a header of a megabyte or not
// available everywhere.
//
// A plain value; share read-only from any thread.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "sluice/base/status.h"

namespace sluice {

class Json {
 public:
  enum class Kind : uint8_t {
    kNull = 0,
    kBool,
    kInt,
    kDouble,
    kString,
    kArray,
    kObject,
  };
  using Member = std::pair<std::string, Json>;
  using Items = std::vector<Json>;
  using Members = std::vector<Member>;
  // Deeper nesting is refused, so that no text overflows the stack.
  static constexpr int kMaxDepth = 100;

  Json() = default;  // null
  Json(bool v) : v_(v) {}
  template <std::integral T>
  Json(T v) : v_(static_cast<int64_t>(v)) {}
  template <std::floating_point T>
  Json(T v) : v_(static_cast<double>(v)) {}
  Json(const char* v) : v_(std::string(v)) {}
  Json(std::string_view v) : v_(std::string(v)) {}
  Json(std::string v) : v_(std::move(v)) {}
  static Json array(Items items = {});
  static Json object(Members members = {});

  // The entire text must be one value. Errors: InvalidArgument "byte 7: ...".
  static Result<Json> Parse(std::string_view text);

  Kind kind() const { return static_cast<Kind>(v_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_int() const { return kind() == Kind::kInt; }
  bool is_number() const { return is_int() || kind() == Kind::kDouble; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }

  // These throw if the value is of another kind. A double accepts integers,
  // too.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;
  const Items& items() const;
  const Members& members() const;

  size_t size() const;  // of an array or object; otherwise 0
  // The member with that name; null if there is none or this is not an object.
  const Json* find(std::string_view name) const;
  // Throw if there is none.
  const Json& at(std::string_view name) const;
  const Json& at(size_t index) const;
  // Adds the member (null, at the end) if it does not exist; a null becomes an
  // object. Throws for other kinds.
  Json& operator[](std::string_view name);
  // A null becomes an array. Throws for other kinds.
  void push_back(Json value);
  // Appends without checking for duplicate names. REQUIRES: an object.
  void append_member(std::string name, Json value);

  // On one line, or with `indent` spaces for each level. Numbers are parsed
  // back exactly; JSON has no infinities and NaN, which become null, and only
  // UTF-8 text, in which invalid bytes become U+FFFD.
  std::string dump(int indent = -1) const;

  bool operator==(const Json&) const = default;

 private:
  void Write(std::string& out, int indent, int depth) const;

  // A class of its own, for copies that run out of memory: libstdc++ assumes
  // that a variant of only its own classes always has a value, and would
  // destroy an object that was never constructed.
  struct Object {
    Members members;
    bool operator==(const Object& other) const;
  };

  // The order of the alternatives is the order of Kind.
  std::variant<std::monostate, bool, int64_t, double, std::string, Items,
               Object>
      v_;
};

// "an integer", "an object": for messages.
std::string_view JsonKindName(Json::Kind kind);

}  // namespace sluice
