"""Verifies a delivery with the published library of Standard Webhooks: a JSON object on stdin, a word on stdout. It goes
by the clock of the file that CLOCK_AHEAD names, as the program does."""

import json
import os
import pathlib
import sys
from datetime import datetime, timedelta

from standardwebhooks import webhooks

ahead = pathlib.Path(os.environ.get("CLOCK_AHEAD", "/dev/null"))
seconds = float(ahead.read_text() or 0) if ahead.exists() else 0


class Clock(datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.now(tz) + timedelta(seconds=seconds)


webhooks.datetime = Clock
given = json.load(sys.stdin)
try:
    webhooks.Webhook(given["secret"]).verify(given["body"].encode(), given["headers"])
    print("verified")
except webhooks.WebhookVerificationError as fault:
    print(fault)
