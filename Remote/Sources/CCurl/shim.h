#include <curl/curl.h>

// Swift cannot import variadic functions.
typedef size_t (*ccurl_receive)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode ccurl_set_long(CURL *handle, CURLoption option, long value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_set_receive(CURL *handle, CURLoption option, ccurl_receive value) { return curl_easy_setopt(handle, option, value); }
static inline CURLcode ccurl_get_long(CURL *handle, CURLINFO info, long *value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode ccurl_get_text(CURL *handle, CURLINFO info, char **value) { return curl_easy_getinfo(handle, info, value); }
static inline CURLcode ccurl_get_time(CURL *handle, CURLINFO info, curl_off_t *value) { return curl_easy_getinfo(handle, info, value); }
