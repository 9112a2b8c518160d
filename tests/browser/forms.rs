//! The forms that the journeys go through.

use serde_json::{Value, json};

/// A form of three pages with every kind of question.
pub fn workshop() -> Value {
    json!({
        "name": "Summer workshop registration",
        "description": "Three days of hands-on sessions in small groups.\nIt takes about four minutes.",
        "fields": [
            {"type": "description", "label": "About you", "content": "<p>We use these details <b>only</b> to organise the workshop.</p>"},
            {"type": "name", "label": "Full name", "required": true},
            {"type": "email", "label": "E-mail address", "required": true, "notes": "<p>Your confirmation goes here.</p>"},
            {"type": "phone", "label": "Phone number", "default_country": "GB"},
            {"type": "short_text", "label": "Organisation", "placeholder": "Where you work or study", "max_length": 40},
            {"type": "page_break", "next_text": "On to the workshop", "previous_text": "Back to you"},
            {"type": "radio", "label": "Which track would you like?", "required": true, "choices": [
                {"api_code": "photo", "label": "Analogue photography"},
                {"api_code": "press", "label": "Letterpress and bookbinding"},
                {"api_code": "bread", "label": "Sourdough, from starter to loaf"},
                {"api_code": "other", "label": "Something else", "is_other": true}]},
            {"type": "checkbox", "label": "What may we plan for?", "notes": "<p>Choose up to two.</p>", "max_selected": 2, "choices": [
                {"api_code": "veg", "label": "Vegetarian meals"},
                {"api_code": "step", "label": "Step-free access"},
                {"api_code": "child", "label": "Child care", "allow_extended_text": true}]},
            {"type": "date", "label": "Day of arrival", "required": true},
            {"type": "number", "label": "Years of experience", "min": 0, "max": 60, "unit": "years"},
            {"type": "page_break"},
            {"type": "long_text", "label": "Anything else we should know?", "placeholder": "Allergies, questions, wishes"}
        ]
    })
}

/// One question at a time.
pub fn cards() -> Value {
    json!({
        "name": "Summer workshop registration",
        "description": "Three days of hands-on sessions in small groups.",
        "layout": "card",
        "fields": [
            {"type": "description", "label": "About you", "content": "<p>We use these details <b>only</b> to organise the workshop.</p>"},
            {"type": "name", "label": "What is your full name?", "required": true},
            {"type": "radio", "label": "Which track would you like?", "choices": [
                {"api_code": "photo", "label": "Analogue photography"},
                {"api_code": "press", "label": "Letterpress and bookbinding"},
                {"api_code": "other", "label": "Something else", "is_other": true}]},
            {"type": "checkbox", "label": "What may we plan for?", "notes": "<p>Choose as many as you like.</p>", "choices": [
                {"api_code": "veg", "label": "Vegetarian meals"},
                {"api_code": "step", "label": "Step-free access"},
                {"api_code": "child", "label": "Child care"}]},
            {"type": "long_text", "label": "What would you like to learn?"},
            {"type": "short_text", "label": "Where do you come from?"},
            {"type": "number", "label": "How many years have you practised?", "unit": "years"},
            {"type": "short_text", "label": "Anything else?"}
        ]
    })
}

/// The same in Chinese.
pub fn chinese() -> Value {
    json!({
        "name": "夏季工作坊报名",
        "description": "为期三天的小组实践课程，填写大约需要四分钟。",
        "locale": "zh-CN",
        "timezone": "Asia/Shanghai",
        "fields": [
            {"type": "name", "label": "姓名", "required": true},
            {"type": "email", "label": "电子邮箱", "required": true, "notes": "<p>确认信将发送到此邮箱。</p>"},
            {"type": "phone", "label": "电话", "default_country": "CN"},
            {"type": "radio", "label": "您想参加哪个课程？", "required": true, "choices": [
                {"label": "胶片摄影"}, {"label": "活版印刷与书籍装帧"}, {"label": "其他", "is_other": true}]},
            {"type": "date", "label": "到达日期"},
            {"type": "long_text", "label": "还有什么需要我们了解？"}
        ]
    })
}

/// A form in a language that is written from right to left.
pub fn arabic() -> Value {
    json!({
        "name": "التسجيل في ورشة الصيف",
        "description": "ثلاثة أيام من الجلسات العملية.",
        "locale": "ar",
        "fields": [
            {"type": "name", "label": "الاسم الكامل", "required": true},
            {"type": "email", "label": "البريد الإلكتروني", "required": true},
            {"type": "phone", "label": "رقم الهاتف", "default_country": "EG"},
            {"type": "radio", "label": "أي مسار تفضل؟", "required": true, "choices": [
                {"label": "التصوير الفوتوغرافي"}, {"label": "الطباعة"}, {"label": "الخبز"}]}
        ]
    })
}

/// Goods to order, one of them in variants, and rooms and tours to book.
pub fn shop() -> Value {
    let slot = |code: &str, weekday: i64, from: &str, to: &str| json!({"code": code, "weekday": weekday, "start_time": from, "end_time": to, "quota": 2});
    json!({
        "name": "Garden café",
        "description": "Order ahead and book a table.",
        "fields": [
            {"type": "product", "label": "What would you like?", "goods_items": [
                {"api_code": "tea", "name": "Pot of tea", "description": "Assam, Darjeeling or peppermint.", "price": "3.10", "original_price": 4, "max_number": 5},
                {"api_code": "cake", "name": "Victoria sponge", "price": 12, "dimensions": [
                    {"api_code": "size", "name": "Size", "options": [{"api_code": "s", "name": "small"}, {"api_code": "l", "name": "large"}]},
                    {"api_code": "icing", "name": "Icing", "options": [{"api_code": "w", "name": "white"}, {"api_code": "p", "name": "pink"}]},
                ], "skus": [{"specification": {"size": "l", "icing": "p"}, "price": "20.05"}]},
                {"api_code": "bun", "name": "Half a dozen scones with clotted cream and strawberry jam", "price": 1200},
            ], "unit": "pcs"},
            {"type": "booking", "label": "When will you come?", "required": true, "allow_multiple_items": true, "allow_multiple_number": true, "reservation_items": [
                {"api_code": "terrace", "name": "Terrace", "quota_setting": {
                    "kind": "time_range", "start_date": "2090-01-01", "end_date": "2090-12-31", "closed_dates": ["2090-01-09"],
                    "daily_time_range_quotas": [slot("a", 1, "09:00", "10:30"), slot("b", 1, "10:30", "12:00"), slot("c", 2, "14:00", "15:30")]}},
                {"api_code": "walk", "name": "Garden walk", "quota_setting": {
                    "kind": "weekly", "start_date": "2090-01-01", "weekly_quotas": [{"weekday": 6, "quota": 10}, {"weekday": 7, "quota": 10}]}},
            ]},
            {"type": "booking", "label": "Shall we show you round?", "reservation_items": [
                {"api_code": "kitchen", "name": "Kitchen", "description": "Half an hour, with a taste of everything.", "quota_setting": {
                    "kind": "weekly", "weekly_quotas": [{"weekday": 3, "quota": 10}]}},
                {"api_code": "cellar", "name": "Cellar", "quota_setting": {
                    "kind": "weekly", "weekly_quotas": [{"weekday": 4, "quota": 10}]}},
            ]},
        ]
    })
}
