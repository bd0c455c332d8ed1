// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::web {

/// Which pages may call, and by which names this server may be called. Immutable, so thread-safe.
///
/// A page of another site can make a browser send requests here. It cannot read the answers without
/// our leave (CORS), but it could change things; and a site that lets its own name point to this
/// machine would even count as ours (DNS rebinding). Hence a call is refused whose `Origin` is
/// neither ours nor on the list, and a server that only its own machine can reach answers to
/// `localhost`, to addresses in numbers and to names on the list alone.
class Origins {
 public:
  /// `listed` as WebSettings::origins. `loopback_only`: the server listens on loopback.
  Origins(const std::vector<std::string>& listed, bool loopback_only);

  /// Whether a page of `origin` may call a server that was called by the name `host` (the Host
  /// field, with its port). Without an origin it is no page of a browser, and may.
  [[nodiscard]] bool may_call(std::string_view origin, std::string_view host) const;

  /// Whether the server answers to the name in the Host field.
  [[nodiscard]] bool answers_to(std::string_view host) const;

  /// Whether `text` can be on the list: `*`, or scheme, `://` and host, with or without a port.
  [[nodiscard]] static bool is_origin(std::string_view text);

 private:
  std::vector<std::string> listed_;
  std::vector<std::string> names_;  // Of the listed, without port.
  bool all_ = false;
  bool loopback_only_;
};

}  // namespace sluice::web
