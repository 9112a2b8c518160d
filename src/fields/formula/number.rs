//! The numbers of formulas: decimals, exact as long as 28 digits hold them, else floats. So 0.1 + 0.2 is
//! 0.3, and 1e300 is a number too. What is beyond floats is none.

use std::cmp::Ordering;

use rust_decimal::{Decimal, RoundingStrategy};

use crate::base::json::Json;
use crate::fields::formula::Binary;

/// Digits that a division leaves exact enough to compare: 1/3*3 is 1.
const SETTLED: u32 = 24;
/// The least mantissa that has more of them.
const UNSETTLED: u128 = 10u128.pow(SETTLED);
/// A decimal this small or larger still has 20 significant digits of its 28 behind the point.
const FINE: Decimal = Decimal::from_parts(1, 0, 0, false, 8);
/// Beyond 2^53 a float no longer names one whole number.
const MAX_WHOLE: i64 = 1 << 53;
/// Greater powers are taken as floats: they differ from exact ones by less than a float can say.
const MAX_POWER: i64 = 1024;

/// A number.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// As it is written.
    Exact(Decimal),
    /// Too great or too small for that; finite.
    Float(f64),
}

impl Number {
    /// The number that a text such as `12.5` or `1e-7` is.
    pub fn read(text: &str) -> Option<Self> {
        let exact = if text.contains(['e', 'E']) {
            Decimal::from_scientific(text).ok()
        } else {
            Decimal::from_str_exact(text).ok()
        };
        match exact {
            // What is too small for a decimal reads as nought.
            Some(exact) if !exact.is_zero() || !text.bytes().any(|b| matches!(b, b'1'..=b'9')) => {
                Some(Self::Exact(exact))
            }
            _ => {
                let float: f64 = text.parse().ok()?;
                float.is_finite().then_some(Self::Float(float))
            }
        }
    }

    /// The number that a stored value is.
    pub fn of(stored: &Json) -> Option<Self> {
        Self::read(&stored.as_number()?.to_string())
    }

    /// A count.
    pub fn whole(count: i64) -> Self {
        Self::Exact(Decimal::from(count))
    }

    fn of_float(float: f64) -> Option<Self> {
        if float.is_finite() {
            Self::read(&format!("{float:e}"))
        } else {
            None
        }
    }

    /// The nearest float.
    pub fn float(self) -> f64 {
        match self {
            Self::Exact(exact) => exact.to_string().parse().unwrap_or(f64::NAN),
            Self::Float(float) => float,
        }
    }

    /// As a number of JSON: `3`, not `3.0`.
    pub fn to_json(self) -> Json {
        let settled = self.settled();
        let float = match settled {
            Self::Exact(exact) => {
                let whole = exact.trunc();
                if whole == exact
                    && let Ok(whole) = i64::try_from(whole)
                    && whole.abs() <= MAX_WHOLE
                {
                    return Json::from(whole);
                }
                settled.float()
            }
            Self::Float(float) => float,
        };
        Json::from(float)
    }

    /// Without the last digits, which a division may have left a hair off.
    fn settled(self) -> Self {
        match self {
            // Fewer digits would be filled up, beyond what a small number has room for.
            Self::Exact(exact) if exact.mantissa().unsigned_abs() >= UNSETTLED => {
                Self::Exact(exact.round_sf(SETTLED).unwrap_or(exact))
            }
            settled => settled,
        }
    }

    /// Which of two is greater.
    pub fn compare(self, other: Self) -> Ordering {
        match (self.settled(), other.settled()) {
            (Self::Exact(a), Self::Exact(b)) => a.cmp(&b),
            // Both are finite.
            (a, b) => a.float().partial_cmp(&b.float()).unwrap_or(Ordering::Equal),
        }
    }

    /// Without its sign.
    pub fn abs(self) -> Self {
        match self {
            Self::Exact(exact) => Self::Exact(exact.abs()),
            Self::Float(float) => Self::Float(float.abs()),
        }
    }

    /// With the other sign.
    pub fn negated(self) -> Self {
        match self {
            Self::Exact(exact) => Self::Exact(-exact),
            Self::Float(float) => Self::Float(-float),
        }
    }

    /// To this many decimals, half away from zero; a negative number rounds before the point.
    pub fn round(self, decimals: i64) -> Option<Self> {
        match self.settled() {
            Self::Exact(exact) if decimals >= 0 => {
                let decimals = u32::try_from(decimals.min(28)).ok()?;
                let rounded =
                    exact.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
                Some(Self::Exact(rounded))
            }
            exact @ Self::Exact(_) => {
                let unit =
                    Self::whole(10).power(Self::whole(decimals.max(-40).saturating_neg()))?;
                let units = exact.calculate(Binary::Divide, unit)?.round(0)?;
                units.calculate(Binary::Times, unit)
            }
            // So great that it has no decimals, or so small that it has nothing else.
            Self::Float(float) if float.abs() < 1.0 => Some(Self::whole(0)),
            float => Some(float),
        }
    }

    /// The whole number that it is, cut towards zero.
    pub fn truncated(self) -> Option<i64> {
        match self.settled() {
            Self::Exact(exact) => i64::try_from(exact.trunc()).ok(),
            Self::Float(float) if float.abs() < 1.0 => Some(0),
            Self::Float(_) => None,
        }
    }

    /// The outcome of an operator; none for what is no number or beyond floats.
    pub fn calculate(self, operator: Binary, other: Self) -> Option<Self> {
        if operator == Binary::Power {
            return self.power(other);
        }
        if let (Self::Exact(a), Self::Exact(b)) = (self, other)
            && let Some(exact) = exactly(a, operator, b)?
        {
            return Some(Self::Exact(exact));
        }
        let (a, b) = (self.float(), other.float());
        Self::of_float(match operator {
            Binary::Plus => a + b,
            Binary::Minus => a - b,
            Binary::Times => a * b,
            Binary::Divide => a / b,
            Binary::Modulo => {
                let rest = a % b;
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
                    rest + b
                } else {
                    rest
                }
            }
            _ => return None,
        })
    }

    fn power(self, exponent: Self) -> Option<Self> {
        let whole = match exponent {
            Self::Exact(exact) if exact == exact.trunc() => i64::try_from(exact.trunc()).ok(),
            _ => None,
        };
        match whole.filter(|whole| whole.abs() <= MAX_POWER) {
            Some(whole) => {
                let (mut out, mut square, mut left) = (Self::whole(1), self, whole.unsigned_abs());
                while left > 0 {
                    if left % 2 == 1 {
                        out = out.calculate(Binary::Times, square)?;
                    }
                    left /= 2;
                    if left > 0 {
                        square = square.calculate(Binary::Times, square)?;
                    }
                }
                if whole < 0 {
                    Self::whole(1).calculate(Binary::Divide, out)
                } else {
                    Some(out)
                }
            }
            None => Self::of_float(self.float().powf(exponent.float())),
        }
    }
}

/// The exact outcome; `Some(None)` where decimals can't hold it, `None` where there is none at all.
fn exactly(a: Decimal, operator: Binary, b: Decimal) -> Option<Option<Decimal>> {
    let is_fine = |out: &Decimal| out.abs() >= FINE;
    Some(match operator {
        Binary::Plus => a.checked_add(b),
        Binary::Minus => a.checked_sub(b),
        Binary::Times => {
            let fits = a.scale() + b.scale() <= Decimal::MAX_SCALE;
            a.checked_mul(b).filter(|out| fits || is_fine(out))
        }
        Binary::Divide if b.is_zero() => return None,
        Binary::Divide => a.checked_div(b).filter(|out| a.is_zero() || is_fine(out)),
        Binary::Modulo if b.is_zero() => return None,
        // The rest has the sign of the divisor, as in spreadsheets.
        Binary::Modulo => a.checked_rem(b).and_then(|rest| {
            if !rest.is_zero() && rest.is_sign_negative() != b.is_sign_negative() {
                rest.checked_add(b)
            } else {
                Some(rest)
            }
        }),
        _ => None,
    })
}
