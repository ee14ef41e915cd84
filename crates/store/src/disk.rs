//! How much room a disk has left: a store that cannot grow takes nothing in any more.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// How much of the disk of this folder is free, in percent.
pub fn free_percent(folder: &Path) -> io::Result<u64> {
    let disk = Disk::of(folder)?;
    Ok(disk.free.saturating_mul(100) / disk.all.max(1))
}

/// A disk as it is at this moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Disk {
    device: u64,
    /// Bytes that are free for us, of how many.
    free: u64,
    all: u64,
}

/// Bytes that are wanted, and those that may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shortage {
    pub(crate) wanted: u64,
    pub(crate) free: u64,
}

impl Disk {
    /// The one on which this file or folder lies.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let disk = rustix::fs::statvfs(path)?;
        Ok(Self {
            device: path.metadata()?.dev(),
            free: disk.f_bavail.saturating_mul(disk.f_frsize),
            all: disk.f_blocks.saturating_mul(disk.f_frsize),
        })
    }

    /// Whether a copy of so many bytes does not fit. Where the store lies on the same disk, as many percent of it stay free as the
    /// service needs to be ready.
    pub(crate) fn shortage(self, wanted: u64, store: Self, kept_percent: u64) -> Option<Shortage> {
        // A file system that tells no size has room, as far as anybody knows.
        if self.all == 0 {
            return None;
        }
        let kept = if self.device == store.device {
            self.all / 100 * kept_percent
        } else {
            0
        };
        let free = self.free.saturating_sub(kept);
        (wanted > free).then_some(Shortage { wanted, free })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_leaves_the_service_what_it_needs() {
        let disk = |device, free| Disk {
            device,
            free,
            all: 1_000,
        };
        let lacks = |wanted, to: Disk, kept| {
            let shortage = to.shortage(wanted, disk(1, 0), kept);
            shortage.map(|found| found.free)
        };
        assert_eq!(lacks(300, disk(2, 300), 5), None, "another disk");
        assert_eq!(lacks(301, disk(2, 300), 5), Some(300));
        assert_eq!(lacks(250, disk(1, 300), 5), None);
        assert_eq!(lacks(251, disk(1, 300), 5), Some(250), "that of the store");
        assert_eq!(lacks(300, disk(1, 300), 0), None);
        assert_eq!(lacks(1, disk(1, 40), 5), Some(0));
        let untold = Disk {
            all: 0,
            ..disk(2, 0)
        };
        assert_eq!(lacks(300, untold, 5), None);
    }
}
