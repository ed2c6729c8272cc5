// What a person has begun for a request and not sent yet: a message, what is left out, comments on lines, text of their own,
// and which files they have viewed. It outlives a look at another request and a reload of the page, until the request is
// answered.

const PREFIX = "suture-draft-";

export class Draft {
  constructor(request) {
    this.key = PREFIX + request.id;
    this.fingerprint = request.fingerprint;
    const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "{}");
    this.message = kept.message ?? "";
    // The numbers of hunks and lines are those of one change; another one has others.
    const same = kept.fingerprint === request.fingerprint ? kept : {};
    /** Units that are left out, and hunks that are split, each as the index of the file and its number. */
    this.left = new Set(same.left);
    this.split = new Set(same.split);
    this.viewed = new Set(same.viewed);
    /** Comments: path, side, line and text. */
    this.comments = same.comments ?? [];
    /** The text that a person wants instead of the proposed one, by the path of its file. */
    this.edits = same.edits ?? {};
    /** What is in an editor that is open, by the path of its file. */
    this.typed = same.typed ?? {};
  }

  isOf(request) {
    return this.key === PREFIX + request.id && this.fingerprint === request.fingerprint;
  }

  /** The comments that say something. */
  get saidComments() {
    return this.comments.filter((comment) => comment.text.trim());
  }

  /** Whether there is more than files that were viewed. */
  get isBegun() {
    return Boolean(this.message.trim() || this.left.size || this.saidComments.length || Object.keys({ ...this.edits, ...this.typed }).length);
  }

  keep() {
    const { message, left, split, viewed, comments, edits, typed, fingerprint } = this;
    const isEmpty = !message && !left.size && !split.size && !viewed.size && !comments.length && !Object.keys({ ...edits, ...typed }).length;
    if (isEmpty) this.drop();
    else sessionStorage.setItem(this.key, JSON.stringify({ message, left: [...left], split: [...split], viewed: [...viewed], comments, edits, typed, fingerprint }));
  }

  drop() {
    sessionStorage.removeItem(this.key);
  }
}
