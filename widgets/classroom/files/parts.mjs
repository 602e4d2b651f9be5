// @ts-check
// What phone and wall share: elements, numbers in words, and a web socket that comes back.

/** @type {Make} */
export const make = (tag, about = {}, ...parts) => {
  const node = Object.assign(document.createElement(tag), about);
  node.append(...parts);
  return node;
};

/** A picture of so many units; `put` draws into it. @param {number} width @param {number} height */
export function picture(width, height) {
  const root = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  root.setAttribute("viewBox", `0 0 ${width} ${height}`);
  /** @param {string} tag @param {Record<string, string | number>} about @param {string=} text */
  const put = (tag, about, text = "") => {
    const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(about)) node.setAttribute(name, String(value));
    node.textContent = text;
    root.append(node);
  };
  return { root, put };
}

/** @param {number} x @param {number=} digits */
export const num = (x, digits = 2) =>
  x
    .toFixed(digits)
    .replace(/^(-?)0\./, "$1.")
    .replace("-", "−");
/** As it is written, without the 0 before the point. @param {number} x */
export const plain = (x) => String(Math.round(1e6 * x) / 1e6).replace(/^0\./, ".");
/** @param {number} x */
export const percent = (x) => `${Math.round(100 * x)}\u202f%`;
/** @param {number} many @param {string} one @param {string=} more */
export const count = (many, one, more = `${one}s`) => `${many} ${many === 1 ? one : more}`;

/** A line to the server. It comes back by itself after a while that grows, and at once when the screen wakes.
 * @param {string} path
 * @param {{ hello: () => object, heard: (news: any) => void, lost: (code: number, reason: string) => boolean }} about
 *   `lost` says whether to look again.
 */
export function line(path, { hello, heard, lost }) {
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0,
    timer = 0;
  function connect() {
    clearTimeout(timer);
    if (socket) return;
    const mine = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${path}`);
    socket = mine;
    mine.onopen = () => mine.send(JSON.stringify(hello()));
    mine.onmessage = ({ data }) => {
      tries = 0;
      heard(JSON.parse(data));
    };
    mine.onclose = ({ code, reason }) => {
      if (socket === mine) socket = null;
      if (!lost(code, reason)) return;
      tries += 1;
      timer = window.setTimeout(connect, Math.min(8000, 400 * 2 ** tries) * (0.5 + Math.random()));
    };
  }
  /** @param {object} message */
  const send = (message) => {
    if (socket && socket.readyState === 1) socket.send(JSON.stringify(message));
  };
  return { connect, send };
}
