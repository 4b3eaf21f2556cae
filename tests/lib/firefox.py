"""A headless Firefox driven by its Marionette protocol: messages of JSON after their length."""
import collections
import json
import os
import re
import shutil
import socket
import subprocess
import threading

from built import PATIENCE, WITHOUT_PRELOAD

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")


class Browser:
    """One page, with the methods of chromium.Browser that read it."""

    def __init__(self, folder):
        profile = os.path.join(folder, "profile")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w") as f:
            f.write('user_pref("marionette.port", 0);\nuser_pref("remote.log.level", "Info");\nuser_pref("app.update.enabled", false);\n')
        self.process = subprocess.Popen([*WITHOUT_PRELOAD, PROGRAM, "--headless", "--marionette", "--no-remote", "--profile", profile], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        env=dict(os.environ, HOME=folder))
        port = next((re.search(r"Marionette\s+INFO\s+Listening on port (\d+)", line) for line in self.process.stdout if "Listening on port" in line), None)
        if not port:
            raise RuntimeError("Firefox has ended")
        threading.Thread(target=collections.deque, args=(self.process.stdout, 0), daemon=True).start()  # a full pipe would stop Firefox
        self.socket = socket.create_connection(("127.0.0.1", int(port.group(1))), PATIENCE)
        self.stream, self.number = self.socket.makefile("rwb"), 0
        self.receive()  # the greeting
        self.call("WebDriver:NewSession", strictFileInteractability=True)
        self.call("WebDriver:SetTimeouts", script=PATIENCE * 1000, pageLoad=PATIENCE * 1000)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.stream.close()
        self.socket.close()

    def receive(self):
        length = b""
        while not length.endswith(b":"):
            more = self.stream.read(1)
            if not more:
                raise RuntimeError("Firefox has ended")
            length += more
        return json.loads(self.stream.read(int(length[:-1])))

    def call(self, method, **given):
        self.number += 1
        message = json.dumps([0, self.number, method, given]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, number, error, result = self.receive()
        if error or number != self.number:
            raise RuntimeError("%s: %s" % (method, error))
        return result

    def open(self, address):
        """Loads ADDRESS from a blank page, even if only its fragment differs from the present one."""
        for each in ("about:blank", address):
            self.call("WebDriver:Navigate", url=each)

    def run(self, script):
        """The value of the expression, or of the promise that it evaluates to."""
        both = "const done = arguments[0]; Promise.resolve().then(() => (%s)).then(value => done({ value }), error => done({ error: String(error) }));" % script
        answer = self.call("WebDriver:ExecuteAsyncScript", script=both, args=[])["value"]
        if "error" in answer:
            raise RuntimeError(answer["error"] + "\nin " + script)
        return answer.get("value")

    def wait(self, script):
        """Waits until the expression is true, and returns its value."""
        return self.run("new Promise(resolve => { const look = () => { const value = (%s); if (value) resolve(value); else setTimeout(look, 20); }; look(); })" % script)
