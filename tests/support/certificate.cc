#include "tests/support/certificate.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace entente {

Certificate::Certificate(long from, long lasts) {
  file_ = (std::filesystem::temp_directory_path() / "entente-certificate-XXXXXX").string();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(::fdopen(::mkstemp(file_.data()), "w"), std::fclose);
  const std::unique_ptr<EVP_PKEY, void (*)(EVP_PKEY*)> key(EVP_EC_gen("P-256"), EVP_PKEY_free);
  const std::unique_ptr<X509, void (*)(X509*)> made(X509_new(), X509_free);
  X509* raw = made.get();
  X509_set_version(raw, 2);
  ASN1_INTEGER_set(X509_get_serialNumber(raw), 1);
  X509_gmtime_adj(X509_getm_notBefore(raw), from);
  X509_gmtime_adj(X509_getm_notAfter(raw), from + lasts);
  X509_set_pubkey(raw, key.get());
  X509_NAME_add_entry_by_txt(X509_get_subject_name(raw), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("localhost"), -1, -1, 0);
  X509_set_issuer_name(raw, X509_get_subject_name(raw));
  X509_EXTENSION* names = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1");
  X509_add_ext(raw, names, -1);
  X509_EXTENSION_free(names);
  if (X509_sign(raw, key.get(), EVP_sha256()) == 0 || !file || PEM_write_X509(file.get(), raw) != 1 ||
      PEM_write_PrivateKey(file.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1)
    std::abort();
}

Certificate::~Certificate() { ::unlink(file_.c_str()); }

}  // namespace entente
