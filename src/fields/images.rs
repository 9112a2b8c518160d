//! Images in definitions, themes and rich text: the ones named in a request, those loaded for it, and their markup.
//! Nothing here reads the bytes of an image.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use maud::{Markup, html};
use serde::Serialize;
use serde_json::json;

use crate::base::json::Json;
use crate::base::reader::Reader;
use crate::base::reason::{Reason, Things, UploadFault};

/// Maximum images of one thing: a good, a place, the header of a form.
pub const MAX_IMAGES: usize = 20;
/// Widths of the smaller versions, in pixels.
pub const WIDTHS: [u32; 3] = [320, 640, 1280];
const MAX_NAME: usize = 64;
const PATH: &str = "/images/";

/// An image in the read shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Image {
    pub id: String,
    pub image_url: String,
    #[serde(skip)]
    size: (u32, u32),
}

/// The images and uploads named in a request or in stored data, including rich text.
#[derive(Default)]
pub struct Named {
    pub ids: BTreeSet<String>,
    /// Uploads that are to become images.
    pub uploads: BTreeSet<String>,
}

/// Collects all names in a request or in stored data. It may find more than is used later, never less.
pub fn named_in(json: &Json) -> Named {
    let mut named = Named::default();
    named.add(json);
    named
}

impl Named {
    fn add(&mut self, json: &Json) {
        match json {
            Json::String(text) => self.add_text(text),
            Json::Array(items) => items.iter().for_each(|item| self.add(item)),
            Json::Object(members) => {
                for (key, value) in members {
                    match (key.as_str(), value) {
                        ("image" | "background_image" | "logo", image) => self.add_image(image),
                        ("images", Json::Array(images)) => {
                            images.iter().for_each(|image| self.add_image(image));
                        }
                        _ => self.add(value),
                    }
                }
            }
            _ => {}
        }
    }

    fn add_image(&mut self, image: &Json) {
        let name = |key: &str| image[key].as_str().filter(|name| name.len() <= MAX_NAME);
        self.ids.extend(name("id").map(str::to_owned));
        self.uploads.extend(name("upload_id").map(str::to_owned));
    }

    fn add_text(&mut self, text: &str) {
        for (at, _) in text.match_indices(PATH) {
            let name = name_at(&text[at + PATH.len()..]);
            if !name.is_empty() && name.len() <= MAX_NAME {
                self.ids.insert(name.to_owned());
            }
        }
    }

    /// Whether nothing has to be looked up.
    pub fn is_nothing(&self) -> bool {
        self.ids.is_empty() && self.uploads.is_empty()
    }
}

/// The name at the start of a text.
fn name_at(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric());
    &text[..end.unwrap_or(text.len())]
}

/// An uploaded image.
struct Came {
    purpose: &'static str,
    /// Width and height, or why it can't be used.
    size: Result<(u32, u32), UploadFault>,
}

/// The images loaded for a request or for a stored form.
#[derive(Default)]
pub struct Images {
    base_url: String,
    /// Width and height by id.
    known: BTreeMap<String, (u32, u32)>,
    /// By `upload_id`.
    uploads: BTreeMap<String, Came>,
    /// Whether they belong to a stored form: then unknown images are gone, and the service may have had another
    /// address.
    is_stored: bool,
    taken: Mutex<Vec<String>>,
    kept: Mutex<Vec<String>>,
}

/// No images.
pub static NOTHING: Images = Images::none();

impl Images {
    const fn none() -> Self {
        Self {
            base_url: String::new(),
            known: BTreeMap::new(),
            uploads: BTreeMap::new(),
            is_stored: false,
            taken: Mutex::new(Vec::new()),
            kept: Mutex::new(Vec::new()),
        }
    }

    /// For a request to the service at this address.
    pub fn of_request(base_url: &str) -> Self {
        Self { base_url: base_url.to_owned(), ..Self::default() }
    }

    /// For a stored form.
    pub fn of_stored(base_url: &str) -> Self {
        Self { is_stored: true, ..Self::of_request(base_url) }
    }

    /// Adds an image, with its width and height.
    pub fn add(&mut self, id: String, size: (u32, u32)) {
        self.known.insert(id, size);
    }

    /// Adds an upload for a purpose, with its width and height or why it can't be used.
    pub fn add_upload(&mut self, token: String, purpose: &'static str, size: Result<(u32, u32), UploadFault>) {
        self.uploads.insert(token, Came { purpose, size });
    }

    /// The uploads that were used.
    pub fn new_uploads(&self) -> Vec<String> {
        let taken = self.taken.lock();
        taken.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The images that were referred to.
    pub fn kept_images(&self) -> Vec<String> {
        let kept = self.kept.lock();
        kept.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn image(&self, id: String, size: (u32, u32)) -> Image {
        Image::new(&self.base_url, id, size)
    }

    pub fn get(&self, id: &str) -> Option<Image> {
        let size = self.known.get(id)?;
        Some(self.image(id.to_owned(), *size))
    }

    /// The image at an address in rich text.
    pub fn at(&self, address: &str) -> Option<Image> {
        let (base, rest) = address.split_once(PATH)?;
        let id = name_at(rest);
        let is_whole = rest.len() == id.len() || rest[id.len()..].starts_with('?');
        let is_ours = base == self.base_url || self.is_stored;
        let found = self.get(id).filter(|_| is_whole && is_ours)?;
        if let Ok(mut kept) = self.kept.lock() {
            kept.push(found.id.clone());
        }
        Some(found)
    }

    /// Uses an upload for a purpose, at most once; otherwise says why it can't be used.
    pub fn take(&self, upload: &str, purpose: &str) -> Result<Image, UploadFault> {
        let came = self.uploads.get(upload).ok_or(UploadFault::NotFound)?;
        let size = came.size?;
        if came.purpose != purpose {
            return Err(UploadFault::OtherPurpose);
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if taken.iter().any(|known| known == upload) {
            return Err(UploadFault::Used);
        }
        taken.push(upload.to_owned());
        Ok(self.image(upload.to_owned(), size))
    }

    /// Reads an image: an existing one, or an upload for this purpose.
    pub fn read(&self, reader: &mut Reader, key: &str, purpose: &str) -> Option<Image> {
        reader.note(key, || json!({"x-ui": "picture"}));
        reader.opt_object(key, |image| self.read_listed(image, purpose))?
    }

    /// Reads a list of images.
    pub fn read_list(&self, reader: &mut Reader, key: &str, purpose: &str) -> Vec<Image> {
        let images = reader.opt_objects(key, |image| self.read_listed(image, purpose));
        let images = images.unwrap_or_default();
        reader.note(key, || json!({"maxItems": MAX_IMAGES, "x-ui": "pictures"}));
        if images.len() > MAX_IMAGES {
            reader.fault(key, Reason::too_many(MAX_IMAGES, Things::Other("images")));
        }
        images.into_iter().flatten().collect()
    }

    fn read_listed(&self, image: &mut Reader, purpose: &str) -> Option<Image> {
        let address = || json!({"type": "string", "format": "uri", "readOnly": true});
        image.note("image_url", address);
        self.read_one(image, purpose)
    }

    /// Reads `id` or `upload_id` of an image.
    pub fn read_one(&self, image: &mut Reader, purpose: &str) -> Option<Image> {
        let faults = image.issues().count();
        let id = image.opt_text("id", MAX_NAME);
        let upload = image.opt_text("upload_id", MAX_NAME);
        if image.is_describing() || image.issues().count() > faults {
            return None;
        }
        match (id, upload) {
            (Some(id), None) => {
                let found = self.get(&id);
                if found.is_none() && !self.is_stored {
                    image.fault("id", Reason::other("is not an image of this organization"));
                }
                if let Ok(mut kept) = self.kept.lock() {
                    kept.extend(found.iter().map(|found| found.id.clone()));
                }
                found
            }
            (None, Some(upload)) => match self.take(&upload, purpose) {
                Ok(taken) => Some(taken),
                Err(fault) => {
                    image.fault("upload_id", fault);
                    None
                }
            },
            (Some(_), Some(_)) => {
                image.fault("upload_id", Reason::other("can't be combined with id"));
                None
            }
            (None, None) => {
                image.fault("upload_id", Reason::other("is required unless there is an id"));
                None
            }
        }
    }
}

impl Default for &Images {
    fn default() -> Self {
        &NOTHING
    }
}

impl Image {
    /// An image of the service at this address.
    pub fn new(base_url: &str, id: String, size: (u32, u32)) -> Self {
        Self { image_url: format!("{base_url}{PATH}{id}"), id, size }
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// Its path on the service's own host, so that a page finds it under any host name.
    pub fn path(&self) -> &str {
        let host = self.image_url.find("://").map_or(0, |at| at + 3);
        let root = self.image_url[host..].find('/').unwrap_or_default();
        &self.image_url[host + root..]
    }

    /// The image on a page, in the size given by `sizes`, loaded lazily. An empty `alt` means that the adjacent text
    /// says it all.
    pub fn draw(&self, alt: &str, sizes: &str) -> Markup {
        self.draw_when(alt, sizes, Some("lazy"))
    }

    /// The image on a page, loaded with the page because it is visible at once.
    pub fn draw_at_once(&self, alt: &str, sizes: &str) -> Markup {
        self.draw_when(alt, sizes, None)
    }

    fn draw_when(&self, alt: &str, sizes: &str, loading: Option<&str>) -> Markup {
        let (path, (width, height)) = (self.path(), self.size);
        let smaller = WIDTHS.iter().filter(|smaller| **smaller < width);
        let mut set: Vec<String> = smaller.map(|smaller| format!("{path}?w={smaller} {smaller}w")).collect();
        // The largest of these is enough for any page.
        if width <= WIDTHS[2] {
            set.push(format!("{path} {width}w"));
        }
        html! {
            img src=(path) srcset=(set.join(", ")) sizes=(sizes) width=(width) height=(height) alt=(alt)
                loading=[loading] decoding="async";
        }
    }
}

/// All images of a thing, side by side; its name is in the language `lang`, or the page's.
pub fn pictures(images: &[Image], name: &str, lang: Option<&str>) -> Markup {
    html! {
        @if !images.is_empty() {
            div.pictures-row lang=[lang] {
                @for image in images { (image.draw(name, "9rem")) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::issue::Issues;

    fn images() -> Images {
        let mut images = Images::of_request("https://forms.example/base");
        images.add("known".to_owned(), (800, 600));
        images.add_upload("new".to_owned(), "choice_image", Ok((3, 2)));
        images.add_upload("other".to_owned(), "header_image", Ok((3, 2)));
        images.add_upload("late".to_owned(), "choice_image", Err(UploadFault::Expired));
        images
    }

    fn faults(images: &Images, given: Json) -> Vec<String> {
        let mut at = Issues::new();
        let mut reader = Reader::new(json!({"images": given}), &mut at);
        images.read_list(&mut reader, "images", "choice_image");
        let faults = at.into_list().into_iter();
        faults.map(|fault| format!("{}: {}", fault.attribute, fault.message())).collect()
    }

    #[test]
    fn an_image_is_named_by_its_name_or_by_an_upload() {
        let images = images();
        let given = json!([
            {"id": "known", "image_url": "ignored"}, {"upload_id": "new"}, {"upload_id": "new"},
            {"upload_id": "other"}, {"upload_id": "late"}, {"upload_id": "none"}, {"id": "none"},
            {}, {"id": "known", "upload_id": "new"}, "known", {"id": 1},
        ]);
        assert_eq!(
            faults(&images, given),
            [
                "images[2].upload_id: has already been used",
                "images[3].upload_id: was uploaded for another purpose",
                "images[4].upload_id: was not uploaded in time",
                "images[5].upload_id: is not an uploaded file",
                "images[6].id: is not an image of this organization",
                "images[7].upload_id: is required unless there is an id",
                "images[8].upload_id: can't be combined with id",
                "images[9]: must be an object",
                "images[10].id: must be a string",
            ]
        );
        assert_eq!((images.new_uploads(), images.kept_images()), (vec!["new".to_owned()], vec!["known".to_owned()]));
    }

    #[test]
    fn what_is_stored_and_gone_is_left_out() {
        let images = Images { is_stored: true, ..images() };
        assert!(faults(&images, json!([{"id": "none"}])).is_empty());
        assert!(images.at("http://old.example/images/known").is_some());
    }

    #[test]
    fn rich_text_names_images_of_ours_alone() {
        let images = images();
        let base = "https://forms.example/base/images";
        assert!(images.at(&format!("{base}/known")).is_some());
        assert!(images.at(&format!("{base}/known?w=320")).is_some());
        for other in [
            format!("{base}/known/more"),
            format!("{base}/none"),
            format!("{base}/"),
            "https://forms.example/images/known".to_owned(),
            "/base/images/known".to_owned(),
            "https://evil.example/https://forms.example/base/images/known".to_owned(),
        ] {
            assert!(images.at(&other).is_none(), "{other}");
        }
    }

    #[test]
    fn all_that_is_named_is_found() {
        let named = named_in(&json!({
            "notes": "<img src=\"https://a/images/one\"> and /images/two?w=3 and /images/",
            "header": {"background_image": {"id": "seven", "position_x": 5}},
            "choices": [{"image": {"id": "three"}, "label": "x"}, {"image": {"upload_id": "up"}}],
            "logo": {"id": "eight"},
            "goods": [{"images": [{"id": "four"}, {"id": 5}, null, "six"]}],
        }));
        let ids: Vec<&String> = named.ids.iter().collect();
        assert_eq!(ids, ["eight", "four", "one", "seven", "three", "two"]);
        assert_eq!(named.uploads.len(), 1);
    }

    #[test]
    fn a_page_gets_it_in_several_sizes() {
        let drawn = images().get("known").expect("known").draw("\"A\"", "50vw");
        assert_eq!(
            drawn.into_string(),
            "<img src=\"/base/images/known\" srcset=\"/base/images/known?w=320 320w, \
             /base/images/known?w=640 640w, /base/images/known 800w\" sizes=\"50vw\" width=\"800\" \
             height=\"600\" alt=\"&quot;A&quot;\" loading=\"lazy\" decoding=\"async\">"
        );
    }
}
