choice-other = Other

# Every page.
page-skip = Skip to the content
page-footer = Powered by formsvc

# Errors.
error-form = This form can’t be found
error-form-text = The address may be mistyped, or the form was taken down by its owner.
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

choice-text = { $choice }: please specify
phone-country = Country
phone-choose-country = Choose a country
