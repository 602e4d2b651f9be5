// @ts-check
// The coins of a phone. The rates are the wall's, of the library's own mechanism: a yes with chance p where yes is
// true, and with chance q where it is not. 53 bits of the browser's own randomness a film.

export function uniform() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return ((high >>> 5) * 2 ** 26 + (low >>> 6)) / 2 ** 53;
}

/** @param {number[]} bits @param {{ p: number, q: number }} rates */
export const tossed = (bits, { p, q }) => bits.map((bit) => Number(uniform() < (bit ? p : q)));
