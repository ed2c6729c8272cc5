"""Call shapes of agents that build applications."""

from __future__ import annotations

from .call_shape import NO_MODEL, NO_UNDO, CallShape

BUILDER_SHAPES: tuple[CallShape, ...] = (
    CallShape(
        "Lovable",
        ("lov-line-replace", "line_replace"),
        "lines",
        {
            "path": "file_path",
            "old": "search",
            "line": "first_replaced_line",
            "last": "last_replaced_line",
            "content": "replace",
        },
        "docs.lovable.dev agent tools",
    ),
    CallShape(
        "Lovable", ("lov-write",), "write", {"path": "file_path", "content": "content"}, "docs.lovable.dev agent tools"
    ),
    CallShape(
        "Lovable",
        ("lov-write",),
        "write",
        {"path": "file_path", "content": "#text"},
        "docs.lovable.dev, earlier versions",
    ),
    CallShape("Lovable", ("lov-delete",), "delete", {"path": "file_path"}, "docs.lovable.dev agent tools"),
    CallShape(
        "Lovable",
        ("lov-rename",),
        "move",
        {"path": "original_file_path", "target": "new_file_path"},
        "docs.lovable.dev agent tools",
    ),
    CallShape(
        "Manus",
        ("file_write",),
        "append",
        {"path": "file", "content": "content"},
        "manus.im agent tools",
        when={"append": "true"},
    ),
    CallShape("Manus", ("file_write",), "write", {"path": "file", "content": "content"}, "manus.im agent tools"),
    CallShape(
        "Manus",
        ("file_str_replace",),
        "replace",
        {"path": "file", "old": "old_str", "new": "new_str"},
        "manus.im agent tools",
    ),
    CallShape(
        "Same",
        ("string_replace",),
        "replace",
        {"path": "relative_file_path", "old": "old_string", "new": "new_string", "every": "replace_all"},
        "same.new agent tools",
    ),
    CallShape(
        "Devin",
        ("str_replace",),
        "replace",
        {"path": "path", "old": "old_str", "new": "new_str", "every": "many"},
        "devin.ai agent commands",
    ),
    CallShape(
        "Devin",
        ("remove_str",),
        "replace",
        {"path": "path", "old": "#text", "every": "many"},
        "devin.ai agent commands",
    ),
    CallShape(
        "Devin",
        ("insert",),
        "insert",
        {"path": "path", "line": "insert_line", "content": "#text"},
        "devin.ai agent commands",
        offset=-1,
    ),
    CallShape("Devin", ("create_file",), "write", {"path": "path", "content": "#text"}, "devin.ai agent commands"),
    CallShape("Devin", ("undo_edit",), "refuse", {}, "devin.ai agent commands", **NO_UNDO),
    CallShape("Devin", ("find_and_edit",), "refuse", {}, "devin.ai agent commands", **NO_MODEL),
    CallShape("Dyad", ("dyad-write",), "write", {"path": "path", "content": "#text"}, "dyad-sh/dyad system prompt"),
    CallShape("Dyad", ("dyad-delete",), "delete", {"path": "path"}, "dyad-sh/dyad system prompt"),
    CallShape("Dyad", ("dyad-rename",), "move", {"path": "from", "target": "to"}, "dyad-sh/dyad system prompt"),
    CallShape(
        "Dyad", ("dyad-search-replace",), "diff", {"path": "path", "diff": "#text"}, "dyad-sh/dyad system prompt"
    ),
    CallShape(
        "Bolt",
        ("boltAction",),
        "write",
        {"path": "filePath", "content": "#text"},
        "stackblitz/bolt.new prompts",
        when={"type": "file"},
    ),
    *[
        CallShape("Bolt", ("boltAction",), "other", {}, "stackblitz/bolt.new prompts", when={"type": kind})
        for kind in ("shell", "start", "build")
    ],
    CallShape(
        "Replit",
        ("proposed_file_replace_substring",),
        "replace",
        {"path": "file_path", "old": "old_str", "new": "new_str"},
        "docs.replit.com assistant actions",
    ),
    CallShape(
        "Replit",
        ("proposed_file_replace", "proposed_file_insert"),
        "write",
        {"path": "file_path", "content": "content"},
        "docs.replit.com assistant actions",
    ),
    CallShape(
        "Same", ("edit_file",), "sketch", {"path": "target_filepath", "content": "code_edit"}, "same.new agent tools"
    ),
    CallShape("Dyad", ("dyad-edit",), "sketch", {"path": "path", "content": "#text"}, "dyad-sh/dyad system prompt"),
)
