#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros that Swift does not import.
static inline int tls_require_1_2(SSL_CTX *context) { return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION); }
static inline int tls_set_server_name(SSL *connection, const char *name) { return (int)SSL_set_tlsext_host_name(connection, name); }
