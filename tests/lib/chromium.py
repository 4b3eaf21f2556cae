"""A headless Chromium driven through a pipe by its DevTools protocol."""
import base64
import json
import os
import select
import shutil
import subprocess

from built import PATIENCE, WITHOUT_PRELOAD

PROGRAM = shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page.  REQUESTS: the addresses that it asked for; ERRORS: what its scripts threw or logged as an error."""

    def __init__(self, folder):
        to_read, to_write = os.pipe(), os.pipe()
        os.set_inheritable(to_read[0], True)
        os.set_inheritable(to_write[1], True)
        # Chromium reads commands from descriptor 3 and writes answers to 4.
        command = 'exec 3<&%d 4>&%d; exec "$0" "$@"' % (to_read[0], to_write[1])
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--hide-scrollbars", "--force-prefers-reduced-motion",
                     "--disable-background-networking", "--no-first-run", "--user-data-dir=" + os.path.join(folder, "profile"), "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", command, *WITHOUT_PRELOAD, PROGRAM, *arguments], pass_fds=(to_read[0], to_write[1]), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read[0])
        os.close(to_write[1])
        self.out, self.into = os.fdopen(to_read[1], "wb"), os.fdopen(to_write[0], "rb")
        self.number, self.session, self.left, self.requests, self.errors, self.loaded = 0, None, b"", [], [], set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.out.close()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.into.close()

    def receive(self):
        while b"\0" not in self.left:
            if not select.select([self.into], [], [], PATIENCE)[0]:
                raise RuntimeError("Chromium does not answer")
            more = os.read(self.into.fileno(), 1 << 20)
            if not more:
                raise RuntimeError("Chromium has ended")
            self.left += more
        message, self.left = self.left.split(b"\0", 1)
        message = json.loads(message)
        method, given = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(given["exceptionDetails"].get("exception", {}).get("description") or given["exceptionDetails"]["text"])
        elif method == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"])
        elif method == "Page.lifecycleEvent" and given["name"] == "load":
            self.loaded.add(given["loaderId"])
        return message

    def call(self, method, **given):
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def size(self, width, height, mobile=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)

    def open(self, address):
        """Loads ADDRESS from a blank page, even if only its fragment differs from the present one."""
        for each in ("about:blank", address):
            loader = self.call("Page.navigate", url=each)["loaderId"]
            while loader not in self.loaded:
                self.receive()

    def follow(self, act):
        """Calls ACT, which navigates to another page, and waits until that has loaded."""
        before = len(self.loaded)
        act()
        while len(self.loaded) == before:
            self.receive()

    def run(self, script):
        """The value of the expression, or of the promise that it evaluates to."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "exception") + "\nin " + script)
        return answer["result"].get("value")

    def wait(self, script):
        """Waits until the expression is true, and returns its value; the page must stay."""
        return self.run("new Promise(resolve => { const look = () => { const value = (%s); if (value) resolve(value); else setTimeout(look, 20); }; look(); })" % script)

    def key(self, key, code=0, modifiers=0, text=None):
        given = {"key": key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.call("Input.dispatchKeyEvent", type="keyDown", **given, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def picture(self, path, whole=False):
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
