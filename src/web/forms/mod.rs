//! Common parts of the pages of forms and the API: posted answers, and the cookies and password of a form.

pub mod form_cookie;
pub mod form_password;
pub mod posting;
pub mod verification;
