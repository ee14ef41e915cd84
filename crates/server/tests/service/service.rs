//! The binary under test: started, killed, started again. `BINARY` names another one than was built with the tests.

use std::net::TcpListener;
use std::ops::Range;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{self, Answer};

/// Longest wait for the service to answer after a start.
const START_MAX: Duration = Duration::from_mins(2);

/// Ports for what listens, below those that a system gives to connections.
const PORTS: Range<u16> = 20_000..32_000;

/// One installation: a data directory, profiles, and the process that serves it.
pub struct Service {
    folder: Arc<TempDir>,
    /// `127.0.0.1:port`
    pub address: String,
    /// A key of the account under test.
    pub key: String,
    child: Option<Child>,
    variables: Vec<(&'static str, String)>,
}

impl Service {
    /// A new installation with one carrier, an account and a key; not started.
    pub fn install(profile: &str) -> Self {
        Self::install_with(profile, &[])
    }

    /// The same with these variables in the environment of every command.
    pub fn install_with(profile: &str, variables: &[(&'static str, String)]) -> Self {
        let mut service = Self::empty_with(profile, variables);
        service.tell(&["account", "create", "Witness"]);
        service.key = service.tell(&["key", "create", "--account", "Witness"]);
        service
    }

    /// The same without account and key: nothing was opened yet.
    pub fn empty_with(profile: &str, variables: &[(&'static str, String)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sources.d")).unwrap();
        std::fs::write(folder.path().join("sources.d/carrier.toml"), profile).unwrap();
        let address = free_address();
        Self {
            folder: Arc::new(folder),
            address,
            key: String::new(),
            child: None,
            variables: variables.to_vec(),
        }
    }

    /// Another process over the same database and the same files; not started.
    pub fn another_node(&self) -> Self {
        Self {
            folder: Arc::clone(&self.folder),
            address: free_address(),
            key: self.key.clone(),
            child: None,
            variables: self.variables.clone(),
        }
    }

    /// Runs a command to its end and returns what it printed.
    pub fn tell(&self, arguments: &[&str]) -> String {
        let output = self
            .command(arguments)
            .stderr(Stdio::inherit())
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {:?}",
            output.status
        );
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Starts serving and waits for the first healthy answer.
    pub fn start(&mut self) {
        self.start_saying(Stdio::inherit());
    }

    /// The same with the log in this file beside the data directory.
    pub fn start_with_log(&mut self, name: &str) {
        let log = std::fs::File::create(self.path(name)).unwrap();
        self.start_saying(log.into());
    }

    fn start_saying(&mut self, log: Stdio) {
        let address = self.address.clone();
        let child = self
            .command(&["serve", "--listen", &address])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.child = Some(child.unwrap());
        let began = Instant::now();
        while !self.is_ready() {
            assert!(
                began.elapsed() < START_MAX,
                "the service does not answer after a start"
            );
            if let Some(status) = self
                .child
                .as_mut()
                .and_then(|child| child.try_wait().unwrap())
            {
                panic!("the service ended at its start: {status}");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What a start says that is refused.
    pub fn refused_start(&self) -> Output {
        let mut command = self.command(&["serve", "--listen", &free_address()]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if began.elapsed() > START_MAX {
                child.kill().unwrap();
                panic!("the start is not refused");
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        child.wait_with_output().unwrap()
    }

    /// Ends the process as a power switch would.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    /// The same at a moment to come, whatever the process is doing then.
    pub fn kill_after(&mut self, span: Duration) -> JoinHandle<()> {
        let mut child = self.child.take().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(span);
            child.kill().unwrap();
            child.wait().unwrap();
        })
    }

    /// Lets the process stand still for this long.
    pub fn pause_for(&self, span: Duration) -> JoinHandle<()> {
        let id = self.child.as_ref().unwrap().id();
        signal(id, "STOP");
        std::thread::spawn(move || {
            std::thread::sleep(span);
            signal(id, "CONT");
        })
    }

    /// Calls the API.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<Answer> {
        client::exchange(&self.address, method, path, Some(&self.key), body)
    }

    /// The body of an answer as it came.
    pub fn document(&self, path: &str) -> String {
        client::document(&self.address, path, &self.key).unwrap()
    }

    /// Asks for a bill to be tracked. `Err`: the answer was not seen.
    pub fn track(&self, number: &str, scac: &str) -> std::io::Result<Answer> {
        let body = json!({ "data": { "type": "tracking_request", "attributes": {
            "request_type": "bill_of_lading", "request_number": number, "scac": scac } } });
        self.call("POST", "/v2/tracking_requests", Some(&body))
    }

    /// Subscribes `url` to all events.
    pub fn subscribe(&self, url: &str) {
        let events: Vec<&str> = domain::event::EventName::ALL
            .iter()
            .map(|event| event.as_str())
            .collect();
        let body = json!({ "data": { "type": "webhook", "attributes": { "url": url, "events": events } } });
        let answer = self.call("POST", "/v2/webhooks", Some(&body)).unwrap();
        assert_eq!(answer.status, 201, "{}", answer.body);
    }

    /// Runs a command to its end, however that is.
    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Writes a profile beside the others.
    pub fn profile(&self, name: &str, text: &str) {
        self.write(&format!("sources.d/{name}.toml"), text);
    }

    /// Writes a file beside the profiles and the data directory.
    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Where a file is that stands beside the profiles and the data directory.
    pub fn path(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join(name)
    }

    /// Sets a variable of the environment for every later command.
    pub fn set(&mut self, variable: &'static str, value: &str) {
        self.variables.push((variable, value.to_owned()));
    }

    /// Sends the serving process a signal.
    pub fn signal(&self, name: &str) {
        signal(self.child.as_ref().unwrap().id(), name);
    }

    /// Waits for the serving process to end by itself.
    pub fn wait(&mut self) -> ExitStatus {
        self.child.take().unwrap().wait().unwrap()
    }

    /// Anonymous memory of the serving process, in megabytes (millions of bytes).
    pub fn anonymous_megabytes(&self) -> f64 {
        let id = self.child.as_ref().unwrap().id();
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.unwrap().trim().strip_suffix(" kB").unwrap();
        kilobytes.parse::<f64>().unwrap() * 1_024.0 / 1_000_000.0
    }

    /// Whether it says that it is ready.
    pub fn is_ready(&self) -> bool {
        let answer = client::exchange(&self.address, "GET", "/health/ready", None, None);
        answer.is_ok_and(|answer| answer.status == 200)
    }

    /// A command in this installation.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let ours = std::env::var_os("BINARY");
        let built = env!("CARGO_BIN_EXE_quayside");
        let mut command = Command::new(ours.unwrap_or_else(|| built.into()));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("QUAYSIDE_DATA_DIR", self.folder.path().join("data"))
            .env(
                "QUAYSIDE_SOURCES__DIR",
                self.folder.path().join("sources.d"),
            )
            .env("QUAYSIDE_EGRESS__ALLOW_HTTP", "true")
            .env("QUAYSIDE_EGRESS__ALLOW_NETWORKS", "127.0.0.0/8")
            .env("QUAYSIDE_WORK__LEASE_SECONDS", "2")
            // The disk of the machine is not what is tried.
            .env("QUAYSIDE_HEALTH__DISK_FREE_PERCENT", "0")
            .env("QUAYSIDE_RATE_LIMITS__DEFAULT", "0")
            .env("QUAYSIDE_RATE_LIMITS__CREATE_TRACKING_REQUEST", "0")
            .envs(self.variables.iter().cloned());
        command
    }
}

/// Sends a process of ours a signal.
pub fn signal(process: u32, name: &str) {
    let sent = Command::new("kill")
        .args(["-s", name, &process.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

/// An address of this machine that nobody listens on, and that nobody is given by the system.
///
/// A service is killed and started again at its address. A port that the system once gave could meanwhile be the near
/// end of anybody's connection; those are drawn from 32768 on (Linux, `ip_local_port_range`) or 49152 (RFC 6335).
pub fn free_address() -> String {
    static DRAWN: AtomicU32 = AtomicU32::new(0);
    let many = u32::from(PORTS.end - PORTS.start);
    let free = (0..many).find_map(|_| {
        // Two processes of tests begin at different places.
        let place = (std::process::id() + DRAWN.fetch_add(1, Ordering::Relaxed)) % many;
        let port = PORTS.start + u16::try_from(place).unwrap();
        TcpListener::bind(("127.0.0.1", port)).ok()
    });
    let address = free.unwrap().local_addr().unwrap();
    address.to_string()
}

impl Drop for Service {
    fn drop(&mut self) {
        self.kill();
    }
}
