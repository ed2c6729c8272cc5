"""A real Chromium without a window, and what a person does with a page."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    JavascriptException,
    StaleElementReferenceException,
)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

if TYPE_CHECKING:
    from pathlib import Path

FLAGS = """
    --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage --disable-extensions --lang=en-US
""".split()
#: How long anything on the page may take, in seconds, on a busy machine.
PATIENCE = 120.0
#: No answer is on its way, whose end draws something else, and what is shown has not just changed.
HEEDS_KEYS = """
    document.querySelector('#detail')?.dataset.keys !== 'paused' && !document.querySelector('.actions[inert]')
""".strip()
#: Keys that are ignored while what is shown has just changed.
ANSWERS = frozenset({"a", "r", "u"})
#: Notes whether the page heeds the next key at the very moment when it comes.
NOTE_KEY = f"""
    window.keyWasHeeded = false;
    document.addEventListener("keydown", (event) => {{
      window.keyWasHeeded = event.target.matches("input, textarea, select") || Boolean({HEEDS_KEYS});
    }}, {{ once: true, capture: true }});
"""
#: The control that can be used now, or nothing. Those that answer or undo are ignored while the keys are.
CONTROL = f"""
    const control = document.querySelector(arguments[0]);
    const isHeeded = () => !control.matches(".actions *, .notice button, .undo-hunk") || Boolean({HEEDS_KEYS});
    if (!control || control.disabled || !isHeeded()) return null;
"""
HOLD = """
    const [method, pattern] = [arguments[0], new RegExp(arguments[1])];
    const real = window.fetch;
    const held = new Promise((go) => { window.release = go; });
    window.holds = 0;
    window.held = [];
    window.fetch = async (to, how) => {
      const answer = await real(to, how);
      if ((how?.method ?? "GET") === method && pattern.test(to)) {
        window.holds += 1;
        window.held.push(await answer.clone().text());
        await held;
      }
      return answer;
    };
"""


class Browser:
    """A browser, and what a person sees and does in it."""

    def __init__(self, profile: Path) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*FLAGS, f"--user-data-dir={profile}", "--window-size=1280,900"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        service = webdriver.ChromeService("/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        # Some scripts look at all of Unicode, which takes long on a busy machine.
        self.driver.set_script_timeout(240)

    def open(self, address: str) -> None:
        """Open an address in this tab, as a new visitor."""
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait("document.body.dataset.view || document.querySelector('.blank')")

    def reset(self) -> None:
        """Forget what the page has stored, and leave it."""
        self.run("try { localStorage.clear(); sessionStorage.clear(); } catch {}")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        self.driver.set_window_size(1280, 900)
        self.driver.get("about:blank")

    def resize(self, width: int, height: int, scale: float = 1.0) -> None:
        """Make the window so large, in pixels of the page, however narrow a real window may be."""
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)

    def errors(self) -> list[str]:
        """What the page has reported to the console.

        What the browser says by itself is left out: an answer that was refused on purpose, and a server that has ended.
        """
        by_browser = ("the server responded with a status of 4", "net::ERR_CONNECTION_REFUSED")
        log: list[dict[str, Any]] = self.driver.get_log("browser")
        messages = [str(one["message"]) for one in log]
        return [message for message in messages if not any(text in message for text in by_browser)]

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script."""
        return self.driver.execute_script(script, *arguments)

    def value(self, expression: str) -> Any:
        """The value of an expression."""
        return self.run(f"return ({expression});")

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true; its value."""
        return self.wait_for(f"return ({expression});")

    def wait_for(self, script: str, *arguments: Any) -> Any:
        """Run a script until its value is true; that value. What it looks at may not be there yet."""
        end = time.monotonic() + PATIENCE
        problem = ""
        while time.monotonic() < end:
            try:
                if value := self.run(script, *arguments):
                    return value
                problem = ""
                # The page can use the time until then, too.
                self.draw()
            except JavascriptException as error:
                problem = str(error.msg)
        message = f"{script} {arguments or ''} never became true {problem}; the page shows:\n{self.text('body')}"
        raise AssertionError(message)

    def hold(self, method: str, pattern: str) -> None:
        """Let answers of the server to calls whose address fits a pattern come only after `release`.

        `window.holds` counts them, `window.held` has their texts.
        """
        self.run(HOLD, method, pattern)

    def release(self) -> None:
        """Let what was held come, and the page deal with it."""
        self.run("window.release()")
        self.driver.execute_async_script("setTimeout(arguments[0])")
        self.draw()

    def draw(self) -> None:
        """Wait for two frames. Before that, what `content-visibility` leaves to the browser has no visible text."""
        script = "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()));"
        self.driver.execute_async_script(script)

    def text(self, selector: str) -> str:
        """The text that is visible in the first element."""
        self.draw()
        return str(self.value(f"document.querySelector({selector!r})?.innerText ?? ''"))

    def texts(self, selector: str) -> list[str]:
        """The text of each element."""
        self.draw()
        return list(self.value(f"[...document.querySelectorAll({selector!r})].map((one) => one.innerText)"))

    def wait_text(self, selector: str, text: str) -> None:
        """Wait until an element shows a text."""
        self.wait(f"(document.querySelector({selector!r})?.innerText ?? '').includes({text!r})")

    def scroll_to_end(self) -> None:
        """Scroll what is open to its end; rows that come into view may make it longer, so again until it stays."""
        script = "const pane = document.querySelector('#detail'); pane.scrollTop = pane.scrollHeight;"
        at_end = "return pane.scrollTop + pane.clientHeight >= pane.scrollHeight - 2;"
        while True:
            self.run(script)
            self.draw()
            if self.run(f"const pane = document.querySelector('#detail'); {at_end}"):
                return

    def use(self, selector: str) -> None:
        """Use a control once it is there and enabled, also on a screen that is not shown.

        One script finds and uses it: between two, the page may draw it anew.
        """
        self.wait_for(f"{CONTROL} control.click(); return true;", selector)

    def focus(self, selector: str) -> None:
        """Give an element the focus once it is there."""
        script = "const node = document.querySelector(arguments[0]); node?.focus(); return node !== null;"
        self.wait_for(script, selector)

    def click(self, selector: str) -> None:
        """Click a control with the mouse once it is there and enabled; again, if the page did not heed the click.

        At that very moment, the page may draw it anew or move it, or change what is shown.
        """
        look = (
            # Not below the bar at the bottom, where it could not be clicked.
            f"{CONTROL} control.scrollIntoView({{ block: 'center' }}); window.clickArrived = false;"
            "control.addEventListener('click', () => { window.clickArrived = isHeeded(); },"
            "{ once: true, capture: true });"
            "return control;"
        )
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                self.wait_for(look, selector).click()
            except (StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException):
                continue
            if self.value("window.clickArrived"):
                return
        message = f"{selector} could not be clicked; the page shows:\n{self.text('body')}"
        raise AssertionError(message)

    def fill(self, selector: str, text: str) -> None:
        """Type a text into a field once it is there, instead of what is in it."""
        self.wait_for(
            "const field = document.querySelector(arguments[0]); field.focus(); field.select();"
            "return document.activeElement === field;",
            selector,
        )
        self.press_at_once(BACKSPACE + text)

    def answer(self, key: str) -> None:
        """Answer what is open with `a` or `r`, once the page can be answered.

        One look at the page sees all of that: what was open before may still be there when its answer is on its way.
        """
        button = {"a": "#approve", "r": "#reject"}[key]
        self._press_heeded(key, f"document.querySelector({button!r})?.disabled === false && {HEEDS_KEYS}")

    def press(self, keys: str) -> None:
        """Press keys, one after the other, wherever the focus is, once the page heeds those that answer."""
        if keys in ANSWERS:
            self._press_heeded(keys, HEEDS_KEYS)
        else:
            self.wait(HEEDS_KEYS)
            self.press_at_once(keys)

    def _press_heeded(self, key: str, condition: str) -> None:
        """Press a key that answers, under a condition; again, if what is shown changed just before it came."""
        heeded = False
        while not heeded:
            self.wait_for(f"if (!({condition})) return false; {NOTE_KEY} return true;")
            self.press_at_once(key)
            heeded = self.value("window.keyWasHeeded")

    def press_at_once(self, keys: str) -> None:
        """Press keys without a look at the page, as somebody does who is typing."""
        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def press_with_control(self, key: str) -> None:
        """Press a key while Control is down, once the page heeds it."""
        self.wait(HEEDS_KEYS)
        ActionChains(self.driver, duration=0).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def select(self, text: str) -> None:
        """Open the request in the list that shows a text."""
        self.wait_for(
            "const links = [...document.querySelectorAll('#requests a')];"
            "const link = links.find((one) => one.innerText.includes(arguments[0]));"
            "link?.click();"
            "return link !== undefined;",
            text,
        )
        self.wait(f"document.querySelector('#detail h2')?.innerText.includes({text!r})")


#: What `hold` waits for when one request or commit is asked for, and not what belongs to it, such as its colors.
ONE_REQUEST, ONE_COMMIT = "api/requests/[^/]+$", "api/commits/[^/]+$"
ESCAPE, ENTER, BACKSPACE = Keys.ESCAPE, Keys.ENTER, Keys.BACKSPACE
