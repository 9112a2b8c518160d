choice-other = Other

# Every page.
page-skip = Skip to the content
page-footer = Powered by formsvc

# Errors.
error-form = This form can’t be found
error-form-text = The address may be mistyped, or the form was taken down by its owner.
error-entry = These answers can’t be found
error-entry-text = The address may be incomplete, or the answers were deleted. Use the whole address of the page that thanked you for them.
error-404 = There is nothing at this address
error-404-text = Check the address for typing errors, or ask whoever sent you the link.
error-403 = You can’t do this
error-403-text = The page may have been open for a long time. Go back, load it again and try once more.
error-405 = This can’t be done here
error-405-text = Go back and try again from the page before.
error-408 = Your connection was too slow
error-408-text = What you sent did not arrive in time, so nothing was stored. Go back and send it again.
error-413 = That is too much
error-413-text = What you sent is larger than this page takes. Go back, shorten it and send it again.
error-429 = Too many tries at once
error-429-text = { $wait ->
    [one] Wait a second, then try again.
   *[other] Wait { $wait } seconds, then try again.
}
error-500 = Something went wrong on our side
error-500-text = It has been noted. Try again in a moment.
error-503 = The service is busy
error-503-text = { $wait ->
    [one] Nothing was stored. Try again in a second.
   *[other] Nothing was stored. Try again in { $wait } seconds.
}
error-other = This did not work
error-status = Status { $status }

## Controls

choice-specify = Please specify
choice-text = { $choice }: please specify
phone-country = Country
phone-code = Dialling code
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
form-title-faults = To correct: { $title }
form-faults = { $count ->
    [one] One answer needs another look
   *[other] { $count } answers need another look
}
form-kept = Nothing is kept before you press “{ $button }”. Then your answers go to { $host }.
form-kept-here = Your answers are kept in this browser until you press “{ $button }”. Then they go to { $host }.
form-restored = Welcome back. Your answers are as you left them.
form-start-over = Start over
form-start-over-sure = Clear all your answers and start over?
form-close = Close
form-offline = You seem to be offline, so nothing was sent. Your answers are still here. Leave this page open: you can send them when you are connected again.
form-online = You are connected again. Your answers are still here.
form-send-now = Send now
form-trap = Leave this empty
form-again = Please send it once more
form-again-text = That was faster than we expect of a person. Everything you typed is still here: look it over and send it again.
form-sent = You have sent this form already
form-sent-text = The answers below differ from the ones that were stored. Send them if you want to add them as a new entry.
form-busy = Your answers are not stored yet
form-busy-text = { $wait ->
    [one] They could not be taken just now. Everything you typed is still here: send it again in a second.
   *[other] They could not be taken just now. Everything you typed is still here: send it again in { $wait } seconds.
}
form-not-stored = This changed while you were filling it in, so your answers were not stored. They are still here for you to copy.
form-open = This form is open
form-open-text = It takes answers now.
form-closed = This form is closed
form-closed-text = It no longer takes answers. If you think that is a mistake, ask whoever sent you the link.
form-full = This form is full
form-full-text = It has all the answers that it takes. Ask whoever sent you the link whether more places will come.
form-not-open = This form is not open yet
form-not-open-text = You can read it already. Answers can be sent once it opens.
form-opens-at = It opens on { $when }.
form-closes-at = Open until { $when }.
form-moment = %-d %B %Y at %H:%M (%Z)
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
form-locked-text = Enter the password that came with your invitation.
form-password = Password
form-password-wrong = This password is wrong. Check it and try again.
form-open-it = Open the form

# After a submission.
done-title = Thank you
done-text = Your answers have been stored. You can close this page now.
done-serial = Your entry has the number { $serial }.
done-lead-on = Continue
done-again = Fill in the form again
done-edit = Change your answers
done-edit-text = Keep the address of this page if you may want to change them later.
own-title = You are changing your answers
own-text = Entry { $serial } stays as it is until you press “{ $button }”.
own-save = Save changes
own-done-title = Your changes are saved
own-done-text = Your answers have been changed. You can close this page now.
own-overtaken = These answers were changed meanwhile
own-overtaken-text = Somebody else changed them while you did. What you see is what you typed: save it to put it in their place, or load the page again to see theirs.
own-not-stored = It stopped taking changes meanwhile, so your answers are as they were. What you typed is still here for you to copy.
own-shut = Your answers are stored as they are, and can’t be changed now.
own-fixed = These answers can’t be changed any more
own-fixed-text = They are stored as they are. If something has to be put right, ask whoever sent you the form.
answered-title = You have answered already
answered-text = This form takes one answer from each person, and yours is stored.
alone-title = This form opens on a page of its own
alone-text = It takes one answer from each person, which can’t be told inside another page.
form-sign-in = Sign in
form-signed-out = Sign in to send your answers
form-signed-out-text = This form takes one answer from each account. Everything you typed is still here: sign in, then come back to this page and send it.
form-from-elsewhere = Please send it once more
form-from-elsewhere-text = You signed in since this page was loaded. Everything you typed is still here: send it again.

# What is wrong with an answer.
fault-blank = Please answer this question
fault-taken = Somebody has given this answer already
fault-too-long = Use { $a } characters at most
fault-too-short = Use { $a } characters at least
fault-computed = Your answers are too long for this form. Shorten some of them.
fault-format = This is not in the expected format
fault-text = Enter text
fault-email = Enter an e-mail address like name@example.com
fault-domain = Use an e-mail address at { $a }
fault-phone = Enter a telephone number of { $a }
fault-country = Choose one of the countries in the list
fault-number = Enter a number
fault-at-most = Enter { $a } or less
fault-at-least = Enter { $a } or more
fault-date = Enter a date as { $a }
fault-after = Choose { $a } or earlier
fault-before = Choose { $a } or later
fault-choice = Choose one of the answers shown
fault-many-choices = { $a ->
    [1] Choose one answer at most
   *[other] Choose { $a } answers at most
}
fault-few-choices = { $a ->
    [1] Choose at least one answer
   *[other] Choose at least { $a } answers
}

# Controls: choices.
choice-none = Choose one
rating-point = { $point } of { $points }
rank-hint = 1 stands for your first choice.
rank-up = Move { $choice } up
rank-down = Move { $choice } down
rank-add = Rank { $choice }
rank-remove = Take { $choice } out of the ranking
rank-now = { $choice } has rank { $rank } of { $ranks }
rank-none = { $choice } is not ranked
fault-url = Enter a web address like https://example.com
fault-time = Enter a time like 14:30
fault-whole = Enter a whole number
fault-from-to = Enter a number from { $a } to { $b }
fault-cascade = Choose from the list, down to the last level
fault-ranking = Give each answer a rank of its own
fault-rank-twice = Two answers have the same rank
fault-rank-gap = Rank from 1 on, without leaving a number out
fault-few-ranks = { $a ->
    [1] Rank at least one answer
   *[other] Rank at least { $a } answers
}
fault-many-ranks = { $a ->
    [1] Rank one answer at most
   *[other] Rank { $a } answers at most
}
# End of choices.

# Controls: grids.
grid-row = Row { $number }
grid-add = Add a row
grid-more = More rows
grid-remove = Remove
grid-added = { $row } added
grid-removed = { $row } removed
grid-point = { $label }: { $point } of { $points }
fault-many-rows = { $a ->
    [1] Fill in one row at most
   *[other] Fill in { $a } rows at most
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
fault-choose-country = Choose a country or region
fault-state = Choose a state or province of { $a }
fault-state-code = Choose a country, then its state or province
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
location-find = Use my position
location-seeking = Looking for your position…
location-found = Your position is filled in. Add what the place is called if you like.
location-denied = Your browser doesn’t share your position with this page. You can type it instead.
location-failed = Your position could not be found. Try again, or type it.
location-latitude = Latitude
location-longitude = Longitude
location-address = What the place is called
file-image = Pictures only.
file-video = Videos only.
file-audio = Sound files only.
file-document = Documents only: PDF, text, spreadsheets and presentations.
file-custom = Only of these kinds: { $types }.
file-room = { $count ->
    [one] One file of at most { $size } MB.
   *[other] Up to { $count } files of at most { $size } MB each.
}
file-remove = Take out { $name }
file-too-large = { $name } is larger than { $size } MB and was left out.
file-too-many = { $count ->
    [one] Only one file fits.
   *[other] Only { $count } files fit: the others were left out.
}
file-photo = Take a picture
audio-file = Sound file
audio-without = Record with an app of your device and choose the file here. At most { $time } long.
audio-with = You can choose a file instead of recording. At most { $time } long.
audio-record = Record
audio-stop = Stop
audio-again = Record again
audio-delete = Delete the recording
audio-player = Your recording
audio-recording = Recording…
audio-done = Recorded. Listen to it, or record again.
audio-deleted = The recording is deleted.
audio-denied = Your browser doesn’t let this page use the microphone. Allow it, or choose a sound file below.
audio-failed = Nothing could be recorded. Is a microphone connected? You can also choose a sound file below.
signature-way = How to sign
signature-draw = Draw
signature-type = Type
signature-pad = Area to sign in with a finger, pen or mouse. You can also type your name instead.
signature-preview = Your name as a signature
signature-undo = Undo
signature-clear = Clear
signature-signed = Signed
signature-cleared = The signature is cleared
signature-file = A picture of your signature
signature-typed = Or your name, typed as your signature
file-empty = { $name } is empty and was left out.
file-going = { $name } is being sent
file-there = { $name } has arrived.
file-refused = { $name } is not taken here: it is damaged, or another kind of file.
file-failed = { $name } could not be sent. Check your connection and try again.
file-again = Try again
file-with = { $name } will be sent with the form.
form-uploading = Your files are still on their way. The form is sent as soon as they have arrived.
form-unsent = A file has not arrived. Try it again, or take it out; then send the form.
done-files = Files that arrived:
file-kept = Files that are sent
file-kept-hint = Untick a file to leave it out.
fault-file-large = { $a } is larger than { $b } MB.
fault-file-empty = { $a } is empty.
fault-file-kind = { $a } is not a kind of file that is taken here.
fault-file-odd = { $a } is damaged, or another kind of file than its name says.
fault-file-pixels = { $a } has more than { $b } pixels a side.
fault-long-recording = The recording is longer than { $a } seconds.
fault-letters = This name has letters that can’t be written as a signature here. Choose a picture of your signature.
fault-not-uploaded = This file did not arrive. Choose it again.
fault-many-files = { $a ->
    [1] Choose one file at most
   *[other] Choose { $a } files at most
}
# End of places and files.

# Controls: shop.
fault-goods = Choose one of the goods shown
fault-option = Choose one of the options shown
fault-item = Choose one of the things shown
fault-day = Choose a day
fault-day-shut = Nothing can be booked on that day: choose another one
fault-slot = Choose one of the times of that day
fault-slot-end = Choose until when
fault-twice = You have booked this already: choose another time
fault-one = One place can be booked at a time
fault-many-bookings = { $a ->
    [1] Book one thing only
   *[other] Book { $a } things at most
}
shop-price = { $currency }{"\u00A0"}{ $amount }
shop-from = from { $price }
shop-before = Before:
shop-total = Total: { $price }
shop-number = Quantity
shop-variant = Order another variant
shop-choose = Choose
shop-less = Less
shop-more = More
shop-what = What
shop-day = Day
shop-time = Time
shop-choose-time = Choose a time
shop-places = Places
shop-booking = Book another time
shop-remove = Remove this booking
shop-nothing = Nothing can be booked on { $day }. Choose another day.
shop-weekday = { $day ->
    [1] Monday
    [2] Tuesday
    [3] Wednesday
    [4] Thursday
    [5] Friday
    [6] Saturday
   *[7] Sunday
}
# End of shop.

# Controls: linked.
linked-search = Search
linked-find = Search
linked-none = Nothing was found.
linked-count = Found: { $count }.
linked-more = There is more: type more to narrow it down.
linked-hint = Choose one from the list.
linked-longer = Type at least two characters.
linked-failed = The search did not work. Try again.
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
system-exam-score = Score
system-gen-code = Code
system-total-price = Total
system-preferential-price = Total after discount
system-reservation-status-fsf-field = Booking
system-x-field-certificate = Certificate
system-evaluation-report = Report
system-status-reserved = Reserved
system-status-cancelled = Cancelled
system-status-completed = Completed
# End of linked.

# Controls: rules and formulas.
form-more = There is more to answer
form-more-text = Your answers made further questions appear. Everything you typed is still here.
# End of rules and formulas.

# Pages of people with an account.
account-nav = Account
account-sign-out = Sign out
account-name = Your name
account-email = E-mail address
account-password = Password
account-password-notes = At least 10 characters. A few words in a row are easy to remember and hard to guess.
account-organization = Organization
account-organization-notes = Your company, school, club or family.
account-locale = Language
account-timezone = Time zone
account-timezone-notes = Dates and times in new forms are read in it.
account-faults = Some of what you typed needs another look
account-elsewhere = Open this service at its own address
account-elsewhere-text = Nobody can sign in at the address that you used. This service is to be found here:
account-elsewhere-owner = If you run it and this is the wrong address, start formsvc with --base-url and the right one.
account-fault-blank = Please fill this in
account-fault-email = Enter an e-mail address, such as ann@example.org
account-fault-taken = There is an account with this address already
account-fault-common = Many people use this password, so it is easy to guess. Choose another one.
account-fault-same-as-email = The password must not be your e-mail address
account-fault-wrong = This is not your password
account-fault-scopes = Choose at least one thing that the token may do
account-fault-locale = Choose one of the languages
account-fault-timezone = Choose one of the time zones, such as Europe/Berlin
account-fault-nul = Leave out the NUL characters
account-fault-short = Use { $least } characters at least
account-fault-long = Use { $most } characters at most

sign-in-title = Sign in
sign-in-button = Sign in
sign-in-nobody = Nobody has an account yet
sign-in-nobody-text = Open the link that formsvc printed when it started, or get a new one with “formsvc setup-link”.
sign-in-refused = That did not match
sign-in-refused-text = The e-mail address or the password is wrong.
sign-in-wait = Too many tries
sign-in-wait-seconds = { $wait ->
    [one] Wait a second, then try again.
   *[other] Wait { $wait } seconds, then try again.
}
sign-in-wait-minutes = { $wait ->
    [one] Wait a minute, then try again.
   *[other] Wait { $wait } minutes, then try again.
}
sign-in-code-title = One more step
sign-in-code = Code
sign-in-code-notes = From your authenticator app, or one of your recovery codes.
sign-in-code-wrong = That did not match
sign-in-code-wrong-text = The code is wrong, or it was used already. Wait for the next one.
sign-in-late = That took too long: sign in once more

setup-title = Welcome to formsvc
setup-lead = Make your account. It will be the first one, and the owner of this service.
setup-button = Make the account
setup-spent = This link no longer works
setup-spent-text = It was used, or it is older than 30 minutes. If you have an account, sign in. If nobody has one yet, get a new link where formsvc runs:
setup-token-name = First token

welcome-title = Your account is ready
welcome-lead = You are signed in. Here is how to get your first answers.
welcome-sample = Try a form
welcome-sample-text = One click makes a sample form. Fill it in as your visitors will.
welcome-token = Use the API
welcome-token-text = This is your first access token. It works for 90 days, and it is shown this once only: keep it somewhere safe.
welcome-curl = This command makes a form with it:
welcome-on = Go to your profile

sample-button = Make a sample form
sample-title = Garden party
sample-description = We would love to see you. Tell us when you can come and what you like to eat.
sample-name = Your name
sample-email = Your e-mail address
sample-email-notes = We write to you once, when the date is set.
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
profile-about = About you
profile-owner = owner
profile-member = member
profile-save = Save
profile-password = Change the password
profile-password-text = Everywhere else you are signed in, you will be signed out.
profile-password-old = Your password now
profile-password-new = New password
profile-tokens = Access tokens
profile-tokens-text = Programs use them to work with the API in your name.
profile-tokens-none = You have no tokens.
profile-token-new = Make a token
profile-token-name = Name
profile-token-name-notes = What it is for, so that you know it again.
profile-token-scopes = May do
profile-token-expires = Works until
profile-token-used = Last used
profile-token-unused = Not yet
profile-token-create = Make the token
profile-token-made = Your new token
profile-token-once = It is shown this once only: keep it somewhere safe.
profile-curl = This command asks whose it is and what it may do:
profile-expires-days = { $days } days from now
profile-expires-never = Until it is revoked
profile-revoke = Revoke
profile-done-profile = Saved
profile-done-password = Your password is changed
profile-done-revoked = The token is revoked
profile-sessions = Where you are signed in
profile-session-this = This browser
profile-session-begun = Signed in
profile-sessions-end = Sign out everywhere else
profile-done-sessions = You are signed out everywhere else
profile-done-second-factor = Signing in takes the password alone again

second-title = Second step when signing in
second-on = A code of your authenticator app is asked for after the password.
second-off = A code of an authenticator app, asked for after the password, keeps others out who know it.
second-change = Change it
second-set-up = Set it up
second-text = Scan this picture with an authenticator app on your phone. Then type the code that it shows.
second-picture = The address of the secret, to be scanned
second-type = If you can't scan it, type this into the app:
second-open = Open the app on this device
second-enable = Turn it on
second-codes = Your recovery codes
second-codes-once = They are shown this once only. Each of them signs you in once when your phone is lost: keep them somewhere safe.
second-is-on = { $left ->
    [one] It is on. { $left } recovery code is left.
   *[other] It is on. { $left } recovery codes are left.
}
second-renew = Make new recovery codes
second-disable = Turn it off

forms-title = Forms
forms-back = All forms
forms-search = Find a form by its name
forms-search-button = Find
forms-folders = Folders
forms-up = One level up
forms-folder-new = Make a folder
forms-folder-rename = Rename this folder
forms-folder-delete = Delete this folder
forms-folder-name = Name of the folder
forms-folder-fault = The folder stays as it was
forms-count = { $count ->
    [one] { $count } form
   *[other] { $count } forms
}
forms-entries = { $count ->
    [one] { $count } entry
   *[other] { $count } entries
}
forms-last-entry = Last entry
forms-unpublished = Not published
forms-own = Yours
forms-none = No form lies here yet.
forms-none-found = No form has this in its name.
forms-more = More forms
forms-share = Share
forms-move = Move
forms-move-to = Folder of
forms-no-folder = No folder

sharing-title = Sharing
sharing-people = Shared with
sharing-none = Nobody but you has this form.
sharing-add = Share with somebody
sharing-roles = Viewers read the form and its entries. Editors also change entries. Managers also change the form and share it.
sharing-email-notes = Of somebody in your organization.
sharing-nobody = Nobody else in your organization has this address
sharing-role = Role
sharing-viewer = Viewer
sharing-editor = Editor
sharing-manager = Manager
sharing-button = Share
sharing-remove = Remove
sharing-done-shared = Shared
sharing-done-removed = No longer shared

members-title = People
members-you = you
members-is-disabled = kept out
members-role = Role of
members-set-role = Set role
members-disable = Keep out
members-enable = Let in again
members-last-owner = Somebody must own the organization
members-last-owner-text = Make somebody else an owner first.
members-invite = Invite somebody
members-invite-text = The link works once, for 7 days. Whoever opens it makes an account in your organization.
members-invited-role = They will be
members-invite-button = Make a link
members-link-made = The link is ready
members-link-once = It is shown this once only: send it to the one whom you invite.
members-open = Links that were not used yet
members-done-role = The role is set
members-done-disabled = They can no longer sign in
members-done-enabled = They can sign in again
members-done-revoked = The link no longer works

audit-title = What was done
audit-text = Who did what in your organization, the latest first. Nobody can change it.
audit-more = Earlier
audit-via-session = on a page
audit-via-token = with an access token
audit-via-app = by an application
audit-app-created = Application registered
audit-app-deleted = Application deleted
audit-app-allowed = Application allowed
audit-app-ended = Application no longer allowed
audit-via-command-line = on the command line
audit-via-service = by the service itself
audit-form-created = Form made
audit-form-updated = Form changed
audit-form-deleted = Form deleted
audit-form-restored = Form restored
audit-form-purged = Form removed for good
audit-form-moved = Form moved to another folder
audit-form-settings-updated = Settings changed
audit-form-theme-updated = Theme changed
audit-form-field-rules-updated = Rules changed
audit-collaborator-put = Form shared
audit-collaborator-removed = Form no longer shared
audit-entries-exported = Entries exported
audit-entries-imported = Entries imported
audit-entries-purged = Deleted entries removed for good after 30 days
audit-entry-deleted = Entry deleted
audit-entry-restored = Entry restored
audit-entry-purged = Entry removed for good
audit-folder-created = Folder created
audit-folder-updated = Folder renamed
audit-folder-deleted = Folder deleted
audit-token-created = Access token made
audit-token-revoked = Access token revoked
audit-invitation-created = Invitation made
audit-invitation-revoked = Invitation taken back
audit-member-joined = Account made
audit-member-role-changed = Role changed
audit-member-disabled = Kept out
audit-member-enabled = Let in again
audit-member-deleted = Account deleted
audit-member-signed-in = Signed in
audit-member-sign-in-failed = Sign-in failed
audit-member-sign-in-throttled = Sign-in refused after too many attempts
audit-member-password-changed = Password changed
audit-member-second-factor-enabled = Second step set up
audit-member-second-factor-disabled = Second step turned off
audit-organization-plan-changed = Plan changed
audit-keys-rotated = Signing key rotated

invitation-title = You are invited
invitation-lead = Make your account to join.
invitation-button = Join
invitation-spent-text = It was used, taken back, or is older than 7 days. Ask for a new one. If you have an account, sign in.

profile-apps = Connected apps
profile-apps-text = Apps of others that you let use your account. What one may do ends at once when you disconnect it.
profile-apps-none = No app uses your account.
profile-apps-since = Since
profile-apps-disconnect = Disconnect
profile-done-disconnected = The app is disconnected

consent-title = Let { $app } use your account?
consent-as = You are signed in as
consent-may = It may then
consent-back = Whatever you decide, you are led back to
consent-public = Anybody can give an app this name: go on only if you have just opened it yourself.
consent-allow = Allow
consent-deny = Don’t allow
consent-switch = Use another account
consent-dead-end = This link does not work
consent-unknown-client = The app that you come from is not known here.
consent-unknown-address = The app that you come from wants you back at an address that it is not known for.
consent-dead-end-text = You are not led back, and nothing was handed out. Tell the people who make the app.

scope-form-read = Read forms and folders
scope-form-write = Create and change forms and folders
scope-form-delete = Delete forms and folders
scope-entry-read = Read entries
scope-entry-write = Create and change entries
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
