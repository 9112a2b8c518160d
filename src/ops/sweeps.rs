//! Removes what has had its time, in short transactions that let other writes between them.

use std::collections::BTreeSet;

use crate::base::clock;
use crate::base::error::Result;
use crate::model::audit::Action;
use crate::ops::audit::{self, By};
use crate::ops::{App, access, sessions, unique_index_build};
use crate::store::{
    forms, idempotency, images, invitations, oauth_codes, oauth_grants, purge, setup_links, trash,
    uploads, users,
};

const AT_ONCE: usize = 1_000;
// While these go nobody may bring a file.
const FILES_AT_ONCE: usize = 100;

/// Ends sessions whose time is over.
pub fn sessions(app: &App) -> Result<usize> {
    let (begun, seen) = sessions::oldest(clock::now());
    in_pieces(|| {
        app.store
            .write(move |tx| crate::store::sessions::end_old(tx, begun, seen, AT_ONCE))
    })
}

/// Ends what people allowed applications that have not come for long, and forgets codes that nobody came
/// with.
pub fn oauth(app: &App) -> Result<usize> {
    let codes = in_pieces(|| app.store.write(|tx| oauth_codes::forget_old(tx, AT_ONCE)))?;
    let grants = in_pieces(|| app.store.write(|tx| oauth_grants::end_old(tx, AT_ONCE)))?;
    let tokens = in_pieces(|| {
        app.store
            .write(|tx| oauth_grants::forget_old_refresh_tokens(tx, AT_ONCE))
    })?;
    Ok(codes + grants + tokens)
}

/// Forgets set-up links and invitations whose time is over.
pub fn setup_links(app: &App) -> Result<usize> {
    app.store
        .write(|tx| Ok(setup_links::forget_old(tx)? + invitations::forget_old(tx)?))
}

/// Forgets remembered answers of more than a day ago.
pub fn idempotent_answers(app: &App) -> Result<usize> {
    in_pieces(|| app.store.write(|tx| idempotency::forget_old(tx, AT_ONCE)))
}

/// Lets go of uploads that nobody used for a day and of images that nothing names since, and removes contents that
/// nothing names any more.
pub fn files(app: &App) -> Result<usize> {
    in_pieces(|| app.store.write(|tx| uploads::release_old(tx, AT_ONCE)))?;
    in_pieces(|| app.store.write(|tx| uploads::forget_old(tx, AT_ONCE)))?;
    in_pieces(|| app.store.write(|tx| images::forget_idle(tx, AT_ONCE)))?;
    let mut all = 0;
    loop {
        let gone = app.store.remove_idle_blobs(FILES_AT_ONCE)?;
        all += gone;
        if gone < FILES_AT_ONCE {
            return Ok(all);
        }
    }
}

/// Removes files that no row knows of.
pub fn unknown_files(app: &App) -> Result<usize> {
    app.store.unknown_blobs(true)
}

/// Removes entries for good that were deleted more than 30 days ago.
pub fn deleted_entries(app: &App) -> Result<usize> {
    let moment = access::kept_since(clock::now());
    let mut noted: BTreeSet<i64> = BTreeSet::new();
    in_pieces(|| {
        let known = noted.clone();
        let gone = app.store.write(move |tx| {
            let gone = trash::remove_before(tx, moment, AT_ONCE)?;
            for form_no in gone.keys().filter(|form_no| !known.contains(form_no)) {
                let form = forms::by_number(tx, *form_no)?;
                let by = By::service(users::by_id(tx, form.owner)?.organization.id);
                audit::note_form(tx, by, Action::EntriesPurged, form.token.as_str())?;
            }
            Ok(gone)
        })?;
        noted.extend(gone.keys());
        Ok(gone.values().sum())
    })
}

/// Removes forms that were deleted more than 30 days ago, with all that belongs to them.
pub fn deleted_forms(app: &App) -> Result<usize> {
    let moment = access::kept_since(clock::now());
    let mut all = 0;
    while let Some(form_no) = app.store.read(|tx| purge::deleted_before(tx, moment))? {
        while app
            .store
            .write(move |tx| purge::rows_of(tx, form_no, moment, AT_ONCE))?
            > 0
        {}
        app.store.write(move |tx| {
            let Some((token, organization)) = purge::form(tx, form_no, moment)? else {
                return Ok(());
            };
            audit::note_form(tx, By::service(organization), Action::FormPurged, &token)
        })?;
        all += 1;
    }
    Ok(all)
}

/// Takes exact keys away that nobody needs any more.
pub fn entry_keys(app: &App) -> Result<usize> {
    let mut all = 0;
    while unique_index_build::sweep(app)? {
        all += 1;
    }
    Ok(all)
}

fn in_pieces(mut piece: impl FnMut() -> Result<usize>) -> Result<usize> {
    let mut all = 0;
    loop {
        let done = piece()?;
        all += done;
        if done < AT_ONCE {
            return Ok(all);
        }
    }
}
