// A disk that notes what is written to it, for Tools/faults: a file in memory, shown through FUSE, on which
// a loop device and a real file system can be put. Every write, every flush and every mark goes to a log in
// the order in which it came, so that each state that a power cut could leave can be made from it.
//
// A record of the log: one byte (W write, F flush, M mark), offset and length (8 bytes each, of this
// machine), and the bytes. Writing to the file "mark" makes a mark; a mark that begins with BASE writes
// the present disk to BASE_FILE, and the log begins there.
//
// usage: LOG_FILE=… BASE_FILE=… MEGABYTES=N block-recorder -f -s MOUNTPOINT
#define FUSE_USE_VERSION 31
#include <errno.h>
#include <fuse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *disk;
static size_t disk_bytes;
static FILE *record_file;
static int is_recording = 0;

static void record(char kind, uint64_t offset, uint64_t count, const char *bytes) {
  if (!is_recording) return;
  fputc(kind, record_file);
  fwrite(&offset, sizeof offset, 1, record_file);
  fwrite(&count, sizeof count, 1, record_file);
  if (count > 0) fwrite(bytes, 1, count, record_file);
  fflush(record_file);
}

static int begin_recording(void) {
  FILE *base = fopen(getenv("BASE_FILE"), "w");
  if (base == NULL) return -errno;
  size_t written = fwrite(disk, 1, disk_bytes, base);
  if (fclose(base) != 0 || written != disk_bytes) return -EIO;
  is_recording = 1;
  return 0;
}

static int is_disk(const char *path) { return strcmp(path, "/disk") == 0; }

static int get_attributes(const char *path, struct stat *status, struct fuse_file_info *file) {
  (void)file;
  memset(status, 0, sizeof *status);
  if (strcmp(path, "/") == 0) {
    status->st_mode = S_IFDIR | 0755;
    status->st_nlink = 2;
    return 0;
  }
  if (!is_disk(path) && strcmp(path, "/mark") != 0) return -ENOENT;
  status->st_mode = S_IFREG | 0600;
  status->st_nlink = 1;
  if (is_disk(path)) status->st_size = (off_t)disk_bytes;
  return 0;
}

static int read_directory(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                          struct fuse_file_info *file, enum fuse_readdir_flags flags) {
  (void)path, (void)offset, (void)file, (void)flags;
  fill(buffer, "disk", NULL, 0, 0);
  fill(buffer, "mark", NULL, 0, 0);
  return 0;
}

// Without the page cache: what the loop device writes arrives here at once and in order.
static int open_file(const char *path, struct fuse_file_info *file) {
  (void)path;
  file->direct_io = 1;
  return 0;
}

static int read_file(const char *path, char *buffer, size_t count, off_t offset,
                     struct fuse_file_info *file) {
  (void)file;
  if (!is_disk(path) || (size_t)offset >= disk_bytes) return 0;
  if ((size_t)offset + count > disk_bytes) count = disk_bytes - (size_t)offset;
  memcpy(buffer, disk + offset, count);
  return (int)count;
}

static int write_file(const char *path, const char *bytes, size_t count, off_t offset,
                      struct fuse_file_info *file) {
  (void)file;
  if (is_disk(path)) {
    if ((size_t)offset + count > disk_bytes) return -ENOSPC;
    memcpy(disk + offset, bytes, count);
    record('W', (uint64_t)offset, count, bytes);
  } else if (count >= 4 && memcmp(bytes, "BASE", 4) == 0) {
    int failure = begin_recording();
    if (failure != 0) return failure;
  } else {
    record('M', 0, count, bytes);
  }
  return (int)count;
}

static int synchronize(const char *path, int data_only, struct fuse_file_info *file) {
  (void)data_only, (void)file;
  if (is_disk(path)) record('F', 0, 0, NULL);
  return 0;
}

static int truncate_file(const char *path, off_t size, struct fuse_file_info *file) {
  (void)path, (void)size, (void)file;
  return 0;
}

static int allocate(const char *path, int mode, off_t offset, off_t count,
                    struct fuse_file_info *file) {
  (void)path, (void)mode, (void)offset, (void)count, (void)file;
  return -EOPNOTSUPP;
}

static const struct fuse_operations operations = {
    .getattr = get_attributes, .readdir = read_directory, .open = open_file,
    .read = read_file,         .write = write_file,       .fsync = synchronize,
    .truncate = truncate_file, .fallocate = allocate,
};

int main(int count, char **words) {
  const char *log_file = getenv("LOG_FILE"), *megabytes = getenv("MEGABYTES");
  if (log_file == NULL || megabytes == NULL || getenv("BASE_FILE") == NULL) {
    fprintf(stderr, "usage: LOG_FILE=F BASE_FILE=F MEGABYTES=N block-recorder -f -s MOUNTPOINT\n");
    return 64;
  }
  disk_bytes = (size_t)atoi(megabytes) << 20;
  disk = calloc(1, disk_bytes);
  record_file = fopen(log_file, "w");
  if (disk == NULL || record_file == NULL) {
    perror("block-recorder");
    return 1;
  }
  return fuse_main(count, words, &operations, NULL);
}
