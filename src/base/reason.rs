//! Why something was refused, as data. [`Display`](fmt::Display) makes the English words of the API, to be read after
//! the attribute (`must be a number`); pages look up the [`phrase`](Reason::phrase) in the reader's language.

use std::fmt;

use crate::base::text::phrase::{Phrase, phrase};

/// Why something was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    // Presence.
    Required,
    /// A body has another value in place of its answers, probably the answers themselves.
    NoFieldValues,
    Blank,
    Empty,
    /// Neither coordinate of a place is given; said of both.
    NoCoordinates,
    /// A phone number without a country.
    NoCountry,
    /// No day was chosen for the item of this name.
    NoDay(String),

    // Expected.
    MustBe(Expected),
    /// The allowed words, as they are listed to a reader.
    MustBeOneOf(String),
    Nul,
    NotAllowed,
    /// Entries have answers that would be deleted: so many, and so many of them in the trash.
    HoldsData {
        entries: u64,
        trashed: u64,
    },

    // Texts.
    TooLong {
        most: usize,
    },
    TooShort {
        least: usize,
    },
    WrongFormat,
    /// The message that the form's owner wrote for this fault.
    Owners(String),
    NotEmail,
    NotUrl,
    /// The domains that are allowed.
    NotAtDomain(String),
    /// The country's name.
    NotPhoneOf(&'static str),
    /// The name of the country to which a number belongs by its dialling code.
    PhoneNotAllowed(&'static str),
    /// The country's name.
    NotStateOf(&'static str),
    /// The country's name, and a code of the form that its codes have.
    NotPostalCodeOf {
        country: &'static str,
        example: &'static str,
    },

    // Numbers and dates, bounds as JSON writes them.
    /// A number that no double keeps.
    TooManyDigits,
    /// A date before the year 1000: mostly a year of two digits.
    ShortYear,
    AtLeast(String),
    AtMost(String),
    Between(String, String),
    NotBefore(String),
    NotAfter(String),
    /// A bound is less than the other one, which has this name.
    LessThan(&'static str),

    // Lists.
    NotOneOf(Set),
    /// The options that there are, with their names.
    NotOption(String),
    /// The names of the options, where nothing is chosen.
    NoOption(String),
    TooMany {
        most: i64,
        of: Things,
    },
    TooFew {
        least: i64,
        of: Things,
    },
    NoFields,
    /// A code that no field of the form has.
    NotField,
    /// A rule that is about nothing.
    NoTargets,
    NotOneTo {
        most: i64,
        of: Things,
    },
    Repeated,

    // Rankings.
    RankRepeated,
    RankGap,
    TooFewRanked {
        least: i64,
    },
    TooManyRanked {
        most: i64,
    },

    // Files.
    Upload(UploadFault),
    /// A file of a page's post, by its name.
    File {
        name: String,
        fault: FileFault,
    },
    RecordingTooLong {
        seconds: i64,
    },
    /// A name with letters that can't be drawn as a signature.
    Undrawable,
    /// The faults of the files of one input.
    Several(Vec<Reason>),

    // Bookings.
    DayClosed,
    NotSlotStart,
    NotSlotEnd,
    SlotEndMissing,
    SlotBegun,
    BookedTwice,

    // Linked forms and formulas.
    NotLinkedEntry,
    ComputedTooLong,

    // Faults that only the store can find.
    Taken,
    /// A choice or a booking with only `left` left.
    Full {
        left: u64,
    },
    /// A product with only `left` in stock.
    OutOfStock {
        left: u64,
    },
    /// A hold may keep at most this many of the rest.
    HoldTooLarge {
        most: u64,
    },

    // Accounts, folders and shares.
    /// A password or code that is not the right one.
    Wrong,
    CommonPassword,
    PasswordIsEmail,
    NoScope,
    FolderTooDeep {
        levels: i64,
    },
    /// A folder that would move up has the name of one there.
    FolderTakenAbove,
    IsFormOwner,

    /// A fault of definitions, settings, filters or imports: only programs and owners see it.
    Other(Phrase),
    /// A fault of a formula, and its position there, in characters.
    InFormula {
        text: Phrase,
        position: usize,
        length: usize,
    },
}

/// The type that a value must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Text,
    Number,
    WholeNumber,
    Object,
    List,
    One,
    Choice,
    Choices,
    /// A date as a text like this.
    Date(&'static str),
    /// A text that holds a date like this.
    DateText(&'static str),
    DateTime,
    SlotStart,
    Time,
    Levels,
    Ranks,
    Country,
    State,
    LinkedEntry,
    LanguageTag,
    TimeZone,
    Color,
    /// Another type, shown only to programs.
    Other(&'static str),
}

/// The set that a code must be from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    Choices,
    Countries,
    Goods,
    BookingItems,
}

/// Things whose number is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Things {
    Choices,
    Rows,
    Files,
    Bookings,
    /// Others, shown only to programs.
    Other(&'static str),
}

/// Why an upload can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadFault {
    NotFound,
    Incomplete,
    Used,
    Expired,
    OtherPurpose,
}

/// Why a posted file is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFault {
    TooLarge {
        megabytes: u64,
    },
    Empty,
    /// A type of file that the field does not take.
    OtherType,
    /// Its content is not of its type.
    Damaged,
    TooManyPixels {
        most: usize,
    },
    /// The file has to be chosen again, after the form's password.
    ChooseAgain,
    BeforePassword,
}

impl Reason {
    /// A reason shown only to programs and owners.
    pub fn other(text: impl Into<Phrase>) -> Self {
        Self::Other(text.into())
    }

    pub fn one_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        Self::MustBeOneOf(names.join(", "))
    }

    pub fn at_least(low: impl fmt::Display) -> Self {
        Self::AtLeast(low.to_string())
    }

    pub fn at_most(high: impl fmt::Display) -> Self {
        Self::AtMost(high.to_string())
    }

    pub fn between(low: impl fmt::Display, high: impl fmt::Display) -> Self {
        Self::Between(low.to_string(), high.to_string())
    }

    pub fn too_many(most: impl TryInto<i64>, of: Things) -> Self {
        let most = most.try_into().unwrap_or(i64::MAX);
        Self::TooMany { most, of }
    }

    pub fn too_few(least: impl TryInto<i64>, of: Things) -> Self {
        let least = least.try_into().unwrap_or(i64::MAX);
        Self::TooFew { least, of }
    }

    pub fn not_one_to(most: impl TryInto<i64>, of: Things) -> Self {
        let most = most.try_into().unwrap_or(i64::MAX);
        Self::NotOneTo { most, of }
    }

    pub fn file(name: impl Into<String>, fault: FileFault) -> Self {
        let name = name.into();
        Self::File { name, fault }
    }
}

impl Reason {
    /// The words, to be read after the attribute.
    pub fn phrase(&self) -> Phrase {
        Phrase::plain(match self {
            Self::Required => "is required",
            Self::NoFieldValues => "is required: put the answers inside field_values",
            Self::Blank | Self::NoCoordinates | Self::NoCountry | Self::NoDay(_) => "can't be blank",
            Self::NotField => "is not a field of this form",
            Self::NoTargets => "must name at least one field",
            Self::NoFields => "can't be empty when the form is published: add at least one field first",
            Self::Empty => "must not be empty",
            Self::MustBe(shape) => return phrase!("must be {}", shape.phrase()),
            Self::MustBeOneOf(names) => return phrase!("must be one of {}", names.as_str()),
            Self::HoldsData { entries, trashed } => {
                let counted = match entries {
                    1 => Phrase::plain("1 entry"),
                    many => phrase!("{} entries", *many),
                };
                return match trashed {
                    0 => phrase!("holds data of {}", counted),
                    all if all == entries => phrase!("holds data of {} in the trash", counted),
                    some => phrase!("holds data of {}, {} of them in the trash", counted, *some),
                };
            }
            Self::Nul => "must not contain NUL characters",
            Self::NotAllowed => "is not allowed",
            Self::TooLong { most: 1 } => "is too long (at most 1 character)",
            Self::TooLong { most } => return phrase!("is too long (at most {} characters)", *most),
            Self::TooShort { least: 1 } => "is too short (at least 1 character)",
            Self::TooShort { least } => return phrase!("is too short (at least {} characters)", *least),
            Self::WrongFormat => "has the wrong format",
            // The owner's words are in the owner's language.
            Self::Owners(text) => return Phrase::from(text.clone()),
            Self::NotEmail => "is not an email address",
            Self::NotUrl => "is not a web address such as https://example.com",
            Self::NotAtDomain(domains) => return phrase!("must be at {}", domains.as_str()),
            Self::NotPhoneOf(country) => return phrase!("is not a phone number of {}", *country),
            Self::PhoneNotAllowed(country) => {
                return phrase!("is a phone number of {}, which is not one of the allowed countries", *country);
            }
            Self::NotStateOf(country) => return phrase!("is not an ISO 3166-2 code of {}", *country),
            Self::NotPostalCodeOf { country, example } => {
                return phrase!("is not a postal code of {}, such as {}", *country, *example);
            }
            Self::TooManyDigits => "has too many digits to be stored exactly: use a text question",
            Self::ShortYear => "must have a year of four digits, 1000 or later",
            Self::AtLeast(low) => return phrase!("must be {} or more", low.as_str()),
            Self::AtMost(high) => return phrase!("must be {} or less", high.as_str()),
            Self::Between(low, high) => return phrase!("must be {} to {}", low.as_str(), high.as_str()),
            Self::NotBefore(first) => return phrase!("must not be before {}", first.as_str()),
            Self::NotAfter(last) => return phrase!("must not be after {}", last.as_str()),
            Self::LessThan(other) => return phrase!("must not be less than {}", Phrase::plain(other)),
            Self::NotOption(options) => return phrase!("is not one of the options: use {}", options.as_str()),
            Self::NoOption(options) => return phrase!("can't be blank: use one of {}", options.as_str()),
            Self::NotOneOf(set) => return phrase!("is not one of the {}", Phrase::plain(set.words())),
            Self::TooMany { most, of } => return phrase!("may have at most {} {}", *most, of.counted(*most)),
            Self::TooFew { least, of } => return phrase!("must have at least {} {}", *least, of.counted(*least)),
            Self::NotOneTo { most, of } => return phrase!("must have 1 to {} {}", *most, Phrase::plain(of.words())),
            Self::Repeated => "is listed twice",
            Self::RankRepeated => "has the rank of another choice",
            Self::RankGap => "must use the ranks from 1 without gaps",
            Self::TooFewRanked { least } => {
                return phrase!("must rank at least {} {}", *least, Things::Choices.counted(*least));
            }
            Self::TooManyRanked { most } => {
                return phrase!("may rank at most {} {}", *most, Things::Choices.counted(*most));
            }
            Self::Upload(fault) => fault.words(),
            Self::File { name, fault } => return phrase!("{} {}", name.as_str(), fault.phrase()),
            Self::RecordingTooLong { seconds: 1 } => "is longer than 1 second",
            Self::RecordingTooLong { seconds } => return phrase!("is longer than {} seconds", *seconds),
            Self::Several(reasons) => {
                let lines = vec!["{}"; reasons.len()].join("\n");
                return Phrase::filled(lines, reasons.iter().map(|reason| reason.phrase().into()).collect());
            }
            Self::Undrawable => "has characters that can't be drawn here",
            Self::DayClosed => "is not a day that can be booked",
            Self::NotSlotStart => "is not the start of a slot on that day",
            Self::NotSlotEnd => "is not the end of a slot that begins then",
            Self::SlotEndMissing => "must be given: several slots begin then",
            Self::SlotBegun => "is the start of a slot that has begun: choose a later one",
            Self::BookedTwice => "is booked twice",
            Self::NotLinkedEntry => "is not an entry of the linked form",
            Self::ComputedTooLong => "makes the computed texts of the entry longer than 1 MiB: use shorter answers",
            Self::Taken => "has already been taken",
            Self::Full { left: 0 } => "is full",
            Self::Full { left } => return phrase!("has only {} left", *left),
            Self::OutOfStock { left: 0 } => "is sold out",
            Self::OutOfStock { left } => return phrase!("has only {} left in stock", *left),
            Self::HoldTooLarge { most } => {
                return phrase!(
                    "can be held up to {}, which is half of what is left: submit without a hold for more",
                    *most
                );
            }
            Self::Wrong => "is wrong",
            Self::CommonPassword => "is one of the most common passwords",
            Self::PasswordIsEmail => "must not be the email address",
            Self::NoScope => "must name at least one scope",
            Self::FolderTooDeep { levels } => {
                return phrase!("is {} levels deep, which is the most there can be", *levels);
            }
            Self::FolderTakenAbove => "of a folder in it is already used one level up",
            Self::IsFormOwner => "is the form's owner",
            Self::Other(text) | Self::InFormula { text, .. } => return text.clone(),
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.phrase().fmt(f)
    }
}

impl Expected {
    fn phrase(self) -> Phrase {
        Phrase::plain(match self {
            Self::Text => "a string",
            Self::Number => "a number",
            Self::WholeNumber => "a whole number",
            Self::Object => "an object",
            Self::List => "a list",
            Self::One => return phrase!("{}", 1),
            Self::Choice => "a choice's api_code or an object with value",
            Self::Choices => "a list of choices",
            Self::Date(example) => return phrase!("a date in the format {}", example),
            Self::DateText(example) => return phrase!("a string such as {}", example),
            Self::DateTime => "an ISO 8601 date-time",
            Self::SlotStart => "a day and the time at which a slot begins",
            Self::Time => "an object with hour and minute",
            Self::Levels => "an object with level_1 and the levels below it",
            Self::Ranks => "an object of ranks by choice",
            Self::Country => "an ISO 3166-1 alpha-2 code such as CN",
            Self::State => "an ISO 3166-2 code such as CN-SH",
            Self::LinkedEntry => "the token of an entry, or an object with entry_token",
            Self::LanguageTag => "a language tag such as en or zh-CN",
            Self::Color => "a color such as #2563EB",
            Self::TimeZone => "an IANA time zone such as Europe/Berlin",
            Self::Other(text) => text,
        })
    }
}

impl Set {
    const fn words(self) -> &'static str {
        match self {
            Self::Choices => "choices",
            Self::Countries => "allowed countries",
            Self::Goods => "goods",
            Self::BookingItems => "items to book",
        }
    }
}

impl Things {
    const fn words(self) -> &'static str {
        match self {
            Self::Choices => "choices",
            Self::Rows => "rows",
            Self::Files => "files",
            Self::Bookings => "bookings",
            Self::Other(text) => text,
        }
    }

    /// The name beside a number, in the singular for 1.
    fn counted(self, count: i64) -> Phrase {
        let words = self.words();
        Phrase::plain(match count {
            1 => words.strip_suffix('s').unwrap_or(words),
            _ => words,
        })
    }
}

impl UploadFault {
    const fn words(self) -> &'static str {
        match self {
            Self::NotFound => "is not an uploaded file",
            Self::Incomplete => "has not been uploaded yet",
            Self::Used => "has already been used",
            Self::Expired => "was not uploaded in time",
            Self::OtherPurpose => "was uploaded for another purpose",
        }
    }
}

impl FileFault {
    fn phrase(self) -> Phrase {
        Phrase::plain(match self {
            Self::TooLarge { megabytes } => return phrase!("is larger than {} MB", megabytes),
            Self::Empty => "is empty",
            Self::OtherType => "is not an accepted type of file",
            Self::Damaged => "does not have the content that its type promises",
            Self::TooManyPixels { most } => return phrase!("has more than {} pixels a side", most),
            Self::ChooseAgain => "has to be chosen again",
            Self::BeforePassword => "was sent before the form's password",
        })
    }
}

impl From<UploadFault> for Reason {
    fn from(fault: UploadFault) -> Self {
        Self::Upload(fault)
    }
}
