/* A job in C that uses the guest SDK. Its sisters in Go, AssemblyScript and Rust do the
 * same. It needs no C library, so it puts its texts together by itself. */
#include "gluewheel.h"

#define LINE 512

/* Appends text to a line, as far as it fits. */
static void append(char *line, const char *text) {
  size_t n = gw_length(line);
  while (*text && n + 1 < LINE) line[n++] = *text++;
  line[n] = 0;
}

static void append_number(char *line, int32_t number) {
  char digits[12];
  int i = sizeof digits;
  digits[--i] = 0;
  do {
    digits[--i] = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  append(line, digits + i);
}

GW_EXPORT(gw_run) int gw_run(void) {
  char name[256], digest[256], line[LINE] = "hello ";
  gw_param(name, sizeof name);
  append(line, name);
  append(line, ", from C: shard ");
  append_number(line, gw_shard_index());
  append(line, " of ");
  append_number(line, gw_shard_total());
  gw_log(line);
  gw_progress(50, "half way");

  if (gw_hash("sha256", name, digest, sizeof digest) != GW_OK) return 1;
  line[0] = 0;
  append(line, "sha256 ");
  append(line, digest);
  gw_log_at(GW_INFO, line);

  /* Denied, unless the version's manifest has kv: true. */
  char greeted[256];
  if (gw_kv_get("greeted", greeted, sizeof greeted) == GW_REFUSED) gw_log_at(GW_WARN, greeted);

  char encoded[256], decoded[256];
  if (gw_base64_encode(name, encoded, sizeof encoded) != GW_OK) return 1;
  if (gw_base64_decode(encoded, decoded, sizeof decoded) != GW_OK) return 1;
  line[0] = 0;
  append(line, "greeted ");
  append(line, decoded);
  gw_result(line);
  return 0;
}
