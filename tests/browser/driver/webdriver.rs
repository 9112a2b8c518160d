//! A headless Chromium, driven by plain WebDriver calls.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use support::{means, until};

use crate::driver::worker::{Context, Worker};

pub const TAB: char = '\u{e004}';
pub const ENTER: char = '\u{e007}';

const PATIENCE: Duration = Duration::from_secs(60);

/// A browser window that shares nothing with other tests; gone on drop.
pub struct Browser {
    /// There until the drop.
    worker: Option<Worker>,
    context: Context,
    /// Addresses of pages, also in frames, and of their scripts' requests, that were answered.
    seen: RefCell<HashSet<String>>,
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
        means::has(&["chromium-headless-shell", "chromedriver"])
    }

    pub fn open(look: Look) -> Self {
        let mut worker = Worker::take();
        let context = worker.open_context();
        let browser = Self { worker: Some(worker), context, seen: RefCell::default() };
        if !look.script {
            browser.devtools("Emulation.setScriptExecutionDisabled", json!({"value": true}));
        }
        browser.look(look);
        // A window that nobody has clicked into yet takes the focus all the same.
        browser.devtools("Emulation.setFocusEmulationEnabled", json!({"enabled": true}));
        browser
    }

    fn worker(&self) -> &Worker {
        self.worker.as_ref().expect("it is there until the drop")
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

    /// Makes the current page dark, as a setting of the device does, and waits until no colour changes any more.
    pub fn darken(&self, look: Look) {
        self.look(look.dark());
        self.until("!document.getAnimations().some(one => one instanceof CSSTransition)");
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

    /// The pixels of a part of the page: left, top, width and height.
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

    /// Limits the upload to so many bytes a second.
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

    /// Keeps files that pages hand out in this folder.
    pub fn keep_files(&self, folder: &Path) {
        let kept = json!({"behavior": "allow", "downloadPath": folder, "browserContextId": self.context.id});
        self.devtools("Browser.setDownloadBehavior", kept);
    }

    /// Stands somewhere, and lets pages know where.
    pub fn stand_at(&self, latitude: f64, longitude: f64) {
        let place = json!({"latitude": latitude, "longitude": longitude, "accuracy": 5});
        self.devtools("Emulation.setGeolocationOverride", place);
        let allowed = json!({"permissions": ["geolocation"], "browserContextId": self.context.id});
        self.devtools("Browser.grantPermissions", allowed);
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

    /// Presses, moves or lets go of the mouse at a point of the window: `mousePressed`, `mouseMoved`, `mouseReleased`.
    pub fn mouse(&self, kind: &str, (x, y): (f64, f64)) {
        let event = json!({"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1});
        self.devtools("Input.dispatchMouseEvent", event);
    }

    /// Whether the device is worked by fingers, which hit less exactly than a mouse.
    pub fn fingers(&self, are_there: bool) {
        self.devtools("Emulation.setTouchEmulationEnabled", json!({"enabled": are_there}));
    }

    /// Taps on what a selector finds, as a finger does.
    pub fn tap(&self, selector: &str) {
        self.fingers(true);
        let at = self.run(&format!(
            "const e = document.querySelector({}); if (!e.closest(':popover-open')) e.scrollIntoView({{block: 'center', behavior: 'instant'}});
             const box = e.getBoundingClientRect(); return [box.x + Math.min(box.width / 2, 40), box.y + box.height / 2]",
            json!(selector)
        ));
        self.touch(&[(at[0].as_f64().expect("x"), at[1].as_f64().expect("y"))]);
    }

    /// Draws with a finger, from point to point of the window.
    pub fn swipe(&self, points: &[(f64, f64)]) {
        self.fingers(true);
        self.touch(points);
    }

    /// Moves a finger from point to point, in one command: one that rests too long neither clicks nor scrolls.
    fn touch(&self, points: &[(f64, f64)]) {
        let mut actions: Vec<Value> = points
            .iter()
            .map(|(x, y)| json!({"type": "pointerMove", "x": x, "y": y, "duration": 0}))
            .chain([json!({"type": "pointerUp", "button": 0})])
            .collect();
        actions.insert(1, json!({"type": "pointerDown", "button": 0}));
        let finger =
            json!({"type": "pointer", "id": "finger", "parameters": {"pointerType": "touch"}, "actions": actions});
        self.post("actions", json!({"actions": [finger]}));
    }

    /// Begins to compose a text where the focus is, as input methods of Chinese do, or goes on with it.
    pub fn compose(&self, text: &str) {
        let end = text.chars().count();
        let composed = json!({"text": text, "selectionStart": end, "selectionEnd": end});
        self.devtools("Input.imeSetComposition", composed);
    }

    /// Puts a text in the place of what is being composed.
    pub fn composed(&self, text: &str) {
        self.devtools("Input.insertText", json!({"text": text}));
    }

    /// Counts of the page up to now, by names: times in seconds, sizes in bytes.
    pub fn metrics(&self) -> BTreeMap<String, f64> {
        self.devtools("Performance.enable", json!({}));
        let found = self.devtools("Performance.getMetrics", json!({}));
        let metrics = found["metrics"].as_array().into_iter().flatten();
        metrics.filter_map(|one| Some((one["name"].as_str()?.to_owned(), one["value"].as_f64()?))).collect()
    }

    /// Frees what no page needs any more, and says how many nodes are still held that belong to none.
    pub fn detached(&self) -> usize {
        for _ in 0..2 {
            self.devtools("HeapProfiler.collectGarbage", json!({}));
        }
        let found = self.devtools("DOM.getDetachedDomNodes", json!({}));
        found["detachedNodes"].as_array().map_or(0, Vec::len)
    }

    /// Says yes to what the page asks, or will ask in a moment.
    pub fn agree(&self) {
        let address = format!("{}/alert/accept", self.worker().session);
        let is_asked = || self.worker().agent.post(&address).send_json(json!({}));
        until("the page asks", || is_asked().is_ok_and(|answer| answer.status().is_success()));
    }

    /// Leaves out the layout shifts up to now: they answer a user's action, which browsers count as such only within
    /// half a second.
    pub fn answered(&self) {
        self.run(
            "return new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
                 window.answeredAt = performance.now(); done(null) })))",
        );
    }

    /// How much of the page has moved by itself since it was loaded (Cumulative Layout Shift).
    pub fn shifted(&self) -> f64 {
        let sum = self.run(
            "return new Promise(done => { let sum = 0;
             const add = shifts => { for (const e of shifts) if (!e.hadRecentInput && e.startTime > (window.answeredAt ?? 0)) sum += e.value; };
             const observer = new PerformanceObserver(list => add(list.getEntries()));
             observer.observe({type: 'layout-shift', buffered: true});
             setTimeout(() => { add(observer.takeRecords()); done(sum) }, 200); })",
        );
        sum.as_f64().expect("a sum")
    }

    /// The layout shifts, and how far each moved, for a message.
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

    /// Roles and names, as screen readers get them, in the page's order.
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

    /// Ends the session as if it were another day.
    pub fn forget_cookies(&self) {
        self.devtools("Network.clearBrowserCookies", json!({}));
    }

    pub fn set_cookie(&self, base: &str, name: &str, value: &str) {
        self.devtools("Network.setCookie", json!({"name": name, "value": value, "url": base}));
    }

    /// The page as a PDF, as it would be printed.
    pub fn pdf(&self) -> Vec<u8> {
        let printed = self.devtools("Page.printToPDF", json!({"paperWidth": 8.27, "paperHeight": 11.69}));
        let pdf = base64::engine::general_purpose::STANDARD.decode(printed["data"].as_str().unwrap_or_default());
        pdf.expect("a document")
    }

    fn devtools(&self, cmd: &str, params: Value) -> Value {
        self.post("goog/cdp/execute", json!({"cmd": cmd, "params": params}))
    }

    fn post(&self, path: &str, body: Value) -> Value {
        self.worker().post(path, body)
    }

    pub fn go(&self, address: &str) {
        self.post("url", json!({"url": address}));
    }

    /// Runs a script in the page. It also works where the page itself may run none.
    pub fn run(&self, script: &str) -> Value {
        self.post("execute/sync", json!({"script": script, "args": []}))
    }

    /// Runs a script that reports its result later: its last argument is the callback.
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

    /// Waits until an expression of the page is true. It may fail before: a part of the page may still be missing.
    pub fn until(&self, expression: &str) {
        let begun = Instant::now();
        let script = format!("try {{ return Boolean({expression}) }} catch (fault) {{ return String(fault) }}");
        loop {
            let found = self.run(&script);
            if found == json!(true) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "in vain: {expression}; {found}; {}", self.text("main"));
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

    /// Goes forward to the page that somebody came back from.
    pub fn forward(&self) {
        self.post("forward", json!({}));
    }

    /// The messages of the console since the last call, except for the statuses of pages themselves, and of their
    /// scripts' requests: those are seen on the page.
    pub fn complaints(&self) -> Vec<String> {
        // Before the answers: each that a message is about has come by then.
        let mut said = self.log("browser");
        self.note_seen();
        let seen = self.seen.borrow();
        said.retain(|message| {
            let failed = " - Failed to load resource: the server responded with a status of ";
            let told = message.split_once(failed);
            let told = told.filter(|(_, status)| status.starts_with('4') || status.starts_with("503"));
            let address = told.map(|(address, _)| address);
            // The address of an answer is told without the place in it.
            let address = address.and_then(|address| address.split('#').next());
            !address.is_some_and(|address| seen.contains(address))
        });
        said
    }

    /// Notes the addresses that were answered since the last call.
    fn note_seen(&self) {
        let events = self.log("performance").into_iter();
        let events = events.filter_map(|event| serde_json::from_str::<Value>(&event).ok());
        let seen = events
            .map(|event| event["message"].clone())
            .filter(|event| event["method"] == "Network.responseReceived")
            .filter_map(|event| {
                let url = event["params"]["response"]["url"].as_str()?;
                let kind = event["params"]["type"].as_str()?;
                let is_seen = ["Document", "Fetch", "XHR"].contains(&kind);
                is_seen.then(|| url.to_owned())
            });
        self.seen.borrow_mut().extend(seen);
    }

    fn log(&self, name: &str) -> Vec<String> {
        let log = self.post("se/log", json!({"type": name}));
        let entries = log.as_array().into_iter().flatten();
        let messages = entries.filter_map(|entry| entry["message"].as_str());
        messages.map(str::to_owned).collect()
    }

    /// The findings of axe-core.
    pub fn axe(&self) -> Vec<String> {
        self.run_axe(json!({}))
    }

    /// The findings of axe-core on colours: nothing else depends on whether a page is light or dark.
    pub fn axe_of_colors(&self) -> Vec<String> {
        self.run_axe(json!({"runOnly": ["color-contrast", "link-in-text-block"]}))
    }

    fn run_axe(&self, mut options: Value) -> Vec<String> {
        let Ok(path) = std::env::var("TEST_AXE") else {
            means::skip("TEST_AXE, the axe.min.js of the npm package axe-core, as tests/run sets it");
            return Vec::new();
        };
        // Half a megabyte, and an address has it once.
        if self.run("return typeof axe") != json!("object") {
            let axe = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
            self.devtools("Runtime.evaluate", json!({"expression": axe}));
        }
        options["resultTypes"] = json!(["violations"]);
        let found = self.wait_for(
            "const [options, done] = arguments; axe.run(document, options).then(
                found => done(found.violations.map(v => v.id + ': ' + v.help + ' ' + v.nodes.map(n => n.html.slice(0, 160) + ' ' + (n.any[0]?.message ?? '')).join(' | '))),
                fault => done(['axe failed: ' + fault]))",
            json!([options]),
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
        let Some(mut worker) = self.worker.take() else { return };
        if std::thread::panicking() {
            worker.end();
        } else {
            worker.close_context(&self.context);
            worker.give_back();
        }
    }
}

#[test]
fn a_page_that_is_refused_is_no_complaint_and_an_asset_that_is_missing_is_one() {
    if !Browser::is_installed() {
        return;
    }
    let server = support::Server::shared();
    let browser = Browser::open(Look::DESK);
    browser.go(&format!("{}/f/nothinghere", server.base));
    assert_eq!(browser.complaints(), crate::driver::steps::NOTHING);
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

/// Stores something in each place that a page has for it, and returns the contents before.
const STORE: &str = "
    const found = [document.cookie, localStorage.getItem('a'), sessionStorage.getItem('a'), (await caches.keys()).join()];
    const css = performance.getEntriesByType('resource').find(one => one.name.includes('.css'));
    found.push(css.transferSize > 0 ? '' : 'a file from the cache');
    const database = await new Promise(done => {
        const opened = indexedDB.open('a');
        opened.onupgradeneeded = () => done('');
        opened.onsuccess = () => done('a database');
    });
    document.cookie = 'a=1; max-age=600';
    localStorage.setItem('a', '1');
    sessionStorage.setItem('a', '1');
    await caches.open('a');
    return found.concat(database).filter(Boolean);";

#[test]
fn what_one_test_stores_no_other_sees() {
    if !Browser::is_installed() {
        return;
    }
    let server = support::Server::shared();
    let look = |browser: &Browser| {
        browser.go(&format!("{}/sign-in", server.base));
        browser.run(&format!("return (async () => {{ {STORE} }})()"))
    };
    // One more than there are browsers, so that one of them comes again.
    for _ in 0..=crate::driver::worker::AT_ONCE {
        let browser = Browser::open(Look::DESK);
        assert_eq!(look(&browser), json!([]));
        let own = look(&browser);
        assert!(own.as_array().is_some_and(|own| own.len() >= 4), "what it stored is found: {own}");
        browser.run("console.error('left behind')");
        browser.offline(true);
    }
    let browser = Browser::open(Look::DESK);
    assert_eq!(browser.complaints(), crate::driver::steps::NOTHING);
}
