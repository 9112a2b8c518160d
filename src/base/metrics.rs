//! Figures for operators: counters and histograms that cost an atomic addition each, and the text format of Prometheus
//! that they are read in.

use std::fmt::{self, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How many times took how long.
#[derive(Debug)]
pub struct Histogram {
    /// The upper bounds in seconds, ascending.
    bounds: &'static [f64],
    /// The counts up to each bound, each without those before; the last one has no bound.
    counts: Box<[AtomicU64]>,
    micros: AtomicU64,
}

impl Histogram {
    pub fn new(bounds: &'static [f64]) -> Self {
        Self { bounds, counts: (0..=bounds.len()).map(|_| AtomicU64::new(0)).collect(), micros: AtomicU64::new(0) }
    }

    pub fn observe(&self, took: Duration) {
        let secs = took.as_secs_f64();
        let at = self.bounds.partition_point(|bound| *bound < secs);
        self.counts[at].fetch_add(1, Ordering::Relaxed);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    /// Whether nothing has been observed.
    pub fn is_empty(&self) -> bool {
        let mut counts = self.counts.iter();
        counts.all(|count| count.load(Ordering::Relaxed) == 0)
    }
}

/// The type of a family of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// The content type of a page.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page of figures.
#[derive(Debug, Default)]
pub struct Page(String);

/// The labels of a figure. Values must be names from the program, and few: no text of users.
pub type Labels<'l> = &'l [(&'static str, &'l str)];

impl Page {
    /// Begins a family; its figures follow.
    pub fn family(&mut self, name: &'static str, kind: Kind, help: &'static str) -> Family<'_> {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {kind}"));
        Family { page: self, name }
    }

    /// A family of one figure.
    pub fn one(&mut self, name: &'static str, kind: Kind, help: &'static str, value: impl Value) {
        self.family(name, kind, help).add(&[], value);
    }

    pub fn into_text(self) -> String {
        self.0
    }

    fn line(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.0, "{text}");
    }
}

/// Figures of one name.
pub struct Family<'p> {
    page: &'p mut Page,
    name: &'static str,
}

impl Family<'_> {
    pub fn add(&mut self, labels: Labels, value: impl Value) -> &mut Self {
        self.sample("", labels, value.number());
        self
    }

    pub fn add_histogram(&mut self, labels: Labels, histogram: &Histogram) -> &mut Self {
        let mut count = 0;
        for (at, counted) in histogram.counts.iter().enumerate() {
            count += counted.load(Ordering::Relaxed);
            let bound = histogram.bounds.get(at).map(ToString::to_string);
            let bound = bound.unwrap_or_else(|| "+Inf".to_owned());
            let labels: Vec<_> = labels.iter().copied().chain([("le", &*bound)]).collect();
            self.sample("_bucket", &labels, count as f64);
        }
        let micros = histogram.micros.load(Ordering::Relaxed);
        self.sample("_sum", labels, micros as f64 / 1e6);
        self.sample("_count", labels, count as f64);
        self
    }

    fn sample(&mut self, suffix: &str, labels: Labels, value: f64) {
        let mut shown = String::new();
        for (name, value) in labels {
            let separator = if shown.is_empty() { '{' } else { ',' };
            let _ = write!(shown, "{separator}{name}=\"{}\"", Escaped(value));
        }
        if !shown.is_empty() {
            shown.push('}');
        }
        let name = self.name;
        self.page.line(format_args!("{name}{suffix}{shown} {value}"));
    }
}

/// The text of a label as the format wants it.
struct Escaped<'t>(&'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\\' => out.write_str("\\\\")?,
                '"' => out.write_str("\\\"")?,
                '\n' => out.write_str("\\n")?,
                other => out.write_char(other)?,
            }
        }
        Ok(())
    }
}

/// A type of number that a metric can have.
pub trait Value {
    fn number(self) -> f64;
}

impl Value for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Value for u64 {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Value for usize {
    fn number(self) -> f64 {
        self as f64
    }
}

impl Value for &Counter {
    fn number(self) -> f64 {
        self.get() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_written_as_the_format_has_it() {
        let histogram = Histogram::new(&[0.5, 2.5]);
        assert!(histogram.is_empty());
        for millis in [100, 500, 501, 10_000] {
            histogram.observe(Duration::from_millis(millis));
        }
        let counter = Counter::default();
        counter.add(3);
        let mut page = Page::default();
        page.one("a_total", Kind::Counter, "Things.", &counter);
        let mut family = page.family("b_seconds", Kind::Histogram, "Times.");
        family.add_histogram(&[("of", "a\"b\\c\nd")], &histogram);
        let expected = r#"# HELP a_total Things.
# TYPE a_total counter
a_total 3
# HELP b_seconds Times.
# TYPE b_seconds histogram
b_seconds_bucket{of="a\"b\\c\nd",le="0.5"} 2
b_seconds_bucket{of="a\"b\\c\nd",le="2.5"} 3
b_seconds_bucket{of="a\"b\\c\nd",le="+Inf"} 4
b_seconds_sum{of="a\"b\\c\nd"} 11.101
b_seconds_count{of="a\"b\\c\nd"} 4
"#;
        assert_eq!(page.into_text(), expected);
    }
}
