"""Call shapes of more editors and extensions, and of tools that take a sketch."""

from __future__ import annotations

from .call_shape import NO_SERVER, CallShape

EXTENSION_SHAPES: tuple[CallShape, ...] = (
    CallShape(
        "Void",
        ("edit_file",),
        "diff",
        {"path": "uri", "diff": "search_replace_blocks"},
        "voideditor/void browser/toolsService",
    ),
    CallShape(
        "Void",
        ("rewrite_file",),
        "write",
        {"path": "uri", "content": "new_content"},
        "voideditor/void browser/toolsService",
    ),
    CallShape("Void", ("create_file_or_folder",), "write", {"path": "uri"}, "voideditor/void browser/toolsService"),
    CallShape("Void", ("delete_file_or_folder",), "delete", {"path": "uri"}, "voideditor/void browser/toolsService"),
    CallShape(
        "Augment",
        ("str-replace-editor",),
        "replace",
        {
            "path": "path",
            "edits": "str_replace_entries",
            "old": "old_str",
            "new": "new_str",
            "line": "old_str_start_line_number",
            "last": "old_str_end_line_number",
        },
        "augmentcode.com agent tools",
    ),
    CallShape(
        "Augment",
        ("str-replace-editor",),
        "replace",
        {
            "path": "path",
            "old": "old_str_1",
            "new": "new_str_1",
            "line": "old_str_start_line_number_1",
            "last": "old_str_end_line_number_1",
        },
        "augmentcode.com agent tools, flat schema",
    ),
    CallShape(
        "Augment",
        ("str-replace-editor",),
        "insert",
        {"path": "path", "edits": "insert_line_entries", "line": "insert_line", "content": "new_str"},
        "augmentcode.com agent tools",
    ),
    CallShape(
        "Augment",
        ("str-replace-editor",),
        "insert",
        {"path": "path", "line": "insert_line_1", "content": "new_str_1"},
        "augmentcode.com agent tools, flat schema",
    ),
    CallShape(
        "Augment",
        ("save-file",),
        "write",
        {"path": "path", "content": "file_content"},
        "augmentcode.com agent tools",
        ends_file="add_last_line_newline",
    ),
    CallShape(
        "Augment", ("remove-files",), "delete", {"path": "file_paths"}, "augmentcode.com agent tools", lists="path"
    ),
    CallShape("Kiro", ("fsWrite",), "write", {"path": "path", "content": "text"}, "kiro.dev agent tools"),
    CallShape("Kiro", ("fsAppend",), "append", {"path": "path", "content": "text"}, "kiro.dev agent tools"),
    CallShape(
        "Kiro", ("strReplace",), "replace", {"path": "path", "old": "oldStr", "new": "newStr"}, "kiro.dev agent tools"
    ),
    CallShape("Kiro", ("deleteFile",), "delete", {"path": "targetFile"}, "kiro.dev agent tools"),
    CallShape(
        "Kiro", ("smartRelocate", "semanticRename", "editCode"), "refuse", {}, "kiro.dev agent tools", **NO_SERVER
    ),
    CallShape(
        "Amazon Q",
        ("fs_write", "fsWrite"),
        "append",
        {"path": "path", "content": "new_str"},
        "aws/amazon-q-developer-cli fs_write",
        when={"command": "append"},
    ),
    CallShape(
        "Amazon Q",
        ("fsReplace",),
        "replace",
        {"path": "path", "edits": "diffs", "old": "oldStr", "new": "newStr"},
        "aws/language-servers fsReplace",
    ),
    CallShape(
        "Trae",
        ("edit_file_update", "update_file"),
        "replace",
        {"path": "file_path", "edits": "replace_blocks", "old": "old_str", "new": "new_str"},
        "trae.ai builder tools",
    ),
    CallShape(
        "Trae", ("write_to_file",), "write", {"path": "file_path", "content": "content"}, "trae.ai builder tools"
    ),
    CallShape(
        "Qoder",
        ("search_replace",),
        "replace",
        {
            "path": "file_path",
            "edits": "replacements",
            "old": "original_text",
            "new": "new_text",
            "every": "replace_all",
        },
        "qoder.com agent tools",
    ),
    CallShape(
        "Qoder", ("create_file",), "write", {"path": "file_path", "content": "file_content"}, "qoder.com agent tools"
    ),
    CallShape(
        "Warp",
        ("edit_files",),
        "replace",
        {"edits": "diffs", "path": "file_path", "old": "search", "new": "replace"},
        "docs.warp.dev agent tools",
    ),
    CallShape(
        "Xcode",
        ("XcodeUpdate",),
        "replace",
        {"path": "filePath", "old": "oldString", "new": "newString", "every": "replaceAll"},
        "developer.apple.com Xcode MCP tools",
    ),
    CallShape(
        "Xcode",
        ("XcodeWrite",),
        "write",
        {"path": "filePath", "content": "content"},
        "developer.apple.com Xcode MCP tools",
    ),
    CallShape(
        "Avante",
        ("replace_in_file",),
        "diff",
        {"path": "path", "diff": "the_diff"},
        "yetone/avante.nvim llm_tools",
    ),
    CallShape(
        "Avante",
        ("write_to_file",),
        "write",
        {"path": "path", "content": "the_content"},
        "yetone/avante.nvim llm_tools",
    ),
    CallShape(
        "CodeCompanion",
        ("insert_edit_into_file",),
        "replace",
        {"path": "filepath", "edits": "edits", "old": "oldText", "new": "newText", "every": "replaceAll"},
        "olimorris/codecompanion.nvim tools",
    ),
    CallShape(
        "GitLab Duo",
        ("create_file_with_contents",),
        "write",
        {"path": "file_path", "content": "contents"},
        "docs.gitlab.com Duo agent platform",
    ),
    CallShape(
        "GitLab Duo",
        ("edit_file",),
        "replace",
        {"path": "file_path", "old": "old_str", "new": "new_str"},
        "docs.gitlab.com Duo agent platform",
    ),
    CallShape(
        "Cursor", ("edit_file",), "sketch", {"path": "target_file", "content": "code_edit"}, "cursor.com agent tools"
    ),
    CallShape(
        "Cursor",
        ("edit_file",),
        "sketch",
        {"path": "relative_workspace_path", "content": "code_edit"},
        "cursor.com agent tools, older versions",
    ),
    CallShape(
        "Windsurf",
        (
            "edit_file",
            "propose_code",
        ),
        "sketch",
        {"path": "TargetFile", "content": "CodeEdit"},
        "windsurf.com Cascade tools",
    ),
    CallShape(
        "Windsurf",
        ("edit_notebook",),
        "cell",
        {"path": "absolute_path", "cell": "cell_number", "content": "new_source", "kind": "cell_type"},
        "windsurf.com Cascade tools",
        when={"edit_mode": "insert", "cell_number": int},
        cell="insert_at",
    ),
    CallShape(
        "Windsurf",
        ("edit_notebook",),
        "cell",
        {"path": "absolute_path", "cell": "cell_number", "content": "new_source", "kind": "cell_type"},
        "windsurf.com Cascade tools",
        when={"cell_number": int},
        cell="replace",
    ),
    CallShape(
        "Continue",
        ("search_and_replace_in_file",),
        "diff",
        {"path": "filepath", "diff": "diffs"},
        "continuedev/continue core/tools, older versions",
    ),
    CallShape(
        "VS Code",
        ("insert_edit_into_file",),
        "sketch",
        {"path": "filePath", "content": "code"},
        "microsoft/vscode-copilot-chat package.json",
    ),
    CallShape(
        "Continue",
        ("edit_existing_file",),
        "sketch",
        {"path": "filepath", "content": "changes"},
        "continuedev/continue core/tools",
    ),
    CallShape(
        "Kilo Code",
        ("edit_file",),
        "sketch",
        {"path": "target_file", "content": "code_edit"},
        "Kilo-Org/kilocode fast edits",
    ),
    CallShape(
        "Trae",
        ("edit_file_fast_apply",),
        "sketch",
        {"path": "file_path", "content": "code_edit"},
        "trae.ai builder tools",
    ),
)
