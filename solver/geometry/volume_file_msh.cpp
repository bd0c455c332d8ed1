// SPDX-License-Identifier: Apache-2.0
// Gmsh MSH 2.0 to 2.2, 4.0 and 4.1 (Gmsh reference manual, file formats):
//
//   $MeshFormat  version is-binary size-of-size_t, [int 1 to tell the byte order]  $EndMeshFormat
//   $Nodes ... $EndNodes   $Elements ... $EndElements   and sections that are skipped.
//
//   2.2 nodes      count, then count x (tag x y z)
//   2.2 elements   count, then as text count x (tag type tag-count tags nodes), in binary blocks of
//                  (type element-count tag-count), then element-count x (tag tags nodes)
//   4.0 nodes      block-count count, then blocks of
//                  (entity dimension is-parametric count), then count x (tag x y z parameters)
//   4.0 elements   block-count count, then blocks of
//                  (entity dimension type count), then count x (tag nodes)
//   4.1 nodes      block-count count min max, then blocks of
//                  (dimension entity is-parametric count), the tags, then the coordinates
//   4.1 elements   block-count count min max, then blocks of
//                  (dimension entity type count), then count x (tag nodes)
//
// In binary, integers are int32 in 2.2; in 4.0 counts are uint64, in 4.1 tags too, the rest int32.
// The count that opens a section of 2.2 is text even there.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "solver/geometry/file_cursor.h"
#include "solver/geometry/mesh_readers.h"
#include "solver/geometry/text_encoding.h"
#include "solver/geometry/volume_readers.h"

namespace sluice::geometry::volume_readers {
namespace {

using mesh_readers::max_vertex_count;
using mesh_readers::mesh_error;
using mesh_readers::quoted;
using mesh_text::FileCursor;
using mesh_text::NumberForm;

using MaybeError = std::optional<Error>;

std::string name_of_type(std::int32_t type) {
  constexpr std::array<const char*, 20> names{"",
                                              "line",
                                              "triangle",
                                              "quadrangle",
                                              "tetrahedron",
                                              "hexahedron",
                                              "prism",
                                              "pyramid",
                                              "line of second order",
                                              "triangle of second order",
                                              "quadrangle of second order",
                                              "tetrahedron of second order",
                                              "hexahedron of second order",
                                              "prism of second order",
                                              "pyramid of second order",
                                              "point",
                                              "quadrangle with 8 nodes",
                                              "hexahedron with 20 nodes",
                                              "prism with 15 nodes",
                                              "pyramid with 13 nodes"};
  std::string number = "element type " + std::to_string(type);
  if (type < 1 || static_cast<std::size_t>(type) >= names.size()) return number;
  return number + ", a " + names[static_cast<std::size_t>(type)];
}

struct ElementShape {
  std::int32_t type;  // In the file.
  std::size_t node_count;
  std::size_t corner_count;  // The first of its nodes, whatever its order.
};

// The shape of an element type that may stand in a file: points, lines, triangles and tetrahedra,
// up to the fifth order.
std::optional<ElementShape> shape_of(std::int32_t type) {
  constexpr std::array<ElementShape, 16> known{{{15, 1, 1},
                                                {1, 2, 2},
                                                {8, 3, 2},
                                                {26, 4, 2},
                                                {27, 5, 2},
                                                {28, 6, 2},
                                                {2, 3, 3},
                                                {9, 6, 3},
                                                {21, 10, 3},
                                                {23, 15, 3},
                                                {25, 21, 3},
                                                {4, 4, 4},
                                                {11, 10, 4},
                                                {29, 20, 4},
                                                {30, 35, 4},
                                                {31, 56, 4}}};
  for (const ElementShape& shape : known) {
    if (shape.type == type) return shape;
  }
  return std::nullopt;
}

class MshReader {
 public:
  explicit MshReader(std::string_view bytes) : cursor_(bytes) {}

  Result<Cells> read() {
    if (auto error = read_format()) return *std::move(error);
    bool has_elements = false;
    for (std::string_view section = cursor_.word(); !section.empty(); section = cursor_.word()) {
      if (!section.starts_with('$')) {
        return here("expected the start of a section ($...), found " + quoted(section));
      }
      section.remove_prefix(1);
      MaybeError error;
      if (section == "Nodes") {
        if (!cells_.vertices.empty()) return here("a second section $Nodes");
        error = is_version_2() ? read_nodes_2() : read_nodes_4();
        if (!error) error = index_tags();
      } else if (section == "Elements") {
        if (has_elements) return here("a second section $Elements");
        has_elements = true;
        error = is_version_2() ? read_elements_2() : read_elements_4();
      } else {
        error = skip_section(section);
        if (!error) continue;
      }
      if (!error) error = expect_end(section);
      if (error) return *std::move(error);
    }
    if (!has_elements) return mesh_error("MSH: the file has no section $Elements");
    return std::move(cells_);
  }

 private:
  enum class Version { v2, v4_0, v4_1 };

  [[nodiscard]] bool is_version_2() const { return version_ == Version::v2; }

  [[nodiscard]] Error here(const std::string& message) const {
    return mesh_error("MSH " + cursor_.where() + ": " + message);
  }

  MaybeError read_format() {
    const std::string_view start = cursor_.rest();
    std::string_view first = cursor_.word();
    while (first == "$Comments") {
      if (auto error = skip_section("Comments")) return error;
      first = cursor_.word();
    }
    if (first != "$MeshFormat") {
      return mesh_error("not a Gmsh file of version 2 or 4: it " + mesh_text::start_of(start));
    }
    const std::string_view version = cursor_.word();
    if (version == "4.1") {
      version_ = Version::v4_1;
    } else if (version == "4" || version == "4.0") {
      version_ = Version::v4_0;
    } else if (version != "2" && version != "2.0" && version != "2.1" && version != "2.2") {
      return here("version " + quoted(version) + " is not one of 2.0, 2.1, 2.2, 4.0, 4.1");
    }
    const std::string_view file_type = cursor_.word();
    if (file_type != "0" && file_type != "1") {
      return here("the file type must be 0 (text) or 1 (binary), found " + quoted(file_type));
    }
    const std::string_view size = cursor_.word();
    if (size != "8") return here("the data size must be 8, found " + quoted(size));
    cursor_.line();
    if (file_type == "1") {
      cursor_.set_form(NumberForm::little_endian);
      const auto one = cursor_.number<std::uint32_t>();
      if (one == 0x01000000U) {
        cursor_.set_form(NumberForm::big_endian);
      } else if (one != 1U) {
        return here("expected the number 1, which tells the byte order");
      }
    }
    return expect_end("MeshFormat");
  }

  MaybeError expect_end(std::string_view section) {
    const std::string_view word = cursor_.word();
    if (word.starts_with("$End") && word.substr(4) == section) return std::nullopt;
    return here("expected $End" + std::string(section) + ", found " + quoted(word));
  }

  // The text after a section of binary numbers is looked for, not parsed: its bytes would have to
  // spell the section's own end for this to stop early, and then the next word is no section.
  MaybeError skip_section(std::string_view section) {
    const std::string end = "$End" + std::string(section);
    const std::size_t found = cursor_.rest().find(end);
    if (found == std::string_view::npos) {
      return here("section " + quoted("$" + std::string(section)) + " has no end");
    }
    cursor_.skip(found + end.size());
    return std::nullopt;
  }

  // The count that opens a section of version 2.2 is text in binary files too.
  std::optional<std::uint64_t> read_count_2() {
    const std::optional<std::uint64_t> count = mesh_text::to_number<std::uint64_t>(cursor_.word());
    if (cursor_.is_binary()) cursor_.line();
    return count;
  }

  // How many blocks and entries (nodes or elements) a section of version 4 claims.
  struct Counts {
    std::uint64_t blocks = 0, entries = 0;
  };

  MaybeError read_counts_4(const std::string& entries, Counts& counts) {
    if (cursor_.is_binary()) cursor_.line();
    const auto block_count = cursor_.number<std::uint64_t>();
    const auto count = cursor_.number<std::uint64_t>();
    if (!block_count || !count) return here("expected the numbers of blocks and " + entries);
    if (version_ == Version::v4_1) {
      const auto smallest = cursor_.number<std::uint64_t>();
      const auto largest = cursor_.number<std::uint64_t>();
      if (!smallest || !largest) return here("expected the range of tags of " + entries);
    }
    counts = {*block_count, *count};
    return std::nullopt;
  }

  MaybeError check_count_4(const std::string& entries, const Counts& counts, std::uint64_t found) {
    if (found == counts.entries) return std::nullopt;
    return here("the section claims " + std::to_string(counts.entries) + " " + entries +
                ", its blocks have " + std::to_string(found));
  }

  MaybeError read_position() {
    Vec3 position;
    for (double& coordinate : position) {
      const auto value = cursor_.number<double>();
      if (!value || !std::isfinite(*value)) return here("a node needs three finite numbers");
      coordinate = *value;
    }
    if (cells_.vertices.size() == max_vertex_count) return here("too many nodes");
    cells_.vertices.push_back(position);
    return std::nullopt;
  }

  MaybeError read_nodes_2() {
    const auto count = read_count_2();
    if (!count) return here("expected the number of nodes");
    for (std::uint64_t i = 0; i < *count; ++i) {
      const auto tag = cursor_.number<std::int32_t>();
      if (!tag || *tag < 1) return here("expected the tag of a node, 1 or more");
      tags_.emplace_back(*tag, static_cast<std::int32_t>(i));
      if (auto error = read_position()) return error;
    }
    return std::nullopt;
  }

  // The tag of a node or element of version 4.
  std::optional<std::uint64_t> read_tag_4() {
    if (version_ == Version::v4_1) return cursor_.number<std::uint64_t>();
    const auto tag = cursor_.number<std::int32_t>();
    if (!tag || *tag < 1) return std::nullopt;
    return static_cast<std::uint64_t>(*tag);
  }

  MaybeError read_node_tag_4() {
    const auto tag = read_tag_4();
    if (!tag || *tag < 1) return here("expected the tag of a node, 1 or more");
    if (tags_.size() == max_vertex_count) return here("too many nodes");
    tags_.emplace_back(*tag, static_cast<std::int32_t>(tags_.size()));
    return std::nullopt;
  }

  MaybeError read_position_4(int parameter_count) {
    if (auto error = read_position()) return error;
    for (int p = 0; p < parameter_count; ++p) {
      if (!cursor_.number<double>()) return here("expected a parameter of a node");
    }
    return std::nullopt;
  }

  MaybeError read_nodes_4() {
    Counts counts;
    if (auto error = read_counts_4("nodes", counts)) return error;
    for (std::uint64_t block = 0; block < counts.blocks; ++block) {
      const auto first = cursor_.number<std::int32_t>();
      const auto second = cursor_.number<std::int32_t>();
      const auto is_parametric = cursor_.number<std::int32_t>();
      const auto block_size = cursor_.number<std::uint64_t>();
      if (!first || !second || !is_parametric || !block_size) {
        return here("expected the dimension, entity, parametric and count of a block of nodes");
      }
      const std::int32_t dimension = version_ == Version::v4_0 ? *second : *first;
      if (dimension < 0 || dimension > 3) {
        return here("a block of nodes has the dimension " + std::to_string(dimension));
      }
      int parameter_count = *is_parametric == 0 ? 0 : dimension;
      if (version_ == Version::v4_0) {  // Tags and coordinates take turns; volumes have none.
        if (parameter_count == 3) parameter_count = 0;
        for (std::uint64_t i = 0; i < *block_size; ++i) {
          if (auto error = read_node_tag_4()) return error;
          if (auto error = read_position_4(parameter_count)) return error;
        }
        continue;
      }
      for (std::uint64_t i = 0; i < *block_size; ++i) {
        if (auto error = read_node_tag_4()) return error;
      }
      for (std::uint64_t i = 0; i < *block_size; ++i) {
        if (auto error = read_position_4(parameter_count)) return error;
      }
    }
    return check_count_4("nodes", counts, tags_.size());
  }

  MaybeError index_tags() {
    if (cells_.vertices.empty()) return here("the section $Nodes is empty");
    std::sort(tags_.begin(), tags_.end());
    for (std::size_t i = 1; i < tags_.size(); ++i) {
      if (tags_[i].first == tags_[i - 1].first) {
        return here("two nodes have the tag " + std::to_string(tags_[i].first));
      }
    }
    return std::nullopt;
  }

  template <typename Tag>
  MaybeError read_corners(const ElementShape& shape) {
    TetIndices corners{};
    for (std::size_t i = 0; i < shape.node_count; ++i) {
      const auto tag = cursor_.number<Tag>();
      if (!tag) return here("expected the nodes of " + name_of_type(shape.type));
      const auto wanted = static_cast<std::uint64_t>(*tag);
      const auto found =
          std::lower_bound(tags_.begin(), tags_.end(), wanted,
                           [](const auto& known, std::uint64_t t) { return known.first < t; });
      if (found == tags_.end() || found->first != wanted) {
        return here("an element names node " + std::to_string(*tag) + ", which is not in $Nodes");
      }
      if (i < shape.corner_count) corners[i] = found->second;
    }
    if (shape.corner_count >= 3 && shape.node_count > shape.corner_count) {
      ++cells_.high_order_count;
    }
    if (shape.corner_count == 3) {
      if (cells_.triangles.size() == max_vertex_count) return here("too many triangles");
      cells_.triangles.push_back({corners[0], corners[1], corners[2]});
    } else if (shape.corner_count == 4) {
      if (cells_.tets.size() == max_vertex_count) return here("too many tetrahedra");
      cells_.tets.push_back(corners);
    }
    return std::nullopt;
  }

  // Reads the rest of an element of version 2.2, after its type and its number of tags.
  MaybeError read_tags_and_corners_2(const ElementShape& shape, std::int32_t tag_count) {
    for (std::int32_t i = 0; i < tag_count; ++i) {
      if (!cursor_.number<std::int32_t>()) return here("expected a tag of an element");
    }
    return read_corners<std::int32_t>(shape);
  }

  MaybeError read_text_element_2() {
    if (!cursor_.number<std::int32_t>()) return here("expected the tag of an element");
    const auto type = cursor_.number<std::int32_t>();
    if (!type) return here("expected the type of an element");
    const auto shape = shape_of(*type);
    if (!shape) return here(only_linear(name_of_type(*type)));
    const auto tag_count = cursor_.number<std::int32_t>();
    if (!tag_count || *tag_count < 0) return here("expected the number of tags of an element");
    return read_tags_and_corners_2(*shape, *tag_count);
  }

  MaybeError read_elements_2() {
    if (tags_.empty()) return here("the section $Elements stands before $Nodes");
    const auto count = read_count_2();
    if (!count) return here("expected the number of elements");
    for (std::uint64_t done = 0; done < *count;) {
      if (!cursor_.is_binary()) {
        if (auto error = read_text_element_2()) return error;
        ++done;
        continue;
      }
      const auto type = cursor_.number<std::int32_t>();
      if (!type) return here("expected the type of a block of elements");
      const auto shape = shape_of(*type);
      if (!shape) return here(only_linear(name_of_type(*type)));
      const auto block_size = cursor_.number<std::int32_t>();
      const auto tag_count = cursor_.number<std::int32_t>();
      if (!block_size || !tag_count || *block_size < 1 || *tag_count < 0) {
        return here("expected the numbers of elements (1 or more) and of tags of a block");
      }
      for (std::int32_t i = 0; i < *block_size; ++i) {
        if (!cursor_.number<std::int32_t>()) return here("expected the tag of an element");
        if (auto error = read_tags_and_corners_2(*shape, *tag_count)) return error;
      }
      done += static_cast<std::uint64_t>(*block_size);
    }
    return std::nullopt;
  }

  MaybeError read_elements_4() {
    if (tags_.empty()) return here("the section $Elements stands before $Nodes");
    Counts counts;
    if (auto error = read_counts_4("elements", counts)) return error;
    std::uint64_t total = 0;
    for (std::uint64_t block = 0; block < counts.blocks; ++block) {
      const auto dimension = cursor_.number<std::int32_t>();
      const auto entity = cursor_.number<std::int32_t>();
      const auto type = cursor_.number<std::int32_t>();
      const auto shape = type ? shape_of(*type) : std::nullopt;
      if (type && !shape) return here(only_linear(name_of_type(*type)));
      const auto block_size = cursor_.number<std::uint64_t>();
      if (!dimension || !entity || !shape || !block_size) {
        return here("expected the dimension, entity, type and count of a block of elements");
      }
      for (std::uint64_t i = 0; i < *block_size; ++i) {
        if (!read_tag_4()) return here("expected the tag of an element");
        auto error = version_ == Version::v4_0 ? read_corners<std::int32_t>(*shape)
                                               : read_corners<std::uint64_t>(*shape);
        if (error) return error;
        ++total;
      }
    }
    return check_count_4("elements", counts, total);
  }

  FileCursor cursor_;
  Version version_ = Version::v2;
  Cells cells_;
  std::vector<std::pair<std::uint64_t, std::int32_t>> tags_;  // Tag and index; sorted once read.
};

}  // namespace

Result<Cells> read_msh(std::string_view bytes) { return MshReader(bytes).read(); }

}  // namespace sluice::geometry::volume_readers
