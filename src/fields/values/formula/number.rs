//! Numbers of formulas: exact decimals if 28 digits suffice, otherwise floats. So 0.1 + 0.2 is 0.3, and 1e300 is a
//! valid number. Results out of a float's range are `None`.

use std::cmp::Ordering;

use rust_decimal::{Decimal, RoundingStrategy};

use crate::base::json::Json;
use crate::fields::values::formula::Binary;

/// Digits that are kept of a division for comparisons, so that 1/3*3 equals 1.
const SETTLED: u32 = 24;
/// The smallest mantissa with more digits.
const UNSETTLED: u128 = 10u128.pow(SETTLED);
/// Decimals from this size on have at least 20 significant digits of their 28 after the point.
const FINE: Decimal = Decimal::from_parts(1, 0, 0, false, 8);
/// Above 2^53 a float no longer represents each whole number.
const MAX_WHOLE: i64 = 1 << 53;
/// Greater exponents are computed with floats: the difference is below a float's precision.
const MAX_POWER: i64 = 1024;

#[derive(Clone, Copy, Debug)]
pub enum Number {
    Exact(Decimal),
    /// Outside the range of decimals; finite.
    Float(f64),
}

impl Number {
    /// Parses a text such as `12.5` or `1e-7`.
    pub fn read(text: &str) -> Option<Self> {
        let exact = if text.contains(['e', 'E']) {
            Decimal::from_scientific(text).ok()
        } else {
            Decimal::from_str_exact(text).ok()
        };
        match exact {
            // A number too small for a decimal reads as zero there.
            Some(exact) if !exact.is_zero() || !text.bytes().any(|b| matches!(b, b'1'..=b'9')) => {
                Some(Self::Exact(exact))
            }
            _ => {
                let float: f64 = text.parse().ok()?;
                float.is_finite().then_some(Self::Float(float))
            }
        }
    }

    /// The number in a stored value.
    pub fn of(stored: &Json) -> Option<Self> {
        Self::read(&stored.as_number()?.to_string())
    }

    /// A count.
    pub fn whole(count: i64) -> Self {
        Self::Exact(Decimal::from(count))
    }

    fn of_float(float: f64) -> Option<Self> {
        if float.is_finite() { Self::read(&format!("{float:e}")) } else { None }
    }

    /// Whether a sum of a billion numbers like this one is exact, in any order.
    pub fn adds_exactly(self) -> bool {
        matches!(self, Self::Exact(exact) if exact.scale() <= 9 && exact.abs() <= Decimal::from(10_000_000_000_i64))
    }

    pub fn float(self) -> f64 {
        match self {
            Self::Exact(exact) => exact.to_string().parse().unwrap_or(f64::NAN),
            Self::Float(float) => float,
        }
    }

    /// A JSON number: `3`, not `3.0`.
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

    /// Rounded to the digits that a division leaves exact.
    fn settled(self) -> Self {
        match self {
            // Fewer digits would be padded with zeros, which a small number has no room for.
            Self::Exact(exact) if exact.mantissa().unsigned_abs() >= UNSETTLED => {
                Self::Exact(exact.round_sf(SETTLED).unwrap_or(exact))
            }
            settled => settled,
        }
    }

    pub fn compare(self, other: Self) -> Ordering {
        match (self.settled(), other.settled()) {
            (Self::Exact(a), Self::Exact(b)) => a.cmp(&b),
            // Both are finite.
            (a, b) => a.float().partial_cmp(&b.float()).unwrap_or(Ordering::Equal),
        }
    }

    pub fn abs(self) -> Self {
        match self {
            Self::Exact(exact) => Self::Exact(exact.abs()),
            Self::Float(float) => Self::Float(float.abs()),
        }
    }

    pub fn negated(self) -> Self {
        match self {
            Self::Exact(exact) => Self::Exact(-exact),
            Self::Float(float) => Self::Float(-float),
        }
    }

    /// Rounds to this many decimals, half away from zero; a negative count rounds before the point.
    pub fn round(self, decimals: i64) -> Option<Self> {
        match self.settled() {
            Self::Exact(exact) if decimals >= 0 => {
                let decimals = u32::try_from(decimals.min(28)).ok()?;
                let rounded = exact.round_dp_with_strategy(decimals, RoundingStrategy::MidpointAwayFromZero);
                Some(Self::Exact(rounded))
            }
            exact @ Self::Exact(_) => {
                let unit = Self::whole(10).power(Self::whole(decimals.max(-40).saturating_neg()))?;
                let units = exact.calculate(Binary::Divide, unit)?.round(0)?;
                units.calculate(Binary::Times, unit)
            }
            // Either too great to have decimals, or too small to have anything else.
            Self::Float(float) if float.abs() < 1.0 => Some(Self::whole(0)),
            float => Some(float),
        }
    }

    /// The integer part.
    pub fn truncated(self) -> Option<i64> {
        match self.settled() {
            Self::Exact(exact) => i64::try_from(exact.trunc()).ok(),
            Self::Float(float) if float.abs() < 1.0 => Some(0),
            Self::Float(_) => None,
        }
    }

    /// The result of an operator; `None` if it is undefined or out of a float's range.
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
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
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
                if whole < 0 { Self::whole(1).calculate(Binary::Divide, out) } else { Some(out) }
            }
            None => Self::of_float(self.float().powf(exponent.float())),
        }
    }
}

/// The exact result: `Some(None)` if decimals can't hold it, `None` if it is undefined.
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
        // The remainder has the sign of the divisor, as in spreadsheets.
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
