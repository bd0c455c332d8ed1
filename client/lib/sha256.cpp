// SPDX-License-Identifier: Apache-2.0
#include "client/lib/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "sluice/error.h"

namespace sluice::client {

struct Sha256::Context {
  EVP_MD_CTX* evp = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(evp); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (context_->evp == nullptr || EVP_DigestInit_ex(context_->evp, EVP_sha256(), nullptr) != 1) {
    throw Error(ErrorKind::internal, "OpenSSL offers no SHA-256");
  }
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t size) {
  if (EVP_DigestUpdate(context_->evp, data, size) != 1) {
    throw Error(ErrorKind::internal, "OpenSSL's SHA-256 failed");
  }
}

std::string Sha256::finish() {
  std::array<unsigned char, 32> hash{};
  if (EVP_DigestFinal_ex(context_->evp, hash.data(), nullptr) != 1) {
    throw Error(ErrorKind::internal, "OpenSSL's SHA-256 failed");
  }
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : hash) {
    text += digits[byte >> 4U];
    text += digits[byte & 15U];
  }
  return text;
}

}  // namespace sluice::client
