// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <google/protobuf/message.h>

#include <string>
#include <vector>

namespace sluice::asset_names {

/// The assets, or files, that a message names in the fields marked `names_asset`
/// (annotations.proto), its own and those of all messages in it: in the order of fields and
/// elements, each once, empty ones left out.
///
/// The one list of its kind: who gives a worker its files, who judges how large a scene is and who
/// ships example scenes use it, so that no kind of body can have a mesh for one of them and none
/// for another. Cost: linear in the messages that can hold such fields. Pure: call it from any
/// thread.
[[nodiscard]] std::vector<std::string> find(const google::protobuf::Message& message);

}  // namespace sluice::asset_names
