//! Writes pages as PDF. The same pages give the same bytes.

use krilla::Document;
use krilla::action::{Action, LinkAction};
use krilla::annotation::{Annotation, LinkAnnotation, Target};
use krilla::color::rgb;
use krilla::geom::{Path, PathBuilder, Point, Rect, Size, Transform};
use krilla::image::Image;
use krilla::metadata::{DateTime, Metadata};
use krilla::num::NormalizedF32;
use krilla::page::{Page as Paper, PageSettings};
use krilla::paint::{Fill, Stroke};
use krilla::surface::Surface;

use crate::base::error::{Error, Result};
use crate::media::shrink::Pixels;
use crate::media::typeset::paragraph::TextLine;

/// Red, green and blue.
pub type Color = [u8; 3];

/// Title, language and creation time of a document.
pub struct Head {
    pub title: String,
    /// A language tag.
    pub language: String,
    /// Year, month, day, hour, minute and second, in UTC.
    pub created_at: (u16, u8, u8, u8, u8, u8),
}

/// A page, in points from its upper left corner.
pub struct Page<'f> {
    pub width: f32,
    pub height: f32,
    /// The first is drawn first.
    pub marks: Vec<Mark<'f>>,
}

/// Something on a page.
pub enum Mark<'f> {
    Text {
        line: TextLine<'f>,
        x: f32,
        baseline: f32,
        size: f32,
        color: Color,
    },
    /// The area within a path.
    Area {
        path: Vec<Step>,
        color: Color,
    },
    /// A line along a path.
    Stroke {
        path: Vec<Step>,
        color: Color,
        width: f32,
    },
    /// Pixels, in the size in which they are shown.
    Picture {
        pixels: Pixels,
        left: f32,
        top: f32,
        width: f32,
        height: f32,
    },
    /// An area that leads to an address.
    Link {
        left: f32,
        top: f32,
        width: f32,
        height: f32,
        address: String,
    },
}

/// A step of a path.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    Move(f32, f32),
    Line(f32, f32),
    /// Two points that draw the line to them, and its end.
    Curve([f32; 2], [f32; 2], [f32; 2]),
    Close,
}

/// The path of a rectangle.
pub fn rectangle(left: f32, top: f32, width: f32, height: f32) -> Vec<Step> {
    vec![
        Step::Move(left, top),
        Step::Line(left + width, top),
        Step::Line(left + width, top + height),
        Step::Line(left, top + height),
        Step::Close,
    ]
}

/// The document's bytes.
///
/// # Errors
/// Internal, if a font is damaged.
pub fn write(head: &Head, pages: &[Page]) -> Result<Vec<u8>> {
    let mut document = Document::new();
    document.set_metadata(metadata(head));
    for page in pages {
        let settings = PageSettings::from_wh(page.width, page.height);
        let settings = settings.ok_or_else(|| Error::internal("a page has no size"))?;
        let mut paper = document.start_page_with(settings);
        let mut surface = paper.surface();
        for mark in &page.marks {
            draw(&mut surface, mark);
        }
        surface.finish();
        for mark in &page.marks {
            link(&mut paper, mark);
        }
        paper.finish();
    }
    let written = document.finish();
    written.map_err(|fault| Error::internal(format!("a PDF can't be written: {fault:?}")))
}

fn metadata(head: &Head) -> Metadata {
    let (year, month, day, hour, minute, second) = head.created_at;
    let at = DateTime::new(year).month(month).day(day);
    let at = at.hour(hour).minute(minute).second(second);
    Metadata::new()
        .title(head.title.clone())
        .language(head.language.clone())
        .creator("formsvc".to_owned())
        .creation_date(at.utc_offset_hour(0).utc_offset_minute(0))
}

fn draw(surface: &mut Surface, mark: &Mark) {
    match mark {
        Mark::Text { line, x, baseline, size, color } => {
            ink(surface, Some(*color), None);
            let mut x = *x;
            for part in &line.parts {
                let (start, font) = (Point::from_xy(x, *baseline), part.face.font.clone());
                surface.draw_glyphs(start, &part.glyphs, font, &part.text, *size, false);
                x += part.width * size;
            }
        }
        Mark::Area { path, color } => {
            ink(surface, Some(*color), None);
            if let Some(path) = outline(path) {
                surface.draw_path(&path);
            }
        }
        Mark::Stroke { path, color, width } => {
            ink(surface, None, Some((*color, *width)));
            if let Some(path) = outline(path) {
                surface.draw_path(&path);
            }
        }
        Mark::Picture { pixels, left, top, width, height } => {
            if let Some(size) = Size::from_wh(*width, *height) {
                let image = Image::from_rgba8(pixels.rgba.clone(), pixels.width, pixels.height);
                surface.push_transform(&Transform::from_translate(*left, *top));
                surface.draw_image(image, size);
                surface.pop();
            }
        }
        Mark::Link { .. } => {}
    }
}

fn link(paper: &mut Paper, mark: &Mark) {
    if let Mark::Link { left, top, width, height, address } = mark
        && let Some(area) = Rect::from_xywh(*left, *top, *width, *height)
    {
        let target = Target::Action(Action::Link(LinkAction::new(address.clone())));
        let link = LinkAnnotation::new(area, target);
        paper.add_annotation(Annotation::new_link(link, Some(address.clone())));
    }
}

fn ink(surface: &mut Surface, fill: Option<Color>, stroke: Option<(Color, f32)>) {
    let paint = |[red, green, blue]: Color| rgb::Color::new(red, green, blue).into();
    surface.set_fill(fill.map(|color| Fill { paint: paint(color), opacity: NormalizedF32::ONE, ..Fill::default() }));
    surface.set_stroke(stroke.map(|(color, width)| Stroke { paint: paint(color), width, ..Stroke::default() }));
}

fn outline(steps: &[Step]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for step in steps {
        match *step {
            Step::Move(x, y) => path.move_to(x, y),
            Step::Line(x, y) => path.line_to(x, y),
            Step::Curve([ax, ay], [bx, by], [x, y]) => path.cubic_to(ax, ay, bx, by, x, y),
            Step::Close => path.close(),
        }
    }
    path.finish()
}
