// Markdown as elements, for a look at what a text will be: headings, lists, quotes, code, tables of plain cells, emphasis.
// Nothing in it is markup, loads anything or leads anywhere: raw HTML stays text, and a link shows its address.

import { element } from "./dom.js";

/** More lines than this are not rendered. */
const MOST_LINES = 5000;

export function renderMarkdown(text) {
  const lines = text.split("\n").slice(0, MOST_LINES);
  const blocks = [];
  let at = 0;
  const while_ = (test) => { const start = at; while (at < lines.length && test(lines[at])) at += 1; return lines.slice(start, at); };
  while (at < lines.length) {
    const line = lines[at];
    const fence = /^\s*(```+|~~~+)/.exec(line);
    const heading = /^(#{1,6})\s+(.*)/.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      at += 1;
      const inside = while_((one) => !one.trim().startsWith(fence[1]));
      at += 1;
      blocks.push(element("pre", {}, element("code", {}, inside.join("\n"))));
    } else if (heading) {
      at += 1;
      // The page has headings of its own down to the third level.
      blocks.push(element(`h${Math.min(6, heading[1].length + 3)}`, {}, inline(withoutClosing(heading[2]))));
    } else if (/^\s*([-*_])(\s*\1){2,}\s*$/.test(line)) {
      at += 1;
      blocks.push(element("hr"));
    } else if (/^\s*>/.test(line)) {
      blocks.push(element("blockquote", {}, inline(while_((one) => /^\s*>/.test(one)).map((one) => one.replace(/^\s*>\s?/, "")).join("\n"))));
    } else if (LIST.test(line)) {
      blocks.push(list(while_((one) => LIST.test(one) || /^\s+\S/.test(one))));
    } else if (/^\s*\|/.test(line)) {
      blocks.push(grid(while_((one) => /^\s*\|/.test(one))));
    } else {
      blocks.push(element("p", {}, inline(while_((one) => one.trim() && !/^(#{1,6}\s|\s*(```|~~~|>|\|))/.test(one) && !LIST.test(one)).join("\n"))));
    }
  }
  return element("div", { class: "markdown" }, blocks);
}

/** The text of a heading without the marks that may close it. Without a pattern: one that looks for an end tries every place. */
function withoutClosing(text) {
  let end = text.trimEnd().length;
  while (text[end - 1] === "#") end -= 1;
  return text.slice(0, end).trimEnd();
}

const LIST = /^\s*(?:[-*+]|\d{1,9}[.)])\s+/;

function list(lines) {
  const items = [];
  for (const line of lines) {
    if (LIST.test(line)) items.push(line.replace(LIST, ""));
    else items[items.length - 1] += `\n${line.trim()}`;
  }
  return element(/^\s*\d/.test(lines[0]) ? "ol" : "ul", {}, items.map((item) => element("li", {}, inline(item))));
}

function grid(lines) {
  const rows = lines.filter((line) => !/^[\s|:-]+$/.test(line)).map((line) => line.trim().replace(/^\||\|$/g, "").split("|").map((cell) => cell.trim()));
  return element("table", {}, element("tbody", {}, rows.map((row) => element("tr", {}, row.map((cell) => element("td", {}, inline(cell)))))));
}

/** Code, strong, emphasized, links and pictures in a text; everything else is text. No part of the pattern reads far beyond the next mark. */
function inline(text) {
  const parts = [];
  const pattern = /`([^`\n]+)`|\*\*([^*\n]+)\*\*|\*([^*\s][^*\n]*)\*|!?\[([^[\]\n]*)\]\(([^()\s]{1,2000})(?:\s[^()\n]{0,500})?\)/g;
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const [, code, strong, emphasized, label, address] = match;
    if (code) parts.push(element("code", {}, code));
    else if (strong) parts.push(element("strong", {}, strong));
    else if (emphasized) parts.push(element("em", {}, emphasized));
    else parts.push(element("span", { class: "link" }, match[0][0] === "!" ? "picture: " : "", label), element("span", { class: "muted" }, ` (${address})`));
  }
  return [...parts, text.slice(end)];
}
