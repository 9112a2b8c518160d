//! Large numbers of reproducible entries: the n-th depends on n alone.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// One in this many long texts contains [`RARE`].
const RARE_ONE_OF: u64 = 2_000;
/// A word that few long texts contain.
pub const RARE: &str = "marzipan";
/// The question with the long text.
pub const LONG_TEXT: &str = "field_4";
/// Approximate characters of a long text.
const LONG: usize = 300;

const GIVEN: [&str; 16] = [
    "Ada", "Grace", "Alan", "Edsger", "Barbara", "Donald", "Radia", "Leslie", "Tony", "Frances", "Niklaus", "Karen",
    "Ken", "Dennis", "Jean", "Margaret",
];
const FAMILY: [&str; 16] = [
    "Lovelace", "Hopper", "Turing", "Dijkstra", "Liskov", "Knuth", "Perlman", "Lamport", "Hoare", "Allen", "Wirth",
    "Jones", "Thompson", "Ritchie", "Bartik", "Hamilton",
];
const SURNAMES: [&str; 12] = ["王", "李", "张", "刘", "陈", "杨", "赵", "黄", "周", "吴", "欧阳", "司马"];
const NAMES: [&str; 16] =
    ["伟", "芳", "秀英", "敏", "静", "丽", "强", "磊", "洋", "艳", "勇", "建国", "杰", "娟", "涛", "明月"];
const CITIES: [&str; 20] = [
    "London",
    "Zürich",
    "São Paulo",
    "北京",
    "上海",
    "東京",
    "Nairobi",
    "Oslo",
    "Lima",
    "Québec",
    "Kraków",
    "Kyiv",
    "Hanoi",
    "Porto",
    "Austin",
    "Perth",
    "Pune",
    "Cairo",
    "Lyon",
    "Graz",
];
const WORDS: [&str; 48] = [
    "paper", "engine", "number", "window", "question", "answer", "garden", "letter", "between", "without", "morning",
    "evening", "people", "method", "example", "table", "figure", "reason", "result", "because", "another", "little",
    "great", "early", "later", "simple", "always", "never", "water", "light", "house", "street", "market", "school",
    "music", "summer", "winter", "record", "machine", "program", "language", "library", "picture", "travel", "ticket",
    "dinner", "and", "the",
];

/// The 21 questions.
pub fn fields() -> Value {
    let of = |kind: &str, label: &str| json!({"type": kind, "label": label});
    let choices = |count: usize| -> Vec<Value> {
        let code = |n: usize| json!({"api_code": format!("c{n}"), "label": format!("Choice {n}")});
        (0..count).map(code).collect()
    };
    let choice = |kind: &str, label: &str, count| json!({"type": kind, "label": label, "choices": choices(count)});
    json!([
        of("name", "Name"),
        of("email", "E-mail"),
        of("short_text", "Company"),
        of("long_text", "What brings you here?"),
        of("number", "People"),
        of("date", "Day"),
        choice("radio", "Lunch", 4),
        choice("checkbox", "Topics", 6),
        of("short_text", "City"),
        of("short_text", "Remarks"),
        {"type": "rating", "label": "Talks", "rating_max": 5},
        of("nps", "Would you tell others?"),
        choice("dropdown", "Track", 12),
        of("number", "Budget"),
        of("time", "Arrival"),
        of("url", "Site"),
        of("short_text", "Order"),
        choice("radio", "Ticket", 3),
        of("number", "Year"),
        of("date", "Born"),
        of("short_text", "Seat"),
    ])
}

/// The values of the n-th entry.
pub fn values(n: u64) -> Value {
    let mut random = Random::of_entry(n);
    let name = if random.below(3) == 0 {
        format!("{}{}", random.of(&SURNAMES), random.of(&NAMES))
    } else {
        format!("{} {}", random.of(&GIVEN), random.of(&FAMILY))
    };
    let company = format!("{} {} Ltd.", random.of(&FAMILY), random.of(&WORDS));
    let topics: Vec<String> = (0..6).filter(|_| random.below(3) == 0).map(|n| format!("c{n}")).collect();
    json!({
        "field_1": name,
        "field_2": format!("user{n}@example.com"),
        "field_3": company,
        "field_4": long_text(n, &mut random),
        "field_5": random.below(500) + 1,
        "field_6": date(2026, &mut random),
        "field_7": format!("c{}", random.below(4)),
        "field_8": topics,
        "field_9": random.of(&CITIES),
        "field_10": if random.below(4) == 0 { random.of(&WORDS) } else { "" },
        "field_11": random.below(5) + 1,
        "field_12": random.below(11),
        "field_13": format!("c{}", random.below(12)),
        "field_14": random.below(10_000_000) as f64 / 100.0,
        "field_15": {"hour": random.below(24), "minute": random.below(60)},
        "field_16": format!("https://example.com/{}/{n}", random.of(&WORDS)),
        "field_17": format!("A-{:08x}", random.next() as u32),
        "field_18": format!("c{}", random.below(3)),
        "field_19": 1950 + random.below(60),
        "field_20": date(1950 + random.below(60), &mut random),
        "field_21": format!("{}{}", (b'A' + random.below(26) as u8) as char, random.below(40)),
    })
}

/// Thirty questions: those and nine more.
pub fn thirty_fields() -> Value {
    let mut all = fields();
    let choices = |count: usize| -> Vec<Value> {
        (0..count).map(|n| json!({"api_code": format!("c{n}"), "label": format!("Answer {n}")})).collect()
    };
    let more = [
        json!({"type": "rating", "label": "Rooms", "rating_max": 5}),
        json!({"type": "number", "label": "Nights"}),
        json!({"type": "radio", "label": "Size", "choices": choices(5)}),
        json!({"type": "dropdown", "label": "Language", "choices": choices(8)}),
        json!({"type": "checkbox", "label": "Days", "choices": choices(5)}),
        json!({"type": "short_text", "label": "Badge"}),
        json!({"type": "date", "label": "Departure"}),
        json!({"type": "nps", "label": "Would you come again?"}),
        json!({"type": "radio", "label": "Mail", "choices": choices(2)}),
    ];
    all.as_array_mut().expect("a list").extend(more);
    all
}

/// The values of the n-th entry of that form.
pub fn thirty_values(n: u64) -> Value {
    let mut all = values(n);
    let mut random = Random::of_entry(!n);
    let days: Vec<String> = (0..5).filter(|_| random.below(3) == 0).map(|n| format!("c{n}")).collect();
    let more = json!({
        "field_22": random.below(5) + 1,
        "field_23": random.below(14),
        "field_24": format!("c{}", random.below(5)),
        "field_25": format!("c{}", random.below(8)),
        "field_26": days,
        "field_27": format!("{} {}", random.of(&GIVEN), random.below(1_000)),
        "field_28": date(2026, &mut random),
        "field_29": random.below(11),
        "field_30": format!("c{}", random.below(2)),
    });
    let more = more.as_object().expect("an object").clone();
    all.as_object_mut().expect("an object").extend(more);
    all
}

/// The ten short fields of the form for imports.
pub fn short_fields() -> Value {
    let of = |kind: &str, label: String| json!({"type": kind, "label": label});
    let kinds = ["name", "email", "number", "date", "short_text"];
    (0..10).map(|n| of(kinds[n % 5], format!("Column {}", n + 1))).collect()
}

/// The n-th entry of that form, as texts.
pub fn short_values(n: u64) -> Vec<String> {
    let mut random = Random::of_entry(n);
    (0..2)
        .flat_map(|_| {
            [
                format!("{}{}", random.of(&SURNAMES), random.of(&NAMES)),
                format!("user{n}@example.com"),
                (random.below(500) + 1).to_string(),
                date(2026, &mut random),
                random.of(&CITIES).to_owned(),
            ]
        })
        .collect()
}

fn date(year: u64, random: &mut Random) -> String {
    format!("{year}-{:02}-{:02}", random.below(12) + 1, random.below(28) + 1)
}

fn long_text(n: u64, random: &mut Random) -> String {
    let mut out = String::with_capacity(LONG + 16);
    while out.len() < LONG {
        let _ = write!(out, "{} ", random.of(&WORDS));
    }
    if n.is_multiple_of(RARE_ONE_OF) {
        out.push_str(RARE);
    }
    out.truncate(out.trim_end().len());
    out
}

/// Pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    /// Seeded far from neighbouring entries.
    fn of_entry(n: u64) -> Self {
        Self(Self(n).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}
