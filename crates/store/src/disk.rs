//! How much room a disk has left: a store that cannot grow takes nothing in any more.

use std::io;
use std::path::Path;

/// How much of the disk of this folder is free, in percent.
pub fn free_percent(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    let all = disk.f_blocks.max(1);
    Ok(disk.f_bavail.saturating_mul(100) / all)
}
