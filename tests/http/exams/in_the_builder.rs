//! Exams in the builder: which questions are scored, their points and right answers, as a part of the draft.

use serde_json::{Value, json};
use support::page_text::page_text;
use support::session::{Session, account};
use support::steps::set;
use support::{Caller, Form, Response, Server, field, sharing};

const ANN: &str = "ann@example.org";
const BOB: &str = "bob@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    ann: Session,
}

fn choices(codes: &[&str]) -> Value {
    codes.iter().map(|code| json!({"api_code": code, "label": format!("choice {code}")})).collect()
}

fn desk(scene: &str) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write entry:read entry:write");
    let form = owner.form_with(json!({"name": "Finals", "scene": scene, "fields": [
        field("radio", json!({"label": "Capital", "choices": choices(&["a", "b"])})),
        field("checkbox", json!({"label": "Primes", "choices": choices(&["c", "d", "e"])})),
        field("short_text", json!({"label": "Author"})),
        field("attachment", json!({"label": "Your notes"})),
    ]}));
    let ann = Session::on(&server).signed_in(ANN);
    ann.get(&format!("/forms/{}/build", form.token)).is(200);
    Desk { server, owner, form, ann }
}

impl Desk {
    fn build(&self, rest: &str) -> String {
        format!("/forms/{}/build{rest}", self.form.token)
    }

    fn take(&self, code: &str) -> String {
        format!("/forms/{}/preview?answer={code}", self.form.token)
    }

    fn panel(&self, code: &str) -> Response {
        self.ann.get(&self.build(&format!("?field={code}"))).is(200)
    }

    /// Posts the question's form for the exam as its page has it now.
    fn score(&self, code: &str, pairs: &[(&str, &str)]) -> Response {
        let seen = seen(&self.panel(code));
        self.ann.post(&self.build(&format!("/fields/{code}/exam")), &[&[("_seen", &*seen)], pairs].concat())
    }

    fn draft(&self) -> Value {
        let headers = self.ann.caller().header("accept", "application/json");
        headers.get(self.build("")).is(200).data()["exam_questions"].clone()
    }

    fn publishing(&self) -> Response {
        self.ann.get(&format!("/forms/{}/publish", self.form.token)).is(200)
    }

    fn publish(&self) {
        let page = self.publishing();
        let version = page.text.split("name=\"draft_version\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let address = format!("/forms/{}/publish", self.form.token);
        self.ann.post(&address, &[("draft_version", version.expect("something to publish"))]).leads();
    }
}

fn seen(page: &Response) -> String {
    let at = page.text.split("name=\"_seen\" value=\"").nth(1).unwrap_or_else(|| panic!("no exam: {page}"));
    at.split('"').next().expect("a value").to_owned()
}

#[test]
fn an_exam_is_made_and_published_without_a_script() {
    let desk = desk("exam");
    desk.panel("field_1")
        .has(["Total: 0 pt", "exam.scored", "exam.score"])
        .lacks(["exam.partial", "Take as right answer"]);
    desk.panel("field_2").has(["exam.partial"]);
    // A question that can have no right answer is not scored.
    desk.panel("field_4").lacks(["exam.scored"]);
    // A question that comes to be scored is worth a point, and asks for its answer.
    let led = desk.score("field_1", &[("exam.scored", "true"), ("exam.score", "")]).leads();
    assert!(led.ends_with("?field=field_1"), "{led}");
    assert_eq!(desk.draft(), json!({"field_1": {"scored": true, "score": 1.0}}));
    let words = page_text(&desk.panel("field_1"));
    assert!(words.contains("Total: 1 pt") && words.contains("One thing to complete"), "{words}");
    desk.panel("field_1").has(["Take as right answer", "Give the right answer"]);
    desk.publishing().has(["Give the right answer", "build?field=field_1"]).lacks(["draft_version"]);
    // Points that are none stay as they were typed.
    desk.score("field_1", &[("exam.scored", "true"), ("exam.score", "many")]).leads();
    desk.panel("field_1").has(["value=\"many\"", "a number from 0 to 1000000"]);
    desk.score("field_1", &[("exam.scored", "true"), ("exam.score", "2")]).leads();
    let led = desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "a")]).leads();
    assert!(led.ends_with("?field=field_1&done=answer"), "{led}");
    desk.ann.get(&led).is(200).has(["The right answer is set.", "choice a", "Remove the right answer"]);
    // Several choices, each with its share; the page of the question shows the right ones so far.
    let pairs = [("exam.scored", "true"), ("exam.score", "3"), ("exam.partial", "per_choice")];
    desk.score("field_2", &pairs).leads();
    desk.ann.post(&desk.take("field_2"), &[("_page", "0"), ("field_2", "c"), ("field_2", "d")]).leads();
    let page = desk.ann.get(&desk.take("field_2")).is(200);
    assert_eq!(page.text.matches(" checked").count(), 2, "{page}");
    // A question that was not scored becomes scored.
    desk.ann.post(&desk.take("field_3"), &[("_page", "0"), ("field_3", "Ada")]).leads();
    let wanted = json!({
        "field_1": {"scored": true, "score": 2.0, "answer": "a"},
        "field_2": {"scored": true, "score": 3.0, "partial": "per_choice", "answer": ["c", "d"]},
        "field_3": {"scored": true, "score": 1.0, "answer": "Ada"},
    });
    assert_eq!(desk.draft(), wanted);
    let settings = desk.ann.get(&format!("/forms/{}/settings", desk.form.token)).is(200);
    settings.has(["Total: 6 pt", "build?field=field_2#exam", "choice c, choice d", "A share, minus wrong ones"]);
    let published = || desk.owner.get(desk.form.part("settings")).data()["exam"]["questions"].clone();
    assert_eq!(published(), json!({}));
    desk.publishing().has(["Answers and points of the exam"]);
    desk.publish();
    assert_eq!(published(), wanted);
    desk.publishing().lacks(["draft_version"]);
    set(&desk.owner, &desk.form, json!({"exam": {"show_score": true}}));
    let sent =
        desk.server.anon().post(desk.form.submissions(), json!({"field_values": {"field_1": "a", "field_2": ["c"]}}));
    assert_eq!(sent.is(201).data()["exam_score"], json!(3.5));
}

#[test]
fn each_change_is_a_step_and_a_question_is_the_unit_of_conflict() {
    let desk = desk("exam");
    let stale = seen(&desk.panel("field_1"));
    desk.score("field_1", &[("exam.scored", "true"), ("exam.score", "2")]).leads();
    desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "b")]).leads();
    let whole = desk.draft();
    let led = desk.ann.post(&desk.build("/undo"), &[]).leads();
    assert!(led.ends_with("?field=field_1"), "{led}");
    assert_eq!(desk.draft(), json!({"field_1": {"scored": true, "score": 2.0}}));
    desk.ann.post(&desk.build("/undo"), &[]).leads();
    assert_eq!(desk.draft(), json!({}));
    desk.ann.post(&desk.build("/redo"), &[]).leads();
    desk.ann.post(&desk.build("/redo"), &[]).leads();
    assert_eq!(desk.draft(), whole);
    // An older page shows the differences and changes nothing; saved again, the typed values hold.
    let exam = desk.build("/fields/field_1/exam");
    let typed = [("_seen", &*stale), ("exam.scored", "true"), ("exam.score", "9")];
    let page = desk.ann.post(&exam, &typed).is(412);
    page.has(["Somebody else changed this question meanwhile", "value=\"9\"", "Take theirs"]);
    assert_eq!(desk.draft(), whole);
    let again = seen(&page);
    desk.ann.post(&exam, &[("_seen", &*again), ("exam.scored", "true"), ("exam.score", "9")]).leads();
    assert_eq!(desk.draft(), json!({"field_1": {"scored": true, "score": 9.0, "answer": "b"}}));
    // Another question is no conflict.
    let other = seen(&desk.panel("field_3"));
    desk.score("field_2", &[("exam.scored", "true"), ("exam.score", "1")]).leads();
    desk.ann.post(&desk.build("/fields/field_3/exam"), &[("_seen", &*other), ("exam.scored", "true")]).leads();
    assert_eq!(desk.draft()["field_3"]["score"], json!(1.0));
    // A script is told what its next post is about.
    let (csrf, shown) = (desk.ann.csrf(), seen(&desk.panel("field_3")));
    let typed = [("csrf", &*csrf), ("_seen", &*shown), ("exam.scored", "true"), ("exam.score", "3")];
    let script = desk.ann.caller().header("accept", "application/json").header("origin", &desk.server.base);
    let told = script.post_form(desk.build("/fields/field_3/exam"), &typed).is(200).data();
    assert_eq!(told["seen"], seen(&desk.panel("field_3")));
    // The answer is removed, and a setting that was never made is nothing.
    desk.ann.post(&desk.build("/fields/field_1/no-answer"), &[]).leads();
    assert_eq!(desk.draft()["field_1"], json!({"scored": true, "score": 9.0}));
    desk.score("field_3", &[("exam.score", "")]).leads();
    assert_eq!(desk.draft()["field_3"], json!(null));
    // A right answer that names a choice which is gone has to be taken again.
    desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "b")]).leads();
    let page = desk.panel("field_1");
    let pairs = crate::forms::controls::panel(&page.text, "field_1", &[("_action", "choices[1].remove")]);
    let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    desk.ann.post(&desk.build("/fields/field_1"), &pairs).leads();
    desk.publishing().has(["no longer fits the question"]);
}

#[test]
fn a_pass_score_above_the_points_hinders_publishing() {
    let desk = desk("exam");
    set(&desk.owner, &desk.form, json!({"exam": {"pass_score": 5}}));
    desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "a")]).leads();
    desk.publishing().has(["The pass score is higher than the points", "settings#exam"]).lacks(["draft_version"]);
    desk.score("field_1", &[("exam.scored", "true"), ("exam.score", "5")]).leads();
    desk.publish();
}

#[test]
fn only_exams_are_scored_and_only_by_managers() {
    let other = desk("form");
    other.panel("field_1").lacks(["exam.scored", "id=\"exam\""]);
    other.ann.post(&other.build("/fields/field_1/exam"), &[("exam.scored", "true")]).is(404);
    let desk = desk("exam");
    desk.ann.post(&desk.take("field_1"), &[("_page", "0"), ("field_1", "a")]).leads();
    account(&desk.server, BOB);
    let bob = desk.server.token(BOB, "form:read");
    let browser = Session::on(&desk.server).signed_in(BOB);
    let acts = [desk.take("field_1"), desk.build("/fields/field_1/exam"), desk.build("/fields/field_1/no-answer")];
    let before = desk.draft();
    browser.get(&desk.take("field_1")).is(404);
    for role in ["viewer", "editor"] {
        sharing::share(&desk.owner, &desk.form, &bob, role);
        let page = browser.get(&desk.build("?field=field_1")).is(200);
        page.has(["choice a", "1 pt"]).lacks(["exam.scored", "Take as right answer"]);
        browser.get(&desk.take("field_1")).is(403);
        for act in &acts {
            browser.post(act, &[("_page", "0"), ("field_1", "b")]).is_for(403, act);
        }
    }
    assert_eq!(desk.draft(), before);
    desk.ann.get(&desk.take("field_9")).is(404);
    desk.ann.get(&desk.take("field_4")).is(422).has(["can’t have a right answer"]);
}

#[test]
fn feedback_by_score_says_what_it_leaves_out_and_says_twice() {
    let desk = desk("evaluation");
    let scored =
        json!([{"api_code": "a", "label": "Never", "score": 0}, {"api_code": "b", "label": "Often", "score": 10}]);
    let several =
        json!([{"api_code": "c", "label": "Tea", "score": 2}, {"api_code": "d", "label": "Soup", "score": 3}]);
    let page = || desk.ann.get(&format!("/forms/{}/settings", desk.form.token)).is(200);
    let texts = |bands: &[(f64, f64)]| {
        let bands: Value = bands.iter().map(|(from, to)| json!({"start_point": from, "end_point": to})).collect();
        set(&desk.owner, &desk.form, json!({"after_submission": {"report": {"score_based_feedbacks": bands}}}));
    };
    page().lacks(["band-line"]);
    texts(&[(0.0, 4.0)]);
    page().has(["No choice has a score yet."]);
    // The scores of choices are typed in their editor.
    desk.panel("field_1").has(["name=\"choices[0].score\""]);
    desk.owner
        .patch(
            desk.form.path(),
            json!({"confirm_data_loss": true, "fields": [
                field("radio", json!({"api_code": "field_1", "label": "Capital", "choices": scored})),
                field("checkbox", json!({"api_code": "field_2", "label": "Primes", "choices": several})),
            ]}),
        )
        .is(200);
    page().has(["Nobody with 5 to 15 points reads a text", "band-gap"]).lacks(["band-overlap"]);
    texts(&[(0.0, 5.0), (5.0, 9.0), (11.0, 15.0)]);
    let words = page_text(&page());
    for told in ["Nobody with 10 points reads a text", "5 points are in ranges 1 and 2: the text of range 1 is read"] {
        assert!(words.contains(told), "{told}: {words}");
    }
    texts(&[(0.0, 5.0), (6.0, 15.0)]);
    page().has(["Each score from 0 to 15 has one text."]).lacks(["band-gap\"", "band-overlap"]);
}
