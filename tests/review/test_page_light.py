"""The page stays light: long diffs in a window, lists by difference, few bytes, and memory that does not grow."""

from __future__ import annotations

import gzip
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.review.review_site import patch, write
from tests.shared.permission_requests import edit_request

import suture

if TYPE_CHECKING:
    from tests.review.chromium import Browser
    from tests.review.review_site import ReviewSite

STATIC = Path(suture.__file__).parent / "review" / "static"
NODES = "document.querySelectorAll('*').length"
IS_ENABLED = "document.querySelector('#approve')?.disabled === false"
#: The most elements of a page that shows 5,000 lines, and the most bytes of the page as it is sent.
MOST_NODES = 6000
MOST_BYTES = 60_000
#: What is fetched only when somebody asks for what it does.
ON_DEMAND = {"markdown.js"}


def ask_many(site: ReviewSite, count: int) -> None:
    """Open requests without agents."""
    base = edit_request()
    for number in range(count):
        file = base.files[0].replace(path=f"src/file{number}.py", resolved="")
        site.ask(base.replace(id=f"r{number:04}", files=(file,), time=time.time() - count + number, actor="agent"))


def test_every_row_of_a_long_change_is_drawn_when_it_is_scrolled_to(site: ReviewSite, browser: Browser) -> None:
    site.agent(write("long.txt", "".join([f"row {n};\n" for n in range(1, 5001)])))
    browser.open(site.address)
    browser.click("#reveal")
    browser.wait(IS_ENABLED)
    # From the top to the end, a screen at a time, as somebody reads.
    script = """
        const done = arguments[0];
        const pane = document.querySelector("#detail");
        const seen = new Set();
        let most = 0;
        const frame = () => new Promise((go) => requestAnimationFrame(() => setTimeout(go)));
        (async () => {
          for (let at = 0; at <= pane.scrollHeight; at += pane.clientHeight / 2) {
            pane.scrollTop = at;
            await frame();
            await frame();
            most = Math.max(most, document.querySelectorAll("*").length);
            const box = pane.getBoundingClientRect();
            for (const cell of document.querySelectorAll("td.code")) {
              const { top, bottom } = cell.getBoundingClientRect();
              if (bottom > box.top && top < box.bottom) seen.add(cell.textContent);
            }
          }
          done([seen.size, most]);
        })();
    """
    browser.driver.set_script_timeout(240)
    seen, most = browser.driver.execute_async_script(script)
    assert seen == 5000
    assert most <= MOST_NODES


def test_no_answer_waits_for_the_colors_of_many_files(site: ReviewSite, browser: Browser) -> None:
    """A browser has six connections to a server. Colors take one of them at a time, here for good."""
    browser.open(site.address)
    browser.run(
        "const real = window.fetch;"
        "window.asked = 0;"
        "window.fetch = (to, how) => {"
        "  if (!to.includes('/colors')) return real(to, how);"
        "  window.asked += 1;"
        "  return new Promise(() => {});"
        "};"
    )
    lines = [line for number in range(12) for line in (f"*** Add File: f{number}.py", f"+x = {number}")]
    agent = site.agent(patch(*lines))
    browser.wait("document.querySelectorAll('.diff tr').length === 12 && window.asked === 1")
    browser.answer("a")
    assert agent.result()["ok"]
    browser.wait_text("#detail", "No agent is waiting")
    assert browser.value("window.asked") == 1


def test_the_first_diff_of_five_hundred_requests_comes_soon_after_an_empty_page(
    site: ReviewSite, browser: Browser
) -> None:
    script = """
        const [selector, done] = arguments;
        const look = () => (document.querySelector(selector) ? done(performance.now()) : setTimeout(look, 5));
        look();
    """

    def moment(selector: str) -> float:
        """When an element appeared, in milliseconds after the page was asked for."""
        times = []
        for _ in range(3):
            browser.open(site.address)
            times.append(float(browser.driver.execute_async_script(script, selector)))
        return min(times)

    empty = moment(".blank")
    ask_many(site, 500)
    full = moment(".diff tr")
    # An empty page takes 0.2 s on a quiet machine, so this is below a second.
    assert full < 5 * empty + 500, (empty, full)


def test_the_list_is_fetched_by_difference(site: ReviewSite) -> None:
    ask_many(site, 200)
    whole = site.get("/api/requests")
    assert (whole["is_whole"], len(whole["requests"])) == (True, 200)
    first = whole["requests"][0]
    answer = {"kind": "reject", "fingerprint": first["fingerprint"]}
    assert site.post(f"/api/requests/{first['id']}/answer", answer)[0] == 200
    _, _, data = site.call("GET", f"/api/requests?mark={whole['mark']}")
    assert len(data) < 300
    later = site.get(f"/api/requests?mark={whole['mark']}")
    assert (later["is_whole"], later["requests"], later["gone"]) == (False, [], [first["id"]])
    assert later["total"] == 199
    for unknown in ("", "x", "0-1", f"{whole['mark']}9", whole["mark"].partition("-")[0] + "-x"):
        assert site.get(f"/api/requests?mark={unknown}")["is_whole"]


def test_the_page_is_small_and_sent_compressed(site: ReviewSite) -> None:
    total = 0
    for file in STATIC.iterdir():
        if file.name not in ON_DEMAND:
            total += len(gzip.compress(file.read_bytes(), mtime=0))
        status, headers, data = site.call("GET", f"/{file.name}", headers={"Accept-Encoding": "gzip"})
        assert status == 200
        if file.stat().st_size >= 500:
            assert headers["content-encoding"] == "gzip"
            assert gzip.decompress(data) == file.read_bytes()
    assert total <= MOST_BYTES
    assert "content-encoding" not in site.call("GET", "/api/requests", headers={"Accept-Encoding": "gzip"})[1]


def test_no_module_is_missing_and_none_is_left_over() -> None:
    text = "".join([file.read_text("utf-8") for file in STATIC.glob("*.js")])
    used, on_demand = (set(re.findall(rf'{word}"\./(\w+\.js)"', text)) for word in ("from ", r"await import\("))
    assert on_demand - used == ON_DEMAND
    assert used | on_demand | {"app.js"} == {file.name for file in STATIC.glob("*.js")}


def test_a_thousand_answers_leave_nothing_behind(site: ReviewSite, browser: Browser) -> None:
    """Each answer draws a request, and forgets the one before."""
    ask_many(site, 3)
    browser.open(site.address)
    browser.wait("document.querySelector('.diff')")
    script = """
        const done = arguments[0];
        const real = window.fetch;
        const row = JSON.parse(JSON.stringify(await (await real("api/requests",
          { headers: { Authorization: `Bearer ${sessionStorage.getItem("suture-token")}` } })).json())).requests[0];
        const one = await (await real(`api/requests/${row.id}`,
          { headers: { Authorization: `Bearer ${sessionStorage.getItem("suture-token")}` } })).json();
        let number = 0;
        window.answered = 0;
        // A browser objects to so many addresses in so short a time.
        history.replaceState = () => {};
        const now = () => ({ ...row, id: `x${number}` });
        window.fetch = (to, how) => {
          if (how?.method === "POST") { number += 1; window.answered += 1; return Promise.resolve(Response.json({})); }
          const id = /api\\/requests\\/(x\\d+)$/.exec(to)?.[1];
          if (id) return Promise.resolve(Response.json({ ...one, id }));
          if (/colors/.test(to)) return Promise.resolve(Response.json({ first: 1, lines: [[0, 1, "k"]] }));
          if (/api\\/requests(\\?|$)/.test(to)) {
            return Promise.resolve(Response.json({ requests: [now()], gone: [], is_whole: true, mark: "m", total: 1 }));
          }
          return real(to, how);
        };
        done();
    """
    browser.driver.execute_async_script(f"(async (...arguments) => {{ {script} }})(...arguments)")
    answer = """
        const [count, done] = arguments;
        const frame = () => new Promise((go) => setTimeout(go));
        (async () => {
          const { RequestsView } = await import("./requests.js");
          const [list, detail] = [document.querySelector("#list"), document.querySelector("#detail")];
          window.view ??= new RequestsView(list, detail);
          for (let at = 0; at < count; at += 1) {
            await window.view.refresh();
            if (!window.view.inbox) await window.view.show("");
            await window.view.selectFirst();
            await window.view.open.answer("approve");
            await frame();
          }
          done();
        })();
    """
    sizes = []
    for count in (100, 450, 450):
        # No call of the driver may take two minutes, however busy the machine is.
        for _ in range(count // 25):
            browser.driver.execute_async_script(answer, 25)
        browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
        heap = browser.driver.execute_cdp_cmd("Runtime.getHeapUsage", {})["usedSize"]
        sizes.append((int(heap), int(browser.value(NODES)), int(browser.value("sessionStorage.length"))))
    assert browser.value("window.answered") == 1000
    (first, nodes, kept), _, (last, more_nodes, still_kept) = sizes
    assert last < first * 1.3 + 500_000, sizes
    assert (more_nodes, still_kept) == (nodes, kept)
