//! A headless Chromium, driven by plain WebDriver calls.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{means, until};

pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';

const PATIENCE: Duration = Duration::from_secs(60);

/// Browsers are heavy: one at a time.
static TURN: Mutex<()> = Mutex::new(());

/// A browser window; gone on drop.
pub struct Browser {
    driver: Child,
    session: String,
    agent: ureq::Agent,
    _profile: TempDir,
    _turn: MutexGuard<'static, ()>,
}

/// How the window is.
#[derive(Clone, Copy)]
pub struct Look {
    pub width: u32,
    pub height: u32,
    pub script: bool,
    pub dark: bool,
}

impl Look {
    pub const PHONE: Self = Self { width: 360, height: 740, script: true, dark: false };
    pub const DESK: Self = Self { width: 1280, height: 900, ..Self::PHONE };

    pub fn without_script(self) -> Self {
        Self { script: false, ..self }
    }

    pub fn dark(self) -> Self {
        Self { dark: true, ..self }
    }
}

impl Browser {
    /// Whether the machine has one. Each test asks this first: without a browser it fails here, or is skipped.
    pub fn is_installed() -> bool {
        means::has(&["chromium", "chromedriver"])
    }

    pub fn open(look: Look) -> Self {
        let turn = TURN.lock().unwrap_or_else(|broken| broken.into_inner());
        let (driver, port) = drive();
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(Duration::from_secs(90)))
            .build()
            .new_agent();
        let profile = tempfile::tempdir().expect("a temporary folder");
        let args = [
            "--headless".to_owned(),
            "--no-sandbox".to_owned(),
            "--disable-gpu".to_owned(),
            "--disable-quic".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--no-first-run".to_owned(),
            "--disable-background-networking".to_owned(),
            "--disable-component-update".to_owned(),
            "--disable-sync".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--lang=en-GB".to_owned(),
            // A microphone that beeps, and that needs no consent.
            "--use-fake-device-for-media-stream".to_owned(),
            "--use-fake-ui-for-media-stream".to_owned(),
            format!("--user-data-dir={}", profile.path().display()),
        ];
        let prefs =
            if look.script { json!({}) } else { json!({"profile.managed_default_content_settings.javascript": 2}) };
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "goog:chromeOptions": {"args": args, "prefs": prefs, "perfLoggingPrefs": {"enablePage": false}},
        }}});
        let base = format!("http://127.0.0.1:{port}/session");
        let made = post(&agent, &base, &wanted);
        let id = made["sessionId"].as_str().unwrap_or_else(|| panic!("no session: {made}"));
        let browser = Self { session: format!("{base}/{id}"), driver, agent, _profile: profile, _turn: turn };
        browser.look(look);
        // A window that nobody has clicked into yet takes the focus all the same.
        browser.devtools("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        browser
    }

    /// Changes the size and the colour scheme.
    pub fn look(&self, look: Look) {
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            json!({"width": look.width, "height": look.height, "deviceScaleFactor": 1, "mobile": look.width < 600}),
        );
        let scheme = if look.dark { "dark" } else { "light" };
        self.devtools(
            "Emulation.setEmulatedMedia",
            json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
    }

    /// Asks pages for no motion, as a setting of the device does.
    pub fn stand_still(&self) {
        let still = json!({"name": "prefers-reduced-motion", "value": "reduce"});
        self.devtools("Emulation.setEmulatedMedia", json!({"features": [still]}));
    }

    /// Draws pages in a few colours of the device, as people choose who need strong contrast.
    pub fn force_colors(&self) {
        let forced = json!({"name": "forced-colors", "value": "active"});
        self.devtools("Emulation.setEmulatedMedia", json!({"features": [forced]}));
    }

    /// Goes into a frame of the page, by its number, or out of it.
    pub fn frame(&self, at: Option<usize>) {
        self.post("frame", json!({"id": at}));
    }

    /// What is drawn in a part of the page: left, top, width and height.
    pub fn pixels(&self, [x, y, width, height]: [f64; 4]) -> image::RgbImage {
        let clip = json!({"x": x, "y": y, "width": width, "height": height, "scale": 1});
        let wanted = json!({"captureBeyondViewport": true, "clip": clip});
        let shot = self.devtools("Page.captureScreenshot", wanted);
        let png = base64::engine::general_purpose::STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        let image = image::load_from_memory(&png.expect("a picture"));
        image.expect("a picture").to_rgb8()
    }

    /// Takes the network away, or gives it back.
    pub fn offline(&self, is_offline: bool) {
        self.devtools("Network.enable", json!({}));
        self.devtools(
            "Network.emulateNetworkConditions",
            json!({"offline": is_offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}),
        );
    }

    /// Lets no more than so many bytes out a second.
    pub fn slow(&self, bytes: u64) {
        self.devtools("Network.enable", json!({}));
        self.devtools(
            "Network.emulateNetworkConditions",
            json!({"offline": false, "latency": 0, "downloadThroughput": -1, "uploadThroughput": bytes}),
        );
    }

    /// A slow mobile network, as the field's tools mean it: 400 kbit/s and 400 ms to and fro.
    pub fn mobile_network(&self) {
        self.devtools("Network.enable", json!({}));
        self.devtools(
            "Network.emulateNetworkConditions",
            json!({"offline": false, "latency": 400, "downloadThroughput": 50_000, "uploadThroughput": 50_000}),
        );
    }

    /// Loads no module of any page from now on. Scripts of the driver still run, unlike where scripts are off.
    pub fn without_modules(&self) {
        self.devtools("Network.enable", json!({}));
        self.devtools("Network.setBlockedURLs", json!({"urls": ["*.js"]}));
    }

    /// Chooses files, as a person does in the browser's own window.
    pub fn choose(&self, name: &str, paths: &[PathBuf]) {
        let selector = format!("input[type=file][name='{name}']");
        let found = self.post("element", json!({"using": "css selector", "value": selector}));
        let id = found.as_object().and_then(|found| found.values().next());
        let id = id.and_then(Value::as_str).expect("an input");
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        self.post(&format!("element/{id}/value"), json!({"text": paths.join("\n")}));
    }

    /// Stands somewhere, and lets pages know where.
    pub fn stand_at(&self, latitude: f64, longitude: f64) {
        let place = json!({"latitude": latitude, "longitude": longitude, "accuracy": 5});
        self.devtools("Emulation.setGeolocationOverride", place);
        self.devtools("Browser.grantPermissions", json!({"permissions": ["geolocation"]}));
    }

    /// Draws with the mouse, from point to point of the window.
    pub fn drag(&self, points: &[(f64, f64)]) {
        let mouse = |kind: &str, (x, y): (f64, f64)| {
            let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
            self.devtools("Input.dispatchMouseEvent", event);
        };
        if let [first, .., last] = points {
            mouse("mousePressed", *first);
            for point in points {
                mouse("mouseMoved", *point);
            }
            mouse("mouseReleased", *last);
        }
    }

    /// Says yes to what the page asks, or will ask in a moment.
    pub fn agree(&self) {
        let address = format!("{}/alert/accept", self.session);
        let is_asked = || self.agent.post(&address).send_json(json!({}));
        until("the page asks", || is_asked().is_ok_and(|answer| answer.status().is_success()));
    }

    /// How much of the page has moved by itself since it was loaded (Cumulative Layout Shift).
    pub fn shifted(&self) -> f64 {
        let sum = self.run(
            "return new Promise(done => { let sum = 0;
             new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput) sum += e.value; })
                 .observe({type: 'layout-shift', buffered: true});
             setTimeout(() => done(sum), 200); })",
        );
        sum.as_f64().expect("a sum")
    }

    /// What moved by itself, and how far, for a message.
    pub fn shifts(&self) -> Value {
        self.run(
            "return new Promise(done => { const all = [];
             const say = node => node?.nodeType === 1 ? node.outerHTML.slice(0, 90) : String(node?.nodeName);
             new PerformanceObserver(list => { for (const e of list.getEntries()) if (!e.hadRecentInput)
                 all.push(...e.sources.map(s => `${say(s.node)} from ${Math.round(s.previousRect.top)} to ${Math.round(s.currentRect.top)}, ${Math.round(s.previousRect.height)} to ${Math.round(s.currentRect.height)} high`)); })
                 .observe({type: 'layout-shift', buffered: true});
             setTimeout(() => done(all), 200); })",
        )
    }

    /// Roles and names, as screen readers are told them, in the page's order.
    pub fn tree(&self) -> Vec<(String, String)> {
        let tree = self.devtools("Accessibility.getFullAXTree", json!({}));
        let nodes = tree["nodes"].as_array().into_iter().flatten();
        let told = nodes.filter(|node| node["ignored"] != json!(true));
        let text = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
        told.map(|node| (text(&node["role"]), text(&node["name"]))).collect()
    }

    /// Shows the page as it would be printed.
    pub fn print(&self) {
        self.devtools("Emulation.setEmulatedMedia", json!({"media": "print"}));
    }

    fn devtools(&self, cmd: &str, params: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": cmd, "params": params}))
    }

    fn post(&self, path: &str, body: Value) -> Value {
        post(&self.agent, &format!("{}/{path}", self.session), &body)
    }

    pub fn go(&self, address: &str) {
        self.post("url", json!({"url": address}));
    }

    /// Runs a script in the page. It also works where the page itself may run none.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({"script": script, "args": []}))
    }

    /// Runs a script that says later what it found: its last argument is the way to say it.
    pub fn wait_for(&self, script: &str, args: Value) -> Value {
        self.post("execute/async", json!({"script": script, "args": args}))
    }

    /// The text that is seen at the first element of this selector.
    pub fn text(&self, selector: &str) -> String {
        let script = format!(
            "const e = document.querySelector({}); return e && e.checkVisibility() ? e.innerText : ''",
            json!(selector)
        );
        self.run(&script).as_str().unwrap_or_default().to_owned()
    }

    /// Waits until an expression of the page is true.
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        while self.run(&format!("return Boolean({expression})")) != json!(true) {
            assert!(begun.elapsed() < PATIENCE, "in vain: {expression}; {}", self.text("main"));
            std::thread::sleep(Duration::from_millis(25));
        }
    }

    /// Presses keys, one after the other.
    pub fn keys(&self, keys: impl IntoIterator<Item = char>) {
        let actions: Vec<Value> = keys
            .into_iter()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({"type": kind, "value": key.to_string()})))
            .collect();
        self.actions(&actions);
    }

    /// Holds the Enter key down until it has repeated so many times.
    pub fn hold_enter(&self, repeats: usize) {
        let key = |kind: &str, is_repeat: bool| json!({"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r", "autoRepeat": is_repeat});
        for n in 0..=repeats {
            self.devtools("Input.dispatchKeyEvent", key("keyDown", n > 0));
        }
        self.devtools("Input.dispatchKeyEvent", key("keyUp", false));
    }

    /// Presses keys together.
    pub fn chord(&self, keys: &[char]) {
        let key = |kind: &str, key: &char| json!({"type": kind, "value": key.to_string()});
        let down = keys.iter().map(|one| key("keyDown", one));
        let up = keys.iter().rev().map(|one| key("keyUp", one));
        self.actions(&down.chain(up).collect::<Vec<_>>());
    }

    fn actions(&self, actions: &[Value]) {
        self.post("actions", json!({"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}));
    }

    /// Goes a page back, as its button does.
    pub fn back(&self) {
        self.post("back", json!({}));
    }

    /// What the console said since it was last asked, but for the statuses of pages themselves, and of what their
    /// scripts ask for: those are seen on the page.
    pub fn complaints(&self) -> Vec<String> {
        let pages = self.seen();
        let mut said = self.log("browser");
        said.retain(|message| {
            let failed = " - Failed to load resource: the server responded with a status of ";
            let told = message.split_once(failed);
            let told = told.filter(|(_, status)| status.starts_with('4') || status.starts_with("503"));
            let address = told.map(|(address, _)| address);
            // What answers is told without the place in it.
            let address = address.and_then(|address| address.split('#').next());
            !address.is_some_and(|address| pages.iter().any(|page| page == address))
        });
        said
    }

    /// Addresses of pages, also in frames, and of what scripts asked for, that were answered since it was last asked.
    fn seen(&self) -> Vec<String> {
        let events = self.log("performance").into_iter();
        let events = events.filter_map(|event| serde_json::from_str::<Value>(&event).ok());
        events
            .map(|event| event["message"].clone())
            .filter(|event| event["method"] == "Network.responseReceived")
            .filter_map(|event| {
                let url = event["params"]["response"]["url"].as_str()?;
                let kind = event["params"]["type"].as_str()?;
                let is_seen = ["Document", "Fetch", "XHR"].contains(&kind);
                is_seen.then(|| url.to_owned())
            })
            .collect()
    }

    fn log(&self, name: &str) -> Vec<String> {
        let log = self.post("se/log", json!({"type": name}));
        let entries = log.as_array().into_iter().flatten();
        let messages = entries.filter_map(|entry| entry["message"].as_str());
        messages.map(str::to_owned).collect()
    }

    /// What axe-core finds.
    pub fn axe(&self) -> Vec<String> {
        let Ok(path) = std::env::var("TEST_AXE") else {
            means::skip("TEST_AXE, the axe.min.js of the npm package axe-core, as tests/run sets it");
            return Vec::new();
        };
        let axe = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        self.run(&axe);
        let found = self.post(
            "execute/async",
            json!({"script": "const done = arguments[0]; axe.run(document, {resultTypes: ['violations']}).then(
                found => done(found.violations.map(v => v.id + ': ' + v.help + ' ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | '))),
                fault => done(['axe failed: ' + fault]))", "args": []}),
        );
        let found = found.as_array().unwrap_or_else(|| panic!("{found}"));
        found.iter().map(|line| line.as_str().unwrap_or("?").to_owned()).collect()
    }

    /// Keeps a picture of the whole page in the folder that TEST_SHOTS names, if it names one.
    pub fn shot(&self, name: &str, look: Look) {
        let Some(folder) = std::env::var_os("TEST_SHOTS").map(PathBuf::from) else {
            return;
        };
        let height = self.run("return document.documentElement.scrollHeight").as_u64().unwrap_or(0);
        let shot = self.devtools(
            "Page.captureScreenshot",
            json!({"captureBeyondViewport": true, "clip": {"x": 0, "y": 0, "width": look.width,
                "height": height.max(u64::from(look.height)), "scale": 1}}),
        );
        let data = shot["data"].as_str().unwrap_or_default();
        let png = base64::engine::general_purpose::STANDARD.decode(data).expect("a picture");
        std::fs::create_dir_all(&folder).expect("the folder of pictures");
        std::fs::write(folder.join(format!("{name}.png")), png).expect("a picture is kept");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.agent.delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A driver of browsers that listens, and its port. It looks for a free port on 127.0.0.1 and wants the same
/// on ::1, where another program may have it: then it ends, and the next one finds another.
fn drive() -> (Child, String) {
    let mut said = String::new();
    for _ in 0..20 {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts: install chromium and chromium-driver, as tests/run does");
        let mut lines = BufReader::new(driver.stdout.take().expect("piped")).lines();
        for line in lines.by_ref().map_while(Result::ok) {
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                std::thread::spawn(move || lines.for_each(drop));
                return (driver, port.trim_end_matches('.').to_owned());
            }
            said = line;
        }
        let _ = driver.wait();
    }
    panic!("chromedriver does not start: {said}");
}

fn post(agent: &ureq::Agent, address: &str, body: &Value) -> Value {
    let mut answer = agent.post(address).send_json(body).unwrap_or_else(|e| panic!("{address}: {e}"));
    let status = answer.status();
    let body: Value =
        answer.body_mut().with_config().limit(64 << 20).read_json().unwrap_or_else(|e| panic!("{address}: {e}"));
    let message = &body["value"]["message"];
    assert!(status.is_success(), "{address}: {message}");
    body["value"].clone()
}

#[test]
fn a_page_that_is_refused_is_no_complaint_and_an_asset_that_is_missing_is_one() {
    if !Browser::is_installed() {
        return;
    }
    let server = crate::support::Server::shared();
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}/f/nothinghere", server.base));
    assert_eq!(browser.complaints(), crate::steps::NOTHING);
    // Not a script: pages refuse to be given addresses of any.
    for (element, attribute) in [("link", "href"), ("img", "src")] {
        browser.go(&format!("{}/f/nothinghere", server.base));
        browser.run(&format!(
            "const e = document.createElement('{element}'); e.rel = 'stylesheet'; e.{attribute} = '/assets/gone'; document.head.append(e);
             return new Promise(done => e.onerror = () => done(null))"
        ));
        let said = browser.complaints();
        assert!(said.iter().any(|said| said.contains("/assets/gone")), "{element} {said:?}");
    }
}
