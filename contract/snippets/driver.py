# Asks the page's snippet: KIND SECRET BODY_FILE NAME=VALUE…
import pathlib
import sys

import snippet

kind, secret, body, *named = sys.argv[1:]
headers = dict(one.split("=", 1) for one in named)
judge = {"standard": snippet.is_genuine, "t49": snippet.is_genuine_t49}[kind]
print("accepted" if judge(secret, headers, pathlib.Path(body).read_bytes()) else "refused")
