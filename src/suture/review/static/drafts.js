// What a person has begun for a request and not sent yet: a message, and the hunks that are left out. It outlives a look
// at another request and a reload of the page, until the request is answered.

const PREFIX = "suture-draft-";

export class Draft {
  constructor(request) {
    this.key = PREFIX + request.id;
    this.fingerprint = request.fingerprint;
    const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "{}");
    this.message = kept.message ?? "";
    // The numbers of hunks are those of one change; another one has others.
    this.left = new Set(kept.fingerprint === request.fingerprint ? kept.left : []);
  }

  isOf(request) {
    return this.key === PREFIX + request.id && this.fingerprint === request.fingerprint;
  }

  keep() {
    const { message, left, fingerprint } = this;
    if (message || left.size) sessionStorage.setItem(this.key, JSON.stringify({ message, left: [...left], fingerprint }));
    else this.drop();
  }

  drop() {
    sessionStorage.removeItem(this.key);
  }
}
