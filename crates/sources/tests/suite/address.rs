//! The address classifier against an independent one.
//!
//! The product compares prefixes in a table. The check here is written from the registries a second time, as
//! ranges of plain numbers, so that one slip cannot be in both.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sources::outbound::{EgressSettings, Refusal, is_public};

/// First and last address of what is closed, as dotted text.
const CLOSED_4: [(&str, &str); 16] = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
];
const CLOSED_6: [(&str, &str); 6] = [
    ("::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ("4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
];

fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => ip
            .octets()
            .iter()
            .fold(0, |sum, octet| sum * 256 + u128::from(*octet)),
        IpAddr::V6(ip) => ip
            .segments()
            .iter()
            .fold(0, |sum, part| sum * 65_536 + u128::from(*part)),
    }
}

fn in_ranges(ip: IpAddr, ranges: &[(u128, u128)]) -> bool {
    ranges
        .iter()
        .any(|(first, last)| (*first..=*last).contains(&number(ip)))
}

struct Independent {
    closed_4: Vec<(u128, u128)>,
    closed_6: Vec<(u128, u128)>,
}

impl Independent {
    fn new() -> Self {
        let ranges = |texts: &[(&str, &str)]| {
            let end = |text: &str| number(text.parse().unwrap());
            texts
                .iter()
                .map(|(first, last)| (end(first), end(last)))
                .collect()
        };
        Self {
            closed_4: ranges(&CLOSED_4),
            closed_6: ranges(&CLOSED_6),
        }
    }

    fn is_public(&self, ip: IpAddr) -> bool {
        match ip {
            IpAddr::V4(_) => !in_ranges(ip, &self.closed_4),
            IpAddr::V6(six) => match six.segments() {
                [0, 0, 0, 0, 0, 0xffff, high, low] => {
                    let inner = Ipv4Addr::from(u32::from(high) * 65_536 + u32::from(low));
                    self.is_public(inner.into())
                }
                _ => !in_ranges(ip, &self.closed_6),
            },
        }
    }
}

/// SplitMix64: enough for addresses, and the same on every machine.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[test]
fn a_million_addresses() {
    let given = std::env::var("QUAYSIDE_TEST_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    let seed: u64 = given.unwrap_or(u64::from(clock.subsec_nanos()) ^ clock.as_secs());
    println!("QUAYSIDE_TEST_SEED={seed}");
    let check = Independent::new();
    let mut draw = Draw(seed);
    for round in 0..1_000_000u64 {
        let high = draw.next();
        let ip = match round % 4 {
            0 | 1 => Ipv4Addr::from_bits(u32::try_from(high >> 32).unwrap()).into(),
            // Half of the others inside 2000::/3, where the choices are.
            2 => Ipv6Addr::from_bits(u128::from(high) << 64 | u128::from(draw.next())).into(),
            _ => {
                let starts = [0x2001, 0x2002, 0x3fff, 0x2000 | (u128::from(high) & 0x1fff)];
                let start = starts[(high % 4) as usize] << 112;
                Ipv6Addr::from_bits(start | (u128::from(high) << 44 | u128::from(draw.next())) >> 8)
                    .into()
            }
        };
        assert_eq!(is_public(ip), check.is_public(ip), "{ip} seed {seed}");
    }
}

#[test]
fn both_sides_of_every_edge() {
    let check = Independent::new();
    let edges_4 = CLOSED_4.iter().flat_map(|(first, last)| [first, last]);
    for edge in edges_4 {
        let edge = u32::try_from(number(edge.parse().unwrap())).unwrap();
        for ip in [edge.wrapping_sub(1), edge, edge.wrapping_add(1)] {
            let ip = Ipv4Addr::from(ip);
            assert_eq!(is_public(ip.into()), check.is_public(ip.into()), "{ip}");
            let mapped = IpAddr::V6(ip.to_ipv6_mapped());
            assert_eq!(is_public(mapped), check.is_public(ip.into()), "{mapped}");
        }
    }
    for edge in CLOSED_6.iter().flat_map(|(first, last)| [first, last]) {
        let edge = number(edge.parse().unwrap());
        for ip in [edge.wrapping_sub(1), edge, edge.wrapping_add(1)] {
            let ip = IpAddr::V6(Ipv6Addr::from_bits(ip));
            assert_eq!(is_public(ip), check.is_public(ip), "{ip}");
        }
    }
}

#[test]
fn well_known_ones() {
    for open in [
        "8.8.8.8",
        "1.1.1.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "192.31.196.1",
    ] {
        assert!(is_public(open.parse().unwrap()), "{open}");
    }
    let closed = [
        "127.0.0.1",
        "169.254.169.254",
        "168.63.129.16",
        "10.0.0.1",
        "192.168.1.1",
        "172.20.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "64:ff9b::7f00:1",
        "fe80::1",
        "fd00::1",
        "fec0::1",
        "ff02::1",
        "2002:7f00:1::",
        "2001:0:1::1",
        "2001:db8::1",
        "100.100.100.200",
    ];
    for closed in closed {
        assert!(!is_public(closed.parse().unwrap()), "{closed}");
    }
}

#[test]
fn settings_open_and_close_exactly_what_they_name() {
    let mut settings = EgressSettings {
        allow_networks: vec!["10.1.0.0/16".parse().unwrap(), "fd00::/8".parse().unwrap()],
        deny_networks: vec!["10.1.7.0/24".parse().unwrap(), "9.9.9.9".parse().unwrap()],
        ..EgressSettings::default()
    };
    settings.own_addresses = vec!["10.1.0.5:8049".parse().unwrap()];
    let judge = |address: &str| settings.judge(address.parse().unwrap()).err();
    assert_eq!(judge("10.1.255.255:443"), None);
    assert_eq!(judge("[::ffff:10.1.0.1]:443"), None);
    assert_eq!(judge("[fdff::1]:443"), None);
    assert_eq!(judge("10.2.0.0:443"), Some(Refusal::NotPublic));
    assert_eq!(judge("10.0.255.255:443"), Some(Refusal::NotPublic));
    assert_eq!(judge("10.1.7.9:443"), Some(Refusal::Denied));
    assert_eq!(judge("9.9.9.9:443"), Some(Refusal::Denied));
    assert_eq!(judge("10.1.0.5:8049"), Some(Refusal::Own));
    assert_eq!(judge("[::ffff:10.1.0.5]:8049"), Some(Refusal::Own));
    assert_eq!(judge("10.1.0.5:8050"), None);
    for port in [22, 23, 25, 110, 143, 445, 3306, 5432, 6379, 9200, 11211, 0] {
        assert_eq!(
            judge(&format!("8.8.8.8:{port}")),
            Some(Refusal::Port),
            "{port}"
        );
    }
    settings.allow_networks = vec!["0.0.0.0/0".parse().unwrap(), "::/0".parse().unwrap()];
    settings.own_addresses = vec!["0.0.0.0:8049".parse().unwrap()];
    let judge = |address: &str| settings.judge(address.parse().unwrap()).err();
    assert_eq!(
        judge("127.0.0.1:8049"),
        Some(Refusal::Own),
        "listening everywhere is listening here"
    );
    assert_eq!(judge("192.0.2.1:8049"), None);
    assert_eq!(judge("127.0.0.1:8050"), None);
    settings.own_addresses = vec!["127.0.0.1:8049".parse().unwrap()];
    for here in ["0.0.0.0:8049", "[::]:8049", "[::ffff:0.0.0.0]:8049"] {
        let refused = settings.judge(here.parse().unwrap()).err();
        assert_eq!(refused, Some(Refusal::Own), "{here}");
    }
}

#[test]
fn networks_are_read_strictly() {
    for wrong in [
        "",
        "10.0.0.0/33",
        "::/129",
        "10.0.0/8",
        "10.0.0.0/-1",
        "example.com",
        "10.0.0.0/",
    ] {
        assert!(
            wrong.parse::<sources::outbound::Network>().is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn a_network_in_ipv6_dress_is_the_ipv4_network() {
    use sources::outbound::Network;
    for (dressed, plain) in [
        ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
        ("::ffff:10.0.0.1", "10.0.0.1/32"),
        ("::ffff:0.0.0.0/96", "0.0.0.0/0"),
    ] {
        let dressed: Network = dressed.parse().unwrap();
        assert_eq!(dressed, plain.parse().unwrap(), "{plain}");
    }
    assert!("::ffff:0.0.0.0/95".parse::<Network>().is_err());
    let settings = EgressSettings {
        deny_networks: vec!["::ffff:8.8.8.0/120".parse().unwrap()],
        ..EgressSettings::default()
    };
    for closed in ["8.8.8.8:443", "[::ffff:8.8.8.8]:443"] {
        let verdict = settings.judge(closed.parse().unwrap());
        assert_eq!(verdict, Err(Refusal::Denied), "{closed}");
    }
}
