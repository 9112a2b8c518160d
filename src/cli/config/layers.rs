//! The sources of settings, in order: flag, variable, file named by a variable, config file, default. The only reader
//! of the environment.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::fmt::{self, Display};
use std::num::ParseIntError;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Args, Command};
use directories::ProjectDirs;
use serde::Serialize;
use toml::{Table, Value};

use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::cli::config::flags::{Flags, SETTINGS};
use crate::cli::config::{rows, values};
use crate::cli::failure::Failure;
use crate::cli::output::Output;

const PREFIX: &str = "FORMSVC_";
pub(in crate::cli) const SYSTEM_FILE: &str = "/etc/formsvc/formsvc.toml";

/// The layers below the flags.
pub struct Layers {
    variables: BTreeMap<String, String>,
    file: Option<(PathBuf, Table)>,
    /// The settings for `config show`, in the order they were read.
    rows: RefCell<Vec<SettingRow>>,
}

/// A setting as `config show` prints it.
pub struct SettingRow {
    /// The name of its flag.
    pub name: String,
    /// Null if there is none.
    pub value: Json,
    pub source: Source,
}

/// Source of a setting's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    Flag,
    Variable(String),
    File(PathBuf),
    Default,
}

impl Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag => f.write_str("flag"),
            Self::Variable(name) => write!(f, "variable {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

impl Source {
    /// A wrong value; the message follows the setting's name.
    fn fault(&self, setting: &str, message: impl Display) -> Failure {
        match self {
            Self::Flag => Failure::usage(format!("--{setting} {message}")),
            Self::Variable(name) => Failure::configuration(format!("the variable {name} {message}")),
            Self::File(path) => Failure::configuration(format!("{} in {} {message}", key(setting), path.display())),
            Self::Default => Failure::configuration(format!("{setting} {message}")),
        }
    }
}

/// A setting's texts with their source.
struct RawSetting {
    texts: Vec<String>,
    is_list: bool,
    source: Source,
}

pub(in crate::cli) fn key(name: &str) -> String {
    name.replace('-', "_")
}

/// `FORMSVC_DATA_DIR` of `data-dir`.
pub(in crate::cli) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", key(name).to_uppercase())
}

impl Layers {
    /// Reads the environment and the config file.
    pub fn open(config: Option<&Path>) -> Result<Self, Failure> {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
            .map(|(name, value)| match value.into_string() {
                Ok(value) => Ok((name, value)),
                Err(_) => Err(Failure::configuration(format!("the variable {name} must be UTF-8"))),
            })
            .collect::<Result<_, _>>()?;
        let mut layers = Self { variables, file: None, rows: RefCell::default() };
        layers.file = layers.config_file(config)?;
        Ok(layers)
    }

    fn config_file(&self, flag: Option<&Path>) -> Result<Option<(PathBuf, Table)>, Failure> {
        if let Some(path) = flag {
            let failure = if path.exists() { Failure::configuration } else { Failure::usage };
            let table = read_table(path).map_err(failure)?;
            return Ok(Some((path.to_owned(), table)));
        }
        if let Some(found) = self.find("config")? {
            let path = PathBuf::from(found.texts.concat());
            let table = read_table(&path).map_err(Failure::configuration)?;
            return Ok(Some((path, table)));
        }
        let own = project().map(|dirs| dirs.config_dir().join("formsvc.toml"));
        let path = own.into_iter().chain([PathBuf::from(SYSTEM_FILE)]);
        match path.into_iter().find(|path| path.exists()) {
            Some(path) => {
                let table = read_table(&path).map_err(Failure::configuration)?;
                Ok(Some((path, table)))
            }
            None => Ok(None),
        }
    }

    /// Finds a setting in the layers below the flag.
    fn find(&self, name: &str) -> Result<Option<RawSetting>, Failure> {
        let variable = variable(name);
        if let Some(text) = self.variables.get(&variable) {
            return Ok(Some(RawSetting {
                texts: vec![text.clone()],
                is_list: false,
                source: Source::Variable(variable),
            }));
        }
        let Some((path, table)) = &self.file else {
            return Ok(None);
        };
        let Some(value) = table.get(&key(name)).or_else(|| table.get(name)) else {
            return Ok(None);
        };
        let source = Source::File(path.clone());
        let (texts, is_list) = match value {
            Value::Array(items) => (items.iter().map(scalar).collect(), true),
            other => (scalar(other).map(|text| vec![text]), false),
        };
        let texts = texts.ok_or_else(|| source.fault(name, "must be plain text, a number or a list"))?;
        Ok(Some(RawSetting { texts, is_list, source }))
    }

    /// The settings of a group. Those that flags leave out are read as if they were flags.
    pub fn read<T: Args + Serialize>(&self, flags: &Flags<T>) -> Result<T, Failure> {
        self.read_some(flags, |_| true)
    }

    /// Reads only some of the settings; others have their defaults.
    pub fn read_some<T: Args + Serialize>(
        &self,
        flags: &Flags<T>,
        is_read: impl Fn(&str) -> bool,
    ) -> Result<T, Failure> {
        let command = T::augment_args(Command::new(SETTINGS).no_binary_name(true));
        let mut words = Vec::new();
        let mut sources = Vec::new();
        for arg in command.get_arguments() {
            let name = arg.get_long().unwrap_or_default();
            if !is_read(name) {
                continue;
            }
            let (own, source) = match flags.values(name) {
                Some(values) => (values.iter().map(|value| word(arg, value)).collect(), Source::Flag),
                None => self.words(&command, arg)?,
            };
            words.extend(own);
            sources.push((name, is_secret(arg), source));
        }
        let matches = command.clone().try_get_matches_from(words);
        let settings = matches.and_then(|matches| T::from_arg_matches(&matches));
        let settings = settings.map_err(|fault| Failure::usage(fault.to_string()))?;
        let shown = serde_json::to_value(&settings).unwrap_or_default();
        let rows = sources.into_iter().map(|(name, is_secret, source)| SettingRow {
            name: name.to_owned(),
            value: match shown.get(key(name)) {
                _ if is_secret && source != Source::Default => "********".into(),
                Some(Json::Bool(on)) => on.to_string().into(),
                Some(Json::Number(number)) => number.to_string().into(),
                other => other.cloned().unwrap_or_default(),
            },
            source,
        });
        self.rows.borrow_mut().extend(rows);
        Ok(settings)
    }

    /// A setting of the layers below the flags, as words of the command line. They are parsed to say where a wrong one
    /// is from.
    fn words(&self, command: &Command, arg: &Arg) -> Result<(Vec<OsString>, Source), Failure> {
        let name = arg.get_long().unwrap_or_default();
        let found = if is_secret(arg) { self.find_secret(name)? } else { self.find(name)? };
        let Some(RawSetting { texts, is_list, source }) = found else {
            return Ok((Vec::new(), Source::Default));
        };
        let texts: Vec<&str> = match &texts[..] {
            texts if matches!(arg.get_action(), ArgAction::Append) => match is_list {
                true => texts.iter().map(String::as_str).collect(),
                false => texts.iter().flat_map(|text| text.split(',')).map(str::trim).collect(),
            },
            [text] => vec![text],
            _ => return Err(source.fault(name, "must be one value")),
        };
        let mut words = Vec::new();
        for text in texts {
            // A flag without a value is given or not.
            if !arg.get_action().takes_values() && !values::truth(text).map_err(|fault| source.fault(name, fault))? {
                continue;
            }
            let word = word(arg, text.as_ref());
            let parsed = command.clone().try_get_matches_from([&word]);
            parsed.map_err(|fault| source.fault(name, reason(&fault)))?;
            words.push(word);
        }
        Ok((words, source))
    }

    /// A secret, from its variable or from the file that the variable with `_FILE` names.
    fn find_secret(&self, name: &str) -> Result<Option<RawSetting>, Failure> {
        let by_file = format!("{name}-file");
        let is_variable = |it: &RawSetting| matches!(it.source, Source::Variable(_));
        // Both variables come before both lines of the config file.
        match (self.find(name)?, self.find(&by_file)?) {
            (Some(found), path) if is_variable(&found) || !path.as_ref().is_some_and(is_variable) => {
                Ok(Some(RawSetting { texts: vec![found.texts.concat()], ..found }))
            }
            (_, Some(found)) => {
                let path = found.texts.concat();
                let text = std::fs::read_to_string(&path).map_err(|e| {
                    let message = format!("names the file {path}, which can't be read ({e})");
                    found.source.fault(&by_file, message)
                })?;
                let text = text.trim_end_matches(['\r', '\n']);
                if text.contains('\n') {
                    let message = format!("names the file {path}, which must contain a single line");
                    return Err(found.source.fault(&by_file, message));
                }
                Ok(Some(RawSetting { texts: vec![text.to_owned()], ..found }))
            }
            _ => Ok(None),
        }
    }

    /// The folder for state that the supervisor provides, or the platform's.
    pub fn state_dir(&self) -> Option<(PathBuf, Source)> {
        let state = std::env::var_os("STATE_DIRECTORY").filter(|dirs| !dirs.is_empty());
        match state {
            Some(dirs) => {
                let first = std::env::split_paths(&dirs).next();
                first.map(|first| (first, Source::Variable("STATE_DIRECTORY".to_owned())))
            }
            None => project().map(|dirs| (dirs.data_dir().to_owned(), Source::Default)),
        }
    }

    /// The source of a setting that was read.
    pub fn source(&self, name: &str) -> Source {
        let rows = self.rows.borrow();
        rows.iter().find(|row| row.name == name).map_or(Source::Default, |row| row.source.clone())
    }

    /// A wrong value of a setting that was read; the message follows its name.
    pub fn fault(&self, name: &str, message: impl Display) -> Failure {
        self.source(name).fault(name, message)
    }

    /// Replaces the shown value of a setting by its effective value.
    pub fn correct(&self, name: &str, value: impl Into<Json>) {
        if let Some(row) = self.rows.borrow_mut().iter_mut().find(|row| row.name == name) {
            row.value = value.into();
        }
    }

    /// Replaces the shown source of a setting.
    pub fn correct_source(&self, name: &str, source: Source) {
        if let Some(row) = self.rows.borrow_mut().iter_mut().find(|row| row.name == name) {
            row.source = source;
        }
    }

    /// The settings that were read, in that order.
    pub fn into_rows(self) -> Vec<SettingRow> {
        self.rows.into_inner()
    }

    /// Warns about variables and keys that are not settings.
    pub fn warn_of_unknown(&self, out: Output) {
        let known: BTreeSet<String> = setting_names().iter().map(|name| key(name)).collect();
        for name in self.variables.keys().filter(|name| !known.contains(&name[PREFIX.len()..].to_lowercase())) {
            out.note(&format!("the variable {name} is unknown and has no effect"));
        }
        if let Some((path, table)) = &self.file {
            for name in table.keys().filter(|name| !known.contains(&key(name))) {
                out.note(&format!("{name} in {} is unknown and has no effect", path.display()));
            }
        }
    }
}

/// The names of all settings; a secret has one more, that of the file which holds it.
pub(in crate::cli) fn setting_names() -> Vec<String> {
    let mut names = Vec::new();
    for arg in rows::all().get_arguments() {
        let name = arg.get_long().unwrap_or_default();
        names.push(name.to_owned());
        if is_secret(arg) {
            names.push(format!("{name}-file"));
        }
    }
    names
}

pub(in crate::cli) fn is_secret(arg: &Arg) -> bool {
    arg.get_value_parser().type_id() == TypeId::of::<Secret>()
}

/// A flag with its value, if it takes one.
fn word(arg: &Arg, value: &OsStr) -> OsString {
    let mut word = OsString::from(format!("--{}", arg.get_long().unwrap_or_default()));
    if arg.get_action().takes_values() {
        word.push("=");
        word.push(value);
    }
    word
}

/// The parser's message about a value.
fn reason(fault: &clap::Error) -> String {
    match fault.source() {
        Some(source) if source.is::<ParseIntError>() => "must be a whole number, 0 or more".to_owned(),
        Some(source) => source.to_string(),
        None => "must not be empty".to_owned(),
    }
}

fn project() -> Option<ProjectDirs> {
    ProjectDirs::from("", "", "formsvc")
}

fn read_table(path: &Path) -> Result<Table, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|e| format!("the config file {} can't be read ({e}): name another with --config", path.display()))?;
    text.parse::<Table>().map_err(|e| {
        let line = e.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        format!("the config file {} is not TOML ({}): correct line {line}", path.display(), e.message())
    })
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}
