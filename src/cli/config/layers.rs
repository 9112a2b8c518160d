//! The sources of settings, in order: flag, variable, file named by a variable, config file, default. The only reader
//! of the environment.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use toml::{Table, Value};

use crate::base::json::Json;
use crate::base::secret::Secret;
use crate::cli::failure::Failure;
use crate::cli::output::Output;

const PREFIX: &str = "FORMSVC_";
pub(in crate::cli) const SYSTEM_FILE: &str = "/etc/formsvc/formsvc.toml";

/// The layers below the flags.
pub struct Layers {
    variables: BTreeMap<String, String>,
    file: Option<(PathBuf, Table)>,
    /// Names of the settings that were read; others are unknown.
    used: RefCell<BTreeSet<String>>,
    /// The settings for `config show`, in the order they were read.
    rows: RefCell<Vec<SettingRow>>,
}

/// A setting as `config show` prints it.
pub struct SettingRow {
    /// The name of its flag.
    pub name: &'static str,
    /// Null if there is none.
    pub value: Json,
    pub source: String,
}

/// A setting's texts with their source.
struct RawSetting {
    texts: Vec<String>,
    is_list: bool,
    origin: Origin,
}

enum Origin {
    Variable(String),
    File(PathBuf),
}

impl Origin {
    fn name(&self) -> String {
        match self {
            Self::Variable(name) => format!("variable {name}"),
            Self::File(path) => format!("file {}", path.display()),
        }
    }

    fn fault(&self, setting: &str, message: impl Display) -> Failure {
        Failure::configuration(match self {
            Self::Variable(name) => format!("the variable {name} {message}"),
            Self::File(path) => {
                format!("{} in {} {message}", key(setting), path.display())
            }
        })
    }
}

fn key(name: &str) -> String {
    name.replace('-', "_")
}

/// `FORMSVC_DATA_DIR` of `data-dir`.
pub(in crate::cli) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", key(name).to_uppercase())
}

impl Layers {
    /// Reads the environment and the config file.
    pub fn read(config: Option<&Path>) -> Result<Self, Failure> {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value)))
            .filter(|(name, value)| name.starts_with(PREFIX) && !value.is_empty())
            .map(|(name, value)| match value.into_string() {
                Ok(value) => Ok((name, value)),
                Err(_) => Err(Failure::configuration(format!("the variable {name} must be UTF-8"))),
            })
            .collect::<Result<_, _>>()?;
        let mut layers = Self { variables, file: None, used: RefCell::default(), rows: RefCell::default() };
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
        self.used.borrow_mut().insert(key(name));
        let variable = variable(name);
        if let Some(text) = self.variables.get(&variable) {
            return Ok(Some(RawSetting {
                texts: vec![text.clone()],
                is_list: false,
                origin: Origin::Variable(variable),
            }));
        }
        let Some((path, table)) = &self.file else {
            return Ok(None);
        };
        let Some(value) = table.get(&key(name)).or_else(|| table.get(name)) else {
            return Ok(None);
        };
        let origin = Origin::File(path.clone());
        let (texts, is_list) = match value {
            Value::Array(items) => (items.iter().map(scalar).collect(), true),
            other => (scalar(other).map(|text| vec![text]), false),
        };
        let texts = texts.ok_or_else(|| origin.fault(name, "must be plain text, a number or a list"))?;
        Ok(Some(RawSetting { texts, is_list, origin }))
    }

    /// A single value.
    pub fn one<T: Display>(
        &self,
        name: &'static str,
        flag: Option<T>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, Failure> {
        let (value, source) = match (flag, self.find(name)?) {
            (Some(value), _) => (Some(value), "flag".to_owned()),
            (None, Some(found)) => {
                let [text] = &found.texts[..] else {
                    return Err(found.origin.fault(name, "must be one value"));
                };
                let value = parse(text).map_err(|fault| found.origin.fault(name, fault))?;
                (Some(value), found.origin.name())
            }
            (None, None) => (None, "default".to_owned()),
        };
        self.show(name, value.as_ref().map_or(Json::Null, |value| value.to_string().into()), source);
        Ok(value)
    }

    /// A single value with a default.
    pub fn or<T: Display>(
        &self,
        name: &'static str,
        flag: Option<T>,
        parse: impl Fn(&str) -> Result<T, String>,
        default: T,
    ) -> Result<T, Failure> {
        let value = self.one(name, flag, parse)?.unwrap_or(default);
        self.correct(name, value.to_string());
        Ok(value)
    }

    /// A list of values, separated by commas in a variable.
    pub fn many<T: Display>(
        &self,
        name: &'static str,
        flag: Vec<T>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>, Failure> {
        let found = self.find(name)?;
        let (values, source) = if !flag.is_empty() {
            (flag, "flag".to_owned())
        } else if let Some(found) = found {
            let texts: Vec<&str> = if found.is_list {
                found.texts.iter().map(String::as_str).collect()
            } else {
                found.texts.iter().flat_map(|text| text.split(',')).map(str::trim).collect()
            };
            let values = texts.into_iter().map(&parse).collect::<Result<_, _>>();
            let values = values.map_err(|fault| found.origin.fault(name, fault))?;
            (values, found.origin.name())
        } else {
            (Vec::new(), "default".to_owned())
        };
        let shown: Vec<String> = values.iter().map(T::to_string).collect();
        self.show(name, shown.into(), source);
        Ok(values)
    }

    /// A secret, from its variable or from the file that the variable with `_FILE` names. Shown masked.
    pub fn secret(&self, name: &'static str) -> Result<Option<Secret>, Failure> {
        let by_file = format!("{name}-file");
        let is_variable = |it: &RawSetting| matches!(it.origin, Origin::Variable(_));
        // Both variables come before both lines of the config file.
        let (text, source) = match (self.find(name)?, self.find(&by_file)?) {
            (Some(found), path) if is_variable(&found) || !path.as_ref().is_some_and(is_variable) => {
                (Some(found.texts.concat()), found.origin.name())
            }
            (_, Some(found)) => {
                let path = found.texts.concat();
                let text = std::fs::read_to_string(&path).map_err(|e| {
                    let message = format!("names the file {path}, which can't be read ({e})");
                    found.origin.fault(&by_file, message)
                })?;
                let text = text.trim_end_matches(['\r', '\n']);
                if text.contains('\n') {
                    let message = format!("names the file {path}, which must have one line alone");
                    return Err(found.origin.fault(&by_file, message));
                }
                (Some(text.to_owned()), found.origin.name())
            }
            _ => (None, "default".to_owned()),
        };
        self.show(name, text.as_ref().map_or(Json::Null, |_| "********".into()), source);
        Ok(text.map(Secret::new))
    }

    /// The folder for state that the supervisor provides, or the platform's.
    pub fn state_dir(&self) -> Option<(PathBuf, &'static str)> {
        let state = std::env::var_os("STATE_DIRECTORY").filter(|dirs| !dirs.is_empty());
        match state {
            Some(dirs) => std::env::split_paths(&dirs).next().map(|first| (first, "variable STATE_DIRECTORY")),
            None => project().map(|dirs| (dirs.data_dir().to_owned(), "default")),
        }
    }

    fn show(&self, name: &'static str, value: Json, source: String) {
        self.rows.borrow_mut().push(SettingRow { name, value, source });
    }

    /// Replaces the shown value of a setting by its effective value.
    pub fn correct(&self, name: &'static str, value: impl Into<Json>) {
        if let Some(row) = self.rows.borrow_mut().iter_mut().find(|row| row.name == name) {
            row.value = value.into();
        }
    }

    /// Replaces the shown source of a setting.
    pub fn correct_source(&self, name: &'static str, source: &str) {
        if let Some(row) = self.rows.borrow_mut().iter_mut().find(|row| row.name == name) {
            source.clone_into(&mut row.source);
        }
    }

    /// The settings that were read, in that order.
    pub fn into_rows(self) -> Vec<SettingRow> {
        self.rows.into_inner()
    }

    /// Warns about variables and keys that are not settings.
    pub fn warn_of_unknown(&self, known: &[String], out: Output) {
        let used = self.used.borrow();
        let is_known = |name: &str| used.contains(name) || known.iter().any(|known| key(known) == name);
        for name in self.variables.keys() {
            if !is_known(&name[PREFIX.len()..].to_lowercase()) {
                out.note(&format!("the variable {name} is not known and has no effect"));
            }
        }
        if let Some((path, table)) = &self.file {
            for name in table.keys().filter(|name| !is_known(&key(name))) {
                out.note(&format!("{name} in {} is not known and has no effect", path.display()));
            }
        }
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
        format!("the config file {} is not TOML ({}): mend line {line}", path.display(), e.message())
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
