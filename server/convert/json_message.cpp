// SPDX-License-Identifier: Apache-2.0
#include "server/convert/json_message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/descriptor.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "server/convert/did_you_mean.h"
#include "server/convert/field_path.h"

namespace sluice::convert {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::OneofDescriptor;

// The value that a person wrote, short enough for a message.
std::string shown(const JsonValue& value) {
  switch (value.kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::object:
      return "an object";
    case JsonKind::array:
      return "an array";
    case JsonKind::string:
      return fmt::format("\"{}\"", excerpt(value.text));
    default:
      return excerpt(value.text);
  }
}

struct ParsedNumber {
  double value = 0;
  bool is_number = false;
  bool too_large = false;
};

ParsedNumber parse_number(const JsonValue& json) {
  if (json.kind != JsonKind::number && json.kind != JsonKind::string) return {};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (json.text == "NaN") return {std::numeric_limits<double>::quiet_NaN(), true, false};
  if (json.text == "Infinity") return {infinity, true, false};
  if (json.text == "-Infinity") return {-infinity, true, false};
  ParsedNumber number;
  const char* end = json.text.data() + json.text.size();
  const auto [stop, error] = std::from_chars(json.text.data(), end, number.value);
  // from_chars takes "inf" and "nan", which no mapping has; a JSON number never reads so.
  const bool spelled = json.kind == JsonKind::number ||
                       json.text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  number.is_number = error != std::errc::invalid_argument && stop == end && spelled;
  // Too small is 0, as everywhere; too large has no value.
  number.too_large = error == std::errc::result_out_of_range &&
                     std::abs(std::strtod(json.text.c_str(), nullptr)) > 1;
  return number;
}

class MessageReader {
 public:
  explicit MessageReader(std::vector<scene::Problem>& problems) : problems_(problems) {}

  void read(const JsonValue& json, const std::string& path, Message& message) {
    if (json.kind != JsonKind::object) {
      add(path, fmt::format("must be an object in braces, not {}", shown(json)));
      return;
    }
    const Descriptor& type = *message.GetDescriptor();
    std::set<std::string> unknown_seen;
    std::map<const FieldDescriptor*, const JsonMember*> seen;
    std::map<const OneofDescriptor*, const FieldDescriptor*> chosen;
    for (const JsonMember& member : json.members) {
      const FieldDescriptor* field = find_field(type, member.name);
      if (field == nullptr) {
        if (unknown_seen.insert(member.name).second) add_unknown(path, type, member.name);
        continue;
      }
      const std::string field_path = child_path(path, field->name());
      if (const auto [first, is_new] = seen.emplace(field, &member); !is_new) {
        const JsonMember& earlier = *first->second;
        const std::string names =
            earlier.name == member.name
                ? ""
                : fmt::format(", as `{}` and as `{}`", earlier.name, member.name);
        add(field_path, earlier.line == member.line
                            ? fmt::format("is given twice{}, in line {}", names, member.line)
                            : fmt::format("is given twice{}, in lines {} and {}", names,
                                          earlier.line, member.line));
        continue;
      }
      if (member.value.kind == JsonKind::null) continue;  // protobuf's mapping: as if omitted.
      if (const OneofDescriptor* oneof = field->real_containing_oneof(); oneof != nullptr) {
        if (const auto [other, is_first] = chosen.emplace(oneof, field); !is_first) {
          add(field_path,
              fmt::format("stands beside `{}`: only one of {} may be given", other->second->name(),
                          fmt::join(member_names(*oneof), ", ")));
          continue;
        }
      }
      read_field(member.value, field_path, *field, message);
    }
  }

 private:
  void add(std::string path, std::string message) {
    if (problems_.size() >= scene::most_problems) return;
    problems_.push_back({std::move(path), std::move(message), scene::Severity::error});
  }

  static const FieldDescriptor* find_field(const Descriptor& type, const std::string& name) {
    const FieldDescriptor* field = type.FindFieldByName(name);
    if (field != nullptr) return field;
    for (int i = 0; i < type.field_count(); ++i) {
      if (type.field(i)->json_name() == name) return type.field(i);
    }
    return nullptr;
  }

  static std::vector<std::string> member_names(const OneofDescriptor& oneof) {
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(oneof.field_count()));
    for (int i = 0; i < oneof.field_count(); ++i)
      names.push_back(oneof.field(i)->name());
    return names;
  }

  void add_unknown(const std::string& path, const Descriptor& type, const std::string& name) {
    if (problems_.size() >= scene::most_problems) return;  // Suggestions take time.
    add(child_path(path, excerpt(name)), unknown_field_message(type, name));
  }

  void read_field(const JsonValue& json, const std::string& path, const FieldDescriptor& field,
                  Message& message) {
    if (!field.is_repeated()) {
      read_element(json, path, field, message);
      return;
    }
    if (json.kind != JsonKind::array) {
      add(path, fmt::format("must be an array in brackets, not {}", shown(json)));
      return;
    }
    for (std::size_t i = 0; i < json.members.size(); ++i) {
      read_element(json.members[i].value, element_path(path, i), field, message);
    }
  }

  // One value into a singular field, or onto the end of a repeated one.
  void read_element(const JsonValue& json, const std::string& path, const FieldDescriptor& field,
                    Message& message) {
    const google::protobuf::Reflection& access = *message.GetReflection();
    const auto put = [&](auto set, auto append, const auto& value) {
      if (field.is_repeated()) {
        (access.*append)(&message, &field, value);
      } else {
        (access.*set)(&message, &field, value);
      }
    };
    using Access = google::protobuf::Reflection;
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_DOUBLE: {
        const std::optional<double> value = read_double(json, path);
        if (value || field.is_repeated()) {
          put(&Access::SetDouble, &Access::AddDouble,
              value.value_or(std::numeric_limits<double>::quiet_NaN()));
        }
        break;
      }
      case FieldDescriptor::CPPTYPE_INT32: {
        const std::optional<std::int64_t> value =
            read_integer(json, path, std::numeric_limits<std::int32_t>::min(),
                         std::numeric_limits<std::int32_t>::max());
        if (value || field.is_repeated()) {
          put(&Access::SetInt32, &Access::AddInt32, static_cast<std::int32_t>(value.value_or(0)));
        }
        break;
      }
      case FieldDescriptor::CPPTYPE_INT64: {
        const std::optional<std::int64_t> value =
            read_integer(json, path, std::numeric_limits<std::int64_t>::min(),
                         std::numeric_limits<std::int64_t>::max());
        if (value || field.is_repeated())
          put(&Access::SetInt64, &Access::AddInt64, value.value_or(0));
        break;
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        if (json.kind == JsonKind::boolean) {
          put(&Access::SetBool, &Access::AddBool, json.text == "true");
        } else {
          add(path, fmt::format("must be true or false, not {}", shown(json)));
        }
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        if (json.kind == JsonKind::string) {
          if (field.is_repeated()) {
            access.AddString(&message, &field, json.text);
          } else {
            access.SetString(&message, &field, json.text);
          }
        } else {
          add(path, fmt::format("must be a string in double quotes, not {}", shown(json)));
        }
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        if (const EnumValueDescriptor* value = read_enum(json, path, *field.enum_type());
            value != nullptr) {
          put(&Access::SetEnumValue, &Access::AddEnumValue, value->number());
        }
        break;
      case FieldDescriptor::CPPTYPE_MESSAGE:
        read(json, path,
             field.is_repeated() ? *access.AddMessage(&message, &field)
                                 : *access.MutableMessage(&message, &field));
        break;
      default:
        add(path, fmt::format("a field of type {} cannot be given in JSON", field.type_name()));
    }
  }

  std::optional<double> read_double(const JsonValue& json, const std::string& path) {
    const ParsedNumber number = parse_number(json);
    if (!number.is_number) {
      add(path, fmt::format("must be a number, not {}", shown(json)));
      return std::nullopt;
    }
    if (number.too_large) {
      add(path,
          fmt::format("{} is larger than any number that can be held (1.8e308)", shown(json)));
      return std::nullopt;
    }
    return number.value;
  }

  std::optional<std::int64_t> read_integer(const JsonValue& json, const std::string& path,
                                           std::int64_t least, std::int64_t most) {
    const ParsedNumber number = parse_number(json);
    if (!number.is_number) {
      add(path, fmt::format("must be a whole number, not {}", shown(json)));
      return std::nullopt;
    }
    std::int64_t value = 0;
    const char* end = json.text.data() + json.text.size();
    const auto [stop, error] = std::from_chars(json.text.data(), end, value);
    bool fits = error == std::errc{} && stop == end;
    if (!fits && !number.too_large) {  // "1e3" and "5.0" are whole numbers too.
      if (std::isfinite(number.value) && number.value != std::floor(number.value)) {
        add(path, fmt::format("must be a whole number, not {}", shown(json)));
        return std::nullopt;
      }
      fits = std::abs(number.value) < 0x1p53;
      if (fits) value = static_cast<std::int64_t>(number.value);
    }
    if (!fits || value < least || value > most) {
      add(path, fmt::format("{} is not in [{}, {}]", shown(json), least, most));
      return std::nullopt;
    }
    return value;
  }

  const EnumValueDescriptor* read_enum(const JsonValue& json, const std::string& path,
                                       const EnumDescriptor& type) {
    if (json.kind == JsonKind::number) {
      int number = 0;
      const char* end = json.text.data() + json.text.size();
      const auto [stop, error] = std::from_chars(json.text.data(), end, number);
      const EnumValueDescriptor* value =
          error == std::errc{} && stop == end ? type.FindValueByNumber(number) : nullptr;
      if (value == nullptr) {
        add(path, fmt::format("unknown value {}: must be one of {}", shown(json),
                              fmt::join(enum_names(type), ", ")));
      }
      return value;
    }
    if (json.kind != JsonKind::string) {
      add(path,
          fmt::format("must be one of {}, not {}", fmt::join(enum_names(type), ", "), shown(json)));
      return nullptr;
    }
    const EnumValueDescriptor* value = type.FindValueByName(json.text);
    if (value == nullptr) add(path, unknown_enum_message(type, json.text));
    return value;
  }

  std::vector<scene::Problem>& problems_;
};

}  // namespace

void read_message(const JsonValue& value, const std::string& path, Message& message,
                  std::vector<scene::Problem>& problems) {
  MessageReader(problems).read(value, path, message);
}

}  // namespace sluice::convert
