//! Colours of a theme: parsed, mixed and adjusted for readable text (WCAG contrast). Always formatted as `#RRGGBB`.

use std::fmt;

/// In sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour([u8; 3]);

/// The minimum contrast of text.
pub const TEXT: f64 = 4.5;
/// The minimum contrast of a control's edge.
pub const EDGE: f64 = 3.0;

impl Colour {
    pub const WHITE: Self = Self([255; 3]);
    /// A soft black.
    pub const INK: Self = Self([0x0b, 0x12, 0x20]);
    pub const BLACK: Self = Self([0; 3]);

    /// Accepts `#RRGGBB` only.
    pub fn parse(text: &str) -> Option<Self> {
        let digits =
            text.strip_prefix('#').filter(|rest| rest.len() == 6 && rest.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// Relative luminance, 0 to 1.
    fn luminance(self) -> f64 {
        let [r, g, b] = self.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    /// Whether white has more contrast with it than black.
    pub fn is_dark(self) -> bool {
        self.contrast(Self::WHITE) > self.contrast(Self::BLACK)
    }

    /// The contrast ratio, 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Mixes `share` of this colour with the rest of `other`.
    pub fn mix(self, other: Self, share: f64) -> Self {
        let mut out = [0; 3];
        for (at, part) in out.iter_mut().enumerate() {
            let value = f64::from(self.0[at]) * share + f64::from(other.0[at]) * (1.0 - share);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a mean of two bytes is a byte"
            )]
            {
                *part = value.round() as u8;
            }
        }
        Self(out)
    }

    /// The nearest colour towards black or white with this contrast to `ground`.
    pub fn readable_on(self, ground: Self, ratio: f64) -> Self {
        let end = if ground.is_dark() { Self::WHITE } else { Self::BLACK };
        (0..=20)
            .map(|step| self.mix(end, 1.0 - f64::from(step) / 20.0))
            .find(|colour| colour.contrast(ground) >= ratio)
            .unwrap_or(end)
    }

    /// The colour with this contrast to `ground` that is nearest to this one, towards black or white.
    pub fn nearest_on(self, ground: Self, ratio: f64) -> Self {
        const STEPS: u16 = 256;
        let at = |end: Self, step: u16| self.mix(end, 1.0 - f64::from(step) / f64::from(STEPS));
        let mut steps = (0..=STEPS).flat_map(|step| [Self::BLACK, Self::WHITE].map(|end| at(end, step)));
        steps.find(|colour| colour.contrast(ground) >= ratio).unwrap_or_else(|| ground.ink())
    }

    /// The colour for text on this one: white if readable, else ink or black.
    pub fn ink(self) -> Self {
        let best = if self.contrast(Self::WHITE) >= TEXT { Self::WHITE } else { Self::INK };
        if self.contrast(best) >= TEXT { best } else { Self::BLACK }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::cases::cases;

    fn colours() -> impl Strategy<Value = Colour> {
        any::<[u8; 3]>().prop_map(Colour)
    }

    proptest! {
        #![proptest_config(cases())]

        #[test]
        fn the_nearest_readable_colour_is_readable(text in colours(), ground in colours()) {
            let nearest = text.nearest_on(ground, TEXT);
            prop_assert!(nearest.contrast(ground) >= TEXT, "{text} on {ground}: {nearest}");
            if text.contrast(ground) >= TEXT {
                prop_assert_eq!(nearest, text);
            }
            prop_assert_eq!(nearest.nearest_on(ground, TEXT), nearest);
        }
    }

    #[test]
    fn reads_six_digits_and_nothing_else() {
        assert_eq!(Colour::parse("#FFffff"), Some(Colour::WHITE));
        for bad in ["", "#fff", "red", "#12345g", "#1234567", "#ff\u{ff}f", "url(x)", "#+12345", "</style>"] {
            assert_eq!(Colour::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn text_can_always_be_read() {
        for ground in (0..=255).step_by(15).map(|grey| Colour([grey; 3])) {
            for primary in ["#ffff00", "#2563eb", "#808080", "#ffffff", "#000000"] {
                let primary = Colour::parse(primary).expect("a colour");
                assert!(primary.readable_on(ground, TEXT).contrast(ground) >= TEXT);
                assert!(primary.ink().contrast(primary) >= TEXT);
            }
            assert!(ground.ink().contrast(ground) >= TEXT);
        }
    }
}
