/* External controller of `lead` in examples/outside.toml, with sockets only: drives straight
 * ahead at 3 m/s in lockstep.
 *
 *     cc -O -o /tmp/controller examples/outside_controller.c
 *     /tmp/controller 127.0.0.1 4711 TOKEN
 *
 * This example searches the text of a beat for the numbers that it needs. A real controller
 * uses a JSON library. */

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
        if (moved <= 0) give_up("the connection to the run is lost");
        done += (size_t)moved;
    }
}

/* Sends a message: its length, most significant byte first, and its text. */
static void say(int peer, char *text) {
    uint32_t prefix = htonl((uint32_t)strlen(text));
    move_all(peer, &prefix, sizeof prefix, 1);
    move_all(peer, text, strlen(text), 1);
}

/* Receives a message; the caller frees it. */
static char *hear(int peer) {
    uint32_t prefix;
    move_all(peer, &prefix, sizeof prefix, 0);
    size_t length = ntohl(prefix);
    char *text = malloc(length + 1);
    if (!text) give_up("out of memory");
    move_all(peer, text, length, 0);
    text[length] = '\0';
    return text;
}

/* Returns the number after the first `key` in `text`. */
static double number(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at) give_up(text);
    return strtod(at + strlen(key), NULL);
}

int main(int count, char **words) {
    if (count != 4) give_up("usage: controller HOST PORT TOKEN");
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[2]))};
    int peer = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    if (inet_pton(AF_INET, words[1], &place.sin_addr) != 1) give_up("HOST must be a numeric IPv4 address");
    if (connect(peer, (struct sockaddr *)&place, sizeof place) != 0) give_up("cannot connect: no run is listening on HOST and PORT");
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
