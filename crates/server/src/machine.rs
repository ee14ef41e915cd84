//! The machine this runs on.

/// What it calls itself; `None` where it does not say.
pub fn name() -> Option<String> {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = kernel.or_else(|| std::env::var("HOSTNAME").ok())?;
    Some(name.trim().to_owned())
}

/// How many columns the terminal on standard output has; `None` where that is none, or does not say.
pub fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}
