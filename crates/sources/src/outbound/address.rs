//! Which addresses are public: a table of what is not.
//!
//! The tables follow the IANA special-purpose registries for IPv4 and IPv6. Two decisions beyond them: IPv6
//! is closed outside 2000::/3, the only block from which public unicast addresses are given out (so loopback,
//! link-local, unique-local, multicast, mapped and translated addresses need no row of their own), and
//! 168.63.129.16, from which one cloud serves its machines' secrets, is closed though it looks public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Base and prefix length of every IPv4 block that is not the public's.
const IPV4_CLOSED: [(Ipv4Addr, u32); 17] = [
    (Ipv4Addr::UNSPECIFIED, 8),            // this network
    (Ipv4Addr::new(10, 0, 0, 0), 8),       // private use
    (Ipv4Addr::new(100, 64, 0, 0), 10),    // shared address space of providers
    (Ipv4Addr::new(127, 0, 0, 0), 8),      // loopback
    (Ipv4Addr::new(168, 63, 129, 16), 32), // a cloud's own service address
    (Ipv4Addr::new(169, 254, 0, 0), 16),   // link-local, where clouds serve metadata
    (Ipv4Addr::new(172, 16, 0, 0), 12),    // private use
    (Ipv4Addr::new(192, 0, 0, 0), 24),     // protocol assignments
    (Ipv4Addr::new(192, 0, 2, 0), 24),     // documentation
    (Ipv4Addr::new(192, 88, 99, 0), 24),   // 6to4 relays, given up
    (Ipv4Addr::new(192, 168, 0, 0), 16),   // private use
    (Ipv4Addr::new(198, 18, 0, 0), 15),    // benchmarking
    (Ipv4Addr::new(198, 51, 100, 0), 24),  // documentation
    (Ipv4Addr::new(203, 0, 113, 0), 24),   // documentation
    (Ipv4Addr::new(224, 0, 0, 0), 4),      // multicast
    (Ipv4Addr::new(240, 0, 0, 0), 4),      // reserved
    (Ipv4Addr::BROADCAST, 32),             // also in the row above
];

/// The block that public IPv6 unicast addresses come from.
const IPV6_OPEN: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Blocks inside it that are not the public's.
const IPV6_CLOSED: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23), // protocol assignments, Teredo
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32), // documentation
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16), // 6to4: carries any IPv4 address inside
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20), // documentation
];

/// Whether anybody on the internet may own this address.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => !IPV4_CLOSED
            .iter()
            .any(|(base, prefix)| (base.to_bits() ^ ip.to_bits()).leading_zeros() >= *prefix),
        IpAddr::V6(ip) => {
            let within = |(base, prefix): &(Ipv6Addr, u32)| {
                (base.to_bits() ^ ip.to_bits()).leading_zeros() >= *prefix
            };
            within(&IPV6_OPEN) && !IPV6_CLOSED.iter().any(within)
        }
    }
}
