//! The browser and the system that a `User-Agent` names, by which people know their own sessions again. Versions are left
//! out: they change while a session lasts, and tell nobody apart.

/// Browser and system named by a user agent; `None` for unknown names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UserAgent {
    pub browser: Option<&'static str>,
    pub system: Option<&'static str>,
}

/// Marks of browsers. Most also carry the marks of those below them, which they descend from.
const BROWSERS: [(&str, &str); 24] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("EdgiOS/", "Edge"),
    ("OPR/", "Opera"),
    ("OPT/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("MicroMessenger/", "WeChat"),
    ("QQBrowser/", "QQ Browser"),
    ("UCBrowser/", "UC Browser"),
    ("HuaweiBrowser/", "Huawei Browser"),
    ("MiuiBrowser/", "Mi Browser"),
    ("VivoBrowser/", "Vivo Browser"),
    ("HeyTapBrowser/", "OPPO Browser"),
    ("YaBrowser/", "Yandex Browser"),
    ("Vivaldi/", "Vivaldi"),
    ("DuckDuckGo/", "DuckDuckGo"),
    ("Ddg/", "DuckDuckGo"),
    ("Epiphany/", "GNOME Web"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Safari/", "Safari"),
];

/// Marks of systems: phones also carry the marks of systems that theirs derive from.
const SYSTEMS: [(&str, &str); 11] = [
    ("iPhone", "iOS"),
    ("iPad", "iPadOS"),
    ("OpenHarmony", "HarmonyOS"),
    ("HarmonyOS", "HarmonyOS"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("FreeBSD", "FreeBSD"),
    ("OpenBSD", "OpenBSD"),
    ("Linux", "Linux"),
];

impl UserAgent {
    /// The names in a header's value.
    pub fn of(header: &str) -> Self {
        let named = |marks: &[(&str, &'static str)]| {
            let found = marks.iter().find(|(mark, _)| header.contains(mark));
            found.map(|(_, name)| *name)
        };
        Self { browser: named(&BROWSERS), system: named(&SYSTEMS) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_and_systems_are_told_apart() {
        const WEBKIT: &str = "AppleWebKit/537.36 (KHTML, like Gecko)";
        for (header, browser, system) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox", "Linux"),
            ("Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox", "Android"),
            (
                &format!("Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/143.0.0.0 Safari/537.36"),
                "Chrome",
                "Windows",
            ),
            (
                &format!(
                    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) {WEBKIT} Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0"
                ),
                "Edge",
                "Windows",
            ),
            (
                &format!("Mozilla/5.0 (X11; Linux x86_64) {WEBKIT} HeadlessChrome/143.0.0.0 Safari/537.36"),
                "Chrome",
                "Linux",
            ),
            (
                &format!("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) {WEBKIT} Chrome/143.0.0.0 Safari/537.36"),
                "Chrome",
                "ChromeOS",
            ),
            (
                &format!(
                    "Mozilla/5.0 (Linux; Android 10; K) {WEBKIT} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36"
                ),
                "Samsung Internet",
                "Android",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.5 Mobile/15E148 Safari/604.1",
                "Safari",
                "iOS",
            ),
            (
                "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/143.0 \
                 Mobile/15E148 Safari/604.1",
                "Chrome",
                "iPadOS",
            ),
            (
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 \
                 Safari/605.1.15",
                "Safari",
                "macOS",
            ),
            (
                "Mozilla/5.0 (Linux; Android 14; V2301A) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0 \
                 Mobile Safari/537.36 MicroMessenger/8.0.56",
                "WeChat",
                "Android",
            ),
        ] {
            assert_eq!(UserAgent::of(header), UserAgent { browser: Some(browser), system: Some(system) }, "{header}");
        }
        assert_eq!(UserAgent::of("curl/8.14.1"), UserAgent::default());
        assert_eq!(UserAgent::of(""), UserAgent::default());
    }
}
