//! `formsvc serve --demo`: an example to look at, in a folder that is removed when the service ends.

use tempfile::TempDir;

use crate::base::config::Config;
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::ops::app::App;
use crate::ops::server::demo::{self, Example};

/// Gives the example a data dir of its own, unless the command line names one: a data dir of the environment or the
/// config file is the service's. No backup of the example joins the service's.
pub fn place(cx: &Cx, config: &mut Config) -> Result<Option<TempDir>, Failure> {
    config.backups.every_secs = None;
    if cx.names_data_dir() {
        return Ok(None);
    }
    let folder = tempfile::Builder::new().prefix("formsvc-demo-").tempdir();
    let folder = folder.map_err(|e| {
        let sentence = format!(
            "the example can't be stored ({e}): name an empty folder with --data-dir, or another folder for \
             temporary files with TMPDIR"
        );
        Failure::new(Exit::Failed, sentence)
    })?;
    folder.path().clone_into(&mut config.data_dir);
    Ok(Some(folder))
}

/// Makes the example.
pub fn fill(app: &App) -> Result<Example, Failure> {
    demo::fill(app)?.ok_or_else(|| {
        Failure::new(
            Exit::NotFoundOrExists,
            format!(
                "the data dir {} has accounts, but an example needs an empty one: leave out --demo to serve \
                 what is there, or --data-dir to see the example",
                app.config.data_dir.display()
            ),
        )
    })
}
