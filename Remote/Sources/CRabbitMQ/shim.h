#include <sys/time.h>
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>

/* Swift cannot import variadic functions or macros with casts. */
static inline amqp_rpc_reply_t cuff_amqp_login(amqp_connection_state_t state, const char *vhost, int heartbeat, const char *user,
                                               const char *password) {
    /* Without this the broker does not notify consumers when the queue is deleted. */
    amqp_table_entry_t capability = {.key = amqp_cstring_bytes("consumer_cancel_notify"),
                                     .value = {.kind = AMQP_FIELD_KIND_BOOLEAN, .value = {.boolean = 1}}};
    amqp_table_entry_t property = {.key = amqp_cstring_bytes("capabilities"),
                                   .value = {.kind = AMQP_FIELD_KIND_TABLE, .value = {.table = {1, &capability}}}};
    amqp_table_t properties = {1, &property};
    return amqp_login_with_properties(state, vhost, 0, AMQP_DEFAULT_FRAME_SIZE, heartbeat, &properties, AMQP_SASL_METHOD_PLAIN, user,
                                      password);
}
static const amqp_method_number_t cuff_amqp_connection_close = AMQP_CONNECTION_CLOSE_METHOD;
static const amqp_method_number_t cuff_amqp_channel_close = AMQP_CHANNEL_CLOSE_METHOD;
static const amqp_method_number_t cuff_amqp_basic_ack = AMQP_BASIC_ACK_METHOD;
static const amqp_method_number_t cuff_amqp_basic_cancel = AMQP_BASIC_CANCEL_METHOD;
