//! The frame and the ornaments of a certificate.

use crate::media::typeset::pdf::{Color, Mark, Step, rectangle};

/// Colour of thin lines.
pub const GOLD: Color = [173, 137, 76];
/// Colour behind the text.
const PALE: Color = [239, 241, 245];

/// Distance of a curve's points from the ends of a quarter of a circle.
const QUARTER: f32 = 0.552_285;
const OUTER: f32 = 22.0;
const INNER: f32 = 31.0;
/// The radius of the corners, which curve inwards.
const CORNER: f32 = 18.0;
const LEAVES: u8 = 18;

/// The frame of a page, with a rosette in its middle.
pub fn frame<'f>(width: f32, height: f32, accent: Color) -> Vec<Mark<'f>> {
    let mut marks = rosette(width / 2.0, height / 2.0 - 6.0);
    let stroke = |path, color, width| Mark::Stroke { path, color, width };
    let outer = rectangle(OUTER, OUTER, width - 2.0 * OUTER, height - 2.0 * OUTER);
    marks.push(stroke(outer, accent, 2.6));
    marks.push(stroke(notched(INNER, width, height), GOLD, 0.8));
    marks.push(stroke(notched(INNER + 3.5, width, height), GOLD, 0.35));
    for x in [INNER + 4.0, width - INNER - 4.0] {
        for y in [INNER + 4.0, height - INNER - 4.0] {
            marks.push(diamond(x, y, 4.0, accent));
        }
    }
    marks
}

/// A short line with a diamond in its middle.
pub fn divider<'f>(x: f32, y: f32, accent: Color) -> Vec<Mark<'f>> {
    let line = |from: f32, to: f32| Mark::Stroke {
        path: vec![Step::Move(x + from, y), Step::Line(x + to, y)],
        color: GOLD,
        width: 0.8,
    };
    vec![
        line(-76.0, -10.0),
        line(10.0, 76.0),
        diamond(x, y, 4.0, accent),
        diamond(x - 82.0, y, 1.8, GOLD),
        diamond(x + 82.0, y, 1.8, GOLD),
    ]
}

fn diamond<'f>(x: f32, y: f32, size: f32, color: Color) -> Mark<'f> {
    Mark::Area {
        path: vec![
            Step::Move(x, y - size),
            Step::Line(x + size, y),
            Step::Line(x, y + size),
            Step::Line(x - size, y),
            Step::Close,
        ],
        color,
    }
}

/// A rectangle whose corners are cut out by quarters of circles.
fn notched(inset: f32, width: f32, height: f32) -> Vec<Step> {
    let (left, top, right, bottom) = (inset, inset, width - inset, height - inset);
    let (far, near) = (CORNER, CORNER * QUARTER);
    vec![
        Step::Move(left + far, top),
        Step::Line(right - far, top),
        Step::Curve([right - far, top + near], [right - near, top + far], [right, top + far]),
        Step::Line(right, bottom - far),
        Step::Curve([right - near, bottom - far], [right - far, bottom - near], [right - far, bottom]),
        Step::Line(left + far, bottom),
        Step::Curve([left + far, bottom - near], [left + near, bottom - far], [left, bottom - far]),
        Step::Line(left, top + far),
        Step::Curve([left + near, top + far], [left + far, top + near], [left + far, top]),
        Step::Close,
    ]
}

/// Ellipses around one point.
fn rosette<'f>(x: f32, y: f32) -> Vec<Mark<'f>> {
    let leaf = |nth: u8| Mark::Stroke {
        path: ellipse(x, y, 196.0, 84.0, f32::from(nth) * std::f32::consts::PI / f32::from(LEAVES)),
        color: PALE,
        width: 0.7,
    };
    (0..LEAVES).map(leaf).collect()
}

fn ellipse(x: f32, y: f32, long: f32, short: f32, angle: f32) -> Vec<Step> {
    let (sin, cos) = angle.sin_cos();
    // From the ellipse's own axes to the page.
    let at = |u: f32, v: f32| {
        let (u, v) = (u * long, v * short);
        [x + u * cos - v * sin, y + u * sin + v * cos]
    };
    let k = QUARTER;
    let [start_x, start_y] = at(1.0, 0.0);
    vec![
        Step::Move(start_x, start_y),
        Step::Curve(at(1.0, k), at(k, 1.0), at(0.0, 1.0)),
        Step::Curve(at(-k, 1.0), at(-1.0, k), at(-1.0, 0.0)),
        Step::Curve(at(-1.0, -k), at(-k, -1.0), at(0.0, -1.0)),
        Step::Curve(at(k, -1.0), at(1.0, -k), at(1.0, 0.0)),
        Step::Close,
    ]
}
