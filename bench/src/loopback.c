// Keeps a program on this machine: preload it, and what it would listen on at all addresses listens on 127.0.0.1.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

int bind(int socket, const struct sockaddr *address, socklen_t length) {
  static int (*next)(int, const struct sockaddr *, socklen_t);
  if (next == NULL) next = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "bind");
  struct sockaddr_storage local;
  if (length > sizeof local) return next(socket, address, length);
  memcpy(&local, address, length);
  struct sockaddr_in *four = (struct sockaddr_in *)&local;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)&local;
  if (local.ss_family == AF_INET && length >= sizeof *four && four->sin_addr.s_addr == INADDR_ANY)
    four->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (local.ss_family == AF_INET6 && length >= sizeof *six && IN6_IS_ADDR_UNSPECIFIED(&six->sin6_addr)) {
    // ::ffff:127.0.0.1, for which the socket must accept IPv4.
    int off = 0;
    setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    memset(&six->sin6_addr, 0, sizeof six->sin6_addr);
    six->sin6_addr.s6_addr[10] = six->sin6_addr.s6_addr[11] = 0xff;
    six->sin6_addr.s6_addr[12] = 127;
    six->sin6_addr.s6_addr[15] = 1;
  }
  return next(socket, (struct sockaddr *)&local, length);
}
