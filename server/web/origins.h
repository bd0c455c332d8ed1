// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::web {

/// Decides which pages may call, and under which host names. Immutable, so thread-safe.
///
/// A page of another site can make a browser send requests here. It cannot read the answers without
/// our permission (CORS), but it could change things; and a site whose own name resolves to this
/// machine would even count as ours (DNS rebinding). Hence a call is refused if its `Origin` is
/// neither ours nor listed, and a server on loopback answers only to `localhost`, to numeric
/// addresses and to listed names.
class Origins {
 public:
  /// `listed`: see WebSettings::origins. `loopback_only`: the server listens on loopback.
  Origins(const std::vector<std::string>& listed, bool loopback_only);

  /// Whether a page of `origin` may call this server under the name `host` (the Host field, with
  /// its port). A request without an origin comes from no browser page and may call.
  [[nodiscard]] bool may_call(std::string_view origin, std::string_view host) const;

  /// Whether the server answers to the host name `host` (the Host field).
  [[nodiscard]] bool answers_to(std::string_view host) const;

  /// Whether `text` can be on the list: `*`, or scheme, `://` and host, with or without a port.
  [[nodiscard]] static bool is_origin(std::string_view text);

 private:
  std::vector<std::string> listed_;
  std::vector<std::string> names_;  // Host names of the listed origins, without port.
  bool all_ = false;
  bool loopback_only_;
};

}  // namespace sluice::web
