//! Which IP addresses may be connected to: global unicast alone (S71), by IANA's registries of special-purpose addresses
//! (RFC 6890).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use ipnet::{Ipv4Net, Ipv6Net};

/// IPv4 networks that are not public.
const REFUSED_V4: &[&str] = &[
    "0.0.0.0/8",        // this host; Linux connects to itself
    "10.0.0.0/8",       // private
    "100.64.0.0/10",    // shared by customers of a provider; metadata of one cloud
    "127.0.0.0/8",      // loopback
    "168.63.129.16/32", // public by its number, but the virtual machine's host of one cloud
    "169.254.0.0/16",   // link-local; metadata of most clouds
    "172.16.0.0/12",    // private
    "192.0.0.0/24",     // protocol assignments; metadata of one cloud
    "192.0.2.0/24",     // documentation
    "192.88.99.0/24",   // relays of 6to4
    "192.168.0.0/16",   // private
    "198.18.0.0/15",    // benchmarks
    "198.51.100.0/24",  // documentation
    "203.0.113.0/24",   // documentation
    "224.0.0.0/4",      // multicast
    "240.0.0.0/4",      // reserved, and broadcast
];

/// The IPv6 networks of global unicast addresses. All others are not public: loopback, unspecified, mapped and compatible
/// IPv4, unique local, link-local and site-local addresses, multicast, discarded ones, segment routing.
const ALLOWED_V6: &[&str] = &[
    "2000::/3",
    // NAT64: IPv4 receivers as hosts see them that have IPv6 alone.
    "64:ff9b::/96",
];

/// Networks inside of these that are not public.
const REFUSED_V6: &[&str] = &[
    "2001::/23",     // protocol assignments, Teredo among them
    "2001:db8::/32", // documentation
    "3fff::/20",     // documentation
];

static V4: LazyLock<Vec<Ipv4Net>> = LazyLock::new(|| networks(REFUSED_V4));
static V6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| networks(REFUSED_V6));
static GLOBAL_V6: LazyLock<Vec<Ipv6Net>> = LazyLock::new(|| networks(ALLOWED_V6));

fn networks<N: std::str::FromStr>(texts: &[&str]) -> Vec<N> {
    let parsed = texts.iter().map(|text| text.parse().ok());
    parsed.map(|network| network.expect("the tables hold networks")).collect()
}

/// Whether an address is a public one.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            GLOBAL_V6.iter().any(|network| network.contains(&address))
                && !V6.iter().any(|network| network.contains(&address))
                && carried(address).is_none_or(is_public_v4)
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !V4.iter().any(|network| network.contains(&address))
}

/// The IPv4 address to which packets for this one go in the end: NAT64, 6to4 and ISATAP.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let s = address.segments();
    let of = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match s {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(of(high, low)),
        [0x2002, high, low, ..] => Some(of(high, low)),
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(of(high, low)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use url::{Host, Url};

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    enum Is {
        Public,
        Refused,
        /// A name; its addresses are checked when it is resolved.
        Name,
        NoHost,
    }

    fn judged(host: &str) -> Is {
        let Ok(url) = Url::parse(&format!("http://{host}/")) else {
            return Is::NoHost;
        };
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) => return Is::Name,
            None => return Is::NoHost,
        };
        match is_public(address) {
            true => Is::Public,
            false => Is::Refused,
        }
    }

    #[rustfmt::skip] // A table.
    const TABLE: &[(Is, &[&str])] = &[
        (Is::Refused, &[
            // Unspecified, loopback, private, shared, link-local.
            "0.0.0.0", "0.1.2.3", "127.0.0.1", "127.255.255.254", "10.0.0.1", "10.255.255.255", "172.16.0.1",
            "172.31.255.255", "192.168.0.1", "192.168.255.255", "100.64.0.0", "100.127.255.255", "169.254.0.1",
            // Metadata of clouds.
            "169.254.169.254", "100.100.100.200", "192.0.0.192", "168.63.129.16", "[fd00:ec2::254]",
            // Documentation, benchmarks, multicast, reserved, broadcast.
            "192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "198.19.255.255", "224.0.0.1",
            "239.255.255.255", "240.0.0.1", "255.255.255.255", "192.88.99.1",
            // The same addresses, written otherwise: decimal, octal, hexadecimal, short, with a dot behind, in other
            // digits.
            "2130706433", "017700000001", "0x7f000001", "0X7F.1", "127.1", "127.0.1", "0177.0.0.1", "0x7f.0x0.0x0.0x1",
            "0", "0x0", "10.1", "3232235521", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "127.0.0.1.",
            "①②⑦.⓪.⓪.①", "１２７.0.0.1", "127。0。0。1", "%31%32%37.0.0.1",
            // IPv6: unspecified, loopback, unique local, link-local, site-local, multicast, discarded, documentation.
            "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[fc00::1]", "[fdff:ffff::1]", "[FD00::1]", "[fe80::1]", "[febf::1]",
            "[fec0::1]", "[feff::1]", "[ff02::1]", "[ff0e::1]", "[100::1]", "[2001:db8::1]", "[3fff::1]", "[5f00::1]",
            "[2001:2::1]", "[2001:10::1]",
            // IPv6 that carries IPv4: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
            "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::FFFF:10.0.0.1]", "[::ffff:169.254.169.254]", "[::127.0.0.1]",
            "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::a00:1]", "[64:ff9b::169.254.169.254]",
            "[64:ff9b:1::1]", "[64:ff9b:1:a00:0:100::]", "[2002:7f00:1::1]", "[2002:a00:1::]", "[2002:c0a8:101::1]",
            "[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "[2001::1]", "[2a00:1450::5efe:10.0.0.1]",
            "[2a00:1450::200:5efe:127.0.0.1]", "[fe80::5efe:10.0.0.1]",
        ]),
        (Is::Public, &[
            "8.8.8.8", "1.1.1.1", "134744072", "0x08080808", "010.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255",
            "100.128.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255",
            "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.17", "[2606:4700::1111]", "[2a00:1450::1]",
            "[64:ff9b::8.8.8.8]", "[2002:808:808::1]", "[2a00:1450::5efe:8.8.8.8]", "[2001:200::1]", "[3ffe:ffff::1]",
        ]),
        (Is::Name, &[
            "localhost", "LOCALHOST", "localhost.", "example.com", "EXAMPLE.com.", "127.0.0.1.nip.io", "xn--fsqu00a.xn--fiqs8s",
            "例子.中国", "ⓔxample.com", "metadata.google.internal", "1.2.3.4.a", "127.0.0.1..",
        ]),
        (Is::NoHost, &[
            "", "256.0.0.1", "1.2.3.4.5", "4294967296", "0x1ffffffff", "08.1.1.1", "[::1", "[fe80::1%25eth0]",
            "[fe80::1%eth0]", "[::1.2.3]", "exa mple.com", "exa%00mple.com", "xn--a.com",
        ]),
    ];

    #[test]
    fn only_public_addresses_are_connected_to() {
        let mut faults = Vec::new();
        for (is, hosts) in TABLE {
            for host in *hosts {
                let found = judged(host);
                if found != *is {
                    faults.push(format!("{host}: {found:?} instead of {is:?}"));
                }
            }
        }
        assert!(faults.is_empty(), "{faults:#?}");
        assert!(TABLE[0].1.len() >= 60);
    }

    #[test]
    fn the_ends_of_each_refused_network_are_refused() {
        for network in V4.iter() {
            assert!(!is_public(IpAddr::V4(network.network())), "{network}");
            assert!(!is_public(IpAddr::V4(network.broadcast())), "{network}");
        }
        for network in V6.iter() {
            assert!(!is_public(IpAddr::V6(network.network())), "{network}");
            assert!(!is_public(IpAddr::V6(network.broadcast())), "{network}");
        }
    }
}
