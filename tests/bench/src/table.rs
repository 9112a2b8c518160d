//! The table of results that a run prints.

/// A row: a figure and what it is compared to.
struct Line {
    work: String,
    ours: String,
    against: String,
    ratio: String,
    target: String,
    verdict: &'static str,
}

/// All rows of a run.
#[derive(Default)]
pub struct Table(Vec<Line>);

impl Table {
    /// Compares our figure to another of the same run, more being better; `target` is the minimum ratio.
    pub fn ratio(&mut self, work: &str, ours: f64, against: &str, other: f64, target: f64) {
        self.ratio_of(work, ours, "/s", against, other, target);
    }

    /// The same in another unit.
    pub fn ratio_of(&mut self, work: &str, ours: f64, unit: &str, against: &str, other: f64, target: f64) {
        let ratio = ours / other;
        self.add(Line {
            work: work.to_owned(),
            ours: format!("{ours:.0}{unit}"),
            against: format!("{against} {other:.0}{unit}"),
            ratio: format!("{ratio:.2}"),
            target: format!("≥ {target}"),
            verdict: verdict(ratio >= target),
        });
    }

    /// Compares our figure to another of the same run, less being better; `target` is the maximum ratio.
    pub fn at_most(&mut self, work: &str, ours: f64, unit: &str, against: &str, other: f64, target: f64) {
        let ratio = ours / other;
        self.add(Line {
            work: work.to_owned(),
            ours: format!("{ours:.2} {unit}"),
            against: format!("{against} {other:.2} {unit}"),
            ratio: format!("{ratio:.2}"),
            target: format!("≤ {target}"),
            verdict: verdict(ratio <= target),
        });
    }

    /// Compares our time to that of another way in the same run; `target` is the minimum speed-up.
    pub fn quicker(&mut self, work: &str, ours: f64, against: &str, other: f64, target: f64) {
        let ratio = other / ours;
        self.add(Line {
            work: work.to_owned(),
            ours: format!("{ours:.2} ms"),
            against: format!("{against} {other:.2} ms"),
            ratio: format!("{ratio:.1}"),
            target: format!("≥ {target}"),
            verdict: verdict(ratio >= target),
        });
    }

    /// A figure with an absolute limit.
    pub fn limit(&mut self, work: &str, ours: f64, unit: &str, target: f64) {
        self.add(Line {
            work: work.to_owned(),
            ours: format!("{ours:.1} {unit}"),
            against: String::new(),
            ratio: String::new(),
            target: format!("≤ {target} {unit}"),
            verdict: verdict(ours <= target),
        });
    }

    /// A figure without a target.
    pub fn note(&mut self, work: &str, figure: &str) {
        self.add(Line {
            work: work.to_owned(),
            ours: figure.to_owned(),
            against: String::new(),
            ratio: String::new(),
            target: String::new(),
            verdict: "",
        });
    }

    /// Also prints the row on stderr at once, because a run takes minutes.
    fn add(&mut self, line: Line) {
        eprintln!("{}: {} {} {}", line.work, line.ours, line.against, line.verdict);
        self.0.push(line);
    }

    /// Prints it as Markdown.
    pub fn print(&self) {
        println!("| work | formsvc | against | ratio | target | |");
        println!("|---|---|---|---|---|---|");
        for line in &self.0 {
            println!(
                "| {} | {} | {} | {} | {} | {} |",
                line.work, line.ours, line.against, line.ratio, line.target, line.verdict
            );
        }
    }
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "MISSED" }
}
