//! Flags of the command line. Missing ones are read from the layers below.

use std::ffi::{OsStr, OsString};
use std::marker::PhantomData;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};

use crate::cli::config::layers::key;

/// The name of a command that is a list of settings, and has those without a flag too.
pub const SETTINGS: &str = "settings";

/// The flags of the settings `T`. Hidden settings have no flag.
#[derive(Debug)]
pub struct Flags<T> {
    given: ArgMatches,
    settings: PhantomData<T>,
}

impl<T> Flags<T> {
    /// The values of a flag; `None` if it isn't given.
    pub fn values(&self, name: &str) -> Option<Vec<OsString>> {
        let id = key(name);
        let values = self.given.try_get_raw(&id).ok().flatten()?;
        let is_flag = self.given.value_source(&id) == Some(ValueSource::CommandLine);
        is_flag.then(|| values.map(OsStr::to_owned).collect())
    }

    /// Whether one of these flags was given.
    pub fn give(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.values(name).is_some())
    }
}

impl<T> Default for Flags<T> {
    fn default() -> Self {
        Self { given: ArgMatches::default(), settings: PhantomData }
    }
}

impl<T> FromArgMatches for Flags<T> {
    fn from_arg_matches(given: &ArgMatches) -> Result<Self, Error> {
        Ok(Self { given: given.clone(), settings: PhantomData })
    }

    fn update_from_arg_matches(&mut self, given: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(given)?;
        Ok(())
    }
}

impl<T: Args> Args for Flags<T> {
    fn augment_args(command: Command) -> Command {
        let has_all = command.get_name() == SETTINGS;
        // Flags without a place of their own are listed in the order in which the command gets them.
        let settings = T::augment_args(Command::new(SETTINGS).next_display_order(None));
        let flags = settings.get_arguments().filter(|arg| has_all || !arg.is_hide_set());
        command.args(flags.map(with_default).collect::<Vec<_>>())
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// The flag with its default in its help, so that shell completions and manual pages have it at the same place.
fn with_default(arg: &Arg) -> Arg {
    let arg = arg.clone();
    match (arg.get_help(), arg.get_default_values()) {
        (Some(help), [default]) if !arg.is_hide_default_value_set() => {
            let help = format!("{help} [default: {}]", default.to_string_lossy());
            arg.help(help).hide_default_value(true)
        }
        _ => arg,
    }
}
