// Faults at a chosen moment, for programs that are started with this library preloaded.
//
// BLOOMERY_FAULT says which: `alloc:7` fails the seventh allocation, `alloc+:7` that and all after it. So do
// `thread` (starting one), `full` (a write, for want of space), `sync`, `lock` and `cut`; `short` writes half of what
// it is given, `interrupted` has a call interrupted, and `kill` ends the process by SIGKILL before a call that
// could change a file. Counting starts with main, or with the first file opened whose name ends in
// BLOOMERY_FAULT_FROM. When the fault comes, the file BLOOMERY_FAULT_NOTE is created.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <string_view>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

std::atomic<bool> counting{false};
std::atomic<long> calls{0};
std::string_view fault;  // before the colon
bool lasting = false;
long chosen = 0;

void begin() {
  const char* const asked = std::getenv("BLOOMERY_FAULT");
  if (asked == nullptr) return;
  fault = asked;
  const std::size_t colon = fault.find(':');
  if (colon == std::string_view::npos) std::abort();
  chosen = std::atol(asked + colon + 1);
  fault = fault.substr(0, colon);
  lasting = fault.ends_with('+');
  if (lasting) fault.remove_suffix(1);
  if (std::getenv("BLOOMERY_FAULT_FROM") == nullptr) counting = true;
}

// Whether the fault comes in this call, which is one of its kind.
bool strikes(std::string_view kind) {
  if (!counting.load() || kind != fault) return false;
  const long call = ++calls;
  if (call < chosen || (call > chosen && !lasting)) return false;
  if (call == chosen) {
    const char* const note = std::getenv("BLOOMERY_FAULT_NOTE");
    if (note != nullptr) {
      const long made = ::syscall(SYS_openat, AT_FDCWD, note, O_CREAT | O_WRONLY, 0600);
      if (made >= 0) ::syscall(SYS_close, made);
    }
  }
  return true;
}

void may_die() {
  if (strikes("kill")) ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
}

// Whether a call fails for this reason.
bool fails(std::string_view kind, int reason) {
  if (!strikes(kind)) return false;
  errno = reason;
  return true;
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void note_opened(const char* path) {
  const char* const from = std::getenv("BLOOMERY_FAULT_FROM");
  if (!fault.empty() && from != nullptr && std::string_view(path).ends_with(from)) counting = true;
}

int open_file(const char* path, int flags, mode_t mode) {
  note_opened(path);
  if ((flags & O_CREAT) != 0) may_die();
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

mode_t mode_in(int flags, va_list rest) {
  return (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
}

using main_function = int(int, char**, char**);
main_function* program = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  begin();
  return program(argc, argv, environment);
}

}  // namespace

extern "C" {

int __libc_start_main(main_function* main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*end)(), void* stack) {
  program = main;
  using start = int(main_function*, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<start>("__libc_start_main")(counted_main, argc, argv, init, fini, end, stack);
}

void* malloc(std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails("alloc", ENOMEM) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
  if (strikes("alloc")) return ENOMEM;
  *place = __libc_memalign(alignment, size);
  return *place == nullptr ? ENOMEM : 0;
}
void* mmap(void* at, std::size_t size, int rights, int flags, int file, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && fails("alloc", ENOMEM)) return MAP_FAILED;
  return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, rights, flags, file, offset));
}

int pthread_create(pthread_t* thread, const pthread_attr_t* how, void* (*run)(void*), void* with) {
  if (strikes("thread")) return EAGAIN;
  using start = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  return next<start>("pthread_create")(thread, how, run, with);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = mode_in(flags, rest);
  va_end(rest);
  return open_file(path, flags, mode);
}

ssize_t read(int file, void* to, std::size_t size) {
  if (fails("interrupted", EINTR)) return -1;
  return ::syscall(SYS_read, file, to, size);
}
ssize_t pread(int file, void* to, std::size_t size, off_t offset) {
  if (fails("interrupted", EINTR)) return -1;
  return ::syscall(SYS_pread64, file, to, size, offset);
}
ssize_t pread64(int file, void* to, std::size_t size, off_t offset) {
  return pread(file, to, size, offset);
}
ssize_t write(int file, const void* from, std::size_t size) {
  if (file > STDERR_FILENO) may_die();
  if (fails("interrupted", EINTR) || fails("full", ENOSPC)) return -1;
  if (size > 1 && strikes("short")) size /= 2;
  return ::syscall(SYS_write, file, from, size);
}
ssize_t pwrite(int file, const void* from, std::size_t size, off_t offset) {
  may_die();
  if (fails("interrupted", EINTR) || fails("full", ENOSPC)) return -1;
  if (size > 1 && strikes("short")) size /= 2;
  return ::syscall(SYS_pwrite64, file, from, size, offset);
}
ssize_t pwrite64(int file, const void* from, std::size_t size, off_t offset) {
  return pwrite(file, from, size, offset);
}
int fsync(int file) {
  may_die();
  if (fails("sync", EIO)) return -1;
  return static_cast<int>(::syscall(SYS_fsync, file));
}
int ftruncate(int file, off_t size) {
  may_die();
  if (fails("interrupted", EINTR) || fails("cut", EIO)) return -1;
  return static_cast<int>(::syscall(SYS_ftruncate, file, size));
}
int ftruncate64(int file, off_t size) {
  return ftruncate(file, size);
}
int flock(int file, int how) {
  if (fails("interrupted", EINTR) || fails("lock", ENOLCK)) return -1;
  return static_cast<int>(::syscall(SYS_flock, file, how));
}
int fchmod(int file, mode_t mode) {
  may_die();
  return static_cast<int>(::syscall(SYS_fchmod, file, mode));
}
int rename(const char* from, const char* to) {
  may_die();
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int link(const char* from, const char* to) {
  may_die();
  return static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int unlink(const char* path) {
  may_die();
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
}
