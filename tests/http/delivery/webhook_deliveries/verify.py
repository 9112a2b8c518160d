"""Verifies a delivery with the published library of Standard Webhooks: a JSON object on stdin, a word on stdout."""

import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

given = json.load(sys.stdin)
try:
    Webhook(given["secret"]).verify(given["body"].encode(), given["headers"])
    print("verified")
except WebhookVerificationError as fault:
    print(fault)
