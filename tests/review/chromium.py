"""A real Chromium without a window, and what a person does with a page."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

if TYPE_CHECKING:
    from pathlib import Path

    from selenium.webdriver.remote.webelement import WebElement

FLAGS = """
    --headless=new --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync --disable-dev-shm-usage --disable-extensions --lang=en-US
""".split()
PATIENCE = 60.0


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

    def open(self, address: str) -> None:
        """Open an address in this tab, as a new visitor."""
        self.driver.get("about:blank")
        self.driver.get(address)
        self.wait("document.body.dataset.view || document.querySelector('.blank')")

    def reset(self) -> None:
        """Forget what the page has stored, and leave it."""
        self.run("try { localStorage.clear(); sessionStorage.clear(); } catch {}")
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.driver.set_window_size(1280, 900)
        self.driver.get("about:blank")

    def errors(self) -> list[str]:
        """What the page has reported to the console, without answers that are refused on purpose."""
        log: list[dict[str, Any]] = self.driver.get_log("browser")
        return [one["message"] for one in log if "the server responded with a status of 4" not in one["message"]]

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script."""
        return self.driver.execute_script(script, *arguments)

    def value(self, expression: str) -> Any:
        """The value of an expression."""
        return self.run(f"return ({expression});")

    def wait(self, expression: str) -> Any:
        """Wait until an expression is true; its value."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if found := self.value(expression):
                return found
        message = f"{expression} never became true; the page shows:\n{self.text('body')}"
        raise AssertionError(message)

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

    def find(self, selector: str) -> WebElement:
        """The element."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector: str) -> None:
        """Click an element; again, if the page has drawn it anew at that moment."""
        while True:
            self.wait(f"document.querySelector({selector!r}) && !document.querySelector({selector!r}).disabled")
            with suppress(StaleElementReferenceException):
                self.find(selector).click()
                return

    def press(self, keys: str) -> None:
        """Press keys, one after the other, wherever the focus is, once the page heeds those that answer."""
        self.wait("document.querySelector('#detail')?.dataset.keys !== 'paused'")
        self.press_at_once(keys)

    def press_at_once(self, keys: str) -> None:
        """Press keys without a look at the page, as somebody does who is typing."""
        ActionChains(self.driver, duration=0).send_keys(keys).perform()

    def press_with_control(self, key: str) -> None:
        """Press a key while Control is down, once the page heeds it."""
        self.wait("document.querySelector('#detail')?.dataset.keys !== 'paused'")
        ActionChains(self.driver, duration=0).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()

    def select(self, text: str) -> None:
        """Open the request in the list that shows a text."""
        self.wait(f"[...document.querySelectorAll('#requests a')].some((one) => one.innerText.includes({text!r}))")
        self.run(
            "[...document.querySelectorAll('#requests a')].find((one) => one.innerText.includes(arguments[0])).click()",
            text,
        )
        self.wait(f"document.querySelector('#detail h2')?.innerText.includes({text!r})")


ESCAPE, ENTER, BACKSPACE = Keys.ESCAPE, Keys.ENTER, Keys.BACKSPACE
