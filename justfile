# The same commands as in README.md and CONTRIBUTING.md. `just` alone lists them.

_default:
    @just --list --unsorted

# Watch a simulated fleet
demo *flags:
    cargo run --release -p quayside -- demo {{flags}}

# All tests, on SQLite and PostgreSQL
test *arguments:
    ./test {{arguments}}

# Formatting and lints
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings

# The demo's world on both engines, seeds FIRST to LAST
engines first="1" last="20":
    scripts/demo-both-engines {{first}} {{last}}

# What a change must pass
ci:
    .ci/run

# Our own ceilings and measurements
bench *arguments:
    cargo run --release -p bench -- {{arguments}}
