/// What statfs(2) says about where a file lies.
package enum FileSystemKind: Hashable, Sendable {
  case local
  case nfs, cifs, smb2, plan9, fuse, ceph, afs
  /// Not in the table: treated as if others could change it unseen.
  case unknown(magic: UInt32)

  /// From the magic number; the list is in statfs(2) and linux/magic.h.
  package init(magic: UInt32) {
    switch magic {
    case 0x6969: self = .nfs
    case 0xff53_4d42: self = .cifs
    case 0xfe53_4d42: self = .smb2
    case 0x0102_1997: self = .plan9
    case 0x6573_5546: self = .fuse
    case 0x00c3_6400: self = .ceph
    case 0x5346_414f, 0x6b41_4653: self = .afs
    case let number where FileSystemKind.localMagics.contains(number): self = .local
    default: self = .unknown(magic: magic)
    }
  }

  /// True when every change of a file passes through this kernel and so causes an event.
  package var reportsAllChanges: Bool { self == .local }

  /// True when other machines may see the same files.
  package var reachesOtherMachines: Bool {
    switch self {
    case .nfs, .cifs, .smb2, .plan9, .fuse, .ceph, .afs: true
    case .local, .unknown: false
    }
  }

  private static let localMagics: Set<UInt32> = [
    0xef53,  // ext2, ext3, ext4
    0x5846_5342,  // xfs
    0x9123_683e,  // btrfs
    0x0102_1994,  // tmpfs
    0x8584_58f6,  // ramfs
    0x794c_7630,  // overlayfs
    0xf2f5_2010,  // f2fs
    0x2fc1_2fc1,  // zfs
    0xca45_1a4e,  // bcachefs
    0x4d44,  // vfat
    0x2011_bab0,  // exfat
    0x7366_746e,  // ntfs3
    0x3153_464a,  // jfs
    0x5265_4973,  // reiserfs
    0x482b,  // hfsplus
  ]
}
