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

/// A form with every kind of question, in English, Chinese or Arabic; one of them looks into the form
/// of that token.
pub fn every_kind(locale: &str, companies: &str) -> Value {
    let at = match locale {
        "zh-CN" => 1,
        "ar" => 2,
        _ => 0,
    };
    let say = |words: [&'static str; 3]| words[at];
    let named = |names: &[(&str, [&'static str; 3])]| -> Value {
        names.iter().map(|(code, words)| json!({"api_code": code, "label": say(*words)})).collect()
    };
    let mut other = named(&[
        ("photo", ["Analogue photography", "胶片摄影", "التصوير الفوتوغرافي"]),
        ("press", ["Letterpress and bookbinding", "活版印刷与装帧", "الطباعة والتجليد"]),
        ("bread", ["Sourdough, from starter to loaf", "酸面包", "خبز العجين المخمر"]),
    ]);
    if let Some(list) = other.as_array_mut() {
        list.push(json!({"api_code": "else", "label": say(["Something else", "其他", "شيء آخر"]), "is_other": true}));
    }
    let short = named(&[
        ("mon", ["Monday", "星期一", "الاثنين"]),
        ("tue", ["Tuesday", "星期二", "الثلاثاء"]),
        ("wed", ["Wednesday", "星期三", "الأربعاء"]),
        ("thu", ["Thursday", "星期四", "الخميس"]),
    ]);
    let things = named(&[
        ("room", ["The rooms", "场地", "القاعات"]),
        ("food", ["The food", "餐饮", "الطعام"]),
        ("talk", ["The talks", "讲座", "المحاضرات"]),
    ]);
    let degrees = named(&[
        ("bad", ["Poor", "较差", "ضعيف"]),
        ("fair", ["Fair", "一般", "مقبول"]),
        ("good", ["Good", "良好", "جيد"]),
    ]);
    let cell = |kind: &str, label: &'static str, own: Value| {
        let mut field = json!({"type": kind, "label": label});
        if let (Some(field), Some(own)) = (field.as_object_mut(), own.as_object()) {
            field.extend(own.clone());
        }
        field
    };
    let field = |kind: &str, words: [&'static str; 3], own: Value| {
        let mut field = cell(kind, say(words), own);
        if kind != "description" && field.get("required").is_none() {
            field["required"] = json!(true);
        }
        field
    };
    json!({
        "name": say(["Annual conference: your visit", "年度会议：您的参会信息", "المؤتمر السنوي: زيارتك"]),
        "description": say([
            "Tell us who you are, what you would like to see and how to reach you.",
            "请告诉我们您是谁、想参加哪些活动，以及如何联系您。",
            "أخبرنا من أنت وماذا تود أن ترى وكيف نصل إليك."]),
        "locale": locale,
        "fields": [
            field("description", ["About you", "关于您", "عنك"], json!({"content": "<p>We use these details <b>only</b> to organise the <a href=\"https://example.com/\">conference</a>.</p>"})),
            field("name", ["Full name", "姓名", "الاسم الكامل"], json!({})),
            field("short_text", ["Organisation", "单位", "المؤسسة"], json!({"placeholder": say(["Where you work or study", "您的单位或学校", "مكان عملك أو دراستك"])})),
            field("long_text", ["What brings you here?", "您为什么来参加？", "ما الذي جاء بك؟"], json!({"notes": "<p>A few words are enough.</p>"})),
            field("email", ["E-mail address", "电子邮箱", "البريد الإلكتروني"], json!({})),
            field("url", ["Website", "网站", "الموقع"], json!({})),
            field("phone", ["Phone number", "电话", "رقم الهاتف"], json!({"default_country": say(["GB", "CN", "EG"])})),
            field("number", ["Years of experience", "从业年数", "سنوات الخبرة"], json!({"min": 0, "max": 60, "unit": say(["years", "年", "سنة"])})),
            field("date", ["Day of arrival", "到达日期", "يوم الوصول"], json!({})),
            field("time", ["Hour of arrival", "到达时间", "ساعة الوصول"], json!({})),
            field("radio", ["Which track would you like?", "您想参加哪个课程？", "أي مسار تفضل؟"], json!({"choices": other})),
            field("checkbox", ["On which days will you be here?", "您哪几天参加？", "في أي أيام ستكون هنا؟"], json!({"choices": short})),
            field("dropdown", ["Where did you hear of us?", "您从哪里得知？", "أين سمعت عنا؟"], json!({"choices": other})),
            field("image_radio", ["Which poster do you like best?", "您最喜欢哪张海报？", "أي ملصق تفضل؟"], json!({"choices": degrees})),
            field("image_checkbox", ["Which of these would you wear?", "您会穿哪些？", "أي من هذه ترتدي؟"], json!({"choices": short})),
            field("cascade", ["Where do you live?", "您住在哪里？", "أين تسكن؟"], json!({"choices": [
                {"api_code": "n", "label": say(["North", "北部", "الشمال"]), "children": [{"api_code": "a", "label": say(["Coast", "沿海", "الساحل"])}, {"api_code": "b", "label": say(["Hills", "山区", "التلال"])}]},
                {"api_code": "s", "label": say(["South", "南部", "الجنوب"]), "children": [{"api_code": "c", "label": say(["City", "城市", "المدينة"])}]}]})),
            field("ranking", ["Put these in order", "请排序", "رتّب ما يلي"], json!({"choices": things})),
            field("rating", ["How was it last year?", "去年体验如何？", "كيف كان العام الماضي؟"], json!({})),
            field("nps", ["Would you recommend us?", "您会推荐我们吗？", "هل توصي بنا؟"], json!({"min_label": say(["Not at all", "完全不会", "أبداً"]), "max_label": say(["Very likely", "非常可能", "بالتأكيد"])})),
            field("likert", ["How do you rate these?", "您如何评价？", "كيف تقيّم ما يلي؟"], json!({"statements": things, "choices": degrees})),
            field("matrix", ["What shall we plan for?", "我们应如何安排？", "بماذا نخطط؟"], json!({"statements": things, "dimensions": [
                cell("number", say(["People", "人数", "العدد"]), json!({})), cell("short_text", say(["Wishes", "愿望", "الرغبات"]), json!({}))]})),
            field("matrix_rating", ["And how important are they?", "它们有多重要？", "وما أهميتها؟"], json!({"statements": things, "rating_max": 5, "dimensions": [{"api_code": "now", "label": say(["Now", "现在", "الآن"])}]})),
            field("table", ["Who comes with you?", "谁与您同行？", "من يأتي معك؟"], json!({"min_rows": 1, "max_rows": 4, "dimensions": [
                cell("name", say(["Name", "姓名", "الاسم"]), json!({})), cell("number", say(["Age", "年龄", "العمر"]), json!({}))]})),
            field("address", ["Address", "地址", "العنوان"], json!({"default_country": say(["GB", "CN", "EG"])})),
            field("location", ["Where shall we pick you up?", "在哪里接您？", "أين نلتقي بك؟"], json!({})),
            field("product", ["What shall we order for you?", "需要为您订购什么？", "ماذا نطلب لك؟"], json!({"goods_items": [
                {"api_code": "bag", "name": say(["Conference bag", "会议包", "حقيبة المؤتمر"]), "description": say(["Canvas, with a long strap.", "帆布长肩带。", "قماش بحزام طويل."]), "price": "12.50", "original_price": 15},
                {"api_code": "shirt", "name": say(["T-shirt", "T 恤", "قميص"]), "price": 20, "dimensions": [{"api_code": "size", "name": say(["Size", "尺码", "المقاس"]), "options": [{"api_code": "s", "name": "S"}, {"api_code": "m", "name": "M"}]}]}]})),
            field("booking", ["Which tour would you like?", "您想参加哪个导览？", "أي جولة تفضل؟"], json!({"reservation_items": [
                {"api_code": "press", "name": say(["The printing house", "印刷厂", "المطبعة"]), "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 9}]}},
                {"api_code": "mill", "name": say(["The mill", "磨坊", "الطاحونة"]), "quota_setting": {"kind": "weekly", "weekly_quotas": [{"weekday": 2, "quota": 9}]}}]})),
            field("signature", ["Your signature", "您的签名", "توقيعك"], json!({"required": false})),
            field("attachment", ["Your slides", "您的幻灯片", "شرائحك"], json!({"required": false, "max_count": 3, "media_type": "document"})),
            field("audio", ["How is your name pronounced?", "您的姓名怎么读？", "كيف يُنطق اسمك؟"], json!({"required": false})),
            field("linked_form", ["Which company do you come from?", "您来自哪家公司？", "من أي شركة أنت؟"], json!({
                "required": false, "form_token": companies, "search_fields": ["field_1"], "display_fields": [{"api_code": "field_1", "public": true}]})),
            field("formula", ["Your years in months", "折合月数", "خبرتك بالأشهر"], json!({"required": false, "expression": "field_8 * 12", "result_type": "number"})),
        ]
    })
}

/// Choices of all sorts, and other answers that are picked rather than typed.
pub fn choices() -> Value {
    json!({
        "name": "The summer meeting",
        "description": "So that we can plan for you.",
        "fields": [
            {"type": "url", "label": "Your home page", "placeholder": "https://"},
            {"type": "time", "label": "When will you arrive?"},
            {"type": "time", "label": "Your best time on the track", "include_second": true},
            {"type": "dropdown", "label": "What do you eat?", "choices": [
                {"api_code": "all", "label": "Everything"}, {"api_code": "meat", "label": "Meat"},
                {"api_code": "veg", "label": "Vegetarian"}, {"api_code": "else", "label": "Something else", "is_other": true}]},
            {"type": "rating", "label": "How was the food last year?"},
            {"type": "rating", "label": "And the venue?", "rating_max": 10, "icon": "heart"},
            {"type": "nps", "label": "How likely is it that you recommend us to a friend?", "min_label": "Not at all", "max_label": "Extremely likely"},
            {"type": "cascade", "label": "Where do you come from?", "levels": 3, "choices": [
                {"api_code": "eu", "label": "Europe", "children": [
                    {"api_code": "it", "label": "Italy", "children": [{"api_code": "rome", "label": "Rome"}, {"api_code": "bari", "label": "Bari"}]},
                    {"api_code": "va", "label": "Vatican"}]},
                {"api_code": "sea", "label": "At sea"}]},
            {"type": "ranking", "label": "What do you look forward to?", "choices": [
                {"api_code": "talk", "label": "Talks"}, {"api_code": "shop", "label": "Workshops"},
                {"api_code": "walk", "label": "The walk by the sea"}]},
            {"type": "image_radio", "label": "Which view would you like?", "choices": [
                {"api_code": "sea", "label": "The sea"}, {"api_code": "hills", "label": "The hills"}, {"api_code": "yard", "label": "The yard"}]},
            {"type": "checkbox", "label": "How do you travel?", "choices": [
                {"api_code": "bus", "label": "Bus"}, {"api_code": "train", "label": "Train"}, {"api_code": "car", "label": "Car"},
                {"api_code": "bike", "label": "Bicycle"}, {"api_code": "other", "label": "Another way", "is_other": true}]},
            {"type": "rating", "label": "How do you feel today?", "rating_max": 7, "icon": "number"},
            {"type": "image_checkbox", "label": "What did you like?", "choices": [
                {"api_code": "a", "label": "The garden"}, {"api_code": "b", "label": "The hall"}, {"api_code": "c", "label": "The stage with its long red curtain"}]},
        ]
    })
}

/// Addresses and positions, with files, recordings and signatures.
pub fn places_and_files() -> Value {
    json!({
        "name": "Report damage",
        "description": "Tell us where it is and what happened.",
        "fields": [
            {"type": "address", "label": "Your address", "required": true, "required_parts": ["address_line1", "city", "country"]},
            {"type": "location", "label": "Where is the damage?", "notes": "<p>A rough position is enough.</p>"},
            {"type": "attachment", "label": "Pictures", "media_type": "image", "max_count": 3, "max_size": 1},
            {"type": "audio", "label": "Tell us about it", "max_duration": 90},
            {"type": "signature", "label": "Your signature", "required": true},
        ]
    })
}
