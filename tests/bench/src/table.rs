//! The one table that a run prints.

/// A line: a figure beside what it is measured against.
struct Line {
    work: String,
    ours: String,
    against: String,
    ratio: String,
    target: String,
    verdict: &'static str,
}

/// All lines of a run.
#[derive(Default)]
pub struct Table(Vec<Line>);

impl Table {
    /// Ours against another figure of the same run, more being better; `target` is the least ratio.
    pub fn ratio(&mut self, work: &str, ours: f64, against: &str, other: f64, target: f64) {
        self.ratio_of(work, ours, "/s", against, other, target);
    }

    /// The same in another unit.
    pub fn ratio_of(
        &mut self,
        work: &str,
        ours: f64,
        unit: &str,
        against: &str,
        other: f64,
        target: f64,
    ) {
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

    /// Ours against another figure of the same run, less being better; `target` is the most.
    pub fn at_most(
        &mut self,
        work: &str,
        ours: f64,
        unit: &str,
        against: &str,
        other: f64,
        target: f64,
    ) {
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

    /// How long ours takes against how long another way takes in the same run; `target` is how many times
    /// quicker it is at least.
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

    /// A figure that has a limit of its own.
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

    /// A figure beside the others, without a target.
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

    /// Also said at once on stderr, since a run takes minutes.
    fn add(&mut self, line: Line) {
        eprintln!(
            "{}: {} {} {}",
            line.work, line.ours, line.against, line.verdict
        );
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
