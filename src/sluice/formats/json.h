// Json: a value as JSON knows them, read from text and written as text.
//
//   Json j = Json::object({{"step", 12}, {"names", Json::array({"a", "b"})}});
//   j["loss"] = 0.5;
//   std::string text = j.dump();        // members in the order they were put
//   in
//
// Reading is strict: what the standard does not allow is an error that names
// the byte. Whole numbers are int64_t, others double; text is UTF-8.
//
// Ours: whole numbers stay exact, members keep their order, and errors name the
// byte; the usual libraries are a header of a megabyte or are not everywhere.
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
  // Nesting deeper than this is refused, so that no text overflows the stack.
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

  // The whole text is one value. Errors: InvalidArgument "byte 7: ...".
  static Result<Json> Parse(std::string_view text);

  Kind kind() const { return static_cast<Kind>(v_.index()); }
  bool is_null() const { return kind() == Kind::kNull; }
  bool is_bool() const { return kind() == Kind::kBool; }
  bool is_int() const { return kind() == Kind::kInt; }
  bool is_number() const { return is_int() || kind() == Kind::kDouble; }
  bool is_string() const { return kind() == Kind::kString; }
  bool is_array() const { return kind() == Kind::kArray; }
  bool is_object() const { return kind() == Kind::kObject; }

  // These throw when the value is of another kind. A double takes whole
  // numbers, too.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;
  const std::string& as_string() const;
  const Items& items() const;
  const Members& members() const;

  size_t size() const;  // of an array or object, else 0
  // The member of that name; null when there is none or this is no object.
  const Json* find(std::string_view name) const;
  // Throw when there is none.
  const Json& at(std::string_view name) const;
  const Json& at(size_t index) const;
  // Made (as null, at the end) when it is not there; a null becomes an object.
  // Throws for other kinds.
  Json& operator[](std::string_view name);
  // A null becomes an array. Throws for other kinds.
  void push_back(Json value);
  // Appends without looking whether the name is there. REQUIRES: an object.
  void append_member(std::string name, Json value);

  // On one line, or with `indent` spaces for each level. Numbers read back as
  // the same; JSON has no infinities and NaN, which become null, and no text
  // but UTF-8, of which wrong bytes become U+FFFD.
  std::string dump(int indent = -1) const;

  bool operator==(const Json&) const = default;

 private:
  void Write(std::string& out, int indent, int depth) const;

  // A class of ours, for the sake of copies that run out of memory: libstdc++
  // takes a variant of its own classes alone for one that always has a value,
  // and destroys what was never made.
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
