// SPDX-License-Identifier: Apache-2.0
#include "solver/simulation/fingerprint.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "solver/bytes.h"
#include "solver/scene/visit_fields.h"

namespace sluice::simulation {
namespace {

/// Writes all fields of a struct, and of the structs in it.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) : out_(out) {}

  template <typename... Fields>
  void operator()(const Fields&... fields) {
    (put(fields), ...);
  }

 private:
  template <typename T>
  void put(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_.put(static_cast<std::int32_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      out_.put(value);
    } else {
      scene::visit_fields(value, *this);
    }
  }
  void put(bool value) { out_.put(static_cast<std::uint8_t>(value ? 1 : 0)); }
  void put(const std::string& text) { out_.put_text(text); }
  void put(const std::monostate& /*nothing*/) {}
  template <typename Scalar, int rows, int columns>
  void put(const Eigen::Matrix<Scalar, rows, columns>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i)
      out_.put(matrix.data()[i]);
  }
  void put(const Eigen::Quaterniond& rotation) { put(rotation.coeffs()); }
  template <typename T, std::size_t count>
  void put(const std::array<T, count>& values) {
    for (const T& value : values)
      put(value);
  }
  template <typename T>
  void put(const std::vector<T>& values) {
    out_.put(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values)
      put(value);
  }
  template <typename T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <typename... Ts>
  void put(const std::variant<Ts...>& value) {
    out_.put(static_cast<std::uint64_t>(value.index()));
    std::visit([this](const auto& held) { put(held); }, value);
  }

  ByteWriter& out_;
};

}  // namespace

std::uint64_t fingerprint(const scene::Scene& scene) {
  ByteWriter out;
  FieldWriter write(out);
  scene::visit_fields(scene, write);
  Checksum checksum;
  checksum.add(out.bytes());
  return checksum.value();
}

}  // namespace sluice::simulation
