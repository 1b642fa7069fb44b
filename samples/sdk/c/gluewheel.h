/*
 * What a job in C, compiled to WebAssembly, may ask of gluewheel. The names are those
 * that Lua and JavaScript jobs find under gw. It needs no C library:
 *
 *   clang --target=wasm32 -mbulk-memory -O2 -nostdlib -Wl,--no-entry -o job.wasm job.c
 *
 * With one (wasi-libc, zig cc --target=wasm32-wasi) a job may as well be a command with
 * a main; this header serves both. Without, it exports gw_run and answers 0 for success:
 *
 *   GW_EXPORT(gw_run) int gw_run(void) { gw_log("hello"); return 0; }
 *
 * http, kv and secret answer only what the version's manifest grants.
 */
#ifndef GLUEWHEEL_H
#define GLUEWHEEL_H

#include <stddef.h>
#include <stdint.h>

#define GW_IMPORT(name) __attribute__((import_module("gluewheel"), import_name(name)))
#define GW_EXPORT(name) __attribute__((export_name(#name)))

/* The import module. Functions that give text write at most capacity bytes and answer
 * the whole length. */
GW_IMPORT("log") void gw_host_log(int32_t level, const char *text, size_t length);
GW_IMPORT("param") size_t gw_host_param(char *buffer, size_t capacity);
GW_IMPORT("shard_index") int32_t gw_shard_index(void); /* from 0 */
GW_IMPORT("shard_total") int32_t gw_shard_total(void);
GW_IMPORT("progress") void gw_host_progress(double percent, const char *note, size_t length);
GW_IMPORT("result") void gw_host_result(const char *text, size_t length);
GW_IMPORT("cancelled") int32_t gw_cancelled(void);     /* 1 once the run shall end */
GW_IMPORT("now") int64_t gw_now(void);                 /* ms since 1970 */
GW_IMPORT("sleep") int32_t gw_sleep(int64_t ms);       /* 1 if the run was stopped meanwhile */
GW_IMPORT("call") size_t gw_host_call(const char *name, size_t name_length, const char *arguments, size_t arguments_length);
GW_IMPORT("answer") size_t gw_host_answer(char *buffer, size_t capacity);

enum { GW_PLAIN, GW_DEBUG, GW_INFO, GW_WARN, GW_ERROR };

static inline size_t gw_length(const char *text) {
  size_t n = 0;
  while (text[n]) n++;
  return n;
}

/* Writes a line to the run's log. */
static inline void gw_log_at(int32_t level, const char *text) { gw_host_log(level, text, gw_length(text)); }
static inline void gw_log(const char *text) { gw_log_at(GW_PLAIN, text); }

/* Tells how far the run is, from 0 to 100, with a note. */
static inline void gw_progress(double percent, const char *note) { gw_host_progress(percent, note, gw_length(note)); }

/* Sets the text that the run answers if it succeeds; the last one counts. */
static inline void gw_result(const char *text) { gw_host_result(text, gw_length(text)); }

/* Ends a text in buffer that may have been cut, and answers its whole length. */
static inline size_t gw_end(char *buffer, size_t capacity, size_t length) {
  if (capacity) buffer[length < capacity ? length : capacity - 1] = 0;
  return length;
}

/* Reads the parameter; the answer is its whole length, however much of it fits. */
static inline size_t gw_param(char *buffer, size_t capacity) {
  return gw_end(buffer, capacity, gw_host_param(buffer, capacity ? capacity - 1 : 0));
}

/* Reaches any other function of gw by its name, such as "http.get". Arguments are a JSON
 * array; the answer is {"results":[...]} or {"error":"..."}, ended with a NUL, or cut if
 * its whole length, which is given, does not fit. */
static inline size_t gw_call(const char *name, const char *arguments, char *answer, size_t capacity) {
  gw_host_call(name, gw_length(name), arguments, gw_length(arguments));
  return gw_end(answer, capacity, gw_host_answer(answer, capacity ? capacity - 1 : 0));
}

/* Appends text to out as JSON; answers whether it fitted. */
static inline int gw_quote(char *out, size_t capacity, size_t *used, const char *text) {
  static const char hex[] = "0123456789abcdef";
  size_t n = *used;
  if (n + 2 >= capacity) return 0;
  out[n++] = '"';
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (n + 8 >= capacity) return 0;
    if (c == '"' || c == '\\') {
      out[n++] = '\\';
      out[n++] = (char)c;
    } else if (c < ' ') {
      const char escape[] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
      for (size_t i = 0; i < sizeof escape; i++) out[n++] = escape[i];
    } else {
      out[n++] = (char)c;
    }
  }
  out[n++] = '"';
  out[n] = 0;
  *used = n;
  return 1;
}

/* One hexadecimal number of four digits; -1 if it is none. */
static inline int32_t gw_unit(const char *text) {
  int32_t n = 0;
  for (int i = 0; i < 4; i++) {
    char c = text[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return -1;
    n = n << 4 | digit;
  }
  return n;
}

/* Turns a JSON string that begins at text into plain UTF-8; answers whether it is one
 * and fitted. */
static inline int gw_unquote(const char *text, char *out, size_t capacity) {
  size_t n = 0;
  if (*text++ != '"') return 0;
  while (*text && *text != '"') {
    uint32_t c = (unsigned char)*text++;
    if (n + 5 > capacity) return 0;
    if (c != '\\') {
      out[n++] = (char)c;
      continue;
    }
    c = (unsigned char)*text++;
    if (c == 'u') {
      int32_t unit = gw_unit(text);
      if (unit < 0) return 0;
      text += 4;
      c = (uint32_t)unit;
      if (c >= 0xd800 && c < 0xdc00 && text[0] == '\\' && text[1] == 'u') {
        int32_t low = gw_unit(text + 2);
        if (low < 0) return 0;
        text += 6;
        c = 0x10000 + ((c - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
      }
    } else {
      c = c == 'b' ? '\b' : c == 'f' ? '\f' : c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : c;
    }
    if (c < 0x80) {
      out[n++] = (char)c;
    } else if (c < 0x800) {
      out[n++] = (char)(0xc0 | c >> 6);
      out[n++] = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
      out[n++] = (char)(0xe0 | c >> 12);
      out[n++] = (char)(0x80 | (c >> 6 & 63));
      out[n++] = (char)(0x80 | (c & 63));
    } else {
      out[n++] = (char)(0xf0 | c >> 18);
      out[n++] = (char)(0x80 | (c >> 12 & 63));
      out[n++] = (char)(0x80 | (c >> 6 & 63));
      out[n++] = (char)(0x80 | (c & 63));
    }
  }
  out[n] = 0;
  return *text == '"';
}

/* Bytes of a call's arguments and answer, on the stack. Longer ones: gw_call. */
#ifndef GW_TEXT_BYTES
#define GW_TEXT_BYTES 4096
#endif

enum {
  GW_OK,      /* out has the text */
  GW_NOTHING, /* there is none: a key that the store does not have, or no result */
  GW_REFUSED  /* out has why, if it fits */
};

/* Calls a function that takes up to two texts (NULL: none) and gives one. */
static inline int gw_text(const char *name, const char *first, const char *second, char *out, size_t capacity) {
  static const char results[] = "{\"results\":[", error[] = "{\"error\":";
  char arguments[GW_TEXT_BYTES], answer[GW_TEXT_BYTES];
  size_t n = 0;
  if (capacity) out[0] = 0;
  arguments[n++] = '[';
  if (first && !gw_quote(arguments, sizeof arguments - 2, &n, first)) return GW_REFUSED;
  if (second) {
    arguments[n++] = ',';
    if (!gw_quote(arguments, sizeof arguments - 2, &n, second)) return GW_REFUSED;
  }
  arguments[n++] = ']';
  arguments[n] = 0;
  if (gw_call(name, arguments, answer, sizeof answer) >= sizeof answer) return GW_REFUSED;
  size_t i = 0;
  while (results[i] && results[i] == answer[i]) i++;
  if (!results[i]) {
    if (answer[i] != '"') return GW_NOTHING;
    return gw_unquote(answer + i, out, capacity) ? GW_OK : GW_REFUSED;
  }
  i = 0;
  while (error[i] && error[i] == answer[i]) i++;
  if (error[i]) return GW_NOTHING; /* {}: the function gives nothing */
  gw_unquote(answer + i, out, capacity);
  return GW_REFUSED;
}

static inline int gw_uuid(char *out, size_t capacity) { return gw_text("uuid", NULL, NULL, out, capacity); }

/* The digest in hexadecimal: md5, sha1, sha256 or sha512. */
static inline int gw_hash(const char *algorithm, const char *text, char *out, size_t capacity) {
  return gw_text("hash", algorithm, text, out, capacity);
}

static inline int gw_base64_encode(const char *text, char *out, size_t capacity) {
  return gw_text("base64.encode", text, NULL, out, capacity);
}

static inline int gw_base64_decode(const char *text, char *out, size_t capacity) {
  return gw_text("base64.decode", text, NULL, out, capacity);
}

/* A secret that the version's manifest names. */
static inline int gw_secret(const char *name, char *out, size_t capacity) {
  return gw_text("secret", name, NULL, out, capacity);
}

/* The job's own small store: the manifest must have kv: true. gw_kv_set gives
 * GW_NOTHING when the text is stored. */
static inline int gw_kv_get(const char *key, char *out, size_t capacity) {
  return gw_text("kv.get", key, NULL, out, capacity);
}

static inline int gw_kv_set(const char *key, const char *value, char *why, size_t capacity) {
  return gw_text("kv.set", key, value, why, capacity);
}

static inline int gw_kv_delete(const char *key, char *why, size_t capacity) {
  return gw_text("kv.delete", key, NULL, why, capacity);
}

#endif
