/* Preloaded into the program under test: counts what it does to the files below FAULTS_DIR, and makes
 * it fail there.
 *
 *   FAULTS_LOG=file      appends one line for each operation: its letter and its path
 *   FAULTS_KILL_AT=n     ends the process, as a kill does, right before its n-th operation
 *   FAULTS_FAIL_FROM=n   lets the n-th operation and all later ones fail with FAULTS_ERRNO
 *
 * Letters: C create, W write, S sync of a file, D sync of a folder, T truncate, U unlink, R rename (the
 * new name), M mkdir. The file that processes share memory through (-shm) does not count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *folder;
static int log_to = -1;
static long count, kill_at = -1, fail_from = -1;
static int fail_with;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    folder = getenv("FAULTS_DIR");
    const char *value;
    if ((value = getenv("FAULTS_KILL_AT"))) kill_at = atol(value);
    if ((value = getenv("FAULTS_FAIL_FROM"))) fail_from = atol(value);
    if ((value = getenv("FAULTS_ERRNO"))) fail_with = atoi(value);
    if ((value = getenv("FAULTS_LOG")))
        log_to = REAL(open64)(value, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static int counts(const char *path) {
    return folder && path && !strncmp(path, folder, strlen(folder)) && !strstr(path, "-shm");
}

static int path_of(int fd, char *path) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return counts(path);
}

/* Whether the operation may be done. Does not return where the process is to end. */
static int may(char letter, const char *path) {
    long number = __sync_add_and_fetch(&count, 1);
    if (number == kill_at) {
        kill(getpid(), SIGKILL);
        pause();
    }
    if (fail_from > 0 && number >= fail_from) {
        errno = fail_with;
        return 0;
    }
    if (log_to >= 0) {
        char line[PATH_MAX + 8];
        int length = snprintf(line, sizeof line, "%c %s\n", letter, path);
        if (REAL(write)(log_to, line, length) < 0) return 1;
    }
    return 1;
}

ssize_t write(int fd, const void *bytes, size_t size) {
    char path[PATH_MAX];
    if (fd != log_to && path_of(fd, path) && !may('W', path)) return -1;
    return REAL(write)(fd, bytes, size);
}

ssize_t writev(int fd, const struct iovec *parts, int number) {
    char path[PATH_MAX];
    if (path_of(fd, path) && !may('W', path)) return -1;
    return REAL(writev)(fd, parts, number);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    char path[PATH_MAX];
    if (path_of(fd, path) && !may('W', path)) return -1;
    return REAL(pwrite64)(fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    return pwrite64(fd, bytes, size, at);
}

static int sync_with(int fd, int (*sync)(int)) {
    char path[PATH_MAX];
    struct stat data;
    if (path_of(fd, path)) {
        char letter = !fstat(fd, &data) && S_ISDIR(data.st_mode) ? 'D' : 'S';
        if (!may(letter, path)) return -1;
    }
    return sync(fd);
}

int fsync(int fd) { return sync_with(fd, REAL(fsync)); }
int fdatasync(int fd) { return sync_with(fd, REAL(fdatasync)); }

int ftruncate64(int fd, off64_t size) {
    char path[PATH_MAX];
    if (path_of(fd, path) && !may('T', path)) return -1;
    return REAL(ftruncate64)(fd, size);
}

int ftruncate(int fd, off_t size) { return ftruncate64(fd, size); }

int unlink(const char *path) {
    if (counts(path) && !may('U', path)) return -1;
    return REAL(unlink)(path);
}

int rename(const char *from, const char *to) {
    if ((counts(from) || counts(to)) && !may('R', to)) return -1;
    return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    if (counts(path) && !may('M', path)) return -1;
    return REAL(mkdir)(path, mode);
}

static int is_new(const char *path, int flags) {
    struct stat data;
    return (flags & O_CREAT) && counts(path) && lstat(path, &data) != 0;
}

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, unsigned int) : 0;
}

int open64(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    if (is_new(path, flags) && !may('C', path)) return -1;
    return REAL(open64)(path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open64(path, flags, mode);
}
