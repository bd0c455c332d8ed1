// SPDX-License-Identifier: Apache-2.0
#include "server/web/origins.h"

#include <algorithm>

namespace sluice::web {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// The part behind `://`, or nothing.
std::string_view authority_of(std::string_view origin) {
  const std::size_t colon = origin.find("://");
  return colon == std::string_view::npos ? std::string_view() : origin.substr(colon + 3);
}

std::string_view without_port(std::string_view authority) {
  const std::size_t colon = authority.rfind(':');
  const bool in_brackets = authority.ends_with(']');
  return colon == std::string_view::npos || in_brackets ? authority : authority.substr(0, colon);
}

// An address is a number and no name, so nobody can let it point elsewhere.
bool is_address(std::string_view name) {
  const bool in_brackets = name.starts_with('[') && name.ends_with(']');
  return in_brackets || name.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

Origins::Origins(const std::vector<std::string>& listed, bool loopback_only)
    : loopback_only_(loopback_only) {
  for (const std::string& origin : listed) {
    if (origin == "*") {
      all_ = true;
      continue;
    }
    listed_.push_back(lower_case(origin));
    names_.emplace_back(without_port(authority_of(listed_.back())));
  }
}

bool Origins::may_call(std::string_view origin, std::string_view host) const {
  if (origin.empty() || all_) {
    return true;
  }
  const std::string page = lower_case(origin);
  // The scheme does not count: behind a proxy with TLS the page has another one than this server.
  const std::string_view authority = authority_of(page);
  return (!authority.empty() && authority == lower_case(host)) ||
         std::ranges::find(listed_, page) != listed_.end();
}

bool Origins::answers_to(std::string_view host) const {
  if (!loopback_only_) {
    return true;
  }
  const std::string name = lower_case(without_port(host));
  return name == "localhost" || is_address(name) || std::ranges::find(names_, name) != names_.end();
}

bool Origins::is_origin(std::string_view text) {
  const std::string_view authority = authority_of(text);
  return text == "*" || (!authority.empty() && text.find("://") > 0 &&
                         authority.find_first_of("/?# ") == std::string_view::npos);
}

}  // namespace sluice::web
