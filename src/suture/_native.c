/* The two short ways in native code: `split_envelope` of whole.py and `place_lines` of plain.py.
 *
 * The functions of those names there are the definition, and these follow them step by step: what is decided here is
 * decided there alike. Wherever they give None these do; beyond that these may give None at any time (for a type that
 * is not exactly str or tuple, for a search that would take too long), and then the long way decides. Nothing else of
 * Suture is known here: text comes in, text and numbers go out, and Python makes the values.
 *
 * All that is read is str, bytes and tuple. They never change, so what is borrowed from them stays.
 */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define BEGIN "*** Begin Patch\n"
#define END "*** End Patch"
#define UPDATE "*** Update File: "
#define LENGTH(words) ((Py_ssize_t)sizeof(words) - 1)

/* A subclass of str may have methods of its own, which Python would ask. Before 3.12 a str could be unfinished. */
static int is_text(PyObject *object) {
#if PY_VERSION_HEX < 0x030C0000
    return PyUnicode_CheckExact(object) && PyUnicode_IS_READY(object);
#else
    return PyUnicode_CheckExact(object);
#endif
}

/* The answer of a function that has found none: None, unless that was for an error. */
static PyObject *none_or_error(void) {
    if (PyErr_Occurred()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Appends what was just made, which may have failed, and takes it over. */
static int append_new(PyObject *list, PyObject *item) {
    if (item == NULL) {
        return -1;
    }
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed;
}

/* ---- Reading, as in whole.py ---- */

static int stands_at(PyObject *text, Py_ssize_t at, const char *words) {
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);
    for (; *words; words++, at++) {
        if (at >= length || PyUnicode_READ_CHAR(text, at) != (Py_UCS4)*words) {
            return 0;
        }
    }
    return 1;
}

static int is_end(PyObject *text, Py_ssize_t at) {
    Py_ssize_t rest = PyUnicode_GET_LENGTH(text) - at;
    return rest == LENGTH(END) ? stands_at(text, at, END) : rest == LENGTH(END "\n") && stands_at(text, at, END "\n");
}

/* What is around a path may be no part of it. */
static int is_around_path(Py_UCS4 c) {
    return Py_UNICODE_ISSPACE(c) || c == '"' || c == '\'' || c == '`' || c == '.';
}

/* The lines of a hunk, with `at` behind them; NULL where there are none or the text ends among them. */
static PyObject *read_lines(PyObject *text, Py_ssize_t *at) {
    PyObject *lines = PyList_New(0), *result = NULL;
    if (lines == NULL) {
        return NULL;
    }
    while (stands_at(text, *at, " ") || stands_at(text, *at, "+") || stands_at(text, *at, "-")) {
        Py_ssize_t end = PyUnicode_FindChar(text, '\n', *at, PyUnicode_GET_LENGTH(text), 1);
        if (end < 0 || append_new(lines, PyUnicode_Substring(text, *at, end)) < 0) {
            goto done;
        }
        *at = end + 1;
    }
    if (PyList_GET_SIZE(lines) > 0) {
        result = PyList_AsTuple(lines);
    }
done:
    Py_DECREF(lines);
    return result;
}

/* The hunks of a section, each as its lines and the number of its "@@"; NULL where one is not plain. */
static PyObject *read_hunks(PyObject *text, Py_ssize_t *at, Py_ssize_t *number) {
    PyObject *hunks = PyList_New(0);
    if (hunks == NULL) {
        return NULL;
    }
    while (stands_at(text, *at, "@@\n")) {
        *at += LENGTH("@@\n");
        *number += 1;
        PyObject *lines = read_lines(text, at);
        if (lines == NULL) {
            goto odd;
        }
        Py_ssize_t count = PyTuple_GET_SIZE(lines);
        if (append_new(hunks, Py_BuildValue("(Nn)", lines, *number)) < 0) {
            goto odd;
        }
        *number += count;
    }
    if (PyList_GET_SIZE(hunks) > 0 && stands_at(text, *at, "*** ")) {
        return hunks;
    }
odd:
    Py_DECREF(hunks);
    return NULL;
}

/* A section as its path, the number of its header and its hunks; NULL where it is no plain update. */
static PyObject *read_section(PyObject *text, Py_ssize_t *at, Py_ssize_t *number) {
    Py_ssize_t start = *at + LENGTH(UPDATE), line = *number;
    if (!stands_at(text, *at, UPDATE)) {
        return NULL;
    }
    Py_ssize_t end = PyUnicode_FindChar(text, '\n', start, PyUnicode_GET_LENGTH(text), 1);
    if (end <= start || is_around_path(PyUnicode_READ_CHAR(text, start))
        || is_around_path(PyUnicode_READ_CHAR(text, end - 1))) {
        return NULL;
    }
    *at = end + 1;
    PyObject *path = PyUnicode_Substring(text, start, end);
    PyObject *hunks = path == NULL ? NULL : read_hunks(text, at, number);
    if (hunks == NULL) {
        Py_XDECREF(path);
        return NULL;
    }
    *number += 1;
    return Py_BuildValue("(NnN)", path, line, hunks);
}

static PyObject *split_envelope(PyObject *Py_UNUSED(module), PyObject *text) {
    if (!is_text(text) || !stands_at(text, 0, BEGIN)
        || PyUnicode_FindChar(text, '\r', 0, PyUnicode_GET_LENGTH(text), 1) != -1) {
        return none_or_error();
    }
    PyObject *sections = PyList_New(0);
    if (sections == NULL) {
        return NULL;
    }
    Py_ssize_t at = LENGTH(BEGIN), number = 2;
    while (!is_end(text, at)) {
        if (append_new(sections, read_section(text, &at, &number)) < 0) {
            goto odd;
        }
    }
    if (PyList_GET_SIZE(sections) > 0) {
        return Py_BuildValue("(Nn)", sections, number);
    }
odd:
    Py_DECREF(sections);
    return none_or_error();
}

/* ---- Placing, as in plain.py ---- */

/* Characters that all have one width, 1, 2 or 4 bytes, as those of a str have. */
typedef struct {
    int kind;
    char *data;
    Py_ssize_t size;
} Run;

/* What is known while one hunk after the other is placed. */
typedef struct {
    Run body;
    unsigned short counts[256]; /* how often each byte stands in a sample of the body */
    Run block;                  /* the old lines of a hunk, then its new ones */
    Run text;                   /* what became of the body up to `done` */
    Py_ssize_t done, behind;
} Work;

/* More than any text has, and few enough that no sum, size in bytes or budget can overflow. */
#define MOST_CHARACTERS (PY_SSIZE_T_MAX / 64)

static Py_UCS4 char_at(const Run *run, Py_ssize_t index) {
    return PyUnicode_READ(run->kind, run->data, index);
}

/* The characters of a str, without a copy. */
static Run run_of(PyObject *text) {
    return (Run){(int)PyUnicode_KIND(text), PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text)};
}

static Run line_of(PyObject *lines, Py_ssize_t index) {
    return run_of(PyTuple_GET_ITEM(lines, index));
}

static Py_UCS4 prefix_of(PyObject *lines, Py_ssize_t index) {
    return PyUnicode_READ_CHAR(PyTuple_GET_ITEM(lines, index), 0);
}

/* Adds the characters from one index to another of a run that is not wider. */
static void add(Run *run, const Run *more, Py_ssize_t from, Py_ssize_t to) {
    if (more->kind == run->kind) {
        memcpy(run->data + run->size * run->kind, more->data + from * run->kind, (size_t)((to - from) * run->kind));
        run->size += to - from;
        return;
    }
    for (; from < to; from++, run->size++) {
        PyUnicode_WRITE(run->kind, run->data, run->size, char_at(more, from));
    }
}

/* Adds lines but those of one prefix, each without its own and with a newline behind it. False where one is wider than
 * the run. */
static int add_lines(Run *run, PyObject *lines, Py_ssize_t first, Py_ssize_t last, Py_UCS4 left_out) {
    for (; first < last; first++) {
        Run line = line_of(lines, first);
        if (prefix_of(lines, first) == left_out) {
            continue;
        }
        if (line.kind > run->kind) {
            return 0;
        }
        add(run, &line, 1, line.size);
        PyUnicode_WRITE(run->kind, run->data, run->size, '\n');
        run->size++;
    }
    return 1;
}

static int is_printable(const Run *line) {
    for (Py_ssize_t i = 1; i < line->size; i++) {
        Py_UCS4 c = char_at(line, i);
        if (c < ' ' || (c > '~' && !Py_UNICODE_ISPRINTABLE(c))) {
            return 0;
        }
    }
    return 1;
}

/* Whether a text is its own body: no BOM, no NUL, every ending an LF. The loops have no way out, so that a compiler can
 * take many characters at once; memchr finds no characters that are wider than a byte. */
static int is_plain(const Run *body) {
    size_t size = (size_t)body->size;
    const Py_UCS2 *two = (const Py_UCS2 *)(const void *)body->data;
    const Py_UCS4 *four = (const Py_UCS4 *)(const void *)body->data;
    unsigned odd = size > 0 && char_at(body, 0) == 0xFEFF;
    if (body->kind == 1) {
        return memchr(body->data, '\r', size) == NULL && memchr(body->data, 0, size) == NULL;
    }
    for (size_t i = 0; body->kind == 2 && i < size; i++) {
        odd |= (unsigned)(two[i] == '\r') | (unsigned)(two[i] == 0);
    }
    for (size_t i = 0; body->kind == 4 && i < size; i++) {
        odd |= (unsigned)(four[i] == '\r') | (unsigned)(four[i] == 0);
    }
    return !odd;
}

static void count_bytes(Work *work) {
    Py_ssize_t size = work->body.size * work->body.kind;
    /* A small text is searched sooner than counted. An odd step meets the low and the high bytes of wide characters. */
    Py_ssize_t step = Py_MAX(16, size / 1024) | 1;
    for (Py_ssize_t i = 0; i < size; i += step) {
        work->counts[(unsigned char)work->body.data[i]]++;
    }
}

/* The byte of a needle to look for: memchr is far quicker than any comparison where what it looks for is rare. */
static Py_ssize_t rarest_byte(const Work *work, const Run *needle) {
    Py_ssize_t best = 0;
    for (Py_ssize_t i = 0; i < needle->size * needle->kind; i++) {
        unsigned short count = work->counts[(unsigned char)needle->data[i]];
        if (count < work->counts[(unsigned char)needle->data[best]]) {
            best = i;
        }
        if (count == 0) {
            break;
        }
    }
    return best;
}

#define NOWHERE (-1)
#define TOO_LONG (-2)

/* `str.find` for a needle as wide as the body, or TOO_LONG in a text that was made to be compared in vain. */
static Py_ssize_t find(const Work *work, const Run *needle, Py_ssize_t from) {
    const char *body = work->body.data;
    Py_ssize_t kind = needle->kind, size = needle->size * kind, all = work->body.size * kind, budget = 8 * all;
    Py_ssize_t pivot = rarest_byte(work, needle), last = all - size + pivot;
    for (Py_ssize_t at = from * kind + pivot; at <= last; at++) {
        const char *hit = memchr(body + at, needle->data[pivot], (size_t)(last - at + 1));
        if (hit == NULL) {
            return NOWHERE;
        }
        at = hit - body;
        Py_ssize_t start = at - pivot, same = 0;
        /* The bytes of two neighbours may look like one wide character. */
        if ((start & (kind - 1)) != 0) {
            continue;
        }
        while (same < size && body[start + same] == needle->data[same]) {
            same++;
        }
        if (same == size) {
            return start / kind;
        }
        budget -= same;
        if (budget < 0) {
            return TOO_LONG;
        }
    }
    return NOWHERE;
}

/* Where a needle stands if it stands exactly once, else -1. */
static Py_ssize_t find_only(const Work *work, const Run *needle) {
    Py_ssize_t start = find(work, needle, 0);
    return start >= 0 && find(work, needle, start + 1) == NOWHERE ? start : -1;
}

static int starts_with(const Run *body, const Run *needle, Py_ssize_t start) {
    return needle->size <= body->size - start
        && memcmp(body->data + start * body->kind, needle->data, (size_t)(needle->size * body->kind)) == 0;
}

/* One turn of the loop: where a hunk stands, with what it changes written to the text; -1 where it is not plain. */
static Py_ssize_t place_hunk(Work *work, PyObject *lines) {
    Run *block = &work->block, *body = &work->body;
    Py_ssize_t count = PyTuple_GET_SIZE(lines), first = 0, last = count, lead = 0, added = 0, removed = 0;
    while (first < last && prefix_of(lines, first) == ' ') {
        lead += line_of(lines, first).size;
        first++;
    }
    block->size = 0;
    /* A block that is wider than the body stands nowhere in it. The newline behind the last line is no part of it. */
    if (!add_lines(block, lines, 0, count, '+') || block->size < 2) {
        return -1;
    }
    block->size--;
    /* Leading context that stands once speaks for the old lines and for the new ones, which begin with it too. */
    Run needle = {block->kind, block->data, lead > 0 ? Py_MIN(lead, block->size) : block->size};
    Py_ssize_t start = find_only(work, &needle);
    int lead_alone = start >= 0;
    if (!lead_alone) {
        start = find_only(work, block);
    }
    Py_ssize_t end = start + block->size;
    if (start < work->behind || end >= body->size || char_at(body, end) != '\n'
        || (start > 0 && char_at(body, start - 1) != '\n')) {
        return -1;
    }
    if (lead_alone && !starts_with(body, block, start)) {
        return -1;
    }
    /* From the first change to the last; context in between is what the file has. */
    Py_ssize_t at = start + lead, to = end + 1;
    while (last > first && prefix_of(lines, last - 1) == ' ') {
        last--;
        to -= line_of(lines, last).size;
    }
    for (Py_ssize_t i = first; i < last; i++) {
        Run line = line_of(lines, i);
        added += prefix_of(lines, i) == '+';
        removed += prefix_of(lines, i) == '-';
        if (prefix_of(lines, i) != '-' && !is_printable(&line)) {
            return -1;
        }
    }
    int at_edge = first == 0 || last == count;
    if (first == last || (at_edge && removed == 0)) {
        return -1;
    }
    block->size = 0;
    if (added > 2 && add_lines(block, lines, 0, count, '-')) {
        block->size--;
        if (lead_alone && lead > 0 ? starts_with(body, block, start) : find(work, block, 0) != NOWHERE) {
            return -1;
        }
    }
    add(&work->text, body, work->done, at);
    add_lines(&work->text, lines, first, last, '-');
    work->done = to;
    work->behind = end + 1;
    return start;
}

/* How long the lines of all hunks are, and no character of theirs is greater than `widest`; False where they are not
 * tuples of lines with a prefix. */
static int measure(PyObject *hunks, Py_ssize_t *size, Py_UCS4 *widest) {
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(hunks); n++) {
        PyObject *lines = PyTuple_GET_ITEM(hunks, n);
        if (!PyTuple_CheckExact(lines)) {
            return 0;
        }
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(lines); i++) {
            PyObject *line = PyTuple_GET_ITEM(lines, i);
            if (!is_text(line) || PyUnicode_GET_LENGTH(line) == 0
                || PyUnicode_GET_LENGTH(line) > MOST_CHARACTERS - *size) {
                return 0;
            }
            *size += PyUnicode_GET_LENGTH(line);
            *widest = Py_MAX(*widest, PyUnicode_MAX_CHAR_VALUE(line));
        }
    }
    return 1;
}

static PyObject *place_lines(PyObject *Py_UNUSED(module), PyObject *const *arguments, Py_ssize_t count) {
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "place_lines takes a body and the lines of its hunks");
        return NULL;
    }
    PyObject *body = arguments[0], *hunks = arguments[1], *starts = NULL, *text = NULL, *result = NULL;
    int in_bytes = PyBytes_CheckExact(body);
    if ((!in_bytes && !is_text(body)) || !PyTuple_CheckExact(hunks)) {
        Py_RETURN_NONE;
    }
    Work work = {.body = in_bytes ? (Run){1, PyBytes_AS_STRING(body), PyBytes_GET_SIZE(body)} : run_of(body)};
    Py_ssize_t size = 0;
    Py_UCS4 widest = in_bytes ? 0 : PyUnicode_MAX_CHAR_VALUE(body);
    if (work.body.size > MOST_CHARACTERS || !is_plain(&work.body) || !measure(hunks, &size, &widest)
        || (in_bytes && widest >= 128)) {
        Py_RETURN_NONE;
    }
    work.block.kind = work.body.kind;
    work.block.data = PyMem_Malloc((size_t)(size * work.block.kind));
    starts = PyList_New(0);
    /* As long as it can become; it is written before anybody else can see it. */
    text = in_bytes ? PyBytes_FromStringAndSize(NULL, work.body.size + size)
                    : PyUnicode_New(work.body.size + size, widest);
    if (work.block.data == NULL || starts == NULL || text == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    work.text = in_bytes ? (Run){1, PyBytes_AS_STRING(text), 0} : run_of(text);
    work.text.size = 0;
    count_bytes(&work);
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(hunks); n++) {
        Py_ssize_t start = place_hunk(&work, PyTuple_GET_ITEM(hunks, n));
        if (start < 0 || append_new(starts, PyLong_FromSsize_t(start)) < 0) {
            goto done;
        }
    }
    add(&work.text, &work.body, work.done, work.body.size);
    if (in_bytes) {
        _PyBytes_Resize(&text, work.text.size);
    }
    /* A str must be as narrow as its characters allow, and the wide ones may be gone: a copy finds out. */
    else if (widest >= 128) {
        PyObject *copy = PyUnicode_FromKindAndData(work.text.kind, work.text.data, work.text.size);
        Py_DECREF(text);
        text = copy;
    }
    else if (PyUnicode_Resize(&text, work.text.size) < 0) {
        goto done;
    }
    if (text == NULL) {
        goto done;
    }
    if (work.text.size != work.body.size || PyObject_RichCompareBool(text, body, Py_NE) == 1) {
        result = PyTuple_Pack(2, text, starts);
    }
done:
    Py_XDECREF(text);
    Py_XDECREF(starts);
    PyMem_Free(work.block.data);
    return result != NULL ? result : none_or_error();
}

/* ---- The module ---- */

static PyMethodDef methods[] = {
    {"split_envelope", split_envelope, METH_O, "As whole.split_envelope."},
    {"place_lines", (PyCFunction)(void (*)(void))place_lines, METH_FASTCALL, "As plain.place_lines."},
    {NULL, NULL, 0, NULL},
};

/* There is no state to share between interpreters, and nothing that is read can change under another thread. */
static PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "suture._native",
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__native(void) {
    return PyModuleDef_Init(&definition);
}
