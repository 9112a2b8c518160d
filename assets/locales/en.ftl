
# Every page.
page-skip = Skip to content
page-footer = Powered by formsvc

# Errors.
error-form = This form can’t be found
error-form-text = The address may be mistyped, or the owner may have taken the form down.
error-entry = These answers can’t be found
error-entry-text = The address may be incomplete, or the answers were deleted. Use the full link from your confirmation page.
error-404 = Page not found
error-404-text = Check the address for typos, or ask whoever sent you the link.
error-403 = You don’t have access to this
error-403-text = It belongs to someone else. Ask them to share it with you, or use another account.
error-link = This link no longer works
error-link-text = It has expired or was changed. Open the page it came from again.
error-stale = This page was open for too long
error-stale-text = Nothing was changed. Go back, reload the page and try again. If this happens again, allow cookies for this site.
error-owners = Only owners can do this
error-owners-text = The activity log and changes to accounts are reserved for your organization’s owners. Ask one of them, or use another account.
error-forms = Go to your forms
error-405 = This action isn’t available here
error-405-text = Go back to the previous page and try again.
error-408 = Your connection was too slow
error-408-text = Your data did not arrive in time, so nothing was saved. Go back and send it again.
error-413 = That’s too large
error-413-text = What you sent is larger than this page accepts. Go back, shorten it and send it again.
error-429 = Too many attempts
error-429-text = { $wait ->
    [one] Wait a second, then try again.
   *[other] Wait { $wait } seconds, then try again.
}
error-500 = Something went wrong on our side
error-500-text = The problem has been logged. Try again in a moment.
error-503 = The service is busy
error-503-text = { $wait ->
    [one] Nothing was saved. Try again in a second.
   *[other] Nothing was saved. Try again in { $wait } seconds.
}
error-other = Something didn’t work
error-status = Status { $status }

## Controls

left-places = { $count } left
left-none = Full
left-wait = Join the waiting list
left-sold-out = Sold out
choice-specify = Please specify
choice-text = { $choice }: please specify
phone-country = Country
phone-code = Dialing code
phone-number = Number
phone-choose-country = Choose a country

# The form page.
form-submit = Submit
form-next = Continue
form-back = Back
form-optional = (optional)
form-required = (required)
form-unnamed = Question
form-page = Page { $page } of { $pages }
form-card = { $page } of { $pages }
form-on-page = (page { $page })
form-answered = { $answered } of { $all } answered
form-press = or press { $key }
form-progress = Progress
form-title-faults = Error: { $title }
form-faults = { $count ->
    [one] There’s a problem with one answer
   *[other] There’s a problem with { $count } answers
}
form-kept = Your answers are saved when you submit.
form-kept-here = Your draft stays on this device until you send it.
form-kept-for = Your draft stays on this device until you send it to { $name }.
form-restored = We’ve restored your answers.
form-choose-again = Choose your files again: { $fields }
form-sign-again = Sign again: { $fields }
form-record-again = Record again: { $fields }
form-start-over = Start over
form-start-over-sure = Clear all your answers and start over?
form-close = Close
form-offline = You seem to be offline. Your answers are still here. Leave this page open: you can send them when you’re back online.
form-online = You’re back online. Your answers are still here.
form-send-now = Send now
form-sending = Sending…
form-slow = Still sending: the connection is slow. Please keep this page open.
form-trap = Leave this empty
form-again = That was quick
form-again-text = Please press “{ $button }” once more. Your answers are still here.
form-sent = You’ve already submitted this form
form-was-sent-text = Your answers are saved. Going back doesn’t change them or send them again.
form-receipt = View confirmation
form-sent-text = The answers below differ from the ones that were saved. Submit them to add a new entry.
form-gone = A question was removed
form-gone-text = You answered a question that is no longer part of this form, so nothing has been saved yet. Check your answers and submit again.
form-busy = Your answers aren’t saved yet
form-busy-text = { $wait ->
    [one] We couldn’t save your answers just now. They are still here: send them again in a second.
   *[other] We couldn’t save your answers just now. They are still here: send them again in { $wait } seconds.
}
form-taken-down = This form is no longer available
form-taken-down-text = It was taken down while you were filling it in, so nothing was saved. Your answers are still below for you to copy.
form-not-stored = The form changed while you were filling it in, so nothing was saved. Your answers are still below.
form-open = This form is open
form-open-text = It is now accepting responses.
form-closed = This form is closed
form-closed-text = It is no longer accepting responses. If you think this is a mistake, contact whoever sent you the link.
form-full = This form is full
form-full-text = It has reached its maximum number of responses. Ask whoever sent you the link whether more will be accepted.
form-not-open = This form is not open yet
form-not-open-text = You can read the questions now and answer them once it opens.
form-check-open = Check if it’s open
form-opens-at = It opens on { $when }.
form-closes-at = Open until { $when }.
# The time of a day, or a day with a time, and the zone whose clock it is read on.
moment-zone = { $time } ({ $zone })
moment-day-time = { $day }, { $time }
zone-beijing = Beijing time
form-days = { $count ->
    [one] 1 day
   *[other] { $count } days
}
form-hours = { $count ->
    [one] 1 hour
   *[other] { $count } hours
}
form-minutes = { $count ->
    [one] 1 minute
   *[other] { $count } minutes
}
form-locked = This form is protected
form-locked-text = Enter the password from your invitation.
form-locked-typed = Your answers are still here. Enter the form’s current password to go back to them.
form-password = Password
form-password-wait = { $wait ->
    [one] Too many attempts. Try again in one second.
   *[other] Too many attempts. Try again in { $wait } seconds.
}
form-password-wrong = Incorrect password. Check it and try again.
form-open-it = Open the form

# After a submission.
done-title = Thank you
done-registered = Your registration is in
done-handed-in = Your exam is handed in
done-booked = Your booking is confirmed
done-ordered = Your order is placed
done-text = Your answers have been saved. You can close this page now.
done-serial = Your entry number is { $serial }.
done-lead-on = Continue
done-again = Submit another response
done-book-again = Book again
done-edit = Edit your answers
cancel-title = Cancel this booking?
cancel-text = Your places become available to others. Your other answers stay.
cancel-button = Cancel booking
cancel-keep = Keep booking
cancel-none = There is no booking to cancel
cancel-none-text = Nothing was changed.
cancel-completed = This booking can’t be cancelled
cancel-completed-text = It is already completed. Nothing was changed.
cancel-back = Back to your answers
cancel-done = Booking cancelled
cancel-done-text = Your booking is cancelled.
cancel-done-then = Your places are available to others again. Your other answers stay.
done-cancel = Cancel booking
hold-until = Your place is reserved until { $time }.
hold-none = Your place isn’t reserved while you fill in the form. You can still submit it.
hold-part = Part of what you chose isn’t reserved. You can still submit all of it.
wait-title = { $count ->
    [one] This choice is full. Join the waiting list?
   *[other] These choices are full. Join the waiting list?
}
wait-text = You get your place as soon as there is room for everything you chose.
wait-button = Join the waiting list
wait-other = Choose something else
wait-line = What you chose is full. On the waiting list, you get your place as soon as there is room.
wait-many = The waiting list takes no more from your network
wait-many-text = 20 responses from your network are waiting already. Choose something that is still available, or try again when one of them has moved up.
wait-done-title = You are on the waiting list
wait-done-text = Your answers have been saved. Nothing is reserved for you yet.
wait-place = You are number { $place } on the waiting list.
wait-keep = Save this page’s link: it shows your number, and whether you have moved up.
leave-title = Leave the waiting list?
leave-text = Your entry will be deleted.
leave-button = Leave the waiting list
leave-keep = Stay on the waiting list
leave-none = You are not on the waiting list
leave-done = You have left the waiting list
leave-done-text = Your entry has been deleted.
done-certificate = Download certificate
done-code = Your verification code
done-code-text = Others can check with this code that your answers are genuine.
done-code-certificate = Others can check with this code that your certificate is genuine.
done-code-verify = Check the code
done-code-picture = QR code of the page that checks your code
verify = Check a code
verify-text = Enter a verification code to see if it is valid.
verify-valid = This code is valid
verify-valid-text = An entry of this form has this code.
verify-name = The certificate is for { $name }.
verify-name-text = Compare the name: a code copied from somebody else’s certificate shows here.
verify-invalid = This code is not valid
verify-invalid-text = No entry of this form has this code. Check it for typing errors.
verify-wait = Too many attempts
verify-wait-text = { $wait ->
    [one] You can check the code in one second.
   *[other] You can check the code in { $wait } seconds.
}
verify-code = Verification code
verify-another = Check another code
verify-button = Check
certificate-title = Certificate
certificate-date = Date
certificate-signature = Signature
certificate-number = Number
certificate-code = Verification code
certificate-verify = Verify this certificate at { $address }
receipt-when = Submitted on { $when }
receipt-title = Your answers
receipt-show = { $count ->
    [one] 1 answer
   *[other] All { $count } answers
}
receipt-blank = Not answered
receipt-print = Print
receipt-link = Edit later, or on another device
receipt-link-text = Save this link or scan the code. Anyone who has it can edit your answers.
receipt-copy = Copy link
receipt-code = QR code of the link to edit your answers
own-title = Editing your answers
own-text = Nothing changes until you save.
own-save = Save changes
own-cancelled = Your booking is cancelled
own-cancelled-text = Editing your answers doesn’t book again.
own-done-title = Your changes are saved
own-done-text = Your answers have been updated. You can close this page now.
own-overtaken = These answers have changed
own-overtaken-text = These answers were changed by someone else while you were editing. Save to replace their version, or reload to see it.
own-not-stored = The form stopped accepting changes while you were editing, so nothing was saved. Your changes are still below.
own-shut = Your answers are saved and can’t be changed now.
own-fixed = These answers can no longer be changed
own-fixed-text = Your answers are saved. If something needs correcting, contact whoever sent you the form.

# Mail about an entry.
mail-receipt-subject = Your response to “{ $form }”
mail-receipt-text = Thank you. Your answers to “{ $form }” have been saved.
mail-receipt-subject-booking = Your booking: “{ $form }”
mail-receipt-text-booking = Thank you. Your booking for “{ $form }” is confirmed.
mail-receipt-subject-order = Your order: “{ $form }”
mail-receipt-text-order = Thank you. We have received your order from “{ $form }”.
mail-receipt-edit = Edit your answers
mail-receipt-change = Change your booking
mail-receipt-change-order = Change your order
mail-receipt-cancel = Cancel your booking
mail-receipt-certificate = See your certificate
mail-receipt-edit-text = Keep this email to yourself: anyone who has its links can change your answers.
mail-waiting-subject = You’re number { $place } on the waiting list: “{ $form }”
mail-waiting-text = You’re number { $place } on the waiting list for “{ $form }”.
mail-waiting-not-yet = Nothing is reserved for you yet.
mail-waiting-what = You asked for:
mail-waiting-then = We’ll email you as soon as there is a place for you.
mail-waiting-place = See your place or leave the list
mail-moved-up-subject = You have a place: “{ $form }”
mail-moved-up-text = You’ve moved up from the waiting list for “{ $form }”. Your place is confirmed.
mail-cancelled-subject = Booking cancelled: “{ $form }”
mail-cancelled-text = Your booking for “{ $form }” has been cancelled.
mail-changed-subject = Your answers have changed: “{ $form }”
mail-changed-text = Your answers to “{ $form }” have been changed.
mail-changed-subject-booking = Your booking has changed: “{ $form }”
mail-changed-text-booking = Your booking for “{ $form }” has been changed. It is now:
mail-changed-subject-order = Your order has changed: “{ $form }”
mail-changed-text-order = Your order from “{ $form }” has been changed. It is now:
mail-reminder-subject = Reminder: “{ $form }” on { $day }
mail-reminder-text = Your booking for “{ $form }” is on { $day }.
mail-places = { $count ->
    [one] 1 place
   *[other] { $count } places
}
mail-subtotal = Subtotal
mail-discount = Discount
mail-to-pay = To pay
mail-receipt-why = You’re getting this email because your address was entered in the form “{ $form }” on { $site }. If that wasn’t you, you can ignore it.
mail-notice-subject = New response to “{ $form }”: entry { $serial }
mail-notice-text = “{ $form }” has a new response.
mail-notice-subject-waiting = New response to “{ $form }”: entry { $serial } (waiting list, place { $place })
mail-notice-text-waiting = “{ $form }” has a new response (waiting list, place { $place }).
mail-notice-facts = Entry { $serial }, submitted on { $when }
mail-notice-cut = This email doesn’t contain all answers because they are too long.
mail-notice-open = View response
mail-notice-stop = Stop emails about new responses
mail-consent-subject = Confirm emails about responses to “{ $form }”
mail-consent-text = Your address was entered on { $site } to get an email about each new response to “{ $form }”, with its answers.
mail-consent-then = You’ll get these emails once you confirm that you want them.
mail-consent-button = Confirm
mail-consent-note = If you don’t confirm, you won’t hear from us about this again. There is nothing else you need to do.
notices-title = Stop emails about new responses?
notices-text = { $email } won’t get any more emails about new responses to this form.
notices-button = Stop emails
notices-done = Emails stopped
notices-done-text = You won’t get any more emails about new responses to this form. A manager of the form can turn them on again.
notices-consent-title = Get emails about new responses?
notices-consent-text = { $email } will get an email about each new response, with its answers. Each email has a link to stop them.
notices-consent-button = Get emails
notices-consent-done = You’ll get emails
notices-consent-done-text = You’ll get an email about each new response from now on. Each email has a link to stop them.
answered-title = You’ve already responded
answered-text = This form accepts one response per person, and yours has been saved.
alone-title = This form opens in its own page
alone-text = It accepts one response per person, so it has to open in its own page.
form-sign-in = Sign in
form-signed-out = Sign in to submit your answers
form-signed-out-text = This form accepts one response per account. Your answers are still here: sign in, then come back to this page and submit.
form-from-elsewhere = Please submit again
form-from-elsewhere-text = You signed in after this page was loaded. Your answers are still here: submit them again.

# What is wrong with an answer.
fault-blank = Answer this question
fault-blank-enter = Enter it
fault-blank-choose = Choose one
# A part of an answer, in a list of what is wrong: “Address, postal code”.
fault-part = { $field }, { $part }
# The same at the question itself: “Postal code: Enter it”.
fault-in-part = { $part }: { $text }
fault-taken = { $type ->
    [email] This email is registered already.
    [phone] This phone number is registered already.
   *[other] This has already been used
}
fault-taken-change = { $type ->
    [email] {" "}Use the link in your confirmation to change it.
    [phone] {" "}Use the link in your confirmation to change it.
   *[other] {""}
}
fault-full = This is full. Choose another one
fault-places-left = { $a ->
    [1] Only one place is left
   *[other] Only { $a } places are left
}
fault-sold-out = This is sold out
fault-stock-left = { $a ->
    [1] Only one is left in stock
   *[other] Only { $a } are left in stock
}
fault-too-long = Use at most { $a } characters
fault-too-short = Use at least { $a } characters
fault-computed = Your answers are too long for this form. Shorten some of them.
fault-format = Check the format
fault-text = Enter text
fault-email = Enter an email address like name@example.com
fault-domain = Use an email address at { $a }
fault-phone = Enter a valid phone number for { $a }
fault-phone-country = Phone numbers from { $a } can’t be used here. Enter another number.
fault-country = Choose a country from the list
fault-number = Enter a number
fault-digits = Enter a number of at most 15 digits
fault-at-most = Enter { $a } or fewer
fault-at-most-decimal = Enter a number up to { $a }
fault-at-least = Enter { $a } or more
fault-date = Enter a date as { $a }
fault-year = Enter the year in four digits
fault-after = Choose { $a } or earlier
fault-before = Choose { $a } or later
fault-choice = Choose one of the options
fault-many-choices = { $a ->
    [1] Choose at most one option
   *[other] Choose at most { $a } options
}
fault-few-choices = { $a ->
    [1] Choose at least one option
   *[other] Choose at least { $a } options
}

# What a definition allows, said before it is broken.
label-colon = :{" "}
list-between = ,{" "}
list-clauses = ,{" "}
list-and = { $a } and { $b }
list-or = { $a } or { $b }
list-or-latin = { $a } or { $b }
limit-characters-just = { $a ->
    [one] One character
   *[other] Exactly { $a } characters
}
limit-characters-from-to = { $a } to { $b } characters
limit-characters-from = At least { $a } characters
limit-characters-to = { $b ->
    [one] One character
   *[other] Up to { $b } characters
}
limit-number-from-to = Between { $a } and { $b }
limit-number-from = { $a } or more
limit-number-to = Up to { $b }
limit-decimals = { $a ->
    [0] Whole numbers
    [one] Up to one decimal
   *[other] Up to { $a } decimals
}
limit-decimals-too = { $a ->
    [0] whole numbers
    [one] up to one decimal
   *[other] up to { $a } decimals
}
limit-date-from-to = From { $a } to { $b }
limit-date-from = { $a } or later
limit-date-to = { $b } or earlier
limit-choices-just = Choose { $a }
limit-choices-from-to = Choose { $a } to { $b }
limit-choices-from = Choose at least { $a }
limit-choices-to = Choose up to { $b }
limit-ranks-just = { $a ->
    [one] Rank one of them
   *[other] Rank { $a } of them
}
limit-ranks-from-to = Rank { $a } to { $b } of them
limit-ranks-from = Rank at least { $a } of them
limit-ranks-to = { $b ->
    [one] Rank one of them
   *[other] Rank up to { $b } of them
}
limit-rows-just = { $a ->
    [one] One row
   *[other] Exactly { $a } rows
}
limit-rows-from-to = { $a } to { $b } rows
limit-rows-from = At least { $a } rows
limit-rows-to = { $b ->
    [one] One row
   *[other] Up to { $b } rows
}
limit-countries = Only phone numbers from { $countries }
limit-pieces-just = { $a }
limit-pieces-from-to = { $a } to { $b }
limit-pieces-from = at least { $a }
limit-pieces-to = up to { $b }
limit-domains = Only addresses at { $domains }
counter-used = { $used } of { $limit } characters
counter-over = { $used } of { $limit } characters: { $over } too many

# Controls: choices.
choice-clear = Clear
choice-none = Choose one
rating-point = { $point } of { $points }
rank-hint = Rank in order of preference; 1 is your first choice.
rank-up = Move { $choice } up
rank-down = Move { $choice } down
rank-add = Rank { $choice }
rank-remove = Remove { $choice } from the ranking
rank-now = { $choice } is ranked { $rank } of { $ranks }
rank-none = { $choice } is not ranked
fault-url = Enter a web address like https://example.com
fault-time = Enter a time like 14:30
fault-whole = Enter a whole number
fault-from-to = Enter a number from { $a } to { $b }
fault-cascade = Choose an option on every level
fault-ranking = Give each option its own rank
fault-rank-twice = Two options have the same rank
fault-rank-gap = Number them 1, 2, 3 … without gaps
fault-few-ranks = { $a ->
    [1] Rank at least one option
   *[other] Rank at least { $a } options
}
fault-many-ranks = { $a ->
    [1] Rank at most one option
   *[other] Rank at most { $a } options
}
# End of choices.

# Controls: grids.
grid-row = Row { $number }
grid-add = Add a row
grid-more = Add more rows
grid-remove = Remove
grid-added = { $row } added
grid-removed = { $row } removed
fault-many-rows = { $a ->
    [1] Fill in at most one row
   *[other] Fill in at most { $a } rows
}
fault-few-rows = { $a ->
    [1] Fill in at least one row
   *[other] Fill in at least { $a } rows
}
# End of grids.

# Controls: places and files.
place-country = Country or region
place-choose-country = Choose a country or region
place-line1 = Street and number
place-line2 = Apartment, suite or floor
place-city = City or town
place-state = State or province
place-choose-state = Choose a state or province
place-postal-code = Postal code
place-postal-code-doubt = Is this postal code right?
fault-choose-country = Choose a country or region
fault-state = Choose a state or province of { $a }
fault-state-code = Choose a country, then its state or province
fault-postal-code = Enter a postal code of { $a }, such as { $b }
place-needed = If you enter an address, it needs { $parts }.
# The countries in the order of the language: that of a dictionary, in Chinese by pinyin.
country-order =
    AF AX AL DZ AS AD AO AI AQ AG AR AM AW AU AT AZ BS BH BD BB BY BE BZ BJ BM BT BO BQ BA BW BV BR IO VG BN BG
    BF BI CV KH CM CA KY CF TD CL CN CX CC CO KM CG CD CK CR CI HR CU CW CY CZ DK DJ DM DO EC EG SV GQ ER EE SZ
    ET FK FO FJ FI FR GF PF TF GA GM GE DE GH GI GR GL GD GP GU GT GG GN GW GY HT HM HN HK HU IS IN ID IR IQ IE
    IM IL IT JM JP JE JO KZ KE KI XK KW KG LA LV LB LS LR LY LI LT LU MO MG MW MY MV ML MT MH MQ MR MU YT MX FM MD
    MC MN ME MS MA MZ MM NA NR NP NL NC NZ NI NE NG NU NF KP MK MP NO OM PK PW PS PA PG PY PE PH PN PL PT PR QA
    RE RO RU RW BL SH KN LC MF PM VC WS SM ST SA SN RS SC SL SG SX SK SI SB SO ZA GS KR SS ES LK SD SR SJ SE CH
    SY TW TJ TZ TH TL TG TK TO TT TN TR TM TC TV VI UG UA AE GB US UM UY UZ VU VA VE VN WF EH YE ZM ZW
country-AD = Andorra
country-AE = United Arab Emirates
country-AF = Afghanistan
country-AG = Antigua and Barbuda
country-AI = Anguilla
country-AL = Albania
country-AM = Armenia
country-AO = Angola
country-AQ = Antarctica
country-AR = Argentina
country-AS = American Samoa
country-AT = Austria
country-AU = Australia
country-AW = Aruba
country-AX = Åland Islands
country-AZ = Azerbaijan
country-BA = Bosnia and Herzegovina
country-BB = Barbados
country-BD = Bangladesh
country-BE = Belgium
country-BF = Burkina Faso
country-BG = Bulgaria
country-BH = Bahrain
country-BI = Burundi
country-BJ = Benin
country-BL = Saint Barthélemy
country-BM = Bermuda
country-BN = Brunei
country-BO = Bolivia
country-BQ = Bonaire, Sint Eustatius and Saba
country-BR = Brazil
country-BS = Bahamas
country-BT = Bhutan
country-BV = Bouvet Island
country-BW = Botswana
country-BY = Belarus
country-BZ = Belize
country-CA = Canada
country-CC = Cocos (Keeling) Islands
country-CD = Congo (Kinshasa)
country-CF = Central African Republic
country-CG = Congo (Brazzaville)
country-CH = Switzerland
country-CI = Côte d'Ivoire
country-CK = Cook Islands
country-CL = Chile
country-CM = Cameroon
country-CN = China
country-CO = Colombia
country-CR = Costa Rica
country-CU = Cuba
country-CV = Cabo Verde
country-CW = Curaçao
country-CX = Christmas Island
country-CY = Cyprus
country-CZ = Czechia
country-DE = Germany
country-DJ = Djibouti
country-DK = Denmark
country-DM = Dominica
country-DO = Dominican Republic
country-DZ = Algeria
country-EC = Ecuador
country-EE = Estonia
country-EG = Egypt
country-EH = Western Sahara
country-ER = Eritrea
country-ES = Spain
country-ET = Ethiopia
country-FI = Finland
country-FJ = Fiji
country-FK = Falkland Islands
country-FM = Micronesia
country-FO = Faroe Islands
country-FR = France
country-GA = Gabon
country-GB = United Kingdom
country-GD = Grenada
country-GE = Georgia
country-GF = French Guiana
country-GG = Guernsey
country-GH = Ghana
country-GI = Gibraltar
country-GL = Greenland
country-GM = Gambia
country-GN = Guinea
country-GP = Guadeloupe
country-GQ = Equatorial Guinea
country-GR = Greece
country-GS = South Georgia and the South Sandwich Islands
country-GT = Guatemala
country-GU = Guam
country-GW = Guinea-Bissau
country-GY = Guyana
country-HK = Hong Kong
country-HM = Heard Island and McDonald Islands
country-HN = Honduras
country-HR = Croatia
country-HT = Haiti
country-HU = Hungary
country-ID = Indonesia
country-IE = Ireland
country-IL = Israel
country-IM = Isle of Man
country-IN = India
country-IO = British Indian Ocean Territory
country-IQ = Iraq
country-IR = Iran
country-IS = Iceland
country-IT = Italy
country-JE = Jersey
country-JM = Jamaica
country-JO = Jordan
country-JP = Japan
country-KE = Kenya
country-KG = Kyrgyzstan
country-KH = Cambodia
country-KI = Kiribati
country-KM = Comoros
country-KN = Saint Kitts and Nevis
country-KP = North Korea
country-KR = South Korea
country-KW = Kuwait
country-KY = Cayman Islands
country-KZ = Kazakhstan
country-LA = Laos
country-LB = Lebanon
country-LC = Saint Lucia
country-LI = Liechtenstein
country-LK = Sri Lanka
country-LR = Liberia
country-LS = Lesotho
country-LT = Lithuania
country-LU = Luxembourg
country-LV = Latvia
country-LY = Libya
country-MA = Morocco
country-MC = Monaco
country-MD = Moldova
country-ME = Montenegro
country-MF = Saint Martin
country-MG = Madagascar
country-MH = Marshall Islands
country-MK = North Macedonia
country-ML = Mali
country-MM = Myanmar
country-MN = Mongolia
country-MO = Macao
country-MP = Northern Mariana Islands
country-MQ = Martinique
country-MR = Mauritania
country-MS = Montserrat
country-MT = Malta
country-MU = Mauritius
country-MV = Maldives
country-MW = Malawi
country-MX = Mexico
country-MY = Malaysia
country-MZ = Mozambique
country-NA = Namibia
country-NC = New Caledonia
country-NE = Niger
country-NF = Norfolk Island
country-NG = Nigeria
country-NI = Nicaragua
country-NL = Netherlands
country-NO = Norway
country-NP = Nepal
country-NR = Nauru
country-NU = Niue
country-NZ = New Zealand
country-OM = Oman
country-PA = Panama
country-PE = Peru
country-PF = French Polynesia
country-PG = Papua New Guinea
country-PH = Philippines
country-PK = Pakistan
country-PL = Poland
country-PM = Saint Pierre and Miquelon
country-PN = Pitcairn
country-PR = Puerto Rico
country-PS = Palestine
country-PT = Portugal
country-PW = Palau
country-PY = Paraguay
country-QA = Qatar
country-RE = Réunion
country-RO = Romania
country-RS = Serbia
country-RU = Russia
country-RW = Rwanda
country-SA = Saudi Arabia
country-SB = Solomon Islands
country-SC = Seychelles
country-SD = Sudan
country-SE = Sweden
country-SG = Singapore
country-SH = Saint Helena, Ascension and Tristan da Cunha
country-SI = Slovenia
country-SJ = Svalbard and Jan Mayen
country-SK = Slovakia
country-SL = Sierra Leone
country-SM = San Marino
country-SN = Senegal
country-SO = Somalia
country-SR = Suriname
country-SS = South Sudan
country-ST = Sao Tome and Principe
country-SV = El Salvador
country-SX = Sint Maarten
country-SY = Syria
country-SZ = Eswatini
country-TC = Turks and Caicos Islands
country-TD = Chad
country-TF = French Southern Territories
country-TG = Togo
country-TH = Thailand
country-TJ = Tajikistan
country-TK = Tokelau
country-TL = Timor-Leste
country-TM = Turkmenistan
country-TN = Tunisia
country-TO = Tonga
country-TR = Türkiye
country-TT = Trinidad and Tobago
country-TV = Tuvalu
country-TW = Taiwan
country-TZ = Tanzania
country-UA = Ukraine
country-UG = Uganda
country-UM = United States Minor Outlying Islands
country-US = United States
country-UY = Uruguay
country-UZ = Uzbekistan
country-VA = Vatican City
country-VC = Saint Vincent and the Grenadines
country-VE = Venezuela
country-VG = British Virgin Islands
country-VI = U.S. Virgin Islands
country-VN = Vietnam
country-VU = Vanuatu
country-WF = Wallis and Futuna
country-WS = Samoa
country-XK = Kosovo
country-YE = Yemen
country-YT = Mayotte
country-ZA = South Africa
country-ZM = Zambia
country-ZW = Zimbabwe
state-CN-AH = Anhui
state-CN-BJ = Beijing
state-CN-CQ = Chongqing
state-CN-FJ = Fujian
state-CN-GD = Guangdong
state-CN-GS = Gansu
state-CN-GX = Guangxi
state-CN-GZ = Guizhou
state-CN-HA = Henan
state-CN-HB = Hubei
state-CN-HE = Hebei
state-CN-HI = Hainan
state-CN-HK = Hong Kong
state-CN-HL = Heilongjiang
state-CN-HN = Hunan
state-CN-JL = Jilin
state-CN-JS = Jiangsu
state-CN-JX = Jiangxi
state-CN-LN = Liaoning
state-CN-MO = Macao
state-CN-NM = Inner Mongolia
state-CN-NX = Ningxia
state-CN-QH = Qinghai
state-CN-SC = Sichuan
state-CN-SD = Shandong
state-CN-SH = Shanghai
state-CN-SN = Shaanxi
state-CN-SX = Shanxi
state-CN-TJ = Tianjin
state-CN-TW = Taiwan
state-CN-XJ = Xinjiang
state-CN-XZ = Tibet
state-CN-YN = Yunnan
state-CN-ZJ = Zhejiang
location-find = Use my location
location-seeking = Finding your location…
location-found = Your location has been filled in. You can add a place name.
location-denied = Your browser didn’t share your location with this page. You can choose “Enter coordinates” instead.
location-failed = We couldn’t find your location. Try again, or choose “Enter coordinates”.
location-point = Enter coordinates
location-latitude = Latitude
location-longitude = Longitude
location-address = Place name
fault-coordinates = Add the coordinates: use “Use my location” or enter them below.
file-image = Images only.
file-video = Videos only.
file-audio = Audio files only.
file-document = Documents only: PDF, text, spreadsheets and presentations.
file-custom = Only { $types }.
file-pick = { $count ->
    [one] Choose a file
   *[other] Choose files
}
file-full = { $count ->
    [one] Remove the file to choose another one.
   *[other] You’ve added { $count } files. Remove one to add another.
}
file-bytes = { $count ->
    [one] 1 byte
   *[other] { $count } bytes
}
file-refused-any = { $name } can’t be used: it is damaged.
file-types-image = images
file-types-video = videos
file-types-audio = audio files
file-types-document = PDF, Word, text, spreadsheet or presentation files
file-types-named = { $names } files
file-types-named-images = { $names } images
file-room = { $count ->
    [one] One file of up to { $size } MB.
   *[other] Up to { $count } files of up to { $size } MB each.
}
file-remove = Remove { $name }
file-too-large = { $name } is larger than { $size } MB and was not added.
file-too-many = { $count ->
    [one] You can add one file.
   *[other] You can add up to { $count } files. The rest were not added.
}
file-photo = Take a picture
audio-file = Audio file
audio-without = Record with an app on your device and choose the file here. Up to { $time }.
audio-with = You can choose a file instead of recording. Up to { $time }.
audio-record = Record
audio-stop = Stop
audio-again = Record again
audio-delete = Delete recording
audio-player = Your recording
audio-recording = Recording…
audio-done = Recorded. Listen to it, or record again.
audio-deleted = Recording deleted.
audio-denied = Your browser didn’t let this page use the microphone. Allow it, or choose an audio file below.
audio-failed = Recording failed. Is a microphone connected? You can also choose an audio file below.
signature-way = How to sign
signature-draw = Draw
signature-type = Type
signature-pad = Area to sign in with a finger, pen or mouse. You can also type your name.
signature-preview = Preview of your signature
signature-undo = Undo
signature-clear = Clear
signature-signed = Signed
signature-cleared = Signature cleared
signature-file = A picture of your signature
signature-typed = Type your name
file-empty = { $name } is empty and was not added.
file-going = Uploading { $name }
file-there = { $name } uploaded.
file-refused = { $name } can’t be used. Choose { $types }.
file-failed = { $name } couldn’t be uploaded. Check your connection and try again.
file-again = Try again
file-with = { $name } will be sent with the form.
form-uploading = Uploading your files. The form will be sent as soon as they’re done.
form-unsent = A file didn’t upload. Retry or remove it, then submit.
done-files = Files received:
exam-start = Start
exam-time = Time
exam-questions = Questions
exam-closes = Open until
exam-closes-early = Your time ends when the exam closes.
exam-rule-start = The time begins when you select “{ $button }” and can’t be paused, not by closing the page either.
exam-rule-end = When the time is up, the page sends your answers by itself. Answers sent later are marked as late.
exam-left = Time left
exam-until = until { $when }
exam-was-due = Your time was up on { $when }. You can still submit, but your answers will be marked as late.
exam-over = Time’s up. Sending your answers…
exam-score = You scored { $score } of { $most }
exam-passed = Passed
exam-failed = Not passed
exam-late = Your answers came in after the time was up.
exam-points = { $points } of { $most } points
exam-right = Right answer:
exam-right-later = The right answers are shown here once answers can no longer be changed.
exam-is-right = Right
exam-is-wrong = Wrong
exam-is-partly-right = Partly right
report-score = Your result: { $score }
file-kept = Files
file-kept-hint = Clear the checkbox to remove a file.
fault-file-large = { $a } is larger than { $b } MB.
fault-file-empty = { $a } is empty.
fault-file-kind = { $a } can’t be used. Choose another file.
fault-file-kind-types = { $a } can’t be used. Choose { $types }.
fault-file-again = Choose { $a } again. It couldn’t be uploaded without the password.
fault-file-odd = { $a } is damaged, or its content doesn’t match its name.
fault-file-pixels = { $a } is wider or taller than { $b } pixels.
fault-long-recording = The recording is longer than { $a } seconds.
fault-letters = We can’t draw these characters as a signature. Choose a picture of your signature.
fault-not-uploaded = This file wasn’t uploaded. Choose it again.
fault-many-files = { $a ->
    [1] Choose at most one file
   *[other] Choose at most { $a } files
}
# End of places and files.

# Controls: shop.
fault-goods = Choose one of the options
fault-option = Choose one of the options
fault-item = Choose one of the options
fault-day = Choose a day
fault-day-for = Choose a day for { $a }
fault-day-shut = This day can’t be booked. Choose another one.
fault-slot = Choose one of the times on that day
fault-slot-end = Choose an end time
fault-slot-begun = This time has already started. Choose a later one.
fault-twice = You’ve already booked this. Choose another time.
fault-one = You can book one place at a time
fault-many-bookings = { $a ->
    [1] Make only one booking
   *[other] Make at most { $a } bookings
}
shop-from = from { $price }
shop-before = Was:
shop-total = Total: { $price }
order-subtotal = Subtotal
order-discount = Discount
order-to-pay = To pay
shop-subtotal = Subtotal: { $price }
shop-discount = Discount: −{ $price }
shop-to-pay = To pay: { $price }
shop-number = Quantity
shop-variant = Add another
shop-variant-of = Add another { $name }
shop-choose = Choose
shop-less = Less
shop-more = More
shop-what = Item
shop-day = Day
shop-time = Time
shop-choose-time = Choose a time
shop-when = Day and time
shop-places = Places
shop-booking = Add another booking
shop-remove = Remove this booking
shop-nothing = { $day } can’t be booked. Choose another day.
shop-weekday = { $day ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
picker-previous = Previous month
picker-next = Next month
picker-closed = closed
picker-outside = not open for booking
picker-full = fully booked
picker-is-full = { $day } is fully booked. Choose another day.
picker-times = Times on { $day }
picker-empty = Nothing can be booked in { $month }.
picker-legend = The small number under a day is how many places are left.
picker-choose = Choose a day
picker-failed = We couldn’t load how many places are left.
# End of shop.

# Controls: linked.
linked-search = Search
linked-find = Search
linked-none = No results.
linked-count = { $count } found.
linked-more = More matches. Keep typing to narrow them down.
linked-how = Type to search, then choose from the list.
linked-placeholder = Search…
linked-hint = Nothing chosen yet: choose one from the list, or clear this.
linked-longer = Type at least 2 characters.
linked-failed = The search failed. Try again.
linked-clear = Clear
linked-nothing = None of these
fault-linked = Choose one from the list
system-serial-number = Number
system-token = Token
system-created-at = Submitted at
system-updated-at = Changed at
system-info-filling-duration = Time to fill in (seconds)
system-creator-name = Entered by
system-x-field-1 = From the link
system-waiting-position = Place in the waiting list
system-exam-score = Score
system-exam-passed = Passed
system-gen-code = Code
system-total-price = Total
system-preferential-price = Total after discount
system-reservation-status-fsf-field = Booking
system-x-field-certificate = Certificate
system-evaluation-report = Report
system-is-late = Late
system-rescored-at = Score changed at
system-report-score = Score
system-report-comment = Comment
system-yes = Yes
system-no = No
system-status-reserved = Reserved
system-status-cancelled = Cancelled
system-status-completed = Completed
# End of linked.

# Controls: rules and formulas.
form-more = There are more questions
form-more-text = Your answers added more questions. Your answers are still here.
# End of rules and formulas.

# Pages of people with an account.
account-nav = Account
account-sign-out = Sign out
account-name = Your name
account-email = Email
account-password = Password
account-password-notes = At least 10 characters. Several words in a row are easy to remember and hard to guess.
account-organization = Organization
account-organization-notes = Your company, school, club or family.
account-locale = Language
account-timezone = Time zone
account-timezone-notes = Used for dates and times in new forms.
account-faults = Check the highlighted fields
account-elsewhere = Open this service at its own address
account-elsewhere-text = You can’t sign in at the address you used. Use this one instead:
account-elsewhere-owner = If you run this service and that address is wrong, start formsvc with --base-url and the right one.
account-fault-blank = Fill in this field
account-fault-email = Enter an email address, such as ann@example.org
account-fault-taken = An account with this email already exists
account-fault-common = Many people use this password, so it is easy to guess. Choose another one.
account-fault-same-as-email = The password can’t be your email address
account-fault-wrong = Incorrect password
account-fault-code = This code is wrong or has expired
account-fault-scopes = Choose at least one permission
account-fault-locale = Choose a language from the list
account-fault-timezone = Choose a time zone from the list, such as Europe/Berlin
account-fault-nul = Remove the NUL characters
account-fault-short = Use at least { $least } characters
account-fault-long = Use at most { $most } characters

sign-in-title = Sign in
sign-in-button = Sign in
sign-in-nobody = There are no accounts yet
sign-in-nobody-text = Open the link that formsvc printed when it started, or get a new one with “formsvc setup-link”.
sign-in-form-title = Sign in to answer “{ $form }”
sign-in-form-text = It accepts one response per person, so it needs your account.
sign-in-app-title = Sign in to continue to { $app }
sign-in-app-text = Then you can choose whether it may access your account.
sign-in-refused = Incorrect email or password
sign-in-refused-text = Check both and try again.
sign-in-wait = Too many attempts
sign-in-wait-seconds = { $wait ->
    [one] Wait a second, then try again.
   *[other] Wait { $wait } seconds, then try again.
}
sign-in-wait-minutes = { $wait ->
    [one] Wait a minute, then try again.
   *[other] Wait { $wait } minutes, then try again.
}
sign-in-code-title = Two-step verification
sign-in-code = Code
sign-in-code-notes = From your authenticator app, or one of your recovery codes.
sign-in-late = That took too long. Sign in again.
sign-in-forgot = Forgot your password?
forgot-title = Reset your password
forgot-lead = Enter the email of your account. We’ll send you a link to choose a new password.
forgot-button = Send link
forgot-back = Back to sign in
forgot-sent = Check your email
forgot-sent-text = If there is an account with this email, a link is on its way. It works once, for 30 minutes.
forgot-sent-spam = Nothing after a few minutes? Check your spam folder and the email you entered.
reset-title = Choose a new password
reset-lead = You’ll be signed out on all devices.
reset-button = Save password
reset-done = Your password has been changed
reset-done-text = Sign in with the new one.
reset-spent-text = It has been used or replaced by a newer one, or is older than 30 minutes.
reset-again = Send another link

setup-title = Welcome to formsvc
setup-lead = Create your account. You’ll be the owner of this service.
setup-button = Create account
setup-address = Is this the right address?
setup-address-here = You opened this page at
setup-address-known = The service is set to
setup-address-text = Links to forms, invitations and files will begin with the address that is set. If respondents should use the one you opened instead, restart formsvc with it:
setup-spent = This link no longer works
setup-spent-text = It has been used, or is older than 30 minutes. If you have an account, sign in. If there are no accounts yet, get a new link on the server:
setup-token-name = First token

welcome-title = Your account is ready
welcome-lead = You are signed in. Here is how to get your first responses.
welcome-sample = Your first form
welcome-sample-text = Begin with one of eight examples, a list of questions or nothing, or look at a sample form as a respondent would.
welcome-token = Use the API
welcome-token-text = This is your first access token. It works for 90 days. Copy it now: you won’t see it again.
welcome-curl = This command creates a form with it:
welcome-on = Go to your forms

once-gone = It was shown already
once-gone-token = A token is shown only once. If you didn’t copy it, revoke it and create a new one on your profile.
once-gone-invitation = An invitation link is shown only once. If you didn’t copy it, revoke it and create a new one.
once-gone-codes = Recovery codes are shown only once. If you didn’t save them, create new ones.
once-gone-secret = A secret is shown only once. If you didn’t copy it, replace it on the webhook’s page.

copy = Copy
copy-done = Copied
copy-token = the token
copy-secret = the secret
copy-command = the command
copy-link = the link
copy-snippet = the snippet
copy-codes = the recovery codes
copy-key = the key

password-show = Show
password-hide = Hide
password-what = password
password-shown = Your password is visible
password-hidden = Your password is hidden

question-no = Cancel
revoke-title = Revoke the token “{ $name }”?
revoke-text = Programs that use it lose access immediately. This can’t be undone.
revoke-button = Revoke token
disconnect-title = Disconnect { $name }?
disconnect-text = The app loses access to your account immediately. It can ask for access again.
sessions-end-title = Sign out everywhere else?
sessions-end-text = You’ll be signed out in all other browsers and devices. This browser stays signed in.
sessions-end-button = Sign out everywhere else
disable-title = Disable the account of { $name }?
disable-text = They’re signed out immediately, can’t sign in again, and their access tokens stop working. Their forms stay online. You can enable the account again.
disable-button = Disable account
uninvite-title = Revoke this invitation ({ $role })?
uninvite-title-of = Revoke the invitation of { $email } ({ $role })?
uninvite-text = Its link stops working immediately. You can create a new invitation.
uninvite-button = Revoke invitation
unshare-title = Remove { $name } from “{ $form }”?
unshare-text = They lose access to the form and its entries immediately. You can share it with them again.
unshare-own-title = Leave “{ $form }”?
unshare-own-text = You lose access to the form and its entries immediately. Its other managers can share it with you again.
folder-delete-title = Delete the folder “{ $name }”?
folder-delete-text = Only the folder is deleted. Its forms and folders move up one level.

sample-button = Create sample form
sample-title = Garden party
sample-description = We would love to see you. Tell us when you can come and what you like to eat.
sample-name = Your name
sample-email = Your email address
sample-email-notes = We’ll write to you once, when the date is set.
sample-day = Which day suits you best?
sample-day-1 = Friday evening
sample-day-2 = Saturday afternoon
sample-day-3 = Sunday morning
sample-food = What do you like to eat?
sample-food-1 = Salads
sample-food-2 = Something from the grill
sample-food-3 = Cake
sample-words = Anything else?
sample-api-name = My first form

profile-title = Profile
profile-about = Personal details
profile-owner = Owner
profile-member = Member
profile-save = Save
profile-preferences = How pages work
profile-preferences-text = For you alone, on every device.
profile-keys = Keyboard
profile-keys-letters = Letters are keys in lists: j and k move, ? shows all of them
profile-rows = Rows on a page
profile-density = Density
profile-comfortable = Comfortable
profile-compact = Compact
profile-first-tab = A form opens on
profile-first-tab-fitting = Entries, or Build while it has none
profile-preferences-save = Save these settings
profile-password = Change password
profile-password-text = You’ll be signed out on all other devices.
profile-password-old = Current password
profile-password-new = New password
profile-tokens = Access tokens
profile-tokens-text = For programs that use the API on your behalf.
profile-tokens-none = You have no tokens.
profile-token-new = New token
profile-token-name = Name
profile-token-name-notes = So you can recognize it later.
profile-token-scopes = Permissions
profile-token-expires = Expires
profile-token-used = Last used
profile-token-unused = Never
profile-token-create = Create token
profile-token-made = Your new token
profile-token-once = Copy it now: you won’t see it again.
profile-curl = This command shows whose it is and what it can do:
profile-expires-days = In { $days } days
profile-expires-never = Never
profile-revoke = Revoke
profile-done-preferences = Saved
profile-done-profile = Saved
profile-done-password = Password changed
profile-done-revoked = Token revoked
profile-sessions = Where you are signed in
profile-session-this = This browser
profile-session-on = { $browser } on { $system }
profile-session-unknown = Unknown browser
profile-session-begun = Signed in
profile-sessions-end = Sign out everywhere else
profile-done-sessions = You’re signed out everywhere else
profile-done-second-factor = Two-step verification turned off

second-title = Two-step verification
second-on = Signing in requires a code from your authenticator app as well as your password.
second-off = Require a code from an authenticator app as well as your password.
second-change = Change
second-set-up = Set up
second-text = Scan this QR code with an authenticator app on your phone. Then type the code that the app shows.
second-picture = QR code for your authenticator app
second-type = If you can’t scan it, enter this key in the app:
second-open = Open in an app on this device
second-enable = Turn on
second-codes = Your recovery codes
second-codes-once = Each code works once if you lose your phone. Save them now: you won’t see them again.
second-is-on = { $left ->
    [one] It is on. { $left } recovery code is left.
   *[other] It is on. { $left } recovery codes are left.
}
second-renew = Create new recovery codes
second-disable = Turn off

forms-title = Forms
forms-back = All forms
forms-search = Find a form by name
forms-search-button = Find
forms-folders = Folders
forms-folder-new = New folder
forms-folder-rename = Rename folder
forms-folder-delete = Delete folder
forms-folder-name = Folder name
forms-folder-fault = The folder wasn’t deleted
forms-folder-fault-taken = There is already a folder with this name
forms-folder-fault-above = A folder in it has the same name as one on the level above. Rename one of them first.
forms-folder-fault-deep = Folders can be nested up to { $levels } levels deep
forms-count = { $count ->
    [one] { $count } form
   *[other] { $count } forms
}
forms-name = Form
forms-state = State
forms-entries = Entries
forms-last-entry = Last entry
forms-unpublished = Not published
forms-open = Open
forms-not-open = Opens later
forms-closed = Closed
forms-full = Full
forms-query = Query page
forms-none = No forms yet
forms-none-here = No forms here yet.
forms-none-found = No forms match “{ $name }”.
forms-first-text = Create a sample form to see how it works: open it, fill it in, and look at what respondents see.
forms-first-api = Programs can make forms too, over the API. This command creates one; put your own token in it.
forms-first-token = Create an access token
forms-first-docs = Read the API documentation
forms-more = More forms
forms-actions = Actions
forms-share = Share
forms-copy-name = { $name } (copy)
forms-copy = Copy
forms-delete = Delete
forms-rename = Rename
forms-form-name = Name of the form
forms-rename-changed = Somebody renamed it to “{ $name }” meanwhile. Rename it again, or keep that name.
forms-deleted = “{ $name }” is in the trash
forms-trash = Deleted forms
forms-trash-text = Deleted forms stay here for 30 days, with their entries. Then they are deleted permanently.
forms-deleted-at = Deleted
forms-time-left = Time left
forms-people = People
forms-move = Move
forms-move-title = Move to a folder
forms-move-to = Folder
forms-no-folder = No folder
forms-all = All forms
forms-outside = No folder

link-title = Link for respondents
link-text = Respondents fill in the form at this address. Send it, post it, or try it yourself.
link-open = Open the form
link-unpublished = Publish the form first. Then its link, its QR code and the snippet for websites are here.
link-unpublished-for-others = The form is not published yet. Its managers can publish it.

# The page Share: whether the form is open, its code, embedding, its password, its people.
share-availability = Is it open?
share-unpublished = Not published: nobody can open the form yet
share-unpublished-text = Its link works as soon as you publish it.
share-open = Open – { $count ->
    [one] { $count } entry
   *[other] { $count } entries
} so far
share-open-limit = Open – { $count } of { $limit } entries received
share-open-until = Open, closes on { $when } – { $count ->
    [one] { $count } entry
   *[other] { $count } entries
} so far
share-open-until-limit = Open, closes on { $when } – { $count } of { $limit } entries received
share-opens = Not open yet: opens on { $when }
share-closed-by-hand = Closed by hand
share-closed-by-hand-text = Respondents see that the form is closed.
share-closed-since = Closed since { $when }
share-closed-since-text = To open it again, set a later closing time or none.
share-full = Full – { $count } of { $limit } entries received
share-full-text = To accept more, raise the limit.
share-publish = Publish
share-close = Close now
share-open-again = Open again
share-done-closed = The form is closed
share-done-opened = The form is open
share-done-not-by-hand = The form is no longer closed by hand
share-done-published = Published. The link works now.
share-done-saved = Saved
share-done-password = The password is saved
share-done-no-password = The password is removed
share-schedule = Opening time, closing time and limit
share-start = Opens on
share-end = Closes on
share-limit = Limit of entries
share-schedule-text = Times are in the form’s time zone, { $zone }. What is empty has no effect.
share-fault-time = Enter a day and a time, such as 2026-05-03 18:00
share-fault-order = Choose a closing time after the opening time
share-fault-limit = Enter a whole number of at least 2
share-fault-limit-large = Enter a smaller number
share-overtaken = Someone else changed this at the same time
share-overtaken-text = Nothing was saved. What you typed is below, with what they saved. Save again to replace it.
share-theirs = Saved by them: { $value }
share-none = none
share-code = QR code
share-code-picture = QR code of the form’s link
share-code-svg = Download SVG
share-code-png = Download PNG
share-poster = Poster to print
share-poster-title = Poster
share-print = Print
share-back = Share
prefilled-title = Pre-filled link
prefilled-text = A link that opens the form with some answers filled in, such as the name of a course.
prefilled-begin = Fill in answers
prefilled-again = Change the answers
prefilled-page = Pre-filled link
prefilled-none = This link fills in nothing yet. Fill in some answers first.
prefilled-length = { $length } of at most { $most } characters
prefilled-code-long = The link is too long for a QR code.
prefilled-code-name = QR code of the pre-filled link
prefilled-channels = Where do respondents come from?
prefilled-channels-text = One link for each channel: each entry then says which link it came by (“x_field_1”).
prefilled-channels-label = Channels, one a line
prefilled-channels-notes = For example: newsletter, poster, website. At most { $most }.
prefilled-channels-button = Create the links
prefilled-channel-entries = { $count ->
    [0] No entries yet
    [one] { $count } entry
   *[other] { $count } entries
}
prefilled-channels-long = At most { $most } channels of { $characters } characters each. The others are left out.
poster-text = Scan the code with your phone’s camera, or open:
share-embed = Embed in a website
share-embed-text = Paste this snippet where the form should appear. The frame grows with the form.
share-embed-fixed = With a fixed height, without a script
share-embed-alone = This form can’t be embedded
share-embed-alone-text = It accepts one response per person, so it has to open on its own page. Share its link instead.
share-password-title = Password
share-password = Password for respondents
share-password-none = Anyone who has the link can open the form. A password keeps others out.
share-password-text = Respondents enter it before they see the form. Pages that embed the form ask for it too, and programs send it with each request.
share-password-set = Set password
share-password-change = Change password
share-password-remove = Remove password
share-fault-no-password = Enter a password
share-people-button = Manage people
share-people-more = { $count ->
    [one] and 1 more person
   *[other] and { $count } more people
}

# Public queries, for those who manage them.
queries-card = Let people look up their entry
queries-card-text = A public page where visitors find their entry by what they know, such as an email address, and see only the fields that you choose.
queries-card-first = Create a public query
queries-card-all = Public queries
queries-card-more = and { $count } more
queries-title = Public queries
queries-lead = Pages where visitors look up entries of this form. They see the fields that you choose, and nothing else.
queries-none = A public query is a page where visitors find their own entry by what they know, such as an email address: their registration, their result, the state of their order. Give the first one a name; it begins with a search that suits your questions.
queries-all = Pages of this form
queries-older = Older
queries-newest = Newest
queries-on = On
queries-off = Switched off
queries-over-plan = Paused: more entries than the plan allows
queries-entries = Searches { $count ->
    [one] 1 entry
   *[other] { $count } entries
}
queries-entries-of = Searches { $count } of the { $most } entries that the plan allows
queries-counts = { $views ->
    [one] 1 view
   *[other] { $views } views
}, { $searches ->
    [one] 1 search
   *[other] { $searches } searches
}
queries-edit = Edit
queries-open = Open the page
queries-make-title = New public query
queries-name = Name
queries-make-notes = Visitors read it as the title of the page.
queries-make = Create
queries-plan = The plan doesn’t include this
queries-plan-text = The plan “{ $plan }” of your organization has no public queries. Whoever runs this service can change the plan.
queries-plan-scope = The plan “{ $plan }” of your organization can’t limit which entries are searched. Remove the conditions, or ask whoever runs this service to change the plan. Nothing was saved.
queries-plan-editable = With the plan “{ $plan }” of your organization, visitors can’t change answers. Clear “Visitors may change it”, or ask whoever runs this service to change the plan. Nothing was saved.
queries-made = The page is on. Its link finds entries as set below: change what doesn’t suit you before you share it.
queries-done-on = The page is on
queries-done-off = The page is switched off
queries-done-image = The picture is saved
queries-done-no-image = The picture is removed
queries-deleted = The public query is deleted
queries-switch-on = Switch on
queries-switch-off = Switch off
queries-delete = Delete
queries-delete-title = Delete the public query “{ $name }”?
queries-delete-text = Its link stops working at once. The form and its entries stay.
queries-frame = The page as visitors see it
queries-frame-off = The page is switched off: visitors read that it is not available. Switch it on to see it here.
queries-frame-over-plan = The form has more entries than the plan allows: visitors read that the page is not available at the moment. It comes back with a larger plan, or with fewer entries.
queries-see = See the page
queries-warnings = This may not be what you want
queries-overtaken = Somebody else changed this part
queries-overtaken-now = What they saved:
queries-gone = { $field } (no longer in the form)
queries-search = Search
queries-search-text = What visitors enter to find an entry.
queries-search-group = Group
queries-search-operand = Visitors fill in
queries-search-all = every field of the group
queries-search-any = one field of the group or more
queries-search-field = Field
queries-search-compared = Found by
queries-search-exact = the whole value
queries-search-part = a part of it
queries-search-label = Other label for visitors
queries-search-add-field = Add a field
queries-search-add-group = Add a group
queries-search-remove-group = Remove group
queries-search-and = and
queries-shows = Shows
queries-shows-text = What visitors see of the entries that they find.
queries-shows-more = How it is shown
queries-shows-masked = Mask the value, such as j***@example.com
queries-shows-editable = Visitors may change it
queries-shows-color = Highlight color
queries-shows-no-color = No highlight
queries-shows-position = Place among highlighted fields
queries-shows-position-notes = The lowest number comes first. Highlighted fields come before all others.
queries-shows-is-masked = masked
queries-shows-is-editable = visitors may change it
queries-shows-is-marked = highlighted
queries-only = Only these entries
queries-only-text = Conditions that an entry has to meet to be found.
queries-only-none = All entries of the form can be found.
queries-only-add = Add condition
queries-page = Page
queries-page-text = Name, words, button, picture, and whether the page is on.
queries-page-description = Description
queries-page-button = Words of the search button
queries-page-color = Color of the search button
queries-page-has-result = Above results
queries-page-has-result-notes = Visitors read it when entries are found.
queries-page-no-result = Without results
queries-page-no-result-notes = Visitors read it when no entry is found.
queries-page-picture = Picture above the page
queries-page-picture-notes = PNG, JPEG, WebP or GIF, up to 5 MB. Save other changes first.
queries-page-picture-remove = Remove picture
queries-page-focal = What stays in view
queries-page-focal-notes = Narrow pages cut the picture. This point is never cut off.
queries-page-x = From the left, in percent
queries-page-y = From the top, in percent
queries-point-top-left = Top left
queries-point-top = Top
queries-point-top-right = Top right
queries-point-left = Left
queries-point-middle = Middle
queries-point-right = Right
queries-point-bottom-left = Bottom left
queries-point-bottom = Bottom
queries-point-bottom-right = Bottom right
queries-page-export = Visitors can download results
queries-page-export-notes = As CSV or Excel file, with the fields that they see.
queries-page-enabled = The page is on
queries-page-enabled-notes = While it is off, visitors read that the page is not available.
queries-fault-fuzzy = This field is found by its whole value only
queries-fault-editable = Visitors can change answers to questions of this form only, and none that is scored
queries-fault-twice = Each field can be used once: choose another one, or remove this line
queries-fault-gone = The form has no such field any more: choose another one
queries-fault-no-field = Add at least one field, or remove the group
queries-fault-no-group = Add at least one group with a field
queries-fault-many-groups = Use fewer groups: up to 20
queries-fault-none-shown = Tick at least one field
queries-warning-mask = “{ $field }” is masked in the results, but visitors can search by a part of it and so find out the value piece by piece. Let it be found by the whole value, or don’t search by it.
queries-warning-number = “{ $field }” alone is enough to find an entry, and numbers can be tried one after the other. Ask for something else as well that strangers can’t guess.
queries-warning-certificate = “{ $field }” is not offered to visitors: the certificate’s text shows what this query masks. Change the certificate in the settings, or don’t mask it.
queries-warning-scope = Visitors may change “{ $field }”, which the conditions under “Only these entries” compare: after a change, nobody may find the entry here.

# The pages of a form.
form-pages = Pages of this form
form-pages-more = More
form-pages-skip = Skip the pages of this form

# The report of a form.
report-title = Report
report-refused = This report can’t be shown
report-counting = Counting { $count } entries…
report-uncounted = The entries could not be counted
report-uncounted-text = The service is busy. Try again in a moment.
report-again = Try again
report-none = Nothing to count yet. Share the link of the form to get the first entries.
report-entries = Show these entries
report-found = { $count } of { $all } entries
report-ends = { $first } to { $last }
report-over-time = Entries over time
report-by-day = by day
report-by-week = by week
report-by-month = by month
report-by-year = by year
report-busiest = Busiest day
report-busiest-count = Entries on that day
report-week-of = Week of { $day }
report-day = Day
report-week = Week
report-month = Month
report-year = Year
report-hour = Hour
report-mean-place = Mean place
report-firsts = Put first
report-about = Only entries where: { $conditions }
report-keyword = an answer contains “{ $keyword }”
report-split = Split
report-split-by = Split by: { $question }
report-split-none = Not split
report-no-answer = No answer
report-answered = { $share ->
    [0] { $count } of { $total } answered
   *[other] { $count } of { $total } answered ({ $share })
}
report-share = { $share }%
report-share-below = <{ $share }%
report-share-above = >{ $share }%
report-range = { $from } to below { $to }
report-most = The { $count } most frequent of { $all }. The table has all of them.
report-unanswered = Nobody has answered this question yet.
report-unanswered-by = { $count } without an answer
report-mean = Mean
report-least = Least
report-greatest = Greatest
report-sum = Sum
report-nps = Net promoter score
report-detractors = Detractors (0–6)
report-passives = Passives (7–8)
report-promoters = Promoters (9–10)
report-ranks = The mean of the places that each was given: 1 means that everybody put it first. The best comes first.
report-ranked = Ranked by
report-price = Total at current prices
report-other = What “other” is
report-extended = Added to the choices
report-dates = { $first } to { $last }
report-rows = Counted over { $count } rows of all entries.
report-all = Show all { $count } answers
report-table = Numbers
report-copy = Copy as table
report-answer = Answer
report-shares = Share
report-units = Quantity
report-booked-days = Days that are booked
report-statement = Statement
report-answered-by = Answered
report-column = Column
report-number = Number
report-group = Part

# The way to anything by its name.
finder = Go to
finder-hint = A form, a page or an action
finder-hint-form = A form, a question, a page, an action, or #12
finder-count = Found: {"{n}"}
finder-none = Nothing has this name.
finder-form = Form
finder-question = Question
finder-entry = Entry
finder-page = Page
finder-act = Action

entries-count = { $count ->
    [one] { $count } entry
   *[other] { $count } entries
}
entries-found = { $count ->
    [one] { $count } of { $all } entries matches
   *[other] { $count } of { $all } entries match
}
entries-search = Search all answers
entries-filter = Filter
entries-filters = { $count ->
    [one] Filter: 1 condition
   *[other] Filter: { $count } conditions
}
entries-condition-number = Condition { $number }
entries-filter-add = Add a condition for
entries-filter-choose = Choose a question
entries-filter-part = { $question }: { $part }
entries-filter-question = Question
entries-filter-apply = Apply
entries-filter-operator = Comparison
entries-filter-value = Value
op-any-in = { $kind ->
    [several] includes one of
   *[other] is one of
}
op-between = is between
op-eq = { $kind ->
    [several] is exactly
   *[other] is
}
op-gt = { $kind ->
    [date] is after
   *[other] is more than
}
op-gte = { $kind ->
    [date] is on or after
   *[other] is at least
}
op-like = contains
op-lt = { $kind ->
    [date] is before
   *[other] is less than
}
op-lte = { $kind ->
    [date] is on or before
   *[other] is at most
}
op-ne = { $kind ->
    [several] is not exactly
   *[other] is not
}
op-none-in = { $kind ->
    [several] includes none of
   *[other] is none of
}
op-not-between = is not between
op-not-like = does not contain
op-not-null = has an answer
op-null = has no answer
entries-show-all = Show all entries
entries-refused = This list can’t be shown
entries-none = No entries yet. Share the link of the form to get the first ones.
entries-none-found = No entries match.
entries-columns = Columns
entries-columns-show = Show these columns
entries-columns-find = Find a column
entries-columns-cut = A table shows 40 columns at most. The others are left out.
entries-width = Width of
entries-width-narrow = Narrow
entries-width-normal = Normal
entries-width-wide = Wide
entries-column-up = Move up
entries-column-down = Move down
entries-freeze = Keep in view up to
entries-freeze-none = No column
entries-export = Export
entries-files = { $count ->
    [one] 1 file
   *[other] { $count } files
}
entries-page-before = Previous page
entries-page-after = Next page
entries-page-first = First page
entries-page-last = Last page
entries-unfiltered = “{ $column }” can’t be filtered by this answer.
entries-entry = Entry { $serial }
entries-back = All entries
entries-back-filtered = Back to the filtered entries
entries-beside = Entry beside the table
entries-beside-whole = Open as a page
entries-beside-divider = Width of the entry beside the table
entries-beside-wider = Wider
entries-beside-narrower = Narrower
entries-previous = Previous entry
entries-next = Next entry
entries-facts = About this entry
entries-edit = Edit
entries-more = More
entries-saved = Entry { $serial } is saved
entries-added = Entry { $serial } was added
entries-certificate-boxes = The certificate of this entry shows boxes
entries-certificate-boxes-text = No font on the server has these letters: { $letters }. Write the name in other letters, or ask the people who run the server to add a font (fonts_dir).
entries-blank = { $count ->
    [one] Show 1 question without an answer
   *[other] Show { $count } questions without an answer
}
entries-no-neighbours = The list around this entry can’t be shown
entries-copy = Link and text to copy
entries-copy-link = Copy link
entries-copy-text = Copy as text
entries-link = Link of this entry
entries-text = This entry as text
entries-print = Print
entries-print-title = { $count ->
    [one] Print 1 entry
   *[other] Print { $count } entries
}
entries-print-text = Each entry is printed on a sheet of its own.
entries-print-gone = { $count ->
    [one] 1 entry isn’t here any more, so it isn’t printed.
   *[other] { $count } entries aren’t here any more, so they aren’t printed.
}
entries-booking = Status of the booking of entry
entries-booking-set = Change status
entries-booking-refused = The booking was not changed
entries-booking-full = There is no place left for it by now.
checkin-title = Check-in
checkin-button = Check in
checkin-picture = Take a picture of the QR code
checkin-unread = There is no code in the picture. Take it from closer.
checkin-count = { $there } of { $all } checked in
checkin-there = { $who } is checked in
checkin-again = { $who } was already checked in
checkin-is-there = Checked in
checkin-since = Since { $when }
checkin-since-by = Since { $when }, by { $name }
checkin-undo = Undo check-in
checkin-undone = Check-in of { $who } undone
checkin-blank = Enter a code.
checkin-unknown = No entry of this form has this code. Check it for typing errors.
checkin-in-trash = The entry with this code is in the trash. Restore it first.
checkin-cancelled = The booking with this code is cancelled. Reserve it again first.
checkin-waiting = The entry with this code is on the waiting list: it has no place yet.
bookings-title = Bookings
bookings-of = Bookings on { $day }
bookings-day = Day
bookings-item = What
bookings-all-items = Everything
bookings-show = Show
bookings-previous = Previous day
bookings-today = Today
bookings-next = Next day
bookings-closed = Nothing can be booked on this day.
bookings-none = Nobody so far.
bookings-taken-of = { $all ->
    [one] { $count } of 1 place taken
   *[other] { $count } of { $all } places taken
}
bookings-taken = { $count ->
    [one] 1 place taken, no limit
   *[other] { $count } places taken, no limit
}
bookings-places = { $count ->
    [one] 1 place
   *[other] { $count } places
}
bookings-waits = Waiting list: { $position }
bookings-to-reserved = Back to reserved
bookings-to-completed = Complete
bookings-to-cancelled = Cancel booking
bookings-set = Booking of entry { $serial }: { $state }
bookings-cut = { $count ->
    [one] The first { $most } entries of this day are shown; 1 more is in the list of entries.
   *[other] The first { $most } entries of this day are shown; { $count } more are in the list of entries.
}
editing-title = Edit entry { $serial }
editing-new = Add an entry
editing-add = Add entry
editing-hidden = Hidden from respondents
editing-saving = Saving…
editing-offline = You seem to be offline. What you typed is still here. Leave this page open: you can save it when you’re back online.
editing-online = You’re back online. What you typed is still here.
editing-not-saved = The entry wasn’t saved
editing-busy = The entry wasn’t saved
editing-busy-text = What you typed is still below. Save it again in { $wait } seconds.
editing-sent = This entry was added before
editing-sent-text = It was added with other answers, and you’ve changed them since. Save again to add another entry with these.
editing-conflict = Entry { $serial } was changed meanwhile
editing-conflict-text = Somebody saved this entry at { $time }, while you were editing it. Choose between the answers that differ, then save.
editing-theirs = Saved meanwhile
editing-mine = Yours
entries-to-trash = Move to trash
entries-trashed = Entry { $serial } is in the trash
entries-undo = Undo
entries-choose = Select entry { $serial }
entries-export-as = Export { $format }
entries-set = Set a value…
entries-everything = { $count ->
    [one] The only one that matches…
   *[other] All { $count } that match…
}
bulk-all = All entries of this form
bulk-matching = All entries that match the conditions of the list
bulk-changed = Entries were added or changed meanwhile. The numbers are those of now: look at them, then try again.
bulk-busy = Too much is being done at once. Wait for a job to end, then try again.
bulk-question = Question
bulk-choose = Choose
bulk-set-title = Set a value
bulk-set-text = The question gets the same answer in each of these entries. An entry that can't have it stays as it is, and you see why. This can't be undone.
bulk-set = { $count ->
    [one] Set it in { $count } entry
   *[other] Set it in { $count } entries
}
bulk-trash-title = Move to trash
bulk-trash-text = The entries keep their numbers. They can be brought back for 30 days.
bulk-trash = { $count ->
    [one] Move { $count } entry to trash
   *[other] Move { $count } entries to trash
}
bulk-type = Type { $count } to confirm
bulk-type-wrong = Type { $count }, the number of entries
job-trash = { $count ->
    [one] Moving { $count } entry to trash
   *[other] Moving { $count } entries to trash
}
job-trash-over = { $count ->
    [one] Moved { $count } entry to trash
   *[other] Moved { $count } entries to trash
}
job-update = { $count ->
    [one] Setting a value in { $count } entry
   *[other] Setting a value in { $count } entries
}
job-update-over = { $count ->
    [one] Set a value in { $count } entry
   *[other] Set a value in { $count } entries
}
job-restore = { $count ->
    [one] Bringing back { $count } entry
   *[other] Bringing back { $count } entries
}
job-restore-over = { $count ->
    [one] Brought back { $count } entry
   *[other] Brought back { $count } entries
}
job-begun = Started by { $name } on { $time }
job-waiting = Waiting for its turn
job-progress = { $done } of { $total } entries
job-leave = You can leave this page: the work continues.
job-see = See progress
job-stop = Stop
job-trash-done = { $count ->
    [one] { $count } entry is in the trash
   *[other] { $count } entries are in the trash
}
job-update-done = { $count ->
    [one] { $count } entry has the value
   *[other] { $count } entries have the value
}
job-restore-done = { $count ->
    [one] { $count } entry is back
   *[other] { $count } entries are back
}
job-stopped = Stopped after { $done } of { $total } entries
job-stopped-rows = Stopped after { $done } of { $total } rows
job-lost-access = It stopped early: the form is gone, or the person who started it may no longer change its entries.
job-failed = It ended early because of an internal error. Try it again with the entries that are left.
job-see-undo = See how it was undone
job-refused = { $count ->
    [one] { $count } entry was refused
   *[other] { $count } entries were refused
}
job-refused-first = The first { $count } are listed here.
import = Import
import-title = Import entries
import-lead = Each row of a spreadsheet becomes an entry. Nothing is imported until every row is right.
import-file = File
import-file-notes = CSV or Excel, at most 16 MiB and 200,000 rows. The first row names the columns.
import-next = Next
import-template = Download a template
import-none = Choose a file
import-fault-file = The file { $message }.
import-fault-header = The first row, which names the columns, { $message }.
import-gone = The file is not here any more: it was imported, you chose another one, or an hour has passed. Choose it again.
import-recent = Recent imports
import-columns = Columns of the file
import-columns-lead = Choose where each column goes.
import-columns-wrong = The columns can't be read like this
import-rows = { $count ->
    [one] { $count } row
   *[other] { $count } rows
}
import-column = Column
import-samples = First answers
import-goes-to = Goes to
import-leave-out = Leave out
import-missing = Required questions without a column
import-check = Check the rows
import-another = Choose another file
import-columns-back = Change the columns
import-run = { $count ->
    [one] Import { $count } row
   *[other] Import { $count } rows
}
job-check = Checking { $name }
job-checked = Checked { $name }
job-check-ended = Check of { $name }
job-import = Importing { $name }
job-imported = Imported { $name }
job-import-ended = Import of { $name }
job-import-see = { $count ->
    [one] See entry { $first }
   *[other] See entries { $first } to { $last }
}
job-progress-rows = { $done } of { $total } rows
job-check-done = { $count ->
    [one] { $count } row is good
   *[other] All { $count } rows are good
}
job-import-done = { $count ->
    [0] No entry was added
    [one] { $count } entry was added
   *[other] { $count } entries were added
}
job-faults = Correct them and choose the file again: its columns will go where they went.
job-fault-count = { $count ->
    [one] The file has { $count } fault
   *[other] The file has { $count } faults
}
job-fault-row = Row
job-fault-row-number = Row { $row }
job-fault-value = Value
job-fault-wrong = What is wrong
job-fault-blank = blank
job-fault-no-column = The whole row
job-fault-group = { $count ->
    [one] { $name }: { $count } fault
   *[other] { $name }: { $count } faults
}
job-fault-file = Download the file with its faults
job-fault-file-text = The file to download has all rows, and says in its first column what is wrong in them. Correct it and choose it again: that column is left out.
job-refused-list = Download the list
job-refused-file-name = refused
job-refused-entry = Entry
job-refused-question = Question
entries-choose-all = Select all
entries-select = Select
entries-select-done = Done
entries-chosen = Selected entries
entries-chosen-count = Selected: {"{n}"}
entries-none-chosen = No entry was selected. Tick the entries first.
entries-trashed-many = { $count ->
    [one] { $count } entry is in the trash
   *[other] { $count } entries are in the trash
}
entries-new = { $count ->
    [one] { $count } new entry
   *[other] { $count } new entries
}
entries-show-new = Show
entries-changed-since = Changed since this list was loaded
entries-purge-many = { $count ->
    [one] Delete { $count } entry permanently?
   *[other] Delete { $count } entries permanently?
}
entries-purge-many-text = Their answers and files are gone immediately. This can’t be undone.
entries-some-not-restored = These entries were not restored
keys-title = Keys on this page
keys-close = Close
keys-down = Next entry
keys-up = Previous entry
keys-ends = First and last entry on this page
keys-open = Open the entry
keys-choose = Select the entry
keys-trash = Move the selected entries, or this one, to the trash
keys-undo = Undo the last move to the trash
keys-pages = Previous and next page
keys-search = Search
keys-columns = Choose columns
keys-clear = Clear the selection
keys-cells = Choose a cell of the row
keys-first = First page, then its first entry
keys-last = Last page, then its last entry
keys-edit = Edit the entry
keys-print = Print the selected entries, or this one
keys-filter = Show the entries with the same answer as this cell
keys-beside = Previous and next entry
keys-save = Save
keys-leave = Leave without saving
keys-form-down = Next form
keys-form-up = Previous form
keys-form-ends = First and last form on this page
keys-form-open = Open the form
keys-form-build = Questions of the form
keys-form-entries = Entries of the form
keys-form-share = Share the form
keys-form-move = Move the form to a folder
keys-form-trash = Move the form to the trash
keys-form-search = Find a form
keys-rule-add = Add a rule
keys-rule-down = Next rule
keys-rule-up = Previous rule
keys-rule-move = Move the rule
keys-rule-remove = Remove the rule
keys-rule-find = Search among the rules
keys-question-add = Add a question after this one
keys-question-down = Next question
keys-question-up = Previous question
keys-question-ends = First and last question
keys-question-open = Choose the question
keys-question-label = Type its label
keys-question-move = Move the selected questions, or this one
keys-question-move-to = Move this question to another place
keys-question-choose = Select the question, or all up to it
keys-question-copy = Duplicate
keys-question-marks = Required or not, hidden or not
keys-question-remove = Remove
keys-question-undo = One step back, one step forth
keys-question-save = Save now
keys-form-new = New form
keys-finder = Go to anything by its name
keys-off = Keys of one letter are off. You can turn them on in your profile.
keys-help = Show these keys
signed-out-title = You have been signed out
signed-out-text = What you typed is still here. Sign in again in another tab, then come back: it is sent from here.
signed-out-sign-in = Sign in
signed-out-back = Not now
entries-trash = Trash
entries-trash-text = Deleted entries stay here for 30 days. Then they are deleted permanently.
entries-trash-none = The trash is empty.
entries-restore = Restore
entries-not-restored = The entry was not restored
entries-purge = Delete permanently
entries-purge-title = Delete entry { $serial } permanently?
entries-purge-text = Its answers and files are gone immediately. This can’t be undone.

views = Views
views-all = All
views-shared = shared
views-save = Save view
views-save-as = Save as
views-save-changes = Save changes
view-name = Name of the view
view-share = Share with all who see the form
view-share-notes = Otherwise only you see it.
view-save = Save
view-edit = Edit view
view-delete = Delete view
view-delete-title = Delete the view “{ $name }”?
view-delete-text = No entry is deleted.
view-delete-text-shared = No entry is deleted. Nobody else will see the view either.
view-lost = Part of this view is left out
view-lost-text = It names a question that was removed from the form. What is left of the view is shown; save the changes to keep it so.
view-fault-taken = There is a view with this name already
view-fault-long = This list has too many conditions or columns to be saved
view-fault-most = You have { $count } views of this form, the most you can have. Delete one to save another.

sharing-title = Sharing
sharing-people = Shared with
sharing-none = Not shared with anyone yet.
sharing-add = Share with someone
sharing-roles = Viewers can see the form and entries. Editors can also edit entries. Managers can also edit and share the form.
sharing-email-notes = Someone in your organization.
sharing-fault-owner = This person already owns the form
sharing-nobody = No one in your organization has this email
sharing-role = Role
sharing-other-organization = of another organization: { $name }
sharing-viewer = Viewer
sharing-editor = Editor
sharing-manager = Manager
sharing-button = Share
sharing-remove = Remove
sharing-leave = Leave
sharing-done-shared = Shared
sharing-done-removed = No longer shared

# Settings of a form.
settings-title = Settings
settings-sections = Sections
settings-find = Find a setting
settings-find-none = No section has these words.
settings-reader = Only managers change settings
settings-reader-text = You can read them here.
settings-unsaved = Not saved yet
settings-warnings = Saved, but have a look
settings-changed = Somebody else changed these settings
settings-changed-text = Nothing was saved. What you typed is still here: compare, then save again.
settings-changed-now = Somebody else set this to “{ $value }”. Saving replaces it with what you typed.
settings-changed-theirs = Somebody else changed this. Here is the new value.
settings-on = On
settings-off = Off
settings-nothing = Not set
settings-done-published = The form is published
settings-done-offline = The form is offline
settings-done-copied = This is the copy

settings-section-general = General
settings-section-general-text = Name, description, language, time zone, layout
settings-section-availability = Availability
settings-section-availability-text = Open or closed, dates, number of entries, waiting list
settings-section-access = Access
settings-section-access-text = Password, one entry for each person
settings-section-filling-in = While filling in
settings-section-filling-in-text = Progress, question numbers
settings-section-after = After submission
settings-section-after-text = Message, redirect, feedback, changing an entry later
settings-section-exam = Exam
settings-section-exam-text = Time limit, pass mark, what respondents see of it
settings-section-exam-reason = This form is not an exam: these settings have no effect.
settings-section-orders = Orders
settings-section-orders-text = Currency, discounts
settings-section-orders-reason = No question has prices: these settings have no effect.
settings-section-codes = Code and certificate
settings-section-codes-text = Proof that an entry is genuine, certificate as a PDF
settings-section-notifications = Notifications
settings-section-notifications-text = Emails to respondents and to your team
settings-section-data = Data
settings-section-data-text = Download the form or its entries
settings-section-integrations = Integrations
settings-section-integrations-text = Addresses of this form in the API
settings-section-danger = Publish, copy, delete
settings-section-danger-text = What concerns the whole form

settings-scene = Kind of form
scene-form = Form
scene-survey = Survey
scene-registration = Registration
scene-vote = Vote
scene-exam = Exam
scene-evaluation = Evaluation
scene-booking = Booking
scene-order = Order
settings-name = Name
settings-name-notes = Respondents read it at the top of the form.
settings-description = Description
settings-description-notes = Shown below the name.
settings-locale = Language
settings-locale-notes = A language tag such as en or zh-CN. Decides how dates and numbers are written, and the words on buttons and in error messages.
settings-timezone = Time zone
settings-timezone-notes = The form’s clock now shows { $clock }. Dates of the schedule and in answers follow it.
settings-layout = Layout
settings-layout-notes = Changes how questions are shown; answers stay as they are.
settings-layout-classic = All questions of a page together
settings-layout-card = One question at a time

settings-closed = Close the form
settings-closed-notes = Takes no more entries until you open it again, whatever the dates say.
settings-start = Opens
settings-start-notes = On the form’s clock, which now shows { $clock }. Empty: open from the start.
settings-end = Closes
settings-end-notes = On the form’s clock too: from this time on, the form takes no entries. Empty: stays open.
settings-places = Most entries
settings-places-notes = The form is full with this many entries. At least 2; empty: no limit.
settings-countdown = Show a countdown
settings-countdown-notes = Respondents see how long it is until the form opens or closes.
settings-before-open = Show questions before opening
settings-before-open-notes = Respondents can read the form before they can answer it.
settings-hold = Minutes to hold a place
settings-hold-notes = Keeps a respondent’s booking, product or limited choice while they fill in the form. From 0, not at all, to 60.
settings-waiting-list = Waiting list
settings-waiting-list-notes = When there is no room, respondents can wait for a place and move up on their own.

settings-password = Password
settings-password-notes = Respondents, embedding pages and programs need it. Empty: no password.
settings-one-per = One entry for each person
settings-one-per-notes = Stops a person from submitting twice. A browser can be changed; an account can’t.
settings-one-per-none = No limit
settings-one-per-browser = One for each browser
settings-one-per-account = One for each account, after signing in
settings-browse = Let respondents of other forms browse these entries
settings-browse-notes = Where another form links to this one, its respondents see a list of entries without searching first.

settings-progress = Show progress
settings-progress-notes = Respondents see how far they have come.
settings-numbers = Number the questions
settings-numbers-notes = Each question begins with its number.

settings-after-mode = What respondents see
settings-after-mode-notes = Follows as soon as an entry is saved.
settings-after-mode-show-message = A message
settings-after-mode-redirect = Another website
settings-after-mode-report = A report of the scores
settings-after-message = Message
settings-after-style = Kind of message
settings-after-style-notes = Decides which of the texts below is shown.
settings-after-style-text = Title and text
settings-after-style-rich-text = Formatted text
settings-after-title = Title
settings-after-title-notes = Empty: thanks in the form’s language.
settings-after-description = Text
settings-after-description-notes = Stands below the title.
settings-after-rich = Formatted text
settings-after-rich-notes = Paragraphs, lists, headings, links and pictures.
settings-after-redirect = Other website
settings-redirect-url = Address
settings-redirect-url-notes = Respondents are sent here. Needed if they see another website.
settings-redirect-fields = Send these answers along
settings-redirect-fields-notes = They become parameters of the address, which the other website can read.
settings-after-report = Report of the scores
settings-feedbacks = Feedback by score
settings-feedbacks-notes = Respondents read the text of the range that their score is in.
settings-feedbacks-start-point = From
settings-feedbacks-end-point = To
settings-feedbacks-comment = Text
settings-feedbacks-add = Add a range
bands-title = Scores that have a text
bands-gap = Nobody with { $from } to { $to } points reads a text: no range holds them.
bands-gap-one = Nobody with { $from } points reads a text: no range holds them.
bands-gap-between = Nobody between { $from } and { $to } points reads a text: no range holds them.
bands-overlap = { $from } to { $to } points are in ranges { $first } and { $second }: the text of range { $first } is read.
bands-overlap-one = { $from } points are in ranges { $first } and { $second }: the text of range { $first } is read.
bands-whole = Each score from { $from } to { $to } has one text.
bands-no-scores = No choice has a score yet. Give scores to the choices in the builder.
settings-show-answers = Show respondents their answers
settings-show-answers-notes = They are shown below the message.
settings-edit = Let respondents edit their entry later
settings-edit-notes = The page after submission, and the receipt, have a link for it.

settings-duration = Minutes to answer
settings-duration-notes = From the first look at the questions; later entries are refused. Empty: no limit.
settings-pass = Points to pass
settings-pass-notes = Empty: nobody passes or fails.
settings-exam-score = Show the score
settings-exam-score-notes = Respondents see their points after submission.
settings-exam-answers = Show the right answers
settings-exam-answers-notes = Respondents see them after submission.
settings-questions = Scored questions
settings-questions-notes = Tick which questions count, and give their points and right answers, in the builder. They hold once you publish.
settings-questions-none = No question can be scored yet. Add questions in the builder.
settings-questions-question = Question
settings-questions-answer = Right answer
settings-questions-points = Points
settings-questions-partial = Partly right
settings-partial-none = No points
settings-partial-proportional = A share if nothing wrong is ticked
settings-partial-per-choice = A share, minus wrong ones

settings-currency = Currency
settings-currency-notes = Three letters, such as EUR or CNY. All prices of the form are in it.
settings-discounts = Discounts
settings-discounts-notes = The one with the highest total that an order reaches applies. Each takes off either percent or an amount.
settings-discounts-min-total = From a total of
settings-discounts-percent-off = Percent off
settings-discounts-amount-off = Amount off
settings-discounts-add = Add a discount

settings-code = Verification code
settings-code-enabled = Give each entry a code
settings-code-enabled-notes = Anybody who has the code can check on a page of the form if it is genuine.
settings-code-length = Characters
settings-code-length-notes = From 6 to 16; for new entries.
settings-certificate = Certificate
settings-certificate-enabled = Offer a certificate
settings-certificate-enabled-notes = Respondents can download it as a PDF after submission.
settings-certificate-title = Title
settings-certificate-title-notes = Shown large at the top. Empty: the form’s name.
settings-certificate-body = Text
settings-certificate-body-notes = Placeholders such as {"{{"}field_1{"}}"} stand for answers.
settings-certificate-score = Points needed
settings-certificate-score-notes = Only those who reach them get the certificate. Empty: everybody.

settings-no-mail = This server sends no email
settings-no-mail-text = Nothing below has an effect until formsvc is started with --smtp-url.
settings-no-address = The form has no email question
settings-no-address-text = Add one to write to respondents. Notices to your team work without it.
settings-letter-receipt = Receipt, when an entry is saved
settings-letter-notice = Notice to your team, when an entry arrives
settings-letter-waiting = When an entry joins the waiting list
settings-letter-moved_up = When an entry moves up from the waiting list
settings-letter-cancelled = When a booking is cancelled
settings-letter-changed = When an entry is changed
settings-letter-reminder = Reminder, a day before a booking
settings-receipt-enabled = Send receipts
settings-receipt-enabled-notes = Each respondent gets an email as soon as their entry is saved.
settings-receipt-field = To the address in
settings-receipt-field-notes = All emails to respondents go there.
settings-receipt-field-first = The first email question
settings-receipt-programs = Also for entries that programs send
settings-receipt-programs-notes = Entries through the API without a token bring emails too.
settings-notice-enabled = Send notices
settings-notice-enabled-notes = Each address below gets an email for every new entry.
settings-notice-to = Addresses
settings-notice-to-notes = At most 10, each on a line of its own.
settings-letter-enabled = Send this email
settings-letter-enabled-notes = Goes to the respondent of the entry.
settings-letter-enabled-default = If receipts are sent
settings-letter-enabled-true = Always
settings-letter-enabled-false = Never
settings-letter-subject = Subject
settings-letter-subject-notes = Empty: words in the form’s language.
settings-letter-message = Message
settings-letter-message-notes = Paragraphs, lists and links. Empty: words in the form’s language.
settings-letter-values = Include the answers
settings-letter-values-notes = The email lists questions and answers.
settings-placeholders = Placeholders for answers
settings-placeholders-text = In subjects, messages and texts, these stand for the answers of an entry.
settings-placeholders-insert = Insert
settings-certificate-sample = See a sample
settings-certificate-sample-notes = A PDF with made-up answers. Nothing is stored. Latin, Greek, Cyrillic, Arabic, Hebrew, Devanagari and Chinese letters are built in. For names in other letters, such as Thai, the server needs a font (fonts_dir): without it, they are printed as boxes.

settings-definition = A JSON file with questions, settings, look and rules, as the API shows them; without entries and without the password.
settings-definition-button = Download the form
settings-entries-button = Go to the entries
settings-kept = Entries can be downloaded above their table, as XLSX, CSV or JSON.
settings-api = This command reads the entries. Put an access token of yours in it.
settings-api-form = The form: questions, settings, rules
settings-api-entries = Entries: read, add, change
settings-api-webhooks = Webhooks: tell other programs about new entries
settings-api-queries = Public queries: pages where visitors look up entries

webhooks = Webhooks
webhooks-lead = A webhook tells another program about entries of this form as they arrive and change.
webhooks-all = Where events go
webhooks-none = Enter the address of your program. Events are sent there as JSON within seconds, and again if they don’t get through.
webhooks-most = This form has { $count } webhooks, the most it can have. Delete one to add another.
webhook-new = New webhook
webhook-add = Add webhook
webhook-save = Save
webhook-title = Webhook to { $host }
webhook-url = Address
webhook-url-notes = Where events are sent, such as https://example.com/hooks.
webhook-events = Events
webhook-event-created = New entry
webhook-event-updated = Entry changed
webhook-event-deleted = Entry moved to trash
webhook-event-restored = Entry restored
webhook-event-ping = Test
webhook-enabled = Send events
webhook-enabled-notes = While this is off, events are not sent, and not sent later either.
webhook-on = On
webhook-off = Off
webhook-fault-events = Choose at least one event
webhook-fault-long = This address is too long: at most 2,048 characters are possible
webhook-fault-characters = Remove spaces and backslashes from the address
webhook-fault-scheme = Begin the address with https:// or http://
webhook-fault-user = Remove the user name and password from the address
webhook-fault-host = Enter an address with a valid host, such as https://example.com/hooks
webhook-fault-port = Use port 80, 443, or one from 1024 to 65535
webhook-changed = Somebody else changed this webhook
webhook-changed-text = Nothing of yours is saved yet. What you typed is still here: save it to replace their version, or reload the page to see theirs.
webhook-example = What is sent
webhook-example-text = A POST request with this body, here with example answers to your questions.
webhook-secret = Secret
webhook-secret-text = Every request is signed with it. Your program checks the header webhook-signature, so that nobody else can pretend to be this form.
webhook-secret-next = Continue to the webhook
webhook-rotate = Replace secret
webhook-rotate-title = Replace the secret of the webhook to { $url }?
webhook-rotate-text = You will see the new secret once. For 24 hours requests carry signatures of both, so that your program can switch.
webhook-delete = Delete webhook
webhook-delete-title = Delete the webhook to { $url }?
webhook-delete-text = Nothing more is sent there, and the list of deliveries is deleted.
webhook-deleted = Webhook deleted
webhook-test = Send a test
webhook-test-delivered = The test was delivered
webhook-test-failed = The test was not delivered
webhook-test-wait = Too many tests
webhook-test-wait-text = 10 tests a minute are possible. Try again in { $secs } seconds.
webhook-deliveries = Deliveries
webhook-deliveries-text = What was sent, and what still waits. Each delivery is listed for 30 days.
webhook-deliveries-none = Nothing was sent yet. Send a test, or fill in the form.
webhook-deliveries-none-found = No delivery has this state.
webhook-deliveries-new = { $count ->
    [one] { $count } new delivery
   *[other] { $count } new deliveries
}
webhook-deliveries-latest = Latest deliveries
webhook-deliveries-older = Older deliveries
webhook-when = When
webhook-event = Event
webhook-state = State
webhook-state-all = All
webhook-state-pending = Waiting
webhook-state-delivered = Delivered
webhook-state-failed = Failed
webhook-attempts = Attempts
webhook-answer = Answer
webhook-answered = { $status } after { $ms } ms
webhook-next = Next try
webhook-again = Send again
webhook-again-done = It is sent again
webhook-again-refused = This can’t be sent again now
webhook-again-refused-text = It still waits to be sent, or the webhook is off.
webhook-last-none = Nothing sent yet
webhook-last-waiting = Waiting to be sent
webhook-last-delivered = Delivered { $when }
webhook-last-tries = { $count ->
    [one] Failed once, next try { $when }
   *[other] Failed { $count } times, next try { $when }
}
webhook-last-failed = Not delivered: { $fault }
webhook-error-restored = It waited when the backup was made that this server was restored from
webhook-error-unreadable = The stored secret can’t be read; replace it
webhook-error-off = The webhook was turned off
webhook-error-not-public = The address is in a private network
webhook-error-unresolved = The host name can’t be found
webhook-error-unreachable = The host can’t be reached
webhook-error-untrusted = The host’s certificate is not trusted
webhook-error-slow = The host took too long
webhook-error-broken = The connection broke
webhook-error-not-http = The answer is not valid HTTP
webhook-error-redirected = The host redirects; enter the address that it redirects to
webhook-error-gone = The host answered that the address is gone, so the webhook was turned off
webhook-error-refused = The host answered with an error

settings-offline = Take the form offline
settings-offline-text = Its public pages can’t be found any more. Entries stay, and you can publish it again.
settings-offline-button = Take offline
settings-publish = Publish the form
settings-publish-text = Respondents can open it at its link.
settings-publish-button = Publish
settings-copy = Copy the form
settings-copy-text = Questions, settings, look and rules are copied, entries are not. The copy is not published yet.
settings-copy-name = Name of the copy
settings-copy-name-notes = Empty: the same name with “(copy)”.
settings-copy-button = Copy
settings-delete = Delete the form
settings-delete-text = It goes offline at once. You can restore it for 30 days; then it is deleted with all its entries.
settings-confirm-name = Type the name of the form
settings-confirm-name-notes = It is “{ $name }”.
settings-delete-button = Delete the form
settings-delete-fault = This is not the form’s name

settings-fault-places = Enter 2 or more. To take no entries, close the form instead.
settings-fault-end = Choose a time after the one when it opens
settings-fault-moment = Enter a date and a time
settings-fault-currency = Enter three letters of a currency, such as EUR
settings-fault-discount = Enter percent or an amount, not both
settings-fault-end-point = Enter at least the number that the range begins with
settings-fault-decimals = Use at most { $a } decimals
settings-fault-many = At most { $a } are possible
settings-fault-repeated = This is in the list already
settings-fault-pass = The questions give fewer points than this
settings-fault-long = This text is too long: shorten it to 64 KB
settings-fault-line = Line { $line }: { $fault }.
settings-warning-notice = An address gets no answers until its reader confirms by the link in an email that we send once.
settings-warning-answers = No effect until the form closes, because respondents can edit their answers.
settings-warning-waiting = Entries still wait. They keep their places and move up when there is room.
settings-warning-locale = Buttons and error messages are not translated to this language; they are shown in English.
settings-warning-placeholders = This form has no such placeholders: { $names }

organization-title = Organization
organization-settings = Organization settings
organization-lead = What people see of you on your forms.
organization-about = Name and color
organization-name = Name
organization-name-notes = Stands above your forms.
organization-name-made-up = Made up from your name, so forms don’t show it. It is shown above your forms once you save.
organization-color = Color
organization-color-notes = A band at the top of forms that have no color of their own, such as #0F766E. Leave it empty for none.
organization-color-seen = Easy to see: { $ratio } to 1 against a white page.
organization-color-adjusted = Hard to see: { $ratio } to 1 against a white page, where 3 is needed. It is shown darker there.
organization-foot = At the end of forms
organization-powered-by = Show “Powered by formsvc”
organization-logo = Logo
organization-logo-shown = As your forms show it:
organization-logo-file = Picture
organization-logo-notes = PNG, JPEG, WebP or GIF, up to 5 MB. It is shown up to 40 pixels high.
organization-logo-upload = Upload
organization-logo-remove = Remove logo
organization-done-saved = Organization saved
organization-done-logo = Logo uploaded
organization-done-removed = Logo removed
organization-overtaken = Someone else has just saved something else
organization-overtaken-text = Nothing of yours is saved yet. What you typed is still here; what you did not touch is theirs now. Save to replace their version, or reload the page to see it.
organization-fault-color = Enter a color such as #0F766E
organization-fault-large = This picture is too large. Choose one of up to { $megabytes } MB.
organization-fault-pixels = This picture has too many pixels. Choose a smaller one.
organization-fault-kind = This isn’t a picture that pages can show. Choose a PNG, JPEG, WebP or GIF file.
organization-fault-no-file = Choose a picture first

members-title = People
members-you = You
members-is-disabled = Disabled
members-role = Role of
members-disable = Disable
members-enable = Enable
members-last-owner = The organization needs an owner
members-last-owner-text = Make someone else an owner first.
members-invite = Invite someone
members-invite-text = The link works once, for 7 days. Whoever opens it creates an account in your organization.
members-invited-role = Role
members-invited-email = Email (optional)
members-invited-email-notes = We’ll send the link there. You can also copy it and send it yourself.
members-link-mailed = The invitation is on its way
members-link-mailed-text = It is sent by email now.
members-invite-button = Create link
members-link-made = The link is ready
members-link-once = Copy the link and send it to the person you’re inviting. You won’t see it again.
members-open = Pending invitations
members-done-role = Role changed
members-done-disabled = Account disabled
members-done-enabled = Account enabled
members-done-revoked = Invitation revoked

audit-title = Activity log
audit-text = Who did what, newest first. The log can’t be edited.
audit-what = What
audit-who = Who
audit-when = When
audit-more = Older
audit-via-session = on a page
audit-via-token = with an access token
audit-via-app = by an application
audit-app-created = Application registered
audit-app-deleted = Application deleted
audit-app-allowed = Application connected
audit-app-ended = Application disconnected
audit-via-command-line = on the command line
audit-via-service = by the service itself
audit-form-created = Form created
audit-form-updated = Form edited
audit-form-deleted = Form deleted
audit-form-restored = Form restored
audit-form-purged = Form deleted permanently
audit-form-moved = Form moved to another folder
audit-form-settings-updated = Settings changed
audit-form-holds-ended = Holds ended
audit-form-theme-updated = Theme changed
audit-form-field-rules-updated = Rules changed
audit-collaborator-put = Form shared
audit-collaborator-removed = Form unshared
audit-entries-exported = Entries exported
audit-entries-imported = Entries imported
audit-entries-purged = Deleted entries removed permanently after 30 days
audit-entries-deleted = Entries moved to the trash together
audit-entries-updated = Entries changed together
audit-entries-restored = Entries restored together
audit-entry-deleted = Entry deleted
audit-entry-restored = Entry restored
audit-entry-purged = Entry deleted permanently
audit-webhook-created = Webhook added
audit-webhook-updated = Webhook changed
audit-webhook-deleted = Webhook deleted
audit-webhook-secret-rotated = Webhook secret replaced
audit-webhook-gone = Webhook disabled: its receiver is gone
audit-query-created = Public query created
audit-query-updated = Public query changed
audit-query-deleted = Public query deleted
audit-folder-created = Folder created
audit-folder-updated = Folder renamed
audit-folder-deleted = Folder deleted
audit-token-created = Token created
audit-token-revoked = Token revoked
audit-invitation-created = Invitation created
audit-invitation-revoked = Invitation revoked
audit-member-joined = Account created
audit-member-role-changed = Role changed
audit-member-disabled = Account disabled
audit-member-enabled = Account enabled
audit-member-deleted = Account deleted
audit-member-signed-in = Signed in
audit-member-sign-in-failed = Sign-in failed
audit-member-sign-in-throttled = Sign-in refused after too many attempts
audit-member-password-changed = Password changed
audit-member-password-reset = Password reset by email link
audit-member-second-factor-enabled = Two-step verification turned on
audit-member-second-factor-disabled = Two-step verification turned off
audit-organization-updated = Organization changed
audit-organization-plan-changed = Plan changed
audit-keys-rotated = Signing key rotated

invitation-title = You’ve been invited
invitation-lead = Create your account to join.
invitation-button = Join
invitation-spent-text = It has been used or revoked, or is older than 7 days. Ask for a new one. If you have an account, sign in.
mail-invitation-subject = Invitation to { $organization }
mail-invitation-text = { $name } invites you to join “{ $organization }”.
mail-invitation-button = Accept invitation
mail-invitation-then = You’ll get an account of your own on { $site }, where you make forms and work on those that are shared with you.
mail-invitation-note = The link works once, for 7 days. If you weren’t expecting this invitation, you can ignore it.
mail-reset-subject = Choose a new password
mail-reset-text = Choose a new password for { $site }
mail-reset-then = A new password was requested for your account { $email }.
mail-reset-button = Choose a new password
mail-reset-note = The link works once, for 30 minutes. If you didn’t request it, you can ignore this email: your password stays the same.

profile-apps = Connected apps
profile-apps-text = Third-party apps with access to your account. Disconnecting removes their access immediately.
profile-apps-none = No apps have access to your account.
profile-apps-since = Since
profile-apps-disconnect = Disconnect
profile-done-disconnected = App disconnected

consent-title = { $app } wants to access your account
consent-as = You are signed in as
consent-may = It will be able to
consent-back = Either way, you’ll be taken back to
consent-public = Any app can use this name. Continue only if you started this yourself.
consent-allow = Allow
consent-deny = Don’t allow
consent-switch = Use another account
consent-dead-end = This link does not work
consent-unknown-client = The app you came from is not registered here.
consent-unknown-address = The app you came from asked to return to an address that is not registered for it.
consent-dead-end-text = Nothing was shared. Please contact the app’s developer.

scope-form-read = Read forms and folders
scope-form-write = Create and edit forms and folders
scope-form-delete = Delete forms and folders
scope-entry-read = Read entries
scope-entry-write = Create and edit entries
scope-entry-delete = Delete entries
scope-form-respond = Fill in published forms
scope-integration-read = See webhooks
scope-integration-write = Set up webhooks

# Parts of values that have columns of their own in a spreadsheet.
sheet-item = Item
sheet-number = Number
sheet-specification = Options
sheet-from = From
sheet-to = To

# Public queries
query-about = Search for a record here: fill in what you know about it. Only what matches is shown.
query-has-result = Here is what we found.
query-no-result = We found nothing. Check the spelling, or use the address you registered with.
query-booked-item = Item
query-booked-time = Time

# The page of a public query
query-search = Search
query-busy-button = Searching…
query-new = Clear
query-any = Fill in at least one
query-hint-part = Part of it is enough.
query-hint-start = The whole date or its beginning, for example 2026-11
query-hint-moment = For example 2026-11-20 or 2026-11-20 14:30
query-faults = There’s a problem with your search
query-fault-blank = Fill this in
query-fault-choose = Choose one
query-fault-any = Fill in { $fields }
query-fault-date = Enter a date, for example 2026-11-20
query-fault-start = Enter the beginning of a date, for example 2026-11
query-fault-moment = Enter a date or a date and time, for example 2026-11-20 14:30
query-nothing = This search isn’t available right now
query-nothing-text = The form behind it has changed. Contact whoever sent you here.
query-title-results = Results – { $name }
query-title-row = Details – { $name }
query-count = { $count ->
    [one] { $shown } result
   *[other] { $shown } results
}
query-none = No results
query-open = Details
query-open-edit = View or edit
query-masked = (partly hidden)
query-certificate = Certificate (PDF)
query-signature = Signature
query-pages = Pages of results
query-next = Next page
query-first = First page
query-table = Table of results
query-export-csv = Download CSV
query-export-xlsx = Download Excel
query-export-many = Up to { $most } results can be downloaded. Narrow your search.
query-row = Details
query-back = Back to the results
query-back-form = Back to the search
query-edit = Edit
query-edit-result = Change your registration
query-cancel = Cancel
query-edited-alone = The result you’re editing
query-all = Show all results
query-saved-row-text = The result above shows your changes.
query-saved-elsewhere-text = The result you changed is no longer in this list.
query-saved-unseen-text = Your changes were saved. Search again to see them.
query-masked-edit = Partly hidden. Leave it as it is to keep it; type the whole value to change it.
query-saving = Saving…
query-saved = Saved
query-saved-text = Your changes are in the details below.
query-not-saved = Your changes aren’t saved yet
query-not-saved-text = { $wait ->
    [one] What you typed is still here. Save again in a second.
   *[other] What you typed is still here. Save again in { $wait } seconds.
}
query-wait = Too many searches
query-wait-text = { $wait ->
    [one] What you typed is still here. Search again in a second.
   *[other] What you typed is still here. Search again in { $wait } seconds.
}
query-unproven = Too many searches
query-unproven-text = { $wait ->
    [one] What you typed is still here. Search again in a second. With JavaScript on, you can search more often.
   *[other] What you typed is still here. Search again in { $wait } seconds. With JavaScript on, you can search more often.
}
query-busy = The search couldn’t run just now
query-busy-text = { $wait ->
    [one] What you typed is still here. Search again in a second.
   *[other] What you typed is still here. Search again in { $wait } seconds.
}
query-many = There are too many results to download
query-many-text = Narrow your search, then download again.
query-page-gone = This page of results is no longer available
query-page-gone-text = Search again to see the results from the start.
query-disabled = This search is switched off
query-disabled-text = Contact whoever sent you here if you still need it.
query-gone = This search no longer exists
query-gone-text = The form behind it was deleted.
query-over-plan = This search isn’t available at the moment
query-over-plan-text = Contact whoever sent you here.
query-unknown = Search not found
query-unknown-text = Check the link, or contact whoever sent it.
query-link = This link has expired
query-link-text = Links from search results work for an hour, and only unchanged. Search again for a new one.
query-row-gone = No longer available
query-row-gone-text = This search no longer shows that result. Search again to see the current ones.
query-no-export = Downloads are switched off
query-no-export-text = The results of this search can be read on its page.

# The builder

build-title = Build
build-reader = Only managers change this form
build-reader-text = You can look at its questions here.
build-preview = The form as respondents will see it
build-skip-preview = Skip the preview
build-panel = Properties
build-questions = Questions
build-fault-less = Must not be less than “{ $other }”
build-untitled = Untitled question
build-fault-label = Type the question
build-untitled-number = Untitled question { $number } ({ $kind })
build-required = required
build-hidden = hidden
build-faults =
    { $count ->
        [one] One thing to complete
       *[other] { $count } things to complete
    }
build-tick = Select { $label }
build-many = Selected questions
build-many-count = { "{n}" } selected
build-add-here = Add a question here
build-moved = “{ "{label}" }” is now { "{place}" } of { "{count}" }
build-moved-to-page = “{ "{label}" }” is now { "{place}" } of { "{count}" }, on page { "{page}" }
build-add = Add a question
build-add-title = Add a question
build-empty = Choose the kind of your first question.
build-full = A form has at most { $most } questions, page breaks included. Remove one to add another.
build-find-kind = Find a kind: email, rating, date …
build-find-none = No kind of question is called that.
build-undo = Undo
build-redo = Redo
build-room = { $count } of { $most } questions
build-saves-itself = Changes save themselves
build-saving = Saving …
build-saved = Saved
build-unsaved = Not saved – trying again
build-refused = Not saved: correct what is marked
build-offline = Not saved: no connection. It is kept in this tab and saved when the connection is back.
build-count =
    { $count ->
        [0] No questions yet
        [one] One question
       *[other] { $count } questions
    }
build-choose = Choose a question to change it.
build-head = Change name and description
build-up = Move up
build-down = Move down
build-copy = Duplicate
build-require = Required
build-hide = Hidden
build-remove = Remove
build-remove-ruled = { $count ->
    [one] Remove “{ $label }”
   *[other] Remove { $count } questions
}
build-remove-ruled-text = { $count ->
    [one] This rule names what you are removing. It stays, and has to be changed before you can publish.
   *[other] These { $count } rules name what you are removing. They stay, and have to be changed before you can publish.
}
build-remove-loses = Entries answer this question. When you publish, these answers are deleted for good. Hide the question to keep them.
build-hide-instead = Hide it instead
build-removed = { $count ->
    [one] “{ $label }” was removed. { $count } entry has it as its answer, which is deleted when you publish.
   *[other] “{ $label }” was removed. { $count } entries have it as their answer, which is deleted when you publish.
}
build-removed-uncounted = “{ $label }” was removed. Answers with it are deleted when you publish.
build-removed-more = { $count ->
    [one] { $count } more part was removed.
   *[other] { $count } more parts were removed.
}
build-removed-return = Put it back
build-no-step = There is nothing to undo or redo.
build-step-overtaken = Somebody changed that question since, so it was left as it is.
build-discarded = The draft was thrown away. The form is as it is published.
build-copied = Copied with its points and the rules about it. Rules that look at the original’s answer do not look at the copy’s.
build-restored = The draft is that version now. Look at it and publish it, or take a step back.
build-people =
    { $count ->
        [one] { $names } is here
       *[other] { $names } are here
    }
build-back = All questions
build-overtaken = Somebody else changed this question meanwhile
build-overtaken-text = Your text is below. Save to keep it, or open the question again to use theirs.
build-on = on
build-off = off
build-differs = What differs
build-mine = Yours
build-theirs = Theirs
build-take = Take theirs
build-save = Save
build-choice = Choice { $number }
build-new-statement = Statement { $number }
build-new-column = Column { $number }
build-new-product = Product { $number }
build-new-item = Item { $number }
build-kind = Make it another kind
build-kind-label = Kind
build-kind-button = Change kind
build-move = Move to …
build-move-after = Place it
build-move-first = At the beginning
build-move-button = Move
build-changed = Changes not published
build-publish = Publish
build-open-preview = Preview
preview = Preview
preview-text = This is your draft. You can fill it in and send it: nothing is stored.
default-none = None: the question is empty when the form opens.
default-notes = Answer this question in the preview, then take that answer as the default. Where no preview is shown, the button asks for the answer.
default-take = Take as default
default-remove = Remove the default
default-taken = The default is set. Respondents find it when you publish.
default-now = The day or time at which the form is opened
default-entry = An entry of the linked form
default-unsound = Correct this question first. Then it can have a default.
default-fill = Answer the question as respondents should find it
default-fill-text = They can change the answer. Nothing is submitted here.
exam-scored = Scored
exam-not-scored = Not scored
exam-hidden = Respondents don’t see a hidden question, so it brings no points.
exam-worth = { $points } pt
exam-total = Total: { $points } pt
exam-fault-score = Enter the points: a number from 0 to { $most }.
exam-fault-no-answer = Give the right answer: fill in the question in the preview and take it.
exam-fault-answer = The right answer no longer fits the question. Take another one.
exam-fault-kind = Questions of this kind can’t be scored.
exam-fault-pass = The pass score is higher than the points of all questions. Lower it, or give more points.
answer-none = None yet.
answer-notes = Answer this question in the preview, then take that answer as the right one. Where no preview is shown, the button asks for the answer.
answer-take = Take as right answer
answer-remove = Remove the right answer
answer-taken = The right answer is set. It counts when you publish.
answer-unsound = This question can’t have a right answer now: correct it first, or choose another kind.
answer-fill = Answer the question as it is right
answer-fill-text = Answers that say the same get the points. Nothing is submitted here.
prefilled-fill = Fill in what the link should say
prefilled-fill-text = Whoever opens the link finds these answers and can change them. What you leave empty stays empty. Nothing is submitted here.
prefilled-make = Create the link
prefilled-long = The link is too long
prefilled-long-text = A link has room for { $most } characters, and this one has { $length }. Leave out the longest answers.
publish-title = Publish
publish-back = Back to the questions
publish-lead = Respondents see these changes once you publish them.
publish-lead-first = Respondents can open the form once you publish it.
publish-changed = Somebody changed the form since you opened this page. Look at the changes again.
publish-loses = Nothing is published yet: answers would be deleted.
publish-faults = Complete these before you publish
publish-empty = Add at least one question.
publish-changes = What changes
publish-nothing = There is nothing to publish: respondents see what you see.
publish-added = Added “{ $label }”
publish-removed = Removed “{ $label }”
publish-edited = Changed “{ $label }”
publish-reordered = Questions reordered
publish-renamed = Form renamed
publish-described = Description changed
publish-part-rules = The rules
publish-part-theme = The look
publish-part-exam_questions = Answers and points of the exam
publish-rule = Rule { $number }
publish-rule-was = before: { $sentence }
publish-renamed-choices = Choices have new names that change rules
publish-both-rules = The rules were also changed over the API
publish-both-theme = The look was also changed over the API
publish-both-exam_questions = Answers and points of the exam were also changed over the API
publish-both-text = The draft and the published form changed the same thing. Choose which one holds.
publish-goes-live = The form goes online
publish-losses = Answers will be deleted
publish-losses-text = Publishing deletes these answers for good. Go back and hide the questions if you want to keep them.
publish-loss =
    { $trashed ->
        [0]
            { $count ->
                [one] answered in { $count } entry
               *[other] answered in { $count } entries
            }
       *[other]
            { $count ->
                [one] answered in { $count } entry, which is in the trash
               *[other] answered in { $count } entries, { $trashed } of them in the trash
            }
    }
publish-confirm-label = Answers that are deleted
publish-confirm = Delete these answers for good
publish-button = Publish
publish-absent = nothing
publish-mine = Draft
publish-theirs = Published
publish-keep = Keep the draft’s
publish-take = Take the published one
publish-discard = Throw the draft away
publish-discard-title = Throw the draft away?
publish-discard-text = The questions go back to what respondents see. This can’t be undone.
publish-discard-button = Throw the draft away
publish-keep-on = Keep building
publish-name = Name of this version (optional)
publish-name-notes = Shown in the history, for example “Prices for next year”.
publish-name-long = Use at most { $most } characters.
history-title = History
history-lead = Each published version of the form. You can restore an earlier one as a draft.
history-none = No change was kept yet. The history begins with the next change of the form.
history-version = Version
history-number = Version { $number }
history-who = Who
history-when = When
history-first = The first version
history-more = { $count ->
    [one] 1 more change
   *[other] { $count } more changes
}
history-by-api = over the API
history-older = Older versions
history-back = All versions
history-compare = Compare with now
history-compare-title = Then and now
history-show = Show the page
history-frame = The form as version { $number } had it
history-same = The form says the same now.
history-same-draft = Questions, rules and look are the same now.
history-about = Part
history-now = Now
history-name = Name of the form
history-description = Description
history-rules = Rules
history-theme = Look
history-restore = Bring it back
history-restore-title = What bringing it back changes
history-restore-text = It becomes the draft. Respondents see it once you publish, and a step back in the builder takes it back. The form keeps its name and description.
history-lost = Not everything can be restored
history-lost-text = What was removed for good can’t return as it was.
history-lost-field = “{ $label }” returns as a new question: its old answers do not.
history-lost-images = { $count ->
    [one] 1 picture was deleted.
   *[other] { $count } pictures were deleted.
}

preview-examples = Fill in with examples
preview-why = Why is this shown?
preview-why-shown = Why is “{ $label }” shown?
preview-why-hidden = Why is “{ $label }” hidden?
preview-true = true
preview-false = false
rules-title = Logic
rules-lead = Rules are read from top to bottom. A question that a rule shows stays hidden until one such rule holds.
rules-none = Rules show, hide or ask for questions by what was answered before them.
rules-no-questions = Add two questions first: a rule looks at one of them and shows, hides or asks for the other.
rules-reader-text = You can read its rules here.
rules-add = Add a rule
rules-find = Search among the rules
rules-find-question = Rules that name
rules-find-all = All questions
rules-find-show = Show
rules-find-reset = Show all rules
rules-found = { $count } of { $total } rules.
rules-when = When
rules-operand = How many conditions must hold
rules-operand-and = all of these hold
rules-operand-or = one of these holds
rules-and = and
rules-or = or
rules-then = then
rules-action = What the rule does
rules-action-show = show
rules-action-hide = hide
rules-action-require = ask for
rules-question = Question
rules-choose = Choose a question …
rules-no-question = …
rules-removed = { $label } (removed)
rules-late = { $label } — comes after { $target }
rules-later = Use a later question
rules-move-before = Move { $label } before { $target }
rules-condition-add = Add a condition
rules-condition-remove = Remove this condition
rules-target = Question that the rule is about
rules-target-add = Add a question …
rules-target-page = All questions of page { $page }
rules-target-remove = Take { $label } out of this rule
rules-remove = Remove this rule
rules-sentence = When { $conditions }, then { $action } { $targets }
rules-fault-gone = This question is no longer there: take it out, or choose another
rules-fault-late = This question must come before the ones that the rule is about
rules-fault-number = Type a number
rules-fault-operator = Answers to this question can’t be compared this way: choose another comparison
rules-fault-question = Choose a question
rules-fault-targets = Choose at least one question
rules-fault-value = Say what it is compared with
rules-holds = Holds for { $count } of { $total } entries
rules-never = Can never hold: no answer to { $label } satisfies these conditions.
rules-never-hidden = Can never hold: respondents don’t see { $label }.
rules-renamed-lost = “{ $was }” is now “{ $now }” and no longer contains “{ $text }”. Change the text, or compare with the choice itself.
rules-renamed-met = “{ $was }” is now “{ $now }” and contains “{ $text }” from now on. Change the text, or compare with the choice itself.
rules-contradicts = Contradicts rule { $number }
rules-overtaken = Somebody else changed or removed this rule meanwhile
rules-overtaken-text = The rules below are as they are now. This is what you had:
rules-overtaken-add = Add it as a rule of its own
rules-of-question = { $count ->
    [one] Logic of this question: 1 rule
   *[other] Logic of this question: { $count } rules
}
rules-broken = Needs your attention

# Kinds of questions

kind-short_text = Short answer
kind-short_text-search = text line word name 文字 单行 填空
kind-long_text = Long answer
kind-long_text-search = text paragraph comment remark essay 多行 段落 意见
kind-name = Name
kind-name-search = person first last 姓名 名字
kind-email = Email
kind-email-search = mail address e-mail 邮箱 邮件 电子邮件
kind-url = Link
kind-url-search = url website web address 网址 链接
kind-phone = Phone
kind-phone-search = mobile telephone number 电话 手机
kind-number = Number
kind-number-search = amount count quantity integer decimal 数字 数量 金额
kind-date = Date
kind-date-search = day birthday time calendar 日期 生日 时间
kind-time = Time
kind-time-search = hour minute clock 时间 时刻
kind-radio = Single choice
kind-radio-search = choose one option radio pick 单选 选择
kind-checkbox = Multiple choice
kind-checkbox-search = choose several options tick checkbox agree 多选 勾选 同意
kind-image_radio = Single picture choice
kind-image_radio-search = image photo choose one 图片 单选
kind-image_checkbox = Multiple picture choice
kind-image_checkbox-search = image photo choose several 图片 多选
kind-dropdown = Dropdown
kind-dropdown-search = select list choose one 下拉 选择
kind-cascade = Cascade
kind-cascade-search = levels tree nested region 级联 多级
kind-ranking = Ranking
kind-ranking-search = order priority sort 排序 排名
kind-rating = Rating
kind-rating-search = stars score satisfaction 评分 星级 打分
kind-nps = Recommendation (0–10)
kind-nps-search = nps net promoter score scale 推荐 净推荐值
kind-likert = Scale of statements
kind-likert-search = likert agree disagree survey matrix 量表 同意
kind-product = Products
kind-product-search = order shop goods price buy stock 商品 订单 购买
kind-booking = Booking
kind-booking-search = appointment reservation slot calendar seat 预约 预订
kind-formula = Formula
kind-formula-search = calculate compute sum total 公式 计算
kind-matrix_rating = Rating of several things
kind-matrix_rating-search = matrix stars table score 矩阵 评分
kind-matrix = Matrix
kind-matrix-search = grid rows columns table 矩阵 表格
kind-table = Table
kind-table-search = rows columns grid list 表格 明细
kind-address = Address
kind-address-search = street city postal country 地址 省市
kind-location = Location
kind-location-search = map gps position coordinates 位置 定位 地图
kind-attachment = File upload
kind-attachment-search = attachment document photo picture pdf 附件 上传 照片
kind-audio = Voice recording
kind-audio-search = audio sound microphone speech 录音 语音
kind-signature = Signature
kind-signature-search = sign draw 签名 签字
kind-page_break = New page
kind-page_break-search = page break section next step 分页 下一页
kind-linked_form = Entry of another form
kind-linked_form-search = link lookup reference 关联 引用
kind-description = Text
kind-description-search = heading section note explain information 描述 说明 标题
kinds-text = Text and contact
kinds-choice = Choice
kinds-number = Numbers and time
kinds-ratings = Rating
kinds-order = Orders and bookings
kinds-file = Files
kinds-form = Layout and structure

# Properties of questions

prop-label = Question
prop-notes = Help text
prop-notes-help = Stands below the question.
prop-required = Required
prop-unique = No two entries may have the same answer
prop-hidden = Hidden from respondents
prop-placeholder = Placeholder
prop-min_length = At least (characters)
prop-max_length = At most (characters)
prop-pattern = Pattern
prop-pattern-help = A regular expression that the whole answer must match.
prop-pattern_message = Message for other answers
prop-allowed_domains = Allowed domains
prop-allowed_domains-help = One a line, such as example.org. Empty: all.
prop-default_country = Country shown first
prop-allowed_countries = Allowed countries
prop-allowed_countries-help = One a line, by two letters: DE, CN. Empty: all.
prop-min = From
prop-max = To
prop-precision = Decimals
prop-unit = Unit
prop-unit-help = Stands beside the number.
prop-include_second = With seconds
prop-choices = Choices
prop-random_order = Mix the order for each respondent
prop-min_selected = Choose at least
prop-max_selected = Choose at most
prop-levels = Levels
prop-min_ranked = Rank at least
prop-max_ranked = Rank at most
prop-rating_max = Highest rating
prop-icon = Sign
prop-min_label = Words at 0
prop-max_label = Words at 10
prop-statements = Statements
prop-multiple = Several answers are allowed
prop-goods_items = Products
prop-reservation_items = What can be booked
prop-allow_multiple_items = Several things can be booked at once
prop-allow_multiple_number = Several places can be booked at once
prop-expression = Formula
prop-expression-help = Names questions by their codes: field_1 * 2.
prop-result_type = Result
prop-dimensions = Columns
prop-min_rows = At least (rows)
prop-max_rows = At most (rows)
prop-required-ruled = Asked for only while the rules show this question.
prop-required_parts = Parts that must be given
prop-required_parts-country = Country
prop-required_parts-state = State or province
prop-required_parts-city = City
prop-required_parts-postal_code = Postal code
prop-required_parts-address_line1 = Street and number
prop-required_parts-address_line2 = Second line
prop-max_size = Largest file (MB)
prop-max_count = Most files
prop-media_type = Kind of files
prop-content_types = Allowed content types
prop-content_types-help = One a line, such as application/pdf.
prop-max_duration = Longest recording (seconds)
prop-previous_text = Words of the button back
prop-next_text = Words of the button on
prop-form_token = The other form
prop-search_fields = Found by
prop-display_fields = Shown of it
prop-content = Text
prop-is_other = Asks for another answer
prop-allow_extended_text = Asks for more words
prop-quota = Places
prop-score = Score
prop-image = Picture
prop-images = Pictures
prop-name = Name
prop-description = Description
prop-price = Price
prop-original_price = Former price
prop-stock = In stock
prop-min_number = Order at least
prop-max_number = Order at most
prop-skus = Variants
prop-product-dimensions = Options of variants
prop-type = Kind
prop-default_value = Default
prop-options = Options
prop-quota_setting = Plan
prop-kind = Booked by
prop-kind-weekly = Day
prop-kind-time_range = Time
prop-start_date = First day
prop-end_date = Last day
prop-closed_dates = Closed days
prop-closed_dates-help = One a line: 2026-12-24.
prop-min_days_ahead = At least (days ahead)
prop-max_days_ahead = At most (days ahead)
prop-weekly_quotas = Days
prop-weekly_quotas-help = Tick the days that can be booked. Empty places: any number.
prop-daily_time_range_quotas = Times
prop-daily_time_range_quotas-help = Day, from, to, places. Empty places: any number.
prop-weekday = Day
prop-start_time = From
prop-end_time = To
prop-cascade-choices-help = One a line; two spaces or a tab lead one level down. A line that stays keeps its answers, and so does one that is renamed.
prop-form_token-help = Entries of it are chosen here. Forms that you manage.
formula-fault = { $text } (character { $character })
formula-circle = depends on itself: { $way }
formula-help = What you can write here
formula-functions = Functions
formula-result = Result: { $result }
formula-value = { $label } = { $value }
formula-sample = With { $values }: { $result }
function-if-parameters = condition, value, otherwise
function-if = the value where the condition holds, else the other one
function-and-parameters = condition, …
function-and = holds where all conditions hold
function-or-parameters = condition, …
function-or = holds where one of the conditions holds
function-not-parameters = condition
function-not = holds where the condition does not
function-sum-parameters = number, …
function-sum = all numbers together; blank ones are left out
function-min-parameters = number, …
function-min = the smallest number
function-max-parameters = number, …
function-max = the largest number
function-average-parameters = number, …
function-average = the mean of the numbers
function-round-parameters = number, decimals
function-round = the number with so many decimals; none if left out
function-abs-parameters = number
function-abs = the number without its sign
function-concat-parameters = value, …
function-concat = the values as one text
function-len-parameters = text
function-len = how many characters the text has
function-upper-parameters = text
function-upper = the text in capital letters
function-lower-parameters = text
function-lower = the text in small letters
function-date-add-parameters = date, number, "day"
function-date-add = the date so many days, months or years later: "day", "month", "year"
function-date-diff-parameters = date, date, "day"
function-date-diff = how many days, months or years lie between two dates
function-today-parameters = { "" }
function-today = the day on which the form is filled in
function-score-parameters = question
function-score = the score of the chosen answer
prop-date-precision = Precision
prop-rating-icon = Sign
prop-date-min = Earliest
prop-date-max = Latest
prop-date-min-help = A day such as 2026-05-31, with the time where it is asked for: 2026-05-31T18:00.
prop-matrix_rating-dimensions = What is rated
prop-precision-month = Month
prop-precision-day = Day
prop-precision-minute = Minute
prop-precision-second = Second
prop-icon-star = Stars
prop-icon-heart = Hearts
prop-icon-number = Numbers
prop-result_type-number = Number
prop-result_type-date = Date
prop-result_type-text = Text
prop-media_type-all = All files
prop-media_type-image = Pictures
prop-media_type-video = Videos
prop-media_type-audio = Sound
prop-media_type-document = Documents
prop-media_type-custom = Content types of your own
build-more = More
build-code = Code: { $code }
pictures-title = Pictures of “{ $question }”
pictures-none = No pictures yet.
pictures-of = Picture of
pictures-file = File
pictures-notes = PNG, JPEG, WebP or GIF, up to 5 MB.
pictures-upload = Add the picture
pictures-remove = Remove
build-outline-jump = Line { $line } is indented too far: it can be one level below the line before, by two spaces or a tab.
build-outline-deep = Line { $line } is too deep: there are { $levels } levels at most.
build-outline-line = Line { $line }: { $fault }
build-week-places = Places on { $day }
build-places-any = any number
build-slot-add = Add a time
build-slot-copy = Copy Monday to all days
build-slot-copy-workdays = Copy Monday to Tuesday–Friday
build-variants = Leave empty what is as above. Without a stock of its own, a variant takes from the product’s.
build-variants-none = One variant for each combination appears here when the question is complete and each option has a name.
build-variants-again = Show the variants
build-other-unknown = A form that you don’t manage
build-other-show = Show its questions
build-other-none = Choose the other form first.
build-other-find = Find by
build-other-show-tick = Show
build-other-public = To respondents
build-other-masked-tick = Masked
build-other-finds = Respondents find an entry by: { $names }.
build-other-sees = Respondents see: { $names }.
build-other-sees-masked = Respondents see masked: { $names }.
build-other-sees-nothing = Respondents see nothing of the entry.
build-other-team = Your team alone sees: { $names }.
build-other-masked = Masked for respondents, so they don’t find entries by it: { $names }. Your team still does.
build-part-add = Add
build-part-up = Move up
build-part-down = Move down
build-part-remove = Remove
build-part-more = More
build-part-sort = Sort A–Z
build-part-reverse = Reverse
build-part-text = Edit all as text
build-part-text-notes = One a line. Behind tabs may follow score and places. A line that stays keeps its answers, and so does one that is renamed.
build-part-apply = Apply
build-part-ready = Ready lists
build-part-rest = { $count ->
    [one] One more is not shown.
   *[other] { $count } more are not shown.
}
build-part-all = Show all
build-ready-yes = Yes, no
build-ready-yes-lines =
    Yes
    No
build-ready-agree = How much one agrees
build-ready-agree-lines =
    Strongly agree
    Agree
    Neither agree nor disagree
    Disagree
    Strongly disagree
build-ready-satisfied = How satisfied one is
build-ready-satisfied-lines =
    Very satisfied
    Satisfied
    Neither satisfied nor dissatisfied
    Dissatisfied
    Very dissatisfied
build-ready-days = Days of the week
build-ready-days-lines =
    Monday
    Tuesday
    Wednesday
    Thursday
    Friday
    Saturday
    Sunday
build-ready-months = Months
build-ready-months-lines =
    January
    February
    March
    April
    May
    June
    July
    August
    September
    October
    November
    December
# New forms

forms-new = New form
forms-new-paste = Paste questions
new-form-title = New form
new-form-lead = Nobody can open it until you publish it.
new-form-name = Name of the form
new-form-kind = Begin with an example
new-form-kind-text = Each comes with questions and settings that you can change.
new-form-empty = Empty form
new-form-empty-text = Begin without questions, and add one after the other.
new-form-empty-button = Create an empty form
new-form-list = Paste questions
new-form-list-text = One question a line. You check the questions before the form is created.
new-form-file = From a file
new-form-file-text = A form that was saved as a file, or a spreadsheet whose first row names the questions.
new-form-document = File
new-form-document-notes = A definition (.json), or a table as .csv or .xlsx, of at most 16 MB. Entries in it are only looked at to guess the kinds of the questions.
new-form-fault-no-file = Choose a file first
new-form-file-button = Read the file
new-form-copy = Copy of a form
new-form-copy-text = Its questions, settings, look and rules, without the entries.
new-form-source = Form
new-form-copy-button = Make a copy
new-form-pick = Questions of another form
new-form-pick-text = Tick the questions that the new form begins with.
new-form-pick-button = Choose questions
picked-title = From another form
picked-text = The questions are copied: the other form stays as it is.
picked-no-forms = There is no other form to copy questions from.
picked-choose = Show its questions
picked-questions = Questions to copy
picked-find = Find a question
picked-from = computed from { $labels }
picked-rules = has rules
picked-add = Add the ticked questions
picked-make = Create a form from the ticked questions
picked-none = Tick at least one question.
picked-needs = “{ $question }” is computed from “{ $needed }”: tick that question too, or leave “{ $question }” out.
picked-done = The questions were added.
picked-done-left = The questions were added. Rules that involve questions you did not tick, and points in an exam, were not copied: add them here if you need them.
paste-title = Paste a list
paste-label = Your list
paste-notes = Choices are indented or begin with “-”. A “*” at the end makes a question required. “---” begins a new page. The header row of a spreadsheet works too.
paste-example =
    Your name *
    Email *
    Which day suits you?
    - Saturday
    - Sunday
    Anything else? (long)
paste-button = Read the list
paste-back = Cancel
paste-table = Questions that will be made
paste-table-text = Change what was not understood, or leave it out.
paste-too-long = These lines have no room and are left out
paste-question = Question
paste-kind = Kind
paste-required = Required
paste-choices = Choices, one a line
paste-leave-out = Leave out
paste-row = Question { $number }
paste-add =
    { $count ->
        [one] Add one question
       *[other] Add { $count } questions
    }
paste-make =
    { $count ->
        [one] Create a form with one question
       *[other] Create a form with { $count } questions
    }

# Kinds of questions

# The look of a form

look-title = Look
look-reader-text = You can see here how it looks.
look-overtaken = Somebody else changed the look meanwhile
look-overtaken-text = What you typed is below. Save to keep it, or open this page again to use theirs.
look-see = See it
look-width = Width
look-width-wide = Wide
look-width-tablet = Tablet
look-width-mobile = Phone
look-scheme = Light or dark
look-scheme-light = Light
look-scheme-dark = Dark
look-ready = Ready themes
look-ready-sky = Sky
look-ready-forest = Forest
look-ready-sunrise = Sunrise
look-ready-rose = Rose
look-ready-plum = Plum
look-ready-slate = Slate
look-ready-book = Book
look-ready-night = Night
look-colors = Colors
look-primary = Main color
look-background = Background
look-text = Text
look-pick = { $color }: choose
look-no-color = None
look-same-color = As the main color
look-contrast-fine = Contrast { $ratio }:1 – easy to read
look-contrast-weak = Contrast { $ratio }:1 – hard to read; people with low vision need 4.5:1
look-heal = Make it readable
look-letters = Letters
look-font = Font
look-font-system = Plain
look-font-serif = Serif
look-font-mono = Typewriter
look-header = Above the title
look-header-type = Show
look-header-type-none = Nothing
look-header-type-text = A text
look-header-type-image = Pictures
look-header-text = Text above the title
look-header-text-notes = Shown while “A text” is chosen.
look-header-upload = Add a picture above the title
look-pictures = Pictures above the title
look-picture = Picture { $number }
look-wallpaper = Behind the form
look-wallpaper-color = Color behind the form
look-wallpaper-image = Picture behind the form
look-wallpaper-upload = Choose a picture behind the form
look-upload-notes = PNG, JPEG, WebP or GIF, up to 5 MB.
look-button = Submit button
look-button-text = Words on the button
look-button-text-notes = Empty: “Submit” in the form’s language.
look-button-color = Color of the button
look-default = Back to the default

# Rich text

rich-bar = Formatting
rich-bold = Bold
rich-italic = Italic
rich-link = Link
rich-heading = Heading
rich-bullets = Bulleted list
rich-numbers = Numbered list
rich-quote = Quote
rich-picture = Picture
rich-address = Address of the link
rich-alt = What the picture shows
rich-set = OK
rich-unlink = Remove link
rich-progress = Sending the picture
rich-failed = The picture wasn’t sent: no connection to the server. Try again.
rich-tags = HTML: p, br, b, i, u, s, a, ul, ol, li, h1 to h4, blockquote and img. Other markup is removed.
