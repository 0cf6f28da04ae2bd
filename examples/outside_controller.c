/* Drives `lead` of examples/outside.toml straight ahead at 3 m/s, in lock-step: C, sockets
 * alone.
 *
 *     cc -O -o /tmp/controller examples/outside_controller.c
 *     /tmp/controller 127.0.0.1 4711 TOKEN
 *
 * It looks for the few numbers that it needs in the text of a beat; a real controller takes
 * a library for JSON. */

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void give_up(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static void move_all(int peer, void *bytes, size_t length, int writes) {
    for (size_t done = 0; done < length;) {
        char *at = (char *)bytes + done;
        ssize_t moved = writes ? write(peer, at, length - done) : read(peer, at, length - done);
        if (moved <= 0) give_up("the run is gone");
        done += (size_t)moved;
    }
}

/* A message: its length, most significant byte first, and its text. */
static void say(int peer, char *text) {
    uint32_t prefix = htonl((uint32_t)strlen(text));
    move_all(peer, &prefix, sizeof prefix, 1);
    move_all(peer, text, strlen(text), 1);
}

static char *hear(int peer) {
    uint32_t prefix;
    move_all(peer, &prefix, sizeof prefix, 0);
    size_t length = ntohl(prefix);
    char *text = malloc(length + 1);
    if (!text) give_up("no memory");
    move_all(peer, text, length, 0);
    text[length] = '\0';
    return text;
}

/* The number behind the first `key` of a text from `text` on. */
static double number(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at) give_up(text);
    return strtod(at + strlen(key), NULL);
}

int main(int count, char **words) {
    if (count != 4) give_up("give HOST PORT TOKEN");
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[2]))};
    int peer = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (inet_pton(AF_INET, words[1], &place.sin_addr) != 1) give_up("HOST must be numbers");
    if (connect(peer, (struct sockaddr *)&place, sizeof place) != 0) give_up("nobody listens");
    setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);

    char line[512];
    snprintf(line, sizeof line,
             "{\"type\":\"hello\",\"protocol\":1,\"token\":\"%.128s\",\"vehicles\":[\"lead\"]}",
             words[3]);
    say(peer, line);
    for (;;) {
        char *text = hear(peer);
        if (strstr(text, "\"type\":\"fault\"")) give_up(text);
        if (strstr(text, "\"type\":\"end\"")) return 0;
        if (strstr(text, "\"type\":\"beat\"")) {
            const char *lead = strstr(text, "\"name\":\"lead\"");
            double missing = 3.0 - number(lead ? lead : text, "\"speed\":");
            double throttle = missing < 0 ? 0 : missing > 2 ? 0.8 : 0.4 * missing;
            snprintf(line, sizeof line,
                     "{\"type\":\"act\",\"tick\":%.0f,\"controls\":"
                     "[{\"vehicle\":\"lead\",\"throttle\":%.6f}]}",
                     number(text, "\"tick\":"), throttle);
            say(peer, line);
        }
        free(text);
    }
}
