//! The workspace as cargo and the file system show it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// One crate of ours.
pub struct Member {
    pub name: String,
    pub folder: PathBuf,
    pub dependencies: Vec<Dependency>,
}

/// What a manifest asks for.
pub struct Dependency {
    pub name: String,
    /// Only tests, examples and benchmarks see it.
    pub dev: bool,
}

/// The folder that holds the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every member, as `cargo metadata` tells it. Asks no registry.
pub fn members() -> Vec<Member> {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    metadata["packages"]
        .as_array()
        .unwrap()
        .iter()
        .map(member)
        .collect()
}

fn member(package: &Value) -> Member {
    let manifest = Path::new(package["manifest_path"].as_str().unwrap());
    let dependencies = package["dependencies"].as_array().unwrap().iter();
    Member {
        name: package["name"].as_str().unwrap().to_owned(),
        folder: manifest.parent().unwrap().to_owned(),
        dependencies: dependencies
            .map(|dependency| Dependency {
                name: dependency["name"].as_str().unwrap().to_owned(),
                dev: dependency["kind"] == "dev",
            })
            .collect(),
    }
}

/// Files and folders of ours under `folder`, by path; nothing that was built.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    const BUILT: [&str; 4] = ["target", "node_modules", "dist", ".git"];
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if BUILT.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            found.extend(entries(&path));
        }
        found.push(path);
    }
    found.sort();
    found
}

/// Rust files of a member's shipped code, with their text.
pub fn shipped_code(member: &Member) -> Vec<(PathBuf, String)> {
    let files = entries(&member.folder.join("src")).into_iter();
    files
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}
