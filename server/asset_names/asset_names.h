// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

namespace sluice::asset_names {

/// Returns the names of assets or files that `message` and its nested messages hold in the fields
/// marked `names_asset` (annotations.proto): in the order of fields and elements, each name once,
/// empty names left out.
///
/// No other code makes such a list: the assignment of a worker, the check of a scene's size and the
/// example scenes all use this one, so that no kind of body can have a mesh for one of them and
/// none for another. Cost: linear in the messages that can hold such fields. Pure: call it from any
/// thread.
[[nodiscard]] std::vector<std::string> find(const google::protobuf::Message& message);

}  // namespace sluice::asset_names
